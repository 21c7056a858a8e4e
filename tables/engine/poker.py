"""The strength of a poker hand of five or seven cards, its class and its words. Pure; standard library only.

A card is a whole number, rank * 4 + suit: ranks 0 (two) to 12 (ace), suits clubs, diamonds, hearts, spades. A strength is 0 to 7461, higher
beats lower, equal ties. Nothing here checks that the cards are different: that is done where they are read. The same tables in NumPy are in
`batch`. Source: spec/rounds.md "Common"; how: `hand_tables`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

from tables.engine.cards import NAMES, rank_word, rank_words
from tables.engine.hand_tables import (
    CARD_KEYS,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    RANK_KEYS,
    RANK_MASK,
    ROYAL_FLUSH,
    SUIT_SHIFT,
    THREE_OF_A_KIND,
    TWO_PAIR,
    build_tables,
    flush_suits,
    read_shape,
)

CLASSES = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
"""The classes of hands, lowest first."""

CLASS_STARTS = (0, 1277, 4137, 4995, 5853, 5863, 7140, 7296, 7452, 7461)
"""The lowest strength of each class."""

STRENGTHS = 7462
"""How many different strengths five cards have; seven reach 4,824 of them."""

SEVEN_CARD_HANDS = (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 37_260, 4_324)
"""How many of the 133,784,560 hands of seven cards are of each class."""

tables = cache(build_tables)
"""The tables, derived by the first hand that needs them."""

_FLUSH_SUITS = flush_suits()
_CODES = {name: card for card, name in enumerate(NAMES)}
_NAMED_KEYS = dict(zip(NAMES, CARD_KEYS, strict=True))


_sevens: Sequence[int] = ()
"""The table of seven cards, from the first hand on."""


def strength(cards: Sequence[int]) -> int:
    """Return the strength of the best five of seven cards, or of five. Raises ValueError for another number of cards."""
    try:
        a, b, c, d, e, f, g = cards
    except ValueError:
        return _strength_of_five(cards)
    key = CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c] + CARD_KEYS[d] + CARD_KEYS[e] + CARD_KEYS[f] + CARD_KEYS[g]
    if _FLUSH_SUITS[key >> SUIT_SHIFT]:
        return tables().flush[_suited(cards, _FLUSH_SUITS[key >> SUIT_SHIFT] - 1)]
    try:
        return _sevens[key & RANK_MASK]
    except IndexError:
        return _learn_sevens()[key & RANK_MASK]


def _learn_sevens() -> Sequence[int]:
    """Return the strengths of seven cards without a flush by their rank keys, from now on without a call."""
    global _sevens
    _sevens = tables().seven
    return _sevens


SeenHand = tuple[int, int]
"""The cards of a hand as bits, 1 << card, and the strength of the best five."""

_BITS = 32
"""By how much the bits of cards are moved up in a sum that also holds the key of their hand."""

_BITS_AND_KEYS = tuple([(1 << card + _BITS) + key for card, key in enumerate(CARD_KEYS)])
_SUIT_MASK = (1 << _BITS - SUIT_SHIFT) - 1


def hands_beside(board: Sequence[int], own: Sequence[Sequence[int] | None]) -> list[SeenHand | None]:
    """Return the hand that each of `own`, two cards, makes with the five of the `board`, which is looked up once; None for None."""
    a, b, c, d, e = board
    base = _BITS_AND_KEYS[a] + _BITS_AND_KEYS[b] + _BITS_AND_KEYS[c] + _BITS_AND_KEYS[d] + _BITS_AND_KEYS[e]
    sevens = _sevens or _learn_sevens()
    hands: list[SeenHand | None] = []
    for cards in own:
        if cards is None:
            hands.append(None)
            continue
        first, second = cards
        both = base + _BITS_AND_KEYS[first] + _BITS_AND_KEYS[second]
        suit = _FLUSH_SUITS[both >> SUIT_SHIFT & _SUIT_MASK]
        hands.append((both >> _BITS, strength((*cards, *board)) if suit else sevens[both & RANK_MASK]))
    return hands


def strength_of_names(names: Sequence[str]) -> int:
    """Return the strength of seven cards written as in answers ("As", "Td").

    Raises ValueError for another number of cards, KeyError for a name that is no card's.
    """
    a, b, c, d, e, f, g = names
    key = _NAMED_KEYS[a] + _NAMED_KEYS[b] + _NAMED_KEYS[c] + _NAMED_KEYS[d] + _NAMED_KEYS[e] + _NAMED_KEYS[f] + _NAMED_KEYS[g]
    if _FLUSH_SUITS[key >> SUIT_SHIFT]:
        return strength([_CODES[name] for name in names])
    try:
        return _sevens[key & RANK_MASK]
    except IndexError:
        return strength([_CODES[name] for name in names])


def _strength_of_five(cards: Sequence[int]) -> int:
    a, b, c, d, e = cards
    if a & 3 == b & 3 == c & 3 == d & 3 == e & 3:
        return tables().flush[_suited(cards, a & 3)]
    return tables().five[RANK_KEYS[a >> 2] + RANK_KEYS[b >> 2] + RANK_KEYS[c >> 2] + RANK_KEYS[d >> 2] + RANK_KEYS[e >> 2]]


def _suited(cards: Sequence[int], suit: int) -> int:
    """Return the mask of the ranks of `suit`."""
    return sum(1 << (card >> 2) for card in cards if card & 3 == suit)


def class_number(strength: int) -> int:
    """Return the place of the class of `strength` in CLASSES: 0 high card to 9 royal flush."""
    return bisect_right(CLASS_STARTS, strength) - 1


def hand_class(strength: int) -> str:
    """Return the name of the class of `strength`, as paytables and answers write it."""
    return CLASSES[bisect_right(CLASS_STARTS, strength) - 1]


def words(strength: int) -> str:
    """Return the hand as a person says it: "Pair of nines", "Two pair, aces and nines", "Straight, ten high"."""
    number, matched, side = read_shape(tables().shapes[strength])
    if number == ROYAL_FLUSH:
        return "Royal flush"
    ranks = ranks_of(matched) if matched else ranks_of(side)
    many = [rank_words(rank) for rank in ranks]
    if number == HIGH_CARD:
        return f"{rank_word(ranks[0]).capitalize()} high"
    if number == PAIR:
        return f"Pair of {many[0]}"
    if number == TWO_PAIR:
        return f"Two pair, {many[0]} and {many[1]}"
    if number == FULL_HOUSE:
        return f"Full house, {many[0]} over {rank_words(ranks_of(side)[0])}"
    name = CLASSES[number].replace("_", " ").capitalize()
    if number in (THREE_OF_A_KIND, FOUR_OF_A_KIND):
        return f"{name}, {many[0]}"
    return f"{name}, {rank_word(ranks[0])} high"


def deciding_ranks(one: int, other: int) -> tuple[int, int]:
    """Return the first ranks, from the highest down, in which the side cards of two different strengths of the same words differ."""
    sides = [ranks_of(read_shape(tables().shapes[strength])[2]) for strength in (one, other)]
    return next((high, low) for high, low in zip(*sides, strict=True) if high != low)


def ranks_of(mask: int) -> list[int]:
    """Return the ranks in `mask`, highest first."""
    return [rank for rank in range(12, -1, -1) if mask >> rank & 1]
