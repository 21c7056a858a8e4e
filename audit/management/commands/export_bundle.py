"""A bundle for strangers, as a folder."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.bundles import bundle_sha256, export_bundle, segments_named
from audit.checker import checker_sha256
from casino.errors import CasinoError
from ledger import notes
from ledger.models import SealKey


class Command(BaseCommand):
    """`manage.py export_bundle [SHIFT…|--all] --out DIR [--with-names]`."""

    help = "Write sealed shifts as a folder that anybody can check with its own verify.py, without Pitbook."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the shifts and the folder."""
        parser.add_argument("shifts", nargs="*", metavar="SHIFT", help="a shift's UUID, or its segment's number")
        parser.add_argument("--all", action="store_true", dest="everything", help="every sealed shift")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a folder that is new or empty")
        parser.add_argument("--with-names", action="store_true", help="with the texts behind the hashes, and names of staff")

    def handle(self, *args: Any, shifts: list[str], everything: bool, out: Path, with_names: bool, **options: Any) -> None:
        """Write it, and say how it is checked."""
        try:
            segments = segments_named(shifts, everything=everything)
            if not segments:
                raise CommandError("No shift is sealed yet.")
            folder = export_bundle(segments, out, with_names=with_names)
        except CasinoError as error:
            raise CommandError(error.message) from error
        leaves = sum(segment.leaf_count for segment in segments)
        self.stdout.write(f"{len(segments)} shifts, {leaves} leaves: {folder}\nSHA-256 over its files: {bundle_sha256(folder)}")
        key = SealKey.objects.get(number=1)
        self.stdout.write(f"SHA-256 of its verify.py: {checker_sha256()}\nSHA-256 of the first key: {notes.fingerprint(bytes(key.public))}")
        self.stdout.write(f"Check it anywhere: python -I {folder / 'verify.py'} {folder}")
