"""The floor's app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TablesConfig(AppConfig):
    """Pits, tables, shifts, rounds, chips, paytables."""

    name = "tables"
    verbose_name = _("Floor")

    def ready(self) -> None:
        """Say how doors tell the engine's faults in the reader's language."""
        from casino.words import say_faults_by
        from tables.fault_words import said

        say_faults_by(said)
