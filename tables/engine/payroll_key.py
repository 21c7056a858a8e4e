"""What a hand of Payroll is worth, as one whole number: the higher key wins, equal keys share. Pure; standard library only.

Six digits of four bits, each a rank + 1 with 0 for none: the highest pair, then up to five other cards from the highest down. So any pair
beats none, and a hand that runs out of cards first loses to one that goes on. Three or four alike are one pair; the others of them are
side cards like any. Source: spec/rounds.md "Payroll", Ranking; seeds/payroll.txt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

DIGIT = 4
SIDE_CARDS = 5
PAIR_SHIFT = DIGIT * SIDE_CARDS


def payroll_key(cards: Sequence[int]) -> int:
    """Return the key of one to five cards, each rank * 4 + suit. Raises ValueError for another number of cards."""
    if not 1 <= len(cards) <= SIDE_CARDS:
        raise ValueError(f"{len(cards)} cards are no hand of Payroll")
    digits = sorted([(card >> 2) + 1 for card in cards], reverse=True)
    pair = next((high for high, low in pairwise(digits) if high == low), 0)
    if pair:
        digits.remove(pair)
        digits.remove(pair)
    key = pair
    for digit in digits + [0] * (SIDE_CARDS - len(digits)):
        key = key << DIGIT | digit
    return key


def pair_of(key: int) -> int | None:
    """Return the rank of the pair in a hand with this `key`, 0 (two) to 12 (ace), None where it has none."""
    return (key >> PAIR_SHIFT) - 1 if key >> PAIR_SHIFT else None


def kickers_of(key: int) -> list[int]:
    """Return the ranks of the side cards in a hand with this `key`, from the highest down."""
    digits = [key >> shift & 0xF for shift in range(PAIR_SHIFT - DIGIT, -1, -DIGIT)]
    return [digit - 1 for digit in digits if digit]
