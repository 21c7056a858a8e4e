"""The board: every table with all that waits at it, in a known number of queries, in any column's order; alarms stand on it until they are taken."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.board import board_for
from audit.board_order import heads, in_order
from casino.alarms import raise_alarm
from casino.models import AlarmAcknowledgement
from tables.models import TableLimit
from tables.services import chip_slips, floor
from tables.slips import CountSlip
from tests.builders import House, play
from tests.corrections import deal, propose

pytestmark = pytest.mark.django_db


def limit(house: House, table: str, least: int, most: int, *, bet: str = "", hours: int = -3) -> None:
    by, approved_by = house.people["GM-1"], house.people["AU-1"]
    from_at = house.clock + timedelta(hours=hours)
    TableLimit.objects.create(table=house.tables[table], bet=bet, least=least, most=most, from_at=from_at, proposed_by=by, approved_by=approved_by)


@pytest.fixture
def busy(house: House) -> House:
    """Return the house with two rounds, a turn, limits, an open slip and a proposal at UTH-01."""
    session = house.sessions["UTH-01"]
    limit(house, "UTH-01", 500, 50_000)
    limit(house, "UTH-01", 1_000, 100_000, hours=-2)
    limit(house, "UTH-01", 100, 10_000, bet="trips")
    limit(house, "UTH-01", 1, 2, hours=30)  # not yet in force
    floor.begin_turn(session, house.dealers["D-1042"], from_at=house.tick(), by=house.people["FS-1"])
    deal(house)
    propose(house, deal(house))
    chip_slips.request_fill(session, CountSlip({500: 40}), at=house.tick(), by=house.people["FS-1"], uuid=uuid4())
    return house


def tile_of(house: House, code: str = "UTH-01", who: str = "AU-1"):  # type: ignore[no-untyped-def]
    board = board_for(house.people[who], at=house.clock)
    assert board is not None
    return next(tile for tile in board.tiles if tile.table.code == code)


def page(house: House, who: str = "AU-1", query: str = "") -> str:
    client = Client()
    client.force_login(house.people[who])
    return client.get(f"/admin/{query}").content.decode()


def test_a_table_says_what_waits_at_it(busy: House) -> None:
    tile = tile_of(busy)
    assert [(bet, limit.least, limit.most) for bet, limit in tile.limits] == [("", 1_000, 100_000), ("trips", 100, 10_000)]
    assert (tile.dealer, tile.dealer_for, tile.slips, tile.proposals, tile.rounds) == ("D-1042", "4 min", 1, 1, 2)
    quiet = tile_of(busy, "PAY-01")
    assert (quiet.limits, quiet.dealer, quiet.slips, quiet.proposals, quiet.quiet) == ([], "", 0, 0, True)


def test_it_takes_the_same_queries_however_much_goes_on(busy: House) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as made:
            board_for(busy.people["SV-1"], at=busy.clock)
        return len(made)

    queries()  # a person's roles are read once
    before = queries()
    for code in ("UTH-02", "PAY-01", "UTH-01"):
        play(busy, code)
        limit(busy, code, 1, 1_000_000, bet="ante")
    assert queries() == before <= 12


@pytest.mark.parametrize(
    ("order", "codes"),
    [
        ("", ["PAY-01", "UTH-01", "UTH-02"]),
        ("-table", ["UTH-02", "UTH-01", "PAY-01"]),
        ("rounds", ["PAY-01", "UTH-02", "UTH-01"]),
        ("-slips", ["UTH-01", "PAY-01", "UTH-02"]),
        ("limits", ["UTH-01", "PAY-01", "UTH-02"]),  # those without any come last
        ("-limits", ["UTH-01", "PAY-01", "UTH-02"]),
        ("nonsense", ["PAY-01", "UTH-01", "UTH-02"]),
        ("--table", ["PAY-01", "UTH-01", "UTH-02"]),
    ],
)
def test_any_column_orders_the_tables(busy: House, order: str, codes: list[str]) -> None:
    tiles = board_for(busy.people["AU-1"], at=busy.clock).tiles  # type: ignore[union-attr]
    assert [tile.table.code for tile in in_order(tiles, order, sees_expected=True)] == codes


def test_heads_say_how_it_is_sorted_and_lead_the_other_way() -> None:
    by_key = {head.key: head for head in heads("handle", sees_expected=False)}
    assert (by_key["handle"].sorted, by_key["handle"].leads_to) == ("ascending", "-handle")
    assert (by_key["rounds"].sorted, by_key["rounds"].leads_to) == ("none", "rounds")
    assert not {"expected", "win"} & by_key.keys()


def test_who_may_count_a_tray_cannot_order_by_what_it_should_hold(busy: House) -> None:
    boss = page(busy, "PB-1", "?sort=-win")
    assert 'aria-sort="descending"' not in boss
    assert "?sort=win" not in boss
    assert 'aria-sort="descending"' in page(busy, "AU-1", "?sort=-win")


def test_an_alarm_stands_on_the_board_until_somebody_takes_it_there(busy: House) -> None:
    alarm = raise_alarm("slip_waits", "k", "Fill 1 of UTH-01 waits.", pit="P1")
    raise_alarm("slip_waits", "k2", "Not of this pit.", pit="P2")
    shown = page(busy, "PB-1")
    assert "Fill 1 of UTH-01 waits." in shown
    assert "Not of this pit." not in shown
    client = Client()
    client.force_login(busy.people["PB-1"])
    done = client.post(f"/admin/casino/alarm/{alarm.pk}/acknowledge/", {"note": "The cage is on its way.", "back": "board"})
    assert done["Location"] == "/admin/"
    kept = AlarmAcknowledgement.objects.get()
    assert (kept.by.username, kept.note) == ("PB-1", "The cage is on its way.")
    assert "Fill 1 of UTH-01 waits." not in page(busy, "PB-1")
    assert "Fill 1 of UTH-01 waits." in client.get("/admin/casino/alarm/").content.decode()
