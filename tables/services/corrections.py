"""Proposals to void a round, to correct it, to say that a hand of it was dead, or to add one that was never entered.

A proposal changes nothing: another person approves it (tables/services/correction_decisions.py). Source: spec/night.md, "A round that went
wrong"; spec/books.md, "Signing, late facts".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import BrokenBooks, CasinoError, Conflict, InvalidSlip, NotFound
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from ledger.archived import refuse_archived
from ledger.services import lock_shift
from tables import selectors
from tables.corrections import PROPOSES, Phase, Sheet, check_chips, check_reason
from tables.engine.game import games
from tables.locks import lock_name, lock_session
from tables.models import Round, RoundChange, RoundProposal, RoundProposalEvent, SessionEvent, TableSession, Wager
from tables.round_again import slip_again, without_hand
from tables.services.rounds import FUTURE, Ruled, check_opened, rule_slip
from tables.slips import RoundSlip, read_round_slip

Kind = RoundProposal.Kind


@dataclass(frozen=True)
class _Asked:
    """What somebody proposes, whole: `slip` and `raw` are None for a void, `round` for a round that was never entered."""

    kind: str
    uuid: UUID
    session: TableSession
    round: Round | None
    reason: str
    note: str
    by: User
    at: datetime
    raw: Mapping[str, Any] | None = None
    slip: RoundSlip | None = None
    seat: int | None = None
    chips_returned: bool | None = None

    @property
    def fingerprint(self) -> bytes:
        """Return the 32 bytes that tell two proposals under one uuid apart."""
        said = [self.kind, str(self.session.uuid), str(self.round.uuid) if self.round else None, self.reason, self.note, self.seat, self.by.pk]
        return hashlib.sha256(json.dumps([*said, self.raw], sort_keys=True, separators=(",", ":")).encode()).digest()


@in_transaction
def propose_void(played: Round, *, uuid: UUID, reason: str, chips_returned: bool | None, by: User, at: datetime, note: str = "") -> RoundProposal:
    """Return the proposal to void `played`: every stake returned, no handle, the record stays. The same proposal again is the same one.

    Raises InvalidSlip (`bad_type`, `missing_field`), Refused (`chips_kept`, `not_allowed`, `not_your_pit`), Conflict (`not_standing`,
    `already_proposed` naming the other, `reference_reused`, `archived`).
    """
    check_chips(chips_returned)
    return _propose(_Asked(Kind.VOID, uuid, played.session, played, reason, note, by, at, chips_returned=chips_returned))


@in_transaction
def propose_correction(played: Round, raw: Mapping[str, Any], *, reason: str, by: User, at: datetime, note: str = "") -> RoundProposal:
    """Return the proposal to put the round of slip `raw` (spec/rounds.md; it `replaces` the other) in the place of `played`.

    The new round keeps table and label and gets a number of its own. Raises as `propose_void`, and as `record_round` for the slip.
    """
    slip = read_round_slip(raw)
    _of_the_same(slip, played)
    return _propose(_Asked(Kind.CORRECT, slip.uuid, played.session, played, reason, note, by, at, raw, slip))


@in_transaction
def propose_dead_hand(played: Round, seat: int, *, uuid: UUID, reason: str, by: User, at: datetime, note: str = "") -> RoundProposal:
    """Return the proposal to take the hand of `seat` for dead; everybody else's stays as it was. Raises as `propose_correction`."""
    refuse_archived(played.gaming_day)
    raw = without_hand(slip_again(played, wagers_of(played), uuid=uuid), seat, games()[played.game])
    return _propose(_Asked(Kind.DEAD_HAND, uuid, played.session, played, reason, note, by, at, raw, read_round_slip(raw), seat))


@in_transaction
def propose_late_round(session: TableSession, raw: Mapping[str, Any], *, reason: str, by: User, at: datetime, note: str = "") -> RoundProposal:
    """Return the proposal to add a round that was never entered to `session`, which is closed. Raises as `propose_correction`,
    Conflict (`session_open`: it is entered as any other)."""
    slip = read_round_slip(raw)
    if slip.replaces is not None:
        raise InvalidSlip("bad_type", gettext("A round that was never entered replaces none."), where="replaces")
    if slip.table != session.table.code:
        raise InvalidSlip("bad_type", gettext("The session is one of %(code)s.") % {"code": session.table.code}, where="table")
    return _propose(_Asked(Kind.LATE, slip.uuid, session, None, reason, note, by, at, raw, slip))


def _of_the_same(slip: RoundSlip, played: Round) -> None:
    """Refuse a slip of another table or under another label, or one that does not say what it replaces."""
    if slip.replaces != played.uuid:
        raise InvalidSlip("bad_type", gettext("A correction of this round says that it replaces %(uuid)s.") % {"uuid": played.uuid}, where="replaces")
    if slip.uuid == played.uuid:
        raise InvalidSlip("bad_type", gettext("The round that replaces another has a uuid of its own."), where="uuid")
    if slip.table != played.session.table.code:
        raise InvalidSlip(
            "bad_type",
            gettext("The round was dealt at %(code)s: void it, and enter it where it was dealt.") % {"code": played.session.table.code},
            where="table",
        )
    if slip.round.get("id") != played.label:
        raise InvalidSlip("bad_type", gettext("A correction keeps the label %(label)s.") % {"label": played.label}, where="round.id")


def _propose(asked: _Asked) -> RoundProposal:
    """Keep it, or return the one that is kept under this uuid."""
    check_reason(asked.kind, asked.reason, asked.note)
    try:
        return _keep(asked)
    except CasinoError:
        if (kept := RoundProposal.objects.filter(uuid=asked.uuid).first()) is not None:
            return _the_same(kept, asked)
        raise


def _the_same(kept: RoundProposal, asked: _Asked) -> RoundProposal:
    if bytes(kept.fingerprint) != asked.fingerprint:
        raise Conflict("reference_reused", gettext("Something else was proposed under this uuid."), where="uuid", proposal=str(kept.uuid))
    kept.known_before = True
    return kept


def _keep(asked: _Asked) -> RoundProposal:
    phase = wait_for(asked.session, asked.round)
    roles.require(asked.by, PROPOSES[phase], asked.session.table.pit.code)
    refuse_archived(asked.session.shift.gaming_day)
    _may_still(asked, phase)
    ruled = rule_for(asked.session, asked.slip, asked.at) if asked.slip else None
    effect = net_of(ruled) - (asked.round.house_net if asked.round else 0)

    try:
        with transaction.atomic():
            return _write(asked, effect)
    except IntegrityError as error:
        return _translate(error, asked)


def wait_for(session: TableSession, played: Round | None) -> Phase:
    """Wait for the turn of the shift (shared), the session and the round, in this order, and return the phase that they are in then."""
    lock_shift(session.shift.uuid)
    lock_session(session.uuid)
    if played is not None:
        lock_name(f"round:{played.uuid}")
    return selectors.phase_now(session)


def still_stands(played: Round) -> None:
    """Raise Conflict (`not_standing`), naming what took its place, where `played` was voided or replaced. One query."""
    change = RoundChange.objects.filter(round=played).select_related("made", "proposal").first()
    if change is None:
        return
    if change.made is None:
        raise Conflict("not_standing", gettext("This round was voided already."), proposal=str(change.proposal.uuid))
    raise Conflict(
        "not_standing",
        gettext("This round was replaced already, by round %(number)s: correct that one.") % {"number": change.made.number},
        proposal=str(change.proposal.uuid),
        round=str(change.made.uuid),
    )


def _may_still(asked: _Asked, phase: Phase) -> None:
    if asked.kind == Kind.LATE and phase == "open":
        raise Conflict("session_open", gettext("%(table)s is open: enter the round as any other.") % {"table": asked.session.table}, where="session")
    if asked.slip is not None and Round.objects.filter(uuid=asked.uuid).exists():
        raise Conflict("reference_reused", gettext("Another round was handed in under this uuid."), where="uuid", round=str(asked.uuid))
    if asked.round is None:
        return
    still_stands(asked.round)
    other = RoundProposal.objects.filter(round=asked.round).exclude(events__sequence=2).select_related("proposed_by").first()
    if other is not None:
        raise Conflict(
            "already_proposed",
            gettext("%(proposed_by)s proposed a %(other)s of this round already: it is decided first.")
            % {"proposed_by": other.proposed_by, "other": other.get_kind_display()},
            proposal=str(other.uuid),
            kind=other.kind,
        )


def rule_for(session: TableSession, slip: RoundSlip, at: datetime) -> Ruled:
    """Return what the rules say of a slip for `session`. Raises as `rule_in`, NotFound (`no_dealer`)."""
    ruled = rule_in(session, slip, at)
    if selectors.session_now(session, slip.dealer).dealer is None:
        raise NotFound("no_dealer", gettext("There is no dealer %(dealer)s.") % {"dealer": slip.dealer}, where="dealer")
    return ruled


def rule_in(session: TableSession, slip: RoundSlip, at: datetime) -> Ruled:
    """Return what the rules say of a slip for `session`, whoever dealt. Raises as `record_round`, InvalidSlip (`bad_time`) outside of the session."""
    now = selectors.session_now(session, slip.dealer)
    closed = SessionEvent.objects.filter(session=session, state=SessionEvent.State.CLOSED).values_list("occurred_at", flat=True).first()
    check_opened(slip, session.table, now)
    if slip.occurred_at > (closed or at + FUTURE):
        late = gettext("The round is said to have been dealt after %(table)s was closed.") % {"table": session.table}
        raise InvalidSlip("bad_time", late if closed else gettext("The round is said to have been dealt in the future."), where="occurred_at")
    return rule_slip(slip, session.table)


def net_of(ruled: Ruled | None) -> int:
    """Return what a round that is not recorded yet would bring the house, 0 for none."""
    return sum(wager.collected - wager.paid for wager in ruled.wagers) if ruled else 0


def _write(asked: _Asked, effect: int) -> RoundProposal:
    proposal = RoundProposal.objects.create(
        uuid=asked.uuid,
        kind=asked.kind,
        session=asked.session,
        round=asked.round,
        seat=asked.seat,
        reason=asked.reason,
        note=asked.note.strip(),
        chips_returned=asked.chips_returned,
        slip=json.dumps(asked.raw, ensure_ascii=False, separators=(",", ":")) if asked.raw is not None else "",
        fingerprint=asked.fingerprint,
        effect=effect,
        proposed_by=asked.by,
        occurred_at=asked.at,
    )
    state = RoundProposalEvent.State.PROPOSED
    RoundProposalEvent.objects.create(proposal=proposal, sequence=1, state=state, by=asked.by, occurred_at=asked.at)
    return proposal


def _translate(error: IntegrityError, asked: _Asked) -> RoundProposal:
    """Say what an IntegrityError means, once, by constraint name; the loser of a race for a uuid gets the winner's proposal."""
    name = broken_constraint(error)
    if name.startswith("tables_roundproposal_uuid") and (kept := RoundProposal.objects.filter(uuid=asked.uuid).first()) is not None:
        return _the_same(kept, asked)
    raise BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name) from error


# ---- what is proposed, to be looked at ----


def wagers_of(played: Round) -> list[Wager]:
    """Return the wagers of `played` in their order. One query."""
    return list(Wager.objects.filter(round=played, gaming_day=played.gaming_day).order_by("line"))


def sheet_of(played: Round) -> Sheet:
    """Return a recorded round as it is compared. One query."""
    return Sheet(played.dealer.code, _utc(played.occurred_at), played.irregular, json.loads(bytes(played.deal)), wagers_of(played))


def proposed_sheet(proposal: RoundProposal) -> Sheet | None:
    """Return the round that `proposal` makes, as it is compared; None for a void. Two queries. Raises as `record_round`."""
    if not proposal.slip:
        return None
    slip = read_round_slip(json.loads(proposal.slip))
    return slip_sheet(slip, rule_slip(slip, proposal.session.table))


def slip_sheet(slip: RoundSlip, ruled: Ruled) -> Sheet:
    """Return a slip as it is compared."""
    return Sheet(slip.dealer, _utc(slip.occurred_at), slip.irregular, ruled.deal.facts, ruled.wagers)


def _utc(moment: datetime) -> str:
    """Return the moment in one notation, so that only another moment is another text."""
    return moment.astimezone(UTC).isoformat()
