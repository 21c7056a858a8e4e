"""The books' verbs: open an account, post an entry, reverse one. Source: spec/books.md, "Posting"."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, IntegrityError, transaction
from django.utils.translation import gettext

from casino.bulk import array_text
from casino.errors import BrokenBooks, Conflict, NotFound, Refused, Unavailable
from casino.models import User
from casino.prepared import ask
from casino.transactions import broken_constraint, in_transaction
from ledger.archived import refuse_archived
from ledger.drafts import EntryDraft, LateIn, TransferDraft
from ledger.entry_rows import insert_rows
from ledger.models import Account, Entry
from ledger.published import require_current
from ledger.selectors import balances, limited_sql


def lock_shift(shift: UUID, *, exclusive: bool = False) -> None:
    """Take the shift's advisory lock until the transaction ends: shared to post, exclusive to seal.

    A statement of its own, and first: with lock and check in one statement an entry slips into a sealed shift, because the statement's
    snapshot is older than the lock that it waited for.
    """
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    ask(f"SELECT {function}(hashtextextended($1, 0))", [f"shift:{shift}"])


def open_account(property: UUID, code: str, kind: str, currency: str) -> Account:
    """Return the property's account of `code`, opened now where it was not."""
    account, _ = Account.objects.get_or_create(property=property, code=code, defaults={"kind": kind, "currency": currency})
    return account


@in_transaction
def post_entry(draft: EntryDraft, *, by: User) -> Entry:
    """Return the entry of `draft`, posted with its transfers; the same reference with the same fingerprint is the same entry.

    Raises Conflict (`reference_reused`, `period_closed`, `account_closed`, `already_reversed`), Refused (`floor`, `ceiling`), NotFound
    (`no_account`), Unavailable (`no_partition`, `books_behind`: a published checkpoint is ahead of the database).
    """
    if draft.shift is not None:
        lock_shift(draft.shift)
    require_current()
    try:
        with transaction.atomic():
            return _insert_within_limits(draft, by)
    except IntegrityError as error:
        return entry_refused(error, draft)


def _insert_within_limits(draft: EntryDraft, by: User) -> Entry:
    known, limited = _look(draft)
    if known:
        return _the_same(Entry.objects.get(reference=draft.reference), draft)
    if limited:
        hold_limits(draft)
    return insert_rows(draft, by)


_LOOK = f"SELECT EXISTS (SELECT FROM ledger_entry WHERE reference = $1), {limited_sql('$2', '$3')}"  # noqa: S608 - our own words


def _look(draft: EntryDraft) -> tuple[bool, bool]:
    """Return whether the reference is posted already, and whether one of the accounts has a floor or a ceiling. One query."""
    known, limited = ask(_LOOK, [draft.reference, draft.property, array_text(sorted(_codes(draft)))])
    return known, limited


def _codes(draft: EntryDraft) -> set[str]:
    return {code for transfer in draft.transfers for code in (transfer.credit, transfer.debit)}


def reverse_entry(
    entry: Entry, *, occurred_at: datetime, reason: str, by: User, witness: User | None = None, reference: str = "", late: LateIn | None = None
) -> Entry:
    """Return the reversal of `entry`: every transfer moved back, to the unit, under `reference` ("reversal:<uuid>" unless another is given).

    `late`: the shift of the entry is sealed, and the reversal is posted in another. Raises Conflict (`already_reversed`, naming the
    reversal; `archived`: its transfers are not there to be read), Refused (`no_reversal`).
    """
    refuse_archived(entry.gaming_day)
    if entry.kind == "reversal":
        raise Refused("no_reversal", gettext("A reversal is not reversed: enter the fact anew."), reference=entry.reference)
    draft = _draft_of(entry).reversed(
        reference=reference or f"reversal:{entry.uuid}", occurred_at=occurred_at, memo=reason, witness=witness.pk if witness else None
    )
    return post_entry(draft.moved_late(late) if late else draft, by=by)


def _draft_of(entry: Entry) -> EntryDraft:
    transfers = list(entry.transfers.filter(gaming_day=entry.gaming_day).select_related("credit_account", "debit_account").order_by("line"))
    return EntryDraft(
        uuid=entry.uuid,
        kind=entry.kind,
        reference=entry.reference,
        property=entry.property,
        currency=Account.objects.filter(property=entry.property).values_list("currency", flat=True)[0],
        gaming_day=entry.gaming_day,
        occurred_at=entry.occurred_at,
        transfers=[TransferDraft(t.credit_account.code, t.debit_account.code, t.amount) for t in transfers],  # type: ignore[arg-type]
        shift=entry.shift,
        session=entry.session,
        round=entry.round,
        late=entry.late,
        paytable=entry.paytable,
        paytable_sha256=entry.paytable_sha256,
        engine_version=entry.engine_version,
    )


def _the_same(kept: Entry, draft: EntryDraft) -> Entry:
    if bytes(kept.fingerprint) != draft.fingerprint():
        if draft.reverses is not None and kept.kind == draft.kind:
            raise Conflict(
                "already_reversed",
                gettext("This entry is reversed already: %(reference)s.") % {"reference": kept.reference},
                reference=draft.reference,
                reversal=kept.reference,
            )
        raise Conflict(
            "reference_reused", gettext("Something else was posted under this reference."), reference=draft.reference, entry=str(kept.uuid)
        )
    return kept


def hold_limits(draft: EntryDraft) -> None:
    """Row-lock the draft's accounts with a floor or a ceiling in sorted order, and refuse what would cross it."""
    limited = Account.objects.filter(property=draft.property, code__in=_codes(draft)).exclude(floor=None, ceiling=None)
    locked = {account.pk: account for account in limited.select_for_update().order_by("pk")}
    held = balances(locked.values())
    for account in locked.values():
        within_limits(account, held[account.pk] + _change(draft, account.code))


def within_limits(account: Account, after: int) -> None:
    """Refuse what would leave `account` holding `after`. Raises Refused (`floor`, `ceiling`) with the fact `account`."""
    if account.floor is not None and after < account.floor:
        raise Refused(
            "floor",
            gettext("%(code)s would hold %(after)s, below its floor of %(floor)s.") % {"code": account.code, "after": after, "floor": account.floor},
            account=account.code,
        )
    if account.ceiling is not None and after > account.ceiling:
        raise Refused(
            "ceiling",
            gettext("%(code)s would hold %(after)s, above its ceiling of %(ceiling)s.")
            % {"code": account.code, "after": after, "ceiling": account.ceiling},
            account=account.code,
        )


def _change(draft: EntryDraft, code: str) -> int:
    return sum((t.debit == code) * t.amount - (t.credit == code) * t.amount for t in draft.transfers)


_MEANS = {
    "ledger_entry_not_sealed": ("period_closed", "The shift is sealed: post it as a late fact of the open shift."),
    "ledger_entry_open_book": ("period_closed", "The book of this entry is closed: post it as a late fact of the open shift."),
    "ledger_transfer_open_account": ("account_closed", "An account of this entry is closed."),
}


def entry_refused(error: IntegrityError, draft: EntryDraft) -> Entry:
    """Say what an IntegrityError means, once, by constraint name; the loser of a race for a reference gets the winner's entry."""
    name = broken_constraint(error)
    if name.startswith("ledger_entry_reference") and (kept := Entry.objects.filter(reference=draft.reference).first()) is not None:
        return _the_same(kept, draft)
    if name == "ledger_entry_counts" and (missing := _missing_account(draft)) is not None:
        raise NotFound("no_account", gettext("There is no account %(code)s.") % {"code": missing}, account=missing) from error
    if name == "ledger_entry_reverses_id_key" and draft.reverses is not None:
        winner = Entry.objects.filter(reverses__uuid=draft.reverses).values_list("reference", flat=True).first()
        raise Conflict(
            "already_reversed",
            gettext("This entry is reversed already: %(reference)s.") % {"reference": winner},
            reference=draft.reference,
            reversal=winner,
        ) from error
    if name in _MEANS:
        code, message = _MEANS[name]
        raise Conflict(code, message, reference=draft.reference) from error
    if "no partition of relation" in str(error):
        raise Unavailable(
            "no_partition", gettext("The books of %(gaming_day)s are not opened yet.") % {"gaming_day": f"{draft.gaming_day:%B %Y}"}
        ) from error
    raise BrokenBooks("refused_by_database", f"The database refuses the entry: {_first_line(error)}", constraint=name) from error


def _missing_account(draft: EntryDraft) -> str | None:
    known = Account.objects.filter(property=draft.property).values_list("code", flat=True)
    return min(_codes(draft) - set(known), default=None)


def _first_line(error: DatabaseError) -> str:
    return str(error).partition("\n")[0]
