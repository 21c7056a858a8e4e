"""What suits make alike: the 1,755 flops that differ, and the pairs of cards that differ beside one of them. NumPy.

Cards are rank * 4 + suit. Renaming the suits changes no hand's worth, so one flop stands for all that it can be renamed to, weighted by
their number; and beside a flop, one turn and river (or one hand) for all that renamings of the flop's own suits turn it into.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Cards = NDArray[np.integer[Any]]

STARTING_HANDS = 169


class Flop(NamedTuple):
    """Three cards, and how many flops they stand for."""

    cards: tuple[int, int, int]
    weight: int


class Pairs(NamedTuple):
    """The 1,176 pairs of other cards beside a flop, shape (pairs, 2); `orbit` of each; `first` of each orbit, and its `size`.

    `starting` is each pair as one of the 169 starting hands.
    """

    cards: Cards
    starting: NDArray[np.int64]
    orbit: NDArray[np.int64]
    first: Cards
    size: NDArray[np.int64]


@cache
def _renamings() -> Cards:
    """Return the cards after each of the 24 renamings of the suits, shape (24, 52)."""
    return np.array([[card & ~3 | suits[card & 3] for card in range(52)] for suits in permutations(range(4))])


@cache
def _all_pairs() -> Cards:
    return np.array(list(combinations(range(52), 2)))


@cache
def flops() -> tuple[Flop, ...]:
    """Return the 1,755 flops that differ; their weights add up to 22,100."""
    every = np.array(list(combinations(range(52), 3)))
    renamed = np.sort(_renamings()[:, every], axis=2) @ (52 * 52, 52, 1)
    numbers, weights = np.unique(renamed.min(axis=0), return_counts=True)
    return tuple(
        Flop((number // 2704, number // 52 % 52, number % 52), weight) for number, weight in zip(numbers.tolist(), weights.tolist(), strict=True)
    )


def starting_hands(pairs: Cards) -> NDArray[np.int64]:
    """Return each of `pairs`, shape (pairs, 2), as one of 169: low rank * 13 + high rank suited, high * 13 + low otherwise."""
    low, high = np.sort(pairs >> 2, axis=1).T
    suited = pairs[:, 0] & 3 == pairs[:, 1] & 3
    hands: NDArray[np.int64] = np.where(suited, low * 13 + high, high * 13 + low)
    return hands


def pairs_beside(flop: tuple[int, int, int]) -> Pairs:
    """Return the pairs of other cards beside `flop`."""
    renamings = _renamings()
    own = renamings[(np.sort(renamings[:, flop], axis=1) == sorted(flop)).all(axis=1)]
    pairs = _all_pairs()[~np.isin(_all_pairs(), flop).any(axis=1)]
    numbers = np.sort(own[:, pairs], axis=2) @ (52, 1)
    first, orbit, size = np.unique(numbers.min(axis=0), return_inverse=True, return_counts=True)
    return Pairs(pairs, starting_hands(pairs), orbit, np.stack([first // 52, first % 52], axis=1), size)
