"""Many at once, in real threads: nothing lost, nothing twice, no floor crossed (B048, B054, B058, B064)."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from uuid import uuid4

import pytest
from django.db import connections
from rest_framework.test import APIClient

from casino.errors import CasinoError
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Account, Entry, Transfer
from ledger.selectors import balances
from ledger.services import post_entry
from tables.models import Round
from tables.services.rounds import record_round
from tables.slips import read_round_slip
from tests.builders import House, slip

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

A_MINUTE = 60.0
LEAST_A_SECOND = 25
"""Rounds that one table takes from twenty workers that share two cores with the database; elsewhere a hot account took a few."""


def at_once(work: Callable[[int], object], times: int, *, threads: int) -> list[object]:
    """Return what each of `times` calls came to, an error as its code."""

    def one(number: int) -> object:
        try:
            return work(number)
        except CasinoError as error:
            return error.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, range(times)))


def move(house: House, credit: str, debit: str, amount: int) -> Entry:
    draft = EntryDraft(
        kind="test",
        reference=f"test:{uuid4()}",
        property=house.property.uuid,
        currency="USD",
        gaming_day=house.shift.gaming_day,
        occurred_at=house.clock,
        transfers=[TransferDraft(credit, debit, amount)],
        shift=house.shift.uuid,
    )
    return post_entry(draft, by=house.people["PB-1"])


def held(code: str) -> int:
    account = Account.objects.get(code=code)
    return balances([account])[account.pk]


def with_floor(floor: int, *codes: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE ledger_account SET floor = %s WHERE code = ANY(%s)", [floor, list(codes)])


def test_six_holds_of_a_thousand_against_five_leave_one_refused(house: House) -> None:
    """B054."""
    move(house, "cage:chips", "vault:cash", 5_000)
    with_floor(0, "vault:cash")
    came = at_once(lambda _: move(house, "vault:cash", "cage:chips", 1_000).pk, 6, threads=6)
    assert [one for one in came if isinstance(one, str)] == ["floor"]
    assert held("vault:cash") == 0


def both_ways(house: House, times: int) -> None:
    """Post A→B and B→A `times` each at once, on accounts with floors, and have every one of them posted."""
    with_floor(-(10**9), "cage:chips", "vault:cash")
    before = held("cage:chips"), held("vault:cash")
    ways = (("cage:chips", "vault:cash"), ("vault:cash", "cage:chips"))
    came = at_once(lambda number: move(house, *ways[number % 2], 100).pk, 2 * times, threads=8)
    assert len(set(came)) == 2 * times and all(isinstance(one, int) for one in came)
    assert Entry.objects.filter(kind="test").count() == Transfer.objects.filter(entry__kind="test").count() == 2 * times
    assert (held("cage:chips"), held("vault:cash")) == before


def test_both_ways_at_once(house: House) -> None:
    """B058, a short one."""
    both_ways(house, 40)


@pytest.mark.slow
@pytest.mark.long
def test_both_ways_five_hundred_each(house: House) -> None:
    """B058."""
    both_ways(house, 500)


def test_fifty_different_rounds_at_once_are_fifty_entries_and_fifty_whole_answers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """B048: no id collides, no answer is empty, none is a 5xx; B064: all at one table, and none is lost."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)
    slips = [slip(house) for _ in range(50)]

    def post(number: int) -> object:
        api = APIClient()
        api.force_authenticate(house.people["PB-1"])
        answer = api.post("/api/v1/rounds", slips[number], format="json")
        return answer.status_code, answer.json().get("uuid"), answer.json().get("number"), bool(answer.json().get("entry"))

    came = at_once(post, 50, threads=20)
    assert {one[0] for one in came} == {201}
    assert [one[1] for one in came] == [raw["uuid"] for raw in slips]
    assert sorted(one[2] for one in came) == list(range(1, 51))
    assert all(one[3] for one in came)
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (50, 50)


@pytest.mark.slow
@pytest.mark.long
def test_b064_twenty_workers_settle_at_one_table_for_a_minute_and_lose_nothing(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every round moves the same two accounts; none waits for another's row, none has to be tried again, and all are there."""
    monkeypatch.setattr("casino.transactions.MOST_TRIES", 1)
    by, at, ends = house.people["PB-1"], house.tick().isoformat(), time.monotonic() + A_MINUTE

    def settle(_: int) -> int:
        done = 0
        while time.monotonic() < ends:
            record_round(read_round_slip(slip(house, occurred_at=at)), by=by, at=datetime.fromisoformat(at))
            done += 1
        return done

    came = at_once(settle, 20, threads=20)
    assert all(isinstance(one, int) and one > 0 for one in came), came
    many = sum(came)
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count(), Transfer.objects.filter(entry__kind="round").count()) == (
        many,
        many,
        2 * many,
    )
    assert sorted(Round.objects.values_list("number", flat=True)) == list(range(1, many + 1))
    assert held("tray:UTH-01") == 510_000 - 2_500 * many
    assert many / A_MINUTE >= LEAST_A_SECOND, came


@pytest.mark.parametrize("amount", [2**63 - 1, 2**63, 10**15, 10**40])
def test_an_amount_beyond_all_is_an_error_and_moves_nothing(house: House, amount: int) -> None:
    """B062."""
    api = APIClient()
    api.force_authenticate(house.people["PB-1"])
    seat = {"seat": 1, "ante": amount, "blind": amount, "folded": True}
    answer = api.post("/api/v1/rounds", slip(house, facts={"seats": [seat]}), format="json")
    assert (answer.status_code, answer.json()["error"]["code"], Round.objects.count()) == (400, "bad_amount", 0)
