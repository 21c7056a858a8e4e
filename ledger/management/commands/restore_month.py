"""`restore_month YYYY-MM [--from DIR]`: the owner brings an archived month back, each file checked against what the books say of it."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import CasinoError
from ledger.archives import restore_month
from ledger.months import month_of


class Command(BaseCommand):
    """Needs the owner's log-in, as migrations do."""

    help = "Brings back a month that archive_month took out."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the month, and where the files are."""
        parser.add_argument("month", type=month_of, metavar="YYYY-MM")
        parser.add_argument("--from", dest="folder", type=Path, default=settings.STATE / "archive", metavar="DIR")

    def handle(self, *args: Any, month: Any, folder: Path, **options: Any) -> None:
        """Bring it back, and say what came."""
        try:
            brought = restore_month(month, folder, by=getpass.getuser())
        except CasinoError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        for one in brought:
            self.stdout.write(f"{one.table}: {one.rows} rows from {folder / one.file}")
