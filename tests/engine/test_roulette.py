"""Roulette: the felt of both wheels, what is due, what is refused, the exact edges, and a second settler that agrees."""

import json
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from casino.errors import InvalidSlip
from casino.money import Notation
from tables.edges import theoretical_win
from tables.engine import edge
from tables.engine.game import games
from tables.engine.games.roulette import FELTS, POCKETS, SPOTS, WHEELS, offered, words
from tables.fault_words import in_money
from tables.paytable_files import published
from tables.reference import roulette
from tests.engine.sheets import answer, errors, nets, seat_of

GAME = games()["roulette"]
SINGLE, DOUBLE = published()["roulette-single-zero@1"], published()["roulette-double-zero@1"]


def version(bets: dict[str, str] | None = None, **rules: Any) -> dict[str, Any]:
    """The single-zero paytable with other odds or rules, under another name."""
    content = json.loads(SINGLE.canonical)
    return content | {"name": "house", "odds": {"bets": {**content["odds"]["bets"], **(bets or {})}}, "rules": {**content["rules"], **rules}}


def sheet(pocket: str, *seats: dict[str, int], **more: Any) -> dict[str, Any]:
    """A round of seats with these bets."""
    placed = [{"seat": number, "bets": bets} for number, bets in enumerate(seats, start=1)]
    return {"game": "roulette", "id": "sheet", "pocket": pocket, "seats": placed} | more


def double(pocket: str, *seats: dict[str, int]) -> dict[str, Any]:
    return sheet(pocket, *seats, paytable="roulette-double-zero@1")


# ---- the felt ----


@pytest.mark.parametrize(
    ("wheel", "counted"),
    [
        ("single_zero", {"straight": 37, "split": 60, "street": 14, "corner": 23, "line": 11, "column": 3, "dozen": 3, "even_money": 6}),
        (
            "double_zero",
            {"straight": 38, "split": 62, "street": 15, "corner": 22, "top_line": 1, "line": 11, "column": 3, "dozen": 3, "even_money": 6},
        ),
    ],
)
def test_the_spots_of_a_felt(wheel, counted):
    assert Counter(spot.bet for spot in FELTS[wheel].values()) == counted


def test_a_name_says_what_is_covered_and_fits_the_books():
    assert max(map(len, SPOTS)) <= 20
    covered = {"split_17_20": "17 20", "corner_17_18_20_21": "17 18 20 21", "line_16_21": "16 17 18 19 20 21", "street_0_00_2": "0 00 2"}
    assert {kind: " ".join(sorted(SPOTS[kind].numbers, key=POCKETS.index)) for kind in covered} == covered
    assert tuple(SPOTS) == GAME.wager_kinds


def test_no_two_spots_of_a_bet_cover_the_same():
    assert len({(spot.bet, spot.numbers, spot.kind if spot.bet == "even_money" else "") for spot in SPOTS.values()}) == len(SPOTS)


def test_the_reference_reads_the_same_numbers_from_the_names():
    for kind, spot in SPOTS.items():
        assert {pocket for pocket in POCKETS if roulette.roulette_covers(kind, pocket)} == spot.numbers
        assert roulette.roulette_bet(kind) == spot.bet == GAME.bet_of(kind)
    assert sorted(SPOTS, key=roulette.roulette_order) == list(SPOTS)


@pytest.mark.parametrize(
    ("pocket", "told"), [("0", "Zero"), ("00", "Double zero"), ("17", "Seventeen, black"), ("20", "Twenty, black"), ("36", "Thirty-six, red")]
)
def test_pockets_in_words(pocket, told):
    assert words(pocket) == told


# ---- what is due ----


def test_a_seat_with_several_bets_of_a_kind():
    found = answer(sheet("17", {"straight_17": 500, "straight_20": 500, "split_17_20": 1000, "black": 2500, "dozen_2": 300, "column_1": 300}))
    assert nets(found) == {"straight_17": 17_500, "straight_20": -500, "split_17_20": 17_000, "column_1": -300, "dozen_2": 600, "black": 2500}
    assert (found["pocket"], seat_of(found, 1)["net"], found["house_net"]) == ("17", 36_800, -36_800)


@pytest.mark.parametrize(
    ("kind", "net"),
    [
        ("straight_17", 3500), ("split_14_17", 1700), ("street_16_17_18", 1100), ("corner_13_14_16_17", 800), ("line_13_18", 500),
        ("column_2", 200), ("dozen_2", 200), ("black", 100), ("odd", 100), ("low", 100), ("red", -100), ("even", -100), ("high", -100),
    ],
)  # fmt: skip
def test_each_bet_by_its_odds(kind, net):
    assert nets(answer(sheet("17", {kind: 100}))) == {kind: net}


def test_zero_takes_every_outside_bet():
    outside = {kind: 100 for kind, spot in SPOTS.items() if spot.bet in ("column", "dozen", "even_money")}
    for facts in (sheet("0", outside), double("0", outside), double("00", outside)):
        assert set(nets(answer(facts)).values()) == {-100}


def test_bets_that_touch_the_zeros():
    assert nets(answer(sheet("0", {"corner_0_1_2_3": 100, "street_0_2_3": 100, "split_0_3": 100}))) == {
        "split_0_3": 1700,
        "street_0_2_3": 1100,
        "corner_0_1_2_3": 800,
    }
    assert nets(answer(double("00", {"top_line": 100, "split_0_00": 100, "street_0_1_2": 100}))) == {
        "split_0_00": 1700,
        "street_0_1_2": -100,
        "top_line": 600,
    }


def test_a_reason_is_read_aloud_and_its_numbers_are_no_amounts():
    why = seat_of(answer(sheet("17", {"corner_13_14_16_17": 500})), 1)["wagers"]["corner_13_14_16_17"]["why"]
    assert why == "Seventeen, black: the corner-13-14-16-17 wager pays corner 8:1, 500 × 8:1 = 4000."
    assert in_money(why, Notation(2)) == "Seventeen, black: the corner-13-14-16-17 wager pays corner 8:1, 5.00 × 8:1 = 40.00."


def test_caps_are_by_bet_and_the_largest_payout_of_a_seat_is_cut_first():
    bets = {"straight_17": 100, "straight_20": 100, "split_17_20": 100}
    capped = answer(sheet("17", bets, paytable=version(caps={"wager": {"straight": 2000}})))
    assert nets(capped) == {"straight_17": 2000, "straight_20": -100, "split_17_20": 1700}
    both = answer(sheet("17", bets, paytable=version(caps={"wager": {"straight": 2000}, "seat": 3000})))
    assert nets(both) == {"straight_17": 1300, "straight_20": -100, "split_17_20": 1700}
    assert seat_of(both, 1)["wagers"]["straight_17"]["uncapped"] == 3500


def test_a_payout_that_does_not_come_out_even_names_its_bet():
    facts = sheet("17", {"straight_17": 5, "red": 5}, paytable=version({"straight": "71:2"}, rounding="exact_only"))
    assert errors(facts) == [("inexact_payout", "seats[0].bets.straight_17")]


# ---- what is refused ----


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (sheet("37", {"red": 1}), [("bad_pocket", "pocket")]),
        (sheet("00", {"red": 1}), [("bad_pocket", "pocket")]),
        (sheet("17", {"split_17_19": 1, "red": 1, "x": 1}), [("bad_bet", "seats[0].bets.split_17_19"), ("bad_bet", "seats[0].bets.x")]),
        (sheet("17", {"red": 1}, {"top_line": 1}), [("bad_bet", "seats[1].bets.top_line")]),
        (double("17", {"corner_0_1_2_3": 1}), [("bad_bet", "seats[0].bets.corner_0_1_2_3")]),
        (sheet("17", {"red": 0}), [("bad_amount", "seats[0].bets.red")]),
        (sheet("17", {}), [("missing_field", "seats[0].bets")]),
        (sheet("17"), [("too_few_seats", "seats")]),
        (sheet("17", {"red": 1}) | {"pocket": 17}, [("bad_type", "pocket")]),
        (sheet("17", {"red": 1}) | {"seats": [{"seat": 9, "bets": {"red": 1}}]}, [("bad_seat", "seats[0].seat")]),
        (sheet("17", {"red": 1}) | {"seats": [{"seat": 1, "bets": [1]}]}, [("bad_type", "seats[0].bets")]),
        (sheet("17", {"red": 1}) | {"seats": [{"seat": 1}]}, [("missing_field", "seats[0].bets")]),
    ],
)
def test_what_is_refused(facts, expected):
    assert errors(facts) == expected


def test_a_bet_without_odds_is_not_taken():
    odds = {bet: price for bet, price in version()["odds"]["bets"].items() if bet != "street"}
    assert errors(sheet("17", {"street_16_17_18": 1}, paytable=version() | {"odds": {"bets": odds}})) == [
        ("bad_bet", "seats[0].bets.street_16_17_18")
    ]


def test_a_wheel_is_named_by_its_paytable():
    with pytest.raises(InvalidSlip) as refused:
        GAME.read_paytable(version(wheel="triple_zero"))
    assert [(fault.code, fault.where) for fault in refused.value.faults] == [("bad_paytable", "rules.wheel")]


def test_facts_are_canonical_whatever_the_order_of_keys():
    deal = GAME.read(sheet("00", {"red": 5, "split_1_2": 2, "straight_17": 1}), DOUBLE)
    assert list(deal.facts["seats"][0]["bets"]) == ["straight_17", "split_1_2", "red"]
    assert GAME.read(json.loads(json.dumps(deal.facts, sort_keys=True)), DOUBLE).stakes == deal.stakes
    assert (GAME.pack(deal), GAME.pack(GAME.read(sheet("17", {"red": 5}), SINGLE))) == (bytes([37]), bytes([17]))


# ---- edges ----


def test_every_bet_costs_one_in_37_with_a_single_zero():
    found = edge.edges(SINGLE)
    assert {bet: each.edge for bet, each in found.bets.items()} == dict.fromkeys(SINGLE.odds["bets"], Fraction(1, 37))
    assert edge.solve(SINGLE) == found


def test_every_bet_but_the_top_line_costs_one_in_19_with_two_zeros():
    edges = {bet: each.edge for bet, each in edge.edges(DOUBLE).bets.items()}
    assert edges.pop("top_line") == Fraction(3, 38)
    assert edges == dict.fromkeys(SINGLE.odds["bets"], Fraction(1, 19))


@pytest.mark.parametrize("paytable", [SINGLE, DOUBLE])
def test_edges_are_those_of_playing_every_pocket(paytable):
    wheel = (*WHEELS[paytable.rules["wheel"]], *POCKETS[2:])
    found = edge.edges(paytable).bets
    for kind, spot in offered(paytable).items():
        played = [GAME.settle(GAME.read(sheet(pocket, {kind: 36}), paytable), paytable).dues[0].net for pocket in wheel]
        assert Fraction(-sum(played), 36 * len(wheel)) == found[spot.bet].edge
        assert Fraction(sum(net > 0 for net in played), len(wheel)) == found[spot.bet].hit_frequency


def test_the_house_expects_its_edge_of_every_spot():
    stakes = {"straight_17": 1000, "straight_20": 700, "split_17_20": 1500, "red": 500}
    assert theoretical_win(edge.edges(SINGLE), stakes) == Fraction(3700, 37)


# ---- the second settler ----


def random_paytable(dice: random.Random) -> dict[str, Any]:
    basis = dice.choice(["to", "for"])
    odds = {spot.bet: f"{dice.randint(2, 60)}:{dice.choice([1, 1, 2])}" for spot in SPOTS.values()}
    caps = {"wager": {bet: dice.choice([0, 99, 500, 2000]) for bet in odds if dice.random() < 0.4}, "seat": dice.choice([None, 150, 2999])}
    rules = {"payout_unit": dice.choice([1, 5, 25]), "rounding": dice.choice(["down", "up", "exact_only"]), "caps": dice.choice([None, caps])}
    kept = {name: value for name, value in rules.items() if dice.random() < 0.9}
    return {
        "game": "roulette",
        "name": "random",
        "version": 1,
        "basis": basis,
        "odds": {"bets": odds},
        "rules": {"wheel": dice.choice(list(WHEELS)), **kept},
    }


def random_round(dice: random.Random, wheel: str) -> dict[str, Any]:
    pocket = dice.choice([*WHEELS[wheel] * 3, *POCKETS[2:]])
    around = [kind for kind, spot in FELTS[wheel].items() if pocket in spot.numbers]
    seats = [
        {kind: dice.choice([5, 7, 100, 100, 250]) for kind in (*dice.sample(list(FELTS[wheel]), 4), *dice.sample(around, dice.randint(0, 4)))}
        for _ in range(dice.randint(1, 4))
    ]
    return sheet(pocket, *seats)


def test_the_reference_settler_agrees():
    met: Counter[str] = Counter()
    for number in range(1000):
        dice = random.Random(number)
        paytable = GAME.read_paytable(random_paytable(dice))
        facts = random_round(dice, paytable.rules["wheel"])
        canonical = json.loads(paytable.canonical)
        told = f"seed {number}: {json.dumps(facts)} {paytable.canonical!r}"
        try:
            expected = roulette.settle_reference(facts, canonical)
        except ValueError:
            with pytest.raises(InvalidSlip, match="whole number"):
                GAME.settle(GAME.read(facts, paytable), paytable)
            met["refused"] += 1
            continue
        dues = GAME.settle(GAME.read(facts, paytable), paytable).dues
        assert {(due.seat, due.kind): (due.collect, due.pay) for due in dues} == expected, told
        met.update(f"{GAME.bet_of(due.kind)} {due.result}" for due in dues)
        met["capped"] += sum(due.uncapped is not None for due in dues)
    assert len(met) == 2 + 2 * 9, met
    assert min(met.values()) >= 10, met
