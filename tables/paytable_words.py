"""A paytable in words, as it hangs at the table and as people read it: odds by hand, rules. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from casino.odds import format_odds
from casino.words import gettext_noop
from tables.engine.paytable import Paytable

Say = Callable[[str], str]
NONE, OR = gettext_noop("none"), gettext_noop("or")


def odds_lines(paytable: Paytable) -> list[tuple[str, list[str]]]:
    """Return a line a hand, the dearest first: its name, and what each wager of `paytable.odds` pays for it to one, "" where nothing."""
    odds = paytable.odds
    rows = {row for prices in odds.values() for row in prices}
    dearest = sorted(rows, key=lambda row: (-max(prices.get(row, Fraction(0)) for prices in odds.values()), row))
    return [(in_words(row), [format_odds(prices[row]) if row in prices else "" for prices in odds.values()]) for row in dearest]


def rule_lines(rules: Mapping[str, Any], say: Say = str) -> Iterator[tuple[str, str]]:
    """Yield each rule with its value in words; `say` says a word in the reader's language: a sheet is written in English."""
    for name, value in rules.items():
        yield say(in_words(name)), value_in_words(value, say)


def in_words(name: str) -> str:
    """Return "Three of a kind" for "three_of_a_kind"."""
    return name.replace("_", " ").capitalize()


def value_in_words(value: Any, say: Say = str) -> str:
    """Return "3 or 4" for a list, "none" for null, "blind 500000" for an object; `say` as in `rule_lines`."""
    if isinstance(value, Mapping):
        return ", ".join(f"{say(key.replace('_', ' '))} {value_in_words(some, say)}" for key, some in value.items()) or say(NONE)
    if isinstance(value, list):
        return f" {say(OR)} ".join(map(str, value))
    return say(NONE) if value is None else say(str(value).replace("_", " "))
