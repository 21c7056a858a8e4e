"""`diff_paytables BEFORE AFTER [--property CODE --month YYYY-MM] [--json]`: odds, rules, edges, theoretical win, and a month's payouts replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from casino.errors import CasinoError
from tables.engine.paytable import Paytable
from tables.models import Property
from tables.paytable_diff import PaytableDiff, diff
from tables.paytable_files import read_file
from tables.replay import Replay, replay
from tables.services.paytables import paytable_of, version_named
from tables.services.replay import kept_rounds, rounds_of_month, stakes_by_bet
from tables.solved_edges import known_edges


class Command(BaseCommand):
    """Prints what differs between two versions; it writes nothing."""

    help = "Prints what differs between two paytables: odds, rules, edges; with a property and a month also what that month is worth under each."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the two versions and the month."""
        parser.add_argument("before", metavar="BEFORE", help="NAME@VERSION, or a file")
        parser.add_argument("after", metavar="AFTER", help="NAME@VERSION, or a file")
        parser.add_argument("--property", metavar="CODE")
        parser.add_argument("--month", metavar="YYYY-MM", help="the month whose rounds are settled again under AFTER")
        parser.add_argument("--json", action="store_true", dest="as_json", help="answer with one JSON object")

    def handle(self, *args: Any, before: str, after: str, as_json: bool, **options: Any) -> None:
        """Print the difference."""
        try:
            found, again = _compare(_read(before), _read(after), options["property"], options["month"])
        except CasinoError as error:
            raise CommandError(error.message) from error
        if as_json:
            self.stdout.write(json.dumps({**found.as_json(), "replayed": again and again.as_json()}, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(_lines(found, again)))


def _compare(before: Paytable, after: Paytable, code: str | None, month: str | None) -> tuple[PaytableDiff, Replay | None]:
    if (code is None) != (month is None):
        raise CommandError("--property and --month go together.")
    if code is None or month is None:
        return diff(known_edges(before), known_edges(after)), None
    house, first = Property.objects.filter(code=code).first(), _month(month)
    if house is None:
        raise CommandError(f"There is no property {code}.")
    rounds = rounds_of_month(house, first, after.game)
    found = diff(known_edges(before), known_edges(after), stakes_by_bet(rounds, after.game))
    return found, replay(kept_rounds(rounds), lambda own: after)


def _month(text: str) -> date:
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError as error:
        raise CommandError(f"“{text}” is no month such as 2026-03.") from error


def _read(name: str) -> Paytable:
    """Return the file's paytable where there is one of this name, else the version in the books. Raises CasinoError."""
    return read_file(Path(name)) if Path(name).is_file() else paytable_of(version_named(name))


def _lines(found: PaytableDiff, again: Replay | None) -> Iterator[str]:
    yield f"{found.before.reference}  {found.before.sha256[:12]}  →  {found.after.reference}  {found.after.sha256[:12]}"
    for odds in (change.as_json() for change in found.odds):
        yield f"  {odds['wager']} {odds['row'].replace('_', ' ')}: {odds['before'] or 'not paid'} → {odds['after'] or 'not paid'}"
    for rule in found.rules:
        yield f"  {rule.rule.replace('_', ' ')}: {json.dumps(rule.before)} → {json.dumps(rule.after)}"
    for edge in (change.as_json() for change in found.edges):
        yield f"  {edge['bet']}, house's edge per base bet ({edge['basis']}): {_shares(edge['per_base_bet'])}"
        yield f"  {edge['bet']}, house's edge per total wagered: {_shares(edge['per_total_wagered'])}"
    for win in (change.as_json() for change in found.wins):
        yield f"  {win['bet']}, theoretical win of {win['stake']} staked: {win['before']} → {win['after']}"
    if again is not None:
        yield f"  {again.rounds} rounds settled again, {again.changed} changed: the house would have won {again.total.difference:+} more"


def _shares(change: dict[str, Any]) -> str:
    shown = [f"{change[side]['percent']} %" if change[side] else "not worked out" for side in ("before", "after")]
    return f"{' → '.join(shown)}" + (f" ({change['difference']['percent']})" if change["difference"] else "")
