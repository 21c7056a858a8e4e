"""The catalogue of reports: figures, filters in the address, rights, every format, files by a job, by e-mail."""

from __future__ import annotations

import hashlib
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from audit import mailings
from audit.exports import FORMATS, render
from audit.models import Mailing, ReportFile, ReportPrint
from audit.reports.catalogue import catalogue, reports_for
from audit.reports.scope import read_scope
from audit.services import audit_payouts, reconcile_shift
from audit.tasks import find_due_mailings
from casino import jobs
from casino.errors import InvalidSlip
from casino.models import Job
from tests.builders import DAY, House, end_night, play, recount, utc

pytestmark = pytest.mark.django_db
DAYS = {"day_from": DAY.isoformat(), "day_to": DAY.isoformat()}


@pytest.fixture
def night(house: House) -> House:
    """Return a short night with one overpayment, a short tray and a pot, audited and reconciled."""
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


def rows(house: House, key: str, who: str = "AU-1", **filters: Any) -> dict[str, list[dict]]:
    kind = catalogue()[key]
    content = json.loads(render(kind.report(read_scope({**DAYS, **filters}, house.people[who], DAY, kind.action)), "json"))
    return {part["key"]: [row["cells"] for row in part["rows"]] for part in content["sections"]}


def client_of(house: House, who: str) -> Client:
    client = Client()
    client.force_login(house.people[who])
    return client


def test_the_stiff_sheet(night: House) -> None:
    sheet = {row["table"]: row for row in rows(night, "master-game")["sessions"]}
    assert (sheet["UTH-01"]["rounds"], sheet["UTH-01"]["win_by_play"], sheet["UTH-01"]["tray_variance"]) == (1, -3_000, 0)
    assert (sheet["UTH-02"]["tray_variance"], sheet["UTH-02"]["win_by_count"], sheet["UTH-02"]["grade"]) == (-5_000, -7_500, "counted")


def test_win_by_day_month_and_year(night: House) -> None:
    spans = rows(night, "table-win")
    assert list(spans) == ["day", "month", "year"]
    assert {tuple(row["table"] for row in part) for part in spans.values()} == {("PAY-01", "UTH-01", "UTH-02")}
    after = rows(night, "table-win", day_from="2026-03-15", day_to="2026-03-15")
    assert (after["day"], len(after["month"])) == ([], 3)


def test_payout_exceptions_lead_to_the_finding(night: House) -> None:
    [row] = rows(night, "payout-exceptions")["exceptions"]
    assert (row["table"], row["wager"], row["due"], row["done"], row["effect"]) == ("UTH-01", "ante", 1_000, 1_500, -500)
    page = client_of(night, "AU-1").get("/admin/reports/payout-exceptions/", DAYS).content.decode()
    assert "/admin/audit/finding/" in page
    assert "/admin/tables/round/" in page


def test_findings_age_by_the_last_day(night: House) -> None:
    found = rows(night, "findings-ageing", day_to="2026-03-24")
    assert [(row["kind"], row["to_1"], row["to_30"]) for row in found["ages"]] == [("count variance", 0, 1), ("overpaid", 0, 1)]
    assert {row["days"] for row in found["waiting"]} == {10}


def test_dealers_games_hours_and_chips(night: House) -> None:
    [dealer] = rows(night, "dealers")["dealers"]
    assert (dealer["dealer"], dealer["rounds"], dealer["errors"], dealer["per_1000"], dealer["variance"]) == ("D-1187", 3, 1, "333.33", -500)
    games = {row["paytable"]: row for row in rows(night, "games")["versions"]}
    assert games["uth-seed@1"]["rounds"] == 2
    assert games["payroll-seed@1"]["pots"] == 1_300
    bets = {row["bet"]: row for row in rows(night, "games")["bets"] if row["paytable"] == "uth-seed@1"}
    assert (bets["trips"]["handle"], bets["trips"]["edge"]) == (1_000, "48987/2572780")
    assert sum(row["win"] for row in rows(night, "hourly-win")["hours"]) == -3_000 - 2_500
    assert rows(night, "chip-movements")["movements"] == []


def test_people_and_paytables(night: House) -> None:
    people = {row["person"]: row for row in rows(night, "user-rights")["people"]}
    assert (people["PB-1"]["role"], people["PB-1"]["pits"], people["PB-1"]["standing"]) == ("pit boss", "P1", "in effect")
    changes = rows(night, "paytable-changes", day_from="2026-03-14", day_to="2026-03-15")["changes"]
    assert {(row["table"], row["old"], row["new"]) for row in changes} >= {("UTH-01", None, "uth-seed@1"), ("PAY-01", None, "payroll-seed@1")}


def test_an_open_table_is_in_no_report_of_who_may_count_it(house: House) -> None:
    play(house)
    assert rows(house, "hourly-win", "SM-1")["hours"] == []
    assert rows(house, "games", "PB-1")["versions"] == []
    assert rows(house, "dealers", "PB-1")["dealers"] == []
    assert len(rows(house, "hourly-win", "AU-1")["hours"]) == 1


def test_ones_own_pits_only(night: House) -> None:
    assert [row["table"] for row in rows(night, "master-game", "PB-2")["sessions"]] == ["UTH-02"]
    assert rows(night, "master-game", "PB-2", pit="P1")["sessions"] == []
    assert client_of(night, "PB-1").get("/admin/reports/user-rights/").status_code == 403
    assert client_of(night, "CT-1").get("/admin/reports/master-game/").status_code == 403
    assert [report.key for report in reports_for(night.people["CG-1"])] == ["cash", "chip-movements", "slips"]


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"day_from": "06-01-2023"}, "day_from"),
        ({"day_to": "31/02/2024"}, "day_to"),
        ({"day_from": "2026-03-15", "day_to": "2026-03-14"}, "day_to"),
        ({"day_from": "2020-01-01", "day_to": "2026-03-14"}, "day_to"),
        ({"game": "bingo"}, "game"),
    ],
)
def test_a_bad_filter_is_named_at_its_field(night: House, filters: dict, field: str) -> None:
    """B087."""
    with pytest.raises(InvalidSlip) as error:
        rows(night, "master-game", **filters)
    assert [fault.where for fault in error.value.faults] == [field]
    answer = client_of(night, "SM-1").get("/admin/reports/master-game/", filters)
    assert (answer.status_code, f'id="e-{field}"' in answer.content.decode()) == (400, True)
    api = APIClient()
    api.force_authenticate(night.people["SM-1"])
    assert api.get("/api/v1/reports/master-game", filters).json()["error"]["where"] == field


def test_only_an_end_or_only_a_beginning_works(night: House) -> None:
    """B088."""
    auditor = night.people["AU-1"]
    assert read_scope({"day_to": "2026-03-20"}, auditor, DAY).first == DAY
    assert read_scope({"day_from": "2026-03-01"}, auditor, DAY).last == DAY
    assert read_scope({"day_from": "2026-04-01"}, auditor, DAY).last == date(2026, 4, 1)


@pytest.mark.parametrize("key", sorted(catalogue()))
def test_every_report_in_every_format_and_on_its_page(night: House, key: str) -> None:
    client = client_of(night, "AU-1")
    page = client.get(f"/admin/reports/{key}/", DAYS)
    assert page.status_code == 200
    for fmt in FORMATS:
        first = client.get(f"/admin/reports/{key}/file.{fmt}", DAYS)
        assert (first.status_code, len(first.content) > 100) == (200, True)
        if fmt != "pdf":  # paper says when it was printed
            assert client.get(f"/admin/reports/{key}/file.{fmt}", DAYS).content == first.content
    api = APIClient()
    api.force_authenticate(night.people["AU-1"])
    assert api.get(f"/api/v1/reports/{key}", DAYS).json() == json.loads(client.get(f"/admin/reports/{key}/file.json", DAYS).content)


def test_the_second_print_says_so(night: House) -> None:
    client = client_of(night, "AU-1")
    for _ in range(2):
        client.get("/admin/reports/master-game/file.pdf", DAYS)
    assert ReportPrint.objects.count() == 2
    from audit.report_files import printed

    kind = catalogue()["master-game"]
    report = kind.report(read_scope(DAYS, night.people["AU-1"], DAY))
    assert printed(report, by=night.people["AU-1"], at=timezone.now()).reprint == 2


@pytest.fixture
def reports_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "REPORTS", tmp_path)
    return tmp_path


def test_a_worker_writes_a_file_and_only_who_asked_gets_it(night: House, reports_folder: Path) -> None:
    client = client_of(night, "SM-1")
    answer = client.post("/admin/reports/master-game/export/", {**DAYS, "format": "xlsx", "token": "t1"})
    client.post("/admin/reports/master-game/export/", {**DAYS, "format": "xlsx", "token": "t1"})
    [job] = Job.objects.filter(kind="export_report")
    assert answer["Location"] == f"/admin/casino/job/{job.pk}/change/"
    assert jobs.run(job.pk) is True
    kept = ReportFile.objects.get(report="master-game")
    content = b"".join(client.get(f"/admin/reports/files/{kept.uuid}").streaming_content)  # type: ignore[attr-defined]
    assert (len(content), content[:2]) == (kept.size, b"PK")
    assert client_of(night, "AU-1").get(f"/admin/reports/files/{kept.uuid}").status_code == 404
    assert client.post("/admin/reports/master-game/export/", {**DAYS, "format": "exe"}).status_code == 400


def test_a_shift_report_that_changed_leaves_the_files_of_the_one_before(night: House, reports_folder: Path) -> None:
    from audit.report_files import write_shift_report

    def written() -> dict[str, ReportFile]:
        return {kept.format: kept for kept in write_shift_report(night.shift, by=None, progress=lambda *_: None)}

    before, again = written(), written()
    assert {kept.path for kept in again.values()} == {kept.path for kept in before.values()}
    assert [kept.file_sha256 for kept in again.values()] == [kept.file_sha256 for kept in before.values()]
    recount(night, "UTH-02", "drop", 1_000)
    reconcile_shift(night.shift)
    after = written()
    assert not {kept.path for kept in after.values()} & {kept.path for kept in before.values()}
    for kept in (*before.values(), *after.values()):
        assert hashlib.sha256(Path(kept.path).read_bytes()).hexdigest() == kept.file_sha256


def subscribed(house: House, who: str, every: str = "day", **more: Any) -> Mailing:
    user = house.people[who]
    user.email = f"{who}@example.com".lower()
    user.save(update_fields=["email"])
    return mailings.subscribe("master-game", fmt="csv", every=every, house=house.property, filters=more, by=user)


def test_a_report_by_e_mail(night: House) -> None:
    mailing = subscribed(night, "PB-1")
    assert mailings.send(mailing, DAY, DAY) == "sent"
    [letter] = mail.outbox
    assert letter.to == ["pb-1@example.com"]
    [(name, content, _)] = letter.attachments
    assert name.endswith(".csv")
    assert "UTH-01" in str(content)
    assert "UTH-02" not in str(content)  # another pit's


def test_rights_are_checked_when_it_is_sent(night: House) -> None:
    from casino import people

    mailing = subscribed(night, "PB-1")
    people.withdraw_role(night.people["PB-1"], "pit_boss", by=night.people["AD-1"])
    assert mailings.send(mailing, DAY, DAY).startswith("refused")
    assert mail.outbox == []


def test_who_has_left_gets_nothing(night: House) -> None:
    mailing = subscribed(night, "SM-1")
    night.people["SM-1"].is_active = False
    night.people["SM-1"].save(update_fields=["is_active"])
    assert mailings.send(mailing, DAY, DAY).startswith("refused")
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("every", "today", "span"),
    [
        ("day", date(2026, 3, 15), (date(2026, 3, 14), date(2026, 3, 14))),
        ("week", date(2026, 3, 16), (date(2026, 3, 9), date(2026, 3, 15))),
        ("week", date(2026, 3, 17), None),
        ("month", date(2026, 3, 1), (date(2026, 2, 1), date(2026, 2, 28))),
        ("month", date(2026, 3, 2), None),
    ],
)
def test_when_a_span_is_due(every: str, today: date, span: tuple[date, date] | None) -> None:
    assert mailings.span_due(every, today) == span


def test_a_span_ends_with_the_property_s_gaming_day(house: House) -> None:
    """Los Angeles, rollover 06:00: at 06:30 the day has ended but its hour of grace has not; at 07:30 it is sent."""
    mailing = subscribed(house, "SM-1")
    mailing.recorded_at = utc("2026-03-01T12:00:00")
    assert mailings.due(mailing, utc("2026-03-15T13:30:00")) == (date(2026, 3, 13), date(2026, 3, 13))
    assert mailings.due(mailing, utc("2026-03-15T14:30:00")) == (date(2026, 3, 14), date(2026, 3, 14))
    mailing.recorded_at = utc("2026-03-20T12:00:00")
    assert mailings.due(mailing, utc("2026-03-15T14:30:00")) is None


def test_two_beats_announce_one_letter(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day after it was asked for: in the night before the property's rollover the day of asking is no gaming day yet."""
    subscribed(house, "SM-1")
    tomorrow = timezone.now() + timedelta(days=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: tomorrow)
    find_due_mailings()
    find_due_mailings()
    assert Job.objects.filter(kind="mail_report").count() == 1


def test_subscribing_from_the_page_and_ending_it(night: House) -> None:
    user = night.people["SM-1"]
    client = client_of(night, "SM-1")
    client.post("/admin/reports/master-game/mail/", {"format": "pdf", "every": "week"})
    assert not Mailing.objects.exists()  # no address yet
    user.email = "sm@example.com"
    user.save(update_fields=["email"])
    client.post("/admin/reports/master-game/mail/", {"format": "pdf", "every": "week", "table": "UTH-01"})
    mailing = Mailing.objects.get()
    assert (mailing.every, mailing.filters, mailing.format) == ("week", {"table": "UTH-01"}, "pdf")
    assert client_of(night, "AU-1").post(f"/admin/reports/mailings/{mailing.uuid}/end/").status_code == 404
    client.post(f"/admin/reports/mailings/{mailing.uuid}/end/")
    mailing.refresh_from_db()
    assert mailing.ended_at is not None
    assert mailings.send(mailing, DAY, DAY + timedelta(days=1)) == "not wanted any more"
