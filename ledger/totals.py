"""Closing books: a sealed shift's totals are kept once, so that no balance adds up again what was added up. Source: spec/books.md, "Posting".

Right also with late transactions: nothing can be posted in a book while it is closed (its lock, taken exclusively, waits for every open
posting) nor afterwards (the guard of ledger_entry), so what was added up stays all there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.db import connection

from casino.transactions import in_transaction, wait_turn

TOTALS = "ledger totals"


@in_transaction
def keep_totals(shift: UUID) -> int:
    """Return how many books of `shift` this call closed (0 where they are closed already), their totals kept by account.

    To be called inside the sealing transaction, after the shift's last entry: nothing is posted in the shift afterwards (`period_closed`).
    Takes the shift's lock exclusively, then the turn of all closings. Five statements a book; a shift has one.
    """
    wait_turn(f"shift:{shift}")
    return _close_all("shift = %s", [shift])


@in_transaction
def keep_day_totals(property: UUID, gaming_day: date) -> int:
    """Return how many books this call closed: the one of `gaming_day`'s entries without a shift, if there are some; 0 or 1.

    The day then takes no more entries without a shift (`period_closed`).
    """
    wait_turn(f"book:{property}:{gaming_day}")
    return _close_all("property = %s AND gaming_day = %s AND shift IS NULL", [property, gaming_day])


def _close_all(which: str, params: list[Any]) -> int:
    wait_turn(TOTALS)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT b.id, b.property, b.shift, b.gaming_day FROM ledger_book b WHERE {which}"  # noqa: S608 - our own words
            " AND NOT EXISTS (SELECT FROM ledger_bookclosing c WHERE c.book_id = b.id) ORDER BY b.gaming_day, b.id",
            params,
        )
        books = cursor.fetchall()
        for book in books:
            _close(cursor, *book)
    return len(books)


_ENTRIES = """
    SELECT e.id, e.gaming_day, e.transfer_count FROM ledger_entry e
    WHERE e.gaming_day = %(day)s AND e.shift = %(shift)s
"""
_DAY_ENTRIES = """
    SELECT e.id, e.gaming_day, e.transfer_count FROM ledger_entry e
    WHERE e.gaming_day = %(day)s AND e.property = %(property)s AND e.shift IS NULL
"""
_CLOSING = """
INSERT INTO ledger_bookclosing (book_id, sequence, entries, transfers)
SELECT %(book)s, (SELECT coalesce(max(sequence), 0) + 1 FROM ledger_bookclosing), count(*), coalesce(sum(e.transfer_count), 0) FROM (ENTRIES) e
RETURNING id, sequence
"""
_TOTALS = """
INSERT INTO ledger_booktotal (closing_id, account_id, sequence, gaming_day, arrived, "left", held)
SELECT %(closing)s, m.account, %(sequence)s, %(day)s, m.arrived, m.gone, m.arrived - m.gone + coalesce(
    (SELECT t.held FROM ledger_booktotal t WHERE t.account_id = m.account ORDER BY t.sequence DESC LIMIT 1), 0)
FROM (
    SELECT x.account, sum(x.arrived) AS arrived, sum(x.gone) AS gone
    FROM (ENTRIES) e JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = %(day)s
    CROSS JOIN LATERAL (VALUES (t.debit_account_id, t.amount, 0), (t.credit_account_id, 0, t.amount)) AS x (account, arrived, gone)
    GROUP BY x.account
) m
"""


def _close(cursor: Any, book: int, property: UUID, shift: UUID | None, day: date) -> None:
    entries = _DAY_ENTRIES if shift is None else _ENTRIES
    params = {"book": book, "property": property, "shift": shift, "day": day}
    cursor.execute(_CLOSING.replace("ENTRIES", entries), params)
    closing, sequence = cursor.fetchone()
    cursor.execute(_TOTALS.replace("ENTRIES", entries), {**params, "closing": closing, "sequence": sequence})


@dataclass(frozen=True)
class WrongTotal:
    """A kept total that is not what its transfers add up to, in minor units."""

    book: str
    account: str
    kept: tuple[int, int]
    added_up: tuple[int, int]


_WRONG = """
WITH out AS (
    SELECT DISTINCT ON (month) month, action FROM ledger_archive WHERE "table" = 'ledger_transfer' ORDER BY month, sequence DESC
), really AS (
    SELECT b.id AS book, x.account, sum(x.arrived) AS arrived, sum(x.gone) AS gone
    FROM ledger_book b JOIN ledger_bookclosing c ON c.book_id = b.id
    JOIN ledger_entry e ON e.property = b.property AND e.gaming_day = b.gaming_day AND e.shift IS NOT DISTINCT FROM b.shift
    JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = e.gaming_day
    CROSS JOIN LATERAL (VALUES (t.debit_account_id, t.amount, 0), (t.credit_account_id, 0, t.amount)) AS x (account, arrived, gone)
    GROUP BY b.id, x.account
), kept AS (
    SELECT c.book_id AS book, t.account_id AS account, t.arrived, t."left" AS gone
    FROM ledger_booktotal t JOIN ledger_bookclosing c ON c.id = t.closing_id
)
SELECT b.gaming_day, b.shift, a.code, coalesce(k.arrived, 0), coalesce(k.gone, 0), coalesce(r.arrived, 0), coalesce(r.gone, 0)
FROM kept k FULL JOIN really r USING (book, account) JOIN ledger_book b ON b.id = book JOIN ledger_account a ON a.id = account
WHERE (k.arrived, k.gone) IS DISTINCT FROM (r.arrived, r.gone)
  AND NOT EXISTS (SELECT FROM out o WHERE o.action = 'archive' AND o.month = date_trunc('month', b.gaming_day)::date)
ORDER BY b.gaming_day, b.id, a.code
"""


def wrong_totals() -> list[WrongTotal]:
    """Return every kept total that its transfers do not add up to; months that were taken out are left out. One query, as long as the books."""
    with connection.cursor() as cursor:
        cursor.execute(_WRONG)
        return [
            WrongTotal(f"{day} {shift or 'without a shift'}", code, (int(arrived), int(left)), (int(really), int(gone)))
            for day, shift, code, arrived, left, really, gone in cursor.fetchall()
        ]
