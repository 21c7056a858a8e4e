"""Faults and reason sheets as a person at the table reads them: places by their labels, amounts in the house's notation. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from casino.errors import Fault
from casino.money import Notation, format_amount
from casino.words import gettext as _
from casino.words import gettext_noop, is_english
from tables.card_words import card_in_words
from tables.engine.faults import PlacedFault

_FIGURE = re.compile(r"(?<![\w:/.,-])(-?)(\d+)(?![\w:/]|[.,]\d| (?:hands|equal|times|rounds)\b)")

Money = Callable[[int], str]
Facts = Mapping[str, Any]
_NEEDS: Mapping[str, str] = {
    "object": gettext_noop("An object is due here."),
    "amount": gettext_noop("An amount from 0 and below 10^15 is due here."),
    "stake": gettext_noop("A stake of more than 0 and below 10^15 is due here."),
    "whole number": gettext_noop("A whole number is due here."),
    "count": gettext_noop("A whole number from 0 is due here."),
    "flag": gettext_noop("true or false is due here."),
    "text": gettext_noop("A text is due here."),
    "characters": gettext_noop("A character of this text cannot be kept."),
    "list": gettext_noop("A list is due here."),
    "paytable": gettext_noop("A paytable's reference or a whole version is due here."),
    "cards": gettext_noop("Cards are due here."),
    "card": gettext_noop("A card is due here."),
    "name": gettext_noop("This is no name: up to 64 letters, digits, dots, underscores and hyphens."),
    "odds": gettext_noop("This is not odds such as “3:2”."),
    "multiples": gettext_noop("Multiples are different whole numbers from 1."),
}
"""What a place wants, by the fact `needs` of a fault."""


def _shape(facts: Facts, otherwise: str) -> str:
    """Return what a value that cannot be read should be."""
    if "choices" in facts:
        return _("One of %(choices)s is due here.") % {"choices": ", ".join(facts["choices"])}
    if "least" in facts and "most" in facts:
        return _("A whole number from %(least)s to %(most)s is due here.") % facts
    if facts.get("needs") == "label":
        return _("A text of 1 to %(most)s characters is due here.") % facts
    return _(_NEEDS[facts["needs"]]) if facts.get("needs") in _NEEDS else otherwise


def _amount(facts: Facts, money: Money) -> str:
    if "stake" in facts:
        return _("More than the stake of %(stake)s.") % {"stake": money(facts["stake"])}
    return _shape(facts, _("Too large an amount."))


def _multiple(facts: Facts) -> str:
    legal = facts.get("legal") or []
    if not legal:
        return _("Not a legal play here: no multiple of the ante.")
    return _("Not a legal play here: %(times)s times the ante.") % {"times": _(" or ").join(map(str, legal))}


def _seats(facts: Facts) -> str:
    return _("%(least)s to %(most)s seats are due; there are %(found)s.") % facts if "found" in facts else _("Not a legal number of seats.")


def _seat(facts: Facts) -> str:
    return _("Seats are numbered 1 to %(most)s.") % facts if "most" in facts else _("The button is at nobody's seat.")


def _cards(facts: Facts) -> str:
    return _("Cards due: %(due)s; there: %(found)s.") % facts if "found" in facts else _("Not the right number of cards.")


def _rolled(facts: Facts) -> str:
    if "found" not in facts:
        return _("The up card is neither kept nor discarded.")
    return _("%(due)s cards dealt, one and as many as were rolled; %(found)s kept and discarded.") % facts


def _bet(facts: Facts, money: Money) -> str:
    return _("The highest live bet is %(amount)s.") % {"amount": money(facts["highest"])} if "highest" in facts else _("Not matched.")


def _roll(facts: Facts) -> str:
    if "roll" in facts:
        return _("No die shows %(roll)s.") % facts
    return _("One or two rolls are due, and none only where the seat folded before its turn.")


_WORDS: Mapping[str, Callable[[Facts, Money], str]] = {
    "bad_json": lambda facts, money: _("This is not one JSON object."),
    "unknown_game": lambda facts, money: _("There is no such game."),
    "unknown_paytable": lambda facts, money: _("There is no such paytable version."),
    "bad_paytable": lambda facts, money: _shape(facts, _("Not a paytable that this can be settled by.")),
    "missing_field": lambda facts, money: _("Still to be typed."),
    "unknown_field": lambda facts, money: _("There is no such field here."),
    "bad_type": lambda facts, money: _shape(facts, _("This cannot be read.")),
    "bad_card": lambda facts, money: (
        _("“%(text)s” is no card: a rank 2 to 9, T, J, Q, K, A and a suit c, d, h, s, as in “As”.") % {"text": facts["text"]}
    ),
    "bad_amount": _amount,
    "too_many_seats": lambda facts, money: _seats(facts),
    "too_few_seats": lambda facts, money: _seats(facts),
    "bad_seat": lambda facts, money: _seat(facts),
    "duplicate_seat": lambda facts, money: _("Two seats have this number."),
    "wrong_card_count": lambda facts, money: _cards(facts),
    "duplicate_card": lambda facts, money: _("This card is dealt twice."),
    "cards_required": lambda facts, money: _("These cards are needed to settle the round."),
    "blind_not_equal_ante": lambda facts, money: _("The blind equals the ante."),
    "play_after_fold": lambda facts, money: _("The seat folded, and has a play."),
    "missing_play": lambda facts, money: _("Neither played nor folded."),
    "bad_street": lambda facts, money: _("This is no street."),
    "bad_play_multiple": lambda facts, money: _multiple(facts),
    "bad_ante": lambda facts, money: _("Not the ante of this table's paytable."),
    "bad_roll": lambda facts, money: _roll(facts),
    "cards_do_not_match_rolls": lambda facts, money: _rolled(facts),
    "too_many_kept": lambda facts, money: _("One to five cards are kept."),
    "too_few_kept": lambda facts, money: _("One to five cards are kept."),
    "card_in_two_places": lambda facts, money: _("This card lies in two places."),
    "unmatched_bet": _bet,
    "no_live_seat": lambda facts, money: _("Every seat folded: nobody can take the pot."),
    "inexact_payout": lambda facts, money: _("The paytable cannot pay this stake exactly."),
    "bad_pocket": lambda facts, money: _("This is not on this wheel."),
    "bad_bet": lambda facts, money: _("“%(bet)s” is no bet that this table takes.") % {"bet": facts["bet"]},
    "reference_reused": lambda facts, money: _("This page was saved already; what was changed on it since is not in the books."),
}
"""A sentence for a person, by the code of spec/rounds.md "Errors" and its facts: no minor units, no JSON."""


def in_words(fault: Fault, label: Callable[[str], str], notation: Notation) -> str:
    """Return what is wrong, for the person who typed it; `label` names a place such as "seats[1].cards[0]"."""
    return _said(fault, label, lambda amount: format_amount(amount, notation))


def said(fault: Fault) -> str:
    """Return what is wrong as a door says it in the reader's language: a fault of the engine by its code and facts, any other as it was raised.

    In English the engine's own message stands, which names the values; amounts are minor units, as at the door.
    """
    return fault.message if is_english() or not isinstance(fault, PlacedFault) else _said(fault, str, str)


def _said(fault: Fault, label: Callable[[str], str], money: Money) -> str:
    places = fault.facts.get("places", ())
    if len(places) == 2 and "card" in fault.facts:
        facts = {"card": card_in_words(fault.facts["card"]), "one": label(places[0]), "other": label(places[1])}
        return _("The %(card)s is dealt twice: %(one)s and %(other)s.") % facts
    known = _WORDS.get(fault.code)
    return known(fault.facts, money) if known else fault.message


def in_money(why: str, notation: Notation) -> str:
    """Return a reason sheet with its minor units as amounts: "1000 × 3:2 = 1500" is "10.00 × 3:2 = 15.00".

    Odds, fractions of a unit, numbers of hands or times, and names with a number ("split-17-20") stay as they are.
    """
    return _FIGURE.sub(lambda match: ("\u2212" if match[1] else "") + format_amount(int(match[2]), notation), why)
