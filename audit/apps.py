"""The audit's app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Findings, reconciliations, reports."""

    name = "audit"
    verbose_name = "Audit"
