"""Amounts that others got wrong by a cent: refused where they are not whole, exact however they were typed (B040, B044, B045, B047)."""

from __future__ import annotations

import json

import pytest
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from casino.errors import CasinoError, Refused
from casino.money import Minor, Notation, parse_amount
from ledger.models import Account, Entry
from ledger.selectors import balances
from ledger.services import post_entry
from tables.models import Round
from tables.services import chips
from tests.builders import House, slip
from tests.ledger.test_posting import draft

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


@pytest.mark.parametrize("paid_in", [["14.20"], ["0.10", "0.20"], ["14.1", "0.07", "0.03"]])
def test_b044_what_came_in_goes_out_to_the_last_unit_and_the_account_can_be_closed(house: House, paid_in: list[str]) -> None:
    """14.20 in and 14.20 out; 0.1 + 0.2 - 0.3: nothing is left, not even a part of a unit, nor is a unit more to be had."""
    by = house.people["CG-1"]
    account = Account.objects.create(property=house.property.uuid, code="wallet", kind="asset", currency="USD", floor=0)
    for number, text in enumerate(paid_in):
        post_entry(draft(house, ("cage:chips", "wallet", parse_amount(text, Notation(2))), reference=f"test:in:{number}"), by=by)
    out = parse_amount({"14.20": "14.20", "0.10": "0.3", "14.1": "14.20"}[paid_in[0]], Notation(2))
    with pytest.raises(Refused, match="wallet"):
        post_entry(draft(house, ("wallet", "cage:chips", out + 1), reference="test:more"), by=by)
    post_entry(draft(house, ("wallet", "cage:chips", out), reference="test:out"), by=by)
    assert balances([account])[account.pk] == 0
    Account.objects.filter(pk=account.pk).update(closed_at=house.clock)
    with pytest.raises(CasinoError), transaction.atomic():
        post_entry(draft(house, ("cage:chips", "wallet", 1), reference="test:again"), by=by)
    assert balances([account])[account.pk] == 0


def test_b045_no_door_takes_an_entry_with_two_debits(house: House, client: Client) -> None:
    """A transfer is one credit and one debit: half of one is refused by the service, and neither page nor API posts an entry at all."""
    before = Entry.objects.count()
    for transfer in ((None, "tray:UTH-01", 100), ("", "tray:UTH-01", 100), ("tray:UTH-01", "", 100), ("tray:UTH-01", "tray:UTH-01", 100)):
        with pytest.raises(CasinoError), transaction.atomic():
            post_entry(draft(house, transfer), by=house.people["CG-1"])
    for who in ("CG-1", "SM-1", "AU-1", "AD-1"):
        client.force_login(house.people[who])
        assert client.post("/admin/ledger/entry/add/", {"credit": "", "debit": "tray:UTH-01"}).status_code in (403, 404)
    schema = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    assert [path for path in schema["paths"] if any(word in path for word in ("entr", "transfer", "account", "journal"))] == []
    assert "credit_account" not in json.dumps(schema["components"])
    assert Entry.objects.count() == before


@pytest.mark.parametrize(("first", "second", "total"), [("2.0", "4.35", 635), ("4.8", "2.97", 777), ("2", "4.35", 635), ("4.80", "2.97", 777)])
def test_b047_a_total_is_the_same_however_its_lines_were_typed(house: House, first: str, second: str, total: int) -> None:
    box = Account.objects.get(code="drop:UTH-01")
    for text in (first, second):
        chips.buy_in(house.sessions["UTH-01"], Minor(parse_amount(text, Notation(2))), at=house.tick(), by=house.people["FS-1"])
    assert balances([box])[box.pk] == total


def test_an_amount_with_three_decimals_is_none_of_the_houses(house: House) -> None:
    with pytest.raises((CasinoError, ValueError)):
        parse_amount("2.215", Notation(2))
