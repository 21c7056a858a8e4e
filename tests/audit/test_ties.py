"""A tie that was taken or paid is found in every game that has ties; where hands share a pot, a share that is off. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from audit.compare import FindingDraft, WagerDone, compare_round
from tables.engine.game import Game, WagerDue, games
from tables.paytable_files import published

BOARD = ["Jd", "7h", "Jc", "Kh", "Ks"]
TIED: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "uth": (
        {
            "community": BOARD,
            "dealer": ["As", "Qc"],
            "seats": [{"seat": 1, "cards": ["Ah", "8h"], "ante": 1000, "blind": 1000, "play": 4000, "street": "preflop"}],
        },
        ("ante", "blind", "play"),
    ),
    "tcp": (
        {"dealer": ["Kh", "9c", "4d"], "seats": [{"seat": 1, "cards": ["Ks", "9d", "4c"], "ante": 1000, "play": 1000}]},
        ("ante", "play"),
    ),
}
WITHOUT = {"roulette": "a spin wins or loses a bet: nothing ties", "payroll": "equal hands share the pot: tested below"}


def settled(game: Game, facts: dict[str, Any]) -> list[WagerDue]:
    paytable = published()[game.default_paytable]
    return list(game.settle(game.read({"game": game.code, "id": "t", **facts}, paytable), paytable).dues)


def look(game: Game, dues: list[WagerDue], done: list[WagerDone]) -> list[FindingDraft]:
    return compare_round(dues, done, {}, is_pot_game=game.is_pot_game, major_over=10_000)


def test_every_game_is_here() -> None:
    assert set(TIED) | set(WITHOUT) == set(games())


@pytest.mark.parametrize("code", sorted(TIED))
def test_a_tie_that_was_taken_or_paid_is_found_on_each_of_its_wagers(code: str) -> None:
    game, (facts, tied) = games()[code], TIED[code]
    dues = settled(game, facts)
    pushed = {due.kind: due for due in dues if due.result == "push"}
    assert set(tied) <= set(pushed)
    right = [WagerDone(due.seat, due.kind, due.stake, due.collect, due.pay) for due in dues]
    assert look(game, dues, right) == []
    for kind in tied:
        due = pushed[kind]
        for collected, paid, name, effect in ((due.stake, 0, "push_taken", due.stake), (0, due.stake, "push_paid", -due.stake)):
            done = [WagerDone(due.seat, kind, due.stake, collected, paid) if one.kind == kind else one for one in right]
            [found] = look(game, dues, done)
            assert (found.kind, found.seat, found.wager, found.effect, found.due, found.done) == (name, 1, kind, effect, 0, paid - collected)


def test_equal_hands_share_a_pot_and_a_share_that_is_off_is_found() -> None:
    game = games()["payroll"]
    seats = [
        {"seat": 1, "up": "8h", "rolls": [2], "kept": ["8h", "8c", "5d"], "discarded": [], "bet": 500},
        {"seat": 2, "up": "8s", "rolls": [2], "kept": ["8s", "8d", "5c"], "discarded": [], "bet": 500},
    ]
    dues = settled(game, {"button": 2, "ante": 100, "seats": seats})
    shares = {due.seat: due.pay for due in dues if due.kind == "pot"}
    assert len(shares) == 2
    assert abs(shares[1] - shares[2]) <= 1
    right = [WagerDone(due.seat, due.kind, due.stake, due.collect, due.pay) for due in dues]
    assert look(game, dues, right) == []
    off = {(1, "pot"): 100, (2, "pot"): -100}
    done = [WagerDone(one.seat, one.kind, one.stake, one.collected, one.paid + off.get((one.seat, one.kind), 0)) for one in right]
    [found] = look(game, dues, done)
    assert (found.kind, found.effect, found.facts["shares"]["1"]) == ("pot_split", 0, {"due": shares[1], "done": shares[1] + 100})
