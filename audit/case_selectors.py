"""Findings as cases: owner, cause, due date, who is waited for. In known numbers of queries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext

from audit.ageing import found_before
from audit.models import Finding, FindingEvent
from audit.selectors import findings_for
from casino import roles
from casino.errors import NotFound
from casino.models import RoleEvent, User

STEPS = {"open": "assign_findings", "assigned": "answer_findings", "answered": "review_findings", "reviewed": "close_findings"}
"""What is to be done next, by state, as an action of casino/roles.py."""


def with_case(findings: QuerySet[Any]) -> QuerySet[Any]:
    """Return `findings`, which know their state, with `sequence`, `owner` (staff number), `owner_key` and `cause`. No query of its own."""
    events = FindingEvent.objects.filter(finding=OuterRef("pk")).order_by("-sequence")
    owned = events.filter(owner__isnull=False)
    return findings.annotate(
        sequence=Subquery(events.values("sequence")[:1]),
        owner=Subquery(owned.values("owner__username")[:1]),
        owner_key=Subquery(owned.values("owner")[:1]),
        cause=Subquery(events.exclude(cause="").values("cause")[:1]),
    )


def cases_for(user: User) -> QuerySet[Any]:
    """Return the findings that `user` may see, as cases."""
    return with_case(findings_for(user))


def case_for(user: User, uuid: Any) -> Any:
    """Return the finding of `uuid` as a case. Raises NotFound (`no_finding`): what is not theirs is not there."""
    roles.require(user, "see_findings")
    found = cases_for(user).filter(uuid=uuid).first()
    if found is None:
        raise NotFound("no_finding", gettext("There is no such finding."))
    return found


def overdue(findings: QuerySet[Any], at: datetime) -> QuerySet[Any]:
    """Return those of `findings`, which know their state, that are not closed and older than their severity allows at `at`."""
    late = Q()
    for severity, moment in found_before(at).items():
        late |= Q(severity=severity, recorded_at__lt=moment)
    return findings.exclude(state=FindingEvent.State.CLOSED).filter(late)


def mine(cases: QuerySet[Any], user: User) -> QuerySet[Any]:
    """Return the `cases` that wait for `user`: those that they are to answer, and for an auditor those that wait for an auditor.

    Not those of which the next step is another's by the rule: nobody reviews what they assigned, nobody closes what they reviewed. Notes are
    not waited for before somebody assigns them.
    """
    waits = Q(state=FindingEvent.State.ASSIGNED, owner_key=user.pk)
    events = FindingEvent.objects.filter(finding=OuterRef("pk")).order_by("-sequence")
    cases = cases.annotate(
        assigner=Subquery(events.filter(owner__isnull=False).values("by")[:1]),
        reviewer=Subquery(events.filter(state=FindingEvent.State.REVIEWED, by__isnull=False).values("by")[:1]),
    )
    if roles.may(user.roles, "assign_findings"):
        waits |= Q(state=FindingEvent.State.OPEN) & ~Q(severity=Finding.Severity.NOTE)
    if roles.may(user.roles, "review_findings"):
        waits |= Q(state=FindingEvent.State.ANSWERED) & ~Q(assigner=user.pk)
    if roles.may(user.roles, "close_findings"):
        waits |= Q(state=FindingEvent.State.REVIEWED) & ~Q(reviewer=user.pk)
    return cases.filter(waits)


def owners_for(finding: Finding) -> list[User]:
    """Return everyone who may answer for `finding`, by staff number. Two queries."""
    pit = finding.session.table.pit.code if finding.session else None
    people = User.objects.filter(is_active=True, pk__in=RoleEvent.objects.filter(role__in=roles.ACTIONS["answer_findings"]).values("user"))
    found = []
    for person in people.prefetch_related("role_events").order_by("username"):
        events = sorted(person.role_events.all(), key=lambda event: event.sequence)
        held = roles.in_effect((event.role, event.action, tuple(event.pits) if event.pits else None) for event in events)
        if roles.may(held, "answer_findings", pit):
            found.append(person)
    return found


def sums_of(finding: Finding) -> tuple[int | None, int | None]:
    """Return what was saved and what stays lost, as last said, minor units. One query."""
    saved = lost = None
    for event in finding.events.order_by("sequence"):
        saved = event.saved if event.saved is not None else saved
        lost = event.lost if event.lost is not None else lost
    return saved, lost
