"""A version is put in force at a table from a moment on: proposed by one person, approved by another, until the next row's moment."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, Refused
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from casino.words import word
from tables import selectors
from tables.locks import lock_name, lock_session
from tables.models import PaytablePlacement, PaytableVersion, PlacementEvent, Round, SessionEvent, Table, TablePaytable, TableSession


@in_transaction
def propose_in_force(table: Table, version: PaytableVersion, *, from_at: datetime, at: datetime, by: User, note: str = "") -> PaytablePlacement:
    """Return the proposal to put `version` in force at `table` from `from_at` on. `at` is now, by the door's clock.

    Raises Refused, Conflict (`wrong_game`), InvalidSlip (`bad_time` at `from_at`: it has passed, and nobody could approve it any more).
    """
    roles.require(by, "propose_paytable")
    if version.game != table.game:
        raise Conflict(
            "wrong_game", gettext("%(version)s is not a paytable of %(table)s's game.") % {"version": version, "table": table}, where="version"
        )
    _not_backwards(table, from_at, at)
    placement = PaytablePlacement.objects.create(table=table, version=version, from_at=from_at, proposed_by=by, note=note[:300])
    _add_event(placement, PlacementEvent.State.PROPOSED, by, note)
    return placement


@in_transaction
def approve_in_force(placement: PaytablePlacement, *, by: User, at: datetime, note: str = "") -> TablePaytable:
    """Return the row that puts the version in force. `at` is now, by the door's clock.

    Rounds that were dealt keep their version, so it is put in force from now on or later, and never before a round that is recorded.
    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`bad_time`), Conflict (`not_proposed`, `rounds_dealt`, `in_force_already`).
    """
    roles.require(by, "approve_paytable")
    _not_ones_own(placement, by)
    _still_proposed(placement)
    table = placement.table
    _not_backwards(table, placement.from_at, at)
    _no_round_since(table, placement.from_at)
    _add_event(placement, PlacementEvent.State.APPROVED, by, note)
    return _put(placement, by)


@in_transaction
def withdraw_in_force(placement: PaytablePlacement, *, by: User, note: str = "") -> PlacementEvent:
    """Return the event that takes the proposal back, by whoever may propose. Raises Refused, Conflict (`not_proposed`)."""
    roles.require(by, "propose_paytable")
    _still_proposed(placement)
    return _add_event(placement, PlacementEvent.State.WITHDRAWN, by, note)


@in_transaction
def refuse_in_force(placement: PaytablePlacement, *, by: User, note: str) -> PlacementEvent:
    """Return the event that refuses it, with the reason. Raises Refused, InvalidSlip (`missing_field` at `note`), Conflict (`not_proposed`)."""
    roles.require(by, "approve_paytable")
    _not_ones_own(placement, by)
    if not note.strip():
        raise InvalidSlip("missing_field", gettext("A refusal says why."), where="note")
    _still_proposed(placement)
    return _add_event(placement, PlacementEvent.State.REFUSED, by, note)


@in_transaction
def put_in_force(table: Table, version: PaytableVersion, *, from_at: datetime, by: User, approved_by: User) -> TablePaytable:
    """Return the row that puts `version` in force at `table` from `from_at` on, proposed and approved in one go by two people.

    For setting a house up. Raises as `propose_in_force` and `approve_in_force`.
    """
    return approve_in_force(propose_in_force(table, version, from_at=from_at, at=from_at, by=by), by=approved_by, at=from_at)


def _not_ones_own(placement: PaytablePlacement, by: User) -> None:
    if by.pk == placement.proposed_by_id:
        raise Refused("own_approval", gettext("Nobody approves what they proposed."))


def _still_proposed(placement: PaytablePlacement) -> None:
    lock_name(f"placement:{placement.uuid}")
    state = PlacementEvent.objects.filter(placement=placement).order_by("-sequence").values_list("state", flat=True).first()
    if state != PlacementEvent.State.PROPOSED:
        raise Conflict("not_proposed", gettext("It was %(state)s already.") % {"state": word(state or "")}, state=state)


def _not_backwards(table: Table, from_at: datetime, at: datetime) -> None:
    """Refuse a moment that has passed at `at`; a table that never had a version may have had its first one for a while."""
    if from_at < at and TablePaytable.objects.filter(table=table).exists():
        raise InvalidSlip("bad_time", gettext("A version is put in force from now on, not backwards."), where="from_at")


def _no_round_since(table: Table, from_at: datetime) -> None:
    """Refuse where a round was dealt at `table` since `from_at`; wait for whoever records one, and let nobody open the table meanwhile.

    The name comes before the session here: nobody who holds a session waits for the table's opening.
    """
    lock_name(f"open:{table.uuid}")
    for session in selectors.sessions_in(SessionEvent.State.OPEN, TableSession.objects.filter(table=table)):
        lock_session(session.uuid)
    last = Round.objects.filter(session__table=table, occurred_at__gte=from_at).order_by("occurred_at").last()
    if last is not None:
        dealt = last.occurred_at.isoformat(timespec="seconds")
        raise Conflict(
            "rounds_dealt",
            gettext("A round was dealt at %(table)s since: %(dealt)s.") % {"table": table, "dealt": dealt},
            where="from_at",
            dealt=dealt,
        )


def _add_event(placement: PaytablePlacement, state: str, by: User, note: str) -> PlacementEvent:
    sequence = 1 if state == PlacementEvent.State.PROPOSED else 2
    return PlacementEvent.objects.create(placement=placement, sequence=sequence, state=state, by=by, note=note[:300])


def _put(placement: PaytablePlacement, by: User) -> TablePaytable:
    """Write the row; the database looks again at the game and at the two people."""
    what = {"table_id": placement.table_id, "version_id": placement.version_id, "from_at": placement.from_at}
    try:
        with transaction.atomic():
            return TablePaytable.objects.create(**what, by_id=placement.proposed_by_id, approved_by=by, placement=placement)
    except IntegrityError as error:
        name = broken_constraint(error)
        if name == "tables_tablepaytable_once":
            raise Conflict(
                "in_force_already",
                gettext("From this moment on a version is in force at %(table)s already.") % {"table": placement.table},
                where="from_at",
            ) from error
        raise BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name) from error
