"""A night over each change of the clock, in London, New York, Cairo and Lord Howe: dealt before and after it, closed, signed and sealed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from audit.books_check import check_books
from audit.exports import render
from audit.reports import shift as shift_report
from audit.reports.catalogue import catalogue
from audit.reports.scope import read_scope
from casino import jobs
from casino.append_only import make_partitions
from casino.models import Job
from ledger.models import Entry, Segment, SignedCheckpoint
from tables.models import Round
from tables.selectors import gaming_day_now
from tests.audit.signing import sign_off
from tests.builders import House, end_night, make_house, make_people, slip
from tests.corrections import held, void

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = "FAR-01"
NIGHTS = [
    pytest.param("Europe/London", "2026-10-25T01:30:00+01:00", "2026-10-25T01:30:00+00:00", 9.0, id="London back"),
    pytest.param("America/New_York", "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", 9.0, id="New York back"),
    pytest.param("Africa/Cairo", "2026-10-29T23:30:00+03:00", "2026-10-29T23:30:00+02:00", 9.0, id="Cairo back"),
    pytest.param("Australia/Lord_Howe", "2026-04-05T01:45:00+11:00", "2026-04-05T01:45:00+10:30", 8.5, id="Lord Howe back"),
    pytest.param("Europe/London", "2026-03-29T00:30:00+00:00", "2026-03-29T02:30:00+01:00", 7.0, id="London forward"),
    pytest.param("America/New_York", "2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00", 7.0, id="New York forward"),
    pytest.param("Africa/Cairo", "2026-04-23T23:30:00+02:00", "2026-04-24T01:30:00+03:00", 7.0, id="Cairo forward"),
    pytest.param("Australia/Lord_Howe", "2026-10-04T01:45:00+10:30", "2026-10-04T02:45:00+11:00", 7.5, id="Lord Howe forward"),
]
"""Zone, a moment before the change and one after it, and the hours of the shift from 20 to 4. Back: the same time on the wall, twice."""

BEGINS = {"2026-04-05T01:45:00+10:30": "2026-04-05T01:30:00+10:30", "2026-10-04T02:45:00+11:00": "2026-10-04T02:30:00+11:00"}
"""When an hour of the report begins that does not at a full hour: with the change itself."""


def hand_in(house: House, at: str, monkeypatch: pytest.MonkeyPatch) -> Round:
    """Return the round that happened `at`, handed in a minute later."""
    house.clock = datetime.fromisoformat(at).astimezone(UTC) + timedelta(minutes=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)
    api = APIClient()
    api.force_authenticate(house.people["FS-1"])
    answer = api.post("/api/v1/rounds", {**slip(house, TABLE), "occurred_at": at}, format="json")
    assert answer.status_code == 201, answer.json()
    return Round.objects.get(uuid=answer.json()["uuid"])


def cells(report: Any, key: str) -> list[dict[str, Any]]:
    """Return the rows of a section as its JSON has them."""
    content = json.loads(render(report, "json"))
    return next([row["cells"] for row in one["rows"]] for one in content["sections"] if one["key"] == key)


@pytest.mark.parametrize(("zone", "before", "after", "hours"), NIGHTS)
def test_a_night_over_a_change_of_the_clock(
    nobody_yet: None, monkeypatch: pytest.MonkeyPatch, zone: str, before: str, after: str, hours: float
) -> None:
    moments = [datetime.fromisoformat(text) for text in (before, after)]
    day = (moments[0] - timedelta(hours=6)).date()
    for month in {day.replace(day=1), moments[1].date().replace(day=1)}:
        make_partitions("default", [0], of=month)
    far = make_house("FAR", {TABLE: ("uth", "P1")}, staff=make_people(), zone=zone, day=day)
    assert (far.shift.ends_at.astimezone(UTC) - far.shift.starts_at.astimezone(UTC)).total_seconds() == hours * 3600

    first = hand_in(far, before, monkeypatch)
    voided = hand_in(far, after, monkeypatch)
    void(far, voided)
    second = hand_in(far, after, monkeypatch)
    assert [one.occurred_at for one in (first, second)] == moments
    end_night(far, closers={TABLE: -300})
    kept = sign_off(far)
    for _ in range(2):
        jobs.run(Job.objects.get(kind="seal_shift").pk)

    assert {one.gaming_day for one in (far.shift, first, voided, second)} == {day} == {gaming_day_now(one, "FAR") for one in moments}
    assert set(Entry.objects.filter(shift=far.shift.uuid).values_list("gaming_day", flat=True)) == {day}
    assert [(line.rounds, line.tray_variance, line.win_by_play) for line in kept.lines.all()] == [(2, -300, -5_000)]
    assert held(far, f"tray:{TABLE}") == 510_000 - 5_000 - 300
    assert (Segment.objects.get().gaming_day, SignedCheckpoint.objects.count()) == (day, 1)
    assert check_books().problems == ()

    hourly = catalogue()["hourly-win"]
    scope = read_scope({"property": "FAR", "day_from": day.isoformat(), "day_to": day.isoformat()}, far.people["AU-1"], day, hourly.action)
    found = [(row["hour"], row["rounds"]) for row in cells(hourly.report(scope), "hours")]
    assert found == [(BEGINS.get(text, f"{text[:14]}00{text[16:]}"), 1) for text in (before, after)]
    [change] = cells(shift_report.build(far.shift), "changes")
    assert change["at"].endswith(after[-6:])
