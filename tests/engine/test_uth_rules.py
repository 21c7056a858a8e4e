"""Ultimate Texas Hold'em: the table of what becomes of each wager, its switches, its reasons, its irregular rounds."""

import json
from typing import Any

import pytest

from casino.errors import InvalidSlip
from tables.engine.game import Stake, games
from tables.engine.settle import read_round, settle
from tables.paytable_files import published
from tests.engine.sheets import UTH_ROUND, answer, copy, nets, results, seat_of, uth, uth_seat, version

SEED = published()["uth-seed@1"]
QUALIFIES = ("Kd 9s 7h 4c 2d", "Ks 3h")
"""The dealer has a pair of kings."""
DOES_NOT = ("Kd 9s 7h 4c 2d", "Qs Jd")
"""The dealer has king high."""


def test_the_specs_example_whole():
    found = answer(UTH_ROUND)
    for seat in found["seats"]:
        for wager in seat["wagers"].values():
            assert wager.pop("why")
    assert found == {
        "id": "T12-000123", "game": "uth", "paytable": "uth-seed@1", "paytable_sha256": SEED.sha256,
        "dealer": {"hand": "pair", "best": ["9s", "9d", "Kc", "Qh", "Jc"], "qualifies": True},
        "seats": [
            {"seat": 1, "hand": "two_pair", "best": ["As", "Ad", "9s", "9d", "Qh"], "net": 4500,
             "wagers": {"ante": {"stake": 1000, "result": "win", "net": 1000}, "blind": {"stake": 1000, "result": "push", "net": 0},
                        "play": {"stake": 4000, "result": "win", "net": 4000}, "trips": {"stake": 500, "result": "lose", "net": -500}}},
            {"seat": 2, "hand": None, "best": None, "net": -2000,
             "wagers": {"ante": {"stake": 1000, "result": "lose", "net": -1000}, "blind": {"stake": 1000, "result": "lose", "net": -1000}}},
        ],
        "house_net": -2500,
    }  # fmt: skip
    assert list(found) == ["id", "game", "paytable", "paytable_sha256", "dealer", "seats", "house_net"]
    assert list(found["seats"][0]["wagers"]) == ["ante", "blind", "play", "trips"]


@pytest.mark.parametrize(
    ("dealt", "cards", "expected"),
    [
        (QUALIFIES, "Ac Ad", ("win", "push", "win")),
        (DOES_NOT, "Ac 3h", ("push", "push", "win")),
        (QUALIFIES, "Kh 3d", ("push", "push", "push")),
        (DOES_NOT, "Qh Jc", ("push", "push", "push")),
        (QUALIFIES, "Ac Qh", ("lose", "lose", "lose")),
        (DOES_NOT, "Jh 3h", ("push", "lose", "lose")),
    ],
    ids=["beats", "beats one who does not qualify", "ties", "ties one who does not", "loses", "loses to one who does not"],
)
def test_what_becomes_of_the_main_wagers(dealt, cards, expected):
    found = results(uth(*dealt, uth_seat(1, cards, trips=0)))
    assert (found["ante"], found["blind"], found["play"]) == expected


def test_a_tie_pushes_the_blind_whatever_the_hand():
    assert results(uth("4c 5d 6h 7s 8c", "2h 2d", "Ah Kd"))["blind"] == "push"


def test_a_fold_loses_ante_and_blind_and_has_no_play():
    found = uth(*DOES_NOT, uth_seat(1, "Ac 3h", times=0, trips=0))
    assert nets(found) == {"ante": -1000, "blind": -1000}
    assert seat_of(found, 1)["hand"] == "high_card"


SET_AGAINST_FLUSH = ("9h 5h 2h Kc Qd", "Ah 3h")


@pytest.mark.parametrize(
    ("cards", "times", "rules", "result"),
    [
        ("9c 9d", 4, {}, ("win", 1500)),
        ("9c 9d", 4, {"trips_when_beaten": "pushes"}, ("push", 0)),
        ("9c Kd", 4, {"trips_when_beaten": "pushes"}, ("lose", -500)),
        ("9c 9d", 0, {}, ("win", 1500)),
        ("9c 9d", 0, {"trips_when_beaten": "pushes"}, ("win", 1500)),
        ("9c 9d", 0, {"trips_on_fold": "forfeits"}, ("lose", -500)),
        ("9c Kd", 0, {}, ("lose", -500)),
    ],
)
def test_trips_by_the_tables_switches(cards, times, rules, result):
    found = uth(*SET_AGAINST_FLUSH, uth_seat(1, cards, times=times), **rules)
    assert (results(found)["trips"], nets(found)["trips"]) == result


def test_trips_push_when_beaten_by_a_dealer_who_does_not_qualify():
    rules = {"dealer_qualifies": "royal_flush", "trips_when_beaten": "pushes"}
    found = uth(*SET_AGAINST_FLUSH, "9c 9d", **rules)
    assert found["dealer"]["qualifies"] is False
    assert results(found) == {"ante": "push", "blind": "lose", "play": "lose", "trips": "push"}


@pytest.mark.parametrize(("needed", "qualifies"), [("high_card", True), ("pair", True), ("two_pair", False)])
def test_what_the_dealer_qualifies_with_is_the_paytables(needed, qualifies):
    assert uth(*QUALIFIES, "Ac Ad", dealer_qualifies=needed)["dealer"]["qualifies"] is qualifies


def test_multiples_are_the_paytables():
    facts = copy(UTH_ROUND) | {"paytable": version("uth", play_multiples={"preflop": [5], "flop": [], "river": [1, 4]})}
    assert answer(facts)["error"]["facts"] == {"legal": [5]}
    facts["seats"][0]["street"] = "flop"
    assert "allows no times" in answer(facts)["error"]["message"]
    facts["seats"][0]["street"] = "river"
    assert "error" not in answer(facts)


# ---- what may be left out ----


@pytest.mark.parametrize(
    ("left_out", "dealer", "hand"),
    [(["dealer"], None, "pair"), (["community", "dealer"], None, None), (["community"], None, None), ([], "pair", "pair")],
)
def test_when_all_fold_cards_may_be_wanting(left_out, dealer, hand):
    facts = {**copy(UTH_ROUND), "seats": [{"seat": 3, "cards": "8s 8d", "ante": 100, "blind": 100, "folded": True}]}
    found = answer({key: value for key, value in facts.items() if key not in left_out})
    assert (found["dealer"] and found["dealer"]["hand"]) == dealer
    assert seat_of(found, 3)["hand"] == ("two_pair" if hand else None)
    assert found["house_net"] == 200


def test_forfeited_trips_need_no_cards():
    facts = {"game": "uth", "id": "x", "seats": [{"seat": 3, "ante": 100, "blind": 100, "trips": 50, "folded": True}]}
    assert answer(facts)["error"]["code"] == "cards_required"
    assert nets(answer(facts | {"paytable": version("uth", trips_on_fold="forfeits")}), 3) == {"ante": -100, "blind": -100, "trips": -50}


# ---- reasons ----


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("ante", "Flush, ace high, beats the dealer's pair of kings: the ante wager pays even money, 501 × 1:1 = 501."),
        ("blind", "Flush, ace high, beats the dealer's pair of kings: the blind wager pays flush 3:2, 501 × 3:2 = 751 1/2, rounded down to 751."),
        ("play", "Flush, ace high, beats the dealer's pair of kings: the play wager pays even money, 2004 × 1:1 = 2004."),
        ("trips", "Flush, ace high: the trips wager pays flush 6:1, 500 × 6:1 = 3000."),
    ],
)
def test_a_win_says_rule_hand_row_and_arithmetic(kind, why):
    found = uth("2h 7h 9h Kd 4c", "Ks 8d", uth_seat(1, "Ah 3h", ante=501))
    assert seat_of(found, 1)["wagers"][kind]["why"] == why


def whys(found: dict[str, Any]) -> dict[str, str]:
    return {kind: wager["why"] for kind, wager in seat_of(found, 1)["wagers"].items()}


def test_other_reasons():
    assert whys(uth(*DOES_NOT, "Ac 3h")) == {
        "ante": "Ace high beats the dealer's king high, which does not qualify: the ante wager of 1000 is returned.",
        "blind": "Ace high beats the dealer's king high, which does not qualify: high card is not in the blind odds, "
                 "the blind wager of 1000 is returned.",
        "play": "Ace high beats the dealer's king high, which does not qualify: the play wager pays even money, 4000 × 1:1 = 4000.",
        "trips": "Ace high: high card is not in the trips odds, the trips wager of 500 is lost.",
    }  # fmt: skip
    assert whys(answer({**UTH_ROUND, "seats": [UTH_ROUND["seats"][1] | {"seat": 1}]}))["ante"] == "Folded: the ante wager of 1000 is lost."
    assert whys(uth(*SET_AGAINST_FLUSH, uth_seat(1, "9c 9d", times=0), trips_on_fold="forfeits"))["trips"] == (
        "Three of a kind, nines: a folded hand forfeits its trips here, the trips wager of 500 is lost."
    )
    assert whys(uth(*SET_AGAINST_FLUSH, "9c 9d", trips_when_beaten="pushes"))["trips"] == (
        "Three of a kind, nines: three of a kind is in the trips odds but beaten, the trips wager of 500 is returned."
    )


@pytest.mark.parametrize(
    ("board", "dealer", "hand", "opening"),
    [
        ("9c 7s 5h 5s 3c", "4d Qs", "8h Ks", "Pair of fives, king against queen, beats the dealer's pair of fives:"),
        ("Kd 9s 7h 4c 2d", "Qs Jd", "Qd Tc", "King high, ten against jack, loses to the dealer's king high, which does not qualify:"),
        ("Kd Ks 9h 9c 2d", "Qs 3d", "Ad 3c", "Two pair, kings and nines, ace against queen, beats the dealer's two pair, kings and nines:"),
        ("Kd Ks Kh 7c 2d", "Qs Jd", "Qd Tc", "Three of a kind, kings, ten against jack, loses to the dealer's three of a kind, kings:"),
        ("Ah Jh 4h Kh 9c", "3h 2d", "5h 2s", "Flush, ace high, five against four, beats the dealer's flush, ace high:"),
        ("9d 9s 9h 9c 2d", "Qs Jd", "Kd Tc", "Four of a kind, nines, king against queen, beats the dealer's four of a kind, nines:"),
        ("9c 7s 5h 5s 3c", "4d Qs", "2h Qh", "Pair of fives ties the dealer's pair of fives:"),
    ],
)  # fmt: skip
def test_where_the_words_are_the_same_the_card_that_decides_is_named(board, dealer, hand, opening):
    assert whys(uth(board, dealer, hand))["ante"].startswith(opening)


def test_a_cut_payout_says_what_it_would_have_been():
    found = uth("9h Th Jh Qh 2c", "Ac 2d", "Kh 3d", caps={"wager": {"blind": 5000}, "seat": 20_000})
    assert nets(found) == {"ante": 1000, "blind": 5000, "play": 4000, "trips": 10_000}
    blind, trips = (seat_of(found, 1)["wagers"][kind] for kind in ("blind", "trips"))
    assert (blind["result"], blind["uncapped"], trips["uncapped"]) == ("win", 50_000, 20_000)
    assert blind["why"].endswith("the blind wager pays straight flush 50:1, 1000 × 50:1 = 50000, cut to 5000 by the cap of 5000.")
    assert trips["why"].endswith("500 × 40:1 = 20000, cut to 10000 by the seat's cap of 20000.")
    assert "breakage" not in blind


def test_rounding_and_cap_on_one_wager():
    found = uth(
        "2h 7h 9h Kd 4c", "Ks 8d", uth_seat(1, "Ah 3h", ante=501), rounding="up", payout_unit=50, caps={"wager": {"blind": 720}, "seat": None}
    )
    blind = seat_of(found, 1)["wagers"]["blind"]
    assert (blind["net"], blind["uncapped"]) == (700, 800)
    assert blind["why"].endswith("501 × 3:2 = 751 1/2, rounded up to 800, cut to 700 by the cap of 720.")


def test_less_than_a_minor_unit_is_told_beside_no_whole_ones():
    half = version("uth") | {"odds": {"blind": {"flush": "1:2"}, "trips": {}}}
    facts = {"game": "uth", "id": "x", "paytable": half, "community": "2h 7h 9h Kd 4c", "dealer": "Ks 8d", "seats": [uth_seat(1, "Ah 3h", ante=1)]}
    assert whys(answer(facts))["blind"].endswith("pays flush 1:2, 1 × 1:2 = 0 1/2, rounded down to 0.")


# ---- the settlement as values ----


def test_dues_are_the_answer():
    deal = read_round(UTH_ROUND, SEED)
    settlement = settle(deal, SEED)
    assert [(due.seat, due.kind, due.stake, due.collect, due.pay, due.result, due.row, due.odds) for due in settlement.dues] == [
        (1, "ante", 1000, 0, 1000, "win", None, 1), (1, "blind", 1000, 0, 0, "push", None, None), (1, "play", 4000, 0, 4000, "win", None, 1),
        (1, "trips", 500, 500, 0, "lose", None, None), (2, "ante", 1000, 1000, 0, "lose", None, None),
        (2, "blind", 1000, 1000, 0, "lose", None, None),
    ]  # fmt: skip
    assert [due.why for due in settlement.dues] == [wager["why"] for seat in settlement.answer["seats"] for wager in seat["wagers"].values()]
    assert settlement.hands == {1: "Two pair, aces and nines"}
    assert settlement.dealer_hand == "Pair of nines"
    assert settlement.rake == 0
    assert json.loads(settlement.json) == settlement.answer


def test_the_row_of_the_paytable_is_named():
    settlement = settle(deal := read_round(flush_round(), SEED), SEED)
    assert {due.kind: due.row for due in settlement.dues} == {"ante": None, "blind": "flush", "play": None, "trips": "flush"}
    assert [stake.kind for stake in deal.stakes] == ["ante", "blind", "play", "trips"]


def flush_round() -> dict[str, Any]:
    return {"game": "uth", "id": "f", "community": "2h 7h 9h Kd 4c", "dealer": "Ks 8d", "seats": [uth_seat(3, "Ah 3h")]}


def test_facts_are_canonical():
    facts = {**flush_round(), "dealer": "K♠8D", "seats": [uth_seat(5, "10h 3♥", trips=0), uth_seat(3, "Ah 6h") | {"folded": False}]}
    deal = read_round(facts, SEED)
    assert deal.facts == {
        "game": "uth", "id": "f", "community": ["2h", "7h", "9h", "Kd", "4c"], "dealer": ["Ks", "8d"],
        "seats": [
            {"seat": 3, "cards": ["Ah", "6h"], "ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"},
            {"seat": 5, "cards": ["Th", "3h"], "ante": 1000, "blind": 1000, "play": 4000, "street": "preflop"},
        ],
    }  # fmt: skip
    assert read_round(deal.facts, SEED).facts == deal.facts


def test_cards_are_packed_by_seat():
    packed = games()["uth"].pack(read_round(UTH_ROUND, SEED))
    assert list(packed) == [2, 31, 29, 36, 42, 44, 21, 51, 49, *[255] * 12]
    assert list(games()["uth"].pack(read_round(flush_round(), SEED)))[7:] == [255] * 4 + [50, 6] + [255] * 8


# ---- irregular ----


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"blind": 900}, "blind_not_equal_ante"),
        ({"folded": True}, "play_after_fold"),
        ({"play": 2000}, "bad_play_multiple"),
        ({"street": "turn"}, "bad_street"),
        ({"street": ""}, "bad_street"),
    ],
)
def test_what_may_be_irregular_passes_if_asked_and_keeps_its_stakes(change, code):
    facts = copy(UTH_ROUND)
    facts["seats"][0] |= change
    with pytest.raises(InvalidSlip) as refused:
        read_round(facts, SEED)
    assert refused.value.code == code
    deal = read_round(facts, SEED, irregular=True)
    seat = facts["seats"][0]
    assert deal.stakes[:4] == [Stake(1, kind, seat[kind]) for kind in ("ante", "blind", "play", "trips")]
    assert deal.facts["seats"][0] == seat


def test_a_missing_play_may_be_irregular_and_a_card_twice_may_not():
    facts = copy(UTH_ROUND)
    del facts["seats"][0]["play"]
    assert [stake.kind for stake in read_round(facts, SEED, irregular=True).stakes][:3] == ["ante", "blind", "trips"]
    facts["dealer"][0] = "As"
    with pytest.raises(InvalidSlip):
        read_round(facts, SEED, irregular=True)


def test_a_round_is_read_by_a_paytable_of_its_game_only():
    with pytest.raises(InvalidSlip) as refused:
        read_round(UTH_ROUND, published()["payroll-seed@1"])
    assert refused.value.code == "bad_paytable"


def test_what_follows_is_filled_in():
    complete = games()["uth"].layout.complete
    assert complete({"seat": 1, "ante": 500, "play": 1000}) == {"seat": 1, "ante": 500, "play": 1000, "blind": 500, "street": "flop"}
    assert complete({"seat": 1, "ante": 500, "blind": 400, "play": 500})["street"] == "river"
    assert complete({"seat": 1}) == {"seat": 1}
