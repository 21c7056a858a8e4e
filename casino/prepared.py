"""Statements that run for every round: the server parses and plans them once a connection, and is sent no more than their values.

Their values are bound by the server, so their marks are `$1`, `$2`, … Everything else goes through Django's own cursors, which it plans anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import connection

_KEPT = "pitbook_cursors"


class _Cursor(psycopg.RawCursor[Any]):
    """Prepares what it runs, unless the alias says `prepare_threshold` None (README, `PITBOOK_PREPARE`)."""

    def execute(self, query: Any, params: Any = None, **said: Any) -> _Cursor:
        """Run `query`."""
        return super().execute(query, params, prepare=True, **said)


def ask(statement: str, values: Sequence[Any]) -> Any:
    """Return the first row of `statement`, None where there is none, in Django's transaction and with its errors; marks are `$1`, `$2`, …

    A statement has a cursor of its own for as long as its connection lives, which knows by then how its rows are read. Values are bound as
    texts, whose types the statement says: a number would be bound by its size, and the statement prepared once for each.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    raw = connection.connection
    kept: dict[str, _Cursor] = raw.__dict__.setdefault(_KEPT, {})
    if (own := kept.get(statement)) is None:
        own = kept[statement] = _Cursor(raw)
    cursor = connection._prepare_cursor(own)  # type: ignore[attr-defined]
    cursor.execute(statement, [value if value is None or type(value) is str or type(value) is bytes else str(value) for value in values])
    return cursor.fetchone()
