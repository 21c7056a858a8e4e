"""Which findings are a dealer's errors, and what each kind of finding means. Pure."""

from __future__ import annotations

from collections.abc import Mapping

ERRORS: Mapping[str, str] = {
    "overpaid": "paid more than due",
    "underpaid": "paid less than due",
    "paid_a_loser": "paid a wager that had lost",
    "loser_left": "left a lost wager on the table",
    "took_a_winner": "took a wager that had won",
    "push_taken": "took a wager that pushed",
    "push_paid": "paid a wager that pushed",
    "wrong_odds": "paid by another row of the paytable",
    "pot_split": "divided a pot otherwise than due",
}
"""A dealer's errors in paying; each may be `_corrected` at the table, and counts all the same."""
CORRECTED = "_corrected"
FLAGS: Mapping[str, str] = {"win": "hold_out_of_range", "errors": "error_rate", "pace": "pace"}
"""What a statistical flag is called, by the rule that found it."""


def error_kinds() -> list[str]:
    """Return every kind that counts in an error rate."""
    return [kind + ending for kind in ERRORS for ending in ("", CORRECTED)]
