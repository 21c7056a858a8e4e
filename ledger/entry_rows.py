"""An entry and its transfers as rows, written by one statement; its parts can be joined to a statement that writes more."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from django.db import connection

from casino.models import User
from casino.prepared import ask
from casino.transactions import CHECK_NOW
from ledger.drafts import EntryDraft
from ledger.models import Entry

_COLUMNS = (
    "uuid",
    "kind",
    "reference",
    "fingerprint",
    "property",
    "shift",
    "session",
    "round",
    "gaming_day",
    "occurred_at",
    "recorded_by_id",
    "on_behalf_of_id",
    "witness_id",
    "memo",
    "late",
    "paytable",
    "paytable_sha256",
    "engine_version",
    "transfer_count",
)
"""Columns of an entry whose values are the draft's, `reverses_id` aside."""

# An account that is not there leaves its transfer out, and the database refuses the entry for it (ledger_entry_counts).
_PARTS = """
e AS (
    INSERT INTO ledger_entry ({columns}, reverses_id) VALUES ({marks}, {reverses}) RETURNING id, recorded_at, reverses_id
), t AS (
    INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
    SELECT ${gaming_day}::date, e.id, x.line, c.id, d.id, ${currency}, x.amount
    FROM e CROSS JOIN ROWS FROM (json_to_recordset(${moved}) AS (credit text, debit text, amount bigint))
        WITH ORDINALITY AS x (credit, debit, amount, line)
    CROSS JOIN LATERAL (SELECT a.id FROM ledger_account a WHERE a.property = ${property}::uuid AND a.code = x.credit LIMIT 1) c
    CROSS JOIN LATERAL (SELECT a.id FROM ledger_account a WHERE a.property = ${property}::uuid AND a.code = x.debit LIMIT 1) d
)
"""


@cache
def entry_parts(first: int = 1, *, reverses: bool = False) -> str:
    """Return what stands in a WITH to insert an entry (`e`) and its transfers; its values, `entry_values`, are bound from `$first` on.

    `reverses`: of a reversal, whose last value says which entry it reverses.
    """
    places = {name: first + position for position, name in enumerate(_COLUMNS)}
    after = first + len(_COLUMNS)
    return _PARTS.format(
        columns=", ".join(_COLUMNS),
        marks=", ".join(f"${place}" for place in places.values()),
        reverses=f"(SELECT id FROM ledger_entry WHERE uuid = ${after + 2}::uuid)" if reverses else "NULL",  # noqa: S608 - a number
        gaming_day=places["gaming_day"],
        property=places["property"],
        currency=after,
        moved=after + 1,
    )


def entry_values(draft: EntryDraft, by: User) -> list[Any]:
    """Return the values that `entry_parts` binds, in their order."""
    moved = [{"credit": t.credit, "debit": t.debit, "amount": t.amount} for t in draft.transfers]
    values = [*_columns(draft, by), draft.currency, orjson.dumps(moved).decode()]
    return values if draft.reverses is None else [*values, draft.reverses]


def _columns(draft: EntryDraft, by: User) -> tuple[Any, ...]:
    return (
        draft.uuid,
        draft.kind,
        draft.reference,
        draft.fingerprint(),
        draft.property,
        draft.shift,
        draft.session,
        draft.round,
        draft.gaming_day,
        draft.occurred_at,
        by.pk,
        draft.on_behalf_of,
        draft.witness,
        draft.memo,
        draft.late,
        draft.paytable,
        draft.paytable_sha256,
        draft.engine_version,
        len(draft.transfers),
    )


def insert_rows(draft: EntryDraft, by: User) -> Entry:
    """Return the entry of `draft`, inserted with its transfers, and checked. Raises IntegrityError naming the constraint."""
    reverses = draft.reverses is not None
    columns = dict(zip(_COLUMNS, _columns(draft, by), strict=True))
    statement = f"WITH {entry_parts(reverses=reverses)} SELECT id, recorded_at, reverses_id FROM e"  # noqa: S608 - our own words
    key, recorded_at, reverses_id = ask(statement, entry_values(draft, by))
    check_now()
    return Entry(id=key, recorded_at=recorded_at, reverses_id=reverses_id, **columns)


def check_now() -> None:
    """Have the database check what it would check at the commit. Raises IntegrityError naming the constraint."""
    with connection.cursor() as cursor:
        cursor.execute(CHECK_NOW)
