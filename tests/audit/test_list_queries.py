"""A list is read in a number of queries that does not grow with it: every list of the admin, the board, the search, with 3 rows and with 12."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.services import audit_payouts
from audit.shift_notes import add_note
from casino import people
from casino.alarms import raise_alarm
from casino.jobs import announce
from casino.money import Minor
from tables.models import Dealer
from tables.services import chip_slips, chips
from tables.slips import CountSlip
from tests.builders import House, fill, play
from tests.corrections import deal, propose

pytestmark = pytest.mark.django_db
LOOKERS = ("AU-1", "PB-1", "SM-1", "AD-1", "GM-1", "CG-1")
FEW, MANY = 3, 12

KEYS_FIRST = re.compile(r'SELECT "\w+"\."id" AS "pk" FROM')
"""What a list that is longer than a page asks first, once: the keys of its page."""


def _more(house: House, times: int) -> None:
    """Let `times` more of everything that has a list happen: rounds off and as due, proposals, findings, slips, chips, people, alarms, jobs."""
    by, session = house.people, house.sessions["UTH-01"]
    for _ in range(times):
        played = deal(house, done={"1": {"trips": {"paid": 2000}}})
        propose(house, played)
        play(house, "PAY-01")
        fill(session, CountSlip({500: 10}), at=house.tick(), requested_by=by["FS-1"], issued_by=by["CG-1"], received_by=by["PB-1"])
        chip_slips.request_fill(session, CountSlip({500: 4}), at=house.tick(), by=by["FS-1"], uuid=uuid4())
        chips.buy_in(session, Minor(10_000), at=house.tick(), by=by["FS-1"])
        chips.cash_out(house.property, Minor(2_000), at=house.tick(), by=by["CG-1"], uuid=uuid4())
        number = f"X-{uuid4().hex[:6]}"
        people.hire(number, number, None, by=by["AD-1"])
        people.grant_role(people.hire(f"Y{number}", number, None, by=by["AD-1"]), "supervisor", by=by["AD-1"], pits=["P1"])
        Dealer.objects.create(property=house.property, code=number)
        raise_alarm("slip_waits", number, "A fill waits.", pit="P1")
        announce("close_shift", f"close:{number}", {"shift": str(house.shift.uuid)}, by=by["SM-1"])
        add_note(house.shift, "The shuffler jams.", uuid=uuid4(), by=by["PB-1"])
    audit_payouts(house.shift)


def _pages(house: House) -> Iterator[str]:
    yield from (
        reverse("admin:index"),
        "/admin/?sort=-rounds",
        "/admin/search/?q=D-1187",
        reverse("admin:tables_shift_change", args=[house.shift.pk]),
    )
    for model in admin.site._registry:
        yield reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _queries(house: House, *, once: bool) -> dict[tuple[str, str], tuple[int, list[str]]]:
    """Return, by who looks and the page, how many queries the second look takes; `once`: each page by the first who may see it.

    What is remembered between requests is asked at the first look.
    """
    found: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for who in LOOKERS:
        client = Client()
        client.force_login(house.people[who])
        seen = {page for _, page in found} if once else set()
        for page in _pages(house):
            if page in seen or client.get(page).status_code != 200:
                continue
            with CaptureQueriesContext(connection) as queries:
                client.get(page)
            said = [one["sql"] for one in queries if not KEYS_FIRST.match(one["sql"])]
            found[who, page] = (len(said), said)
    return found


@pytest.mark.parametrize("once", [pytest.param(True, id="the first who may"), pytest.param(False, id="everybody", marks=pytest.mark.slow)])
def test_no_list_and_no_board_asks_more_the_longer_it_is(house: House, once: bool) -> None:
    _more(house, FEW)
    few = _queries(house, once=once)
    _more(house, MANY - FEW)
    many = _queries(house, once=once)
    assert few.keys() == many.keys()
    assert len(few) > (25 if once else 60)
    grown = [_told(page, few[page], many[page]) for page in many if many[page][0] > few[page][0]]
    assert grown == [], "\n".join(grown)


def _told(page: tuple[str, str], few: tuple[int, list[str]], many: tuple[int, list[str]]) -> str:
    """Return how a page grew, with the statement that comes more often than before."""

    def shape(sql: str) -> str:
        return re.sub(r"\d+|'[^']*'", "?", sql)

    more = Counter(map(shape, many[1])) - Counter(map(shape, few[1]))
    return f"{page[0]} {page[1]}: {few[0]} → {many[0]}: {[one[:160] for one, _ in more.most_common(2)]}"
