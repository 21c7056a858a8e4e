"""A round and its wagers as rows, written by one statement: a floor at four in the morning does not wait for eighteen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

import orjson
from django.db import connection

from casino.models import User
from casino.prepared import ask
from ledger.drafts import EntryDraft
from ledger.entry_rows import entry_parts, entry_values
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


_AS_USUAL = {**{name: "''" for name, kind in _WAGER.items() if kind == "text"}, "fund": "'chips'", "for_dealer": "false"}
"""What a wager's column is where nothing else is said; others are nothing then."""
_NAMES = ", ".join(f'"{name}"' for name in _WAGER)
_TYPED = ", ".join(f'"{name}" {kind}' for name, kind in _WAGER.items())
_VALUES = ", ".join(f'coalesce(x."{name}", {_AS_USUAL[name]})' if name in _AS_USUAL else f'x."{name}"' for name in _WAGER)


@cache
def _parts(columns: tuple[str, ...]) -> str:
    """Return what stands in a WITH to insert a round of `columns` (`r`) and its wagers, bound from $1 on: the round's values, then the wagers."""
    marks = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
    return f"""
        r AS (
            INSERT INTO tables_round ({", ".join(columns)}) VALUES ({marks}) RETURNING id, gaming_day, recorded_at
        ), w AS (
            INSERT INTO tables_wager (gaming_day, round_id, line, {_NAMES})
            SELECT r.gaming_day, r.id, x.line, {_VALUES}
            FROM r CROSS JOIN ROWS FROM (json_to_recordset(${len(columns) + 1}) AS ({_TYPED})) WITH ORDINALITY AS x ({_NAMES}, line)
        )
    """  # noqa: S608 - names of our own columns


@cache
def _statement(columns: tuple[str, ...], *, posted: bool) -> str:
    """Return the statement that inserts a round of `columns` with its wagers, and its entry with its transfers where it is `posted` too."""
    entry = f", {entry_parts(len(columns) + 2)}" if posted else ""
    return f"WITH {_parts(columns)}{entry} SELECT id, recorded_at FROM r"  # noqa: S608 - names of our own columns


def insert_round(columns: Mapping[str, Any], wagers: Sequence[KeptWager]) -> Round:
    """Return the round of `columns` (a Round's, by column name), inserted with its wagers in their order by one statement.

    Raises IntegrityError naming the constraint; translated by the caller, where the write is.
    """
    return _made(columns, ask(_statement(tuple(columns), posted=False), [*columns.values(), _lines(wagers)]))


def insert_posted_round(columns: Mapping[str, Any], wagers: Sequence[KeptWager], draft: EntryDraft, by: User) -> Round:
    """Return the round as `insert_round` does, posted by the same statement: `draft` is what it moved. The caller holds the shift's lock."""
    values = [*columns.values(), _lines(wagers), *entry_values(draft, by)]
    return _made(columns, ask(_statement(tuple(columns), posted=True), values))


def _made(columns: Mapping[str, Any], row: tuple[int, datetime]) -> Round:
    own = {**columns, "id": row[0], "recorded_at": row[1]}
    given = [field.attname for field in Round._meta.concrete_fields if field.attname in own]
    made: Round = Round.from_db(connection.alias, given, [own[name] for name in given])
    return made


def _lines(wagers: Sequence[KeptWager]) -> str:
    return orjson.dumps([_said(wager) for wager in wagers]).decode()


def _said(wager: KeptWager) -> dict[str, Any]:
    """Return what is said of a wager; what is as usual, an empty text or no, is left to the statement."""
    return {
        name: value
        for name, value in zip(_WAGER, wager_values(wager), strict=True)
        if value is not None and value is not False and value != "" and not (name == "fund" and value == "chips")
    }
