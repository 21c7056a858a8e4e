"""`paytable_edge NAME@VERSION|FILE [--solve] [--json]`: what every bet of a paytable is worth, exactly. Source: spec/rounds.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import InvalidSlip
from tables.engine import edge
from tables.engine.paytable import Paytable
from tables.paytable_files import published, read_file

_FIGURES = (
    ("house edge", "edge_percent", "{:.8f} % of the {basis}"),
    ("element of risk", "element_of_risk_percent", "{:.8f} % of all that is staked"),
    ("mean wager", "mean_wager", "{:.6f} × the {basis}"),
    ("hit frequency", "hit_frequency", "{:.6%}"),
    ("standard deviation", "sd", "{:.6f} × the {basis}"),
)
_METHODS = {
    "count": "counted over everything that can fall",
    "linear": "from the counts of the best play, which holds at these odds",
    "solve": "the best play solved in full",
}


class Command(BaseCommand):
    """Prints exact edges, without a database."""

    help = "Prints the exact edge of every bet of a paytable. What is not known at once is solved: a minute or two on two cores."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the paytable and how to answer."""
        parser.add_argument("paytable", metavar="NAME@VERSION|FILE", help="a published version, or a file that holds one")
        parser.add_argument("--solve", action="store_true", help="work everything out in full, also what is known")
        parser.add_argument("--json", action="store_true", dest="as_json", help="answer with one JSON object")

    def handle(self, *args: Any, paytable: str, solve: bool, as_json: bool, **options: Any) -> None:
        """Print the edges."""
        version = _read(paytable)
        found = edge.edges(version)
        if solve or found.unsolved:
            try:
                found = edge.solve(version, report=self._report)
            except ValueError as error:
                raise CommandError(f"{paytable}: {error}.") from error
        self.stdout.write(json.dumps(found.as_json()) if as_json else "\n".join(_lines(found)))

    def _report(self, progress: edge.Progress) -> None:
        """Show a person how far it is; files and pipes get nothing."""
        if self.stderr.isatty():
            last = progress.done == progress.of
            self.stderr.write(f"\r{progress.done} of {progress.of} flops", self.style.NOTICE, ending="\n" if last else "")


def _read(name: str) -> Paytable:
    """Return the published version of this name, or the one in the file. Raises CommandError where there is neither."""
    if name in published():
        return published()[name]
    try:
        return read_file(Path(name))
    except OSError as error:
        raise CommandError(f"{name} is no published version ({', '.join(published())}) and no file that can be read.") from error
    except InvalidSlip as error:
        faults = "; ".join(f"{fault.where}: {fault.message}" if fault.where else fault.message for fault in error.faults)
        raise CommandError(f"{name}: {faults}") from error


def _lines(found: edge.Edges) -> Iterator[str]:
    yield f"{found.paytable.reference}  {found.paytable.sha256[:12]}"
    for rule, value in found.rake.items():
        yield f"  {rule.replace('_', ' '):<20}{'none' if value is None else value}"
    if not found.bets:
        yield f"  {'Nobody has worked out the edges of this game.' if found.paytable.odds else 'No bet of this game has odds.'}"
    for name, bet in found.bets.items():
        figures = bet.as_json()
        yield f"{name}, {_METHODS[bet.method]}"
        yield f"  {'expectation':<20}{bet.ev}"
        for label, key, form in _FIGURES:
            if key in figures:
                yield f"  {label:<20}{form.format(figures[key], basis=bet.basis)}"
