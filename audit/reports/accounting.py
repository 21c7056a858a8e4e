"""The nightly accounting export: what moved between places, mapped to income and expense by a documented table.

The books keep places, not profit (spec/books.md, "Custody books"). To an accountant, chips with patrons (and in a pot) are owed: "Chips
outstanding"; chips in the house are nothing; what patrons lose of theirs is revenue. Chips of a rake that lie in a box count as the cash there,
and are owed until the cage has them. Debits and credits are the same in sum.

| moved from | to | debit | credit |
| --- | --- | --- | --- |
| patrons:chips, pot:T | tray:T, by a round | Chips outstanding | Table games revenue |
| tray:T | patrons:chips, pot:T, by a round | Table games revenue | Chips outstanding |
| patrons:cash, pot:T | drop:T, by a round (a money play, a rake) | Cash in drop boxes | Table games revenue |
| drop:T | patrons:cash, pot:T, by a round | Table games revenue | Cash in drop boxes |
| patrons:cash, patrons:credit | drop:T, cage:cash, vault:cash, otherwise | the place's own account | Chips outstanding |
| drop:T, cage:cash, vault:cash | patrons:cash, patrons:credit, otherwise | Chips outstanding | the place's own account |
| drop:T | vault:cash, and other cash between places | the place it came to | the place it left |
| tray:T | promo:T, variance:tray:T | Promotional expense, Cash over and short | Chips outstanding |
| promo:T, variance:tray:T | tray:T, patrons:chips | Chips outstanding | Promotional expense, Cash over and short |
| patrons:chips, patrons:cash, pot:T | variance:…, a late fact | Cash over and short | Table games revenue |
| variance:… | patrons:chips, patrons:cash, pot:T, a late fact | Table games revenue | Cash over and short |
| promo:T | variance:…, a late fact | Cash over and short | Promotional expense |
| variance:… | promo:T, a late fact | Promotional expense | Cash over and short |
| chips | chips, in all other cases (a fill, a credit, the chips of a buy-in, chips issued) | not exported | |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db import connection
from django.utils.translation import override

from audit.reports.books import Days, facts, made_from, refuse_left_out, require_ledger
from audit.reports.report import Column, Report, Row, Section
from casino.models import User
from tables.models import Property

LINES = (
    Column("gaming_day", "Gaming day", "day"),
    Column("account", "Account", "text"),
    Column("table", "Table", "text"),
    Column("debit", "Debit", "amount", total=True),
    Column("credit", "Credit", "amount", total=True),
)
REVENUE = "Table games revenue"
OWED = "Chips outstanding"
NAMES = {
    "patrons:cash": OWED,
    "patrons:credit": OWED,
    "drop": "Cash in drop boxes",
    "cage:cash": "Cash in cage",
    "vault": "Cash in vault",
    "promo": "Promotional expense",
    "variance": "Cash over and short",
}
"""What an accountant calls the places that hold no chips."""
CHIPS = frozenset({"tray", "cage:chips", "mint", "pot", "patrons:chips"})
THEIRS = frozenset({"pot", "patrons:chips"})
LOST = frozenset({"pot", "patrons:chips", "patrons:cash"})
"""Whose value is revenue once a round has moved it to the house's."""

_MOVED = """
SELECT t.gaming_day, CASE e.kind WHEN 'reversal' THEN r.kind ELSE e.kind END, c.code, d.code, sum(t.amount)
FROM ledger_entry e LEFT JOIN ledger_entry r ON r.id = e.reverses_id
JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = e.gaming_day
JOIN ledger_account c ON c.id = t.credit_account_id JOIN ledger_account d ON d.id = t.debit_account_id
WHERE e.property = %s AND e.gaming_day BETWEEN %s AND %s GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


@override("en")
def build(house: Property, days: Days, *, for_user: User | None = None) -> Report:
    """Return the accounting export of the property's days: debits and credits by account and table, the same in sum. Four queries.

    Raises Refused (`not_allowed`), Conflict (`archived`).
    """
    require_ledger(for_user)
    refuse_left_out(days)
    with connection.cursor() as cursor:
        cursor.execute(_MOVED, [house.uuid, days.first, days.last])
        rows = _rows(_mapped(cursor.fetchall()))
    return Report(
        title="Accounting export",
        subtitle=house.name,
        facts=facts(house, days),
        sections=(Section("lines", "Lines", LINES, rows, empty="Nothing that an accountant would book."),),
        currency=house.currency,
        notation=house.notation,
        zone=house.zone,
        identity=f"accounting/{house.code}/{days.first}/{days.last}",
        made_from=made_from(house, days),
    )


Booked = dict[tuple[date, str, str], int]


def _mapped(moved: Iterable[tuple[date, str, str, str, int]]) -> Booked:
    """Return debit minus credit by day, account and table."""
    booked: Booked = defaultdict(int)
    for day, kind, credit, debit, amount in moved:
        table = _table(credit) or _table(debit)
        for left, arrived in book(kind, credit, debit):
            booked[day, left, table] -= int(amount)
            booked[day, arrived, table] += int(amount)
    return booked


def book(kind: str, credit: str, debit: str) -> list[tuple[str, str]]:
    """Return (credited, debited) accounts of one movement: none where chips only changed their place."""
    left, arrived = _place(credit), _place(debit)
    if left in CHIPS and arrived in CHIPS:
        return _played(left, arrived) if kind == "round" else []
    names = _name(left, arrived, kind), _name(arrived, left, kind)
    return [names] if names[0] != names[1] else []


def _played(left: str, arrived: str) -> list[tuple[str, str]]:
    if left in THEIRS and arrived == "tray":
        return [(REVENUE, OWED)]
    return [(OWED, REVENUE)] if left == "tray" and arrived in THEIRS else []


def _name(place: str, other: str, kind: str) -> str:
    if place in LOST and (other == "variance" or (other == "drop" and kind == "round")):
        return REVENUE
    return OWED if place in CHIPS else NAMES.get(place, place)


def _place(code: str) -> str:
    return code if code in NAMES or code in CHIPS else code.partition(":")[0]


def _table(code: str) -> str:
    return code.rpartition(":")[2] if _place(code) in ("tray", "drop", "pot", "promo", "variance") else ""


def _rows(booked: Booked) -> tuple[Row, ...]:
    return tuple(
        Row((day, account, table or None, amount if amount > 0 else None, -amount if amount < 0 else None))
        for (day, account, table), amount in sorted(booked.items())
        if amount
    )
