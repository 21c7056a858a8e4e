"""What blocks a shift's signature: asked at any time, it answers what signing would. Each check is one function; a new one is added to CHECKS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from audit.models import Finding, FindingEvent, ShiftReconciliation
from audit.selectors import findings_with_state, latest_reconciliation
from audit.signing_selectors import variances_of
from casino import roles
from casino.jobs import OPEN
from casino.models import Job, User
from casino.words import word
from tables.house_settings import settings_of
from tables.models import BoxPull, SessionEvent, Shift, ShiftEvent, TrayCount
from tables.selectors import open_proposals, open_slips, pending_recounts, sessions_with_state, shift_state

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


def sign_blockers(shift: Shift) -> list[Blocker]:
    """Return everything that blocks the signature of `shift`, in the order in which it is done; none where it can be signed."""
    return [blocker for check in CHECKS for blocker in check(shift)]


def blockers_for(shift: Shift, user: User) -> list[Blocker]:
    """Return what blocks, as `user` may see it: what is in pits that are not theirs is one line that names nothing. One query more."""
    found, pits = sign_blockers(shift), roles.pits_for(user, "read_reports")
    if pits is None:
        return found
    tables = set(shift.sessions.filter(table__pit__code__in=pits).values_list("table__code", flat=True))
    own = [blocker for blocker in found if blocker.facts.get("table", None) in {None, *tables}]
    return own if len(own) == len(found) else [*own, Blocker("other_pits", gettext("Something is left to do in other pits."))]


def _not_ended(shift: Shift) -> Iterable[Blocker]:
    if shift_state(shift) != ShiftEvent.State.ENDED:
        yield Blocker("shift_open", gettext("The shift has not ended."))


def _sessions(shift: Shift) -> Iterable[Blocker]:
    """Yield the sessions that are open or not counted: tray, and box, where boxes are pulled for each session or this one's was for the day."""
    per_session = settings_of(shift).own_drop
    for session in sessions_with_state(shift.sessions.select_related("table")).order_by("table__code", "sequence"):
        facts = {"table": session.table.code, "session": str(session.uuid)}
        if getattr(session, "state", "") != SessionEvent.State.CLOSED:
            yield Blocker("session_open", gettext("%(table)s is not closed.") % {"table": session.table}, facts)
            continue
        kinds = set(session.tray_counts.values_list("kind", flat=True))
        for kind in (TrayCount.Kind.OPENER, TrayCount.Kind.CLOSER):
            if kind not in kinds:
                yield Blocker(
                    f"no_{kind}", gettext("The %(kind)s of %(table)s is not counted.") % {"kind": word(kind), "table": session.table}, facts
                )
        if not session.drop_counts.exists() and (per_session or BoxPull.objects.filter(session=session).exists()):
            yield Blocker("no_drop", gettext("The box of %(table)s is not counted.") % {"table": session.table}, facts)


def _slips(shift: Shift) -> Iterable[Blocker]:
    for session in shift.sessions.select_related("table").order_by("table__code", "sequence"):
        for slip in open_slips(session):
            facts = {"table": session.table.code, "kind": slip.kind, "number": slip.number}
            yield Blocker(
                "slip_open",
                gettext("The %(slip)s %(number)s of %(table)s is neither received nor void.")
                % {"slip": slip.get_kind_display(), "number": slip.number, "table": session.table},
                facts,
            )


def _recounts(shift: Shift) -> Iterable[Blocker]:
    for reopening in pending_recounts(session__shift=shift).select_related("session__table").order_by("id"):
        facts = {"table": reopening.session.table.code}
        yield Blocker(
            "recount_pending", gettext("A count of %(table)s was reopened, and is not counted again yet.") % {"table": reopening.session.table}, facts
        )


def _proposals(shift: Shift) -> Iterable[Blocker]:
    for proposal in open_proposals(session__shift=shift).select_related("session__table").order_by("id"):
        facts = {"table": proposal.session.table.code, "proposal": str(proposal.uuid)}
        yield Blocker(
            "proposal_open",
            gettext("A %(proposal)s at %(table)s waits for somebody to decide.")
            % {"proposal": proposal.get_kind_display(), "table": proposal.session.table},
            facts,
        )


def _jobs(shift: Shift) -> Iterable[Blocker]:
    for kind in Job.objects.filter(kind__in=JOBS, args__shift=str(shift.uuid), state__in=OPEN).order_by("id").values_list("kind", flat=True):
        yield Blocker("job_running", gettext("A job is on its way: %(kind)s.") % {"kind": word(kind)}, {"kind": kind})


def _figures(shift: Shift) -> Iterable[Blocker]:
    kept = latest_reconciliation(shift)
    if kept is None:
        yield Blocker("not_reconciled", gettext("The shift is not reconciled yet."))
        return
    if kept.grade == ShiftReconciliation.Grade.ESTIMATE:
        yield Blocker("estimate", gettext("The figures are an estimate: counts came later, or are missing. Reconcile again."))
    for explained in variances_of(kept):
        if not explained.is_explained:
            variance, table = explained.variance, explained.line.session.table.code
            facts = {"table": table, "variance": variance.figure, "amount": variance.amount, "level": variance.level}
            words = gettext("The %(figure)s variance of %(table)s is not explained.") % {"figure": word(variance.figure), "table": table}
            yield Blocker("unexplained", words, facts)


def _findings(shift: Shift) -> Iterable[Blocker]:
    """Yield the major findings that nobody answered; a statistical flag is a reason to look, and holds nothing up."""
    major: QuerySet[Any] = findings_with_state(Finding.objects.filter(shift=shift, severity=Finding.Severity.MAJOR, flag=False))
    for finding in major.exclude(state__in=ANSWERED).select_related("session__table").order_by("id"):
        where = gettext(" at %(table)s") % {"table": finding.session.table} if finding.session else ""
        facts = {"finding": str(finding.uuid), "kind": finding.kind}
        facts |= {"table": finding.session.table.code} if finding.session else {}
        yield Blocker(
            "finding_open",
            gettext("A major finding is not answered: %(kind)s%(where)s.") % {"kind": word(finding.kind), "where": where},
            facts,
        )


CHECKS: list[Callable[[Shift], Iterable[Blocker]]] = [_not_ended, _sessions, _slips, _recounts, _proposals, _jobs, _figures, _findings]
