"""A seat's poker hand against the house dealer's: how they meet, in words and in JSON. For games that are played so. Pure."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from tables.engine import poker
from tables.engine.best_five import best_five
from tables.engine.cards import NAMES
from tables.engine.reading import Cards


class Meeting(IntEnum):
    """How a seat's hand stands to the dealer's; the last is what a hand that was folded, not seen, or met no dealer is."""

    BEATS = 0
    BEATS_UNQUALIFIED = 1
    TIES = 2
    LOSES = 3
    LOSES_TO_UNQUALIFIED = 4
    FOLDS = 5


_VERBS = ("beats", "beats", "ties", "loses to", "loses to")


def seen_strength(cards: Cards | None, community: Cards | None) -> int | None:
    """Return the strength of the best five, None where cards were not recorded."""
    return None if cards is None or community is None else poker.strength((*cards, *community))


def meeting(folded: bool, hand: int | None, dealer: int | None, qualifying: int) -> Meeting:
    """Return how strength `hand` meets the dealer's, who qualifies with `qualifying` or more."""
    if folded or hand is None or dealer is None:
        return Meeting.FOLDS
    if hand == dealer:
        return Meeting.TIES
    if dealer < qualifying:
        return Meeting.BEATS_UNQUALIFIED if hand > dealer else Meeting.LOSES_TO_UNQUALIFIED
    return Meeting.BEATS if hand > dealer else Meeting.LOSES


def lowest_of(hand_class: str) -> int:
    """Return the lowest strength of a class: who qualifies with "pair" does so from here."""
    return poker.CLASS_STARTS[poker.CLASSES.index(hand_class)]


words = cache(poker.words)
"""The words of a strength, "Two pair, aces and nines", made once: there are 7,462."""


def told(met: Meeting, hand: int | None, dealer: int | None) -> str:
    """Return "Two pair, aces and nines, beats the dealer's pair of nines", without a full stop."""
    if met is Meeting.FOLDS or hand is None or dealer is None:
        return "Folded"
    theirs = words(dealer)
    unqualified = ", which does not qualify" if met in (Meeting.BEATS_UNQUALIFIED, Meeting.LOSES_TO_UNQUALIFIED) else ""
    return f"{_clause(hand)} {_VERBS[met]} the dealer's {theirs[0].lower()}{theirs[1:]}{unqualified}"


@cache
def _clause(hand: int) -> str:
    return f"{words(hand)}," if "," in words(hand) else words(hand)


def hand_json(cards: Cards | None, community: Cards | None, hand: int | None) -> str:
    """Return `"hand":"pair","best":["9s","9d",…]`, nulls where the hand was not seen."""
    if cards is None or community is None or hand is None:
        return '"hand":null,"best":null'
    best = '","'.join([NAMES[card] for card in best_five((*cards, *community), hand)])
    return f'"hand":"{poker.hand_class(hand)}","best":["{best}"]'
