"""Win by hour and table: what the rounds of each hour of the property's clock brought, and where it lies by what was wagered.

Expectation and interval are those of the statistics (audit/statistics.py): payouts beyond ten to one are cut on both sides, and pot games and
irregular rounds say nothing. Beyond `MOST_COMPARED` rounds only the sums are worked out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, DateTimeField, F, Func, Min, Sum, Value

from audit import selectors
from audit.moments import RoundFigures
from audit.reports.catalogue import Catalogued
from audit.reports.chart import Bar, Chart
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from audit.statistics import FEWEST_ROUNDS, Moments, WinCheck, check_win

MOST_COMPARED = 20_000
"""Every wager of every round is read for an interval: some seconds for so many."""

SUMS = (Column("rounds", "Rounds", "integer", total=True), Column("win", "Win by play", "amount", total=True))
CHECKS = (
    Column("compared", "Compared", "integer", total=True),
    Column("win_compared", "Win compared", "amount", total=True),
    Column("expected", "Expected", "amount"),
    Column("low", "95 % from", "amount"),
    Column("high", "to", "amount"),
)
HOURS = (Column("hour", "Hour from", "moment"), *SUMS, *CHECKS)
BY_TABLE = (Column("hour", "Hour from", "moment"), Column("table", "Table", "text"), *SUMS)
NOTE = (
    "Compared: rounds whose wagers have an exact expectation, payouts beyond ten to one cut on both sides. One hour in twenty lies outside its"
    f" interval by chance; hours of fewer than {FEWEST_ROUNDS} rounds are not marked. A figure is a reason to look, never proof."
)
TOO_MANY = f"More than {MOST_COMPARED:,} rounds: intervals are left out. Narrow the days or the table."


@dataclass
class Hour:
    """What an hour of the house brought."""

    rounds: int = 0
    win: int = 0


def build(scope: Scope) -> Sequence[Section]:
    """Return the hours of the house, and of each table. Two queries a chunk of rounds besides the first one.

    Hours are the property's; those of a repeated hour are two, told apart by their offset.
    """
    rows: list[Row] = []
    hours: dict[datetime, Hour] = defaultdict(Hour)
    for sums in _sums(scope):
        hour = hour_of(sums["first"], scope.house.zone)
        hours[hour].rounds += sums["n"]
        hours[hour].win += sums["won"]
        code = sums["session__table__code"]
        links = (("table", rounds_of(table=code, day_from=scope.first, day_to=scope.last)),)
        rows.append(Row((hour, code, sums["n"], sums["won"]), links=links))
    too_many = sum(hour.rounds for hour in hours.values()) > MOST_COMPARED
    checks = {} if too_many else _checks(scope)
    lines = tuple(_row(hour, brought, checks.get(hour)) for hour, brought in sorted(hours.items()))
    nothing = "No round of these days."
    chart = _chart(checks, scope)
    return [
        Section("hours", "By hour", HOURS, lines, note=TOO_MANY if too_many else NOTE, empty=nothing, chart=chart),
        Section("tables", "By hour and table", BY_TABLE, tuple(rows), empty=nothing),
    ]


def hour_of(moment: datetime, zone: str) -> datetime:
    """Return when the hour of `moment` began on the clock of `zone`, in UTC: its last full hour, or the clock's change where that came later.

    In UTC, since two moments of one zone compare by their wall clocks alone: both beginnings of a repeated hour would be one.

    >>> str(hour_of(datetime.fromisoformat("2026-04-04T15:10:00+00:00"), "Australia/Lord_Howe"))  # the second 01:40: half an hour back at 02:00
    '2026-04-04 15:00:00+00:00'
    """
    local = moment.astimezone(ZoneInfo(zone))
    began = (moment - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)).astimezone(UTC)
    before = began.astimezone(ZoneInfo(zone))
    return began if before.utcoffset() == local.utcoffset() else _change(before, local)


def _change(before: datetime, after: datetime) -> datetime:
    """Return the moment at which the clock was changed between the two, to the second: found by halving."""
    low, high = int(before.timestamp()), int(after.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        same = datetime.fromtimestamp(middle, after.tzinfo).utcoffset() == after.utcoffset()
        low, high = (low, middle) if same else (middle, high)
    return datetime.fromtimestamp(high, UTC)


def _sums(scope: Scope) -> Iterable[Mapping[str, Any]]:
    """Return rounds and win by hour and table. PostgreSQL truncates an hour without leaving its offset, so that repeated hours stay two."""
    hour = Func(Value("hour"), F("occurred_at"), Value(scope.house.zone), function="date_trunc", output_field=DateTimeField())
    return (
        scope.rounds()
        .annotate(hour=hour)
        .values("hour", "session__table__code")
        .annotate(n=Count("pk"), won=Sum(F("collected") - F("paid")), first=Min("occurred_at"))
        .order_by("hour", "session__table__code")
    )


def _checks(scope: Scope) -> Mapping[datetime, WinCheck]:
    keys = list(scope.rounds().filter(irregular="").order_by("pk").values_list("pk", flat=True))
    figures, moments = RoundFigures(), defaultdict[datetime, Moments](Moments)
    for played, wagers in selectors.rounds_with_wagers(keys):
        moments[hour_of(played.occurred_at, scope.house.zone)] += figures.moments(played, wagers)
    return {hour: check_win(brought) for hour, brought in sorted(moments.items()) if brought.rounds}


def _row(hour: datetime, brought: Hour, check: WinCheck | None) -> Row:
    if check is None:
        return Row((hour, brought.rounds, brought.win, *(None for _ in CHECKS)))
    moments = check.moments
    figures = (moments.rounds, moments.win, round(moments.expected), check.low, check.high)
    return Row((hour, brought.rounds, brought.win, *figures), emphasis="warn" if _is_loud(check) else "", on=("win_compared",))


def _is_loud(check: WinCheck) -> bool:
    return check.moments.rounds >= FEWEST_ROUNDS and not check.is_inside


def _chart(checks: Mapping[datetime, WinCheck], scope: Scope) -> Chart | None:
    if not checks:
        return None
    clock = ZoneInfo(scope.house.zone)
    several = len({hour.astimezone(clock).date() for hour in checks}) > 1
    bars = tuple(
        Bar(_label(hour.astimezone(clock), several), check.moments.win, check.low, check.high, round(check.moments.expected), _is_loud(check))
        for hour, check in checks.items()
    )
    outside = sum(bar.loud for bar in bars)
    said = f"{len(bars)} hours compared with what was to be expected of their wagers; {outside} marked as outside the interval."
    return Chart("Win by hour, with what was to be expected", bars, scope.house.notation, said, value_word="win compared")


def _label(hour: datetime, several: bool) -> str:
    return f"{hour:%d %b %H:%M} {hour:%z}" if several else f"{hour:%H:%M} {hour:%z}"


REPORT = Catalogued("hourly-win", "Hourly win per table", "What each hour brought, with its interval, in all and table by table.", build)
