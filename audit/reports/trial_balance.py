"""The trial balance: what each account held before, what arrived and left, what it holds; debits and credits are together the same."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import override

from audit.reports.books import Days, facts, made_from, require_ledger
from audit.reports.report import Column, Report, Row, Section
from casino.errors import BrokenBooks
from casino.models import User
from ledger.holdings import Turnover, turnover
from ledger.models import Account
from tables.books_seen import blind_accounts
from tables.models import Property

ACCOUNTS = (
    Column("account", "Account", "text"),
    Column("type", "Type", "text"),
    Column("opening", "Opening", "amount", total=True),
    Column("arrived", "Arrived (debit)", "amount", total=True),
    Column("left", "Left (credit)", "amount", total=True),
    Column("debit", "Debit balance", "amount", total=True),
    Column("credit", "Credit balance", "amount", total=True),
)
BLIND = "counted blind"


@override("en")
def build(house: Property, days: Days, *, for_user: User | None = None) -> Report:
    """Return the trial balance of the property's accounts to the last of `days`, with what moved on them. Four queries.

    While tables are open, whoever may count their trays sees no figure that would tell them. Raises Refused (`not_allowed`), BrokenBooks
    where debits and credits are not the same.
    """
    require_ledger(for_user)
    accounts = list(Account.objects.filter(property=house.uuid, currency=house.currency).order_by("code"))
    keys = [account.pk for account in accounts]
    moved = turnover(keys, first=days.first, last=days.last)
    held = {key: after.net for key, after in turnover(keys, last=days.last).items()}
    if sum(held.values()):
        raise BrokenBooks("trial_balance", "The accounts do not add up to nothing.", sum=sum(held.values()))
    blind = blind_accounts(for_user) if for_user is not None else frozenset()
    rows = tuple(_row(account, moved[account.pk], held[account.pk], hidden=(account.property, account.code) in blind) for account in accounts)
    return Report(
        title="Trial balance",
        subtitle=house.name,
        facts=facts(house, days),
        sections=(Section("accounts", "Accounts", ACCOUNTS, rows, totals=_totals(bool(blind)), note=_note(bool(blind))),),
        currency=house.currency,
        notation=house.notation,
        zone=house.zone,
        identity=f"trial-balance/{house.code}/{days.first}/{days.last}" + ("/blind" if blind else ""),
        made_from=made_from(house, days),
    )


def _row(account: Account, moved: Turnover, held: int, *, hidden: bool) -> Row:
    link = reverse("books:statement", args=[account.pk])
    if hidden:
        return Row((account.code, f"{account.get_kind_display()} · {BLIND}", None, None, None, None, None))
    figures = (held - moved.net, moved.arrived, moved.left, max(held, 0) or None, max(-held, 0) or None)
    return Row((account.code, str(account.get_kind_display()), *figures), link=link)


def _totals(blind: bool) -> Row:
    return Row(("Total" if not blind else "Total of what is shown", None, None, None, None, None, None))


def _note(blind: bool) -> str:
    return "Accounts that would tell a tray which is still to be counted are left empty while tables are open." if blind else ""
