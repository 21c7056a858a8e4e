"""A poker hand as answers write it, with the five cards of seven that make it in their order. Pure.

Matched ranks come first (the larger group, then the higher rank), then the rest downwards, the wheel as 5 4 3 2 A; between equal ranks
spades, hearts, diamonds, clubs, and where either of two equal cards would do, the first in that order. Source: spec/rounds.md.

So the strength alone tells which ranks are listed and how many cards of each. Cards are held as bits, 1 << card, the four of a rank side by
side: what is listed of a rank is one of sixteen texts, and nothing is sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tables.engine.cards import NAMES
from tables.engine.hand_tables import (
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    TWO_PAIR,
    read_shape,
)
from tables.engine.poker import CLASSES, STRENGTHS, ranks_of, tables

_ALIKE = {PAIR: 2, TWO_PAIR: 2, THREE_OF_A_KIND: 3, FULL_HOUSE: 3, FOUR_OF_A_KIND: 4}
"""How many cards of each matched rank the hands of a class have."""

_RUNS = frozenset({STRAIGHT, STRAIGHT_FLUSH, ROYAL_FLUSH})
_OF_ONE_SUIT = frozenset({FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH})
_SUIT = sum(1 << rank * 4 for rank in range(13))
"""The clubs, as bits; moved up by one each the diamonds, hearts, spades."""

_Rank = tuple[int, tuple[bytes, ...]]
"""Of one rank of a hand: by how much its four bits are moved up, and what is written of it, by those bits."""

_Order = tuple[bytes, bool, _Rank, _Rank, _Rank, _Rank, _Rank]
"""Of the hands of one strength: how they open, whether they are of one suit, and their ranks; the last of less than five are nothing."""

_OPENINGS = [f'"hand":"{name}","best":['.encode() for name in CLASSES]
_NOTHING: _Rank = (0, (b"",) * 16)

_orders: list[_Order | None] = [None] * STRENGTHS
"""By strength, as they are met."""


def hand_text(cards: int, strength: int) -> bytes:
    """Return `"hand":"pair","best":["9s","9d","Kc","Qh","Jc"]`: the hand of this `strength`, and those of `cards`, five to seven, that make it."""
    text, of_one_suit, (a, first), (b, second), (c, third), (d, fourth), (e, fifth) = _orders[strength] or _learn(strength)
    if of_one_suit:
        cards &= _suit_of_five(cards)
    ranks = first[cards >> a & 15], second[cards >> b & 15], third[cards >> c & 15], fourth[cards >> d & 15], fifth[cards >> e & 15]
    return text + b"".join(ranks)


def _suit_of_five(cards: int) -> int:
    """Return the bits of the suit of which `cards` has five or more."""
    return next(_SUIT << suit for suit in range(4) if (cards & _SUIT << suit).bit_count() >= 5)


def _learn(strength: int) -> _Order:
    """Return and keep the order of all hands of this strength."""
    number, _, _ = read_shape(tables().shapes[strength])
    *others, last = _ranks_listed(strength)
    ranks = [_rank(*rank, ",") for rank in others] + [_rank(*last, "]")]
    first, second, third, fourth, fifth = ranks + [_NOTHING] * (5 - len(ranks))
    order = _orders[strength] = (_OPENINGS[number], number in _OF_ONE_SUIT, first, second, third, fourth, fifth)
    return order


def _ranks_listed(strength: int) -> Iterator[tuple[int, int]]:
    """Yield the different ranks of a hand in their order, and how many cards of each it has."""
    number, matched, side = read_shape(tables().shapes[strength])
    if number in _RUNS:
        [high] = ranks_of(matched)
        yield from [(rank % 13, 1) for rank in range(high, high - 5, -1)]  # below the two stands the ace of the wheel
        return
    yield from [(rank, _ALIKE[number]) for rank in ranks_of(matched)]
    yield from [(rank, 2 if number == FULL_HOUSE else 1) for rank in ranks_of(side)]


@cache
def _rank(rank: int, count: int, end: str) -> _Rank:
    """Return what is written of a rank, spades first and no more than `count`, and the `end`. All strengths share these."""
    cards = [[rank * 4 + suit for suit in (3, 2, 1, 0) if bits >> suit & 1] for bits in range(16)]
    return rank * 4, tuple([(",".join([f'"{NAMES[card]}"' for card in alike[:count]]) + end).encode() for alike in cards])
