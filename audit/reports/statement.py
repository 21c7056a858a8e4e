"""An account's statement: opening balance, every line with debit, credit and the balance after it, closing balance."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext, override

from audit.reports.books import Days, Rows, facts, left_out, made_from
from audit.reports.report import Column, Report, Row, Section, Value
from casino.errors import Refused
from casino.models import User
from ledger.models import Account
from ledger.selectors import balances
from ledger.statements import ARCHIVED, Line, statement_lines, statement_page
from tables.books_seen import accounts_for, refuse_blind
from tables.models import Property

LINES = (
    Column("gaming_day", "Gaming day", "day"),
    Column("occurred_at", "At", "moment"),
    Column("reference", "Entry", "text"),
    Column("kind", "Kind", "text"),
    Column("other", "With", "text"),
    Column("debit", "Debit (arrived)", "amount", total=True),
    Column("credit", "Credit (left)", "amount", total=True),
    Column("balance", "Balance", "amount"),
    Column("by", "Recorded by", "text"),
    Column("memo", "Memo", "text"),
)
BALANCES = (Column("what", "Balance", "text"), Column("day", "Gaming day", "day"), Column("amount", "Amount", "amount"))


@override("en")
def build(house: Property, account: Account, days: Days, *, for_user: User | None = None) -> Report:
    """Return the statement of `account`. Rows are read as they are asked for; of an archived month there is one, from the totals that were kept.

    Raises Refused (`not_allowed`, `counted_blind`): the cage reads its own accounts, and nobody the tray that they may still count.
    """
    if for_user is not None:
        if not accounts_for(for_user).filter(pk=account.pk).exists():
            raise Refused("not_allowed", gettext("%(for_user)s may not read %(code)s.") % {"for_user": for_user, "code": account.code})
        refuse_blind(for_user, account)
    opening = statement_page(account, first=days.first, last=days.last, limit=1).opening
    closing = balances([account], until=days.last)[account.pk]
    return Report(
        title="Account statement",
        subtitle=f"{house.name} · {account.code}",
        facts=(*facts(house, days), *left_out(days), ("Account", account.code), ("Type", str(account.get_kind_display()))),
        sections=(
            Section("balances", "Balances", BALANCES, _balances(days, opening, closing)),
            Section("lines", "Lines", LINES, Rows(lambda: _rows(account, days)), empty="Nothing moved."),
        ),
        currency=house.currency,
        notation=house.notation,
        zone=house.zone,
        identity=f"statement/{house.code}/{account.code}/{days.first}/{days.last}",
        made_from=made_from(house, days),
    )


def _balances(days: Days, opening: int, closing: int) -> tuple[Row, ...]:
    return (Row(("Opening", days.first, opening)), Row(("Closing", days.last, closing)))


def _rows(account: Account, days: Days) -> Iterator[Row]:
    return (line_row(line) for line in statement_lines(account, first=days.first, last=days.last))


def line_row(line: Line) -> Row:
    """Return a line as the statement shows it; it leads to its entry. That of an archived month leads nowhere."""
    kind = line.kind.replace("_", " ") + (" (late)" if line.late else "")
    values: tuple[Value, ...] = (
        line.key.gaming_day,
        line.occurred_at,
        line.reference,
        kind,
        line.other,
        line.debit,
        line.credit,
        line.balance,
        line.by,
        line.memo or None,
    )
    if line.kind == ARCHIVED:
        values = (*values[:2], f"{line.key.gaming_day:%Y-%m}: its lines are archived", *values[3:4], None, *values[5:8], None, None)
        return Row(values, emphasis="warn", on=("kind",))
    return Row(values, emphasis="warn" if line.late else "", on=("kind",), link=reverse("admin:ledger_entry_change", args=[line.key.entry]))
