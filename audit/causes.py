"""What findings come from: the codes that an answer chooses among. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from casino.words import gettext_noop

CAUSES: Mapping[str, str] = {
    "misread_hand": gettext_noop("A hand was misread"),
    "misread_row": gettext_noop("A row of the paytable was misread"),
    "arithmetic": gettext_noop("The payment was worked out wrongly"),
    "wrong_bet": gettext_noop("The wrong wager was taken or paid"),
    "chips": gettext_noop("Chips were cut or counted wrongly"),
    "entry": gettext_noop("The round was entered wrongly"),
    "count": gettext_noop("A count was wrong"),
    "procedure": gettext_noop("A procedure was not kept to"),
    "rules": gettext_noop("Against the rules of the game, and let stand"),
    "equipment": gettext_noop("Equipment: shoe, shuffler, display, felt"),
    "software": gettext_noop("Pitbook itself"),
    "patron": gettext_noop("A patron: late wager, capped or pinched"),
    "chance": gettext_noop("Chance: nothing was wrong"),
    "unknown": gettext_noop("Not found out"),
}
