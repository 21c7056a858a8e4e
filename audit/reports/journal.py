"""The journal: every transfer of the days in the order of the books, what was debited and what was credited."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import override

from audit.reports.books import Days, Rows, facts, left_out, made_from, require_ledger
from audit.reports.report import Column, Report, Row, Section
from casino.models import User
from ledger.statements import JournalLine, journal_lines
from tables.models import Property

LINES = (
    Column("gaming_day", "Gaming day", "day"),
    Column("occurred_at", "At", "moment"),
    Column("reference", "Entry", "text"),
    Column("kind", "Kind", "text"),
    Column("debit", "Debit (arrived at)", "text"),
    Column("credit", "Credit (left)", "text"),
    Column("amount", "Amount", "amount", total=True),
    Column("by", "Recorded by", "text"),
    Column("memo", "Memo", "text"),
)


@override("en")
def build(house: Property, days: Days, *, kind: str = "", for_user: User | None = None) -> Report:
    """Return the journal of the property's days; rows are read as they are asked for; archived months are left out, and named.

    Raises Refused (`not_allowed`).
    """
    require_ledger(for_user)
    return Report(
        title="Journal",
        subtitle=house.name,
        facts=(*facts(house, days), *left_out(days), *((("Kind", kind.replace("_", " ")),) if kind else ())),
        sections=(Section("lines", "Transfers", LINES, Rows(lambda: _rows(house, days, kind)), empty="Nothing was posted."),),
        currency=house.currency,
        notation=house.notation,
        zone=house.zone,
        identity=f"journal/{house.code}/{days.first}/{days.last}" + (f"/{kind}" if kind else ""),
        made_from=made_from(house, days),
    )


def _rows(house: Property, days: Days, kind: str) -> Iterator[Row]:
    return (line_row(line) for line in journal_lines(house.uuid, first=days.first, last=days.last, kind=kind))


def line_row(line: JournalLine) -> Row:
    """Return a transfer as the journal shows it; it leads to its entry."""
    kind = line.kind.replace("_", " ") + (" (late)" if line.late else "")
    values = (line.key.gaming_day, line.occurred_at, line.reference, kind, line.debit, line.credit, line.amount, line.by, line.memo or None)
    return Row(values, emphasis="warn" if line.late else "", on=("kind",), link=reverse("admin:ledger_entry_change", args=[line.key.entry]))
