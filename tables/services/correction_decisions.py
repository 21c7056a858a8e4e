"""A proposal is approved by another person, and done in the same transaction; or rejected; or taken back.

Append-only rows are never row-locked: the round's advisory lock is held, after those of its shift and session.
"""

from __future__ import annotations

import json
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext, gettext_noop, override

from casino import jobs, roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, Refused, Stale
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from casino.words import word
from ledger.archived import refuse_archived
from ledger.drafts import LateIn
from ledger.selectors import round_entry
from ledger.services import lock_shift, reverse_entry
from tables import selectors
from tables.corrections import APPROVES, PROPOSES, Phase
from tables.models import Round, RoundChange, RoundProposal, RoundProposalEvent, Shift, ShiftEvent
from tables.posting import instead_of_counted
from tables.services.corrections import net_of, rule_for, still_stands, wait_for
from tables.services.rounds import keep_round, post_round
from tables.slips import read_round_slip

State = RoundProposalEvent.State


@in_transaction
def approve_proposal(proposal: RoundProposal, *, by: User, at: datetime, note: str = "") -> RoundChange:
    """Return what was done: the round reversed to the unit, and the one in its place kept and posted, or nothing of it.

    In a sealed shift it is late: posted in the property's open shift over the variance accounts, out of tonight's tray, box and win. Who approved
    it is the witness of its entries; approving again is the same answer. Raises Refused (`not_allowed`, `not_your_pit`, `own_approval`),
    Conflict (`already_decided` naming by whom, `closed_since`, `archived`, `not_standing`, `no_open_shift`, `number_taken`), Stale
    (`effect_changed`).
    """
    phase = wait_for(proposal.session, proposal.round)
    if (done := RoundChange.objects.filter(proposal=proposal, by=by).first()) is not None:
        return done
    _may_decide(proposal, by, phase)
    _proposer_still_may(proposal, phase)
    _not_ones_own(proposal, by)
    refuse_archived(proposal.session.shift.gaming_day)
    if proposal.round is not None:
        still_stands(proposal.round)

    try:
        with transaction.atomic():
            _add_event(proposal, State.APPROVED, by, note, at)
            change = _do(proposal, by, at, phase)
    except IntegrityError as error:
        raise _translated(error) from error
    _announce(change, by)
    return change


@in_transaction
def reject_proposal(proposal: RoundProposal, *, by: User, at: datetime, note: str) -> RoundProposalEvent:
    """Return the event that rejects it, with the reason; nothing changes. Raises as `approve_proposal`, InvalidSlip (`missing_field`)."""
    phase = wait_for(proposal.session, proposal.round)
    _may_decide(proposal, by, phase)
    if by.pk == proposal.proposed_by_id:
        raise Refused("own_approval", gettext("Nobody decides what they proposed: take it back instead."))
    if not note.strip():
        raise InvalidSlip("missing_field", gettext("A rejection says why."), where="note")
    return _add_event(proposal, State.REJECTED, by, note, at)


@in_transaction
def withdraw_proposal(proposal: RoundProposal, *, by: User, at: datetime, note: str = "") -> RoundProposalEvent:
    """Return the event by which who proposed it takes it back. Raises Refused (`not_yours`), Conflict (`already_decided`)."""
    wait_for(proposal.session, proposal.round)
    if by.pk != proposal.proposed_by_id or not by.is_active:
        raise Refused("not_yours", gettext("%(proposed_by)s proposed it, and takes it back.") % {"proposed_by": proposal.proposed_by})
    _still_proposed(proposal)
    return _add_event(proposal, State.WITHDRAWN, by, note, at)


# ---- may they ----


def _may_decide(proposal: RoundProposal, by: User, phase: Phase) -> None:
    roles.require(by, APPROVES[phase], proposal.session.table.pit.code)
    _still_proposed(proposal)


def _still_proposed(proposal: RoundProposal) -> None:
    last = RoundProposalEvent.objects.filter(proposal=proposal).select_related("by").order_by("-sequence").first()
    if last is not None and last.state != State.PROPOSED:
        raise Conflict(
            "already_decided",
            gettext("%(by)s %(state)s it already.") % {"by": last.by, "state": word(last.state)},
            proposal=str(proposal.uuid),
            state=last.state,
            by=last.by.username,
        )


def _proposer_still_may(proposal: RoundProposal, phase: Phase) -> None:
    """Refuse what was proposed while the table was open by somebody who may not propose it now: after the close other people do both."""
    by, pit = proposal.proposed_by, proposal.session.table.pit.code
    if not (by.is_active and roles.may(by.roles, PROPOSES[phase], pit)):
        words = {"closed": gettext("The table has closed since"), "sealed": gettext("The shift was sealed since")}.get(
            phase, gettext("It may not be proposed")
        )
        raise Conflict(
            "closed_since",
            gettext("%(words)s: %(by)s may not propose this any more. Reject it, and propose it anew.") % {"words": words, "by": by},
            phase=phase,
        )


def _not_ones_own(proposal: RoundProposal, by: User) -> None:
    """Refuse who proposed it, entered the round or an earlier one of its story, or approved what made it."""
    if by.pk == proposal.proposed_by_id:
        raise Refused("own_approval", gettext("Nobody approves what they proposed."))
    played: Round | None = proposal.round
    if played is not None and RoundChange.objects.filter(made=played, by=by).exists():
        raise Refused("own_approval", gettext("%(by)s approved this round: another person looks at it now.") % {"by": by})
    while played is not None:
        if played.recorded_by_id == by.pk:
            raise Refused(
                "own_approval",
                gettext("%(by)s entered round %(number)s: another person approves what becomes of it.") % {"by": by, "number": played.number},
            )
        played = played.replaces


# ---- doing it ----


def _do(proposal: RoundProposal, by: User, at: datetime, phase: Phase) -> RoundChange:
    open_shift = _open_shift(proposal) if phase == "sealed" else None
    late = LateIn(open_shift.uuid, open_shift.gaming_day, instead_of_counted(proposal.session.table.code)) if open_shift else None
    if proposal.round is not None:
        _reverse(proposal, proposal.round, by, at, late)
    made = _make(proposal, by, at, late) if proposal.slip else None
    return RoundChange.objects.create(
        proposal=proposal,
        kind=proposal.kind,
        round=proposal.round,
        made=made,
        late=late is not None,
        posted_in=open_shift or proposal.session.shift,
        by=by,
        occurred_at=at,
    )


def _open_shift(proposal: RoundProposal) -> Shift:
    """Return the shift that late facts are posted in, shared from now on: nobody ends it meanwhile."""
    shift = selectors.open_shift_of(proposal.session.table.property)
    lock_shift(shift.uuid)
    if selectors.shift_state(shift) != ShiftEvent.State.OPEN:
        raise Conflict(
            "no_open_shift", gettext("The %(shift)s has just ended: what comes late is posted in an open shift. Open one first.") % {"shift": shift}
        )
    return shift


def _reverse(proposal: RoundProposal, played: Round, by: User, at: datetime, late: LateIn | None) -> None:
    reverse_entry(
        round_entry(played.uuid),
        occurred_at=played.occurred_at if late else at,
        reason=_memo(proposal),
        by=proposal.proposed_by,
        witness=by,
        reference=f"void:{played.uuid}" if proposal.kind == RoundProposal.Kind.VOID else "",
        late=late,
    )


def _make(proposal: RoundProposal, by: User, at: datetime, late: LateIn | None) -> Round:
    """Return the round of the proposal, kept and posted; it is the proposer's, and its number the next of its session."""
    session, slip = proposal.session, read_round_slip(json.loads(proposal.slip))
    ruled = rule_for(session, slip, at)
    if net_of(ruled) - (proposal.round.house_net if proposal.round else 0) != proposal.effect:
        raise Stale("effect_changed", gettext("It would change another amount than was proposed. Reject it, and propose it anew."))
    now = selectors.session_now(session, slip.dealer)
    number = slip.number or now.next_number
    played = keep_round(slip, session, now.dealer, number, ruled, proposal.proposed_by, replaces=proposal.round, late=late is not None)
    post_round(played, session, session.table, ruled, proposal.proposed_by, witness=by, memo=_memo(proposal), late=late)
    return played


@override("en")
def _memo(proposal: RoundProposal) -> str:
    """Return what the books keep of why: in one language, whoever decides."""
    return f"{proposal.get_kind_display()}: {proposal.get_reason_display()}" + (f". {proposal.note}" if proposal.note else "")[: 300 - 60]


def _add_event(proposal: RoundProposal, state: str, by: User, note: str, at: datetime) -> RoundProposalEvent:
    return RoundProposalEvent.objects.create(proposal=proposal, sequence=2, state=state, by=by, note=note.strip()[:300], occurred_at=at)


_MEANS = {
    "tables_roundproposalevent_in_order": ("already_decided", gettext_noop("Somebody decided it already.")),
    "tables_roundproposal_still_stands": ("not_standing", gettext_noop("This round was voided or replaced already.")),
    "tables_roundchange_round_id_key": ("not_standing", gettext_noop("This round was voided or replaced already.")),
    "tables_round_number_once": ("number_taken", gettext_noop("This number of the session is recorded already.")),
    "tables_round_uuid_key": ("reference_reused", gettext_noop("Another round was handed in under this uuid.")),
}


def _translated(error: IntegrityError) -> Exception:
    """Return what an IntegrityError means, by constraint name."""
    name = broken_constraint(error)
    if name == "tables_roundproposalevent_not_ones_own":
        return Refused("own_approval", gettext("Nobody approves what they proposed, entered or are named on."))
    if name in _MEANS:
        code, said = _MEANS[name]
        return Conflict(code, gettext(said))
    return BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name)


def _announce(change: RoundChange, by: User) -> None:
    """Have the audit look at what changed, and put an ended shift together anew; a sealed one stays as it is."""
    shift = change.proposal.session.shift
    jobs.announce("look_at_change", f"look_at_change:{change.proposal.uuid}", {"proposal": str(change.proposal.uuid)}, by=by)
    if not change.late and selectors.shift_state(shift) == ShiftEvent.State.ENDED:
        jobs.announce("close_shift", f"close_shift:{shift.uuid}:{change.proposal.uuid}", {"shift": str(shift.uuid)}, by=by)
