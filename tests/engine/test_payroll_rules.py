"""Payroll: ranking, the pot, what is answered, reasons, irregular rounds."""

import json
from typing import Any

import pytest

from casino.errors import InvalidSlip
from tables.engine.game import Stake, games
from tables.engine.settle import read_round, settle
from tables.paytable_files import published
from tests.engine.sheets import PAYROLL_ROUND, answer, copy, payroll, payroll_seat, seat_of, version, won

SEED = published()["payroll-seed@1"]


def test_the_specs_example_whole():
    found = answer(PAYROLL_ROUND)
    assert found == {
        "id": "P3-000007", "game": "payroll", "paytable": "payroll-seed@1", "paytable_sha256": SEED.sha256, "pot": 1400, "rake": 0,
        "winners": [1],
        "seats": [
            {"seat": 1, "pair": "8", "kickers": ["5"], "stakes": {"ante": 100, "bet": 500}, "won": 1400, "net": 800},
            {"seat": 2, "pair": "7", "kickers": ["A", "7", "7"], "stakes": {"ante": 100, "reroll_ante": 100, "bet": 500}, "won": 0, "net": -700},
            {"seat": 4, "pair": None, "kickers": None, "stakes": {"ante": 100}, "won": 0, "net": -100},
        ],
        "house_net": 0,
    }  # fmt: skip
    assert list(found) == ["id", "game", "paytable", "paytable_sha256", "pot", "rake", "winners", "seats", "house_net"]


@pytest.mark.parametrize(
    ("higher", "lower"),
    [
        ("8h 8c 5d", "7h 7c 7d 7s Ah"),
        ("8h 8c Ad 3d", "8d 8s 6d 6s Kd"),
        ("Kh Kc Jd 9d 3d", "Kd Ks Js 8d 8s"),
        ("7h 6c 4d 2s 2d", "Ah Kd Qc Js Td"),
        ("Kh Kc 3d", "Kd Ks"),
        ("Ah", "Kh Qd Jc 9s 8s"),
        ("Ah 2d", "As"),
        ("2h 2c", "Ah"),
        ("Ah Ac Ad As", "Kh Kd Kc Ks Qd"),
    ],
)
def test_ranking(higher, lower):
    assert won(payroll(2, payroll_seat(1, higher), payroll_seat(2, lower))) == {1: 200, 2: 0}
    assert won(payroll(2, payroll_seat(1, lower), payroll_seat(2, higher))) == {1: 0, 2: 200}


def test_equal_hands_share_and_the_odd_units_go_from_the_buttons_left():
    seats = [payroll_seat(2, "Ac Kc"), payroll_seat(4, "Ad Kd"), payroll_seat(7, "As Ks"), payroll_seat(8, "2s", folded=True)]
    for button, parts in [(2, {4: 150, 7: 150, 2: 100}), (4, {7: 150, 2: 150, 4: 100}), (8, {2: 150, 4: 150, 7: 100})]:
        found = payroll(button, *seats, payout_unit=50)
        assert (found["pot"], found["winners"], won(found)) == (400, [2, 4, 7], parts | {8: 0})
    assert won(payroll(8, *seats, payout_unit=75)) == {2: 175, 4: 150, 7: 75, 8: 0}, "25 are smaller than a unit"


def test_the_last_hand_standing_is_not_compared():
    found = payroll(1, payroll_seat(1, "Ac Ad", 300, folded=True), payroll_seat(2, "2c 3d", 500))
    assert (won(found), found["winners"]) == ({1: 0, 2: 1000}, [2])
    assert (seat_of(found, 2)["pair"], seat_of(found, 2)["kickers"]) == (None, None)


def test_layers_winners_and_rake():
    seats = [
        payroll_seat(1, "Ac Ad", 100, all_in=True),
        payroll_seat(2, "Kc Kd", 500),
        payroll_seat(3, "Qc Qd", 500),
        payroll_seat(4, "2c", 300, folded=True),
    ]
    found = payroll(4, *seats, rake_bps=500, rake_cap=60)
    assert (found["pot"], found["rake"], found["house_net"]) == (1800, 60, 60)
    assert won(found) == {1: 800 - 60, 2: 1000, 3: 0, 4: 0}
    assert found["winners"] == [1, 2]


def test_a_seat_that_only_gets_its_own_money_back_is_no_winner():
    found = payroll(2, payroll_seat(1, "Ac Ad", 100, all_in=True), payroll_seat(2, "Kc Kd", 500))
    assert (won(found), found["winners"]) == ({1: 400, 2: 400}, [1])


def test_cards_that_nobody_saw_may_be_a_number():
    seen = {"discarded": ["2c", "3c"], "rolls": [4]}
    facts = [payroll_seat(1, "Ac Ad Kc") | seen, payroll_seat(2, "Qc Qd", folded=True)]
    counted = [payroll_seat(1, "Ac Ad Kc") | {"discarded": 2, "rolls": [4]}, payroll_seat(2, "Qc Qd", folded=True) | {"kept": 2}]
    assert payroll(2, *facts) == payroll(2, *counted)
    assert read_round(round_of(2, *counted), SEED).facts["seats"][1] == {
        "seat": 2,
        "up": "Qc",
        "rolls": [1],
        "kept": 2,
        "discarded": [],
        "bet": 0,
        "folded": True,
    }


def round_of(button: int, *seats: dict[str, Any]) -> dict[str, Any]:
    return {"game": "payroll", "id": "x", "button": button, "ante": 100, "seats": list(seats)}


def test_the_same_card_may_come_again_after_a_discard():
    first = payroll_seat(1, "Ac Ad") | {"rolls": [2], "discarded": ["5s"]}
    assert won(payroll(2, first, payroll_seat(2, "Kc 5s"))) == {1: 200, 2: 0}


# ---- the settlement as values ----


def test_dues_every_stake_goes_into_the_pot_and_what_was_won_comes_out():
    deal = read_round(PAYROLL_ROUND, SEED)
    settlement = settle(deal, SEED)
    assert [(due.seat, due.kind, due.stake, due.collect, due.pay, due.result) for due in settlement.dues] == [
        (1, "ante", 100, 100, 0, "lose"), (1, "bet", 500, 500, 0, "lose"), (1, "pot", 0, 0, 1400, "win"),
        (2, "ante", 100, 100, 0, "lose"), (2, "reroll_ante", 100, 100, 0, "lose"), (2, "bet", 500, 500, 0, "lose"),
        (4, "ante", 100, 100, 0, "lose"),
    ]  # fmt: skip
    assert deal.stakes == [Stake(due.seat, due.kind, due.stake) for due in settlement.dues if due.kind != "pot"]
    assert settlement.hands == {1: "Pair of eights with five", 2: "Pair of sevens with ace, seven, seven"}
    assert settlement.dealer_hand is None
    assert json.loads(settlement.json) == settlement.answer


def why(facts: dict[str, Any], seat: int, kind: str = "pot", **rules: Any) -> str:
    paytable = games()["payroll"].read_paytable(version("payroll", **rules))
    [due] = [due for due in settle(read_round(facts, paytable), paytable).dues if (due.seat, due.kind) == (seat, kind)]
    return due.why


def test_reasons():
    assert why(PAYROLL_ROUND, 1) == "Pair of eights with five: 1400 as best of 2 hands."
    assert why(PAYROLL_ROUND, 2, "reroll_ante") == "The reroll ante of 100 goes into the pot of 1400."
    layered = round_of(3, payroll_seat(1, "Ac Ad", 100, all_in=True), payroll_seat(2, "Kc Kd", 700), payroll_seat(3, "Qc Qd", 500, all_in=True))
    assert why(layered, 2, rake_bps=1000) == (
        "Pair of kings: 800 as best of 2 hands + 200 that nobody else met, returned = 1000. A rake of 140 was taken from the pot of 1600."
    )
    equal = round_of(2, payroll_seat(1, "Ac Kd"), payroll_seat(2, "Ad Kc"), payroll_seat(5, "Jd", folded=True))
    assert why(equal, 1) == "Ace high with king: 150 of 300 as one of 2 equal hands."
    three = round_of(3, payroll_seat(1, "Ac Kd"), payroll_seat(2, "Ad Kc"), payroll_seat(3, "Qc"))
    shared = "Ace high with king: {} of 300 as one of 2 equal hands, best of 3 hands"
    assert [why(three, seat, payout_unit=7) for seat in (1, 2)] == [
        shared.format(153) + ", with 6 that did not share evenly.",
        shared.format(147) + ".",
    ]
    assert why(round_of(2, payroll_seat(1, "Ac"), payroll_seat(2, "Ad", folded=True)) | {"seats": [
        payroll_seat(1, "Ac Kd"), payroll_seat(2, "Ad", folded=True)]}, 1) == "The last hand standing: 200 that no other hand reaches."  # fmt: skip


def test_cards_are_packed_by_seat():
    packed = games()["payroll"].pack(read_round(PAYROLL_ROUND, SEED))
    assert len(packed) == 48
    assert list(packed[:12]) == [26, 26, 24, 13, 255, 255, 22, 22, 20, 21, 23, 50]
    assert list(packed[18:24]) == [43, 43, 255, 255, 255, 255]
    assert set(packed[12:18]) | set(packed[24:]) == {255}


# ---- irregular ----


@pytest.mark.parametrize(
    ("seat", "change"),
    [
        (0, {"rolls": [1, 1, 1], "discarded": ["2d"]}),
        (0, {"rolls": [7]}),
        (0, {"rolls": [5]}),
        (0, {"kept": ["8h", "8c", "5d", "2h", "3h", "4h"], "rolls": [5]}),
        (0, {"bet": 400}),
        (2, {"bet": 900}),
    ],
)
def test_what_may_be_irregular_passes_if_asked_and_keeps_its_stakes(seat, change):
    facts = copy(PAYROLL_ROUND)
    facts["seats"][seat] |= change
    with pytest.raises(InvalidSlip):
        read_round(facts, SEED)
    deal = read_round(facts, SEED, irregular=True)
    assert deal.facts["seats"][seat] == facts["seats"][seat]
    stakes = {stake.kind: stake.stake for stake in deal.stakes if stake.seat == facts["seats"][seat]["seat"]}
    assert stakes.get("bet", 0) == facts["seats"][seat]["bet"]
    assert stakes.get("reroll_ante", 0) == 100 * max(0, len(facts["seats"][seat]["rolls"]) - 1)
    assert len(games()["payroll"].pack(deal)) == 48


def test_another_ante_may_be_irregular_and_a_card_in_two_places_may_not():
    facts = copy(PAYROLL_ROUND) | {"ante": 200}
    assert read_round(facts, SEED, irregular=True).stakes[0] == Stake(1, "ante", 200)
    facts["seats"][1]["discarded"] = ["8c"]
    with pytest.raises(InvalidSlip) as refused:
        read_round(facts, SEED, irregular=True)
    assert [fault.code for fault in refused.value.faults] == ["card_in_two_places"]
