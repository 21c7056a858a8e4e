"""Reports, filters and lists of properties whose clocks do odd things. The ids are rows of bugs.md."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import openpyxl
import pytest
from django.test import Client

from audit.exports import FORMATS, render
from audit.reports.catalogue import catalogue
from audit.reports.report import Report
from audit.reports.scope import read_scope
from tables.selectors import gaming_day_now
from tests.builders import DAY, House
from tests.tables.test_admin_rounds import elsewhere

pytestmark = pytest.mark.django_db
PLACES = [
    # B081: 06:46 there, a quarter of an hour after a UTC day's end that is no gaming day's
    ("Asia/Hong_Kong", date(2026, 12, 1), datetime(2026, 11, 30, 22, 46, tzinfo=UTC), "2026-12-01T06:00:00+08:00"),
    # B078: the day has no midnight
    ("America/Sao_Paulo", date(2016, 10, 16), datetime(2016, 10, 16, 15, 0, tzinfo=UTC), "2016-10-16T13:00:00-02:00"),
    ("Africa/Cairo", date(2024, 4, 26), datetime(2024, 4, 26, 12, 0, tzinfo=UTC), "2024-04-26T15:00:00+03:00"),
    # B079: the last day of the month in which the clock is changed
    ("Europe/Amsterdam", date(2019, 10, 31), datetime(2019, 10, 31, 21, 0, tzinfo=UTC), "2019-10-31T22:00:00+01:00"),
    # B094: the second 01:40 of a night that went back by half an hour
    ("Australia/Lord_Howe", date(2026, 4, 4), datetime(2026, 4, 4, 15, 10, tzinfo=UTC), "2026-04-05T01:30:00+10:30"),
]


def report(house: House, key: str, first: date, last: date | None = None) -> Report:
    kind = catalogue()[key]
    filters = {"property": "ELSEWHERE", "day_from": first.isoformat(), "day_to": (last or first).isoformat()}
    return kind.report(read_scope(filters, house.people["AU-1"], DAY, kind.action))


def rows(built: Report, part: str) -> list[dict[str, Any]]:
    content = json.loads(render(built, "json"))
    return next([row["cells"] for row in one["rows"]] for one in content["sections"] if one["key"] == part)


@pytest.mark.parametrize(("zone", "day", "moment", "hour"), PLACES)
def test_a_round_is_in_its_gaming_day_and_its_hour(house: House, zone: str, day: date, moment: datetime, hour: str) -> None:
    elsewhere(house, zone, day, moment)
    assert [(row["hour"], row["rounds"], row["win"]) for row in rows(report(house, "hourly-win", day), "hours")] == [(hour, 1, -2_500)]
    for other in (day - timedelta(days=1), day + timedelta(days=1)):
        assert rows(report(house, "hourly-win", other), "hours") == []
    month = report(house, "hourly-win", day.replace(day=1), day)
    assert sum(row["rounds"] for row in rows(month, "hours")) == 1
    assert gaming_day_now(moment, "ELSEWHERE") == day


@pytest.mark.parametrize(("zone", "day", "moment", "hour"), PLACES)
def test_every_format_and_the_page_state_the_offset(house: House, client: Client, zone: str, day: date, moment: datetime, hour: str) -> None:
    """B094: no format crashes, and each says which of two equal wall clocks it was."""
    elsewhere(house, zone, day, moment)
    built = report(house, "hourly-win", day)
    for fmt in FORMATS:
        assert len(render(built, fmt)) > 100
    lines = list(csv.reader(io.StringIO(render(built, "csv").decode("utf-8-sig"), newline="")))
    assert hour in {cell for line in lines for cell in line}
    sheet = openpyxl.load_workbook(io.BytesIO(render(built, "xlsx"))).worksheets[1]
    cells = [cell.value for row in sheet.iter_rows() for cell in row]
    assert datetime.fromisoformat(hour).replace(tzinfo=None) in cells
    assert hour[19:] in cells
    client.force_login(house.people["AU-1"])
    page = client.get("/admin/reports/hourly-win/", {"property": "ELSEWHERE", "day_from": day.isoformat(), "day_to": day.isoformat()})
    assert f"{hour[:10]} {hour[11:19]} {hour[19:]}" in page.content.decode()


@pytest.mark.parametrize(("zone", "day", "moment", "hour"), PLACES)
def test_lists_and_changes_are_by_the_gaming_day_too(house: House, client: Client, zone: str, day: date, moment: datetime, hour: str) -> None:
    """B078, B079, B081: the rounds' list, and what is dated by a moment alone, as a version that was put in force."""
    dealt = elsewhere(house, zone, day, moment)
    client.force_login(house.people["AU-1"])
    for first, found in ((day, True), (day + timedelta(days=1), False)):
        page = client.get("/admin/tables/round/", {"day_from": first.isoformat(), "day_to": first.isoformat()})
        assert page.status_code == 200
        assert (f"/admin/tables/round/{dealt.pk}/change/" in page.content.decode()) is found
    assert {row["table"] for row in rows(report(house, "paytable-changes", day), "changes")} == {"ELS-01"}
    assert rows(report(house, "paytable-changes", day + timedelta(days=1)), "changes") == []
    assert rows(report(house, "paytable-changes", day - timedelta(days=1)), "changes") == []
