"""The look-up tables behind a hand's strength, derived in a tenth of a second on first use. Standard library only.

A card adds one whole number to its hand's key: a rank key, chosen so that the sums of any two rank patterns of seven cards (or of five)
differ, and above it a suit key, chosen so that a sum of seven with a flush equals no other. So a hand is seven additions and one look-up.
Source: design/performance.md "Hands".

A hand's *shape* is what is compared: `class << 26 | matched ranks << 13 | side cards`, the ranks as masks of 13 bits. Two masks with as
many bits compare like their ranks from the highest down, so shapes compare like hands. Strengths number the 7,462 shapes upwards from 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

HIGH_CARD, PAIR, TWO_PAIR, THREE_OF_A_KIND, STRAIGHT, FLUSH, FULL_HOUSE, FOUR_OF_A_KIND, STRAIGHT_FLUSH, ROYAL_FLUSH = range(10)

RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
SUIT_KEYS = (0, 1, 8, 57)
SUIT_SHIFT = 23
RANK_MASK = (1 << SUIT_SHIFT) - 1
CARD_KEYS = tuple(rank | suit << SUIT_SHIFT for rank in RANK_KEYS for suit in SUIT_KEYS)
"""What each card, rank * 4 + suit, adds to the key of its hand."""

_SIDE = 13
_CLASS = 26


class HandTables(NamedTuple):
    """Strengths: `five` and `seven` by the sum of rank keys, `flush` by the mask of five to seven suited ranks. `shapes` by strength.

    `seven` has a place for every number below 1 << SUIT_SHIFT, 0 where that is no sum: 16 MB, of which 3 are ever read. A third of the
    time that a dict of the sums takes, whose parts lie here and there.
    """

    five: dict[int, int]
    seven: array[int]
    flush: dict[int, int]
    shapes: list[int]


def flush_suits() -> list[int]:
    """Return 1 + the suit of the flush that a sum of seven suit keys stands for, 0 for none, by that sum (0 to 399)."""
    suits = [0] * (7 * SUIT_KEYS[-1] + 1)
    for suit, key in enumerate(SUIT_KEYS):
        for others in range(3):
            for rest in _sums(others):
                suits[(7 - others) * key + rest] = suit + 1
    return suits


def build_tables() -> HandTables:
    """Return the tables. Every strength from 0 to 7461 occurs in `five` or `flush`."""
    best = [_highest(mask, 5) for mask in range(1 << 13)]
    straights = [_straight(mask) for mask in range(1 << 13)]
    flushes = {mask: _flush_shape(mask, best, straights) for count in (5, 6, 7) for mask in _masks(count)}
    fives = {key: _rank_shape(pattern, best, straights) for key, pattern in _patterns(5)}
    shapes = sorted({*fives.values(), *flushes.values()})
    number = {shape: strength for strength, shape in enumerate(shapes)}
    seven = array("h", bytes(2 << SUIT_SHIFT))
    for key, pattern in _patterns(7):
        seven[key] = number[_rank_shape(pattern, best, straights)]
    return HandTables(
        five={key: number[shape] for key, shape in fives.items()},
        seven=seven,
        flush={mask: number[shape] for mask, shape in flushes.items()},
        shapes=shapes,
    )


def _sums(count: int) -> set[int]:
    """Return the possible sums of `count` suit keys."""
    return {0} if count == 0 else {key + rest for key in SUIT_KEYS for rest in _sums(count - 1)}


def _masks(count: int) -> Iterator[int]:
    return (sum(1 << rank for rank in ranks) for ranks in combinations(range(13), count))


_Pattern = tuple[int, int, int, int]
"""The masks of the ranks that occur at least once, twice, three times, four times."""


def _patterns(cards: int) -> list[tuple[int, _Pattern]]:
    """Return the key and the pattern of every choice of `cards` ranks, at most four alike: 6,175 of five, 49,205 of seven."""
    found: list[tuple[int, int, _Pattern]] = [(cards, 0, (0, 0, 0, 0))]
    for rank, key in enumerate(RANK_KEYS):
        bit = 1 << rank
        more = []
        for left, total, (once, twice, thrice, four) in found:
            if left:
                once |= bit
                more.append((left - 1, total + key, (once, twice, thrice, four)))
            if left > 1:
                twice |= bit
                more.append((left - 2, total + 2 * key, (once, twice, thrice, four)))
            if left > 2:
                thrice |= bit
                more.append((left - 3, total + 3 * key, (once, twice, thrice, four)))
            if left > 3:
                more.append((left - 4, total + 4 * key, (once, twice, thrice, four | bit)))
        # Ranks that are too few to take what is left cannot end in a hand.
        room = 4 * (12 - rank)
        found = [entry for entry in found + more if entry[0] <= room]
    return [(total, pattern) for left, total, pattern in found]


def _rank_shape(pattern: _Pattern, best: list[int], straights: list[int]) -> int:
    """Return the shape of the best five cards of a pattern, whatever the suits short of a flush."""
    once, twice, thrice, four = pattern
    if four:
        return _shape(FOUR_OF_A_KIND, four, _top(once ^ four))
    if thrice:
        trips = _top(thrice)
        if twice != trips:
            return _shape(FULL_HOUSE, trips, _top(twice ^ trips))
    if straights[once]:
        return _shape(STRAIGHT, straights[once], 0)
    if thrice:
        return _shape(THREE_OF_A_KIND, thrice, _highest(once ^ thrice, 2))
    if twice:
        pair = _top(twice)
        second = _top(twice ^ pair)
        if second:
            return _shape(TWO_PAIR, pair | second, _top(once ^ pair ^ second))
        return _shape(PAIR, pair, _highest(once ^ pair, 3))
    return _shape(HIGH_CARD, 0, best[once])


def _flush_shape(mask: int, best: list[int], straights: list[int]) -> int:
    straight = straights[mask]
    if straight == 1 << 12:
        return _shape(ROYAL_FLUSH, straight, 0)
    return _shape(STRAIGHT_FLUSH, straight, 0) if straight else _shape(FLUSH, 0, best[mask])


def _shape(hand: int, matched: int, side: int) -> int:
    return hand << _CLASS | matched << _SIDE | side


def read_shape(shape: int) -> tuple[int, int, int]:
    """Return the number of the class, the mask of the matched ranks (of a straight: its highest) and the mask of the side cards."""
    return shape >> _CLASS, shape >> _SIDE & 0x1FFF, shape & 0x1FFF


def _top(mask: int) -> int:
    """Return the highest bit of `mask`, 0 where there is none."""
    return 1 << mask.bit_length() >> 1


def _highest(mask: int, count: int) -> int:
    """Return the highest `count` bits of `mask`, or all where there are fewer."""
    while mask.bit_count() > count:
        mask &= mask - 1
    return mask


def _straight(mask: int) -> int:
    """Return the bit of the highest rank of the best straight among the ranks of `mask`, 0 where there is none. The ace is also low."""
    low = mask << 1 | mask >> 12
    runs = low & low << 1 & low << 2 & low << 3 & low << 4
    return _top(runs) >> 1
