"""The clock is put forward and back: London, New York, Cairo, Lord Howe. Shifts have the hours that pass, days begin once, beat keeps to UTC.

Dates: 2026's changes by the time zone database. London 29 March 01:00 and 25 October 02:00; New York 8 March and 1 November 02:00;
Cairo 24 April 00:00 and 30 October 00:00 (the night after the last Thursday); Lord Howe 5 April and 4 October 02:00, by half an hour.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from celery import current_app
from celery.beat import ScheduleEntry
from celery.schedules import schedule

from casino.gaming_day import gaming_day, local_moment
from casino.schedule import SCHEDULE
from casino.wall_clock import comes_twice, offset_text, read_local

SIX = time(6)
CHANGES = [
    ("Europe/London", date(2026, 3, 28), 7.0),
    ("Europe/London", date(2026, 10, 24), 9.0),
    ("America/New_York", date(2026, 3, 7), 7.0),
    ("America/New_York", date(2026, 10, 31), 9.0),
    ("Africa/Cairo", date(2026, 4, 23), 7.0),
    ("Africa/Cairo", date(2026, 10, 29), 9.0),
    ("Australia/Lord_Howe", date(2026, 10, 3), 7.5),
    ("Australia/Lord_Howe", date(2026, 4, 4), 8.5),
]
"""Zone, the gaming day whose night has the change, and the hours of a shift from 22 to 6."""


@pytest.mark.parametrize(("zone", "day", "hours"), CHANGES)
def test_a_night_shift_has_the_hours_that_pass(zone: str, day: date, hours: float) -> None:
    starts, ends = local_moment(day, time(22), zone, SIX), local_moment(day + timedelta(days=1), SIX, zone, SIX)
    assert (ends.astimezone(UTC) - starts.astimezone(UTC)).total_seconds() == hours * 3600


@pytest.mark.parametrize("rollover", [time(0), time(1, 15), time(1, 45), time(2, 30), SIX, time(23, 30)])
@pytest.mark.parametrize(("zone", "day", "hours"), CHANGES)
def test_a_gaming_day_begins_once_and_none_is_left_out(zone: str, day: date, hours: float, rollover: time) -> None:
    """A clock that is put back over the rollover does not take the night back into yesterday."""
    begin = datetime.combine(day - timedelta(days=1), time(12), tzinfo=ZoneInfo(zone)).astimezone(UTC)
    days = [gaming_day(begin + timedelta(minutes=minute), zone, rollover) for minute in range(0, 3 * 24 * 60, 5)]
    assert days == sorted(days)
    assert {after - before for before, after in pairwise(days)} == {timedelta(0), timedelta(days=1)}


@pytest.mark.parametrize(("zone", "day", "hours"), CHANGES)
def test_the_days_around_a_change_have_all_the_hours_and_no_more(zone: str, day: date, hours: float) -> None:
    begin = datetime.combine(day - timedelta(days=1), time(12), tzinfo=ZoneInfo(zone)).astimezone(UTC)
    counted = [gaming_day(begin + timedelta(minutes=minute), zone, SIX) for minute in range(0, 3 * 24 * 60, 5)].count(day)
    assert counted * 5 / 60 == hours + 16


def test_both_half_past_ones_are_told_apart() -> None:
    for zone, text, offsets in [
        ("Europe/London", "2026-10-25T01:30:00", ("+01:00", "+00:00")),
        ("America/New_York", "2026-11-01T01:30:00", ("-04:00", "-05:00")),
        ("Africa/Cairo", "2026-10-29T23:30:00", ("+03:00", "+02:00")),
        ("Australia/Lord_Howe", "2026-04-05T01:45:00", ("+11:00", "+10:30")),
    ]:
        first, second = (read_local(text, zone, offset=offset) for offset in offsets)
        assert (offset_text(first), offset_text(second)) == offsets
        assert first.astimezone(UTC) < second.astimezone(UTC)
        assert comes_twice(first) and comes_twice(second)


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/London", "2026-03-29T01:30:00"),
        ("America/New_York", "2026-03-08T02:30:00"),
        ("Africa/Cairo", "2026-04-24T00:30:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:15:00"),
    ],
)
def test_a_time_that_the_clock_skipped_is_refused(zone: str, text: str) -> None:
    with pytest.raises(ValueError, match="put forward"):
        read_local(text, zone)


@pytest.fixture
def wall(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have this process live in a zone, as a machine of the house's would."""
    monkeypatch.setenv("TZ", request.param)
    clock.tzset()
    yield
    monkeypatch.undo()
    clock.tzset()


@pytest.mark.parametrize("wall", ["Europe/London", "Australia/Lord_Howe"], indirect=True)
@pytest.mark.parametrize("begin", [datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 10, 24, tzinfo=UTC), datetime(2026, 4, 4, tzinfo=UTC)])
def test_b115_beats_minute_comes_every_minute_over_a_clock_change(wall: None, begin: datetime) -> None:
    """Three days, looked at every twenty seconds: exactly one run a minute, none doubled or late, wherever the machine stands."""
    assert current_app.conf.timezone == "UTC" and current_app.conf.enable_utc
    plan, now = SCHEDULE["minute"], begin

    every = schedule(plan["schedule"], nowfun=lambda: now, app=current_app)
    entry = ScheduleEntry("minute", plan["task"], last_run_at=begin, schedule=every, app=current_app)
    runs = []
    while now < begin + timedelta(days=3):
        now += timedelta(seconds=20)
        is_due, _ = entry.is_due()
        if is_due:
            runs.append(now)
            entry = ScheduleEntry("minute", plan["task"], last_run_at=now, schedule=every, app=current_app)
    assert runs == [begin + timedelta(minutes=minute) for minute in range(1, 3 * 24 * 60 + 1)]
