"""Slips of fills and chip credits: how many of which kind, numbers that are missing, and slips that moved nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.urls import reverse

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.models import ChipSlip, ChipSlipEvent
from tables.selectors import OPEN_SLIPS, UNUSED_SLIPS, slip_gaps, slips_in, slips_with_state

KINDS = (
    Column("kind", "Slip", "text"),
    Column("first", "First number", "text"),
    Column("last", "Last number", "text"),
    Column("slips", "Slips", "integer", total=True),
    Column("received", "Received", "integer", total=True),
    Column("void", "Void", "integer", total=True),
    Column("waiting", "Waiting", "integer", total=True),
    Column("amount", "Received, amount", "amount"),
)
GAPS = (Column("kind", "Slip", "text"), Column("number", "Missing number", "text"))
UNUSED = (
    Column("gaming_day", "Gaming day", "day"),
    Column("kind", "Slip", "text"),
    Column("number", "Number", "text"),
    Column("table", "Table", "text"),
    Column("state", "State", "text"),
    Column("amount", "Amount", "amount"),
    Column("requested_by", "Requested by", "text"),
    Column("requested_at", "Requested at", "moment"),
    Column("last_by", "Last signed by", "text"),
    Column("witness", "Witness", "text"),
    Column("last_at", "Last signed at", "moment"),
    Column("note", "Reason", "text"),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the slips of the scope by kind, the missing numbers of the whole house, and the slips that moved nothing. Four queries."""
    slips = slips_with_state(ChipSlip.objects.filter(session__in=scope.all_sessions().values("pk")))
    gaps = tuple(Row((_word(gap.kind), str(gap.number)), "bad") for gap in slip_gaps(scope.house))
    unused = slips_in(UNUSED_SLIPS, ChipSlip.objects.filter(session__in=scope.all_sessions().values("pk")))
    note = "Numbers of the whole property since the first, on whatever days: none can be skipped, unless somebody got past the database."
    return [
        Section("kinds", "By kind", KINDS, _kinds(slips), empty="No slip of these days."),
        Section("gaps", "Missing numbers", GAPS, gaps, note=note, empty="No number is missing."),
        Section("unused", "Slips that moved nothing", UNUSED, _unused(unused), empty="Every slip of these days was received."),
    ]


def _kinds(slips: QuerySet[ChipSlip]) -> tuple[Row, ...]:
    received, void = Q(state="received"), Q(state="void")
    sums = slips.values("kind").annotate(
        first=Min("number"),
        last=Max("number"),
        n=Count("pk"),
        received=Count("pk", filter=received),
        void=Count("pk", filter=void),
        waiting=Count("pk", filter=Q(state__in=list(OPEN_SLIPS))),
        amount=Sum("amount", filter=received, default=0),
    )
    return tuple(_kind(row) for row in sums.order_by("kind"))


def _kind(row: Any) -> Row:
    counts = (row["n"], row["received"], row["void"], row["waiting"], row["amount"])
    return Row((_word(row["kind"]), str(row["first"]), str(row["last"]), *counts), emphasis="warn" if row["waiting"] else "", on=("waiting",))


def _unused(slips: QuerySet[ChipSlip]) -> tuple[Row, ...]:
    rows = slips.select_related("session__shift", "session__table", "requested_by").prefetch_related("events__by", "events__witness")
    return tuple(_slip(slip) for slip in rows.order_by("kind", "number"))


def _slip(slip: ChipSlip) -> Row:
    last = max(slip.events.all(), key=lambda event: event.sequence)
    is_void = last.state == ChipSlipEvent.State.VOID
    return Row(
        (
            slip.session.shift.gaming_day,
            _word(slip.kind),
            str(slip.number),
            slip.session.table.code,
            last.state,
            slip.amount,
            slip.requested_by.username,
            slip.occurred_at,
            last.by.username,
            last.witness.username if last.witness else None,
            last.occurred_at,
            last.note or None,
        ),
        emphasis="" if is_void else "warn",
        on=("state",),
        links=(("number", reverse("admin:tables_chipslip_change", args=[slip.pk])),),
    )


def _word(kind: str) -> str:
    return str(ChipSlip.Kind(kind).label).lower()


REPORT = Catalogued(
    "slips",
    "Slips: gaps and unused",
    "Fills and chip credits by number: missing ones, void ones, and those that wait.",
    build,
    action="read_chips",
    filters=("day_from", "day_to", "pit", "table", "game"),
)
