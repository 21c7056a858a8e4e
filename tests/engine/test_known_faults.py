"""Faults that users reported of other programs, as inputs: bugs.md, sections 1 and 2. The names carry its ids."""

import json
from fractions import Fraction

import pytest

from tables.engine.payouts import pay, share
from tests.engine.sheets import PAYROLL_ROUND, UTH_ROUND, answer, copy, errors, nets, payroll, payroll_seat, results, seat_of, uth, uth_seat, won

ALL_PUSH = {"ante": 0, "blind": 0, "play": 0}


def hands(found):
    return [seat["hand"] for seat in found["seats"]], found["dealer"]["hand"]


# ---- hands and casino payoffs ----


def test_b001_wheel_is_a_five_high_straight():
    found = uth("2d 3c 4h Kd 9s", "6s 5h", "As 5s")
    assert hands(found) == (["straight"], "straight")
    assert seat_of(found, 1)["best"] == ["5s", "4h", "3c", "2d", "As"]
    assert found["dealer"]["best"] == ["6s", "5h", "4h", "3c", "2d"]
    assert nets(found) == {"ante": -1000, "blind": -1000, "play": -4000, "trips": 2500}


def test_b003_runs_do_not_wrap_round():
    found = uth("2d 3c 4h 9s 7d", "8s 8c", "Ks Ah")
    assert hands(found) == (["high_card"], "pair")
    assert nets(found) == {"ante": -1000, "blind": -1000, "play": -4000, "trips": -500}


def test_b004_flush_and_straight_of_different_cards_are_a_flush():
    found = uth("Th Jh Qh 2h 3c", "Ac Ad", "9c Kh")
    assert seat_of(found, 1)["hand"] == "flush"
    assert nets(found) == {"ante": 1000, "blind": 1500, "play": 4000, "trips": 3000}


def test_b006_king_high_straight_flush_is_not_royal():
    found = uth("9h Th Jh Qh 2c", "Ac 2d", "Kh 3d")
    assert seat_of(found, 1)["hand"] == "straight_flush"
    assert nets(found) == {"ante": 1000, "blind": 50_000, "play": 4000, "trips": 20_000}


def test_b007_full_houses_with_equal_trips_are_told_apart_by_the_pair():
    found = uth("2s 3s 2h 3h 3d", "9s 9h", "Ts Th")
    assert results(found)["ante"] == "win"
    assert (nets(found)["blind"], nets(found)["trips"]) == (3000, 4000)


def test_b008_two_pair_is_decided_by_the_second_pair():
    found = uth("6c 6d Kh 9s 3c", "2h 2s", "5h 5s")
    assert seat_of(found, 1)["best"] == ["6d", "6c", "5s", "5h", "Kh"]
    assert results(found) == {"ante": "win", "blind": "push", "play": "win", "trips": "lose"}


def test_b010_equal_pairs_are_decided_by_kickers():
    found = uth("9c 7s 5h 5s 3c", "4d Qs", "8h Ks")
    assert found["dealer"]["qualifies"] is True
    assert results(found) == {"ante": "win", "blind": "push", "play": "win", "trips": "lose"}


@pytest.mark.parametrize(
    ("board", "dealer", "seat"),
    [("Jd 7h Jc Kh Ks", "As Qc", "Ah 8h"), ("9c Kh Kd 9s Ah", "5d Jd", "Qc 5h")],
    ids=["b011_no_sixth_card", "b012_queen_does_not_play"],
)
def test_b011_b012_ties_return_everything(board, dealer, seat):
    assert nets(uth(board, dealer, seat)) == ALL_PUSH | {"trips": -500}


def test_b015_straight_on_the_board_ties():
    assert nets(uth("4c 5d 6h 7s 8c", "2h 2d", "Ah Kd")) == ALL_PUSH | {"trips": 2500}


def test_b016_seats_that_share_the_boards_straight_are_equal_in_any_order():
    seats = [uth_seat(1, "9c 2s"), uth_seat(2, "Jh Kh"), uth_seat(3, "Qc 4h")]
    found = uth("Jd Tc Qs Ks 9s", "Qh 8d", *seats)
    assert [nets(found, number) for number in (1, 2, 3)] == [ALL_PUSH | {"trips": 2500}] * 3
    assert uth("Jd Tc Qs Ks 9s", "Qh 8d", *reversed(seats)) == found


def test_b018_pair_on_the_board_makes_two_pair_of_a_pair():
    found = uth("9d Ah Qs 8s 9s", "8c 5d", "4h Ac")
    assert hands(found) == (["two_pair"], "two_pair")
    assert found["dealer"]["qualifies"] is True
    assert results(found)["play"] == "win"


@pytest.mark.parametrize("ten", ["10s", "ts", "TS", "T♠", "Ts", "10S", "t♠"])
def test_b019_ten_is_read_in_every_spelling(ten):
    found = uth(f"{ten} Jd Qc 6d 5c", "9s Ah", "9h Ks")
    assert seat_of(found, 1)["best"] == ["Ks", "Qc", "Jd", "Ts", "9h"]
    assert results(found)["play"] == "win"


def test_b019_what_is_no_ten_is_named():
    found = uth("1Os Jd Qc 6d 5c", "9s Ah", "9h Ks")
    assert (found["error"]["code"], found["error"]["where"], found["error"]["facts"]) == ("bad_card", "community[0]", {"text": "1Os"})
    assert "“1Os”" in found["error"]["message"]


@pytest.mark.parametrize(
    ("dealer", "seats", "places"),
    [
        ("Kc 7d", ["7h 7h"], ["seats[0].cards[0]", "seats[0].cards[1]"]),
        ("Kc 2h", ["7h 8h"], ["community[0]", "dealer[1]"]),
        ("Kc 7d", ["7h 8h", "3s 7h"], ["seats[0].cards[0]", "seats[1].cards[1]"]),
    ],
)
def test_b020_a_card_twice_is_refused_with_both_places(dealer, seats, places):
    found = uth("2h 9s 9d Jc Qh", dealer, *seats)
    assert [error["code"] for error in found["errors"]] == ["duplicate_card"]
    assert found["error"]["where"] == places[1]
    assert found["error"]["facts"]["places"] == places


def test_b022_flush_ties_are_carried_to_the_fifth_card():
    assert nets(uth("Ah Kh Jh 4h 9c", "3h 2d", "5h 2s")) == {"ante": 1000, "blind": 1500, "play": 4000, "trips": 3000}


def test_b024_pocket_pair_counts_beside_two_pair_on_the_board():
    found = uth("Td Tc 4h 4s 2c", "Ks 9s", "Qh Qd")
    assert seat_of(found, 1)["best"] == ["Qh", "Qd", "Td", "Tc", "4s"]
    assert results(found)["play"] == "win"


def test_b026_a_pot_is_shared_by_a_written_rule_and_nothing_is_lost():
    assert share(30_300, 3, unit=1) == [10_100, 10_100, 10_100]
    assert share(100, 3, unit=1) == [34, 33, 33]
    assert share(1, 2, unit=1) == [1, 0]
    found = payroll(3, payroll_seat(2, "Ac Ad 5c"), payroll_seat(3, "Ah As 5h"), payroll_seat(5, "Kc Qc"), ante=101)
    assert won(found) == {2: 152, 3: 151, 5: 0}, "from the button's left seat 2 comes before the button"


def test_b028_an_all_in_seat_is_paid_what_it_won():
    seats = [payroll_seat(1, "Ac Ad", 50, all_in=True), payroll_seat(2, "Kc Kd", 500), payroll_seat(3, "Qc Jd", 500)]
    found = payroll(3, *seats)
    assert won(found) == {1: 450, 2: 900, 3: 0}
    assert sum(won(found).values()) == found["pot"] == 1350


def test_b029_dealer_who_does_not_qualify_returns_the_ante_and_pays_the_play():
    found = uth("Kd 9s 7h 4c 2d", "Qs Jd", uth_seat(1, "Ac 3h", trips=0))
    assert found["dealer"]["qualifies"] is False
    assert nets(found) == {"ante": 0, "blind": 0, "play": 4000}
    assert 6000 + seat_of(found, 1)["net"] == 10_000


def test_b031_trips_are_paid_when_the_dealer_does_not_qualify():
    assert nets(uth("Kd 9s 7h 4c 2d", "Qs Jd", "9h 9d")) == {"ante": 0, "blind": 0, "play": 4000, "trips": 1500}


def test_b032_a_push_returns_the_stakes_and_moves_nothing():
    found = uth("9c Kh Kd 9s Ah", "5d Jd", uth_seat(1, "Qc 5h", trips=0))
    assert nets(found) == ALL_PUSH
    assert (seat_of(found, 1)["net"], found["house_net"]) == (0, 0)


def test_b033_main_bets_do_not_depend_on_the_side_bet():
    with_trips, without = [uth("9c Kh Kd 9s Ah", "5d Jd", uth_seat(1, "Qc 5h", trips=trips)) for trips in (500, 0)]
    assert {kind: net for kind, net in nets(with_trips).items() if kind != "trips"} == nets(without) == ALL_PUSH


@pytest.mark.parametrize(("rounding", "paid"), [("down", [1500, 3750, 751, 1]), ("up", [1500, 3750, 752, 2])])
def test_b036_flush_pays_three_to_two_with_the_stated_rounding(rounding, paid):
    found = [uth("2h 7h 9h Kd 4c", "Ks 8d", uth_seat(1, "Ah 3h", ante=ante), rounding=rounding) for ante in (1000, 2500, 501, 1)]
    wagers = [seat_of(one, 1)["wagers"]["blind"] for one in found]
    assert [wager["net"] for wager in wagers] == paid
    half = "1/2" if rounding == "down" else "-1/2"
    assert [wager.get("breakage") for wager in wagers] == [None, None, half, half]


def test_b036_exact_only_refuses_what_does_not_come_out_even():
    found = uth("2h 7h 9h Kd 4c", "Ks 8d", uth_seat(1, "Ah 3h", ante=501), rounding="exact_only")
    assert (found["error"]["code"], found["error"]["where"]) == ("inexact_payout", "seats[0].blind")
    assert found["error"]["facts"] == {"exact": "1503/2"}


def test_b038_blind_pushes_where_a_pair_wins():
    assert nets(uth("Kd 9s 7h 4c 2d", "9h 8d", "Ks 3h")) == {"ante": 1000, "blind": 0, "play": 4000, "trips": -500}


# ---- money ----


def test_b041_halves_follow_the_stated_rule_never_the_even_neighbour():
    paid = [pay(stake, Fraction(3, 2), unit=1, rounding="down") for stake in (501, 503)]
    assert [(payout.pay, payout.breakage) for payout in paid] == [(751, Fraction(1, 2)), (754, Fraction(1, 2))]
    assert [pay(stake, Fraction(3, 2), unit=1, rounding="up").pay for stake in (501, 503)] == [752, 755]


@pytest.mark.parametrize("field", ["ante", "blind", "play", "trips"])
@pytest.mark.parametrize("value", ["9223372036854775807", "1e400", "25.75", "1000000000000000", '"1000"'])
def test_b043_b062_amounts_that_no_book_can_hold_are_refused(field, value):
    facts = copy(UTH_ROUND)
    facts["seats"][0][field] = "HERE"
    line = json.dumps(facts).replace('"HERE"', value)
    assert errors(line) == [("bad_amount", f"seats[0].{field}")]


def test_b062_a_payout_beyond_all_amounts_is_refused_at_its_stake():
    found = uth("Th Jh Qh 2h 3c", "Ac Ad", uth_seat(1, "Ah Kh", ante=10**14, trips=0))
    assert [(error["code"], error["where"]) for error in found["errors"]] == [("bad_amount", "seats[0].blind")]


def test_b062_a_pot_beyond_all_amounts_is_refused_at_the_winners_bet():
    highest = 10**15 - 1
    found = payroll(2, payroll_seat(1, "Ac Ad", highest), payroll_seat(2, "Kc Kd", highest))
    assert [(error["code"], error["where"]) for error in found["errors"]] == [("bad_amount", "seats[0].bet")]


def test_b062_sums_of_many_do_not_wrap():
    found = uth("2c 2d 7h 8s 9c", "Ks Qd", *[uth_seat(n, c, ante=10**14) for n, c in [(1, "As Ah"), (2, "Ad Ac")]])
    assert found["house_net"] == -2 * (10**14 + 4 * 10**14 - 500)


def test_b063_zero_null_and_absent_are_three_things():
    absent, zero, null = copy(UTH_ROUND), copy(UTH_ROUND), copy(UTH_ROUND)
    del absent["seats"][0]["trips"]
    zero["seats"][0]["trips"] = 0
    null["seats"][0]["trips"] = None
    assert answer(absent) == answer(zero)
    assert "trips" not in seat_of(answer(zero), 1)["wagers"]
    assert errors(null) == [("bad_amount", "seats[0].trips")]


def test_b063_a_bet_of_nothing_is_no_stake():
    assert seat_of(answer(PAYROLL_ROUND), 4)["stakes"] == {"ante": 100}
