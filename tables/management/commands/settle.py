"""`settle [FILE|-] [--paytable NAME@VERSION]`: one JSON round a line in, one JSON settlement a line out. Source: spec/rounds.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.engine.settle import answer_line
from tables.paytable_files import published


class Command(BaseCommand):
    """Settles rounds by the rules, without touching the books or needing a database."""

    help = "Settles rounds: one JSON object a line in, one a line out, in the same order. Exits with 1 if any round was bad."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file and the paytable."""
        parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="rounds, one JSON object a line; - or nothing: standard input")
        parser.add_argument("--paytable", metavar="NAME@VERSION", help="for rounds that name none; without it each game has its default")

    def handle(self, *args: Any, file: str, paytable: str | None, **options: Any) -> None:
        """Answer every line; a bad one gets its error in its place, and makes the exit code 1."""
        bad = 0
        with _opened(file) as rounds:
            for line in _lines(rounds):
                answer, settled = answer_line(line, published().get, paytable)
                bad += not settled
                self.stdout.write(answer)
        if bad:
            raise CommandError(f"{bad} of the rounds could not be settled; their lines say why.")


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    """Return the file as bytes. Raises CommandError where it cannot be opened."""
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error


def _lines(rounds: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not blank. Of one that is too long only the beginning, which is refused; so memory stays flat."""
