"""Faults and reason sheets as a person at the table reads them: places by their labels, amounts in the house's notation. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from casino.errors import Fault
from casino.money import Notation, format_amount
from tables.engine.cards import CODES
from tables.engine.cards import in_words as card_in_words

_FIGURE = re.compile(r"(?<![\w:/.,-])(-?)(\d+)(?![\w:/]|[.,]\d| (?:hands|equal|times|rounds)\b)")

Money = Callable[[int], str]
_WORDS: Mapping[str, Callable[[Mapping[str, Any], Money], str]] = {
    "missing_field": lambda facts, money: "Still to be typed.",
    "cards_required": lambda facts, money: "These cards are needed to settle the round.",
    "blind_not_equal_ante": lambda facts, money: "The blind equals the ante.",
    "missing_play": lambda facts, money: "Neither played nor folded.",
    "play_after_fold": lambda facts, money: "The seat folded, and has a play.",
    "bad_play_multiple": lambda facts, money: f"Not a legal play here: {_either(facts)} the ante.",
    "bad_ante": lambda facts, money: "Not the ante of this table's paytable.",
    "unmatched_bet": lambda facts, money: f"The highest live bet is {money(facts['highest'])}." if "highest" in facts else "Not matched.",
    "inexact_payout": lambda facts, money: "The paytable cannot pay this stake exactly.",
    "bad_amount": lambda facts, money: f"More than the stake of {money(facts['stake'])}." if "stake" in facts else "Too large an amount.",
    "reference_reused": lambda facts, money: "This page was saved already; what was changed on it since is not in the books.",
}
"""Words of the form's own for faults whose message speaks of minor units or of JSON."""


def _either(facts: Mapping[str, Any]) -> str:
    legal = facts.get("legal") or []
    return f"{' or '.join(map(str, legal))} times" if legal else "no multiple of"


def in_words(fault: Fault, label: Callable[[str], str], notation: Notation) -> str:
    """Return what is wrong, for the person who typed it; `label` names a place such as "seats[1].cards[0]"."""
    places = fault.facts.get("places", ())
    if len(places) == 2 and "card" in fault.facts:
        card = card_in_words(CODES[fault.facts["card"]])
        return f"The {card} is dealt twice: {label(places[0])} and {label(places[1])}."
    known = _WORDS.get(fault.code)
    return known(fault.facts, lambda amount: format_amount(amount, notation)) if known else fault.message


def in_money(why: str, notation: Notation) -> str:
    """Return a reason sheet with its minor units as amounts: "1000 × 3:2 = 1500" is "10.00 × 3:2 = 15.00".

    Odds, fractions of a unit, numbers of hands or times, and names with a number ("split-17-20") stay as they are.
    """
    return _FIGURE.sub(lambda match: ("\u2212" if match[1] else "") + format_amount(int(match[2]), notation), why)
