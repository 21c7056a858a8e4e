"""Cards in the reader's language: "ace of spades", "Pik-Ass". The engine's own words stay English, in reason sheets and in the log."""

from __future__ import annotations

from casino.words import gettext, gettext_noop

RANKS = {
    "2": gettext_noop("two"),
    "3": gettext_noop("three"),
    "4": gettext_noop("four"),
    "5": gettext_noop("five"),
    "6": gettext_noop("six"),
    "7": gettext_noop("seven"),
    "8": gettext_noop("eight"),
    "9": gettext_noop("nine"),
    "T": gettext_noop("ten"),
    "J": gettext_noop("jack"),
    "Q": gettext_noop("queen"),
    "K": gettext_noop("king"),
    "A": gettext_noop("ace"),
}
SUITS = {"s": gettext_noop("spades"), "h": gettext_noop("hearts"), "d": gettext_noop("diamonds"), "c": gettext_noop("clubs")}


def card_in_words(name: str) -> str:
    """Return "ten of spades" for "Ts"."""
    return gettext("%(rank)s of %(suit)s") % {"rank": gettext(RANKS[name[0]]), "suit": gettext(SUITS[name[1]])}
