"""Drop counts: what the count team found in each box, who carried it and who counted. What the pit expected is not in it."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.urls import reverse

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.models import BoxPull, DropCount

COUNTS = (
    Column("gaming_day", "Gaming day", "day"),
    Column("shift", "Shift", "text"),
    Column("table", "Table", "text"),
    Column("box", "Box", "text"),
    Column("seal", "Seal", "text"),
    Column("count", "Count", "integer"),
    Column("currency", "Currency", "amount", total=True),
    Column("instruments", "Instruments", "amount", total=True),
    Column("tickets", "Tickets", "amount", total=True),
    Column("coupons", "Coupons", "amount", total=True),
    Column("total", "Total", "amount", total=True),
    Column("counted_by", "Counted by", "text"),
    Column("witness", "With", "text"),
    Column("at", "At", "moment"),
    Column("note", "Note", "text"),
)
WAITING = (
    Column("gaming_day", "Gaming day", "day"),
    Column("table", "Table", "text"),
    Column("box", "Box", "text"),
    Column("seal", "Seal", "text"),
    Column("pulled_at", "Pulled at", "moment"),
    Column("carried_by", "Carried by", "text"),
    Column("carried_with", "With", "text"),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the counts in force, those that were taken again since, and the boxes that wait. Two queries."""
    found = DropCount.objects.filter(session__in=scope.all_sessions().values("pk"))
    if scope.counter:
        found = found.filter(Q(counted_by__username=scope.counter) | Q(witness__username=scope.counter))
    rows = found.select_related("session__shift", "session__table", "pull", "counted_by", "witness")
    counts = list(rows.order_by("session__shift__gaming_day", "session__shift__starts_at", "session__table__code", "session", "sequence"))
    last = {count.session_id: count.pk for count in counts}
    in_force = tuple(_count(count) for count in counts if last[count.session_id] == count.pk)
    earlier = tuple(_count(count) for count in counts if last[count.session_id] != count.pk)
    waiting = BoxPull.objects.filter(session__in=scope.all_sessions().values("pk"), counts__isnull=True)
    pulled = waiting.select_related("session__table", "carried_by", "carried_with").order_by("occurred_at", "id")
    sections = [Section("counts", "Counts", COUNTS, in_force, empty="No box of these days was counted.")]
    if earlier:
        sections.append(Section("earlier", "Counted again since", COUNTS, earlier))
    return [*sections, Section("waiting", "Pulled and not counted", WAITING, tuple(map(_pull, pulled)), empty="No box waits.")]


def _count(count: DropCount) -> Row:
    shift, others = count.session.shift, count.instruments + count.tickets + count.coupons
    is_other_seal = count.pull is not None and count.pull.seal != count.seal
    figures = (count.sequence, count.total - others, count.instruments, count.tickets, count.coupons, count.total)
    people = (count.counted_by.username, count.witness.username, count.occurred_at, count.note or None)
    return Row(
        (shift.gaming_day, shift.kind, count.session.table.code, count.box, count.seal, *figures, *people),
        emphasis="bad" if is_other_seal else "",
        on=("seal",),
        links=(("box", reverse("admin:tables_dropcount_change", args=[count.pk])),),
    )


def _pull(pull: BoxPull) -> Row:
    people = (pull.carried_by.username, pull.carried_with.username)
    link = reverse("admin:tables_boxpull_change", args=[pull.pk])
    return Row((pull.gaming_day, pull.session.table.code, pull.box, pull.seal, pull.occurred_at, *people), links=(("box", link),))


REPORT = Catalogued(
    "drop-counts",
    "Drop counts",
    "What was found in each box: by whom, under which seal.",
    build,
    action="read_boxes",
    filters=("day_from", "day_to", "pit", "table", "game"),
)
