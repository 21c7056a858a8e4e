"""Many entries posted at once, by COPY: the same rows that `post_entry` writes one by one, under the same limits.

The caller holds the shifts' locks, and asks the database to check all that is deferred before its transaction ends.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from uuid import UUID, uuid4

from django.utils.translation import gettext

from casino.bulk import Rows, copy_text, draw_keys
from casino.errors import NotFound
from casino.models import User
from casino.money import Minor
from ledger.drafts import EntryDraft, Fingerprints
from ledger.models import Account
from ledger.published import require_current
from ledger.selectors import balances
from ledger.services import within_limits

_ENTRY = (
    *("id", "uuid", "reference", "fingerprint", "round", "occurred_at", "transfer_count"),
    *("memo", "kind", "property", "shift", "session", "gaming_day", "recorded_by_id", "on_behalf_of_id", "witness_id", "late"),
    *("paytable", "paytable_sha256", "engine_version"),
)
_TRANSFER = ("gaming_day", "entry_id", "line", "credit_account_id", "debit_account_id", "currency", "amount")


class Alike:
    """Entries of rounds that differ from `draft` in their round, reference and time, and in how much is moved: the rest is written once."""

    def __init__(self, draft: EntryDraft, by: User) -> None:
        self.draft = draft
        self.fingerprints = Fingerprints(draft)
        self.ending = _alike(draft, by)
        self.day = draft.gaming_day.isoformat()

    def drawn(self, round: str, occurred_at: datetime, amounts: Sequence[int]) -> EntryDraft:
        """Return the one of the round of this UUID; `amounts`: of each transfer of the draft, 0 where it does not move."""
        moved = [replace(one, amount=Minor(amount)) for one, amount in zip(self.draft.transfers, amounts, strict=True) if amount]
        return replace(self.draft, reference=f"round:{round}", round=UUID(round), occurred_at=occurred_at, transfers=moved, uuid=uuid4())


class Posting:
    """Entries that are posted in one transaction, none of which reverses another, in their order."""

    def __init__(self, books: Mapping[UUID, Collection[str]], count: int, *, by: User) -> None:
        """Make ready for `count` drafts at most, which move over the accounts `books` names by property.

        Three queries, and two for accounts with a floor or a ceiling, which are row-locked in sorted order. Raises Unavailable (`books_behind`).
        """
        require_current()
        codes = {code for named in books.values() for code in named}
        self._accounts = {(account.property, account.code): account for account in Account.objects.filter(property__in=books, code__in=codes)}
        self._limited = _locked(self._accounts.values())
        self._held = balances(self._limited.values()) if self._limited else {}
        self._keys = iter(draw_keys("ledger_entry", count))
        self._uuids = _random_uuids()
        self._sides: dict[Alike, Sequence[str]] = {}
        self._by = by
        self._entries: list[str] = []
        self._transfers: list[str] = []

    def add(self, draft: EntryDraft) -> None:
        """Have `draft` posted. Raises NotFound (`no_account`), Refused (`floor`, `ceiling`), with the fact `account`; asks the database nothing."""
        moved = draft.transfers
        accounts = [(self._account(draft.property, one.credit), self._account(draft.property, one.debit)) for one in moved]
        if self._limited:
            self._hold_limits(draft, accounts)
        key = next(self._keys)
        self._entries.append(_entry(key, draft, self._by))
        for line, (one, (credit, debit)) in enumerate(zip(moved, accounts, strict=True), start=1):
            self._transfers.append(f"{draft.gaming_day}\t{key}\t{line}\t{credit.pk}\t{debit.pk}\t{draft.currency}\t{one.amount}")

    def add_alike(self, alike: Alike, round: str, occurred_at: datetime, amounts: Sequence[int]) -> None:
        """Have the entry posted that `alike` draws, in a third of the time of `add`. Raises the same."""
        if self._limited:
            self.add(alike.drawn(round, occurred_at, amounts))
            return
        key, count = next(self._keys), 0
        for amount, sides in zip(amounts, self._sides_of(alike), strict=True):
            if amount:
                count += 1
                self._transfers.append(f"{alike.day}\t{key}\t{count}\t{sides}\t{amount}")
        fingerprint = alike.fingerprints.of(f"round:{round}", occurred_at, amounts).hex()
        self._entries.append(
            f"{key}\t{next(self._uuids)}\tround:{round}\t\\\\x{fingerprint}\t{round}\t{occurred_at.isoformat()}\t{count}\t{alike.ending}"
        )

    def _sides_of(self, alike: Alike) -> Sequence[str]:
        """Return the accounts and the currency of each transfer, as COPY takes them."""
        found = self._sides.get(alike)
        if found is None:
            draft = alike.draft
            pairs = [(self._account(draft.property, one.credit), self._account(draft.property, one.debit)) for one in draft.transfers]
            found = self._sides[alike] = [f"{credit.pk}\t{debit.pk}\t{draft.currency}" for credit, debit in pairs]
        return found

    def take(self) -> list[Rows]:
        """Return the rows of what was added since the last time, to be written in this order."""
        taken = [Rows("ledger_entry", _ENTRY, self._entries), Rows("ledger_transfer", _TRANSFER, self._transfers)]
        self._entries, self._transfers = [], []
        return taken

    def _account(self, property: UUID, code: str) -> Account:
        account = self._accounts.get((property, code))
        if account is None:
            raise NotFound("no_account", gettext("There is no account %(code)s.") % {"code": code}, account=code)
        return account

    def _hold_limits(self, draft: EntryDraft, accounts: Sequence[tuple[Account, Account]]) -> None:
        touched = {}
        for one, pair in zip(draft.transfers, accounts, strict=True):
            for account, change in zip(pair, (-one.amount, one.amount), strict=True):
                if account.pk in self._limited:
                    self._held[account.pk] += change
                    touched[account.pk] = self._limited[account.pk]
        for key, account in touched.items():
            within_limits(account, self._held[key])


def _locked(accounts: Collection[Account]) -> dict[int, Account]:
    """Return those of `accounts` that have a floor or a ceiling, by key, row-locked in sorted order."""
    limited = [account.pk for account in accounts if account.floor is not None or account.ceiling is not None]
    return {one.pk: one for one in Account.objects.filter(pk__in=limited).select_for_update().order_by("pk")} if limited else {}


_same = lru_cache(maxsize=256)(copy_text)
"""What many entries in a row have alike."""


def _entry(key: int, draft: EntryDraft, by: User) -> str:
    """Return the row of `draft`: what is its own, then what others have alike."""
    own = (key, draft.uuid, draft.reference, draft.fingerprint(), draft.round, draft.occurred_at, len(draft.transfers))
    return f"{copy_text(own)}\t{_alike(draft, by)}"


def _alike(draft: EntryDraft, by: User) -> str:
    place = (draft.kind, draft.property, draft.shift, draft.session, draft.gaming_day, by.pk, draft.on_behalf_of, draft.witness, draft.late)
    return _same((draft.memo, *place, draft.paytable, draft.paytable_sha256, draft.engine_version))


_AT_ONCE = 1024


def _random_uuids() -> Iterator[str]:
    """Yield UUIDs of version 4 as text, as `uuid.uuid4` makes them; the system is asked for chance by the thousand."""
    while True:
        chance = os.urandom(16 * _AT_ONCE).hex()
        for at in range(0, 32 * _AT_ONCE, 32):
            text = chance[at : at + 32]
            yield f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{'89ab'[int(text[16], 16) & 3]}{text[17:20]}-{text[20:]}"
