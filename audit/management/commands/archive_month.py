"""`archive_month YYYY-MM [--out DIR]`: the owner takes a sealed month's transfers and wagers out of the database into files."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit.archiving import require_verified
from casino.errors import CasinoError
from ledger.archives import archive_month
from ledger.months import month_of


class Command(BaseCommand):
    """Needs the owner's log-in, as migrations do."""

    help = "Takes a month that is sealed, signed and verified out of the database: files with their SHA-256, and a record of it in the books."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the month, and where the files go."""
        parser.add_argument("month", type=month_of, metavar="YYYY-MM")
        parser.add_argument("--out", type=Path, default=settings.STATE / "archive", metavar="DIR", help="default: archive in the state folder")

    def handle(self, *args: Any, month: Any, out: Path, **options: Any) -> None:
        """Take it out, and say what went where."""
        try:
            taken = archive_month(month, out, verify=require_verified, by=getpass.getuser(), today=timezone.now().date())
        except CasinoError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        for one in taken:
            self.stdout.write(f"{one.table}: {one.rows} rows in {out / one.file}, SHA-256 {one.file_sha256}")
        if not taken:
            self.stdout.write("There is nothing left to take out.")
