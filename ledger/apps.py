"""The books' app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """Accounts, entries, transfers."""

    name = "ledger"
    verbose_name = "Books"

    def ready(self) -> None:
        """Have `check --deploy` look at the database's guards, and `check` and every worker's start look for a published checkpoint that is ahead of the books."""
        from celery.signals import worker_ready
        from django.core.checks import register

        from ledger import guards  # noqa: F401 - registers its check
        from ledger.checks import books_are_current, worker_starts

        register(books_are_current)
        worker_ready.connect(worker_starts, dispatch_uid="pitbook-books-current")
