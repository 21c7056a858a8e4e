"""The gaming day: from rollover to rollover in the property's local time. Standard library only."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def gaming_day(moment: datetime, zone: str, rollover: time) -> date:
    """Return the gaming day that the aware `moment` falls into at a property in `zone` with this `rollover`.

    Worked out once, when a row is recorded, and stored. Source: spec/night.md, "Time".
    """
    local = moment.astimezone(ZoneInfo(zone))
    return local.date() if local.time() >= rollover else local.date() - timedelta(days=1)


def local_moment(day: date, at: time, zone: str, rollover: time) -> datetime:
    """Return the aware moment of wall-clock `at` within gaming day `day`: times before the rollover are the next calendar day's."""
    calendar = day if at >= rollover else day + timedelta(days=1)
    return datetime.combine(calendar, at, tzinfo=ZoneInfo(zone))
