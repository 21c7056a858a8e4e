"""A paytable in words, as it hangs at the table and as people read it: odds by hand, rules. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from casino.odds import format_odds
from casino.words import gettext, gettext_noop
from tables.bet_words import HANDS, bet_word
from tables.engine.paytable import Paytable

Say = Callable[[str], str]
Row = Callable[[str, str], str]
NONE, OR = gettext_noop("none"), gettext_noop("or")


def odds_lines(paytable: Paytable, name: Row = lambda row, wager: in_words(row)) -> list[tuple[str, list[str]]]:
    """Return a line a hand, the dearest first: its name, and what each wager of `paytable.odds` pays for it to one, "" where nothing.

    `name` names a row of a wager in the reader's language: a sheet is written in English.
    """
    odds = paytable.odds
    rows = {row for prices in odds.values() for row in prices}
    wager_of = {row: wager for wager, prices in odds.items() for row in prices}
    dearest = sorted(rows, key=lambda row: (-max(prices.get(row, Fraction(0)) for prices in odds.values()), row))
    return [(name(row, wager_of[row]), [format_odds(prices[row]) if row in prices else "" for prices in odds.values()]) for row in dearest]


def rule_lines(rules: Mapping[str, Any], say: Say = str) -> Iterator[tuple[str, str]]:
    """Yield each rule with its value in words; `say` says a word in the reader's language: a sheet is written in English."""
    for name, value in rules.items():
        yield say(in_words(name)), value_in_words(value, say)


def in_words(name: str) -> str:
    """Return "Three of a kind" for "three_of_a_kind"."""
    return name.replace("_", " ").capitalize()


def say_rule(text: str) -> str:
    """Return a word of a rule in the reader's language: its name, "Dealer qualifies", a hand, a price of the house."""
    return gettext(HANDS.get(text, text))


def value_in_words(value: Any, say: Say = str) -> str:
    """Return "3 or 4" for a list, "none" for null, "blind 500000" for an object; `say` as in `rule_lines`."""
    if isinstance(value, Mapping):
        named = [(key.replace("_", " ") if say is str else bet_word(key), some) for key, some in value.items()]
        return ", ".join(f"{key} {value_in_words(some, say)}" for key, some in named) or say(NONE)
    if isinstance(value, list):
        return f" {say(OR)} ".join(map(str, value))
    return say(NONE) if value is None else say(str(value).replace("_", " "))
