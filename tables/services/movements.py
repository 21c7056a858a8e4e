"""A movement at a table as a row and an entry, together or not at all: what buy-ins, markers, fills and chip credits have in common."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from casino.errors import Conflict, InvalidSlip
from casino.models import User
from casino.money import CEILING, Minor
from ledger.drafts import EntryDraft, TransferDraft
from ledger.services import lock_shift, post_entry
from tables import selectors
from tables.house_settings import settings_on
from tables.models import ChipMovement, Property, SessionEvent, TableSession

MOST_PATRON = 40


def check_amount(amount: int, where: str = "amount") -> None:
    """Raise InvalidSlip (`bad_amount`) unless `amount` is a whole number of minor units above 0 and below 10^15."""
    if isinstance(amount, bool) or not isinstance(amount, int) or not 0 < amount < CEILING:
        raise InvalidSlip("bad_amount", gettext("An amount is a whole number of minor units, more than 0 and below 10^15."), where=where)


def check_patron(house: Property, day: date, amount: int, patron: str, declined: bool) -> None:
    """Raise InvalidSlip where on gaming day `day` the patron is to be asked for and nobody did (`patron_asked`), or is named and declined
    (`bad_type`).
    """
    if len(patron) > MOST_PATRON or not patron.isprintable():
        raise InvalidSlip("bad_type", gettext("A patron's number is text of at most %(most)s characters.") % {"most": MOST_PATRON}, where="patron")
    if patron and declined:
        raise InvalidSlip("bad_type", gettext("A patron who is named did not decline."), where="declined")
    if not patron and not declined and amount >= settings_on(house, day).ask_patron_from:
        raise InvalidSlip("patron_asked", gettext("From this amount on, ask who the patron is; say so where they decline."), where="patron")


def hold_open(session: TableSession) -> None:
    """Share the session's shift, then refuse with Conflict (`session_closed`) where it is not open."""
    lock_shift(session.shift.uuid)
    if selectors.session_state(session) != SessionEvent.State.OPEN:
        raise Conflict("session_closed", gettext("%(table)s is not open.") % {"table": session.table}, where="table")


def move(
    session: TableSession,
    kind: str,
    amount: Minor,
    transfers: Sequence[TransferDraft],
    *,
    at: datetime,
    by: User,
    uuid: UUID,
    witness: User | None = None,
    **columns: Any,
) -> ChipMovement:
    """Return the movement, kept with `columns` and posted. A slip's reference is its number, others' their uuid."""
    house, shift = session.table.property, session.shift
    columns = {"requested_by": by, **columns}
    movement = ChipMovement.objects.create(
        uuid=uuid, property=house, session=session, kind=kind, amount=amount, gaming_day=shift.gaming_day, occurred_at=at, **columns
    )
    number = columns.get("number")
    draft = EntryDraft(
        kind=kind,
        reference=f"{kind}:{house.code}:{number}" if number is not None else f"{kind}:{uuid}",
        property=house.uuid,
        currency=house.currency,
        gaming_day=shift.gaming_day,
        occurred_at=at,
        transfers=transfers,
        shift=shift.uuid,
        session=session.uuid,
        witness=witness.pk if witness else None,
    )
    post_entry(draft, by=by)
    return movement


def the_same(kept: ChipMovement, **said: Any) -> ChipMovement:
    """Return `kept`, which was handed in under the same uuid. Raises Conflict (`reference_reused`) where it says something else."""
    if any(getattr(kept, name) != value for name, value in said.items()):
        raise Conflict("reference_reused", gettext("Something else was handed in under this uuid."), where="uuid")
    return kept
