"""A seat's poker hand against the house dealer's: how they meet, in words and in JSON. For games that are played so. Pure."""

from __future__ import annotations

from functools import cache

from tables.engine import poker
from tables.engine.best_five import hand_text
from tables.engine.cards import rank_word

BEATS, BEATS_UNQUALIFIED, TIES, LOSES, LOSES_TO_UNQUALIFIED, FOLDS = range(6)
"""How a seat's hand meets the dealer's; a hand that was not seen, or met no dealer, counts as folded. Plain numbers, for their speed."""

_UNQUALIFIED = frozenset({BEATS_UNQUALIFIED, LOSES_TO_UNQUALIFIED})
_VERBS = ("beats", "beats", "ties", "loses to", "loses to")


def meeting(folded: bool, mine: int | None, theirs: int | None, qualifying: int) -> int:
    """Return how a hand of strength `mine` meets the dealer's of `theirs`, who qualifies with `qualifying` or more; None was not seen."""
    if folded or mine is None or theirs is None:
        return FOLDS
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


Told = tuple[bytes, bytes, tuple[bytes, ...]]
"""A hand in words, how it opens a sentence, and how sentences about hands end by how they met a dealer who holds it; in UTF-8."""

_told: list[Told | None] = [None] * poker.STRENGTHS
"""By strength, as they are met; one for all strengths of the same words."""


def _learn(strength: int) -> Told:
    """Return and keep what is told of a strength."""
    told = _told[strength] = _all_told(words(strength))
    return told


@cache
def _all_told(name: str) -> Told:
    return name.encode(), _opening(name).encode(), tuple([_ending(met, name).encode() for met in range(FOLDS)])


def told(met: int, mine: int | None, theirs: int | None) -> tuple[bytes, bytes]:
    """Return "Two pair, aces and nines, beats the dealer's pair of nines", and of the hand alone "Two pair, aces and nines"; in UTF-8.

    Where the words alone are the same, the side cards that decide stand between: "Pair of nines, eight against seven, beats …". Without
    a full stop, and without what JSON would escape.
    """
    if mine is None:
        return b"Folded", b"Folded"
    hand, opening, _ = _told[mine] or _learn(mine)
    if met == FOLDS or theirs is None:
        return b"Folded", hand
    dealer, _, endings = _told[theirs] or _learn(theirs)
    if hand is dealer and mine != theirs:
        opening = _decided(mine, theirs)
    return opening + endings[met], hand


@cache
def _decided(mine: int, theirs: int) -> bytes:
    one, other = map(rank_word, poker.deciding_ranks(mine, theirs))
    return f"{words(mine)}, {one} against {other},".encode()


def hand_json(hand: poker.SeenHand | None) -> bytes:
    """Return `"hand":"pair","best":["9s","9d",…]`, nulls where the hand was not seen."""
    return b'"hand":null,"best":null' if hand is None else hand_text(*hand)
