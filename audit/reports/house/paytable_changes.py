"""Paytable changes: from which version to which, at which table, by whom and approved by whom, with the effect on the edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.urls import reverse

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.models import PaytableVersion, TablePaytable
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges

COLUMNS = (
    Column("from_at", "In force from", "moment"),
    Column("table", "Table", "text"),
    Column("old", "From version", "text"),
    Column("new", "To version", "text"),
    Column("by", "Proposed by", "text"),
    Column("approved_by", "Approved by", "text"),
    Column("approval", "Approval", "text"),
    Column("bet", "Bet", "text"),
    Column("edge_before", "Edge before", "percent", decimals=4),
    Column("edge_after", "Edge after", "percent", decimals=4),
    Column("change", "Change", "percent", decimals=4),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return a row a placement and bet whose edge is known. Two queries."""
    placed = TablePaytable.objects.filter(table__property=scope.house).select_related("table__pit", "version", "by", "approved_by")
    if scope.pits is not None:
        placed = placed.filter(table__pit__code__in=scope.pits)
    if scope.table:
        placed = placed.filter(table__code=scope.table)
    if scope.game:
        placed = placed.filter(table__game=scope.game)
    before: dict[int, PaytableVersion] = {}
    rows: list[Row] = []
    for row in placed.order_by("table__code", "from_at"):
        old = before.get(row.table_id)
        before[row.table_id] = row.version
        if scope.covers(row.from_at):
            rows += _rows(row, old)
    return [Section("changes", "Changes", COLUMNS, tuple(rows), empty="No version was put in force on these days.")]


def _rows(row: TablePaytable, old: PaytableVersion | None) -> list[Row]:
    after, earlier = _edges(row.version), _edges(old) if old else {}
    head = (
        row.from_at,
        row.table.code,
        str(old) if old else None,
        str(row.version),
        row.by.username,
        row.approved_by.username if row.approved_by else None,
        row.version.approval or None,
    )
    link = reverse("admin:tables_paytableversion_change", args=[row.version_id])
    bets = sorted({*after, *earlier}) or [""]
    return [Row((*head, bet or None, *_change(earlier.get(bet), after.get(bet))), links=(("new", link),)) for bet in bets]


def _change(before: Fraction | None, after: Fraction | None) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    return before, after, after - before if before is not None and after is not None else None


def _edges(version: PaytableVersion) -> Mapping[str, Fraction]:
    return {name: bet.edge for name, bet in known_edges(paytable_of(version)).bets.items()}


REPORT = Catalogued(
    "paytable-changes",
    "Paytable changes",
    "Versions put in force: from, to, by whom, approved by whom, effect on the edge.",
    build,
    action="read_paytables",
    filters=("day_from", "day_to", "pit", "table", "game"),
)
