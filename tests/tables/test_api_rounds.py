"""Rounds through the API: strict JSON, one answer a slip, errors that name the field, nothing for strangers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tables.models import Round
from tests.builders import House, play, slip, utc

pytestmark = pytest.mark.django_db
URL = "/api/v1/rounds"


@pytest.fixture(autouse=True)
def _night_clock(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the door the night's clock."""
    monkeypatch.setattr("tables.api.views.timezone.now", lambda: utc("2026-03-15T12:00:00+00:00"))


def client(house: House, number: str = "PB-1") -> APIClient:
    signed_in = APIClient()
    signed_in.force_authenticate(house.people[number])
    return signed_in


def post(house: House, body: Any, number: str = "PB-1", **headers: str) -> Any:
    text = body if isinstance(body, (str, bytes)) else json.dumps(body)
    return client(house, number).generic("POST", URL, text, content_type="application/json", headers=headers)


def test_a_round_is_recorded_and_read_again(house: House) -> None:
    raw = slip(house, done={"1": {"ante": {"paid": 1500}}})
    created = post(house, raw)
    assert created.status_code == 201
    answer = created.json()
    assert (answer["number"], answer["payout_variance"], answer["settlement"]["house_net"]) == (1, -500, -2500)
    assert answer["paytable_sha256"] == answer["settlement"]["paytable_sha256"]
    read = client(house).get(f"{URL}/{raw['uuid']}")
    assert (read.status_code, read.json()) == (200, answer)


def test_the_same_slip_again_is_the_same_answer_and_another_a_conflict(house: House) -> None:
    raw = slip(house)
    first, again = post(house, raw), post(house, raw)
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    other = post(house, {**raw, "dealer": "D-1042"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "reference_reused")
    assert Round.objects.count() == 1


def test_the_idempotency_key_is_the_uuid(house: House) -> None:
    raw = slip(house)
    refused = post(house, raw, **{"Idempotency-Key": "something else"})
    assert (refused.status_code, refused.json()["error"]["where"]) == (400, "Idempotency-Key")
    assert post(house, raw, **{"Idempotency-Key": raw["uuid"]}).status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        "NaN",
        '{"uuid": NaN}',
        '{"uuid": Infinity}',
        '{"a": 1, "a": 2}',
        b"\xff\xfe",
        '{"note": "a\\u0000b"}',
        "[" * 100_000,
        '{"x": ' + "1" * 20_000 + "}",
    ],
)
def test_what_is_no_slip_is_a_400(house: House, body: Any) -> None:
    answer = post(house, body)
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"]["code"]
    assert Round.objects.count() == 0


@pytest.mark.parametrize("stake", [1250.9, 1250.0, "1250", True, None, -1, 10**15, "sNaN", "1e400", 9223372036854775807])
def test_an_amount_is_a_whole_number_of_minor_units(house: House, stake: Any) -> None:
    raw = slip(house)
    seat = {**raw["round"]["seats"][0], "ante": stake, "blind": stake}
    raw["round"] = {**raw["round"], "seats": [seat]}
    answer = post(house, raw)
    assert answer.status_code == 400
    assert {"bad_amount"} == {error["code"] for error in answer.json()["errors"] if error["where"].endswith("ante")}
    assert answer.json()["error"]["where"].startswith("round.seats[0]")


@pytest.mark.parametrize(("key", "value"), [("table", True), ("table", 922469000000096100), ("number", 99999999999999999999), ("uuid", 1)])
def test_ids_of_another_type_are_a_400(house: House, key: str, value: Any) -> None:
    answer = post(house, {**slip(house), key: value})
    assert (answer.status_code, answer.json()["error"]["where"]) == (400, key)


def test_large_amounts_leave_as_exact_integers(house: House) -> None:
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 90_071_992_547_409, "blind": 90_071_992_547_409, "folded": True}
    raw = slip(house)
    raw["round"] = {"game": "uth", "id": "big", "seats": [seat]}
    assert '"stake":90071992547409' in post(house, raw).content.decode().replace(" ", "")


@pytest.mark.parametrize("address", [URL, f"{URL}/00000000-0000-0000-0000-000000000001", "/api/v1/schema/"])
@pytest.mark.parametrize("verb", ["get", "post", "options", "delete", "put"])
def test_strangers_see_nothing(address: str, verb: str) -> None:
    answer = getattr(Client(), verb)(address)
    assert answer.status_code in {401, 403}
    assert b"actions" not in answer.content


def test_roles_and_pits(house: House) -> None:
    raw = slip(house)
    for number in ("SV-1", "AU-1", "CG-1", "AD-1", "SM-1"):
        answer = post(house, raw, number)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed"), number
    assert post(house, raw, "PB-2").json()["error"]["code"] == "not_your_pit"
    played = play(house)
    assert client(house, "PB-2").get(f"{URL}/{played.uuid}").status_code == 404
    assert client(house, "PB-2").get(URL).json()["results"] == []
    assert client(house, "CG-1").get(URL).status_code == 403
    assert len(client(house, "SV-1").get(URL).json()["results"]) == 1


@pytest.mark.parametrize("query", ["gaming_day=06-01-2023", "gaming_day=31/02/2024", "shift=1", "cursor=%ff", "gaming_day=2024-13-01"])
def test_a_bad_filter_is_a_400_or_404(house: House, query: str) -> None:
    assert client(house).get(f"{URL}?{query}").status_code in {400, 404}


def test_a_nul_in_the_address_is_a_400(house: House) -> None:
    assert client(house).get(f"{URL}?table=%00").status_code == 400


def test_pages_hold_each_round_once_in_a_constant_number_of_queries(house: House, django_assert_max_num_queries: Any) -> None:
    moment = house.tick().isoformat()
    for _ in range(23):
        play(house, occurred_at=moment)
    seen: list[str] = []
    address: str | None = f"{URL}?limit=5"
    while address:
        with django_assert_max_num_queries(4):
            page = client(house).get(address).json()
        seen += [line["uuid"] for line in page["results"]]
        address = page["next"]
    assert (len(seen), len(set(seen))) == (23, 23)
    assert len(client(house).get(f"{URL}?limit=1000000").json()["results"]) == 23


def test_basic_sign_in_works_and_a_leaver_is_out(house: House) -> None:
    from base64 import b64encode

    boss = house.people["PB-1"]
    boss.set_password("a long enough one 17")
    boss.save()
    header = {"Authorization": "Basic " + b64encode(b"PB-1:a long enough one 17").decode()}
    assert Client().get(URL, headers=header).status_code == 200
    assert Client().get(URL, headers={"Authorization": "Basic " + b64encode(b"PB-1:wrong").decode()}).status_code == 401
    boss.is_active = False
    boss.save()
    assert Client().get(URL, headers=header).status_code == 401
