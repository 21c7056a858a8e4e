"""Entries posted and reversed: the same reference once, exact to the unit, floors held, everything or nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections

from casino.errors import BrokenBooks, Conflict, NotFound, Refused
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Account, Entry
from ledger.selectors import balances, moved
from ledger.services import post_entry, reverse_entry
from tests.builders import House, play

pytestmark = pytest.mark.django_db


def draft(house: House, *transfers: tuple[str, str, int], reference: str = "test:1", memo: str = "") -> EntryDraft:
    return EntryDraft(
        kind="test",
        reference=reference,
        property=house.property.uuid,
        currency="USD",
        gaming_day=house.shift.gaming_day,
        occurred_at=house.clock,
        transfers=[TransferDraft(credit, debit, amount) for credit, debit, amount in transfers],
        shift=house.shift.uuid,
        session=house.sessions["UTH-01"].uuid,
        memo=memo,
    )


def held(house: House) -> dict[str, int]:
    accounts = list(Account.objects.filter(property=house.property.uuid))
    by_key = balances(accounts)
    return {account.code: by_key[account.pk] for account in accounts}


def test_the_same_reference_is_one_entry_and_another_event_under_it_a_conflict(house: House) -> None:
    by = house.people["PB-1"]
    first = post_entry(draft(house, ("cage:chips", "tray:UTH-01", 500)), by=by)
    assert post_entry(draft(house, ("cage:chips", "tray:UTH-01", 500)), by=by).pk == first.pk
    with pytest.raises(Conflict) as error:
        post_entry(draft(house, ("cage:chips", "tray:UTH-01", 501)), by=by)
    assert error.value.code == "reference_reused"
    assert Entry.objects.filter(kind="test").count() == 1


def test_a_reversal_moves_everything_back_to_the_unit_and_is_made_once(house: House) -> None:
    before = held(house)
    seat = {"seat": 3, "cards": ["Kh", "5h"], "ante": 501, "blind": 501, "play": 501, "street": "river"}
    played = play(house, facts={"community": ["2h", "7h", "9h", "Kd", "4c"], "dealer": ["Ks", "8d"], "seats": [seat]})
    entry = Entry.objects.get(round=played.uuid)
    assert held(house) != before
    back = reverse_entry(entry, occurred_at=house.tick(), reason="seat 3 misread", by=house.people["PB-1"], witness=house.people["SM-1"])
    assert held(house) == before
    assert (back.kind, back.reverses_id, back.transfer_count) == ("reversal", entry.pk, entry.transfer_count)
    assert moved(house.sessions["UTH-01"].uuid, "tray:UTH-01") == (751 + 501 + 501, 751 + 501 + 501)
    with pytest.raises(Refused):
        reverse_entry(back, occurred_at=house.clock, reason="no", by=house.people["PB-1"])


def test_a_round_that_moved_nothing_is_reversed_by_nothing(house: House) -> None:
    seat = {"seat": 1, "cards": ["Qc", "5h"], "ante": 1000, "blind": 1000, "play": 4000, "street": "preflop"}
    played = play(house, facts={"community": ["9c", "Kh", "Kd", "9s", "Ah"], "dealer": ["5d", "Jd"], "seats": [seat]})
    back = reverse_entry(Entry.objects.get(round=played.uuid), occurred_at=house.tick(), reason="misdeal", by=house.people["PB-1"])
    assert back.transfer_count == 0


def test_an_unknown_account_and_a_floor_are_named_and_nothing_moves(house: House) -> None:
    before = held(house)
    with pytest.raises(NotFound) as missing:
        post_entry(draft(house, ("cage:chips", "tray:NOWHERE", 500)), by=house.people["PB-1"])
    assert missing.value.facts == {"account": "tray:NOWHERE"}
    Account.objects.create(property=house.property.uuid, code="wallet", kind="asset", currency="USD", floor=0)
    with pytest.raises(Refused) as floor:
        post_entry(draft(house, ("wallet", "cage:chips", 1)), by=house.people["PB-1"])
    assert (floor.value.code, floor.value.facts) == ("floor", {"account": "wallet"})
    assert held(house) == {**before, "wallet": 0}


@pytest.mark.parametrize("transfer", [("cage:chips", "cage:chips", 1), ("cage:chips", "tray:UTH-01", 0), ("cage:chips", "tray:UTH-01", 10**15)])
def test_half_a_transfer_cannot_be_written(transfer: tuple[str, str, int]) -> None:
    with pytest.raises(BrokenBooks):
        TransferDraft(*transfer)


def in_threads(work: Callable[[int], object], times: int) -> list[object]:
    def one(number: int) -> object:
        try:
            return work(number)
        except Conflict as error:
            return error.code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, range(times)))


@pytest.mark.django_db(transaction=True)
def test_two_reversals_at_once_are_one(house: House) -> None:
    """B051."""
    entry = Entry.objects.get(round=play(house).uuid)
    got = in_threads(lambda _: reverse_entry(entry, occurred_at=house.clock, reason="twice", by=house.people["PB-1"]).pk, 8)
    assert len(set(got)) == 1
    assert Entry.objects.filter(kind="reversal").count() == 1


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_transfers_both_ways_at_once_on_accounts_with_floors_are_all_posted_at_the_first_try(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """B058: opposite lock orders deadlock elsewhere; here accounts are locked in one order, and nothing does (tries again: test_retries.py)."""
    monkeypatch.setattr("casino.transactions.MOST_TRIES", 1)
    with connections["owner"].cursor() as cursor:
        cursor.execute("UPDATE ledger_account SET floor = -1000000000 WHERE code IN ('cage:chips', 'vault:cash')")
    ways = [("cage:chips", "vault:cash", 100), ("vault:cash", "cage:chips", 100)]
    before = held(house)
    in_threads(lambda number: post_entry(draft(house, ways[number % 2], reference=f"test:{number}"), by=house.people["PB-1"]).pk, 100)
    assert Entry.objects.filter(kind="test").count() == 100
    assert held(house) == before
