"""`import_rounds FILE --by STAFF [--dry-run]`: a file of slips, one JSON object a line or CSV, kept whole or not at all."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from casino.errors import CasinoError
from casino.models import User
from tables.services.bulk_rounds import ImportResult, import_rounds


class Command(BaseCommand):
    """Imports rounds at tables that are open, as their pit boss or the shift manager."""

    help = "Imports a file of slips (one JSON object a line; .csv: a line a seat): all of them or none. Exits with 1 where nothing was kept."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, who hands it in, and whether it is a rehearsal."""
        parser.add_argument("file", metavar="FILE", help="- is standard input")
        parser.add_argument("--by", required=True, metavar="STAFF", help="the staff number of whoever hands the file in")
        parser.add_argument("--dry-run", action="store_true", help="read and settle all of it, and keep nothing")
        parser.add_argument("--csv", action="store_true", help="the file is CSV, whatever it is called")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, file: str, by: str, dry_run: bool, csv: bool, **options: Any) -> None:
        """Import, and say what was added, what was in already, and every error by line and field."""
        person = User.objects.filter(username=by).first()
        if person is None:
            raise CommandError(f"Nobody here has the staff number {by}.")
        try:
            with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as lines:
                is_csv = csv or file.lower().endswith(".csv")
                result = import_rounds(lines, by=person, at=timezone.now(), name=Path(file).name, csv=is_csv, dry_run=dry_run)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except CasinoError as error:
            raise CommandError(f"{error.code}: {error.message}") from error
        if options["json"]:
            self.stdout.write(json.dumps(result.as_json(), ensure_ascii=False))
        else:
            self._tell(result)
        if result.errors:
            raise CommandError(f"{len(result.errors)} errors: nothing was kept.")

    def _tell(self, result: ImportResult) -> None:
        for one in result.errors:
            self.stdout.write(f"line {one.line}: {one.fault.where or 'line'}: {one.fault.message} ({one.fault.code})")
        for line, uuid in result.already:
            self.stdout.write(f"line {line}: {uuid} was in already")
        if not result.errors:
            verb = "would be added" if result.dry_run else "added"
            self.stdout.write(f"{result.added} rounds {verb}, {len(result.already)} in already; {result.sha256}")
