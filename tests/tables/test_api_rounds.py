"""Rounds through the API: strict JSON, one answer a slip, errors that name the field, nothing for strangers."""

from __future__ import annotations

import json
from datetime import timedelta, timezone
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from tables.models import Round
from tests.builders import UTH_ROUND, House, play, slip, utc

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


def test_the_answer_of_a_round_just_made_is_what_is_read_of_it_and_costs_no_query(house: House, django_assert_max_num_queries: Any) -> None:
    """Whatever may be said of a round; and of an irregular one."""
    said = {"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": "seen „at once“"}
    more = {"patrons": {"2": "P-1"}, "funds": {"1": {"trips": "promo"}}, "for_dealer": {"2": ["ante"]}, "number": 12}
    done = {"1": {"blind": {"collected": 500, "paid": 3}}}
    moment = house.tick().astimezone(timezone(timedelta(hours=-5))).isoformat()
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "play": 2000, "street": "preflop"}
    dealt = {kind: {"collected": 0, "paid": paid} for kind, paid in (("ante", 1000), ("blind", 0), ("play", 2000))}
    odd = slip(house, facts={**UTH_ROUND, "seats": [seat]}, irregular={"reason": "two times before the flop"}, done={"1": dealt})
    assert [post(house, slip(house, table)).status_code for table in ("UTH-01", "PAY-01")] == [201, 201]
    for raw in (slip(house, mispaid=[said], done=done, occurred_at=moment, **more), odd, slip(house, "PAY-01")):
        with django_assert_max_num_queries(7):  # three of them because it is within another transaction
            made = post(house, raw)
        assert (made.status_code, made.json()) == (201, client(house).get(f"{URL}/{raw['uuid']}").json())


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


def test_the_highest_number_does_not_stop_the_table(house: House) -> None:
    assert post(house, slip(house, number=2**31 - 1)).status_code == 400
    assert post(house, slip(house, number=999_999)).status_code == 201
    assert post(house, slip(house)).json()["number"] == 1_000_000


@pytest.mark.parametrize(
    "done",
    [
        {"1": {"ante": {"paid": 999_999_999_999_999}}},
        {"1": {"ante": {"paid": 6 * 10**14}, "play": {"paid": 6 * 10**14}}},
    ],
)
def test_sums_of_a_round_are_bounded_too(house: House, done: dict) -> None:
    answer = post(house, slip(house, done=done))
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["where"]) == (400, "bad_amount", "done")
    assert Round.objects.count() == 0


@pytest.mark.parametrize("change", [{"table": "\ud800"}, {"dealer": "\ud800"}, {"patrons": {"1": "\ud800"}}, {"\ud800": 1}])
def test_half_a_character_is_a_400(house: House, change: dict) -> None:
    answer = post(house, {**slip(house), **change})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_json")


@pytest.mark.parametrize("cursor", ["cD1hYmM%3D", "cD0lMDA%3D"])
def test_a_cursor_that_is_none_of_ours_is_a_404(house: House, cursor: str) -> None:
    assert client(house).get(f"{URL}?cursor={cursor}").status_code == 404


@pytest.mark.parametrize(
    ("said", "done", "code"),
    [
        ({"status": "corrected", "first": {"collected": 0, "paid": 500}}, {"1": {"ante": {"paid": 7}}}, "still_off"),
        ({"status": "corrected", "first": {"collected": 1001, "paid": 0}}, {}, "bad_amount"),
        ({"status": "not_recovered"}, {}, "nothing_off"),
    ],
)
def test_a_mistake_that_contradicts_its_figures_is_refused(house: House, said: dict, done: dict, code: str) -> None:
    answer = post(house, slip(house, done=done, mispaid=[{"seat": 1, "wager": "ante", **said}]))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert answer.json()["error"]["where"].startswith("mispaid[0]")


@pytest.mark.parametrize("address", ["round/?gaming_day__year=99999", "round/?gaming_day__year__gte=-5", "round/?occurred_at__year=99999"])
def test_a_year_that_is_none_is_no_500(house: House, address: str) -> None:
    browser = Client()
    browser.force_login(house.people["SM-1"])
    assert browser.get(f"/admin/tables/{address}").status_code in {200, 302}


@pytest.mark.parametrize("typed", [{"table": "\x00"}, {"table": "UTH-01", "occurred_at": "9999-12-31T23:59:59"}])
def test_what_nobody_types_is_no_500_on_the_entry_form(house: House, typed: dict) -> None:
    browser = Client()
    browser.force_login(house.people["PB-1"])
    for address in ("/admin/tables/round/add/", "/admin/tables/round/preview/"):
        assert browser.post(address, typed).status_code < 500


def test_a_running_shift_is_not_reconciled_by_a_forged_order(house: House) -> None:
    from casino.models import Job

    browser = Client()
    browser.force_login(house.people["SM-1"])
    assert browser.post(f"/admin/tables/shift/{house.shift.pk}/reconcile/").status_code == 409
    assert Job.objects.count() == 0


def test_the_books_do_not_tell_an_open_tray_to_who_may_count_it(house: House) -> None:
    browser = Client()
    browser.force_login(house.people["SM-1"])
    page = browser.get("/admin/ledger/account/").content.decode()
    assert page.count("counted blind") >= 6
    assert "1,000,000.00" not in page
