"""What the round console's scripts say, in the reader's language: the page hands it over, scripts hold no words of their own."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.card_words import RANKS, SUITS

FORMS = (("one", 1), ("many", 2))
"""The forms of a text with a count, as English and German have them; a script takes the one that its figure asks for."""


def console_words() -> dict[str, Any]:
    """Return the texts by their names; a script puts its figures in where `{name}` stands."""
    return {
        **{f"pace_{form}": ngettext("{seconds} s · {keys} key", "{seconds} s · {keys} keys", n) for form, n in FORMS},
        **{f"last_pace_{form}": ngettext("last round {seconds} s · {keys} key", "last round {seconds} s · {keys} keys", n) for form, n in FORMS},
        "and": _(" and "),
        "twice_in": _("twice in {place}"),
        "dealt_twice": _("The {card} is dealt twice: {places}."),
        "stop": _("stop, and go on typing"),
        "sent_again": _("The round is kept here and is sent again by itself, as the same round."),
        "signed_out": _("You are signed out. What was typed is kept on this machine:"),
        "sign_in": _("sign in again"),
        "say_below": _("Say below what became of the difference, then save."),
        "no_answer": _("The house does not answer."),
        "not_saved": _("The round could not be saved ({status}). What was typed is kept; tell the shift manager if this comes again."),
        "line_lost": _("The line is lost."),
        "nothing_typed": _("Nothing is typed at seat {seat}. Type it, or take it off with −."),
        "nobody_sits": _("Nobody sits here"),
        "somebody_plays": _("Somebody plays here"),
        "seat": _("Seat {seat}"),
        "still_to_come": _("Still to come: {places}."),
        "draft_kept": _("draft kept"),
        "no_room": _("no room for a draft here"),
        "brought_back": _("draft brought back"),
        "other_page": _("draft of your other page"),
        "card": _("{rank} of {suit}"),
        "ranks": {code: _(words) for code, words in RANKS.items()},
        "suits": {code: _(words) for code, words in SUITS.items()},
    }
