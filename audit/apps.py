"""The audit's app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuditConfig(AppConfig):
    """Findings, reconciliations, reports."""

    name = "audit"
    verbose_name = _("Audit")
