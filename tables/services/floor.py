"""The floor's life: a property and its tables, shifts, sessions, dealers' turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import jobs, roles
from casino.errors import Conflict, InvalidSlip, NotFound, Refused
from casino.gaming_day import local_moment
from casino.models import User
from casino.transactions import in_transaction
from casino.words import word
from ledger.selectors import amount_of
from ledger.services import lock_shift, open_account
from tables import selectors
from tables.blockers import blocking
from tables.engine.game import games
from tables.locks import lock_name, lock_session
from tables.models import Dealer, DealerTurn, PaytableVersion, Pit, Property, SessionEvent, Shift, ShiftEvent, Table, TableSession, TrayCount
from tables.posting import HOUSE_ACCOUNTS, table_accounts
from tables.services.chips import bankroll
from tables.services.counts import sign_count
from tables.services.dealer_pins import Signature
from tables.short_code import is_code_of, short_code
from tables.slips import CountSlip

CHIPS = (10_000, 5_000, 1_000, 500, 100, 25, 5, 1)
NOTES = (100, 50, 20, 10, 5, 2, 1)
"""Values of chips and notes in whole units of the currency, as a new property begins with; halves and quarters where it has decimals."""
ASK_FROM = 3_000
ROLLOVER = time(6)


@in_transaction
def make_property(
    code: str,
    name: str,
    *,
    zone: str,
    currency: str,
    exponent: int,
    by: User,
    rollover: time = ROLLOVER,
    drop_per: str = Property.DropPer.SHIFT,
    rake_to: str = Property.RakeTo.TRAY,
    writes: str = Property.Writes.POINT,
    chip_values: Sequence[int] = (),
    note_values: Sequence[int] = (),
) -> Property:
    """Return a new property with its house accounts. `chip_values`, `note_values`: minor units, the usual ones where none are named.

    `writes`: how amounts are written and read there; like currency and zone it stays for ever, so that signed reports do.

    Raises ValidationError naming the field.
    """
    roles.require(by, "lay_out_floor")
    unit = 10**exponent
    house = Property(
        code=code, name=name, zone=zone, currency=currency, exponent=exponent, rollover=rollover, drop_per=drop_per, rake_to=rake_to, writes=writes
    )
    house.chip_values = sorted(chip_values or [value * unit for value in CHIPS] + [unit // part for part in (2, 4) if unit % 4 == 0], reverse=True)
    house.note_values = sorted(note_values or [value * unit for value in NOTES], reverse=True)
    house.ask_patron_from = ASK_FROM * unit
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
        raise InvalidSlip("unknown_game", gettext("“%(game)s” is no known game.") % {"game": game}, where="game")
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
        raise Conflict("shift_exists", gettext("The %(kind)s shift of %(day)s was opened already.") % {"kind": word(kind), "day": day}) from error
    ShiftEvent.objects.create(shift=shift, sequence=1, state=ShiftEvent.State.OPEN, occurred_at=at, by=by)
    return shift


@in_transaction
def open_session(
    shift: Shift,
    table: Table,
    opener: CountSlip,
    *,
    felt_code: str,
    at: datetime,
    by: User,
    witness: User | None = None,
    dealer: Signature | None = None,
) -> TableSession:
    """Return the session of `table` in `shift`, opened with the `opener` that the incoming `by` counted and attests.

    The opener is made from the table's last closer; where it differs, or there was none, its note says why, and the audit finds it. `felt_code`
    is the short code on the felt, which must be that of the version in force. Raises Conflict (`shift_ended`, `session_open`, `no_paytable`),
    Refused, InvalidSlip (`bad_count`, `wrong_code` naming both codes, `note_required`).
    """
    roles.require(by, "run_session", table.pit.code)
    lock_shift(shift.uuid)
    lock_name(f"open:{table.uuid}")
    if selectors.shift_state(shift) != ShiftEvent.State.OPEN:
        raise Conflict("shift_ended", gettext("The %(shift)s has ended.") % {"shift": shift})
    if shift.property_id != table.property_id:
        raise Conflict("wrong_house", gettext("%(table)s is not a table of this shift's house.") % {"table": table}, where="table")
    if selectors.sessions_in(SessionEvent.State.OPEN, TableSession.objects.filter(table=table)).exists():
        raise Conflict("session_open", gettext("%(table)s is open already.") % {"table": table}, where="table")
    felt = _felt(table, felt_code, at)
    made_from = selectors.last_closer(table)
    _explained(table, opener, made_from)
    sequence = TableSession.objects.filter(shift=shift, table=table).count() + 1
    session = TableSession.objects.create(shift=shift, table=table, sequence=sequence, felt=felt)
    sign_count(session, TrayCount.Kind.OPENER, opener, at=at, by=by, witness=witness, dealer=dealer, made_from=made_from)
    SessionEvent.objects.create(session=session, sequence=1, state=SessionEvent.State.OPEN, occurred_at=at, by=by)
    return session


def _felt(table: Table, typed: str, at: datetime) -> PaytableVersion:
    """Return the version in force, confirmed by the code on the felt."""
    version = selectors.version_in_force(table, at)
    if not is_code_of(typed, version.sha256):
        said, due = typed.strip().upper()[:20], short_code(version.sha256)
        words = gettext("The felt says %(said)s; in force is %(version)s, whose code is %(due)s.") % {
            "said": said or "nothing",
            "version": version,
            "due": due,
        }
        raise InvalidSlip("wrong_code", words, where="felt_code", typed=said, in_force=due)
    return version


def _explained(table: Table, opener: CountSlip, made_from: TrayCount | None) -> None:
    """Refuse an opener without a note that is not the last closer, or the bankroll that the cage stocked a new table with."""
    if opener.note.strip():
        return
    if made_from is not None:
        if (made_from.total, made_from.denominations) != (opener.total, opener.as_json):
            raise InvalidSlip(
                "note_required", gettext("This is not the last closer. Count again; where it stays so, say why in a note."), where="note"
            )
    elif amount_of(bankroll(table)) != opener.total:
        raise InvalidSlip(
            "note_required", gettext("No closer was counted here that this opener is made from: say in a note where it comes from."), where="note"
        )


@in_transaction
def begin_turn(session: TableSession, dealer: Dealer, *, from_at: datetime, by: User, signature: Signature | None = None) -> DealerTurn:
    """Return the row that says `dealer` deals from `from_at` on; `signature` is theirs, where they signed with their PIN.

    The same turn again is the same turn. Raises Refused (`wrong_signature`), NotFound (`no_dealer`), InvalidSlip (`bad_time`: before the table
    opened or before the turn that runs), Conflict (`session_closed`).
    """
    roles.require(by, "run_session", session.table.pit.code)
    if dealer.property_id != session.table.property_id:
        raise NotFound("no_dealer", gettext("There is no dealer %(dealer)s in this house.") % {"dealer": dealer}, where="dealer")
    if signature is not None and signature.dealer.pk != dealer.pk:
        raise Refused(
            "wrong_signature", gettext("%(dealer)s does not sign for %(dealer2)s.") % {"dealer": signature.dealer, "dealer2": dealer}, where="pin"
        )
    lock_shift(session.shift.uuid)
    lock_session(session.uuid)
    if selectors.session_state(session) != SessionEvent.State.OPEN:
        raise Conflict("session_closed", gettext("%(table)s is not open.") % {"table": session.table}, where="table")
    last = DealerTurn.objects.filter(session=session).order_by("-from_at").first()
    if last is not None and (last.dealer_id, last.from_at) == (dealer.pk, from_at):
        return last
    opened = session.events.get(sequence=1).occurred_at
    if from_at < opened or (last is not None and from_at <= last.from_at):
        since = last.from_at if last is not None else opened
        raise InvalidSlip(
            "bad_time", gettext("A turn begins after the one before: later than %(since)s.") % {"since": f"{since:%H:%M:%S %Z}"}, where="from_at"
        )
    return DealerTurn.objects.create(session=session, dealer=dealer, from_at=from_at, by=by, signed=signature is not None)


@in_transaction
def close_session(
    session: TableSession, closer: CountSlip, *, at: datetime, by: User, witness: User | None = None, dealer: Signature | None = None
) -> SessionEvent:
    """Return the event that closes `session` with its counted `closer`, signed by two: `by`, and a second supervisor or the dealer.

    Raises Refused (`needs_witness`, `not_allowed`), Conflict (`session_closed`; `blocked`, with everything that `blockers` says).
    """
    roles.require(by, "run_session", session.table.pit.code)
    lock_shift(session.shift.uuid, exclusive=True)
    lock_session(session.uuid)
    if found := blocking(session):
        code = "session_closed" if found[0].code == "session_closed" else "blocked"
        raise Conflict(code, " ".join(one.message for one in found), where=found[0].where, blockers=[one.as_json() for one in found])
    sign_count(session, TrayCount.Kind.CLOSER, closer, at=at, by=by, witness=witness, dealer=dealer)
    return SessionEvent.objects.create(session=session, sequence=2, state=SessionEvent.State.CLOSED, occurred_at=at, by=by)


@in_transaction
def end_shift(shift: Shift, *, at: datetime, by: User) -> ShiftEvent:
    """Return the event that ends `shift`, and announce its payout audit and reconciliation.

    Raises Conflict (`sessions_open` naming the tables, `shift_ended`).
    """
    roles.require(by, "end_shift")
    lock_shift(shift.uuid, exclusive=True)
    if selectors.shift_state(shift) != ShiftEvent.State.OPEN:
        raise Conflict("shift_ended", gettext("The %(shift)s has ended already.") % {"shift": shift})
    open_tables = [session.table.code for session in selectors.sessions_in(SessionEvent.State.OPEN, shift.sessions.select_related("table"))]
    if open_tables:
        raise Conflict("sessions_open", gettext("Still open: %(open_tables)s.") % {"open_tables": ", ".join(open_tables)}, tables=open_tables)
    event = ShiftEvent.objects.create(shift=shift, sequence=2, state=ShiftEvent.State.ENDED, occurred_at=at, by=by)
    jobs.announce("close_shift", f"close_shift:{shift.uuid}", {"shift": str(shift.uuid)}, by=by)
    return event
