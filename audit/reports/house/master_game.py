"""The master game report, the floor's stiff sheet: a line a table and shift, with what was counted and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from audit.reports.catalogue import Catalogued
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.engine.game import games

AMOUNTS = ("opener", "fills", "chip_credits", "closer", "drop", "win_by_count", "win_by_play", "tray_variance", "drop_variance", "theoretical_win")
COLUMNS = (
    Column("gaming_day", "Gaming day", "day"),
    Column("shift", "Shift", "text"),
    Column("table", "Table", "text"),
    Column("game", "Game", "text"),
    Column("rounds", "Rounds", "integer", total=True),
    *(Column(name, name.replace("_", " ").capitalize(), "amount", total=True) for name in AMOUNTS),
    Column("hold", "Hold", "percent"),
    Column("grade", "Grade", "text"),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the sheet of the reconciled sessions of `scope`. One query."""
    rows = []
    for line in scope.lines():
        session, amounts = line.session, {name: getattr(line, name) for name in AMOUNTS}
        is_pot = games()[session.table.game].is_pot_game
        hold = Fraction(amounts["win_by_count"], amounts["drop"]) if amounts["win_by_count"] is not None and amounts["drop"] and not is_pot else None
        off = tuple(name for name in ("tray_variance", "drop_variance") if amounts[name])
        rows.append(
            Row(
                (
                    session.shift.gaming_day,
                    session.shift.kind,
                    session.table.code,
                    session.table.game,
                    line.rounds,
                    *amounts.values(),
                    hold,
                    line.reconciliation.grade,
                ),
                emphasis="bad" if off else "",
                on=off,
                links=(("table", rounds_of(shift=session.shift_id, table=session.table.code)),),
            )
        )
    return [Section("sessions", "Sessions", COLUMNS, tuple(rows), empty="No shift of these days is reconciled yet.")]


REPORT = Catalogued(
    "master-game",
    "Master game report",
    "A line a table and shift: trays, boxes, win, hold. The stiff sheet.",
    build,
    filters=("day_from", "day_to", "pit", "table", "game"),
)
