"""Whole rounds by the million settle as the game settles each: every field of every wager, every hand, under many paytables."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.errors import InvalidSlip
from casino.odds import format_odds
from tables.engine import batch_payroll, batch_uth, payouts
from tables.engine.batch_payouts import Prices, cap, pay
from tables.engine.cards import NAMES
from tables.engine.faces import face
from tables.engine.game import WagerDue
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASSES, hand_class, strength
from tests.engine import test_engine_against_reference as generated

GOLDEN = Path(__file__).parent.parent / "golden"
RESULTS = {"win": 1, "push": 0, "lose": -1}
SEED = json.loads((Path(__file__).parents[2] / "tables/paytables/uth-seed@1.json").read_text())


def columns(deals: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The cards and the stakes of deals, as the batch takes them."""
    cards = np.frombuffer(b"".join(map(GAME.pack, deals)), np.uint8).reshape(-1, 21).T
    stakes = np.zeros((4, 7, len(deals)), np.int64)
    for number, deal in enumerate(deals):
        for stake in deal.stakes:
            stakes[GAME.wager_kinds.index(stake.kind), stake.seat - 1, number] = stake.stake
    return cards, stakes


def check(deals: list[Any], paytable: Paytable) -> int:
    """Settle both ways and compare every field; return how many wagers there were."""
    dues = batch_uth.settle(*columns(deals), paytable)
    wagers = 0
    for number, deal in enumerate(deals):
        settlement = GAME.settle(deal, paytable)
        check_round(settlement.dues, dues, number)
        check_hands(settlement.answer, dues, number)
        wagers += len(settlement.dues)
    assert not dues.refused.any()
    return wagers


def check_round(expected: tuple[WagerDue, ...], dues: batch_uth.Dues, number: int) -> None:
    """The wagers of one round are as `expected`, and where there is none there is nothing."""
    nothing = (0, 0, 0, batch_uth.NO_ROW, None, batch_uth.UNCUT)
    wanted = {(kind, seat): nothing for kind in range(4) for seat in range(7)}
    for due in expected:
        row = batch_uth.NO_ROW if due.row is None else CLASSES.index(due.row)
        uncapped = batch_uth.UNCUT if due.uncapped is None else due.uncapped
        place = GAME.wager_kinds.index(due.kind), due.seat - 1
        wanted[place] = (due.collect, due.pay, RESULTS[due.result], row, due.breakage, uncapped)
    for place, fields in wanted.items():
        at = (*place, number)
        figures = [int(array[at]) for array in (dues.collect, dues.pay, dues.result, dues.row)]
        assert (*figures, dues.breakage.at(at), int(dues.uncapped[at])) == fields, (place, expected)


def check_hands(answer: Mapping[str, Any], dues: batch_uth.Dues, number: int) -> None:
    """The classes of the hands, and whether the dealer qualifies, are those of the answer."""
    named = {seat["seat"]: seat["hand"] for seat in answer["seats"]}
    strengths = dues.hand[:, number].tolist()
    assert [None if strength == batch_uth.UNSEEN else hand_class(strength) for strength in strengths] == [named.get(seat) for seat in range(1, 8)]
    dealer = answer["dealer"]
    assert (dealer and dealer["hand"]) == (None if dues.dealer[number] == batch_uth.UNSEEN else hand_class(int(dues.dealer[number])))
    assert bool(dues.qualifies[number]) == bool(dealer and dealer["qualifies"])


def random_paytable(dice: random.Random) -> Paytable:
    def odds(most: int) -> str:
        return format_odds(Fraction(dice.randint(0, most), dice.choice([1, 1, 2, 3, 7])))

    caps = {"wager": {kind: dice.randint(0, 4000) for kind in GAME.wager_kinds if dice.random() < 0.5}, "seat": dice.choice([None, 3001])}
    rules = {
        "dealer_qualifies": dice.choice(["pair", "pair", "high_card", "two_pair"]),
        "trips_on_fold": dice.choice(["stays", "forfeits"]),
        "trips_when_beaten": dice.choice(["pays", "pushes"]),
        "payout_unit": dice.choice([1, 1, 5, 7, 100]),
        "rounding": dice.choice(["down", "up"]),
        "caps": dice.choice([None, caps]),
    }
    listed = {wager: {name: odds(30) for name in CLASSES if dice.random() < 0.6} for wager in ("blind", "trips")}
    return GAME.read_paytable({**SEED, "name": "random", "odds": listed, "rules": rules})


def random_round(dice: random.Random) -> dict[str, Any]:
    """A round of up to seven seats from a short deck, where pairs, straights, flushes and ties are common."""
    deck = dice.sample(NAMES[dice.choice([0, 12, 24]) :], 21)
    seats = []
    for seat in sorted(dice.sample(range(1, 8), dice.randint(1, 7))):
        ante = dice.choice([1, 5, 333, 501, 1000])
        played = dice.choice([{"street": "preflop", "play": 4 * ante}, {"street": "river", "play": ante}, {"folded": True}])
        wagers = {"ante": ante, "blind": ante, "trips": dice.choice([0, 1, 333, 500]), **played}
        seats.append({"seat": seat, "cards": [deck.pop(), deck.pop()], **wagers})
    return {"game": "uth", "id": "R", "community": deck[:5], "dealer": deck[5:7], "seats": seats}


def test_golden_rounds_settle_alike():
    for file in ("uth.jsonl", "uth_house.jsonl"):
        for line in (GOLDEN / file).read_text().splitlines():
            raw = json.loads(line)["round"]
            paytable = GAME.read_paytable(raw.pop("paytable", SEED))
            assert check([GAME.read(raw, paytable)], paytable)


@pytest.mark.parametrize("seed", range(40))
def test_random_rounds_settle_alike_under_random_paytables(seed):
    dice = random.Random(seed)
    paytable = random_paytable(dice)
    assert check([GAME.read(random_round(dice), paytable) for _ in range(60)], paytable) > 300


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**40))
def test_generated_rounds_settle_alike_or_are_refused_alike(seed):
    """Houses of every kind: odds in fifths, chips of 7 and 300, rounding up, down and not at all, caps on wagers and seats."""
    dice = random.Random(seed)
    raw = generated.uth_paytable(dice)
    paytable = GAME.read_paytable(raw)
    deals = [GAME.read({**generated.uth_round(dice, raw), "game": "uth", "id": "R"}, paytable) for _ in range(5)]
    dues = batch_uth.settle(*columns(deals), paytable)
    for number, deal in enumerate(deals):
        try:
            settlement = GAME.settle(deal, paytable)
        except InvalidSlip:
            assert dues.refused[number]
            continue
        assert not dues.refused[number]
        check_round(settlement.dues, dues, number)
        check_hands(settlement.answer, dues, number)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**15 - 1), st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from([1, 7, 10**12]), st.sampled_from(["down", "up"]))
def test_breakage_is_exact_however_large(stake, numerator, denominator, unit, rounding):
    odds = Fraction(numerator, denominator)
    found = pay(np.array([stake]), np.zeros(1, np.uint8), Prices.of([odds]), unit=unit, rounding=rounding)
    try:
        expected = payouts.pay(stake, odds, unit=unit, rounding=rounding)
    except payouts.Unpayable:
        assert found.refused[0] and found.breakage.at((0,)) is None
    else:
        assert (int(found.pay[0]), found.breakage.at((0,))) == (expected.pay, expected.breakage)


def test_strengths_are_those_of_the_single_face():
    dice = random.Random(12)
    paytable = GAME.read_paytable(SEED)
    deals = [GAME.read(random_round(dice), paytable) for _ in range(200)]
    dues = batch_uth.settle(*columns(deals), paytable)
    for number, deal in enumerate(deals):
        assert dues.dealer[number] == strength((*deal.dealer, *deal.community))
        for seat in deal.seats:
            assert dues.hand[seat.seat - 1, number] == strength((*seat.cards, *deal.community))


def test_cards_that_nobody_saw_matter_to_no_wager():
    paytable = GAME.read_paytable(SEED)
    folded = {"game": "uth", "id": "R", "seats": [{"seat": 7, "ante": 100, "blind": 100, "folded": True}]}
    assert check([GAME.read(folded, paytable)] * 3, paytable) == 6


def test_chunks_do_not_matter(monkeypatch):
    dice = random.Random(9)
    monkeypatch.setattr(batch_uth, "CHUNK", 17)
    paytable = random_paytable(dice)
    check([GAME.read(random_round(dice), paytable) for _ in range(100)], paytable)


def test_rounds_that_cannot_be_paid_are_named():
    dice = random.Random(10)
    paytable = GAME.read_paytable({**SEED, "name": "strict", "rules": {"rounding": "exact_only", "payout_unit": 4}})
    lenient = GAME.read_paytable(SEED)
    deals = [GAME.read(random_round(dice), lenient) for _ in range(300)]
    refused = batch_uth.settle(*columns(deals), paytable).refused
    for deal, batch_refuses in zip(deals, refused.tolist(), strict=True):
        try:
            GAME.settle(deal, paytable)
        except InvalidSlip as error:
            assert batch_refuses and error.code == "inexact_payout"
        else:
            assert not batch_refuses
    assert 0 < refused.sum() < 300


@pytest.mark.parametrize("rounding", ["down", "up", "exact_only"])
@pytest.mark.parametrize("unit", [1, 3, 10**14])
@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(500), Fraction(10**9 - 1, 10**9 - 2), Fraction(10**9 - 1)])
def test_payouts_are_those_of_the_one_place_that_pays(odds, unit, rounding):
    """Also where stakes times odds pass 64 bits."""
    stakes = [0, 1, 2, 501, 10**6 + 1, 2 * 10**12, 10**15 - 1]
    paid = pay(np.array(stakes), np.zeros(len(stakes), np.uint8), Prices.of([odds]), unit=unit, rounding=rounding)
    for place, (stake, amount, is_refused) in enumerate(zip(stakes, paid.pay.tolist(), paid.refused.tolist(), strict=True)):
        try:
            expected = payouts.pay(stake, odds, unit=unit, rounding=rounding)
        except payouts.Unpayable:
            assert is_refused and amount == 0
        else:
            assert (amount, is_refused, paid.breakage.at((place,))) == (expected.pay, False, expected.breakage)


def test_caps_are_those_of_the_one_place_that_cuts():
    dice = random.Random(11)
    for _ in range(500):
        kinds = GAME.wager_kinds
        caps = {"wager": {kind: dice.randint(0, 99) for kind in kinds if dice.random() < 0.5}, "seat": dice.choice([None, dice.randint(0, 99)])}
        unit = dice.choice([1, 5])
        amounts = [dice.choice([0, 20, 50, 100]) // unit * unit for _ in kinds]
        expected = [cut.pay for cut in payouts.cap([payouts.Payout(amount) for amount in amounts], kinds, caps, unit=unit)]
        assert cap(np.array(amounts)[:, None], kinds, caps, unit=unit)[:, 0].tolist() == expected


def test_the_batch_is_found_by_the_code_of_the_game():
    assert face("batch", "uth") is batch_uth
    assert face("batch", "payroll") is batch_payroll
    assert face("batch", "roulette") is None
    assert GAME.wager_kinds == batch_uth.KINDS
