"""The check of the live books, for people and for cron."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError

from audit.books_check import check_books
from ledger.stranger.outcome import CLEAN, COULD_NOT, INCOMPLETE, TAMPERED

WORDS = {CLEAN: "CLEAN", TAMPERED: "TAMPERED", INCOMPLETE: "INCOMPLETE"}
MOST = 20


class Command(BaseCommand):
    """`manage.py verify_books [--all-problems]`: exit code 0 clean, 2 tampered, 3 incomplete, 1 could not run."""

    help = "Check the live books against what was sealed, signed and published, and the database's guards."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how much is told."""
        parser.add_argument("--all-problems", action="store_true", help=f"tell every problem, not the first {MOST}")

    def handle(self, *args: Any, all_problems: bool, **options: Any) -> None:
        """Check, tell, and end with the code."""
        try:
            answer = check_books()
        except (DatabaseError, OSError) as error:
            self.stderr.write(f"COULD NOT RUN: {str(error).partition(chr(10))[0]}")
            sys.exit(COULD_NOT)
        shown = answer.problems if all_problems else answer.problems[:MOST]
        for problem in shown:
            self.stdout.write(f"{WORDS[problem.code]}: {problem.words}")
        if len(shown) < len(answer.problems):
            self.stdout.write(f"… and {len(answer.problems) - len(shown)} more.")
        for note in answer.notes:
            self.stdout.write(note)
        later = f"; {answer.waiting} later facts wait for the next seal" if answer.waiting else ""
        self.stdout.write(f"{WORDS[answer.code]}: {answer.segments} sealed shifts, {answer.leaves} leaves{later}.")
        if answer.code:
            sys.exit(answer.code)
