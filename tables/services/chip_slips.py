"""Fills and chip credits: requested by the pit, issued by the cage or sent from the table, received. Three people, three acts.

The chips move, and are posted, when the last of them has signed. Source: spec/night.md, "Life of a table", 3.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import User
from casino.money import Minor
from casino.transactions import in_transaction
from casino.words import word
from ledger.services import lock_shift
from tables.locks import lock_name
from tables.models import ChipMovement, ChipSlip, ChipSlipEvent, Property, SlipCounter, TableSession
from tables.posting import transfers_for_chip_credit, transfers_for_fill
from tables.services.dealer_pins import Signature
from tables.services.movements import check_amount, hold_open, move
from tables.slips import CountSlip

State = ChipSlipEvent.State
NEXT = {
    ChipSlip.Kind.FILL: {State.REQUESTED: State.ISSUED, State.ISSUED: State.RECEIVED},
    ChipSlip.Kind.CHIP_CREDIT: {State.REQUESTED: State.SENT, State.SENT: State.RECEIVED},
}
"""What comes after what, by kind; a slip that is not received yet may be made void."""


@in_transaction
def request_fill(session: TableSession, chips: CountSlip, *, at: datetime, by: User, uuid: UUID) -> ChipSlip:
    """Return the slip by which the pit asks the cage for chips. The same `uuid` again is the same slip.

    Raises Refused, Conflict (`session_closed`, `reference_reused`), InvalidSlip (`bad_amount`: no chips).
    """
    return _request(session, ChipSlip.Kind.FILL, chips, at=at, by=by, uuid=uuid)


@in_transaction
def request_chip_credit(session: TableSession, chips: CountSlip, *, at: datetime, by: User, uuid: UUID) -> ChipSlip:
    """Return the slip by which the pit gives chips back to the cage. Raises as `request_fill`."""
    return _request(session, ChipSlip.Kind.CHIP_CREDIT, chips, at=at, by=by, uuid=uuid)


@in_transaction
def issue_fill(slip: ChipSlip, *, at: datetime, by: User) -> ChipSlipEvent:
    """Return the event by which the cage issued the chips of a fill. Raises Refused (`three_people`), Conflict (`slip_order` and `slip_done`)."""
    _of_kind(slip, ChipSlip.Kind.FILL, "issued by the cage")
    roles.require(by, "issue_chips")
    event, _ = _sign(slip, State.ISSUED, at=at, by=by)
    return event


@in_transaction
def send_chip_credit(slip: ChipSlip, *, at: datetime, by: User, dealer: Signature | None = None) -> ChipSlipEvent:
    """Return the event by which the chips left the table: sent by `by`, or by the dealer who signed on the screen of `by`. Raises as `issue_fill`."""
    _of_kind(slip, ChipSlip.Kind.CHIP_CREDIT, "sent from the table")
    roles.require(by, "request_chips", slip.session.table.pit.code)
    event, _ = _sign(slip, State.SENT, at=at, by=by, dealer=dealer)
    return event


@in_transaction
def receive_slip(slip: ChipSlip, *, at: datetime, by: User, dealer: Signature | None = None) -> ChipMovement:
    """Return the movement: a fill was received at the table, a chip credit by the cage. Now the chips move. Raises as `issue_fill`.

    A fill may be received by the dealer who signs on the screen of `by`.
    """
    if slip.kind == ChipSlip.Kind.FILL:
        roles.require(by, "request_chips", slip.session.table.pit.code)
    else:
        roles.require(by, "issue_chips")
        if dealer is not None:
            raise Refused("not_allowed", gettext("The cage receives a chip credit itself."), where="dealer")
    event, is_new = _sign(slip, State.RECEIVED, at=at, by=by, dealer=dealer)
    return _move(slip, event) if is_new else slip.movement


@in_transaction
def void_slip(slip: ChipSlip, *, reason: str, at: datetime, by: User, witness: User) -> ChipSlipEvent:
    """Return the event that makes the slip void: by the cage with a witness, and why. It keeps its number; nothing moved, nothing moves.

    Raises Refused (`needs_witness`, `not_allowed`), InvalidSlip (`missing_field` at `reason`), Conflict (`slip_done`).
    """
    roles.require(by, "void_slip")
    roles.require(witness, "witness_void")
    if by.pk == witness.pk:
        raise Refused("needs_witness", gettext("A slip is made void by two people."), where="witness")
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the slip is void."), where="reason")
    last = _last(slip)
    if last.state in (State.VOID, State.RECEIVED):
        raise _done(slip, last)
    return ChipSlipEvent.objects.create(
        slip=slip, sequence=last.sequence + 1, state=State.VOID, occurred_at=at, by=by, witness=witness, note=reason.strip()[:300]
    )


def _request(session: TableSession, kind: str, chips: CountSlip, *, at: datetime, by: User, uuid: UUID) -> ChipSlip:
    roles.require(by, "request_chips", session.table.pit.code)
    lock_name(f"slip:{uuid}")
    if (kept := ChipSlip.objects.filter(uuid=uuid).first()) is not None:
        if (kept.session_id, kept.kind, kept.denominations) != (session.pk, kind, chips.as_json):
            raise Conflict("reference_reused", gettext("Another slip was requested under this uuid."), where="uuid")
        return kept
    check_amount(chips.total, "denominations")
    hold_open(session)
    house = session.table.property
    slip = ChipSlip.objects.create(
        uuid=uuid,
        property=house,
        session=session,
        kind=kind,
        number=_next_number(house, kind),
        amount=chips.total,
        denominations=chips.as_json,
        occurred_at=at,
        requested_by=by,
    )
    ChipSlipEvent.objects.create(slip=slip, sequence=1, state=State.REQUESTED, occurred_at=at, by=by, note=chips.note[:300])
    return slip


def _next_number(house: Property, kind: str) -> int:
    """Return the next number of the property's slips of `kind`: who asks next waits for this transaction's end, and a rollback leaves no gap.

    The database refuses any other number.
    """
    SlipCounter.objects.get_or_create(property=house, kind=kind)
    counter = SlipCounter.objects.select_for_update().get(property=house, kind=kind)
    counter.last += 1
    counter.save(update_fields=["last"])
    return counter.last


def _of_kind(slip: ChipSlip, kind: str, words: str) -> None:
    if slip.kind != kind:
        raise Conflict("slip_order", gettext("A %(slip)s is not %(words)s.") % {"slip": word(slip.kind), "words": word(words)}, where="slip")


def _last(slip: ChipSlip) -> ChipSlipEvent:
    """Return the slip's last event, after waiting for whoever signs it now, while the table stays open."""
    hold_open(slip.session)
    lock_name(f"slip:{slip.uuid}")
    return ChipSlipEvent.objects.filter(slip=slip).select_related("by").order_by("sequence").last()  # type: ignore[return-value]


def _sign(slip: ChipSlip, state: str, *, at: datetime, by: User, dealer: Signature | None = None) -> tuple[ChipSlipEvent, bool]:
    """Return the event of this signature and whether it is new: the same person signing the same thing twice has signed once."""
    signer = dealer.dealer if dealer else None
    kept = _signed_already(slip, state, by, signer.pk if signer else None)
    if kept is not None:
        return kept, False
    last = _last(slip)
    if last.state in (State.VOID, State.RECEIVED):
        raise _done(slip, last)
    if NEXT[ChipSlip.Kind(slip.kind)].get(State(last.state)) != state:
        raise Conflict(
            "slip_order",
            gettext("%(slip)s is %(state)s; it cannot be %(state2)s now.") % {"slip": _named(slip), "state": word(last.state), "state2": word(state)},
            state=last.state,
        )
    if signer is None and ChipSlipEvent.objects.filter(slip=slip, by=by, dealer=None).exists():
        raise Refused("three_people", gettext("%(by)s has signed this slip already: it goes through three people.") % {"by": by})
    event = ChipSlipEvent.objects.create(slip=slip, sequence=last.sequence + 1, state=state, occurred_at=at, by=by, dealer=signer)
    return event, True


def _signed_already(slip: ChipSlip, state: str, by: User, dealer: int | None) -> ChipSlipEvent | None:
    lock_shift(slip.session.shift.uuid)
    lock_name(f"slip:{slip.uuid}")
    return ChipSlipEvent.objects.filter(slip=slip, state=state, by=by, dealer=dealer).first()


def _named(slip: ChipSlip) -> str:
    return str(slip).capitalize()


def _done(slip: ChipSlip, last: ChipSlipEvent) -> Conflict:
    return Conflict(
        "slip_done",
        gettext("%(slip)s is %(state)s already, by %(by)s.") % {"slip": _named(slip), "state": word(last.state), "by": last.by},
        state=last.state,
        by=last.by.username,
    )


def _move(slip: ChipSlip, last: ChipSlipEvent) -> ChipMovement:
    events = {event.state: event for event in ChipSlipEvent.objects.filter(slip=slip).select_related("by", "dealer")}
    handed = events.get(State.ISSUED) or events[State.SENT]
    dealer = handed.dealer or last.dealer
    amount = Minor(slip.amount)
    code = slip.session.table.code
    transfers = transfers_for_fill(code, amount) if slip.kind == ChipSlip.Kind.FILL else transfers_for_chip_credit(code, amount)
    return move(
        slip.session,
        slip.kind,
        amount,
        transfers,
        at=last.occurred_at,
        by=last.by,
        witness=handed.by,
        uuid=slip.uuid,
        requested_by=slip.requested_by,
        issued_by=None if handed.dealer else handed.by,
        received_by=None if last.dealer else last.by,
        dealer=dealer,
        number=slip.number,
        denominations=slip.denominations,
        slip=slip,
    )
