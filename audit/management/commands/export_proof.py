"""The proof that one round is in the signed book."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from audit.bundles import checker, proof_of
from casino.errors import CasinoError
from tables.models import Round


class Command(BaseCommand):
    """`manage.py export_proof ROUND [--out FILE] [--with-checker]`."""

    help = "Write one round's inclusion proof: about twenty hashes that show it is in the signed book."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the round and the file."""
        parser.add_argument("round", metavar="ROUND", help="a round's UUID")
        parser.add_argument("--out", type=Path, metavar="FILE", help="a file; standard output without it")
        parser.add_argument("--with-checker", action="store_true", help="write verify.py beside the file")

    def handle(self, *args: Any, round: str, out: Path | None, with_checker: bool, **options: Any) -> None:
        """Write it."""
        try:
            played = Round.objects.select_related("paytable").filter(uuid=UUID(round)).first()
        except ValueError as error:
            raise CommandError(f"“{round}” is no UUID.") from error
        if played is None:
            raise CommandError(f"There is no round {round}.")
        try:
            text = json.dumps(proof_of(played), ensure_ascii=False, indent=1) + "\n"
        except CasinoError as error:
            raise CommandError(error.message) from error
        if out is None:
            self.stdout.write(text, ending="")
            return
        out.write_text(text, encoding="utf-8")
        if with_checker:
            (out.parent / "verify.py").write_text(checker(), encoding="utf-8")
        self.stdout.write(f"Check it anywhere: python verify.py --proof {out}")
