"""Reading the books, in a known number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db import connection
from django.db.models import F, Q, QuerySet, Sum

from casino.errors import BrokenBooks
from ledger.holdings import held_now, turnover
from ledger.models import Account, Entry, Segment, Transfer


def balances(accounts: Iterable[Account], *, until: date | None = None) -> dict[int, int]:
    """Return what each account holds in minor units (arrived minus left), by its key, up to and with gaming day `until`. One query.

    Closed books count by their totals, open ones are added up.
    """
    keys = [account.pk for account in accounts]
    if until is None:
        return held_now(keys)
    return {key: moved.net for key, moved in turnover(keys, last=until).items()}


def moved(session: UUID, account: str) -> tuple[int, int]:
    """Return (arrived at, left) `account` by entries of `session`, in minor units. One query; late facts are not the session's."""
    rows = Transfer.objects.filter(entry__session=session, entry__late=False, gaming_day=F("entry__gaming_day"))
    arrived = Sum("amount", filter=Q(debit_account__code=account), default=0)
    left = Sum("amount", filter=Q(credit_account__code=account), default=0)
    sums = rows.aggregate(arrived=arrived, left=left)
    return sums["arrived"], sums["left"]


@dataclass(frozen=True)
class Moved:
    """What one kind of entry moved over one account in one session: minor units."""

    session: UUID
    kind: str
    account: str
    arrived: int
    left: int


_MOVED = """
    SELECT e.session, CASE e.kind WHEN 'reversal' THEN r.kind ELSE e.kind END AS kind, a.code,
           coalesce(sum(t.amount) FILTER (WHERE t.debit_account_id = a.id), 0)::bigint,
           coalesce(sum(t.amount) FILTER (WHERE t.credit_account_id = a.id), 0)::bigint
    FROM ledger_entry e
    LEFT JOIN ledger_entry r ON r.id = e.reverses_id
    JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = e.gaming_day
    JOIN ledger_account a ON a.id IN (t.debit_account_id, t.credit_account_id)
    WHERE e.shift = %s AND NOT e.late AND e.session IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


def moved_in_shift(shift: UUID) -> list[Moved]:
    """Return what the shift's entries moved, by session, kind (a reversal counts with what it reverses) and account. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_MOVED, [shift])
        return [Moved(*row) for row in cursor.fetchall()]


def entries_of_round(round: UUID) -> QuerySet[Entry]:
    """Return the round's entries, oldest first: its story."""
    return Entry.objects.filter(round=round).order_by("id")


def round_entry(round: UUID) -> Entry:
    """Return the entry by which the round was posted. One query. Raises BrokenBooks where there is none: a round is kept and posted together."""
    entry = Entry.objects.filter(round=round, kind="round").first()
    if entry is None:
        raise BrokenBooks("no_entry", f"The round {round} has no entry.", round=str(round))
    return entry


def amount_of(reference: str) -> int | None:
    """Return what the entry of `reference` moved in all, in minor units; None where there is none. Two queries."""
    entry = Entry.objects.filter(reference=reference).first()
    if entry is None:
        return None
    moved: int = Transfer.objects.filter(entry=entry, gaming_day=entry.gaming_day).aggregate(sum=Sum("amount", default=0))["sum"]
    return moved


def is_sealed(shift: UUID) -> bool:
    """Return whether `shift` is sealed: nothing is posted in it any more. One query."""
    return Segment.objects.filter(shift=shift).exists()


def limited_sql(property: str, codes: str) -> str:
    """Return the condition, to stand in a query, that one of the accounts of `codes` has a floor or a ceiling. Both are SQL: `codes` of text[]."""
    return (
        f"EXISTS (SELECT FROM ledger_account WHERE property = {property} AND code = ANY ({codes}::text[])"
        " AND (floor IS NOT NULL OR ceiling IS NOT NULL))"
    )
