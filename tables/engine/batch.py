"""Hands by the million: the look-up tables of `poker` and the keys of `payroll_key` in NumPy, equal to them hand by hand.

Cards are bytes, rank * 4 + suit. A hand is a row, a place a column: shape (hands, places). Column-major arrays (`order="F"`, or the
transpose of an array with one row a place) are fastest, as each place then lies together; row-major ones cost a fifth more. Nothing here
checks that the cards are different; a place that holds no card (255) gives a strength without meaning, and nothing else. Source:
design/performance.md "Hands".
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.engine.cards import NO_CARD
from tables.engine.hand_tables import CARD_KEYS, RANK_MASK, SUIT_SHIFT, flush_suits
from tables.engine.payroll_key import DIGIT, PAIR_SHIFT, SIDE_CARDS
from tables.engine.poker import CLASS_STARTS, STRENGTHS, tables

CHUNK = 1 << 16
"""Hands at a time: what is in the works stays in the processor's cache."""

Cards = NDArray[np.uint8]
Keys = NDArray[np.uint32]
Strengths = NDArray[np.int16]


class BatchTables(NamedTuple):
    """`one` and `two`: the key that one card, or two as first * 52 + second, adds; the others as in `hand_tables`, by index."""

    one: Keys
    two: Keys
    seven: Strengths
    flush: Strengths
    flush_suit: NDArray[np.uint8]


@cache
def batch_tables() -> BatchTables:
    """Return the tables; that of seven cards is the one which `poker` reads."""
    one = np.array(CARD_KEYS, np.uint32)
    flush, flushes = np.zeros(1 << 13, np.int16), tables().flush
    flush[np.fromiter(flushes.keys(), np.int64)] = np.fromiter(flushes.values(), np.int16)
    seven = np.frombuffer(tables().seven, np.int16)
    return BatchTables(one, np.add.outer(one, one).ravel(), seven, flush, np.array(flush_suits(), np.uint8))


def card_keys(*places: Cards) -> Keys:
    """Return the sum of the keys of the cards at `places`, arrays of one shape: cards are taken by two, which halves the look-ups."""
    known = batch_tables()
    total = np.zeros(places[0].shape, np.uint32)
    for first, second in zip(places[::2], places[1::2], strict=False):
        total += known.two.take(first.astype(np.uint16) * 52 + second, mode="wrap")
    if len(places) % 2:
        total += known.one.take(places[-1], mode="wrap")
    return total


def strengths_by_key(keys: Keys, cards: Iterable[Cards]) -> Strengths:
    """Return the strengths of hands of seven with these `keys`, in their shape.

    `cards` are the seven places, each of that shape, or of its last axis where all rows share them; they are looked at where a flush is.
    """
    known = batch_tables()
    found = known.seven.take(keys & RANK_MASK, mode="wrap")
    suits = known.flush_suit.take(keys >> SUIT_SHIFT, mode="wrap")
    flushes = np.flatnonzero(suits != 0)
    wanted = suits.take(flushes) - 1
    mask = np.zeros(len(flushes), np.uint16)
    for place in cards:
        card = place.take(flushes, mode="wrap")
        mask |= ((card & 3) == wanted).astype(np.uint16) << (card >> 2)
    found.put(flushes, known.flush.take(mask, mode="wrap"))
    return found


def strengths(cards: Cards) -> Strengths:
    """Return the strength, 0 to 7461, of each hand of seven `cards`, shape (hands, 7): `poker.strength` of each row."""
    found = np.empty(len(cards), np.int16)
    for start in range(0, len(cards), CHUNK):
        places = tuple(np.ascontiguousarray(cards[start : start + CHUNK].T))
        found[start : start + CHUNK] = strengths_by_key(card_keys(*places), places)
    return found


@cache
def class_of_strength() -> NDArray[np.uint8]:
    """Return the class, 0 high card to 9 royal flush, by strength: shape (7462,)."""
    return (np.searchsorted(CLASS_STARTS, np.arange(STRENGTHS), side="right") - 1).astype(np.uint8)


def payroll_keys(cards: Cards) -> NDArray[np.int32]:
    """Return `payroll_key.payroll_key` of each hand of one to five `cards`, shape (hands, 5), 255 where there are fewer."""
    found = np.empty(len(cards), np.int32)
    for start in range(0, len(cards), CHUNK):
        block = np.ascontiguousarray(cards[start : start + CHUNK].T)
        found[start : start + CHUNK] = _payroll_keys(np.where(block == NO_CARD, 0, (block >> 2) + 1))
    return found


_SORTING_NETWORK = ((0, 3), (1, 4), (0, 2), (1, 3), (0, 1), (2, 4), (1, 2), (3, 4), (2, 3))
"""Nine comparisons that bring any five values into order. Source: Knuth, The Art of Computer Programming, volume 3, 5.3.4."""


def _payroll_keys(digits: Cards) -> NDArray[np.int32]:
    """Return the keys of hands with these `digits`, rank + 1 or 0 for none, shape (5, hands)."""
    high = list(digits)
    for first, second in _SORTING_NETWORK:
        high[first], high[second] = np.maximum(high[first], high[second]), np.minimum(high[first], high[second])
    plain = np.zeros(digits.shape[1], np.int32)
    for digit in high:
        plain = plain << DIGIT | digit
    key = plain
    for first in range(SIDE_CARDS - 2, -1, -1):
        paired = (high[first] == high[first + 1]) & (high[first] > 0)
        key = np.where(paired, _without_pair(plain, first, high[first]), key)
    return key


def _without_pair(plain: NDArray[np.int32], first: int, pair: Cards) -> NDArray[np.int32]:
    """Return `plain`, five digits downwards, with the two from place `first` on taken out and put in front as `pair`."""
    below = DIGIT * (SIDE_CARDS - 2 - first)
    after = (plain & ((1 << below) - 1)) << 2 * DIGIT
    before = plain >> below + 2 * DIGIT << below + 2 * DIGIT
    return pair.astype(np.int32) << PAIR_SHIFT | before | after
