"""What a person types becomes a slip, and what is wrong stands at its field. No database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from casino.errors import Fault
from casino.money import Notation
from casino.wall_clock import read_local
from tables.engine.game import games
from tables.fault_words import in_money
from tables.paytable_files import published
from tables.round_fields import TableFacts
from tables.round_form import RoundForm

UTH = TableFacts("UTH-01", games()["uth"], Notation(2), "America/Los_Angeles")
PAYROLL = TableFacts("PAY-01", games()["payroll"], Notation(2), "America/Los_Angeles")
PAGE = {"uuid": "11111111-2222-3333-4444-555555555555", "occurred_at": "2026-03-14T21:00:00", "who_dealt": "d-1187"}


def form(table: TableFacts = UTH, **typed: str) -> RoundForm:
    return RoundForm(table, PAGE | typed)


def messages(found: RoundForm) -> dict[str, list[str]]:
    return {name: [error.message for error in errors] for name, errors in found.errors.items()}


def test_the_least_that_is_typed_is_a_whole_seat() -> None:
    raw = form(r_community="2h9s9dJcQh", r_dealer="Kc 7d", s1_cards="A♠ Ad", s1_ante="10", s1_play="4x").slip()
    assert raw == {
        "uuid": PAGE["uuid"],
        "table": "UTH-01",
        "occurred_at": "2026-03-14T21:00:00-07:00",
        "dealer": "D-1187",
        "round": {
            "game": "uth",
            "id": "UTH-01-11111111",
            "community": "2h9s9dJcQh",
            "dealer": "Kc 7d",
            "seats": [{"seat": 1, "cards": "A♠ Ad", "ante": 1000, "play": 4000, "blind": 1000, "street": "preflop"}],
        },
    }


def test_what_was_typed_goes_before_what_would_follow() -> None:
    [seat] = form(s2_ante="10", s2_blind="15", s2_play="40", s2_street="flop").slip()["round"]["seats"]
    assert (seat["blind"], seat["street"]) == (1500, "flop")


def test_payroll_needs_no_form_of_its_own() -> None:
    typed = {"r_button": "4", "r_ante": "1", "s1_up": "8h", "s1_rolls": "2, 3", "s1_kept": "8h 8c", "s1_discarded": "3", "s1_bet": "5", "s4_up": "Qs"}
    facts = form(PAYROLL, **typed, s4_folded="on", s4_kept="1").slip()["round"]
    assert facts["button"] == 4
    assert facts["ante"] == 100
    assert facts["seats"] == [
        {"seat": 1, "up": "8h", "rolls": [2, 3], "kept": "8h 8c", "discarded": 3, "bet": 500},
        {"seat": 4, "up": "Qs", "rolls": [], "kept": 1, "discarded": [], "folded": True},
    ]


@pytest.mark.parametrize(("text", "minor"), [("10", 1000), ("10.5", 1050), ("1,000.00", 100_000), ("1 000", 100_000), ("0.29", 29), ("80.6", 8060)])
def test_amounts_are_read_in_the_houses_notation(text: str, minor: int) -> None:
    [seat] = form(s1_ante=text).slip()["round"]["seats"]
    assert seat["ante"] == minor


@pytest.mark.parametrize("text", ["1,00", "10.005", "ten", "-10", "1.000.000", "9,,999.99", "1e3", "١٠"])
def test_what_could_be_read_in_two_ways_is_refused_at_its_field(text: str) -> None:
    found = form(s1_ante=text)
    assert "ante" not in found.slip()["round"]["seats"][0]
    assert set(found.errors) == {"s1_ante"}


def test_a_currency_without_decimals_takes_none() -> None:
    yen = form(TableFacts("UTH-01", games()["uth"], Notation(0), "Asia/Tokyo"), s1_ante="25.75", s2_ante="2,500")
    seats = yen.slip()["round"]["seats"]
    assert messages(yen) == {"s1_ante": ["“25.75” has more than 0 decimals."]}
    assert seats[1]["ante"] == 2500


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("+15", {"collected": 0, "paid": 1500}),
        ("15", {"collected": 0, "paid": 1500}),
        ("−5.00", {"collected": 500, "paid": 0}),
        ("-5", {"collected": 500, "paid": 0}),
        ("0", {"collected": 0, "paid": 0}),
        ("−5.00 +15", {"collected": 500, "paid": 1500}),
    ],
)
def test_what_was_done_is_one_signed_amount(text: str, done: dict[str, int]) -> None:
    said = form(d1_trips=text).done(1, "trips")
    assert said is not None
    assert {"collected": said.collected, "paid": said.paid} == done


@pytest.mark.parametrize("text", ["+-5", "--5", "push", "5-", "1,5"])
def test_what_was_done_is_refused_where_it_is_no_amount(text: str) -> None:
    found = form(d1_trips=text)
    assert found.done(1, "trips") is None
    assert set(found.errors) == {"d1_trips"}


def test_what_stands_as_it_was_shown_is_as_due_even_when_due_has_changed() -> None:
    assert form(d1_trips="+15.00", w1_trips="+15.00").done(1, "trips") is None


def test_a_fault_stands_at_the_field_of_its_seat_whatever_seats_are_empty() -> None:
    found = form(s3_cards="As", s5_cards="Kd")
    found.place(Fault("wrong_card_count", "2 cards are due here, not 1.", "round.seats[1].cards", {"due": 2, "found": 1}))
    found.place(Fault("missing_field", "…", "done.5.trips.paid"))
    found.place(Fault("no_dealer", "There is no dealer D-9.", "dealer"))
    found.place(Fault("session_closed", "UTH-01 is not open.", "table"))
    assert list(found.errors) == ["s5_cards", "d5_trips", "who_dealt", ""]


def test_a_card_dealt_twice_is_named_at_both_places() -> None:
    found = form(r_community="2h9s9dJcQh", s2_cards="2h Kd")
    facts: dict[str, Any] = {"card": "2h", "places": ["community[0]", "seats[0].cards[0]"]}
    found.place(Fault("duplicate_card", "…", "round.seats[0].cards[0]", facts))
    words = "The two of hearts is dealt twice: the board and seat 2's cards."
    assert messages(found) == {"r_community": [words], "s2_cards": [words]}


@pytest.mark.parametrize(
    ("why", "shown"),
    [
        ("Pair of nines: the ante of 1000 is lost.", "Pair of nines: the ante of 10.00 is lost."),
        (
            "the blind pays flush 3:2, 501 × 3:2 = 751 1/2, rounded down to 751",
            "the blind pays flush 3:2, 5.01 × 3:2 = 7.51 1/2, rounded down to 7.51",
        ),
        ("Pair of eights with five: 1400 as best of 2 hands.", "Pair of eights with five: 14.00 as best of 2 hands."),
        ("355000 − 358500 = -3500.", "3,550.00 − 3,585.00 = −35.00."),
        ("5,100.00 − 5,050.00 = 50.00.", "5,100.00 − 5,050.00 = 50.00."),
    ],
)
def test_reasons_are_told_in_money(why: str, shown: str) -> None:
    assert in_money(why, Notation(2)) == shown


def test_an_hour_that_comes_twice_is_told_apart_by_its_offset() -> None:
    first, second = (read_local("2026-10-25T02:30:00", "Europe/Amsterdam", offset=offset) for offset in ("+02:00", "+01:00"))
    assert (second - first).total_seconds() == 0  # aware moments on one clock subtract as the clock shows them
    assert second.timestamp() - first.timestamp() == 3600


def test_an_hour_that_was_skipped_is_no_time() -> None:
    found = form(occurred_at="2026-03-08T02:30:00")
    found.slip()
    assert messages(found) == {"occurred_at": ["There is no such time: the clock was put forward over it."]}


def test_a_stake_says_what_it_was_put_down_in_and_for_whom() -> None:
    """Only of wagers that lie there: a mark on a spot that is empty by now says nothing."""
    typed = {
        "s1_cards": "AsAd",
        "s1_ante": "10",
        "s1_trips": "5",
        "s1_play": "4x",
        "f1_trips": "promo",
        "f1_ante": "cash",
        "f1_blind": "",
        "t1_trips": "on",
    }
    found = form(r_community="2h9s9dJcQh", r_dealer="Kc7d", f2_trips="promo", **typed)
    dues = _dues(found.slip())
    raw = found.slip(dues)
    assert (raw["funds"], raw["for_dealer"]) == ({"1": {"ante": "cash", "trips": "promo"}}, {"1": ["trips"]})
    assert "funds" not in form(r_community="2h9s9dJcQh", r_dealer="Kc7d", **{**typed, "s1_trips": "", "f1_ante": "chips"}).slip(dues[:3])
    assert messages(found) == {}


def test_what_no_stake_is_stands_at_its_wager_and_a_pot_takes_chips_alone() -> None:
    wrong = form(r_community="2h9s9dJcQh", r_dealer="Kc7d", s1_cards="AsAd", s1_ante="10", s1_play="4x", f1_ante="<script>")
    wrong.slip(_dues(wrong.slip()))
    assert messages(wrong) == {"f1_ante": ["A stake is chips, cash, promo."]}
    assert (PAYROLL.game.layout.funds, PAYROLL.game.layout.for_dealer) == (("chips",), False)


def _dues(raw: dict[str, Any]) -> Any:
    game = games()["uth"]
    paytable = game.read_paytable(json.loads(published()["uth-seed@1"].canonical))
    return game.settle(game.read(raw["round"], paytable), paytable).dues
