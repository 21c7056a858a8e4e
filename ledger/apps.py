"""The books' app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """Accounts, entries, transfers."""

    name = "ledger"
    verbose_name = "Books"
