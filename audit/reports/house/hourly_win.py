"""Win by hour and table: what the rounds of each hour of the property's clock brought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, F, Sum
from django.db.models.functions import TruncHour

from audit.reports.catalogue import Catalogued
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope

HOURS = (
    Column("hour", "Hour from", "moment"),
    Column("rounds", "Rounds", "integer", total=True),
    Column("win", "Win by play", "amount", total=True),
)
BY_TABLE = (Column("hour", "Hour from", "moment"), Column("table", "Table", "text"), *HOURS[1:])


def build(scope: Scope) -> Sequence[Section]:
    """Return the hours of the house, and of each table. One query. Hours are absolute: of a repeated hour there are two."""
    sums = (
        scope.rounds()
        .annotate(hour=TruncHour("occurred_at"))
        .values("hour", "session__table__code")
        .annotate(n=Count("pk"), won=Sum(F("collected") - F("paid")))
        .order_by("hour", "session__table__code")
    )
    rows: list[Row] = []
    hours: dict[datetime, list[int]] = defaultdict(lambda: [0, 0])
    for row in sums:
        hours[row["hour"]][0] += row["n"]
        hours[row["hour"]][1] += row["won"]
        code = row["session__table__code"]
        rows.append(
            Row((row["hour"], code, row["n"], row["won"]), links=(("table", rounds_of(table=code, day_from=scope.first, day_to=scope.last)),))
        )
    return [
        Section("hours", "By hour", HOURS, tuple(Row((hour, n, won)) for hour, (n, won) in sorted(hours.items())), empty="No round of these days."),
        Section("tables", "By hour and table", BY_TABLE, tuple(rows), empty="No round of these days."),
    ]


REPORT = Catalogued("hourly-win", "Hourly win per table", "What each hour brought, in all and table by table.", build)
