"""What is in a tray, counted blind and signed; and a count that is taken once more because two people agreed that it must be.

Source: spec/night.md, "Life of a table", 1 and 4.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import User
from casino.transactions import in_transaction
from casino.words import word
from ledger.models import Entry, Segment
from ledger.services import lock_shift
from tables.locks import lock_name
from tables.models import CountReopening, CountReopeningEvent, SessionEvent, TableSession, TrayCount
from tables.selectors import session_state
from tables.services.dealer_pins import Signature
from tables.slips import CountSlip

State = CountReopeningEvent.State


def sign_count(
    session: TableSession, kind: str, count: CountSlip, *, at: datetime, by: User, witness: User | None, dealer: Signature | None, **columns: Any
) -> TrayCount:
    """Return the count, kept and signed by `by`, and by the witness or the dealer who signed on their screen. For the services of this package.

    Raises Refused (`needs_witness`, `not_allowed`).
    """
    pit = session.table.pit.code
    roles.require(by, "attest_count", pit)
    if witness is not None:
        roles.require(witness, "attest_count", pit)
        if by.pk == witness.pk:
            raise Refused("needs_witness", gettext("A count is signed by two people."), where="witness")
    if kind == TrayCount.Kind.CLOSER and witness is None and dealer is None:
        raise Refused("needs_witness", gettext("A closer is signed by two people: a dealer with a PIN, or a second supervisor."), where="witness")
    return TrayCount.objects.create(
        session=session,
        kind=kind,
        total=count.total,
        denominations=count.as_json,
        occurred_at=at,
        counted_by=by,
        witness=witness,
        dealer=dealer.dealer if dealer else None,
        note=count.note[:300],
        **columns,
    )


@in_transaction
def propose_recount(session: TableSession, count: str, *, reason: str, at: datetime, by: User, uuid: UUID) -> CountReopening:
    """Return the proposal to take the session's opener, closer or drop once more. The same `uuid` again is the same proposal.

    Raises Refused, InvalidSlip (`missing_field` at `reason`, `bad_type`), Conflict (`not_counted`, `proposed` already, `period_closed`: signed).
    """
    roles.require(by, "propose_recount", session.table.pit.code)
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the count is to be taken once more."), where="reason")
    if count not in CountReopening.Count.values:
        raise InvalidSlip("bad_type", gettext("A count is one of %(values)s.") % {"values": ", ".join(CountReopening.Count.values)}, where="count")
    _not_signed(session)
    lock_name(f"recount:{session.uuid}:{count}")
    if (kept := CountReopening.objects.filter(uuid=uuid).first()) is not None:
        if (kept.session_id, kept.count) != (session.pk, count):
            raise Conflict("reference_reused", gettext("Another proposal was handed in under this uuid."), where="uuid")
        return kept
    if not _counted(session, count):
        raise Conflict("not_counted", gettext("The %(count)s is not counted yet.") % {"count": word(count)}, where="count")
    if any(_last(other).state in (State.PROPOSED, State.APPROVED) for other in session.reopenings.filter(count=count)):
        raise Conflict("proposed", gettext("The %(count)s is reopened already.") % {"count": word(count)}, where="count")
    reopening = CountReopening.objects.create(uuid=uuid, session=session, count=count, reason=reason.strip()[:300], occurred_at=at, proposed_by=by)
    CountReopeningEvent.objects.create(reopening=reopening, sequence=1, state=State.PROPOSED, occurred_at=at, by=by)
    return reopening


@in_transaction
def approve_recount(reopening: CountReopening, *, at: datetime, by: User) -> CountReopeningEvent:
    """Return the auditor's approval. Raises Refused (`own_approval`), Conflict (`not_proposed`, `period_closed`)."""
    return _rule(reopening, State.APPROVED, at=at, by=by)


@in_transaction
def refuse_recount(reopening: CountReopening, *, note: str, at: datetime, by: User) -> CountReopeningEvent:
    """Return the auditor's refusal, with the reason. Raises as `approve_recount`, and InvalidSlip (`missing_field` at `note`)."""
    if not note.strip():
        raise InvalidSlip("missing_field", gettext("A refusal says why."), where="note")
    return _rule(reopening, State.REFUSED, at=at, by=by, note=note.strip())


@in_transaction
def withdraw_recount(reopening: CountReopening, *, at: datetime, by: User) -> CountReopeningEvent:
    """Return the event by which whoever may propose takes the proposal back. Raises Refused, Conflict (`not_proposed`)."""
    roles.require(by, "propose_recount", reopening.session.table.pit.code)
    _still(reopening, State.PROPOSED)
    return CountReopeningEvent.objects.create(reopening=reopening, sequence=2, state=State.WITHDRAWN, occurred_at=at, by=by)


@in_transaction
def recount_tray(
    reopening: CountReopening, count: CountSlip, *, at: datetime, by: User, witness: User | None = None, dealer: Signature | None = None
) -> TrayCount:
    """Return the new count of the tray, signed by two; it is in force from now on, and the old one stays.

    Raises Refused (`needs_witness`, `not_allowed`), Conflict (`not_approved`, `wrong_count`, `period_closed`).
    """
    if reopening.count == CountReopening.Count.DROP:
        raise Conflict("wrong_count", gettext("A box is counted by the count team."), where="count")
    if witness is None and dealer is None:
        raise Refused("needs_witness", gettext("A count is signed by two people."), where="witness")
    _still(reopening, State.APPROVED)
    again = TrayCount.objects.filter(session=reopening.session, kind=reopening.count).count() + 1
    session = reopening.session
    kept = sign_count(session, reopening.count, count, at=at, by=by, witness=witness, dealer=dealer, sequence=again, reopening=reopening)
    finish_recount(reopening, at=at, by=by)
    return kept


def finish_recount(reopening: CountReopening, *, at: datetime, by: User) -> None:
    """Write that the new count is in. For the services of this package."""
    CountReopeningEvent.objects.create(reopening=reopening, sequence=3, state=State.COUNTED, occurred_at=at, by=by)


def approved_recount(session: TableSession, count: str) -> CountReopening | None:
    """Return the approved reopening of the session's `count` that waits for it, after waiting for whoever counts now."""
    for reopening in session.reopenings.filter(count=count):
        if _last(reopening).state == State.APPROVED:
            return reopening
    return None


def _rule(reopening: CountReopening, state: str, *, at: datetime, by: User, note: str = "") -> CountReopeningEvent:
    roles.require(by, "approve_recount")
    if by.pk == reopening.proposed_by_id:
        raise Refused("own_approval", gettext("Nobody approves what they proposed."))
    _still(reopening, State.PROPOSED)
    return CountReopeningEvent.objects.create(reopening=reopening, sequence=2, state=state, occurred_at=at, by=by, note=note[:300])


def _still(reopening: CountReopening, state: str) -> None:
    _not_signed(reopening.session)
    lock_name(f"recount:{reopening.session.uuid}:{reopening.count}")
    last = _last(reopening)
    if last.state != state:
        code = "not_proposed" if state == State.PROPOSED else "not_approved"
        raise Conflict(code, gettext("It is %(state)s, not %(state2)s.") % {"state": word(last.state), "state2": word(state)}, state=last.state)


def refuse_signed(session: TableSession) -> None:
    """Raise Conflict (`period_closed`) where the session's shift is sealed, or signed: its variances are posted then. Two queries."""
    shift = session.shift.uuid
    if Segment.objects.filter(shift=shift).exists() or Entry.objects.filter(shift=shift, kind="variance").exists():
        raise Conflict("period_closed", gettext("The shift is signed: what comes later is an adjustment in the open shift."))


def _not_signed(session: TableSession) -> None:
    """Wait for whoever signs the shift, then refuse where it is signed: what comes later is an adjustment."""
    lock_shift(session.shift.uuid, exclusive=True)
    refuse_signed(session)


def _counted(session: TableSession, count: str) -> bool:
    if count == CountReopening.Count.DROP:
        return session.drop_counts.exists()
    if count == CountReopening.Count.CLOSER and session_state(session) != SessionEvent.State.CLOSED:
        return False
    return session.tray_counts.filter(kind=count).exists()


def _last(reopening: CountReopening) -> CountReopeningEvent:
    return reopening.events.order_by("sequence").last()  # type: ignore[return-value]
