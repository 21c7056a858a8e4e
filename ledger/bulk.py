"""Many entries posted at once, by one COPY a table: the same rows that `post_entry` writes one by one, under the same limits.

The caller holds the shifts' locks, and asks the database to check all that is deferred before its transaction ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext

from casino.bulk import copy_rows, draw_keys
from casino.errors import NotFound, Refused
from casino.models import User
from ledger.drafts import EntryDraft
from ledger.models import Account
from ledger.published import require_current
from ledger.selectors import balances

_ENTRY = (
    "id",
    "uuid",
    "kind",
    "reference",
    "fingerprint",
    "property",
    "shift",
    "session",
    "round",
    "gaming_day",
    "occurred_at",
    "recorded_by_id",
    "on_behalf_of_id",
    "witness_id",
    "memo",
    "late",
    "paytable",
    "paytable_sha256",
    "engine_version",
    "transfer_count",
)
_TRANSFER = ("gaming_day", "entry_id", "line", "credit_account_id", "debit_account_id", "currency", "amount")


def post_many(drafts: Sequence[EntryDraft], *, by: User) -> None:
    """Post `drafts`, none of which reverses another, in their order. Four queries, and two for accounts with a floor or a ceiling.

    Raises NotFound (`no_account`), Refused (`floor`, `ceiling`), both with the place of the draft as the fact `draft`; Unavailable
    (`books_behind`); IntegrityError naming the constraint.
    """
    require_current()
    codes = {code for draft in drafts for transfer in draft.transfers for code in (transfer.credit, transfer.debit)}
    accounts = {
        (account.property, account.code): account for account in Account.objects.filter(property__in={d.property for d in drafts}, code__in=codes)
    }
    _know_all(drafts, accounts)
    _hold_limits(drafts, accounts)
    keys = draw_keys("ledger_entry", len(drafts))
    copy_rows("ledger_entry", _ENTRY, (_entry(key, draft, by) for key, draft in zip(keys, drafts, strict=True)))
    copy_rows("ledger_transfer", _TRANSFER, _transfers(keys, drafts, accounts))


_Accounts = dict[tuple[Any, str], Account]


def _know_all(drafts: Sequence[EntryDraft], accounts: _Accounts) -> None:
    for place, draft in enumerate(drafts):
        for transfer in draft.transfers:
            for code in (transfer.credit, transfer.debit):
                if (draft.property, code) not in accounts:
                    raise NotFound("no_account", gettext("There is no account %(code)s.") % {"code": code}, account=code, draft=place)


def _hold_limits(drafts: Sequence[EntryDraft], accounts: _Accounts) -> None:
    """Row-lock the accounts with a floor or a ceiling in sorted order, and refuse the first draft that would cross one."""
    limited = [account.pk for account in accounts.values() if account.floor is not None or account.ceiling is not None]
    if not limited:
        return
    locked = {(one.property, one.code): one for one in Account.objects.filter(pk__in=limited).select_for_update().order_by("pk")}
    held = balances(locked.values())
    for place, draft in enumerate(drafts):
        for transfer in draft.transfers:
            for code, sign in ((transfer.credit, -1), (transfer.debit, 1)):
                if (account := locked.get((draft.property, code))) is not None:
                    held[account.pk] += sign * transfer.amount
        for account in locked.values():
            _within(account, held[account.pk], place)


def _within(account: Account, after: int, place: int) -> None:
    if account.floor is not None and after < account.floor:
        message = f"{account.code} would hold {after}, below its floor of {account.floor}."
        raise Refused("floor", message, account=account.code, draft=place)
    if account.ceiling is not None and after > account.ceiling:
        message = f"{account.code} would hold {after}, above its ceiling of {account.ceiling}."
        raise Refused("ceiling", message, account=account.code, draft=place)


def _entry(key: int, draft: EntryDraft, by: User) -> Sequence[Any]:
    return (
        key,
        draft.uuid,
        draft.kind,
        draft.reference,
        draft.fingerprint(),
        draft.property,
        draft.shift,
        draft.session,
        draft.round,
        draft.gaming_day,
        draft.occurred_at,
        by.pk,
        draft.on_behalf_of,
        draft.witness,
        draft.memo,
        draft.late,
        draft.paytable,
        draft.paytable_sha256,
        draft.engine_version,
        len(draft.transfers),
    )


def _transfers(keys: Sequence[int], drafts: Sequence[EntryDraft], accounts: _Accounts) -> Iterable[Sequence[Any]]:
    for key, draft in zip(keys, drafts, strict=True):
        for line, moved in enumerate(draft.transfers, start=1):
            credit, debit = accounts[draft.property, moved.credit], accounts[draft.property, moved.debit]
            yield (draft.gaming_day, key, line, credit.pk, debit.pk, draft.currency, moved.amount)
