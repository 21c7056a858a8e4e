"""The floor's app."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    """Pits, tables, shifts, rounds, chips, paytables."""

    name = "tables"
    verbose_name = "Floor"
