"""`settle [FILE|-] [--paytable NAME@VERSION]`: one JSON round a line in, one JSON settlement a line out. Source: spec/rounds.md."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.engine.json_line import LONGEST_LINE
from tables.engine.settle import answer_line
from tables.paytable_files import published

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Command(BaseCommand):
    """Settles rounds by the rules, without touching the books or needing a database."""

    help = "Settles rounds: one JSON object a line in, one a line out, in the same order. Exits with 1 if any round was bad."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file and the paytable."""
        parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="one JSON round a line; - or nothing: standard input")
        parser.add_argument("--paytable", metavar="NAME@VERSION", help="for rounds that name none; without it each game has its default")

    def handle(self, *args: Any, file: str, paytable: str | None, **options: Any) -> None:
        """Answer every line; a bad one gets its error in its place, and makes the exit code 1."""
        find, write = published().get, self._writer()
        rounds = bad = 0
        try:
            with _opened(file) as lines:
                for line in _lines(lines):
                    answer, settled = answer_line(line, find, paytable)
                    write(answer)
                    rounds, bad = rounds + 1, bad + (not settled)
            self.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python's own flush at the exit would complain again
        if bad:
            raise CommandError(f"{bad} of {rounds} rounds could not be settled; their lines say why.")

    def _writer(self) -> Callable[[str], object]:
        """Return what writes a line: as UTF-8 whatever the locale says, or as text where somebody caught the output."""
        buffer = getattr(self.stdout, "buffer", None)
        return self.stdout.write if buffer is None else lambda answer: buffer.write(f"{answer}\n".encode())


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    """Return the file as bytes. Raises CommandError where it cannot be opened."""
    if file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error


def _lines(rounds: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not blank; of one that is too long only the beginning, which is refused, so that memory stays flat."""
    while line := rounds.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = rounds.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE or line.strip() not in (b"", _BYTE_ORDER_MARK):
            yield line
