"""Whole rounds by the million settle as the game settles each: every wager's collect, pay and result, under many paytables."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casino.errors import InvalidSlip
from casino.odds import format_odds
from tables.engine import batch_uth, payouts
from tables.engine.batch_payouts import Prices, cap, pay
from tables.engine.cards import NAMES
from tables.engine.faces import face
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASSES

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
    """Settle both ways and compare; return how many wagers there were."""
    cards, stakes = columns(deals)
    dues = batch_uth.settle(cards, stakes, paytable)
    wagers = 0
    for number, deal in enumerate(deals):
        expected = np.zeros((3, 4, 7), np.int64)
        for due in GAME.settle(deal, paytable).dues:
            expected[:, GAME.wager_kinds.index(due.kind), due.seat - 1] = due.collect, due.pay, RESULTS[due.result]
            wagers += 1
        found = np.stack([dues.collect[..., number], dues.pay[..., number], dues.result[..., number]])
        assert (found == expected).all(), deal
    assert not dues.refused.any()
    return wagers


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
    paid, refused = pay(np.array(stakes), np.zeros(len(stakes), np.uint8), Prices.of([odds]), unit=unit, rounding=rounding)
    for stake, amount, is_refused in zip(stakes, paid.tolist(), refused.tolist(), strict=True):
        try:
            expected = payouts.pay(stake, odds, unit=unit, rounding=rounding).pay
        except payouts.Unpayable:
            assert is_refused and amount == 0
        else:
            assert (amount, is_refused) == (expected, False)


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
    assert face("batch", "payroll") is None
    assert GAME.wager_kinds == batch_uth.KINDS
