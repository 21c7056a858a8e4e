"""The five cards of seven that make the hand, in the order in which answers list them. Pure.

Matched ranks come first (the larger group, then the higher rank), then the rest downwards, the wheel as 5 4 3 2 A; between equal ranks
spades, hearts, diamonds, clubs, and where either of two equal cards would do, the first in that order. Source: spec/rounds.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from tables.engine.poker import hand_class, strength

_WHEEL = [3, 2, 1, 0, 12]
_LAST = 255

_OF_ONE_SUIT = frozenset({"flush", "straight_flush", "royal_flush"})

_Order = tuple[bool, bool, Callable[[int], int]]
"""Of the hands of one strength: whether they are of one suit, whether they are straights, and what gives a card's place in them."""

_orders: dict[int, _Order] = {}
"""By strength, as they are met: at most 7,462."""


def best_five(cards: Sequence[int], hand: int) -> list[int]:
    """Return the five of `cards` (five to seven) that make the hand of strength `hand`, as answers list them."""
    suited, straight, place = _orders.get(hand) or _learn(cards, hand)
    if suited:
        suits = [card & 3 for card in cards]
        cards = [card for card in cards if suits.count(card & 3) >= 5]
    ordered = sorted(cards, key=place)
    return _one_of_each_rank(ordered) if straight else ordered[:5]


def _one_of_each_rank(ordered: Sequence[int]) -> list[int]:
    """Return the first card of each of the first five ranks; a straight's ranks stand before all others."""
    first: dict[int, int] = {}
    for card in ordered:
        first.setdefault(card >> 2, card)
    return list(first.values())[:5]


def _learn(cards: Sequence[int], hand: int) -> _Order:
    """Return and keep the order of all hands of this strength, seen from five cards that make one."""
    five = next(chosen for chosen in combinations(cards, 5) if strength(chosen) == hand)
    name = hand_class(hand)
    places = [_LAST] * 52
    for order, rank in enumerate(_ranks_in_order(five, name)):
        for suit in range(4):
            places[rank * 4 + suit] = order * 4 + 3 - suit
    return _orders.setdefault(hand, (name in _OF_ONE_SUIT, name == "straight", places.__getitem__))


def _ranks_in_order(five: Sequence[int], name: str) -> list[int]:
    """Return the different ranks of the hand, the larger group first, then the higher rank."""
    alike = Counter(card >> 2 for card in five)
    if set(alike) == set(_WHEEL) and name in {"straight", "straight_flush"}:
        return _WHEEL
    return sorted(alike, key=lambda rank: (-alike[rank], -rank))
