"""Drop boxes: pulled by two carriers, counted by two of the count team who never saw the pit's figures.

Source: spec/night.md, "Life of a table", 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import User
from casino.money import CEILING, Minor
from casino.transactions import in_transaction
from casino.words import word
from ledger.services import lock_shift
from tables import selectors
from tables.house_settings import settings_of
from tables.locks import lock_name
from tables.models import BoxPull, CountReopening, DropCount, Round, SessionEvent, TableSession
from tables.posting import NOTHING
from tables.services.counts import approved_recount, finish_recount, refuse_signed
from tables.slips import CountSlip

MOST_LABEL = 20


@dataclass(frozen=True)
class DropSlip:
    """What was found in a box: notes by value, and the sums of instruments, tickets and coupons; minor units."""

    currency: CountSlip
    instruments: Minor = NOTHING
    tickets: Minor = NOTHING
    coupons: Minor = NOTHING

    def __post_init__(self) -> None:
        """Raise InvalidSlip (`bad_amount`) unless each sum is a whole number from 0, and all together below 10^15."""
        for name, amount in self.sums.items():
            if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount < CEILING:
                raise InvalidSlip("bad_amount", gettext("An amount is a whole number of minor units, from 0 and below 10^15."), where=name)
        if self.total >= CEILING:
            raise InvalidSlip("bad_amount", gettext("The count is too large."), where="denominations")

    @property
    def sums(self) -> Mapping[str, int]:
        """Return what is not currency, by name."""
        return {"instruments": self.instruments, "tickets": self.tickets, "coupons": self.coupons}

    @property
    def total(self) -> Minor:
        """Return all together: the drop."""
        return Minor(self.currency.total + sum(self.sums.values()))


@in_transaction
def pull_box(session: TableSession, *, box: str, seal: str, at: datetime, by: User, carrier: User) -> BoxPull:
    """Return the box as it was pulled by `by` and `carrier`, after its table closed: once a session, or once a gaming day where the house says so.

    The same again by the same person is the same pull. Raises Refused (`needs_witness`, `not_allowed`, `not_your_pit`), InvalidSlip
    (`missing_field`, `bad_type`), Conflict (`session_open`, `pulled`).
    """
    pit = session.table.pit.code
    for person in (by, carrier):
        roles.require(person, "carry_box", None if "count_team" in person.roles else pit)
    if by.pk == carrier.pk:
        raise Refused("needs_witness", gettext("A box is carried by two people."), where="carrier")
    for name, text in (("box", box), ("seal", seal)):
        _check_label(name, text)
    lock_shift(session.shift.uuid)
    lock_name(f"box:{session.table.uuid}:{session.shift.gaming_day}")
    if (kept := BoxPull.objects.filter(session=session).first()) is not None:
        if (kept.box, kept.seal, kept.carried_by_id) == (box, seal, by.pk):
            return kept
        raise Conflict("pulled", gettext("Box %(box)s of this session was pulled already.") % {"box": kept.box}, where="box", box=kept.box)
    if selectors.session_state(session) != SessionEvent.State.CLOSED:
        raise Conflict("session_open", gettext("%(table)s is still open.") % {"table": session.table}, where="table")
    per_day = not settings_of(session.shift).own_drop
    others = BoxPull.objects.filter(table=session.table, gaming_day=session.shift.gaming_day, per_day=True)
    if per_day and (other := others.first()) is not None:
        raise Conflict("pulled", gettext("Box %(box)s of this gaming day was pulled already.") % {"box": other.box}, where="box", box=other.box)
    return BoxPull.objects.create(
        session=session,
        table=session.table,
        gaming_day=session.shift.gaming_day,
        per_day=per_day,
        box=box,
        seal=seal,
        occurred_at=at,
        carried_by=by,
        carried_with=carrier,
    )


def _check_label(name: str, text: str) -> None:
    if not text.strip():
        raise InvalidSlip("missing_field", gettext("Say which %(name)s it is.") % {"name": word(name)}, where=name)
    if len(text) > MOST_LABEL or not text.isprintable():
        raise InvalidSlip(
            "bad_type",
            gettext("A %(name)s's number is text of at most %(most)s characters.") % {"name": word(name), "most": MOST_LABEL},
            where=name,
        )


@in_transaction
def count_drop(session: TableSession, found: DropSlip | CountSlip, *, box: str, seal: str, at: datetime, by: User, witness: User) -> DropCount:
    """Return what two of the count team found in the session's box, under the number and seal that they found on it.

    A box or seal that is not the one pulled is refused without a note, and with one it is recorded, and found by the audit. A count that an
    auditor reopened is the next one; the old one stays. Raises Refused (`needs_witness`, `not_allowed`, `entered_rounds`), InvalidSlip
    (`seal_differs`, `box_differs`, `missing_field`), Conflict (`session_open`, `not_pulled`, `counted`, `period_closed`).
    """
    slip = found if isinstance(found, DropSlip) else DropSlip(found)
    roles.require(by, "count_drop")
    roles.require(witness, "count_drop")
    if by.pk == witness.pk:
        raise Refused("needs_witness", gettext("A box is counted by two people."), where="witness")
    for name, text in (("box", box), ("seal", seal)):
        _check_label(name, text)
    lock_shift(session.shift.uuid, exclusive=True)
    pull = _pulled(session)
    _never_entered(session, by, witness)
    reopening = _may_count(session, pull)
    _same_seal(pull, box, seal, slip.currency.note)
    kept = DropCount.objects.create(
        session=session,
        pull=pull,
        sequence=session.drop_counts.count() + 1,
        box=box,
        seal=seal,
        total=slip.total,
        denominations=slip.currency.as_json,
        **slip.sums,
        occurred_at=at,
        counted_by=by,
        witness=witness,
        reopening=reopening,
        note=slip.currency.note[:300],
    )
    if reopening is not None:
        finish_recount(reopening, at=at, by=by)
    return kept


def _pulled(session: TableSession) -> BoxPull:
    if selectors.session_state(session) != SessionEvent.State.CLOSED:
        raise Conflict("session_open", gettext("%(table)s is still open.") % {"table": session.table}, where="table")
    pull = BoxPull.objects.filter(session=session).first()
    if pull is None:
        raise Conflict(
            "not_pulled", gettext("No box of %(session)s was pulled: two carriers say which, and its seal.") % {"session": session}, where="box"
        )
    return pull


def _never_entered(session: TableSession, *people: User) -> None:
    """Refuse who entered rounds in the shift: nobody both enters and counts. The database looks again."""
    entered = Round.objects.filter(session__shift=session.shift_id, recorded_by__in=people).select_related("recorded_by").first()
    if entered is not None:
        raise Refused(
            "entered_rounds",
            gettext("%(recorded_by)s entered rounds in this shift, and counts none of its boxes.") % {"recorded_by": entered.recorded_by},
        )


def _may_count(session: TableSession, pull: BoxPull) -> CountReopening | None:
    """Return the reopening that this count is taken for, None for the first count."""
    refuse_signed(session)
    if not session.drop_counts.exists():
        return None
    reopening = approved_recount(session, CountReopening.Count.DROP)
    if reopening is None:
        raise Conflict("counted", gettext("Box %(box)s was counted already.") % {"box": pull.box}, where="box")
    return reopening


def _same_seal(pull: BoxPull, box: str, seal: str, note: str) -> None:
    if note.strip():
        return
    for name, said, found in (("box", pull.box, box), ("seal", pull.seal, seal)):
        if said != found:
            raise InvalidSlip(
                f"{name}_differs",
                gettext("This %(name)s is not the one that was pulled. Look again; where it is so, say what was found in a note.")
                % {"name": word(name)},
                where=name,
            )
