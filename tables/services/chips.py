"""Chips and cash: issued, carried, bought and counted. Every movement is a row and an entry, together or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.gaming_day import gaming_day
from casino.models import User
from casino.money import CEILING, Minor
from casino.transactions import in_transaction
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Entry
from ledger.services import lock_shift, post_entry
from tables import selectors
from tables.models import ChipMovement, DropCount, Property, SessionEvent, SlipCounter, Table, TableSession, TrayCount
from tables.posting import CAGE, transfers_for_buy_in, transfers_for_chip_credit, transfers_for_fill, transfers_for_issue, tray
from tables.slips import CountSlip


@in_transaction
def issue_chips(house: Property, amount: Minor, *, at: datetime, by: User) -> Entry:
    """Return the entry that brings new chips into the cage."""
    roles.require(by, "issue_chips")
    return _post(house, "issue", f"issue:{uuid4()}", transfers_for_issue(amount), at=at, by=by)


@in_transaction
def stock_tray(table: Table, amount: Minor, *, at: datetime, by: User) -> Entry:
    """Return the entry that gives a table its bankroll, once, before its first session. Raises Conflict (`stocked`) for another amount."""
    roles.require(by, "issue_chips")
    transfers = [TransferDraft(CAGE, tray(table.code), amount, "bankroll")]
    return _post(table.property, "bankroll", f"bankroll:{table.uuid}", transfers, at=at, by=by)


def _post(house: Property, kind: str, reference: str, transfers: Sequence[TransferDraft], *, at: datetime, by: User) -> Entry:
    day = gaming_day(at, house.zone, house.rollover)
    draft = EntryDraft(
        kind=kind, reference=reference, property=house.uuid, currency=house.currency, gaming_day=day, occurred_at=at, transfers=transfers
    )
    return post_entry(draft, by=by)


@in_transaction
def buy_in(session: TableSession, amount: Minor, *, at: datetime, by: User, patron: str = "", uuid: UUID | None = None) -> ChipMovement:
    """Return the buy-in: cash into the box, chips out of the tray. The same `uuid` again is the same buy-in."""
    roles.require(by, "record_buy_in", session.table.pit.code)
    if uuid is not None and (kept := ChipMovement.objects.filter(uuid=uuid).first()) is not None:
        return _the_same(kept, session, amount)
    _open_for(session, amount)
    transfers = transfers_for_buy_in(session.table.code, amount)
    return _move(session, ChipMovement.Kind.BUY_IN, amount, transfers, at=at, by=by, patron=patron, uuid=uuid or uuid4(), people=(by, None, None))


@in_transaction
def fill(session: TableSession, chips: CountSlip, *, at: datetime, requested_by: User, issued_by: User, received_by: User) -> ChipMovement:
    """Return the fill: requested by the pit, issued by the cage, received at the table, by three people.

    Raises Refused (`three_people`, `not_allowed`, `not_your_pit`), Conflict (`session_closed`), InvalidSlip (`bad_amount`).
    """
    pit = session.table.pit.code
    roles.require(requested_by, "request_chips", pit)
    roles.require(issued_by, "issue_chips")
    roles.require(received_by, "request_chips", pit)
    transfers = transfers_for_fill(session.table.code, chips.total)
    return _slip(session, ChipMovement.Kind.FILL, chips, transfers, at=at, people=(requested_by, issued_by, received_by))


@in_transaction
def chip_credit(session: TableSession, chips: CountSlip, *, at: datetime, requested_by: User, sent_by: User, received_by: User) -> ChipMovement:
    """Return the chip credit: requested by the pit, sent from the table, received by the cage, by three people. Raises as `fill`."""
    pit = session.table.pit.code
    roles.require(requested_by, "request_chips", pit)
    roles.require(sent_by, "request_chips", pit)
    roles.require(received_by, "issue_chips")
    transfers = transfers_for_chip_credit(session.table.code, chips.total)
    return _slip(session, ChipMovement.Kind.CHIP_CREDIT, chips, transfers, at=at, people=(requested_by, sent_by, received_by))


def _slip(
    session: TableSession, kind: str, chips: CountSlip, transfers: Sequence[TransferDraft], *, at: datetime, people: tuple[User, User, User]
) -> ChipMovement:
    if len({person.pk for person in people}) < 3:
        raise Refused("three_people", "A slip goes through three people.")
    _open_for(session, chips.total)
    number = _next_slip(session.table.property, kind)
    return _move(session, kind, chips.total, transfers, at=at, by=people[0], uuid=uuid4(), people=people, number=number, denominations=chips.as_json)


def _open_for(session: TableSession, amount: int) -> None:
    if isinstance(amount, bool) or not isinstance(amount, int) or not 0 < amount < CEILING:
        raise InvalidSlip("bad_amount", "An amount is a whole number of minor units, more than 0 and below 10^15.", where="amount")
    lock_shift(session.shift.uuid)
    if selectors.session_state(session) != SessionEvent.State.OPEN:
        raise Conflict("session_closed", f"{session.table} is not open.")


def _next_slip(house: Property, kind: str) -> int:
    """Return the next number of the property's slips of `kind`: the row lock and the caller's rollback leave no gaps."""
    SlipCounter.objects.get_or_create(property=house, kind=kind)
    counter = SlipCounter.objects.select_for_update().get(property=house, kind=kind)
    counter.last += 1
    counter.save(update_fields=["last"])
    return counter.last


def _move(
    session: TableSession,
    kind: str,
    amount: Minor,
    transfers: Sequence[TransferDraft],
    *,
    at: datetime,
    by: User,
    uuid: UUID,
    people: tuple[User, User | None, User | None],
    patron: str = "",
    number: int | None = None,
    denominations: dict[str, int] | None = None,
) -> ChipMovement:
    house, shift = session.table.property, session.shift
    movement = ChipMovement.objects.create(
        uuid=uuid,
        property=house,
        session=session,
        kind=kind,
        number=number,
        amount=amount,
        denominations=denominations,
        patron=patron,
        gaming_day=shift.gaming_day,
        occurred_at=at,
        requested_by=people[0],
        issued_by=people[1],
        received_by=people[2],
    )
    reference = f"{kind}:{house.code}:{number}" if number is not None else f"{kind}:{uuid}"
    draft = EntryDraft(
        kind=kind,
        reference=reference,
        property=house.uuid,
        currency=house.currency,
        gaming_day=shift.gaming_day,
        occurred_at=at,
        transfers=transfers,
        shift=shift.uuid,
        session=session.uuid,
        witness=people[1].pk if people[1] else None,
    )
    post_entry(draft, by=by)
    return movement


def _the_same(kept: ChipMovement, session: TableSession, amount: int) -> ChipMovement:
    if (kept.session_id, kept.amount) != (session.pk, amount):
        raise Conflict("reference_reused", "Another buy-in was handed in under this uuid.", where="uuid")
    return kept


@in_transaction
def count_tray(session: TableSession, kind: str, count: CountSlip, *, at: datetime, by: User, witness: User) -> TrayCount:
    """Return the counted opener or closer, attested by two. Raises Refused (`needs_witness`, `not_allowed`)."""
    roles.require(by, "attest_count", session.table.pit.code)
    roles.require(witness, "attest_count", session.table.pit.code)
    if by == witness:
        raise Refused("needs_witness", "A count is signed by two people.")
    return TrayCount.objects.create(
        session=session,
        kind=kind,
        total=count.total,
        denominations=count.as_json,
        occurred_at=at,
        counted_by=by,
        witness=witness,
        note=count.note,
    )


@in_transaction
def count_drop(session: TableSession, count: CountSlip, *, box: str, seal: str, at: datetime, by: User, witness: User) -> DropCount:
    """Return what two of the count team counted in the session's box. Raises Refused, Conflict (`session_open`, `counted`)."""
    roles.require(by, "count_drop")
    roles.require(witness, "count_drop")
    if by == witness:
        raise Refused("needs_witness", "A box is counted by two people.")
    if selectors.session_state(session) != SessionEvent.State.CLOSED:
        raise Conflict("session_open", f"{session.table} is still open.")
    lock_shift(session.shift.uuid, exclusive=True)
    if session.drop_counts.exists():
        raise Conflict("counted", f"Box {box} was counted already.")
    return DropCount.objects.create(
        session=session,
        box=box,
        seal=seal,
        total=count.total,
        denominations=count.as_json,
        occurred_at=at,
        counted_by=by,
        witness=witness,
        note=count.note,
    )
