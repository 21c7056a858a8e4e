"""A round and its wagers as rows, written by one statement: a floor at four in the morning does not wait for eighteen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from django.db import connection

from casino.bulk import array_text
from tables.due_and_done import KeptWager
from tables.models import Round

_WAGER: Mapping[str, str] = {
    "seat": "smallint",
    "kind": "text",
    "patron": "text",
    "stake": "bigint",
    "collect": "bigint",
    "pay": "bigint",
    "row": "text",
    "breakage": "text",
    "uncapped": "bigint",
    "collected": "bigint",
    "paid": "bigint",
    "mispaid": "text",
    "note": "text",
    "fund": "text",
    "for_dealer": "boolean",
    "first_collected": "bigint",
    "first_paid": "bigint",
}
"""Columns of a wager and their SQL types: those of a KeptWager by the same name, then what was done first where that was corrected."""
WAGER_COLUMNS = ("gaming_day", "round_id", "line", *_WAGER)
_own = attrgetter(*[name for name in _WAGER if not name.startswith("first_")])


def wager_values(wager: KeptWager) -> tuple[Any, ...]:
    """Return a wager's own columns, as they follow on `gaming_day`, `round_id` and `line` in WAGER_COLUMNS."""
    first = wager.first
    return (*_own(wager), None, None) if first is None else (*_own(wager), first.collected, first.paid)


_COLUMNS = ", ".join(f'"{name}"' for name in _WAGER)
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in _WAGER.values())


def insert_round(columns: Mapping[str, Any], wagers: Sequence[KeptWager]) -> Round:
    """Return the round of `columns` (a Round's, by column name), inserted with its wagers in their order by one statement.

    Raises IntegrityError naming the constraint; translated by the caller, where the write is.
    """
    marks = ", ".join(["%s"] * len(columns))
    statement = f"""
        WITH r AS (
            INSERT INTO tables_round ({", ".join(columns)}) VALUES ({marks}) RETURNING id, gaming_day, recorded_at
        ), w AS (
            INSERT INTO tables_wager (gaming_day, round_id, line, {_COLUMNS})
            SELECT r.gaming_day, r.id, x.line, {_COLUMNS}
            FROM r CROSS JOIN unnest({_ARRAYS}) WITH ORDINALITY AS x ({_COLUMNS}, line)
        )
        SELECT id, recorded_at FROM r
    """  # noqa: S608 - names of our own columns
    arrays = [array_text(column) for column in zip(*map(wager_values, wagers), strict=True)] or ["{}" for _ in _WAGER]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*columns.values(), *arrays])
        key, recorded_at = cursor.fetchone()
    return Round(id=key, recorded_at=recorded_at, **columns)
