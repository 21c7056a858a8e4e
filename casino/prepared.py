"""Statements that run for every round: the server parses and plans them once a connection, and is sent no more than their values.

Their values are bound by the server, so their marks are `$1`, `$2`, … Everything else goes through Django's own cursors, which it plans anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import psycopg
from django.db import connection


class _Cursor(psycopg.RawCursor[Any]):
    """Prepares what it runs, unless the alias says `prepare_threshold` None (README, `PITBOOK_PREPARE`)."""

    def execute(self, query: Any, params: Any = None, **said: Any) -> _Cursor:
        """Run `query` with the texts of `params`."""
        return super().execute(query, None if params is None else _texts(params), prepare=True, **said)


def prepared_cursor() -> Any:
    """Return a cursor of Django's, in its transaction and with its errors, whose statements are prepared; marks are `$1`, `$2`, …"""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    return connection._prepare_cursor(_Cursor(connection.connection))  # type: ignore[attr-defined]


def _texts(values: Iterable[Any]) -> list[Any]:
    """Return values as texts, whose types the statement says: a number would be bound by its size, and prepared once for each."""
    return [value if value is None or type(value) is str or type(value) is bytes else str(value) for value in values]
