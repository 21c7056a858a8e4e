"""A finding's life: assigned, answered, reviewed by a second auditor, closed; evidence added. The database guards the order and the people.

Source: spec/night.md, "Payout audit" and "Who may do what".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from audit.causes import CAUSES
from audit.models import Evidence, Finding, FindingEvent
from casino import roles
from casino.errors import BrokenBooks, CasinoError, Conflict, InvalidSlip, Refused, Stale
from casino.models import User
from casino.money import CEILING
from casino.transactions import broken_constraint, in_transaction, wait_turn
from casino.words import word

State = FindingEvent.State
LONGEST_NOTE, LONGEST_EVIDENCE = 1000, 2000


@dataclass(frozen=True)
class Outcome:
    """What came of a finding: where it came from (a code of CAUSES, "" unsaid), what was saved and what stays lost, minor units or None."""

    cause: str = ""
    saved: int | None = None
    lost: int | None = None


@dataclass(frozen=True)
class EvidenceSlip:
    """A note, or where something can be seen. Video: camera and from when; a slip or document: its reference; a note or statement: its text."""

    kind: str
    text: str = ""
    reference: str = ""
    camera: str = ""
    from_at: datetime | None = None
    until_at: datetime | None = None


@in_transaction
def assign(finding: Finding, owner: User, *, by: User, note: str = "", seen: int | None = None) -> FindingEvent:
    """Return the event that makes `owner` answer for the finding; of an answer that does not do, the note says why.

    `seen`: the sequence of the last event that `by` was shown. Raises Refused (`not_allowed`, `own_finding`), InvalidSlip (`not_an_owner`,
    `missing_field`), Conflict (`wrong_state`), Stale (`stale`).
    """
    roles.require(by, "assign_findings")
    last = _last(finding, seen, State.OPEN, State.ASSIGNED, State.ANSWERED)
    if owner == by:
        raise Refused("own_finding", gettext("Nobody assigns a finding to themselves."), where="owner")
    if not may_own(finding, owner):
        raise InvalidSlip("not_an_owner", gettext("%(owner)s does not answer findings of this pit.") % {"owner": owner}, where="owner")
    if last.state == State.ANSWERED and not note.strip():
        raise InvalidSlip("missing_field", gettext("Say what the answer leaves open."), where="note")
    return _add(finding, last, State.ASSIGNED, by, note, owner=owner)


def may_own(finding: Finding, person: User) -> bool:
    """Return whether `person` works here and may answer findings where this one is."""
    pit = finding.session.table.pit.code if finding.session else None
    return person.is_active and roles.may(person.roles, "answer_findings", pit)


@in_transaction
def answer(finding: Finding, text: str, outcome: Outcome, *, by: User, seen: int | None = None) -> FindingEvent:
    """Return the owner's answer: what happened, and from what it came.

    Raises Refused (`not_allowed`, `not_your_pit`, `not_yours`), InvalidSlip (`missing_field`, `unknown_cause`, `bad_amount`), Conflict, Stale.
    """
    roles.require(by, "answer_findings", finding.session.table.pit.code if finding.session else None)
    last = _last(finding, seen, State.ASSIGNED)
    owner = owner_of(finding)
    if owner != by:
        raise Refused("not_yours", gettext("%(owner)s answers for this finding.") % {"owner": owner}, owner=str(owner))
    _said(text, "text")
    _fits(text, "text")
    _check(outcome, wants_cause=True)
    return _add(finding, last, State.ANSWERED, by, text, **vars(outcome))


def owner_of(finding: Finding) -> User | None:
    """Return who was last made to answer for the finding. One query."""
    given = FindingEvent.objects.filter(finding=finding, owner__isnull=False).select_related("owner").order_by("-sequence").first()
    return given.owner if given else None


@in_transaction
def review(finding: Finding, *, by: User, note: str = "", seen: int | None = None) -> FindingEvent:
    """Return the review of the answer, by an auditor who neither assigned nor answered it. Raises Refused (`own_finding`), Conflict, Stale."""
    roles.require(by, "review_findings")
    return _add(finding, _last(finding, seen, State.ANSWERED), State.REVIEWED, by, note)


@in_transaction
def close(finding: Finding, outcome: Outcome, *, by: User, note: str = "", seen: int | None = None) -> FindingEvent:
    """Return the event that closes the finding, by another auditor than the reviewer; what `outcome` leaves unsaid stays as answered.

    Raises Refused (`own_finding`), InvalidSlip (`unknown_cause`, `bad_amount`), Conflict, Stale.
    """
    roles.require(by, "close_findings")
    last = _last(finding, seen, State.REVIEWED)
    _check(outcome, wants_cause=False)
    return _add(finding, last, State.CLOSED, by, note, **vars(outcome))


@in_transaction
def add_evidence(finding: Finding, slip: EvidenceSlip, *, by: User) -> Evidence:
    """Return the evidence, kept for ever. Raises Refused, InvalidSlip (`missing_field`, `bad_type`, `bad_time`), Conflict (`wrong_state`)."""
    roles.require(by, "add_evidence")
    if slip.kind not in Evidence.Kind.values:
        raise InvalidSlip("bad_type", gettext("Evidence is one of %(values)s.") % {"values": ", ".join(Evidence.Kind.values)}, where="kind")
    wanted = {"video": "camera", "slip": "reference", "document": "reference"}.get(slip.kind, "text")
    _said(getattr(slip, wanted), wanted)
    for where, most in (("text", LONGEST_EVIDENCE), ("reference", 120), ("camera", 40)):
        if len(getattr(slip, where)) > most:
            raise InvalidSlip("bad_type", gettext("That is longer than %(most)s characters.") % {"most": most}, where=where)
    if slip.kind == Evidence.Kind.VIDEO and slip.from_at is None:
        raise InvalidSlip("missing_field", gettext("Say from when the recording is to be looked at."), where="from_at")
    if slip.until_at is not None and (slip.from_at is None or slip.until_at < slip.from_at):
        raise InvalidSlip("bad_time", gettext("It ends before it begins."), where="until_at")
    _last(finding, None, *(state for state in State if state != State.CLOSED))
    return Evidence.objects.create(finding=finding, by=by, **vars(slip))


def _last(finding: Finding, seen: int | None, *states: str) -> FindingEvent:
    """Return the finding's last event, its turn waited for. Raises Stale where it is not the one that was seen, Conflict in another state."""
    wait_turn(f"finding:{finding.pk}")
    last = FindingEvent.objects.filter(finding=finding).select_related("by", "owner").order_by("-sequence").first()
    if last is None:
        raise BrokenBooks("no_state", "A finding was never opened.", finding=str(finding.uuid))
    if seen is not None and seen != last.sequence:
        raise Stale(
            "stale",
            gettext("It was %(state)s by %(by)s meanwhile.") % {"state": word(last.state), "by": last.by},
            by=str(last.by),
            state=last.state,
            sequence=last.sequence,
        )
    if last.state not in states:
        raise Conflict("wrong_state", gettext("The finding is %(state)s.") % {"state": word(last.state)}, state=last.state)
    return last


def _add(finding: Finding, last: FindingEvent, state: str, by: User, note: str, **said: Any) -> FindingEvent:
    _fits(note, "note")
    try:
        with transaction.atomic():
            return FindingEvent.objects.create(finding=finding, sequence=last.sequence + 1, state=state, by=by, note=note.strip(), **said)
    except IntegrityError as error:
        raise _meaning(error) from error


def _meaning(error: IntegrityError) -> CasinoError:
    name = broken_constraint(error)
    if name == "audit_findingevent_people":
        return Refused("own_finding", f"{str(error).partition(chr(10))[0].capitalize()}.")
    if name in ("audit_findingevent_order", "audit_findingevent_in_order"):
        return Conflict("wrong_state", gettext("The finding is further on already."))
    return BrokenBooks("refused_by_database", gettext("The database refuses the step: %(name)s") % {"name": name}, constraint=name)


def _fits(text: str, where: str) -> None:
    if len(text) > LONGEST_NOTE:
        raise InvalidSlip("bad_type", gettext("That is longer than %(most)s characters.") % {"most": LONGEST_NOTE}, where=where)


def _said(text: str, where: str) -> None:
    if not text.strip():
        raise InvalidSlip("missing_field", gettext("This is to be said."), where=where)


def _check(outcome: Outcome, *, wants_cause: bool) -> None:
    if outcome.cause not in CAUSES and (wants_cause or outcome.cause):
        code = "unknown_cause" if outcome.cause else "missing_field"
        raise InvalidSlip(code, gettext("Say from what it came: one of the causes."), where="cause")
    for where in ("saved", "lost"):
        amount = getattr(outcome, where)
        if amount is not None and not (isinstance(amount, int) and not isinstance(amount, bool) and 0 <= amount < CEILING):
            raise InvalidSlip("bad_amount", gettext("An amount is a whole number of minor units from 0 to below 10^15."), where=where)
