"""A second evaluator of seven cards, without tables, for the cross-check: it shares no line and no idea of counting with `poker`.

A hand is four planes of 13 bits, one a suit. Which ranks occur at least once, twice, three and four times is plain logic on the planes, a
straight is a plane ANDed with itself moved by one to four places, and a flush is a plane with five bits. NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Planes = NDArray[np.integer[Any]]
"""One mask of 13 ranks a hand, in 16 bits."""
Values = NDArray[np.int32]


def values(cards: NDArray[np.uint8]) -> Values:
    """Return a number for each hand of seven different `cards` (rank * 4 + suit), shape (hands, 7): the higher beats, equal ones tie.

    Values are not dense: class << 26 | matched ranks << 13 | side cards, the class from 0 (high card) to 9 (royal flush).
    """
    clubs, diamonds, hearts, spades = _planes(cards)
    minor, major = clubs & diamonds, hearts & spades
    some, other = clubs | diamonds, hearts | spades
    once = some | other
    twice = minor | major | some & other
    thrice = minor & other | major & some
    value = np.maximum(_alike(once, twice, thrice, minor & major), _straight(once, 4))
    for suit in (clubs, diamonds, hearts, spades):
        flush = np.bitwise_count(suit) >= 5
        value[flush] = _flush(suit[flush])
    return value


def _planes(cards: NDArray[np.uint8]) -> tuple[Planes, ...]:
    """Return the ranks of each suit as masks: four arrays of shape (hands,)."""
    bits = np.zeros(len(cards), np.uint64)
    for place in np.ascontiguousarray(cards.T):
        bits |= np.uint64(1) << (place >> 2 | (place & 3) << 4).astype(np.uint64)
    planes = bits.astype("<u8", copy=False).view("<u2").reshape(-1, 4)
    return tuple(np.ascontiguousarray(planes[:, suit]) for suit in range(4))


def _alike(once: Planes, twice: Planes, thrice: Planes, four: Planes) -> Values:
    """Return the values of hands by what is alike in them, neither straight nor flush."""
    trips = _top(thrice)
    pair = _top(twice ^ trips)
    second = _top(twice ^ trips ^ pair)
    nothing = np.zeros_like(once)
    value = _value(0, nothing, _highest(once, 5))
    for where, number, matched, side in (
        (pair > 0, 1, pair, _highest(once ^ pair, 3)),
        (second > 0, 2, pair | second, _top(once ^ pair ^ second)),
        (trips > 0, 3, trips, _highest(once ^ trips, 2)),
        ((trips > 0) & (pair > 0), 6, trips, pair),
        (four > 0, 7, four, _top(once ^ four)),
    ):
        value = np.where(where, _value(number, matched, side), value)
    return value


def _flush(suit: Planes) -> Values:
    """Return the values of flushes whose cards are `suit`: straight ones and the royal one among them."""
    straight = _straight(suit, 8)
    royal = suit >= 0b1_1111_0000_0000
    return np.where(royal, _value(9, suit & 0, suit & 0), np.where(straight > 0, straight, _value(5, suit & 0, _highest(suit, 5))))


def _straight(ranks: Planes, number: int) -> Values:
    """Return the values, of class `number`, of the best straights among `ranks`, 0 for none. The ace stands below two as well."""
    low = ranks << 1 | ranks >> 12
    pairs = low & low << 1
    top = _top(pairs & pairs << 2 & low << 4) >> 1
    return np.where(top > 0, _value(number, top, top & 0), 0)


def _value(number: int, matched: Planes, side: Planes) -> Values:
    return number << 26 | matched.astype(np.int32) << 13 | side


def _top(mask: Planes) -> Planes:
    """Return the highest bit of each mask, 0 where there is none."""
    for places in (1, 2, 4, 8):
        mask = mask | mask >> places
    return mask ^ mask >> 1


def _highest(mask: Planes, count: int) -> Planes:
    """Return the highest `count` bits of each mask of up to seven, or all where there are fewer."""
    for _ in range(7 - count):
        mask = np.where(np.bitwise_count(mask) > count, mask & (mask - 1), mask)
    return mask
