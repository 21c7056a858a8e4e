"""The grid that is looked at before a table closes: opener, fills, chip credits and closer by denomination. Nothing in it tells what is expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tables.models import ChipMovement, TableSession, TrayCount
from tables.selectors import last_count
from tables.slips import CountSlip


@dataclass(frozen=True)
class Line:
    """One denomination: its value in minor units, and how many pieces of it there were."""

    value: int
    opener: int
    fills: int
    credits: int
    closer: int


@dataclass(frozen=True)
class Check:
    """The grid; the sums are minor units."""

    lines: list[Line]
    opener: int
    fills: int
    credits: int
    closer: int


def final_check(session: TableSession, closer: CountSlip) -> Check:
    """Return the grid for the `closer` that was just counted. Two queries."""
    opened = last_count(session, TrayCount.Kind.OPENER)
    moved = list(ChipMovement.objects.filter(session=session, kind__in=("fill", "chip_credit")).values_list("kind", "denominations"))
    opener = _add([opened.denominations] if opened else [])
    fills = _add(pieces or {} for kind, pieces in moved if kind == ChipMovement.Kind.FILL)
    credits = _add(pieces or {} for kind, pieces in moved if kind == ChipMovement.Kind.CHIP_CREDIT)
    counted = dict(closer.denominations)
    values = sorted({value for pieces in (opener, fills, credits, counted) for value, number in pieces.items() if number}, reverse=True)
    lines = [Line(value, *(pieces.get(value, 0) for pieces in (opener, fills, credits, counted))) for value in values]
    return Check(lines, *(_sum(pieces) for pieces in (opener, fills, credits, counted)))


def _add(counts: Iterable[Mapping[str, int]]) -> dict[int, int]:
    sums: dict[int, int] = {}
    for pieces in counts:
        for value, number in pieces.items():
            sums[int(value)] = sums.get(int(value), 0) + number
    return sums


def _sum(pieces: Mapping[int, int]) -> int:
    return sum(value * number for value, number in pieces.items())
