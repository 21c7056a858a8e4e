"""Odds: exact fractions, *to* one. Standard library only."""

from __future__ import annotations

import re
from fractions import Fraction

from casino.words import gettext

_ODDS = re.compile(r"(0|[1-9]\d{0,8}):([1-9]\d{0,8})\Z", re.ASCII)


def parse_odds(text: str, *, basis: str = "to") -> Fraction:
    """Return the profit per unit staked that `text` ("3:2") promises, as an exact fraction.

    `basis` "for" counts the returned stake in: "5:1 for" is 4 to 1. Raises ValueError for other texts, and where "for" pays less than
    the stake back. Source: spec/rounds.md, "Odds".
    """
    match = _ODDS.match(text)
    if match is None:
        raise ValueError(gettext("“%(text)s” is not odds such as “3:2”") % {"text": text})
    odds = Fraction(int(match[1]), int(match[2]))
    if basis == "for":
        odds -= 1
    if odds < 0:
        raise ValueError(gettext("“%(text)s” for one returns less than the stake") % {"text": text})
    return odds


def format_odds(odds: Fraction) -> str:
    """Return "3:2" for the reduced fraction 3/2."""
    return f"{odds.numerator}:{odds.denominator}"
