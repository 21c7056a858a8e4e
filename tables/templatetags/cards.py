"""`{% load cards %}`: cards drawn as cards, in four colours, so that a flush is seen and not read."""

from __future__ import annotations

import json
from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from ledger.models import Entry
from tables import entry_names
from tables.bet_words import bet_word
from tables.card_words import card_in_words
from tables.engine.game import games
from tables.models import Round

register = template.Library()

FUND_WORDS = {"chips": _("chips"), "cash": _("cash"), "promo": _("promotional")}
SIGNS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


@register.simple_tag
def cards(names: Iterable[str], size: str = "") -> SafeString:
    """Return the cards of `names` ("As", "Td") side by side; `size` is "" or "small"."""
    drawn = format_html_join("", "{}", ((card(name),) for name in names))
    return format_html('<span class="cards {}">{}</span>', size, drawn)


@register.simple_tag
def card(name: str) -> SafeString:
    """Return one card, with its name in words for whoever hears the page."""
    rank, suit = name[:-1].replace("T", "10"), name[-1]
    return format_html(
        '<span class="card suit-{}" role="img" aria-label="{}"><b>{}</b><i>{}</i></span>', suit, card_in_words(name), rank, SIGNS[suit]
    )


@register.filter
def fund_word(fund: str) -> str:
    """Return what a stake was put down in, for a person."""
    return str(FUND_WORDS[fund])


@register.filter
def bet(kind: str) -> str:
    """Return a wager's kind as words of the reader's language: "pair plus" for `pair_plus`."""
    return bet_word(kind)


@register.filter
def entry_name(entry: Entry) -> str:
    """Return what pages call an entry of the books."""
    return entry_names.entry_name(entry)


@register.filter
def sign(suit: str) -> str:
    """Return "♠" for "s"."""
    return SIGNS[suit]


@register.filter
def rank(name: str) -> str:
    """Return "10" for "Ts", as it stands on the card."""
    return name[:-1].replace("T", "10")


@register.filter
def spoken(name: str) -> str:
    """Return "ten of spades" for "Ts"."""
    return card_in_words(name)


@register.simple_tag(name="cards_of")
def small_cards(played: Round) -> SafeString:
    """Return the cards that the round's seats share; where they share none, those of its first seat; without cards, what fell."""
    facts = json.loads(bytes(played.deal))
    layout = games()[played.game].layout
    places = [(facts, layout.round_fields), *((seat, layout.seat_fields) for seat in facts["seats"])]
    for found, fields in places:
        for field in fields:
            value = found.get(field.name)
            if field.kind == "cards" and value and not isinstance(value, int):
                return cards(value if isinstance(value, list) else [value], "small")
    return format_html("{}", next((facts[field.name] for field in layout.round_fields if field.name in facts), ""))
