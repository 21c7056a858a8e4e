"""Chip movements: every fill, chip credit and buy-in, with its people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Sum

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.models import ChipMovement

COLUMNS = (
    Column("gaming_day", "Gaming day", "day"),
    Column("at", "At", "moment"),
    Column("kind", "Movement", "text"),
    Column("number", "Slip", "text"),
    Column("table", "Table", "text"),
    Column("amount", "Amount", "amount", total=True),
    Column("requested_by", "Requested or entered by", "text"),
    Column("issued_by", "Issued or sent by", "text"),
    Column("received_by", "Received by", "text"),
    Column("patron", "Patron", "text"),
)
BY_KIND = (Column("kind", "Movement", "text"), Column("slips", "Slips", "integer", total=True), Column("amount", "Amount", "amount"))


def build(scope: Scope) -> Sequence[Section]:
    """Return sums by kind, and every movement in its order. Two queries."""
    moved = ChipMovement.objects.filter(session__in=scope.sessions().values("pk"))
    sums = moved.values("kind").annotate(n=Count("pk"), sum=Sum("amount")).order_by("kind")
    rows = moved.select_related("session__table", "requested_by", "issued_by", "received_by").order_by("occurred_at", "id")
    return [
        Section("kinds", "By kind", BY_KIND, tuple(Row((_word(row["kind"]), row["n"], row["sum"])) for row in sums), empty="No chip moved."),
        Section("movements", "Movements", COLUMNS, tuple(_row(movement) for movement in rows), empty="No chip moved."),
    ]


def _word(kind: str) -> str:
    return str(ChipMovement.Kind(kind).label)


def _row(movement: Any) -> Row:
    people = (movement.requested_by, movement.issued_by, movement.received_by)
    return Row(
        (
            movement.gaming_day,
            movement.occurred_at,
            _word(movement.kind),
            str(movement.number) if movement.number else None,
            movement.session.table.code,
            movement.amount,
            *(person.username if person else None for person in people),
            movement.patron or None,
        )
    )


REPORT = Catalogued(
    "chip-movements",
    "Chip movements",
    "Fills, chip credits and buy-ins with the people who signed.",
    build,
    action="read_chips",
    filters=("day_from", "day_to", "pit", "table", "game"),
)
