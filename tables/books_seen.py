"""Whose books one may read: all, the cage's own accounts, or the rounds of one's pits; and what is counted blind while tables are open.

Source: spec/night.md, "Who may do what" (ledger, bundles, proofs) and "Life of a table", 4.
"""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from casino import roles
from casino.errors import Refused
from casino.models import User
from ledger.models import Account, Entry, Transfer
from tables.models import TableSession
from tables.posting import CAGE, MINT, PATRONS_CHIPS, pot, tray
from tables.selectors import open_sessions

OWN = ("cage:", "vault:")
"""How the codes of the cage's own accounts begin."""


def accounts_for(user: User) -> QuerySet[Account]:
    """Return the accounts that `user` may read: all, or the cage's own."""
    if roles.may(user.roles, "read_ledger"):
        return Account.objects.all()
    if roles.may(user.roles, "read_own_accounts"):
        return Account.objects.filter(_own("code"))
    return Account.objects.none()


def entries_for(user: User) -> QuerySet[Entry]:
    """Return the entries that `user` may read: all; those that touch the cage's own accounts; those of the rounds of their pits."""
    if roles.may(user.roles, "read_ledger"):
        return Entry.objects.all()
    seen = Q(pk__in=[])
    if roles.may(user.roles, "read_own_accounts"):
        touching = Transfer.objects.filter(Q(credit_account__in=accounts_for(user)) | Q(debit_account__in=accounts_for(user)))
        seen |= Q(pk__in=touching.values("entry"))
    if roles.may(user.roles, "read_round_entries"):
        sessions = TableSession.objects.all()
        pits = roles.pits_for(user, "read_round_entries")
        seen |= Q(round__isnull=False, session__in=(sessions if pits is None else sessions.filter(table__pit__code__in=pits)).values("uuid"))
    return Entry.objects.filter(seen)


def _own(field: str) -> Q:
    found = Q()
    for prefix in OWN:
        found |= Q(**{f"{field}__startswith": prefix})
    return found


def blind_accounts(user: User) -> frozenset[tuple[UUID, str]]:
    """Return (property, code) of the accounts whose balance `user` may not know: what tells the trays of open sessions to who may count them."""
    if roles.may(user.roles, "see_expected") or not roles.may(user.roles, "read_ledger"):
        return frozenset()
    hidden = set()
    for session in open_sessions():
        table = session.table
        hidden |= {(table.property.uuid, account(table.code)) for account in (tray, pot)}
        hidden |= {(table.property.uuid, account) for account in (PATRONS_CHIPS, CAGE, MINT)}  # their sum would tell the trays
    return frozenset(hidden)


def refuse_blind(user: User, account: Account) -> None:
    """Raise Refused (`counted_blind`) where what `account` holds would tell `user` a tray that is still to be counted."""
    if (account.property, account.code) in blind_accounts(user):
        raise Refused("counted_blind", gettext("%(code)s is counted blind while its tables are open.") % {"code": account.code}, account=account.code)
