"""The gaming day: from rollover to rollover in the property's local time. Standard library only."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def gaming_day(moment: datetime, zone: str, rollover: time) -> date:
    """Return the gaming day that the aware `moment` falls into at a property in `zone` with this `rollover`.

    A day that has begun does not end again where the clock is put back over the rollover. Worked out once, when a row is recorded, and
    stored. Source: spec/night.md, "Time".
    """
    local = moment.astimezone(ZoneInfo(zone))
    today = local.date()
    if local.time() >= rollover or (local.fold and moment.astimezone(UTC) >= _first(today, rollover, zone)):
        return today
    return today - timedelta(days=1)


def _first(day: date, at: time, zone: str) -> datetime:
    """Return the first moment at which the clock of `zone` shows `at` on `day`, in UTC: two times of one zone are compared by the wall clock."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local_moment(day: date, at: time, zone: str, rollover: time) -> datetime:
    """Return the aware moment of wall-clock `at` within gaming day `day`: times before the rollover are the next calendar day's."""
    calendar = day if at >= rollover else day + timedelta(days=1)
    return datetime.combine(calendar, at, tzinfo=ZoneInfo(zone))
