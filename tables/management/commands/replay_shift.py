"""`replay_shift PROPERTY DAY KIND [--paytable NAME@VERSION|FILE | --rule NAME=JSON …]`: an ended shift settled again, in a sandbox."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import CasinoError
from casino.models import User
from tables.models import Shift
from tables.paytable_files import read_file
from tables.services.paytables import paytable_of, version_named
from tables.services.replay import replay_now


class Command(BaseCommand):
    """Prints the differences as one JSON object; it writes nothing."""

    help = "Settles an ended shift again under another version or rule, and prints the difference per bet, table and in total. Nothing is written."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the shift, the person and what to settle by."""
        parser.add_argument("property", metavar="PROPERTY")
        parser.add_argument("day", metavar="YYYY-MM-DD", type=date.fromisoformat)
        parser.add_argument("kind", choices=Shift.Kind.values)
        parser.add_argument("--by", required=True, metavar="STAFF_NUMBER")
        parser.add_argument("--paytable", metavar="NAME@VERSION|FILE")
        parser.add_argument("--rule", action="append", metavar="NAME=JSON", help="of each round's own version, replaced")

    def handle(self, *args: Any, property: str, day: date, kind: str, **options: Any) -> None:
        """Print the differences."""
        shift = Shift.objects.filter(property__code=property, gaming_day=day, kind=kind).first()
        person = User.objects.filter(username=options["by"]).first()
        if shift is None or person is None:
            raise CommandError("There is no such shift." if shift is None else f"There is no {options['by']}.")
        try:
            found = replay_now(shift, by=person, paytable=_paytable(options["paytable"]), rules=_rules(options["rule"]))
        except CasinoError as error:
            raise CommandError(error.message) from error
        self.stdout.write(json.dumps(found, ensure_ascii=False))


def _paytable(name: str | None) -> Any:
    if name is None:
        return None
    return read_file(Path(name)) if Path(name).is_file() else paytable_of(version_named(name))


def _rules(said: list[str] | None) -> dict[str, Any] | None:
    """Return the rules by name. Raises CommandError for what is no NAME=JSON."""
    try:
        return None if not said else {name: json.loads(value) for name, _, value in (rule.partition("=") for rule in said)}
    except ValueError as error:
        raise CommandError(f"A rule is given as NAME=JSON, for instance trips_on_fold='\"forfeits\"': {error}") from error
