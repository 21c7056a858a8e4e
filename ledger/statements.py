"""An account's statement and the journal: line by line in the order of the books, a page at a time by key, in a known number of queries.

Of an archived month a statement has one line: what moved by the totals that were kept; the balances after it go on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from ledger.archived import TRANSFERS, months_out
from ledger.holdings import turnover
from ledger.models import Account
from ledger.months import after as month_after

PAGE = 50
CHUNK = 2_000
WHOLE_DAY = 2**62
"""Stands for an entry in the key behind all lines of a day."""
ARCHIVED = "archived"
"""The kind of the line that stands for a month whose lines are archived."""


class Key(NamedTuple):
    """Where a line stands: the books' order is gaming day, then entry, then line."""

    gaming_day: date
    entry: int
    line: int

    def __str__(self) -> str:
        return f"{self.gaming_day}.{self.entry}.{self.line}"

    @classmethod
    def read(cls, text: str) -> Key | None:
        """Return the key that an address says, None where it says none."""
        parts = text.split(".")
        try:
            day, entry, line = date.fromisoformat(parts[0]), int(parts[1]), int(parts[2])
        except (ValueError, IndexError):
            return None
        return cls(day, entry, line) if 0 <= entry <= WHOLE_DAY and 0 <= line < 2**15 and len(parts) == 3 else None


class Line(NamedTuple):
    """One movement over the account: minor units, `debit` arrived and `credit` left; `balance` is what it held after it.

    Or, of kind `archived`, all that moved in a month whose lines are archived: of no entry, and at no moment.
    """

    key: Key
    occurred_at: datetime | None
    recorded_at: datetime | None
    reference: str
    kind: str
    by: str
    memo: str
    late: bool
    session: UUID | None
    round: UUID | None
    other: str
    debit: int | None
    credit: int | None
    balance: int


@dataclass(frozen=True)
class Page:
    """A page of a statement: what the account held before its first line, its lines, what it held after the last, where the next begins."""

    opening: int
    lines: Sequence[Line]
    closing: int
    next: Key | None


_SIDE = """
(SELECT t.gaming_day, t.entry_id, t.line, t.amount, t.OTHER_account_id AS other, SIGN AS sign FROM ledger_transfer t
 WHERE t.SIDE_account_id = %(account)s AND t.gaming_day BETWEEN %(first)s AND %(last)s
   AND (t.gaming_day, t.entry_id, t.line) > (%(day)s, %(entry)s, %(line)s)
 ORDER BY t.gaming_day, t.entry_id, t.line LIMIT %(limit)s)
"""


def _side(side: str, other: str, sign: int) -> str:
    return _SIDE.replace("SIDE", side).replace("OTHER", other).replace("SIGN", str(sign))


_LINES = """
SELECT m.gaming_day, m.entry_id, m.line, e.occurred_at, e.recorded_at, e.reference, e.kind, u.username, e.memo, e.late, e.session, e.round,
       a.code, m.amount, m.sign
FROM (SELECT * FROM (MOVES) both_sides ORDER BY gaming_day, entry_id, line LIMIT %(limit)s) m
JOIN ledger_entry e ON e.id = m.entry_id JOIN casino_user u ON u.id = e.recorded_by_id JOIN ledger_account a ON a.id = m.other
ORDER BY m.gaming_day, m.entry_id, m.line
""".replace("MOVES", _side("debit", "credit", 1) + " UNION ALL " + _side("credit", "debit", -1))

_OF_DAY = """
SELECT coalesce(sum(CASE WHEN t.debit_account_id = %(account)s THEN t.amount ELSE -t.amount END), 0) FROM ledger_transfer t
WHERE t.gaming_day = %(day)s AND %(account)s IN (t.debit_account_id, t.credit_account_id)
  AND (t.entry_id, t.line) <= (%(entry)s, %(line)s)
"""


def statement_page(account: Account, *, first: date | None = None, last: date | None = None, after: Key | None = None, limit: int = PAGE) -> Page:
    """Return the page of `account`'s lines of the gaming days from `first` to `last` that begins behind `after`. Five queries at most."""
    first, last = first or date(1970, 1, 1), last or date(9999, 12, 31)
    before = Key(first - timedelta(days=1), WHOLE_DAY, 0) if after is None or after.gaming_day < first else after
    opening = _held_after(account, before)
    lines = _lines(account, first, last, before, limit + 1, opening, _months_out(account, first, last))
    shown = lines[:limit]
    closing = shown[-1].balance if shown else opening
    return Page(opening, shown, closing, shown[-1].key if len(lines) > limit else None)


def statement_lines(account: Account, *, first: date, last: date) -> Iterator[Line]:
    """Yield every line of `account` of those days, `CHUNK` at a time: four queries at most, and one a chunk, flat memory."""
    before = Key(first - timedelta(days=1), WHOLE_DAY, 0)
    out = _months_out(account, first, last)
    held = _held_after(account, before)
    while True:
        lines = _lines(account, first, last, before, CHUNK, held, out)
        yield from lines
        if len(lines) < CHUNK:
            return
        before, held = lines[-1].key, lines[-1].balance


def _held_after(account: Account, key: Key) -> int:
    """Return what `account` held after the line of `key`: whole days by their totals, then that day's lines. Two queries."""
    days = turnover([account.pk], last=key.gaming_day if key.entry == WHOLE_DAY else key.gaming_day - timedelta(days=1))
    held = days[account.pk].net
    if key.entry != WHOLE_DAY:
        with connection.cursor() as cursor:
            cursor.execute(_OF_DAY, {"account": account.pk, "day": key.gaming_day, "entry": key.entry, "line": key.line})
            held += int(cursor.fetchone()[0])
    return held


_OUT = """
SELECT date_trunc('month', t.gaming_day)::date, sum(t.arrived), sum(t."left") FROM ledger_booktotal t
WHERE t.account_id = %(account)s AND t.gaming_day BETWEEN %(first)s AND %(last)s
  AND date_trunc('month', t.gaming_day)::date = ANY(%(months)s::date[])
GROUP BY 1 ORDER BY 1
"""


def _months_out(account: Account, first: date, last: date) -> list[Line]:
    """Return a line for each archived month of those days in which something moved over `account`, its balance left open. Two queries at most."""
    months = months_out(TRANSFERS, first=first, last=last)
    if not months:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_OUT, {"account": account.pk, "first": first, "last": last, "months": months})
        rows = cursor.fetchall()
    return [_out(min(month_after(month) - timedelta(days=1), last), int(arrived), int(left)) for month, arrived, left in rows]


def _out(day: date, arrived: int, left: int) -> Line:
    return Line(Key(day, WHOLE_DAY, 0), None, None, "", ARCHIVED, "", "", False, None, None, "", arrived or None, left or None, 0)


def _lines(account: Account, first: date, last: date, behind: Key, limit: int, held: int, out: Sequence[Line]) -> list[Line]:
    """Return `limit` lines at most that stand behind a key: live ones, and among them those of the months that are `out`. One query."""
    found = sorted([*_live(account, first, last, behind, limit), *(line for line in out if line.key > behind)], key=lambda line: line.key)
    lines = []
    for line in found[:limit]:
        held += (line.debit or 0) - (line.credit or 0)
        lines.append(line._replace(balance=held))
    return lines


def _live(account: Account, first: date, last: date, after: Key, limit: int) -> list[Line]:
    bounds: dict[str, Any] = {"first": first, "last": last, "day": after.gaming_day, "entry": after.entry, "line": after.line}
    with connection.cursor() as cursor:
        cursor.execute(_LINES, {"account": account.pk, "limit": limit, **bounds})
        rows = cursor.fetchall()
    lines = []
    for row in rows:
        amount, sign = row[-2:]
        lines.append(Line._make([Key(*row[:3]), *row[3:-2], amount if sign > 0 else None, amount if sign < 0 else None, 0]))
    return lines


class JournalLine(NamedTuple):
    """One transfer of an entry in the journal: minor units."""

    key: Key
    occurred_at: datetime
    recorded_at: datetime
    reference: str
    kind: str
    by: str
    memo: str
    late: bool
    debit: str
    credit: str
    amount: int


_DAYS = "SELECT DISTINCT gaming_day FROM ledger_book WHERE property = %s AND gaming_day BETWEEN %s AND %s ORDER BY 1"
_JOURNAL = """
SELECT t.gaming_day, t.entry_id, t.line, e.occurred_at, e.recorded_at, e.reference, e.kind, u.username, e.memo, e.late, d.code, c.code, t.amount
FROM (
    SELECT e.* FROM ledger_entry e WHERE e.property = %(property)s AND e.gaming_day = %(day)s AND e.id >= %(entry)s AND e.transfer_count > 0 AND KINDS
    ORDER BY e.id LIMIT %(limit)s
) e
JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = %(day)s AND (t.entry_id, t.line) > (%(entry)s, %(line)s)
JOIN ledger_account d ON d.id = t.debit_account_id JOIN ledger_account c ON c.id = t.credit_account_id
JOIN casino_user u ON u.id = e.recorded_by_id
ORDER BY t.entry_id, t.line LIMIT %(limit)s
"""


def journal_lines(
    property: UUID, *, first: date, last: date, kind: str = "", after: Key | None = None, limit: int | None = None
) -> Iterator[JournalLine]:
    """Yield the transfers of the property's entries of those days in the books' order, behind `after`, `limit` at most. One query a chunk.

    `kind`: of entries of that kind alone. An entry that moved nothing has no line.
    """
    left = limit
    with connection.cursor() as cursor:
        cursor.execute(_DAYS, [property, max(first, after.gaming_day) if after else first, last])
        days = [day for (day,) in cursor.fetchall()]
    for day in days:
        place = after if after is not None and after.gaming_day == day else Key(day, 0, 0)
        for line in _journal_of(property, day, place, kind):
            if left is not None and left <= 0:
                return
            yield line
            left = None if left is None else left - 1


def _journal_of(property: UUID, day: date, place: Key, kind: str) -> Iterator[JournalLine]:
    statement = _JOURNAL.replace("KINDS", "e.kind = %(kind)s" if kind else "true")
    while True:
        params: dict[str, Any] = {"property": property, "day": day, "entry": place.entry, "line": place.line, "kind": kind, "limit": CHUNK}
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            rows = cursor.fetchall()
        for row in rows:
            yield JournalLine(Key(*row[:3]), *row[3:])
        if not rows:
            return
        place = Key(*rows[-1][:3])
