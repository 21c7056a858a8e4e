"""A table's life through /api/v1/: opened, filled, closed, its box counted, each by who may, each refusal in the one shape of errors."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from casino.models import User
from tables.models import ChipMovement, TableSession, TrayCount
from tables.services import dealer_pins
from tests.builders import BANKROLL, House, felt_code

pytestmark = pytest.mark.django_db
SECRET = "a long enough one 17"
COUNT = {str(value): pieces for value, pieces in BANKROLL.items()}


@pytest.fixture
def api(house: House) -> Any:
    """Return a function that hands a body in as somebody, and returns status and answer."""
    User.objects.filter(username__in=("FS-1", "FS-2", "PB-1", "SM-1", "CT-1", "CT-2", "CG-1", "AU-1")).update(password=make_password(SECRET))
    house.people.update({user.username: user for user in User.objects.all()})
    clients: dict[str, Client] = {}

    def call(who: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        if who not in clients:
            clients[who] = Client(raise_request_exception=False)
            clients[who].force_login(house.people[who])
        address = f"/api/v1/{path}"
        answer = clients[who].get(address) if body is None else clients[who].post(address, body, content_type="application/json")
        return answer.status_code, answer.json() if answer.content else None

    return call


def second(number: str, password: str = SECRET) -> dict[str, Any]:
    return {"second": {"number": number, "password": password}}


def path(house: House, code: str = "UTH-01") -> str:
    return f"sessions/{house.sessions[code].uuid}"


def test_a_fill_by_three_people(house: House, api: Any) -> None:
    body = {"uuid": str(uuid4()), "kind": "fill", "denominations": {"2500": 8}}
    status, slip = api("FS-1", f"{path(house)}/slips", body)
    assert (status, slip["number"], slip["amount"], slip["state"]) == (201, 1, 20_000, "requested")
    assert api("FS-1", f"{path(house)}/slips", body)[1]["uuid"] == slip["uuid"]
    assert api("FS-1", f"slips/{slip['uuid']}/receive", {})[1]["error"]["code"] == "slip_order"
    assert api("PB-1", f"slips/{slip['uuid']}/issue", {})[0] == 403
    assert api("CG-1", f"slips/{slip['uuid']}/issue", {})[1]["state"] == "issued"
    assert api("FS-1", f"{path(house)}/blockers")[1]["blocked"] is True
    assert api("FS-1", f"slips/{slip['uuid']}/receive", {})[1]["error"]["code"] == "three_people"
    status, received = api("PB-1", f"slips/{slip['uuid']}/receive", {})
    assert (status, received["state"], [event["by"] for event in received["events"]]) == (200, "received", ["FS-1", "CG-1", "PB-1"])
    assert ChipMovement.objects.get().amount == 20_000
    assert api("PB-2", f"slips/{slip['uuid']}")[0] == 404
    assert api("CG-1", "properties/CASINO/slip-gaps")[1] == {"missing": [], "unused": []}
    assert [one["uuid"] for one in api("CG-1", "slips")[1]["results"]] == [slip["uuid"]]


def test_a_chip_credit_with_the_dealers_pin(house: House, api: Any) -> None:
    assert api("PB-1", "dealers/D-1187/pin", {"property": "CASINO", "pin": "8351"})[0] == 403
    assert api("SM-1", "dealers/D-1187/pin", {"property": "CASINO", "pin": "8351"})[0] == 204
    body = {"uuid": str(uuid4()), "kind": "chip_credit", "denominations": {"500": 10}}
    slip = api("FS-1", f"{path(house)}/slips", body)[1]
    wrong = api("FS-1", f"slips/{slip['uuid']}/send", {"dealer": {"number": "D-1187", "pin": "1111"}})
    assert (wrong[0], wrong[1]["error"]["code"], wrong[1]["error"]["where"]) == (403, "wrong_pin", "dealer.pin")
    assert api("FS-1", f"slips/{slip['uuid']}/send", {"dealer": {"number": "D-1187", "pin": "8351"}})[1]["state"] == "sent"
    assert api("CG-1", f"slips/{slip['uuid']}/receive", {})[1]["events"][1]["dealer"] == "D-1187"


def test_closing_needs_a_second_signature_and_opening_the_code_on_the_felt(house: House, api: Any) -> None:
    table = house.tables["UTH-01"]
    for body, code, where in (
        ({"denominations": COUNT}, "needs_witness", "witness"),
        ({"denominations": COUNT, **second("SM-1", "wrong")}, "wrong_password", "second.password"),
        ({"denominations": COUNT, **second("nobody", "wrong")}, "wrong_password", "second.password"),
        ({"denominations": COUNT, **second("PB-1")}, "needs_witness", "second.number"),
        ({"denominations": {"0": 1}}, "bad_count", "denominations.0"),
        ({"denominations": {"9" * 5000: 1}}, "bad_count", f"denominations.{'9' * 5000}"),
        ({"denominations": {"100": 1.5}}, "bad_count", "denominations.100"),
        ({"denominations": {"100": -1}}, "bad_count", "denominations.100"),
        ({}, "missing_field", "denominations"),
    ):
        answer = api("PB-1", f"{path(house)}/close", body)[1]["error"]
        assert (answer["code"], answer["where"]) == (code, where)
    assert not TrayCount.objects.filter(kind="closer").exists()
    status, closer = api("PB-1", f"{path(house)}/close", {"denominations": COUNT, **second("SM-1")})
    assert (status, closer["total"], closer["witness"]) == (200, 510_000, "SM-1")
    body = {"table": "UTH-01", "shift": str(house.shift.uuid), "felt_code": "0000", "denominations": COUNT}
    wrong = api("FS-1", "sessions", body)[1]["error"]
    assert (wrong["code"], wrong["facts"]["typed"]) == ("wrong_code", "0000")
    status, opened = api("FS-1", "sessions", {**body, "felt_code": felt_code(table, house.clock)})
    assert (status, opened["state"], opened["paytable"]) == (201, "open", "uth-seed@1")
    assert api("FS-1", "sessions", {**body, "felt_code": felt_code(table, house.clock)})[0] == 409
    assert api("PB-2", f"sessions/{opened['uuid']}")[0] == 404
    assert TableSession.objects.filter(table=table).count() == 2


def test_a_box_through_the_api(house: House, api: Any) -> None:
    assert api("PB-1", f"{path(house)}/close", {"denominations": COUNT, **second("SM-1")})[0] == 200
    assert api("FS-1", f"{path(house)}/box", {"box": "B-1", "seal": "S-1", **second("CT-1")})[0] == 201
    body = {"box": "B-1", "seal": "S-1", "denominations": {"2000": 2}, "coupons": 500, **second("CT-2")}
    assert api("FS-1", f"{path(house)}/drop-count", body)[0] == 403
    wrong = api("CT-1", f"{path(house)}/drop-count", {**body, "seal": "S-2"})[1]["error"]
    assert (wrong["code"], wrong["where"]) == ("seal_differs", "seal")
    status, counted = api("CT-1", f"{path(house)}/drop-count", body)
    assert (status, counted["total"], counted["coupons"]) == (201, 4_500, 500)
    proposal = {"uuid": str(uuid4()), "count": "closer", "reason": "rack left out"}
    reopening = api("SM-1", f"{path(house)}/reopenings", proposal)[1]
    assert api("AU-1", f"reopenings/{reopening['uuid']}/approve", {})[1]["error"]["code"] == "password_required"
    assert api("AU-1", f"reopenings/{reopening['uuid']}/approve", {"password": SECRET})[1]["state"] == "approved"
    again = {"denominations": {"100": 5_101}, **second("SM-1")}
    assert api("PB-1", f"reopenings/{reopening['uuid']}/count", again)[1]["sequence"] == 2


def test_movements_through_the_api(house: House, api: Any) -> None:
    buy = {"uuid": str(uuid4()), "amount": 300_000}
    assert api("FS-1", f"{path(house)}/buy-ins", buy)[1]["error"]["code"] == "patron_asked"
    assert api("FS-1", f"{path(house)}/buy-ins", {**buy, "declined": True})[0] == 201
    marker = {"uuid": str(uuid4()), "amount": 50_000, "patron": "P-1", "instrument": "M-1"}
    kept = api("PB-1", f"{path(house)}/markers", marker)[1]
    redeem = {"uuid": str(uuid4()), "session": str(house.sessions["UTH-01"].uuid), "amount": 50_001}
    assert api("PB-1", f"markers/{kept['uuid']}/redemptions", redeem)[1]["error"]["facts"] == {"owed": 50_000}
    assert api("PB-1", f"markers/{kept['uuid']}/redemptions", {**redeem, "amount": 50_000})[0] == 201
    assert api("CG-1", "cash-outs", {"uuid": str(uuid4()), "property": "CASINO", "amount": 500})[0] == 201
    assert api("PB-1", "cash-outs", {"uuid": str(uuid4()), "property": "CASINO", "amount": 500})[0] == 403
    for amount in (0, -1, 1.5, True, "5", 10**15, None):
        assert api("FS-1", f"{path(house)}/buy-ins", {"uuid": str(uuid4()), "amount": amount})[1]["error"]["code"] == "bad_amount"


def test_turns_through_the_api(house: House, api: Any) -> None:
    dealer_pins.set_pin(house.dealers["D-1187"], "8351", at=house.clock, by=house.people["SM-1"])
    status, turn = api("FS-1", f"{path(house)}/turns", {"dealer": "D-1187", "pin": "8351", "from_at": house.tick().isoformat()})
    assert (status, turn["signed"]) == (201, True)
    assert api("FS-1", f"{path(house)}/turns", {"dealer": "D-9999"})[1]["error"]["code"] == "no_dealer"
    assert api("CG-1", f"{path(house)}/turns", {"dealer": "D-1187"})[0] == 403


def test_nobody_gets_in_without_signing_in(house: House) -> None:
    for address in ("sessions", "slips", f"{path(house)}/close", "cash-outs"):
        assert Client().post(f"/api/v1/{address}", {}, content_type="application/json").status_code in (401, 403)
