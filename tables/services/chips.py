"""Chips and cash that patrons and the house exchange: issued, bought, lent, changed. Every movement is a row and an entry, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from django.db.models import Sum
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip
from casino.gaming_day import gaming_day
from casino.models import User
from casino.money import Minor
from casino.transactions import in_transaction
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Entry
from ledger.selectors import amount_of
from ledger.services import lock_shift, post_entry
from tables import selectors
from tables.locks import lock_name
from tables.models import CashOut, ChipMovement, Property, ShiftEvent, Table, TableSession
from tables.posting import (
    CAGE,
    transfers_for_buy_in,
    transfers_for_cash_out,
    transfers_for_issue,
    transfers_for_marker,
    transfers_for_redemption,
    tray,
)
from tables.services.movements import check_amount, check_patron, hold_open, move, the_same

MOST_INSTRUMENT = 40


@in_transaction
def issue_chips(house: Property, amount: Minor, *, at: datetime, by: User, uuid: UUID | None = None) -> Entry:
    """Return the entry that brings new chips into the cage; the same `uuid` again is the same entry. Raises InvalidSlip (`bad_amount`)."""
    roles.require(by, "issue_chips")
    check_amount(amount)
    return _post_once(house, "issue", f"issue:{uuid or uuid4()}", amount, transfers_for_issue(amount), at=at, by=by)


@in_transaction
def stock_tray(table: Table, amount: Minor, *, at: datetime, by: User) -> Entry:
    """Return the entry that gives a table its bankroll, once, before its first session. Raises Conflict (`stocked`) for another amount."""
    roles.require(by, "issue_chips")
    check_amount(amount)
    transfers = [TransferDraft(CAGE, tray(table.code), amount, "bankroll")]
    return _post_once(table.property, "bankroll", bankroll(table), amount, transfers, at=at, by=by)


def bankroll(table: Table) -> str:
    """Return the reference of the entry that stocked the table: its amount is what a first opener is held against."""
    return f"bankroll:{table.uuid}"


def _post_once(house: Property, kind: str, reference: str, amount: Minor, transfers: Sequence[TransferDraft], *, at: datetime, by: User) -> Entry:
    """Return the entry of `reference`: the one that is kept, whenever it was posted, where its amount is the same."""
    lock_name(reference)
    kept = Entry.objects.filter(reference=reference).first()
    return kept if kept is not None and amount_of(reference) == amount else _post(house, kind, reference, transfers, at=at, by=by)


def _post(house: Property, kind: str, reference: str, transfers: Sequence[TransferDraft], *, at: datetime, by: User) -> Entry:
    day = gaming_day(at, house.zone, house.rollover)
    draft = EntryDraft(
        kind=kind, reference=reference, property=house.uuid, currency=house.currency, gaming_day=day, occurred_at=at, transfers=transfers
    )
    return post_entry(draft, by=by)


@in_transaction
def buy_in(
    session: TableSession, amount: Minor, *, at: datetime, by: User, patron: str = "", declined: bool = False, uuid: UUID | None = None
) -> ChipMovement:
    """Return the buy-in: cash into the box, chips out of the tray. The same `uuid` again is the same buy-in.

    `declined`: the patron was asked for, as from the property's `ask_patron_from` on, and did not say. Raises Refused, Conflict
    (`session_closed`, `reference_reused`), InvalidSlip (`bad_amount`, `patron_asked`).
    """
    table, kind = session.table, ChipMovement.Kind.BUY_IN
    roles.require(by, "record_buy_in", table.pit.code)
    if (kept := _kept(uuid)) is not None:
        return the_same(kept, session_id=session.pk, kind=kind, amount=amount, patron=patron)
    check_amount(amount)
    check_patron(table.property, session.shift.gaming_day, amount, patron, declined)
    hold_open(session)
    transfers = transfers_for_buy_in(table.code, amount)
    return move(session, kind, amount, transfers, at=at, by=by, uuid=uuid or uuid4(), patron=patron, declined=declined)


def _kept(uuid: UUID | None) -> ChipMovement | None:
    """Return the movement that was handed in under `uuid`, after waiting for whoever hands it in now."""
    if uuid is None:
        return None
    lock_name(f"movement:{uuid}")
    return ChipMovement.objects.filter(uuid=uuid).first()


@in_transaction
def issue_marker(session: TableSession, amount: Minor, *, patron: str, instrument: str, at: datetime, by: User, uuid: UUID) -> ChipMovement:
    """Return the marker: an instrument of the patron's into the box, chips out of the tray. The same `uuid` again is the same marker.

    Raises Refused, Conflict (`session_closed`, `reference_reused`), InvalidSlip (`bad_amount`, `missing_field` at `patron`, `instrument`).
    """
    table, kind = session.table, ChipMovement.Kind.MARKER
    roles.require(by, "record_marker", table.pit.code)
    if (kept := _kept(uuid)) is not None:
        return the_same(kept, session_id=session.pk, kind=kind, amount=amount, patron=patron, instrument=instrument)
    check_amount(amount)
    for where, value in (("patron", patron), ("instrument", instrument)):
        if not value.strip():
            raise InvalidSlip("missing_field", gettext("A marker says whose it is and which instrument was signed."), where=where)
    if len(instrument) > MOST_INSTRUMENT or not instrument.isprintable():
        raise InvalidSlip(
            "bad_type",
            gettext("An instrument's number is text of at most %(most)s characters.") % {"most": MOST_INSTRUMENT},
            where="instrument",
        )
    check_patron(table.property, session.shift.gaming_day, amount, patron, declined=False)
    hold_open(session)
    transfers = transfers_for_marker(table.code, amount)
    return move(session, kind, amount, transfers, at=at, by=by, uuid=uuid, patron=patron, instrument=instrument)


@in_transaction
def redeem_marker(session: TableSession, marker: ChipMovement, amount: Minor, *, at: datetime, by: User, uuid: UUID) -> ChipMovement:
    """Return the redemption in chips at the table: chips into the tray, the marker (or so much of it) back to its patron.

    The same `uuid` again is the same redemption. Raises Refused, InvalidSlip (`bad_amount`), Conflict (`session_closed`, `reference_reused`,
    `redeemed`: more than is still owed, of which it says how much).
    """
    table, kind = session.table, ChipMovement.Kind.REDEMPTION
    roles.require(by, "record_marker", table.pit.code)
    if (kept := _kept(uuid)) is not None:
        return the_same(kept, session_id=session.pk, kind=kind, amount=amount, redeems_id=marker.pk)
    check_amount(amount)
    hold_open(session)
    owed = outstanding(marker)
    if marker.property_id != table.property_id or amount > owed:
        raise Conflict("redeemed", gettext("Of this marker %(owed)s is still owed.") % {"owed": owed}, where="amount", owed=owed)
    transfers = transfers_for_redemption(table.code, amount)
    return move(session, kind, amount, transfers, at=at, by=by, uuid=uuid, patron=marker.patron, instrument=marker.instrument, redeems=marker)


def outstanding(marker: ChipMovement) -> int:
    """Return what is still owed of `marker`, in minor units, after waiting for whoever redeems it now. Two queries."""
    lock_name(f"marker:{marker.uuid}")
    redeemed: int = marker.redemptions.aggregate(sum=Sum("amount", default=0))["sum"]
    return marker.amount - redeemed


@in_transaction
def cash_out(house: Property, amount: Minor, *, at: datetime, by: User, uuid: UUID, patron: str = "", declined: bool = False) -> CashOut:
    """Return the cash-out at the cage: chips in, cash out, at no table. The same `uuid` again is the same one. Raises as `buy_in`."""
    roles.require(by, "cash_out")
    lock_name(f"movement:{uuid}")
    if (kept := CashOut.objects.filter(uuid=uuid).first()) is not None:
        if (kept.property_id, kept.amount, kept.patron) != (house.pk, amount, patron):
            raise Conflict("reference_reused", gettext("Another cash-out was handed in under this uuid."), where="uuid")
        return kept
    check_amount(amount)
    shift = selectors.shifts_in(ShiftEvent.State.OPEN, house.shifts.all()).order_by("-starts_at").first()
    if shift is not None:
        lock_shift(shift.uuid)
        if selectors.shift_state(shift) != ShiftEvent.State.OPEN:  # it ended while we waited: the next one is not open yet
            shift = None
    day = shift.gaming_day if shift else gaming_day(at, house.zone, house.rollover)
    check_patron(house, day, amount, patron, declined)
    draft = EntryDraft(
        kind="cash_out",
        reference=f"cash_out:{uuid}",
        property=house.uuid,
        currency=house.currency,
        gaming_day=day,
        occurred_at=at,
        transfers=transfers_for_cash_out(amount),
        shift=shift.uuid if shift else None,
    )
    post_entry(draft, by=by)
    return CashOut.objects.create(uuid=uuid, property=house, amount=amount, patron=patron, declined=declined, gaming_day=day, occurred_at=at, by=by)
