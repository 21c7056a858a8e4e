"""Pots by the million are divided as the game divides each: every seat's winnings, every hand, every rake, under many paytables."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.errors import InvalidSlip
from tables.engine import batch_payroll
from tables.engine.games.payroll import GAME
from tables.engine.payroll_key import kickers_of, pair_of
from tables.engine.paytable import Paytable
from tables.paytable_files import published
from tests.engine import test_engine_against_reference as generated

GOLDEN = Path(__file__).parent.parent / "golden"
RANKS = "23456789TJQKA"


def columns(deals: list[Any]) -> batch_payroll.Rounds:
    """Deals as the batch takes them."""
    cards = np.frombuffer(b"".join(map(GAME.pack, deals)), np.uint8).reshape(-1, 48).T
    stakes, folded = np.zeros((3, 8, len(deals)), np.int64), np.zeros((8, len(deals)), np.bool_)
    for number, deal in enumerate(deals):
        for stake in deal.stakes:
            stakes[GAME.wager_kinds.index(stake.kind), stake.seat - 1, number] = stake.stake
        for seat in deal.seats:
            folded[seat.seat - 1, number] = seat.folded
    return batch_payroll.Rounds(cards, stakes, folded, np.array([deal.button for deal in deals]))


def check(deals: list[Any], paytable: Paytable) -> int:
    """Settle both ways and compare every field; return how many wagers there were."""
    rounds = columns(deals)
    dues = batch_payroll.settle(rounds, paytable)
    wagers = 0
    for number, deal in enumerate(deals):
        try:
            settlement = GAME.settle(deal, paytable)
        except InvalidSlip as error:
            assert dues.refused[number] and error.code == "bad_amount"
            continue
        assert not dues.refused[number]
        check_wagers(settlement.dues, dues, number)
        check_answer(settlement.answer, dues, number)
        wagers += len(settlement.dues)
    return wagers


def check_wagers(expected: Any, dues: batch_payroll.Dues, number: int) -> None:
    """What is collected of each stake and paid of the pot; of no wager of this game a row, rounding or cap is told."""
    collect, won = np.zeros((3, 8), np.int64), np.zeros(8, np.int64)
    for due in expected:
        assert (due.row, due.breakage, due.uncapped) == (None, None, None)
        if due.kind == "pot":
            won[due.seat - 1] = due.pay
            assert (due.collect, due.result) == (0, "win")
        else:
            collect[GAME.wager_kinds.index(due.kind), due.seat - 1] = due.collect
            assert (due.pay, due.result) == (0, "lose")
    assert (dues.collect[..., number] == collect).all()
    assert dues.won[:, number].tolist() == won.tolist()


def check_answer(answer: Any, dues: batch_payroll.Dues, number: int) -> None:
    """Pot, rake, winners, and each hand that was compared."""
    assert (int(dues.pot[number]), int(dues.rake[number])) == (answer["pot"], answer["rake"])
    assert (np.flatnonzero(dues.winners[:, number]) + 1).tolist() == answer["winners"]
    named = {seat["seat"]: (seat["pair"], seat["kickers"]) for seat in answer["seats"]}
    for seat, key in enumerate(dues.key[:, number].tolist(), start=1):
        assert in_ranks(key) == named.get(seat, (None, None))


def in_ranks(key: int) -> tuple[str | None, list[str] | None]:
    if key == batch_payroll.NO_KEY:
        return None, None
    pair = pair_of(key)
    return None if pair is None else RANKS[pair], [RANKS[rank] for rank in kickers_of(key)]


def test_golden_rounds_settle_alike():
    seed = published()["payroll-seed@1"]
    for file in ("payroll", "payroll_house"):
        for line in (GOLDEN / f"{file}.jsonl").read_text().splitlines():
            raw = json.loads(line)["round"]
            own = raw.pop("paytable", None)
            paytable = GAME.read_paytable(own) if isinstance(own, dict) else seed
            assert check([GAME.read(raw, paytable)], paytable)


@pytest.mark.parametrize("seed", range(12))
def test_random_pots_are_divided_alike(seed):
    """Layers of all-in seats, folded money in them, equal hands, odd chips, rakes with and without a cap."""
    dice = random.Random(seed)
    raw = generated.payroll_paytable(dice)
    paytable = GAME.read_paytable(raw)
    deals = [GAME.read({**generated.payroll_round(dice, raw), "game": "payroll", "id": "R"}, paytable) for _ in range(150)]
    assert check(deals, paytable) > 600


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**40))
def test_generated_pots_are_divided_alike(seed):
    dice = random.Random(seed)
    raw = generated.payroll_paytable(dice)
    paytable = GAME.read_paytable(raw)
    deals = [GAME.read({**generated.payroll_round(dice, raw), "game": "payroll", "id": "R"}, paytable) for _ in range(4)]
    assert check(deals, paytable)


def test_pots_beyond_what_64_bits_multiply_and_winnings_beyond_what_may_be_paid():
    deals = [GAME.read(pot_of(bet), published()["payroll-seed@1"]) for bet in (10**14, 10**15 - 1)]
    for rules in ({}, {"rake_bps": 9999}, {"rake_bps": 1, "rake_cap": 7, "payout_unit": 5}):
        paytable = GAME.read_paytable({"game": "payroll", "name": "raked", "version": 1, "rules": {"ante": 100, **rules}})
        dues = batch_payroll.settle(columns(deals), paytable)
        assert dues.refused.tolist() == [False, rules.get("rake_bps") != 9999]
        check(deals, paytable)


def pot_of(bet: int) -> dict[str, Any]:
    seats = [
        {"seat": 1, "up": "8h", "rolls": [2], "kept": ["8h", "8c", "5d"], "discarded": [], "bet": bet},
        {"seat": 2, "up": "7h", "rolls": [2], "kept": ["7h", "7c", "5s"], "discarded": [], "bet": bet},
    ]
    return {"game": "payroll", "id": "R", "button": 2, "ante": 100, "seats": seats}


def test_chunks_do_not_matter_and_no_rounds_are_none(monkeypatch):
    dice = random.Random(9)
    raw = generated.payroll_paytable(dice)
    paytable = GAME.read_paytable(raw)
    deals = [GAME.read({**generated.payroll_round(dice, raw), "game": "payroll", "id": "R"}, paytable) for _ in range(60)]
    monkeypatch.setattr(batch_payroll, "CHUNK", 7)
    check(deals, paytable)
    empty = batch_payroll.Rounds(*(array[..., :0] for array in columns(deals)))
    assert len(batch_payroll.settle(empty, paytable).pot) == 0
