"""Reading the workshop: what waits for whom, and which version stands where. In a known number of queries."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext

from casino.errors import NotFound
from tables.models import (
    PaytableDraft,
    PaytableEvent,
    PaytablePlacement,
    PaytableProposal,
    PaytableVersion,
    PlacementEvent,
    Property,
    Shift,
    TablePaytable,
    TableSession,
)


def proposals_with_state() -> QuerySet[Any]:
    """Return every proposal with `state`, that of its last event, the newest first. No query of its own."""
    last = PaytableEvent.objects.filter(proposal=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return PaytableProposal.objects.select_related("proposed_by", "property", "approved").annotate(state=Subquery(last)).order_by("-id")


def placements_with_state() -> QuerySet[Any]:
    """Return every placement with `state`, that of its last event, the newest first. No query of its own."""
    last = PlacementEvent.objects.filter(placement=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    placements = PaytablePlacement.objects.select_related("version", "proposed_by", "table__property", "table__pit")
    return placements.annotate(state=Subquery(last)).order_by("-id")


def proposal_of(uuid: UUID) -> PaytableProposal:
    """Return the proposal with its state. One query. Raises NotFound (`no_proposal`)."""
    found: PaytableProposal | None = proposals_with_state().filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_proposal", gettext("There is no such proposal."))
    return found


def placement_of(uuid: UUID) -> PaytablePlacement:
    """Return the placement with its state. One query. Raises NotFound (`no_placement`)."""
    found: PaytablePlacement | None = placements_with_state().filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_placement", gettext("There is no such placement."))
    return found


def draft_of(uuid: UUID) -> PaytableDraft:
    """Return the draft with who changed it last. One query. Raises NotFound (`no_draft`)."""
    found = PaytableDraft.objects.select_related("changed_by", "property").filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_draft", gettext("There is no such draft."))
    return found


def in_force_at(moment: datetime) -> list[TablePaytable]:
    """Return the row in force at each table at `moment`, by table. One query."""
    rows = TablePaytable.objects.filter(from_at__lte=moment).select_related("version", "table__property", "table__pit")
    return list(
        rows.order_by("table__property__code", "table__code", "table_id", "-from_at").distinct("table__property__code", "table__code", "table_id")
    )


def base_version(game: str, at: datetime, house: Property | None = None) -> PaytableVersion | None:
    """Return what a new paytable of `game` is held against: the version in force at most tables (of `house`) at `at`, else the newest."""
    rows = [row for row in in_force_at(at) if row.version.game == game and house in (None, row.table.property)]
    most = Counter(row.version_id for row in rows).most_common(1)
    if most:
        return next(row.version for row in rows if row.version_id == most[0][0])
    return PaytableVersion.objects.filter(game=game).order_by("-id").first()


def next_number(name: str) -> int:
    """Return the number that the next version of `name` gets. One query."""
    return (PaytableVersion.objects.filter(name=name).aggregate(last=Max("version"))["last"] or 0) + 1


def placed_in(shift: Shift) -> list[TablePaytable]:
    """Return every row that was in force at a table of `shift` while it ran, by table, then from when. One query."""
    tables = TableSession.objects.filter(shift=shift).values("table")
    rows = TablePaytable.objects.filter(table__in=tables, from_at__lt=shift.ends_at).select_related("version", "table__pit")
    found: dict[int, list[TablePaytable]] = {}
    for row in rows.order_by("table__code", "from_at"):
        standing = found.setdefault(row.table_id, [])
        if row.from_at <= shift.starts_at:
            standing.clear()
        standing.append(row)
    return [row for standing in found.values() for row in standing]
