"""The floor's life: a property and its tables, shifts, sessions, dealers' turns."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from django.db import IntegrityError, transaction

from casino import jobs, roles
from casino.errors import Conflict, InvalidSlip
from casino.gaming_day import local_moment
from casino.models import User
from casino.transactions import in_transaction
from ledger.services import lock_shift, open_account
from tables import selectors
from tables.engine.game import games
from tables.locks import lock_name, lock_session
from tables.models import Dealer, DealerTurn, Pit, Property, SessionEvent, Shift, ShiftEvent, Table, TableSession, TrayCount
from tables.posting import HOUSE_ACCOUNTS, table_accounts
from tables.services.chips import count_tray
from tables.slips import CountSlip


@in_transaction
def make_property(code: str, name: str, *, zone: str, currency: str, exponent: int, by: User, rollover: time = time(6)) -> Property:
    """Return a new property with its house accounts. Raises ValidationError naming the field."""
    roles.require(by, "lay_out_floor")
    house = Property(code=code, name=name, zone=zone, currency=currency, exponent=exponent, rollover=rollover)
    house.full_clean()
    house.save(force_insert=True)
    for account, kind in HOUSE_ACCOUNTS:
        open_account(house.uuid, account, kind, currency)
    return house


@in_transaction
def make_table(pit: Pit, code: str, game: str, *, by: User) -> Table:
    """Return a new table of `pit` with its accounts. Raises InvalidSlip (`unknown_game`), ValidationError."""
    roles.require(by, "lay_out_floor")
    if game not in games():
        raise InvalidSlip("unknown_game", f"“{game}” is no known game.", where="game")
    table = Table(property=pit.property, pit=pit, code=code, game=game)
    table.full_clean()
    table.save(force_insert=True)
    for account, kind in table_accounts(code, is_pot_game=games()[game].is_pot_game):
        open_account(pit.property.uuid, account, kind, pit.property.currency)
    return table


@in_transaction
def open_shift(house: Property, day: date, kind: str, *, starts: time, ends: time, at: datetime, by: User) -> Shift:
    """Return a new open shift of gaming day `day`, from `starts` to `ends` by the property's clock. Raises Conflict (`shift_exists`)."""
    roles.require(by, "open_shift")
    starts_at = local_moment(day, starts, house.zone, house.rollover)
    ends_at = local_moment(day, ends, house.zone, house.rollover)
    if ends_at <= starts_at:  # it ends at the rollover itself
        ends_at = local_moment(day + timedelta(days=1), ends, house.zone, house.rollover)
    try:
        with transaction.atomic():
            shift = Shift.objects.create(property=house, gaming_day=day, kind=kind, starts_at=starts_at, ends_at=ends_at, opened_by=by)
    except IntegrityError as error:
        raise Conflict("shift_exists", f"The {kind} shift of {day} was opened already.") from error
    ShiftEvent.objects.create(shift=shift, sequence=1, state=ShiftEvent.State.OPEN, occurred_at=at, by=by)
    return shift


@in_transaction
def open_session(shift: Shift, table: Table, opener: CountSlip, *, at: datetime, by: User, witness: User) -> TableSession:
    """Return the session of `table` in `shift`, opened with the counted `opener`.

    Raises Conflict (`shift_ended`, `session_open`: the table is open already), Refused, InvalidSlip (`bad_count`).
    """
    roles.require(by, "run_session", table.pit.code)
    lock_shift(shift.uuid)
    lock_name(f"open:{table.uuid}")
    if selectors.shift_state(shift) != ShiftEvent.State.OPEN:
        raise Conflict("shift_ended", f"The {shift} has ended.")
    if selectors.sessions_in(SessionEvent.State.OPEN, TableSession.objects.filter(table=table)).exists():
        raise Conflict("session_open", f"{table} is open already.")
    sequence = TableSession.objects.filter(shift=shift, table=table).count() + 1
    session = TableSession.objects.create(shift=shift, table=table, sequence=sequence)
    count_tray(session, TrayCount.Kind.OPENER, opener, at=at, by=by, witness=witness)
    SessionEvent.objects.create(session=session, sequence=1, state=SessionEvent.State.OPEN, occurred_at=at, by=by)
    return session


@in_transaction
def begin_turn(session: TableSession, dealer: Dealer, *, from_at: datetime, by: User) -> DealerTurn:
    """Return the row that says `dealer` deals from `from_at` on. Raises Conflict (`session_closed`)."""
    roles.require(by, "run_session", session.table.pit.code)
    if selectors.session_state(session) != SessionEvent.State.OPEN:
        raise Conflict("session_closed", f"{session.table} is not open.")
    return DealerTurn.objects.create(session=session, dealer=dealer, from_at=from_at, by=by)


@in_transaction
def close_session(session: TableSession, closer: CountSlip, *, at: datetime, by: User, witness: User) -> SessionEvent:
    """Return the event that closes `session` with its counted `closer`, signed by two. Raises Conflict (`session_closed`)."""
    roles.require(by, "run_session", session.table.pit.code)
    lock_shift(session.shift.uuid, exclusive=True)
    lock_session(session.uuid)
    if selectors.session_state(session) != SessionEvent.State.OPEN:
        raise Conflict("session_closed", f"{session.table} is not open.")
    count_tray(session, TrayCount.Kind.CLOSER, closer, at=at, by=by, witness=witness)
    return SessionEvent.objects.create(session=session, sequence=2, state=SessionEvent.State.CLOSED, occurred_at=at, by=by)


@in_transaction
def end_shift(shift: Shift, *, at: datetime, by: User) -> ShiftEvent:
    """Return the event that ends `shift`, and announce its payout audit and reconciliation.

    Raises Conflict (`sessions_open` naming the tables, `shift_ended`).
    """
    roles.require(by, "end_shift")
    lock_shift(shift.uuid, exclusive=True)
    if selectors.shift_state(shift) != ShiftEvent.State.OPEN:
        raise Conflict("shift_ended", f"The {shift} has ended already.")
    open_tables = [session.table.code for session in selectors.sessions_in(SessionEvent.State.OPEN, shift.sessions.select_related("table"))]
    if open_tables:
        raise Conflict("sessions_open", f"Still open: {', '.join(open_tables)}.", tables=open_tables)
    event = ShiftEvent.objects.create(shift=shift, sequence=2, state=ShiftEvent.State.ENDED, occurred_at=at, by=by)
    jobs.announce("close_shift", f"close_shift:{shift.uuid}", {"shift": str(shift.uuid)}, by=by)
    return event
