"""Corrections through the API: proposed, read, decided with the password again; the story of a round; errors that name the field."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from casino.models import User
from ledger.models import Entry
from tables.models import Round, RoundProposal
from tests.builders import House, end_night, slip, utc
from tests.corrections import deal, mended, propose, propose_mended

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _night_clock(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the doors the night's clock, and those who decide a password."""
    monkeypatch.setattr("tables.api.corrections.timezone.now", lambda: utc("2026-03-15T12:00:00+00:00"))
    for number in ("SM-1", "PB-1", "AU-1"):
        person = User.objects.get(pk=house.people[number].pk)
        person.set_password(PASSWORD)
        person.save(update_fields=["password"])
        house.people[number] = person


def call(house: House, number: str, method: str, where: str, body: Any = None, **headers: str) -> Any:
    client = APIClient()
    client.force_authenticate(house.people[number])
    text = "" if body is None else json.dumps(body)
    return client.generic(method, f"/api/v1/{where}", text, content_type="application/json", headers=headers)


def test_a_round_is_voided_by_two(house: House) -> None:
    played = deal(house)
    body = {"uuid": str(uuid4()), "reason": "misdeal", "chips_returned": True}
    made = call(house, "FS-1", "POST", f"rounds/{played.uuid}/void", body)
    assert (made.status_code, made.json()["state"], made.json()["effect"], made.json()["after"]) == (201, "proposed", 2_500, 0)
    assert call(house, "FS-1", "POST", f"rounds/{played.uuid}/void", body).status_code == 200
    place = f"proposals/{body['uuid']}"
    wrong = call(house, "SM-1", "POST", f"{place}/approve", {"password": "guess"})
    assert (wrong.status_code, wrong.json()["error"]["code"], wrong.json()["error"]["where"]) == (403, "wrong_password", "password")
    assert call(house, "SM-1", "POST", f"{place}/approve", {}).json()["error"]["code"] == "password_required"
    assert not Entry.objects.filter(kind="reversal").exists()
    done = call(house, "SM-1", "POST", f"{place}/approve", {"password": PASSWORD, "note": "seen"})
    assert (done.status_code, done.json()["state"], done.json()["decided_by"], done.json()["decision_note"]) == (200, "approved", "SM-1", "seen")
    read = call(house, "SV-1", "GET", f"rounds/{played.uuid}").json()
    assert (read["state"], read["replaced_by"]) == ("voided", None)
    assert call(house, "PB-1", "POST", f"{place}/approve", {"password": PASSWORD}).status_code == 409


def test_a_correction_shows_what_changes_field_by_field(house: House) -> None:
    played = deal(house, done={"1": {"ante": {"paid": 1500}}})
    raw = mended(played, done={}, dealer="D-1042")
    answer = call(
        house, "FS-1", "POST", f"rounds/{played.uuid}/correct", {"slip": raw, "reason": "wrong_payment"}, **{"Idempotency-Key": raw["uuid"]}
    )
    assert answer.status_code == 201, answer.json()
    assert answer.json()["changes"] == [
        {"where": "dealer", "label": "Dealt by", "kind": "text", "before": "D-1187", "after": "D-1042"},
        {"where": "done.1.ante", "label": "Seat 1 ante, done", "kind": "signed", "before": 1500, "after": 1000},
    ]
    done = call(house, "SM-1", "POST", f"proposals/{raw['uuid']}/approve", {"password": PASSWORD}).json()
    assert (done["made"], done["before"], done["after"], done["effect"]) == (raw["uuid"], -3_000, -2_500, 500)
    new = call(house, "FS-1", "GET", f"rounds/{raw['uuid']}").json()
    assert (new["state"], new["replaces"], new["number"], new["dealer"]) == ("stands", str(played.uuid), 2, "D-1042")
    old = call(house, "FS-1", "GET", f"rounds/{played.uuid}").json()
    assert (old["state"], old["replaced_by"]) == ("replaced", raw["uuid"])
    states = {line["uuid"]: line["state"] for line in call(house, "FS-1", "GET", "rounds").json()["results"]}
    assert states == {raw["uuid"]: "stands", str(played.uuid): "replaced"}
    story = call(house, "FS-1", "GET", f"rounds/{played.uuid}/story").json()
    assert [(moment["what"], moment["by"], moment["entries"]) for moment in story] == [
        ("entered", "FS-1", [f"round:{played.uuid}"]),
        ("proposed", "FS-1", []),
        ("corrected", "SM-1", [f"reversal:{Entry.objects.get(round=played.uuid, kind='round').uuid}", f"round:{raw['uuid']}"]),
    ]
    assert story == call(house, "FS-1", "GET", f"rounds/{raw['uuid']}/story").json()


def test_a_dead_hand_and_a_late_round(house: House) -> None:
    played = deal(house)
    body = {"uuid": str(uuid4()), "seat": 1, "reason": "exposed_card"}
    dead = call(house, "FS-1", "POST", f"rounds/{played.uuid}/dead-hand", body).json()
    assert (dead["kind"], dead["seat"], dead["after"]) == ("dead_hand", 1, 2_000)
    raw = slip(house)
    late = {"session": str(house.sessions["UTH-01"].uuid), "slip": raw, "reason": "not_entered"}
    assert call(house, "PB-1", "POST", "rounds/late", late).status_code == 403
    assert call(house, "FS-1", "POST", f"proposals/{body['uuid']}/withdraw", {}).json()["state"] == "withdrawn"
    end_night(house)
    assert call(house, "PB-1", "POST", "rounds/late", late).json()["kind"] == "late"
    approved = call(house, "AU-1", "POST", f"proposals/{raw['uuid']}/approve", {"password": PASSWORD})
    assert (approved.status_code, Round.objects.get(uuid=raw["uuid"]).late) == (200, False)


def test_proposals_are_listed_of_ones_pits(house: House) -> None:
    first = propose(house, deal(house))
    second = propose_mended(house, deal(house), done={})
    call(house, "FS-2", "POST", f"proposals/{first.uuid}/withdraw", {})
    listed = call(house, "PB-1", "GET", "proposals?state=proposed").json()["results"]
    assert [(line["uuid"], line["kind"], line["proposed_by"]) for line in listed] == [(str(second.uuid), "correct", "FS-2")]
    assert call(house, "PB-2", "GET", "proposals").json()["results"] == []
    assert call(house, "PB-2", "GET", f"proposals/{second.uuid}").status_code == 404
    assert call(house, "PB-1", "GET", "proposals?state=lost").json()["error"]["where"] == "state"
    assert call(house, "CG-1", "GET", "proposals").status_code == 403
    refused = call(house, "SM-1", "POST", f"proposals/{second.uuid}/reject", {"password": PASSWORD})
    assert (refused.status_code, refused.json()["error"]["where"]) == (400, "note")
    assert call(house, "SM-1", "POST", f"proposals/{second.uuid}/reject", {"password": PASSWORD, "note": "no"}).json()["state"] == "rejected"


@pytest.mark.parametrize(
    ("where", "body", "code", "at"),
    [
        ("void", {"reason": "misdeal", "chips_returned": True}, "missing_field", "uuid"),
        ("void", {"uuid": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "reason": "misdeal"}, "missing_field", "chips_returned"),
        ("void", {"uuid": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "reason": "misdeal", "chips_returned": "yes"}, "bad_type", "chips_returned"),
        ("void", {"uuid": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "reason": "bored", "chips_returned": True}, "bad_type", "reason"),
        ("void", {"uuid": "x", "reason": 5, "chips_returned": True, "more": 1}, "unknown_field", "more"),
        ("dead-hand", {"uuid": "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "reason": "exposed_card", "seat": True}, "bad_type", "seat"),
        ("correct", {"reason": "misread_cards"}, "missing_field", "slip"),
        ("correct", {"reason": "misread_cards", "slip": {}}, "missing_field", "uuid"),
        ("correct", [], "bad_json", ""),
        ("ruling", {"reason": "so", "due": {"x": {}}}, "bad_seat", "due.x"),
        ("ruling", {"reason": "so", "due": {"1": {"ante": {"collect": 1.5, "pay": 0}}}}, "bad_amount", "due.1.ante.collect"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(house: House, where: str, body: Any, code: str, at: str) -> None:
    played = deal(house)
    answer = call(house, "FS-1", "POST", f"rounds/{played.uuid}/{where}", body)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["where"]) == (400, code, at)
    assert not RoundProposal.objects.exists()


def test_an_auditor_rules_with_the_password(house: House) -> None:
    spots = {"1": ("ante", "blind", "trips", "play"), "2": ("ante", "blind")}
    nothing = {seat: {kind: {"collected": 0, "paid": 0} for kind in kinds} for seat, kinds in spots.items()}
    played = deal(house, irregular={"reason": "2x before the flop"}, done=nothing)
    due = {seat: {kind: {"collect": 500 if kind == "ante" else 0, "pay": 0} for kind in kinds} for seat, kinds in spots.items()}
    place, body = f"rounds/{played.uuid}/ruling", {"reason": "antes forfeited by half", "due": due, "password": PASSWORD}
    assert call(house, "PB-1", "POST", place, body).json()["error"]["code"] == "not_allowed"
    assert call(house, "AU-1", "POST", place, {**body, "password": "no"}).json()["error"]["code"] == "wrong_password"
    ruled = call(house, "AU-1", "POST", place, body)
    assert (ruled.status_code, ruled.json()["effect"], ruled.json()["stands"], ruled.json()["by"]) == (201, -1000, False, "AU-1")
    assert call(house, "AU-1", "POST", place, body).status_code == 409


def test_the_document_names_the_doors(house: House) -> None:
    schema = call(house, "AU-1", "GET", "schema/?format=json").content.decode()
    for operation in ("rounds_void", "rounds_correct", "rounds_dead_hand", "rounds_late", "rounds_rule", "rounds_story", "proposals_list"):
        assert f'"{operation}"' in schema
