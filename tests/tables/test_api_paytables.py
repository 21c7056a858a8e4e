"""Paytables through the API: a version's whole life, the password again at approvals, errors that name the field, nothing for strangers."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from casino.models import StepUpFailure
from tables.models import PaytableDraft, PaytableVersion, TablePaytable
from tables.paytable_files import published
from tests.builders import House
from tests.tables.test_replay import with_flush

pytestmark = pytest.mark.django_db
URL = "/api/v1/paytables"
PASSWORD = "a long enough one 17"


@pytest.fixture(autouse=True)
def _auditor_signs_in(house: House) -> None:
    house.people["AU-1"].set_password(PASSWORD)
    house.people["AU-1"].save()


def send(house: House, method: str, path: str = "", body: Any = None, number: str = "GM-1") -> Any:
    client = APIClient()
    client.force_authenticate(house.people[number])
    return client.generic(method, URL + path, "" if body is None else json.dumps(body), content_type="application/json")


def drafted(house: House, raw: dict[str, Any] | None = None) -> dict[str, Any]:
    made = send(house, "POST", "/drafts", {"paytable": raw or with_flush("1:1")})
    assert made.status_code == 201, made.json()
    return made.json()


def proposed(house: House) -> str:
    answer = send(house, "POST", f"/drafts/{drafted(house)['uuid']}/propose", {"note": "for the spring", "revision": 1})
    assert answer.status_code == 201, answer.json()
    return answer.json()["uuid"]


def error_of(answer: Any) -> tuple[int, str, str]:
    said = answer.json()["error"]
    return answer.status_code, said["code"], said["where"]


def test_a_version_lives_from_draft_to_table(house: House) -> None:
    draft = drafted(house)
    assert draft["edges"]["trips"]["ev"] == "-48987/2572780"
    assert draft["edges"]["main"]["per_base_bet"]["of"] == "ante"
    proposal = send(house, "POST", f"/drafts/{draft['uuid']}/propose", {"revision": 1}).json()
    assert (proposal["state"], proposal["short_code"]) == ("proposed", draft["short_code"])
    approved = send(house, "POST", f"/proposals/{proposal['uuid']}/approve", {"approval": "GC-17", "password": PASSWORD}, "AU-1")
    assert (approved.status_code, approved.json()["paytable"], approved.json()["approval"]) == (201, "house@2", "GC-17")
    from_at = timezone.now() + timedelta(days=400)
    placed = send(house, "POST", "/house@2/place", {"table": "UTH-01", "from_at": from_at.isoformat()})
    assert (placed.status_code, placed.json()["state"]) == (201, "proposed")
    address = f"/placements/{placed.json()['uuid']}"
    assert error_of(send(house, "POST", f"{address}/approve", {}, "AU-1")) == (403, "password_required", "password")
    assert send(house, "POST", f"{address}/approve", {"password": PASSWORD}, "AU-1").json()["state"] == "approved"
    assert send(house, "GET", "/house@2").json()["in_force"] == [{"table": "UTH-01", "from_at": from_at.isoformat()}]
    assert TablePaytable.objects.filter(version__name="house").count() == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"approval": "GC-1"}, (403, "password_required", "password")),
        ({"approval": "GC-1", "password": "guess"}, (403, "wrong_password", "password")),
        ({"approval": "GC-1", "password": 5}, (400, "bad_type", "password")),
        ({"password": PASSWORD}, (400, "missing_field", "approval")),
        ({"password": PASSWORD, "approval": ["GC-1"]}, (400, "bad_type", "approval")),
        ({"password": PASSWORD, "approval": "x" * 121}, (400, "bad_type", "approval")),
    ],
)
def test_an_approval_without_password_or_reference_publishes_nothing(house: House, body: dict[str, Any], error: tuple[int, str, str]) -> None:
    uuid, before = proposed(house), PaytableVersion.objects.count()
    assert error_of(send(house, "POST", f"/proposals/{uuid}/approve", body, "AU-1")) == error
    assert PaytableVersion.objects.count() == before
    assert send(house, "GET", f"/proposals/{uuid}").json()["state"] == "proposed"


def test_the_fifth_guess_locks_approvals_and_the_right_password_with_them(house: House) -> None:
    uuid = proposed(house)
    approve = f"/proposals/{uuid}/approve"
    codes = [error_of(send(house, "POST", approve, {"approval": "G", "password": str(guess)}, "AU-1"))[1] for guess in range(5)]
    assert codes == ["wrong_password"] * 4 + ["too_many_attempts"]
    assert error_of(send(house, "POST", approve, {"approval": "G", "password": PASSWORD}, "AU-1")) == (403, "too_many_attempts", "password")
    assert StepUpFailure.objects.count() == 5
    assert not PaytableVersion.objects.filter(name="house").exists()


def test_whoever_may_not_approve_is_not_asked_for_a_password(house: House) -> None:
    uuid = proposed(house)
    for number in ("GM-1", "SM-1", "PB-1"):
        assert error_of(send(house, "POST", f"/proposals/{uuid}/approve", {"approval": "G", "password": "x"}, number))[:2] == (403, "not_allowed")
    assert not StepUpFailure.objects.exists()


def test_a_proposal_is_refused_with_a_reason_or_taken_back(house: House) -> None:
    uuid = proposed(house)
    assert error_of(send(house, "POST", f"/proposals/{uuid}/refuse", {}, "AU-1")) == (400, "missing_field", "note")
    assert send(house, "POST", f"/proposals/{uuid}/refuse", {"note": "too dear"}, "AU-1").json()["state"] == "refused"
    assert error_of(send(house, "POST", f"/proposals/{uuid}/withdraw", {}))[:2] == (409, "not_proposed")
    assert error_of(send(house, "POST", f"/proposals/{uuid}/withdraw", {"note": "n" * 301})) == (400, "bad_type", "note")


def test_edges_of_what_is_published_nowhere(house: House) -> None:
    raw = with_flush("1:1")
    raw["odds"]["trips"]["full_house"] = "9:1"
    answer = send(house, "POST", "/edges", {"paytable": raw}).json()
    assert [warning["code"] for warning in answer["warnings"]] == ["player_edge"]
    assert answer["bets"]["trips"]["per_total_wagered"]["fraction"] == "-3561/514556"
    assert not PaytableDraft.objects.filter(name="house").exists()


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, [("missing_field", "paytable")]),
        ({"paytable": "uth-seed@1"}, [("bad_type", "paytable")]),
        ({"paytable": {"game": "faro"}}, [("unknown_game", "game")]),
        (
            {"paytable": {**with_flush("0.5"), "version": 1.5, "shade": 1}},
            [("bad_paytable", "version"), ("bad_paytable", "odds.blind.flush"), ("bad_paytable", "shade")],
        ),
        ({"paytable": with_flush("1:1"), "property": "NOWHERE"}, [("no_property", "property")]),
        ({"paytable": with_flush("1:1"), "property": 7}, [("bad_type", "property")]),
    ],
)
def test_bad_input_names_its_field_and_keeps_nothing(house: House, body: dict[str, Any], places: list[tuple[str, str]]) -> None:
    before = PaytableDraft.objects.count()
    answer = send(house, "POST", "/drafts", body)
    assert sorted((error["code"], error["where"]) for error in answer.json()["errors"]) == sorted(places)
    assert PaytableDraft.objects.count() == before


def test_a_draft_is_changed_at_the_revision_that_was_looked_at(house: House) -> None:
    draft = drafted(house)
    address = f"/drafts/{draft['uuid']}"
    changed = send(house, "PUT", address, {"paytable": with_flush("2:1"), "revision": 1})
    assert (changed.status_code, changed.json()["revision"]) == (200, 2)
    stale = send(house, "PUT", address, {"paytable": with_flush("3:1"), "revision": 1})
    assert error_of(stale) == (412, "draft_changed", "revision")
    assert stale.json()["error"]["facts"]["by"] == "GM-1"
    assert send(house, "GET", address).json()["content"]["odds"]["blind"]["flush"] == "2:1"
    assert error_of(send(house, "PUT", address, {"paytable": with_flush("3:1"), "revision": "1"})) == (400, "bad_type", "revision")


@pytest.mark.parametrize("revision", [{}, {"revision": None}])
def test_without_the_revision_that_was_looked_at_a_draft_is_neither_changed_nor_proposed(house: House, revision: dict[str, Any]) -> None:
    draft = drafted(house)
    address = f"/drafts/{draft['uuid']}"
    assert error_of(send(house, "PUT", address, {"paytable": with_flush("3:1"), **revision})) == (400, "missing_field", "revision")
    assert error_of(send(house, "POST", f"{address}/propose", {"note": "n", **revision})) == (400, "missing_field", "revision")
    assert (kept := send(house, "GET", address).json())["revision"] == 1 and kept["sha256"] == draft["sha256"]
    assert send(house, "GET", "/proposals?state=proposed").json()["results"] == []


def test_a_draft_that_was_changed_since_is_not_proposed(house: House) -> None:
    address = f"/drafts/{drafted(house)['uuid']}"
    assert send(house, "PUT", address, {"paytable": with_flush("2:1"), "revision": 1}).status_code == 200
    assert error_of(send(house, "POST", f"{address}/propose", {"revision": 1})) == (412, "draft_changed", "revision")
    assert send(house, "POST", f"{address}/propose", {"revision": 2}).status_code == 201


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"from_at": "2027-01-01T00:00:00+00:00"}, (400, "missing_field", "table")),
        ({"table": "UTH-09", "from_at": "2027-01-01T00:00:00+00:00"}, (404, "no_table", "table")),
        ({"table": "UTH-01"}, (400, "missing_field", "from_at")),
        ({"table": "UTH-01", "from_at": "2020-01-01T00:00:00+00:00"}, (400, "bad_time", "from_at")),
        ({"table": "UTH-01", "from_at": "tomorrow"}, (400, "bad_time", "from_at")),
        ({"table": "UTH-01", "from_at": "2027-01-01T00:00:00"}, (400, "bad_time", "from_at")),
        ({"table": "PAY-01", "from_at": "2027-01-01T00:00:00+00:00"}, (409, "wrong_game", "version")),
    ],
)
def test_a_placement_names_what_is_wrong(house: House, body: dict[str, Any], error: tuple[int, str, str]) -> None:
    assert error_of(send(house, "POST", "/uth-seed@1/place", body)) == error


def test_versions_are_listed_read_and_taken_out_as_files(house: House) -> None:
    listed = send(house, "GET", "?game=uth").json()["results"]
    assert [(line["paytable"], line["short_code"]) for line in listed] == [("uth-seed@1", PaytableVersion.objects.get(name="uth-seed").short_code)]
    assert send(house, "GET", "/uth-seed@1").json()["edges"]["trips"]["edge_percent"] == pytest.approx(1.90404931, abs=1e-8)
    out = send(house, "GET", "/uth-seed@1/export")
    assert json.loads(out.content) == published()["uth-seed@1"].content
    for reference in ("uth-seed@9", f"uth-seed@{'9' * 5000}", "uth-seed@²", "uth-seed", "@1"):
        assert error_of(send(house, "GET", f"/{reference}")) == (404, "no_paytable", "paytable")


@pytest.mark.parametrize("number", ["SM-1", "PB-1", "FS-1", "SV-1", "CG-1", "CT-1", "AD-1"])
def test_the_workshop_is_of_those_who_propose_and_approve(house: House, number: str) -> None:
    uuid = proposed(house)
    for path in ("/drafts", "/proposals", "/placements", f"/proposals/{uuid}"):
        assert send(house, "GET", path, number=number).status_code == 403
    assert send(house, "POST", "/drafts", {"paytable": with_flush("2:1", number=3)}, number).status_code == 403
    assert send(house, "POST", f"/proposals/{uuid}/withdraw", {}, number).status_code == 403
    assert send(house, "GET", f"/proposals/{uuid}").json()["state"] == "proposed"


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/rounds/", "/api/", "/api/v2/rounds", "/api/v1/paytables/drafts/7"])
def test_an_unknown_address_answers_in_the_one_shape_of_errors(client: Client, house: House, path: str) -> None:
    answer = client.get(path) if path != "/api/v1/paytables/drafts/7" else send(house, "GET", "/drafts/7")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/json"
    assert set(answer.json()) == {"error", "errors"}
    assert answer.json()["error"]["code"] == "not_found"


def test_paytables_are_in_the_openapi_document(house: House, client: Client) -> None:
    client.force_login(house.people["GM-1"])
    paths = client.get("/api/v1/schema/?format=json").json()["paths"]
    for path in (
        "",
        "/drafts",
        "/edges",
        "/{reference}/export",
        "/proposals/{uuid}/approve",
        "/proposals/{uuid}/refuse",
        "/placements/{uuid}/withdraw",
    ):
        assert f"/api/v1/paytables{path}" in paths
    assert paths["/api/v1/paytables/proposals/{uuid}/refuse"]["post"]["operationId"] == "paytable_proposals_refuse"
