"""Rounds of Ultimate Texas Hold'em by the hundred thousand, dealt and played with NumPy: what seats win, and how they hang together."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.management.demo.uth_strategy import raises_before_flop
from tables.engine.batch import card_keys, strengths_by_key
from tables.engine.batch_uth import KINDS, settle
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASS_STARTS, CLASSES
from tables.paytable_files import published

UNIT = 100
"""Minor units of an ante, and of trips."""
GUESSES = 40
"""Hands of the dealer that a seat thinks of on the river."""
_PAIR = CLASS_STARTS[CLASSES.index("pair")]


class Pool(NamedTuple):
    """What the house wins in each round from each seat, in antes, with payouts beyond `cap` to one cut: shape (seats, rounds)."""

    main: NDArray[np.float64]
    trips: NDArray[np.float64]


@lru_cache(maxsize=4)
def pool(rounds: int, seats: int, seed: int, cap: int) -> Pool:
    """Return `rounds` rounds of `seats` seats, each with an ante and trips of one unit, played by a plain strategy that is close to the best."""
    paytable = published()["uth-seed@1"]
    parts = [_part(min(50_000, rounds - start), seats, np.random.default_rng([seed, start]), paytable, cap) for start in range(0, rounds, 50_000)]
    return Pool(*(np.concatenate([part[which] for part in parts], axis=1) for which in (0, 1)))


def _part(rounds: int, seats: int, rng: np.random.Generator, paytable: Paytable, cap: int) -> Pool:
    needed = 7 + 2 * seats
    cards = np.argsort(rng.random((rounds, 52), dtype=np.float32), axis=1)[:, :needed].astype(np.uint8).T
    deal = np.full((21, rounds), 255, np.uint8)
    deal[:needed] = cards
    stakes = np.zeros((len(KINDS), 7, rounds), np.int64)
    stakes[0, :seats] = stakes[1, :seats] = stakes[3, :seats] = UNIT
    stakes[2, :seats] = UNIT * _plays(cards[:5], cards[7::2], cards[8::2], rng)
    dues = settle(np.ascontiguousarray(deal), stakes, paytable)
    won = dues.collect - np.minimum(dues.pay, cap * stakes)
    return Pool(won[:3, :seats].sum(axis=0) / UNIT, won[3, :seats] / UNIT)


@lru_cache(maxsize=1)
def _chart() -> NDArray[np.bool_]:
    return np.array([[a != b and raises_before_flop((a, b)) for b in range(52)] for a in range(52)])


def _plays(board: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how many antes each seat plays, 0 where it folds: shape (seats, rounds)."""
    before = _chart()[first, second]
    flop = _hidden_pair(board[:3], first, second) | _flush_draw(board[:3], first, second)
    keys = card_keys(*board) + card_keys(first, second)
    strength = strengths_by_key(keys, (*(np.broadcast_to(card, first.shape) for card in board), first, second))
    river = np.zeros(first.shape, bool)
    seats, rounds = np.nonzero(~before & ~flop)
    river[seats, rounds] = _worth_an_ante(board[:, rounds], first[seats, rounds], second[seats, rounds], strength[seats, rounds], rng)
    return np.where(before, 4, np.where(flop, 2, np.where(river, 1, 0)))


def _worth_an_ante(board: NDArray, first: NDArray, second: NDArray, mine: NDArray, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return whether playing one ante on the river loses less than the two that folding loses, by `GUESSES` hands that the dealer may have."""
    value, guesses = np.zeros(first.shape), np.zeros(first.shape)
    for _ in range(GUESSES):
        one, two = (rng.integers(0, 52, first.shape, dtype=np.uint8) for _ in range(2))
        seen = (board == one).any(axis=0) | (board == two).any(axis=0) | (one == two)
        possible = ~(seen | (one == first) | (one == second) | (two == first) | (two == second))
        dealer = strengths_by_key(card_keys(*board) + card_keys(one, two), (*board, one, two))
        qualifies = dealer >= _PAIR
        net = np.where(mine > dealer, 1 + qualifies, np.where(mine < dealer, -2 - qualifies, 0))
        value += net * possible
        guesses += possible
    return value > -2 * guesses


def _hidden_pair(board: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.bool_]:
    ranks = board >> 2
    pocket = (first >> 2 == second >> 2) & (first >> 2 > 0)
    return pocket | (ranks[:, None] == first >> 2).any(axis=0) | (ranks[:, None] == second >> 2).any(axis=0)


def _flush_draw(flop: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.bool_]:
    found = np.zeros(first.shape, bool)
    for suit in range(4):
        own = (first & 3 == suit).astype(int) + (second & 3 == suit)
        cards = (flop & 3 == suit).sum(axis=0) + own
        tall = ((first & 3 == suit) & (first >> 2 >= 8)) | ((second & 3 == suit) & (second >> 2 >= 8))
        found |= (cards >= 4) & tall
    return found
