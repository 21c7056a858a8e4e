"""What the database refuses of a round is named once and leaves nothing, alone (the commit checks the rest) and as part of another transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from django.db import connection, connections, transaction

from casino.errors import CasinoError
from casino.models import User
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Account, Entry
from ledger.services import post_entry
from tables.models import Round, Wager
from tables.services.rounds import record_round
from tables.slips import read_round_slip
from tests.builders import House, play, slip

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture(params=["alone", "in another transaction"])
def within(request: pytest.FixtureRequest) -> Callable[[], AbstractContextManager[Any]]:
    """Return what a round is recorded in."""
    return nullcontext if request.param == "alone" else transaction.atomic


def record(house: House, raw: dict, within: Callable[[], AbstractContextManager[Any]]) -> tuple[str, str, dict]:
    """Return how recording is refused; whoever asked still works in its own transaction afterwards, and keeps another round."""
    with within():
        with pytest.raises(CasinoError) as error:
            record_round(read_round_slip(raw), by=house.people["PB-1"], at=house.clock)
        assert User.objects.filter(username="PB-1").exists()
        connection.check_constraints()
    return error.value.code, error.value.where, dict(error.value.facts)


def as_owner(statement: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)


def kept() -> tuple[int, int, int]:
    return Round.objects.count(), Wager.objects.count(), Entry.objects.filter(kind="round").count()


def test_a_number_that_is_taken(house: House, within: Callable) -> None:
    play(house, number=7)
    before = kept()
    assert record(house, slip(house, number=7), within) == ("number_taken", "number", {"number": 7})
    assert kept() == before
    assert play(house).number == 8


def test_an_account_that_is_closed(house: House, within: Callable) -> None:
    Account.objects.filter(code="tray:UTH-01").update(closed_at=house.clock)
    assert record(house, slip(house), within)[0] == "account_closed"
    assert kept() == (0, 0, 0)


def test_an_account_that_is_missing_is_named(house: House, within: Callable) -> None:
    as_owner("UPDATE ledger_account SET code = 'tray:ELSEWHERE' WHERE code = 'tray:UTH-01'")
    code, _, facts = record(house, slip(house), within)
    assert (code, facts) == ("no_account", {"account": "tray:UTH-01"})
    assert kept() == (0, 0, 0)


def test_an_account_that_would_cross_its_floor(house: House, within: Callable) -> None:
    as_owner("UPDATE ledger_account SET floor = 509999 WHERE code = 'tray:UTH-01'")
    code, _, facts = record(house, slip(house), within)
    assert (code, facts) == ("floor", {"account": "tray:UTH-01"})
    assert kept() == (0, 0, 0)
    as_owner("UPDATE ledger_account SET floor = 500000 WHERE code = 'tray:UTH-01'")
    with within():
        play(house)
    assert kept()[0] == 1


def test_an_entry_under_the_rounds_reference_without_the_round(house: House, within: Callable) -> None:
    raw = slip(house)
    draft = EntryDraft(
        kind="test",
        reference=f"round:{raw['uuid']}",
        property=house.property.uuid,
        currency="USD",
        gaming_day=house.shift.gaming_day,
        occurred_at=house.clock,
        transfers=[TransferDraft("cage:chips", "tray:UTH-01", 1)],  # type: ignore[arg-type]
        shift=house.shift.uuid,
    )
    post_entry(draft, by=house.people["PB-1"])
    assert record(house, raw, within)[0] == "reference_reused"
    assert kept() == (0, 0, 0)


@pytest.mark.parametrize("table", ["tables_wager", "ledger_transfer"])
def test_a_month_that_has_no_partition(house: House, within: Callable, table: str) -> None:
    as_owner(f"ALTER TABLE {table} DETACH PARTITION {table}_202603")
    assert record(house, slip(house), within)[0] == "no_partition"
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0)


def test_the_same_uuid_at_another_table(house: House, within: Callable) -> None:
    raw = slip(house)
    other = {**slip(house, "PAY-01"), "uuid": raw["uuid"]}
    with within():
        first = record_round(read_round_slip(raw), by=house.people["PB-1"], at=house.clock)
        again = record_round(read_round_slip(raw), by=house.people["PB-1"], at=house.clock)
    assert (again.pk, again.known_before, first.known_before) == (first.pk, True, False)
    assert record(house, other, within)[:2] == ("reference_reused", "uuid")
    assert kept() == (1, 6, 1)


def test_what_is_kept_is_what_the_service_returns(house: House, within: Callable) -> None:
    """Odd words too: they go to the database as JSON."""
    note = "he said “no” \\ \" {NULL} ' $1 \u00e9\U0001f0a1"
    said = {"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": note}
    raw = slip(house, mispaid=[said], patrons={"2": "chips"}, funds={"1": {"trips": "promo"}}, for_dealer={"2": ["ante"]})
    with within():
        played = record_round(read_round_slip(raw), by=house.people["PB-1"], at=house.clock)
    read = Round.objects.get(uuid=raw["uuid"])
    columns = [field.attname for field in Round._meta.concrete_fields if field.attname != "made_in"]
    assert {name: getattr(played, name) for name in columns} == {
        name: bytes(value) if isinstance(value := getattr(read, name), memoryview) else value for name in columns
    }
    lines = (
        Wager.objects.filter(round=read).order_by("line").values_list("line", "seat", "kind", "patron", "note", "fund", "for_dealer", "first_paid")
    )
    assert list(lines) == [
        (1, 1, "ante", "", note, "chips", False, 1500),
        (2, 1, "blind", "", "", "chips", False, None),
        (3, 1, "play", "", "", "chips", False, None),
        (4, 1, "trips", "", "", "promo", False, None),
        (5, 2, "ante", "chips", "", "chips", True, None),
        (6, 2, "blind", "chips", "", "chips", False, None),
    ]
