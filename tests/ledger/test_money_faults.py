"""Amounts that others got wrong by a cent: refused where they are not whole, exact however they were typed (B040, B044, B047)."""

from __future__ import annotations

import json

import pytest
from rest_framework.test import APIClient

from casino.errors import CasinoError
from casino.money import Minor, Notation, parse_amount
from ledger.models import Account, Entry
from ledger.selectors import balances
from tables.models import Round
from tables.services import chips
from tests.builders import House, slip

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("amount", [2.215, "2.215", 2215.5, "2215"])
def test_b040_an_amount_with_more_decimals_than_money_has_is_refused_and_nothing_is_kept(house: House, amount: object) -> None:
    api = APIClient()
    api.force_authenticate(house.people["PB-1"])
    seat = {"seat": 1, "ante": amount, "blind": amount, "folded": True}
    answer = api.post("/api/v1/rounds", json.dumps(slip(house, facts={"seats": [seat]})), content_type="application/json")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], "ante" in error["where"]) == (400, "bad_amount", True)
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0)


def test_b044_what_came_in_and_went_out_leaves_exactly_nothing(house: House) -> None:
    """14.20 in and 14.20 out; 0.10 and 0.20 against 0.30."""
    tray = Account.objects.get(code="tray:UTH-01")
    before = balances([tray])[tray.pk]
    by, session = house.people["FS-1"], house.sessions["UTH-01"]
    for text in ("14.20", "0.10", "0.20"):
        chips.buy_in(session, Minor(parse_amount(text, Notation(2))), at=house.tick(), by=by)
    assert before - balances([tray])[tray.pk] == 1_420 + 10 + 20 == 1_420 + parse_amount("0.30", Notation(2))


@pytest.mark.parametrize(("first", "second", "total"), [("2.0", "4.35", 635), ("4.8", "2.97", 777), ("2", "4.35", 635), ("4.80", "2.97", 777)])
def test_b047_a_total_is_the_same_however_its_lines_were_typed(house: House, first: str, second: str, total: int) -> None:
    box = Account.objects.get(code="drop:UTH-01")
    for text in (first, second):
        chips.buy_in(house.sessions["UTH-01"], Minor(parse_amount(text, Notation(2))), at=house.tick(), by=house.people["FS-1"])
    assert balances([box])[box.pk] == total


def test_an_amount_with_three_decimals_is_none_of_the_houses(house: House) -> None:
    with pytest.raises((CasinoError, ValueError)):
        parse_amount("2.215", Notation(2))
