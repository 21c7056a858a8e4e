"""A seat's poker hand against the house dealer's: how they meet, in words and in JSON. For games that are played so. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tables.engine import poker
from tables.engine.best_five import best_five
from tables.engine.cards import NAMES, rank_word
from tables.engine.reading import Cards

BEATS, BEATS_UNQUALIFIED, TIES, LOSES, LOSES_TO_UNQUALIFIED, FOLDS = range(6)
"""How a seat's hand meets the dealer's; a hand that was not seen, or met no dealer, counts as folded. Plain numbers, for their speed."""

_UNQUALIFIED = frozenset({BEATS_UNQUALIFIED, LOSES_TO_UNQUALIFIED})
_VERBS = ("beats", "beats", "ties", "loses to", "loses to")


Hand = tuple[Cards, int]
"""The seven cards of a hand that was seen, and the strength of the best five."""


def seen_hands(own: Sequence[Cards | None], community: Cards | None) -> list[Hand | None]:
    """Return the hands that these two cards each make with the community's, None where cards were not recorded."""
    if community is None:
        return [None] * len(own)
    strengths = iter(poker.strengths_beside(community, [cards for cards in own if cards is not None]))
    return [None if cards is None else (cards + community, next(strengths)) for cards in own]


def meeting(folded: bool, hand: Hand | None, dealer: Hand | None, qualifying: int) -> int:
    """Return how `hand` meets the dealer's, who qualifies with the strength `qualifying` or more."""
    if folded or hand is None or dealer is None:
        return FOLDS
    mine, theirs = hand[1], dealer[1]
    if mine == theirs:
        return TIES
    if theirs < qualifying:
        return BEATS_UNQUALIFIED if mine > theirs else LOSES_TO_UNQUALIFIED
    return BEATS if mine > theirs else LOSES


def lowest_of(hand_class: str) -> int:
    """Return the lowest strength of a class: who qualifies with "pair" does so from here."""
    return poker.CLASS_STARTS[poker.CLASSES.index(hand_class)]


CLASS_OF = tuple([poker.hand_class(strength) for strength in range(poker.STRENGTHS)])
"""The class of each strength."""

words = cache(poker.words)
"""The words of a strength, "Two pair, aces and nines", made once: there are 7,462."""


def told_in_words(met: int, mine: str, theirs: str) -> str:
    """Return "Two pair, aces and nines, beats the dealer's pair of nines" for a hand that met the dealer's, both in words."""
    return _opening(mine) + _ending(met, theirs)


def _opening(mine: str) -> str:
    return f"{mine}," if "," in mine else mine


def _ending(met: int, theirs: str) -> str:
    qualified = ", which does not qualify" if met in _UNQUALIFIED else ""
    return f" {_VERBS[met]} the dealer's {theirs[0].lower()}{theirs[1:]}{qualified}"


@cache
def _mine(strength: int) -> str:
    return _opening(words(strength))


@cache
def _meets(met: int, strength: int) -> str:
    return _ending(met, words(strength))


def told(met: int, hand: Hand | None, dealer: Hand | None) -> str:
    """Return "Two pair, aces and nines, beats the dealer's pair of nines", without a full stop.

    Where the words alone are the same, the side cards that decide stand between: "Pair of nines, eight against seven, beats …".
    """
    if met == FOLDS or hand is None or dealer is None:
        return "Folded"
    mine, theirs = hand[1], dealer[1]
    if mine != theirs and words(mine) == words(theirs):
        return _decided(mine, theirs) + _meets(met, theirs)
    return _mine(mine) + _meets(met, theirs)


@cache
def _decided(mine: int, theirs: int) -> str:
    one, other = map(rank_word, poker.deciding_ranks(mine, theirs))
    return f"{words(mine)}, {one} against {other},"


_HAND_OPENINGS = tuple([f'"hand":"{name}","best":["' for name in CLASS_OF])


def hand_json(hand: Hand | None) -> str:
    """Return `"hand":"pair","best":["9s","9d",…]`, nulls where the hand was not seen."""
    if hand is None:
        return '"hand":null,"best":null'
    cards, strength = hand
    a, b, c, d, e = best_five(cards, strength)
    return f'{_HAND_OPENINGS[strength]}{NAMES[a]}","{NAMES[b]}","{NAMES[c]}","{NAMES[d]}","{NAMES[e]}"]'
