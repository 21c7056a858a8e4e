"""What begins and ends a night, and what is looked at after it, through /api/v1/ and on pages: each step by who may, each refusal at its field."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

import tables.tasks  # noqa: F401 - the handlers of jobs
from audit.models import Draw, DrawOutcome, Mailing
from casino.models import Job, User
from ledger.models import Account, Entry
from ledger.selectors import balances
from tables.models import Dealer, PaytableSolve, Pit, Property, Shift, Table
from tables.services import floor
from tests.audit.signing import run_jobs
from tests.builders import DAY, House, end_night, play

pytestmark = pytest.mark.django_db
EVERYBODY = ("PB-1", "FS-1", "SM-1", "CG-1", "CT-1", "SV-1", "AU-1", "GM-1", "AD-1")


@pytest.fixture
def api(house: House) -> Any:
    """Return a function that hands a body in as somebody, and returns status and answer."""

    def call(who: str, path: str, body: Any = None) -> tuple[int, Any]:
        client = Client(raise_request_exception=False)
        client.force_login(house.people[who])
        address = f"/api/v1/{path}"
        answer = client.get(address) if body is None else client.post(address, body, content_type="application/json")
        return answer.status_code, answer.json() if answer.content else None

    return call


def only(allowed: set[str], api: Any, path: str, body: Any) -> None:
    """Hold that everybody else is refused with 403."""
    refused = {who for who in EVERYBODY if api(who, path, body)[0] == 403}
    assert refused == set(EVERYBODY) - allowed


# ---- shifts ----


def test_a_shift_is_opened_by_its_schedule_read_and_ended(house: House, api: Any) -> None:
    body = {"property": "CASINO", "gaming_day": DAY.isoformat(), "kind": "grave"}
    status, made = api("SM-1", "shifts", body)
    assert (status, made["state"], made["opened_by"]) == (201, "open", "SM-1")
    assert (made["starts_at"], made["ends_at"]) == ("2026-03-14T22:00:00-07:00", "2026-03-15T06:00:00-07:00")
    assert api("SM-1", "shifts", body)[1]["error"]["code"] == "shift_exists"
    assert api("PB-1", f"shifts/{made['uuid']}")[1]["kind"] == "grave"
    assert api("SM-1", f"shifts/{made['uuid']}/end", {})[1]["state"] == "ended"
    assert api("SM-1", f"shifts/{made['uuid']}/end", {})[1]["error"]["code"] == "shift_ended"
    assert Job.objects.filter(kind="close_shift", args__shift=made["uuid"]).count() == 1
    assert api("SM-1", f"shifts/{uuid4()}/end", {})[0] == 404
    assert {one["kind"] for one in api("SM-1", "shifts")[1]["results"]} == {"swing", "grave"}


def test_what_is_wrong_with_a_new_shift_is_said_at_its_field(house: House, api: Any) -> None:
    body = {"property": "CASINO", "gaming_day": "2026-03-15", "kind": "day", "starts": "06:00", "ends": "14:00"}
    wrongs = (("gaming_day", "15/03"), ("gaming_day", 20260315), ("kind", "noon"), ("starts", "25:00"), ("ends", 6), ("hours", 8))
    for field, wrong in wrongs:
        status, answer = api("SM-1", "shifts", {**body, field: wrong})
        assert (status, [error["where"] for error in answer["errors"]]) == (400, [field]), field
    assert api("SM-1", "shifts", {**body, "property": "NOWHERE"})[0] == 404
    assert Shift.objects.count() == 1
    only({"SM-1"}, api, "shifts", body)


def test_open_tables_keep_a_shift_open(house: House, api: Any) -> None:
    status, answer = api("SM-1", f"shifts/{house.shift.uuid}/end", {})
    assert (status, answer["error"]["code"], answer["error"]["facts"]["tables"]) == (409, "sessions_open", ["PAY-01", "UTH-01", "UTH-02"])
    only({"SM-1"}, api, f"shifts/{house.shift.uuid}/end", {})


def test_an_ended_shift_is_reconciled_again_once_at_a_time(house: House, api: Any) -> None:
    path = f"shifts/{house.shift.uuid}/reconcile"
    assert api("AU-1", path, {})[1]["error"]["code"] == "shift_open"
    end_night(house)
    first = api("AU-1", path, {})
    assert first[0] == 202
    assert api("SM-1", path, {})[1]["job"] == first[1]["job"]
    only({"SM-1", "AU-1"}, api, path, {})


# ---- replays and solves ----


def test_a_shift_is_settled_again_by_address(house: House, api: Any) -> None:
    play(house)
    assert api("GM-1", "replays", {"shift": str(house.shift.uuid)})[1]["error"]["code"] == "shift_open"
    end_night(house)
    status, asked = api("GM-1", "replays", {"shift": str(house.shift.uuid), "rules": {"trips_on_fold": "forfeits"}})
    assert (status, asked["state"]) == (202, "queued")
    assert api("AU-1", f"replays/{asked['uuid']}")[1]["uuid"] == asked["uuid"]
    run_jobs("replay_shift")
    done = api("SM-1", f"replays/{asked['uuid']}")[1]
    assert (done["state"], done["result"]["rounds"]) == ("done", 1)
    assert api("AU-1", f"replays/{asked['uuid']}/differences")[1]["results"] == []
    assert [one["uuid"] for one in api("GM-1", "replays")[1]["results"]] == [asked["uuid"]]
    month = {"property": "CASINO", "month": "2026-03", "paytable": "uth-seed@1"}
    assert api("AU-1", "replays", month)[0] == 202
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({}, "shift"),
        ({"shift": str(house.shift.uuid), "month": "2026-03"}, "shift"),
        ({"shift": "x"}, "shift"),
        ({"shift": str(house.shift.uuid), "rules": 5}, "rules"),
        ({**month, "month": "2026-13"}, "month"),
        ({"property": "CASINO", "month": "2026-03"}, "paytable"),
    ]
    for body, where in wrongs:
        status, answer = api("GM-1", "replays", body)
        assert (status, answer["error"]["where"]) == (400, where), body
    only({"SM-1", "AU-1", "GM-1"}, api, "replays", month)


def test_a_full_solve_is_asked_for_cancelled_and_taken_up_again(house: House, api: Any) -> None:
    content = api("GM-1", "paytables/uth-seed@1")[1]["content"]
    draft = api("GM-1", "paytables/drafts", {"paytable": {**content, "name": "mine", "version": 1}})[1]
    status, asked = api("GM-1", f"paytables/drafts/{draft['uuid']}/solve", {})
    assert (status, asked["sha256"], asked["job"]["state"]) == (202, draft["sha256"], "queued")
    assert api("GM-1", f"paytables/drafts/{draft['uuid']}/solve", {})[1]["job"]["uuid"] == asked["job"]["uuid"]
    assert PaytableSolve.objects.count() == 1
    path = f"solves/{draft['sha256']}"
    assert api("AU-1", path)[1]["edges"] is None
    assert api("GM-1", f"{path}/cancel", {})[1]["job"]["state"] == "cancelled"
    assert api("GM-1", f"{path}/cancel", {})[1]["error"]["code"] == "job_over"
    assert api("GM-1", f"{path}/resume", {})[1]["job"]["state"] == "queued"
    only({"GM-1"}, api, f"{path}/cancel", {})
    assert api("GM-1", f"solves/{'0' * 64}")[0] == 404


# ---- the draw ----


def test_a_seed_that_was_not_committed_is_not_revealed(house: House, api: Any) -> None:
    path = f"shifts/{house.shift.uuid}/draw/reveal"
    assert api("AU-1", path, {})[1]["error"]["code"] == "shift_open"
    end_night(house)
    assert api("AU-1", path, {})[1]["error"]["code"] == "not_committed"
    only({"AU-1"}, api, path, {})
    assert Draw.objects.count() == 0
    only({"AU-1", "SV-1"}, api, f"shifts/{house.shift.uuid}/draw/outcomes", {"of": "round", "place": 1, "outcome": "as_recorded"})
    outcome = {"of": "round", "place": 1, "outcome": "as_recorded"}
    assert api("SV-1", f"shifts/{house.shift.uuid}/draw/outcomes", outcome)[1]["error"]["code"] == "not_drawn"
    assert api("SV-1", f"shifts/{house.shift.uuid}/draw/outcomes", {**outcome, "of": "x"})[1]["error"]["where"] == "of"
    assert DrawOutcome.objects.count() == 0


# ---- mailings ----


def test_a_report_is_wanted_by_mail_and_not_any_more(house: House, api: Any) -> None:
    body = {"report": "table-win", "format": "pdf", "every": "day", "property": "CASINO", "table": "UTH-01"}
    assert api("SM-1", "mailings", body)[1]["error"]["code"] == "no_address"
    User.objects.filter(username="SM-1").update(email="sm@example.org")
    house.people["SM-1"].refresh_from_db()
    status, made = api("SM-1", "mailings", body)
    assert (status, made["filters"], made["ended_at"]) == (201, {"table": "UTH-01"}, None)
    for field, wrong in (("format", "doc"), ("every", "hour"), ("report", ""), ("colour", "red")):
        assert api("SM-1", "mailings", {**body, field: wrong})[1]["error"]["where"] == field
    assert [one["uuid"] for one in api("SM-1", "mailings")[1]["results"]] == [made["uuid"]]
    assert api("PB-1", f"mailings/{made['uuid']}/end", {})[0] == 404
    assert api("SM-1", f"mailings/{made['uuid']}/end", {})[1]["ended_at"] is not None
    assert api("SM-1", "mailings")[1]["results"] == []
    assert Mailing.objects.count() == 1


def test_a_report_is_written_by_a_worker_and_read_by_whoever_asked(house: House, api: Any, reports: Any) -> None:
    play(house)
    end_night(house)
    run_jobs("close_shift", "reconcile_shift")
    body = {"format": "csv", "token": "mine-1", "day_from": DAY.isoformat(), "day_to": DAY.isoformat()}
    status, asked = api("SM-1", "reports/table-win/exports", body)
    assert (status, asked["state"]) == (202, "queued")
    assert api("SM-1", "reports/table-win/exports", body)[1]["job"] == asked["job"]
    for field, wrong in (("format", "doc"), ("token", ""), ("day_to", "2026-13-01"), ("colour", "red")):
        assert api("SM-1", "reports/table-win/exports", {**body, field: wrong})[1]["error"]["where"] == field
    run_jobs("export_report")
    written = api("SM-1", f"jobs/{asked['job']}")[1]["result"]["file"]
    client = Client()
    client.force_login(house.people["SM-1"])
    answer = client.get(f"/api/v1/reports/files/{written}")
    assert (answer.status_code, b"UTH-01" in b"".join(answer.streaming_content)) == (200, True)
    assert api("PB-1", f"reports/files/{written}")[0] == 404
    assert api("AD-1", "reports/table-win/exports", body)[0] == 403


# ---- the layout ----


def test_a_house_is_laid_out_stocked_and_open_by_address(house: House, api: Any) -> None:
    new = {"code": "ELSEWHERE", "name": "Elsewhere", "zone": "Asia/Tokyo", "currency": "JPY", "exponent": 0}
    only({"GM-1"}, api, "properties", {**new, "code": "OTHER"})
    status, made = api("GM-1", "properties", new)
    assert (status, made["rollover"], made["exponent"]) == (201, "06:00", 0)
    assert api("GM-1", "properties", new)[1]["error"]["code"] == "taken"
    for field, wrong in (("zone", "Mars/Base"), ("currency", "yen"), ("code", "el sewhere"), ("exponent", 5), ("rollover", "6"), ("colour", 1)):
        status, answer = api("GM-1", "properties", {**new, "code": "X", field: wrong})
        assert (status, answer["error"]["where"]) == (400, field), field
    base = "properties/ELSEWHERE"
    assert api("GM-1", f"{base}/pits", {"code": "E1", "name": "East"})[0] == 201
    assert api("GM-1", f"{base}/pits", {"code": "E1", "name": "East"})[1]["error"]["code"] == "taken"
    assert api("GM-1", f"{base}/dealers", {"code": "D-9", "name": ""})[0] == 201
    assert api("GM-1", f"{base}/tables", {"pit": "E1", "code": "EAST-1", "game": "uth"})[1]["game"] == "uth"
    assert api("GM-1", f"{base}/tables", {"pit": "P1", "code": "EAST-2", "game": "uth"})[0] == 404
    assert api("GM-1", f"{base}/tables", {"pit": "E1", "code": "EAST-2", "game": "chess"})[1]["error"]["where"] == "game"
    issue = {"uuid": str(uuid4()), "amount": 9_000_000}
    assert api("CG-1", f"{base}/chips", issue)[0] == api("CG-1", f"{base}/chips", issue)[0] == 201
    assert api("CG-1", "tables/EAST-1/bankroll", {"amount": 500_000})[0] == 201
    assert api("CG-1", "tables/EAST-1/bankroll", {"amount": 500_001})[0] == 409
    other = Property.objects.get(code="ELSEWHERE")
    held = {account.code: balances([account])[account.pk] for account in Account.objects.filter(property=other.uuid)}
    assert (held["cage:chips"], held["tray:EAST-1"]) == (8_500_000, 500_000)
    only({"CG-1"}, api, f"{base}/chips", {"uuid": str(uuid4()), "amount": 1})


def test_the_pages_lay_a_house_out_and_say_what_is_wrong_at_its_field(house: House) -> None:
    client, cage = Client(), Client()
    client.force_login(house.people["GM-1"])
    cage.force_login(house.people["CG-1"])
    new = reverse("admin:tables_property_new")
    said = {"code": "E", "name": "Elsewhere", "zone": "Asia/Tokyo", "currency": "JPY", "exponent": "0", "writes": "point", "rollover": "04:00"}
    assert client.get(new).status_code == 200
    wrong = client.post(new, {**said, "zone": "Mars/Base"})
    assert (wrong.status_code, list(wrong.context["form"].errors)) == (400, ["zone"])
    assert client.post(new, said).status_code == 303
    other = Property.objects.get(code="E")
    for what, typed in (("pit", {"code": "E1", "name": "East"}), ("dealer", {"code": "D-9"})):
        address = reverse("admin:tables_property_lay_out", args=[other.pk, what])
        assert (client.get(address).status_code, client.post(address, typed).status_code) == (200, 303)
        again = client.post(address, typed)
        assert (again.status_code, list(again.context["form"].errors)) == (400, ["code"])
    table = {"code": "EAST-1", "pit": Pit.objects.get(code="E1").pk, "game": "uth"}
    assert client.post(reverse("admin:tables_property_lay_out", args=[other.pk, "table"]), table).status_code == 303
    assert client.get(reverse("admin:tables_property_lay_out", args=[other.pk, "chair"])).status_code == 404
    assert client.get(reverse("admin:tables_property_change", args=[other.pk])).status_code == 200
    chips, typed = reverse("admin:tables_property_chips", args=[other.pk]), {"uuid": str(uuid4()), "amount": "9,000"}
    assert (cage.get(chips).status_code, cage.post(chips, typed).status_code, cage.post(chips, typed).status_code) == (200, 303, 303)
    assert Entry.objects.filter(property=other.uuid, kind="issue").count() == 1
    bankroll = reverse("admin:tables_table_bankroll", args=[Table.objects.get(code="EAST-1").pk])
    assert (cage.get(bankroll).status_code, cage.post(bankroll, {"amount": "500"}).status_code) == (200, 303)
    assert cage.post(bankroll, {"amount": "501"}).status_code == 400
    assert client.post(chips, typed).status_code == 403
    assert cage.post(new, said).status_code == 403
    assert Dealer.objects.filter(property=other, code="D-9").exists()
    assert other.rollover != floor.ROLLOVER


def test_a_day_to_come_is_another_shift(house: House, api: Any) -> None:
    body = {"property": "CASINO", "gaming_day": (DAY + timedelta(days=1)).isoformat(), "kind": "swing", "starts": "20:00", "ends": "04:00"}
    assert api("SM-1", "shifts", body)[1]["starts_at"] == "2026-03-15T20:00:00-07:00"
