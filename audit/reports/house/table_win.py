"""Win, hold and theoretical win by table: on the last day, in its month, and in its year so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from audit.models import SessionReconciliation
from audit.reports.catalogue import Catalogued
from audit.reports.chart import Bar, Chart
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section, Value
from audit.reports.scope import Scope
from tables.engine.game import games
from tables.house_settings import settings_on

COLUMNS = (
    Column("table", "Table", "text"),
    Column("game", "Game", "text"),
    Column("rounds", "Rounds", "integer", total=True),
    Column("handle", "Handle", "amount", total=True),
    Column("drop", "Drop", "amount", total=True),
    Column("win_by_count", "Win by count", "amount", total=True),
    Column("win_by_play", "Win by play", "amount", total=True),
    Column("theoretical_win", "Theoretical win", "amount", total=True),
    Column("hold", "Hold", "percent", decimals=2),
    Column("theoretical_hold", "Theoretical hold", "percent", decimals=2),
    Column("tray_variance", "Tray variance", "amount", total=True),
    Column("drop_variance", "Drop variance", "amount", total=True),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return a section each for the day, the month and the year that end with `scope.last`. Three queries."""
    spans = (
        ("day", f"Day {scope.last}", scope.last),
        ("month", f"Month to {scope.last}", scope.last.replace(day=1)),
        ("year", f"Year to {scope.last}", scope.last.replace(month=1, day=1)),
    )
    return [_section(key, title, replace(scope, first=first)) for key, title, first in spans]


def _section(key: str, title: str, scope: Scope) -> Section:
    by: dict[str, list[SessionReconciliation]] = defaultdict(list)
    for line in scope.lines():
        by[line.session.table.code].append(line)
    rows = tuple(_row(code, lines, scope) for code, lines in sorted(by.items()))
    chart = _chart(by, title, scope)
    return Section(key, title, COLUMNS, rows, empty="No shift of these days is reconciled yet.", chart=chart)


def _chart(by: Mapping[str, Sequence[SessionReconciliation]], title: str, scope: Scope) -> Chart | None:
    """Return the variances of the tables that have any, tray and box apart."""
    found = [
        (f"{code} {what}", amount)
        for code, lines in sorted(by.items())
        for what, name in (("tray", "tray_variance"), ("box", "drop_variance"))
        if (amount := _sum(lines, name))
    ]
    if not found:
        return None
    loud = settings_on(scope.house, scope.last).report_over
    bars = tuple(Bar(label, amount, loud=abs(amount) >= loud) for label, amount in found)
    said = f"{len(bars)} trays and boxes of {len(by)} tables were not what the books expect."
    return Chart(f"Variance by table, {title}", bars, scope.house.notation, said, value_word="counted − expected")


def _row(code: str, lines: Sequence[SessionReconciliation], scope: Scope) -> Row:
    game = games()[lines[0].session.table.game]
    drop, win, expected = _sum(lines, "drop"), _sum(lines, "win_by_count"), _sum(lines, "theoretical_win")
    figures: tuple[Value, ...] = (
        sum(line.rounds for line in lines),
        None if game.is_pot_game else sum(line.handle for line in lines),
        drop,
        win,
        sum(line.win_by_play for line in lines),
        expected,
        _share(win, drop) if not game.is_pot_game else None,
        _share(expected, drop) if not game.is_pot_game else None,
        _sum(lines, "tray_variance"),
        _sum(lines, "drop_variance"),
    )
    off = tuple(name for name in ("tray_variance", "drop_variance") if _sum(lines, name))
    return Row(
        (code, game.name, *figures),
        emphasis="bad" if off else "",
        on=off,
        links=(("table", rounds_of(table=code, day_from=scope.first, day_to=scope.last)),),
    )


def _share(part: int | None, whole: int | None) -> Fraction | None:
    return Fraction(part, whole) if part is not None and whole else None


def _sum(lines: Sequence[SessionReconciliation], name: str) -> int | None:
    known = [figure for line in lines if (figure := getattr(line, name)) is not None]
    return sum(known) if known else None


REPORT = Catalogued(
    "table-win",
    "Table win and hold",
    "Drop, win, hold and theoretical win of every table: day, month and year to date.",
    build,
    filters=("day_to", "pit", "table", "game"),
)
