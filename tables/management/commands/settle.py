"""`settle [FILE|-] [--paytable NAME@VERSION]`: one JSON round a line in, one JSON settlement a line out. Source: spec/rounds.md."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from io import BufferedIOBase
from pathlib import Path
from typing import Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.settling import settle_stream


class Command(BaseCommand):
    """Settles rounds by the rules, without touching the books or needing a database."""

    help = "Settles rounds: one JSON object a line in, one a line out, in the same order. Exits with 1 if any round was bad."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, the paytable and the number of processes."""
        parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="one JSON round a line; - or nothing: standard input")
        parser.add_argument("--paytable", metavar="NAME@VERSION", help="for rounds that name none; without it each game has its default")
        parser.add_argument("--jobs", type=_jobs, default=_processors(), metavar="N", help="processes for many lines; as many as processors")

    def handle(self, *args: Any, file: str, paytable: str | None, jobs: int, **options: Any) -> None:
        """Answer every line; a bad one gets its error in its place, and makes the exit code 1."""
        write = self._writer()
        rounds = bad = 0
        try:
            with _opened(file) as stream:
                for answers in settle_stream(stream, paytable=paytable, jobs=jobs):
                    write(answers.text)
                    rounds, bad = rounds + answers.rounds, bad + answers.bad
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python's own flush at the end would complain again
        if bad:
            raise CommandError(f"{bad} of {rounds} rounds could not be settled; their lines say why.")

    def _writer(self) -> Callable[[bytes], object]:
        """Return what writes at once: in UTF-8 whatever the locale says, or as text where somebody caught the output."""
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None:
            return lambda text: self.stdout.write(text.decode(), ending="")
        return lambda text: (buffer.write(text), buffer.flush())


def _jobs(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 64:
        return int(text)
    raise ArgumentTypeError(f"{text} is no number of processes, 1 to 64")


def _processors() -> int:
    """Return how many processors this process may use."""
    return min(64, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _opened(file: str) -> AbstractContextManager[BufferedIOBase]:
    """Return the file as bytes. Raises CommandError where it cannot be opened."""
    if file == "-":
        return nullcontext(cast(BufferedIOBase, sys.stdin.buffer))
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror}") from error
