"""Bets, hands and ranks in the reader's language: "pair plus", "Paar". Their codes and the engine's words stay English. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from casino.words import gettext, gettext_noop, language, pgettext

HANDS = {
    "high card": gettext_noop("high card"),
    "pair": gettext_noop("pair"),
    "two pair": gettext_noop("two pair"),
    "three of a kind": gettext_noop("three of a kind"),
    "straight": gettext_noop("straight"),
    "flush": gettext_noop("flush"),
    "full house": gettext_noop("full house"),
    "four of a kind": gettext_noop("four of a kind"),
    "straight flush": gettext_noop("straight flush"),
    "royal flush": gettext_noop("royal flush"),
}
"""The rows of a paytable that are hands."""

RULES = {
    "jack high": gettext_noop("jack high"),
    "queen high": gettext_noop("queen high"),
    "king high": gettext_noop("king high"),
    "ace high": gettext_noop("ace high"),
    "single zero": gettext_noop("single zero"),
    "preflop": gettext_noop("preflop"),
    "flop": gettext_noop("flop"),
    "river": gettext_noop("river"),
}
"""What rules of a paytable may be, beside hands: marked here, for pages to say."""

MANY = {
    "twos": gettext_noop("twos"),
    "threes": gettext_noop("threes"),
    "fours": gettext_noop("fours"),
    "fives": gettext_noop("fives"),
    "sixes": gettext_noop("sixes"),
    "sevens": gettext_noop("sevens"),
    "eights": gettext_noop("eights"),
    "nines": gettext_noop("nines"),
    "tens": gettext_noop("tens"),
    "jacks": gettext_noop("jacks"),
    "queens": gettext_noop("queens"),
    "kings": gettext_noop("kings"),
    "aces": gettext_noop("aces"),
}
"""Several cards of a rank."""

NUMBERS = {
    "zero": gettext_noop("zero"),
    "double zero": gettext_noop("double zero"),
    "one": gettext_noop("one"),
    "two": gettext_noop("two"),
    "three": gettext_noop("three"),
    "four": gettext_noop("four"),
    "five": gettext_noop("five"),
    "six": gettext_noop("six"),
    "seven": gettext_noop("seven"),
    "eight": gettext_noop("eight"),
    "nine": gettext_noop("nine"),
    "ten": gettext_noop("ten"),
    "eleven": gettext_noop("eleven"),
    "twelve": gettext_noop("twelve"),
    "thirteen": gettext_noop("thirteen"),
    "fourteen": gettext_noop("fourteen"),
    "fifteen": gettext_noop("fifteen"),
    "sixteen": gettext_noop("sixteen"),
    "seventeen": gettext_noop("seventeen"),
    "eighteen": gettext_noop("eighteen"),
    "nineteen": gettext_noop("nineteen"),
    "twenty": gettext_noop("twenty"),
    "twenty-one": gettext_noop("twenty-one"),
    "twenty-two": gettext_noop("twenty-two"),
    "twenty-three": gettext_noop("twenty-three"),
    "twenty-four": gettext_noop("twenty-four"),
    "twenty-five": gettext_noop("twenty-five"),
    "twenty-six": gettext_noop("twenty-six"),
    "twenty-seven": gettext_noop("twenty-seven"),
    "twenty-eight": gettext_noop("twenty-eight"),
    "twenty-nine": gettext_noop("twenty-nine"),
    "thirty": gettext_noop("thirty"),
    "thirty-one": gettext_noop("thirty-one"),
    "thirty-two": gettext_noop("thirty-two"),
    "thirty-three": gettext_noop("thirty-three"),
    "thirty-four": gettext_noop("thirty-four"),
    "thirty-five": gettext_noop("thirty-five"),
    "thirty-six": gettext_noop("thirty-six"),
}
"""The pockets of a wheel, in words."""

_SPOT = re.compile(r"([a-z]+(?: [a-z]+)*)((?:[ -]\d+)*)")


@cache
def _bets(reader: str) -> Mapping[str, str]:
    """Return the bets in the language of the `reader`; a straight is a bet on one number here, and no hand."""
    return {
        "ante": pgettext("bet", "ante"),
        "blind": pgettext("bet", "blind"),
        "trips": pgettext("bet", "trips"),
        "play": pgettext("bet", "play"),
        "ante bonus": pgettext("bet", "ante bonus"),
        "pair plus": pgettext("bet", "pair plus"),
        "reroll ante": pgettext("bet", "reroll ante"),
        "bet": pgettext("bet", "bet"),
        "pot": pgettext("bet", "pot"),
        "bets": pgettext("bet", "bets"),
        "straight": pgettext("bet", "straight"),
        "split": pgettext("bet", "split"),
        "street": pgettext("bet", "street"),
        "corner": pgettext("bet", "corner"),
        "top line": pgettext("bet", "top line"),
        "line": pgettext("bet", "line"),
        "column": pgettext("bet", "column"),
        "dozen": pgettext("bet", "dozen"),
        "even money": pgettext("bet", "even money"),
        "red": pgettext("bet", "red"),
        "black": pgettext("bet", "black"),
        "odd": pgettext("bet", "odd"),
        "even": pgettext("bet", "even"),
        "low": pgettext("bet", "low"),
        "high": pgettext("bet", "high"),
    }


def known_bet(kind: str) -> str | None:
    """Return the bet of `kind` in the reader's language, None where it is none that has a word."""
    spot = _SPOT.fullmatch(kind.replace("_", " "))
    name = spot and _bets(language()).get(spot[1])
    return f"{name}{spot[2]}" if spot and name else None


def bet_word(kind: str) -> str:
    """Return "pair plus" for `pair_plus`, "split 17 20" for `split_17_20`: a wager's kind, a bet or what the audit names in a wager's place."""
    return known_bet(kind) or gettext(kind.replace("_", " "))


def row_word(row: str, wager: str = "") -> str:
    """Return "three of a kind" for a row of the odds of `wager`: a hand, or a bet of roulette, where the wager is named like it."""
    name = row.replace("_", " ")
    is_bet = name not in HANDS or wager.replace("_", " ").split(" ")[0] in ("bets", name)
    return bet_word(name) if is_bet else gettext(HANDS[name])


def bet_name(kind: str) -> str:
    """Return "Pair plus": a bet as it heads a line."""
    return _capital(bet_word(kind))


def row_name(row: str, wager: str = "") -> str:
    """Return "Three of a kind": a row as it heads a line."""
    return _capital(row_word(row, wager))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
