"""The floor's app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TablesConfig(AppConfig):
    """Pits, tables, shifts, rounds, chips, paytables."""

    name = "tables"
    verbose_name = _("Floor")
