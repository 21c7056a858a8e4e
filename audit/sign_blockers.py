"""What blocks a shift's signature: asked at any time, it answers what signing would. Each check is one function; a new one is added to CHECKS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from audit.models import Finding, FindingEvent, SessionReconciliation, ShiftReconciliation, Signature
from audit.selectors import findings_with_state, latest_reconciliation
from audit.signing_selectors import Explained, lines_of, signatures_of, variances_of
from casino import roles
from casino.jobs import OPEN
from casino.models import Job, User
from casino.words import word
from tables.house_settings import HouseSettings, settings_of
from tables.models import BoxPull, ChipSlip, DropCount, SessionEvent, Shift, ShiftEvent, TrayCount
from tables.selectors import OPEN_SLIPS, open_proposals, pending_recounts, sessions_with_state, shift_state, slips_in

JOBS = ("close_shift", "reconcile_shift")
ANSWERED = (FindingEvent.State.ANSWERED, FindingEvent.State.REVIEWED, FindingEvent.State.CLOSED)


@dataclass(frozen=True)
class Blocker:
    """One thing that must be done before the shift is signed: `code` for machines, `message` for people, `facts` of what it is about."""

    code: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it as a door answers."""
        return {"code": self.code, "message": self.message, **({"facts": self.facts} if self.facts else {})}


class ToSign:
    """What is to be signed, each part of it read once, when a check or a page asks for it: the figures, their lines, variances and signatures."""

    def __init__(self, shift: Shift) -> None:
        self.shift = shift

    @cached_property
    def kept(self) -> ShiftReconciliation | None:
        """Return the shift's newest figures. One query."""
        return latest_reconciliation(self.shift)

    @cached_property
    def lines(self) -> list[SessionReconciliation]:
        """Return the lines of the figures, by table and session. One query."""
        return lines_of(self.kept) if self.kept else []

    @cached_property
    def signatures(self) -> list[Signature]:
        """Return the signatures under the figures, in their order. One query."""
        return signatures_of(self.kept) if self.kept else []

    @cached_property
    def settings(self) -> HouseSettings:
        """Return the settings by which the shift is signed. One query."""
        return settings_of(self.shift)

    @cached_property
    def variances(self) -> list[Explained]:
        """Return every variance that wants an explanation, with those that it has. Two queries."""
        return variances_of(self.kept, self.lines, self.settings) if self.kept else []


def sign_blockers(shift: Shift, known: ToSign | None = None) -> list[Blocker]:
    """Return everything that blocks the signature of `shift`, in the order in which it is done; none where it can be signed.

    `known`: what was read of it already. In a known number of queries, however many tables and slips there are.
    """
    found = known or ToSign(shift)
    return [blocker for check in CHECKS for blocker in check(found)]


def blockers_for(shift: Shift, user: User, known: ToSign | None = None) -> list[Blocker]:
    """Return what blocks, as `user` may see it: what is in pits that are not theirs is one line that names nothing. One query more."""
    found, pits = sign_blockers(shift, known), roles.pits_for(user, "read_reports")
    if pits is None:
        return found
    tables = set(shift.sessions.filter(table__pit__code__in=pits).values_list("table__code", flat=True))
    own = [blocker for blocker in found if blocker.facts.get("table", None) in {None, *tables}]
    return own if len(own) == len(found) else [*own, Blocker("other_pits", gettext("Something is left to do in other pits."))]


def _not_ended(known: ToSign) -> Iterable[Blocker]:
    if shift_state(known.shift) != ShiftEvent.State.ENDED:
        yield Blocker("shift_open", gettext("The shift has not ended."))


def _sessions(known: ToSign) -> Iterable[Blocker]:
    """Yield the sessions that are open or not counted: tray, and box, where boxes are pulled for each session or this one's was for the day."""
    per_session = known.settings.own_drop
    trays = set(TrayCount.objects.filter(session__shift=known.shift).values_list("session", "kind"))
    boxes = set(DropCount.objects.filter(session__shift=known.shift).values_list("session", flat=True))
    pulled = set(BoxPull.objects.filter(session__shift=known.shift).values_list("session", flat=True))
    for session in sessions_with_state(known.shift.sessions.select_related("table")).order_by("table__code", "sequence"):
        facts = {"table": session.table.code, "session": str(session.uuid)}
        if getattr(session, "state", "") != SessionEvent.State.CLOSED:
            yield Blocker("session_open", gettext("%(table)s is not closed.") % {"table": session.table}, facts)
            continue
        for kind in (TrayCount.Kind.OPENER, TrayCount.Kind.CLOSER):
            if (session.pk, kind) not in trays:
                yield Blocker(
                    f"no_{kind}", gettext("The %(kind)s of %(table)s is not counted.") % {"kind": word(kind), "table": session.table}, facts
                )
        if session.pk not in boxes and (per_session or session.pk in pulled):
            yield Blocker("no_drop", gettext("The box of %(table)s is not counted.") % {"table": session.table}, facts)


def _slips(known: ToSign) -> Iterable[Blocker]:
    slips = slips_in(OPEN_SLIPS, ChipSlip.objects.filter(session__shift=known.shift)).select_related("session__table")
    for slip in slips.order_by("session__table__code", "session__sequence", "kind", "number"):
        facts = {"table": slip.session.table.code, "kind": slip.kind, "number": slip.number}
        yield Blocker(
            "slip_open",
            gettext("The %(slip)s %(number)s of %(table)s is neither received nor void.")
            % {"slip": slip.get_kind_display(), "number": slip.number, "table": slip.session.table},
            facts,
        )


def _recounts(known: ToSign) -> Iterable[Blocker]:
    for reopening in pending_recounts(session__shift=known.shift).select_related("session__table").order_by("id"):
        facts = {"table": reopening.session.table.code}
        yield Blocker(
            "recount_pending", gettext("A count of %(table)s was reopened, and is not counted again yet.") % {"table": reopening.session.table}, facts
        )


def _proposals(known: ToSign) -> Iterable[Blocker]:
    for proposal in open_proposals(session__shift=known.shift).select_related("session__table").order_by("id"):
        facts = {"table": proposal.session.table.code, "proposal": str(proposal.uuid)}
        yield Blocker(
            "proposal_open",
            gettext("A %(proposal)s at %(table)s waits for somebody to decide.")
            % {"proposal": proposal.get_kind_display(), "table": proposal.session.table},
            facts,
        )


def _jobs(known: ToSign) -> Iterable[Blocker]:
    for kind in Job.objects.filter(kind__in=JOBS, args__shift=str(known.shift.uuid), state__in=OPEN).order_by("id").values_list("kind", flat=True):
        yield Blocker("job_running", gettext("A job is on its way: %(kind)s.") % {"kind": word(kind)}, {"kind": kind})


def _figures(known: ToSign) -> Iterable[Blocker]:
    if known.kept is None:
        yield Blocker("not_reconciled", gettext("The shift is not reconciled yet."))
        return
    if known.kept.grade == ShiftReconciliation.Grade.ESTIMATE:
        yield Blocker("estimate", gettext("The figures are an estimate: counts came later, or are missing. Reconcile again."))
    for explained in known.variances:
        if not explained.is_explained:
            variance, table = explained.variance, explained.line.session.table.code
            facts = {"table": table, "variance": variance.figure, "amount": variance.amount, "level": variance.level}
            words = gettext("The %(figure)s variance of %(table)s is not explained.") % {"figure": word(variance.figure), "table": table}
            yield Blocker("unexplained", words, facts)


def _findings(known: ToSign) -> Iterable[Blocker]:
    """Yield the major findings that nobody answered; a statistical flag is a reason to look, and holds nothing up."""
    major: QuerySet[Any] = findings_with_state(Finding.objects.filter(shift=known.shift, severity=Finding.Severity.MAJOR, flag=False))
    for finding in major.exclude(state__in=ANSWERED).select_related("session__table").order_by("id"):
        where = gettext(" at %(table)s") % {"table": finding.session.table} if finding.session else ""
        facts = {"finding": str(finding.uuid), "kind": finding.kind}
        facts |= {"table": finding.session.table.code} if finding.session else {}
        yield Blocker(
            "finding_open",
            gettext("A major finding is not answered: %(kind)s%(where)s.") % {"kind": word(finding.kind), "where": where},
            facts,
        )


CHECKS: list[Callable[[ToSign], Iterable[Blocker]]] = [_not_ended, _sessions, _slips, _recounts, _proposals, _jobs, _figures, _findings]
