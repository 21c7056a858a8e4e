"""The books' app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LedgerConfig(AppConfig):
    """Accounts, entries, transfers."""

    name = "ledger"
    verbose_name = _("Books")

    def ready(self) -> None:
        """Have `check --deploy` look at the guards, and `check` and a worker's start for a published checkpoint ahead of the books."""
        from celery.signals import worker_ready
        from django.core.checks import register

        from ledger import guards  # noqa: F401 - registers its check
        from ledger.checks import books_are_current, worker_starts

        register(books_are_current)
        worker_ready.connect(worker_starts, dispatch_uid="pitbook-books-current")
