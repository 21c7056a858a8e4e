"""Which findings are a dealer's errors, and what each kind of finding means. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from casino.words import gettext_noop

ERRORS: Mapping[str, str] = {
    "overpaid": gettext_noop("paid more than due"),
    "underpaid": gettext_noop("paid less than due"),
    "paid_a_loser": gettext_noop("paid a wager that had lost"),
    "loser_left": gettext_noop("left a lost wager on the table"),
    "took_a_winner": gettext_noop("took a wager that had won"),
    "push_taken": gettext_noop("took a wager that pushed"),
    "push_paid": gettext_noop("paid a wager that pushed"),
    "wrong_odds": gettext_noop("paid by another row of the paytable"),
    "pot_split": gettext_noop("divided a pot otherwise than due"),
}
"""A dealer's errors in paying; each may be `_corrected` at the table, and counts all the same."""
CORRECTED = "_corrected"
FLAGS: Mapping[str, str] = {"win": "hold_out_of_range", "errors": "error_rate", "pace": "pace"}
"""What a statistical flag is called, by the rule that found it."""


def error_kinds() -> list[str]:
    """Return every kind that counts in an error rate."""
    return [kind + ending for kind in ERRORS for ending in ("", CORRECTED)]
