"""Win through the night: what the rounds of a shift brought, hour by hour, beside what was to be expected of their wagers. Drawn as plain lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import accumulate
from typing import Any

from django.db.models import F, Func, QuerySet, Sum
from django.utils.translation import gettext

from casino import shown
from tables.edges import theoretical_win
from tables.models import PaytableVersion, Property, Round, Shift, Wager
from tables.selectors import counted
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges

WIDTH, HEIGHT, LEFT, BOTTOM = 460, 170, 64, 22
SLOT = "date_bin('15 minutes', %(expressions)s, TIMESTAMPTZ '2000-01-01 00:00+00')"
MOST_TICKS = 6


@dataclass(frozen=True)
class Tick:
    """A word at a place along an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class WinChart:
    """The lines as points of an SVG of WIDTH × HEIGHT; `expected` is empty where nothing can be expected. `said` is the chart in words."""

    won: str
    expected: str
    zero: float
    hours: Sequence[Tick]
    amounts: Sequence[Tick]
    end: Tick
    said: str


def win_chart(shift: Shift, sessions: Sequence[int]) -> WinChart | None:
    """Return the chart of the rounds of `sessions` (keys) of an ended shift, None where there are fewer than two moments to join. Three queries."""
    won, expected = _won(sessions), _expected(shift, sessions)
    slots = sorted({*won, *expected})
    if len(slots) < 2:
        return None
    brought = [0, *accumulate(won.get(slot, 0) for slot in slots)]
    due = [Fraction(0), *accumulate(expected.get(slot, Fraction(0)) for slot in slots)]
    return _draw(slots, brought, [round(value) for value in due] if expected else [], shift.property)


def _slotted(rows: QuerySet[Any], moment: str) -> QuerySet[Any]:
    return rows.annotate(slot=Func(F(moment), template=SLOT))


def _won(sessions: Sequence[int]) -> Mapping[datetime, int]:
    rows = _slotted(Round.objects.filter(counted(), session__in=sessions), "occurred_at")
    sums = rows.values("slot").annotate(won=Sum(F("collected") - F("paid"))).order_by()
    return {row["slot"]: row["won"] for row in sums}


def _expected(shift: Shift, sessions: Sequence[int]) -> Mapping[datetime, Fraction]:
    """Return what the house could expect of the wagers that were made in each quarter of an hour."""
    regular = Wager.objects.filter(counted("round__"), gaming_day=shift.gaming_day, round__session__in=sessions, round__irregular="")
    sums = _slotted(regular, "round__occurred_at").values("slot", "round__paytable", "kind").annotate(staked=Sum("stake")).order_by()
    stakes: dict[tuple[datetime, int], dict[str, int]] = defaultdict(dict)
    for row in sums:
        stakes[row["slot"], row["round__paytable"]][row["kind"]] = row["staked"]
    versions = PaytableVersion.objects.in_bulk({version for _, version in stakes})
    expected: dict[datetime, Fraction] = {}
    for (slot, version), made in stakes.items():
        win = theoretical_win(known_edges(paytable_of(versions[version])), made)
        if win is not None:
            expected[slot] = expected.get(slot, Fraction(0)) + win
    return expected


def _draw(slots: Sequence[datetime], won: Sequence[int], expected: Sequence[int], house: Property) -> WinChart:
    lowest, highest = min(0, *won, *expected), max(0, *won, *expected)
    span = (highest - lowest) or 1

    def across(index: int) -> float:
        return round(LEFT + (WIDTH - LEFT - 8) * index / (len(won) - 1), 1)

    def up(amount: int) -> float:
        return round(10 + (HEIGHT - BOTTOM - 10) * (highest - amount) / span, 1)

    def line(values: Sequence[int]) -> str:
        return " ".join(f"{across(index)},{up(value)}" for index, value in enumerate(values))

    every = -(-len(slots) // MOST_TICKS)
    hours = [Tick(across(index), f"{shown.local(slot, house):%H:%M}") for index, slot in enumerate(slots) if index % every == 0]
    amounts = [Tick(up(amount), shown.money(amount, house)) for amount in sorted({lowest, 0, highest})]
    said = gettext("From 0 to %(amount)s in %(slots)s quarters of an hour") % {"amount": shown.money(won[-1], house), "slots": len(slots)}
    if expected:
        said += gettext("; %(amount)s was to be expected of the wagers that were made") % {"amount": shown.money(expected[-1], house)}
    return WinChart(line(won), line(expected), up(0), hours, amounts, Tick(up(won[-1]), shown.money(won[-1], house)), f"{said}.")
