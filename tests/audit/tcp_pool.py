"""Rounds of Three Card Poker by the hundred thousand, dealt and played with NumPy: what seats win, and how they hang together."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.engine.games.three_card_poker import class_of, strength
from tables.paytable_files import published

PLAYS_FROM = strength([card * 4 + suit for suit, card in enumerate((10, 4, 2))])
"""Queen, six, four: the best play from there on, and folds below."""
QUALIFIES = strength([card * 4 + suit for suit, card in enumerate((10, 1, 0))])


class Pool(NamedTuple):
    """What the house wins in each round from each seat, in antes, with payouts beyond `cap` to one cut: shape (seats, rounds)."""

    main: NDArray[np.float64]
    pair_plus: NDArray[np.float64]


@lru_cache(maxsize=1)
def _table() -> tuple[NDArray[np.int32], dict[str, NDArray[np.float64]]]:
    """Return the strength of every three cards, ascending, by their number, and what each bet of the hand pays by the default odds."""
    odds = published()["three-card-poker@1"].odds
    strengths = np.zeros(52**3, np.int32)
    pays = {bet: np.full(52**3, -1.0 if bet == "pair_plus" else 0.0) for bet in odds}
    for cards in combinations(range(52), 3):
        number, value = (cards[0] * 52 + cards[1]) * 52 + cards[2], strength(cards)
        strengths[number] = value
        for bet, rows in odds.items():
            if (row := class_of(value)) in rows:
                pays[bet][number] = float(rows[row])
    return strengths, pays


@lru_cache(maxsize=2)
def pool(rounds: int, seats: int, seed: int, cap: int) -> Pool:
    """Return `rounds` rounds of `seats` seats, each with an ante and a pair plus of one unit, played by the best play."""
    parts = [_part(min(50_000, rounds - start), seats, np.random.default_rng([seed, start]), cap) for start in range(0, rounds, 50_000)]
    return Pool(*(np.concatenate([part[which] for part in parts], axis=1) for which in (0, 1)))


def _part(rounds: int, seats: int, rng: np.random.Generator, cap: int) -> Pool:
    cards = np.argsort(rng.random((rounds, 52), dtype=np.float32), axis=1)[:, : 3 * (seats + 1)]
    hands = np.sort(cards.reshape(rounds, seats + 1, 3), axis=2)
    numbers = (hands[..., 0] * 52 + hands[..., 1]) * 52 + hands[..., 2]
    strengths, pays = _table()
    own, dealer = strengths[numbers[:, :seats]].T, strengths[numbers[:, seats]]
    plays, qualifies = own >= PLAYS_FROM, dealer >= QUALIFIES
    showdown = np.where(qualifies, 2 * np.sign(own - dealer), 1)
    gains = np.where(plays, showdown + np.minimum(pays["ante_bonus"][numbers[:, :seats]].T, cap), -1)
    side = np.minimum(np.where(plays, pays["pair_plus"][numbers[:, :seats]].T, -1), cap)
    return Pool(-gains.astype(np.float64), -side)
