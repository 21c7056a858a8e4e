"""The books' app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """Accounts, entries, transfers."""

    name = "ledger"
    verbose_name = "Books"

    def ready(self) -> None:
        """Have `manage.py check --deploy` look at the database's guards."""
        from ledger import guards  # noqa: F401
