"""What accounts hold and what moved over them: closed books by their totals, open ones added up; one statement, so one moment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection

_OPEN = """
open_book AS MATERIALIZED (
    SELECT b.property, b.shift, b.gaming_day FROM ledger_book b
    WHERE NOT EXISTS (SELECT FROM ledger_bookclosing c WHERE c.book_id = b.id) DAYS
), open_entry AS MATERIALIZED (
    SELECT e.id, e.gaming_day FROM open_book b JOIN ledger_entry e ON e.shift = b.shift AND e.gaming_day = b.gaming_day
    UNION ALL
    SELECT e.id, e.gaming_day FROM open_book b JOIN ledger_entry e ON e.property = b.property AND e.gaming_day = b.gaming_day AND e.shift IS NULL
    WHERE b.shift IS NULL
), span AS MATERIALIZED (
    SELECT gaming_day, min(id) AS first, max(id) AS last FROM open_entry GROUP BY gaming_day, id / 1024
), pair AS MATERIALIZED (
    SELECT t.debit_account_id, t.credit_account_id, sum(t.amount) AS amount
    FROM span s CROSS JOIN LATERAL (
        SELECT * FROM ledger_transfer t WHERE t.gaming_day = s.gaming_day AND t.entry_id BETWEEN s.first AND s.last OFFSET 0) t
    WHERE (t.entry_id, t.gaming_day) IN (SELECT id, gaming_day FROM open_entry)
    GROUP BY t.debit_account_id, t.credit_account_id
), moved AS (
    SELECT x.account, sum(x.arrived) AS arrived, sum(x.gone) AS gone
    FROM pair p CROSS JOIN LATERAL (VALUES (p.debit_account_id, p.amount, 0), (p.credit_account_id, 0, p.amount)) AS x (account, arrived, gone)
    WHERE x.account = ANY(%(accounts)s) GROUP BY x.account
)
"""
"""The books that are not closed, their entries, and what those moved. DAYS is filled in: of which days.

A shift's entries lie close together, so their transfers are read in spans of keys, each one range of the index, and not entry by entry; OFFSET 0
keeps the planner, which knows a shift's size badly, from doing that all the same. What others posted between them is left out afterwards.
"""


def _open(asks: str, *, days: str = "") -> str:
    """Return the query `asks` after what the open books moved."""
    return "WITH " + _OPEN.replace("DAYS", days) + asks


_NOW = _open("""
SELECT a.id, coalesce((SELECT t.held FROM ledger_booktotal t WHERE t.account_id = a.id ORDER BY t.sequence DESC LIMIT 1), 0)
       + coalesce(m.arrived - m.gone, 0)
FROM unnest(%(accounts)s::bigint[]) AS a (id) LEFT JOIN moved m ON m.account = a.id
""")
_TURNOVER = _open(
    """
SELECT a.id, coalesce(k.arrived, 0) + coalesce(m.arrived, 0), coalesce(k.gone, 0) + coalesce(m.gone, 0)
FROM unnest(%(accounts)s::bigint[]) AS a (id) LEFT JOIN moved m ON m.account = a.id LEFT JOIN (
    SELECT t.account_id, sum(t.arrived) AS arrived, sum(t."left") AS gone FROM ledger_booktotal t
    WHERE t.account_id = ANY(%(accounts)s) AND t.gaming_day BETWEEN coalesce(%(first)s, t.gaming_day) AND coalesce(%(last)s, t.gaming_day)
    GROUP BY t.account_id
) k ON k.account_id = a.id
""",
    days="AND b.gaming_day BETWEEN coalesce(%(first)s, b.gaming_day) AND coalesce(%(last)s, b.gaming_day)",
)


@dataclass(frozen=True)
class Turnover:
    """What arrived at an account and what left it, in minor units."""

    arrived: int
    left: int

    @property
    def net(self) -> int:
        """Return what it holds more by it."""
        return self.arrived - self.left


def held_now(accounts: Iterable[int]) -> dict[int, int]:
    """Return what each account holds now, by its key, in minor units. One query; its work is that of the open books alone."""
    return _held(_NOW, {"accounts": list(accounts)})


def turnover(accounts: Iterable[int], *, first: date | None = None, last: date | None = None) -> dict[int, Turnover]:
    """Return what moved over each account on the gaming days from `first` to `last`, both with them; None is without bound. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_TURNOVER, {"accounts": list(accounts), "first": first, "last": last})
        return {key: Turnover(int(arrived), int(gone)) for key, arrived, gone in cursor.fetchall()}


def _held(statement: str, params: dict[str, Any]) -> dict[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return {key: int(held) for key, held in cursor.fetchall()}
