"""Reading the books, in a known number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet, Sum

from ledger.models import Account, Entry, Transfer


def balances(accounts: Iterable[Account], *, until: date | None = None) -> dict[int, int]:
    """Return what each account holds in minor units (arrived minus left), by its key, up to and with gaming day `until`. Two queries."""
    keys = [account.pk for account in accounts]
    held = dict.fromkeys(keys, 0)
    day = Q() if until is None else Q(gaming_day__lte=until)
    for side, sign in (("debit_account", 1), ("credit_account", -1)):
        sums = Transfer.objects.filter(day, **{f"{side}__in": keys}).values(side).annotate(sum=Sum("amount")).order_by()
        for row in sums:
            held[row[side]] += sign * row["sum"]
    return held


def moved(session: UUID, account: str) -> tuple[int, int]:
    """Return (arrived at, left) `account` by entries of `session`, in minor units. One query; late facts are not the session's."""
    rows = Transfer.objects.filter(entry__session=session, entry__late=False)
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


def amount_of(reference: str) -> int | None:
    """Return what the entry of `reference` moved in all, in minor units; None where there is none. Two queries."""
    entry = Entry.objects.filter(reference=reference).first()
    if entry is None:
        return None
    moved: int = Transfer.objects.filter(entry=entry, gaming_day=entry.gaming_day).aggregate(sum=Sum("amount", default=0))["sum"]
    return moved


def held_before(property: UUID, account: str, moment: datetime) -> int:
    """Return what `account` held by the entries recorded before `moment` (the database's clock), in minor units. One query."""
    rows = Transfer.objects.filter(entry__property=property, entry__recorded_at__lt=moment)
    arrived = Sum("amount", filter=Q(debit_account__code=account), default=0)
    left = Sum("amount", filter=Q(credit_account__code=account), default=0)
    sums = rows.filter(Q(debit_account__code=account) | Q(credit_account__code=account)).aggregate(arrived=arrived, left=left)
    return sums["arrived"] - sums["left"]
