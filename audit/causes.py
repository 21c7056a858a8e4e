"""What findings come from: the codes that an answer chooses among. Pure."""

from __future__ import annotations

from collections.abc import Mapping

CAUSES: Mapping[str, str] = {
    "misread_hand": "A hand was misread",
    "misread_row": "A row of the paytable was misread",
    "arithmetic": "The payment was worked out wrongly",
    "wrong_bet": "The wrong wager was taken or paid",
    "chips": "Chips were cut or counted wrongly",
    "entry": "The round was entered wrongly",
    "count": "A count was wrong",
    "procedure": "A procedure was not kept to",
    "rules": "Against the rules of the game, and let stand",
    "equipment": "Equipment: shoe, shuffler, display, felt",
    "software": "Pitbook itself",
    "patron": "A patron: late wager, capped or pinched",
    "chance": "Chance: nothing was wrong",
    "unknown": "Not found out",
}
