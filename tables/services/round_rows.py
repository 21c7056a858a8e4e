"""A round and its wagers as rows, written by one statement: a floor at four in the morning does not wait for eighteen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import connection

from tables.due_and_done import KeptWager
from tables.models import Round

_WAGER: Mapping[str, tuple[str, Callable[[KeptWager], Any]]] = {
    "seat": ("smallint", lambda wager: wager.seat),
    "kind": ("text", lambda wager: wager.kind),
    "patron": ("text", lambda wager: wager.patron),
    "stake": ("bigint", lambda wager: wager.stake),
    "collect": ("bigint", lambda wager: wager.collect),
    "pay": ("bigint", lambda wager: wager.pay),
    "row": ("text", lambda wager: wager.row),
    "breakage": ("text", lambda wager: wager.breakage),
    "uncapped": ("bigint", lambda wager: wager.uncapped),
    "collected": ("bigint", lambda wager: wager.collected),
    "paid": ("bigint", lambda wager: wager.paid),
    "mispaid": ("text", lambda wager: wager.mispaid),
    "first_collected": ("bigint", lambda wager: wager.first.collected if wager.first else None),
    "first_paid": ("bigint", lambda wager: wager.first.paid if wager.first else None),
    "note": ("text", lambda wager: wager.note),
    "fund": ("text", lambda wager: wager.fund),
    "for_dealer": ("boolean", lambda wager: wager.for_dealer),
}
"""Columns of a wager: their SQL type, and where they come from."""
WAGER_COLUMNS = ("gaming_day", "round_id", "line", *_WAGER)
_TAKE = tuple(take for _, take in _WAGER.values())


def wager_values(wager: KeptWager) -> list[Any]:
    """Return a wager's own columns, as they follow on `gaming_day`, `round_id` and `line` in WAGER_COLUMNS."""
    return [take(wager) for take in _TAKE]


_COLUMNS = ", ".join(f'"{name}"' for name in _WAGER)
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind, _ in _WAGER.values())


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
    arrays = [[take(wager) for wager in wagers] for _, take in _WAGER.values()]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*columns.values(), *arrays])
        key, recorded_at = cursor.fetchone()
    return Round(id=key, recorded_at=recorded_at, **columns)
