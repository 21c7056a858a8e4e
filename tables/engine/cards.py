"""Playing cards: whole numbers in the engine, "As" in answers, and the spellings that people use. Pure; standard library only.

A card is rank * 4 + suit: ranks 0 (two) to 12 (ace), suits clubs 0, diamonds 1, hearts 2, spades 3, so that among cards of one rank the
greater number is the one that answers list first. Source: spec/rounds.md "Common", "Cards".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NO_CARD = 255
"""Stands for no card where a fixed width must be filled."""

NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The name of each card as answers write it: NAMES[51] is "As"."""

_RANK_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
_SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")
_RANK_SPELLINGS = [{rank, rank.lower(), *(["10"] if rank == "T" else [])} for rank in RANKS]
_SUIT_SPELLINGS = [{suit, suit.upper(), sign} for suit, sign in zip(SUITS, "♣♦♥♠", strict=True)]

CODES = {
    spelled_rank + spelled_suit: rank * 4 + suit
    for rank, spelled_ranks in enumerate(_RANK_SPELLINGS)
    for suit, spelled_suits in enumerate(_SUIT_SPELLINGS)
    for spelled_rank in spelled_ranks
    for spelled_suit in spelled_suits
}
"""Every text that is one card, and the card: "As", "aS", "A♠", "10h", …"""

_CARD = r"(?:10|[2-9TJQKAtjqka])[cdhsCDHS♣♦♥♠]"
_CARD_OR_NOT = re.compile(rf"{_CARD}|[^\s,]+?(?={_CARD}|[\s,]|\Z)")


def split_cards(text: str) -> list[str]:
    """Return the pieces of "2h9s, 1O Jc": each a key of CODES, or the text that is no card."""
    return _CARD_OR_NOT.findall(text)


def card_names(cards: Sequence[int]) -> list[str]:
    """Return ["As", "Kd"] for (51, 45)."""
    return [NAMES[card] for card in cards]


def rank_word(rank: int) -> str:
    """Return "ace" for 12."""
    return _RANK_WORDS[rank]


def rank_words(rank: int) -> str:
    """Return "aces" for 12."""
    return f"{_RANK_WORDS[rank]}{'es' if rank == 4 else 's'}"


def in_words(card: int) -> str:
    """Return "ace of spades" for 51."""
    return f"{_RANK_WORDS[card >> 2]} of {_SUIT_WORDS[card & 3]}"
