"""`export_paytable NAME@VERSION [--out FILE] [--canonical | --sheet]`: a version as a JSON file, or the sheet to lay at the table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import CasinoError
from tables.services.paytables import export_paytable, sheet_of, version_named


class Command(BaseCommand):
    """Writes a version to a file or to standard output."""

    help = "Writes a paytable version as JSON, in the canonical form of which its hash is taken, or as the sheet to lay at the table (PDF)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the version and the form."""
        parser.add_argument("paytable", metavar="NAME@VERSION")
        parser.add_argument("--out", metavar="FILE", help="without it: standard output")
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--canonical", action="store_true", help="the bytes of which the SHA-256 is taken")
        form.add_argument("--sheet", action="store_true", help="a PDF with the short code and a QR of the hash")

    def handle(self, *args: Any, paytable: str, out: str | None, canonical: bool, **options: Any) -> None:
        """Write it."""
        try:
            version = version_named(paytable)
        except CasinoError as error:
            raise CommandError(error.message) from error
        data = bytes(version.content) if canonical else sheet_of(version) if options["sheet"] else export_paytable(version)
        if out is not None:
            Path(out).write_bytes(data)
        elif hasattr(self.stdout, "buffer") or self.stdout._out is sys.stdout:
            sys.stdout.buffer.write(data)
        else:
            self.stdout.write(data.decode(), ending="")
