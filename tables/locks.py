"""Advisory locks of the floor's things. Order: the shift (ledger.services.lock_shift) first, then the session, then a name.

Append-only rows are never row-locked: that needs the right to UPDATE them. All end with the transaction: pools keep session-level ones.
"""

from __future__ import annotations

from uuid import UUID

from casino.prepared import ask
from casino.transactions import wait_turn


def lock_session(session: UUID) -> None:
    """Wait for the session's turn: round numbers and states are given out one at a time."""
    wait_turn(f"session:{session}")


def lock_to_deal(shift: UUID, session: UUID) -> None:
    """Share the shift (nobody seals or ends it meanwhile), then wait for the session's turn: one statement, in this order."""
    ask(
        "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0)), pg_advisory_xact_lock(hashtextextended($2, 0))",
        [f"shift:{shift}", f"session:{session}"],
    )


def lock_name(name: str) -> None:
    """Wait for the turn of whatever `name` says ("open:UTH-01")."""
    wait_turn(name)
