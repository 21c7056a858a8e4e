"""Findings for machines: the inbox, one case, and each step of its life."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit import cases
from audit.ageing import due_at, is_overdue
from audit.api.bodies import read_body
from audit.api.findings_schema import Case, CaseLine, Step
from audit.case_selectors import case_for, cases_for, mine, overdue
from audit.models import Finding
from casino import roles, step_up
from casino.api import PagesByKey
from casino.errors import InvalidSlip
from casino.models import User
from tables.api.views import ERRORS

NARROWED = ("state", "kind", "severity", "dealer", "pit", "cause", "owner", "waiting", "shift")


def the_user(request: Request) -> User:
    """Return who asks."""
    assert isinstance(request.user, User)
    return request.user


class FindingsView(GenericAPIView):
    """The inbox of one's pits, newest first."""

    queryset = Finding.objects.none()
    serializer_class = CaseLine
    pagination_class = PagesByKey

    @extend_schema(
        operation_id="findings_list",
        responses={200: CaseLine(many=True), **ERRORS},
        parameters=[OpenApiParameter(name, str, description="mine, overdue or open" if name == "waiting" else "") for name in NARROWED],
    )
    def get(self, request: Request) -> Response:
        """List the findings that one may see, narrowed by what is in the address."""
        user = the_user(request)
        roles.require(user, "see_findings")
        found = _narrowed(cases_for(user), user, request.query_params.dict())
        page = self.paginate_queryset(found) or []
        return self.get_paginated_response([line(finding) for finding in page])


_PATHS = {"state": "state", "kind": "kind", "severity": "severity", "dealer": "dealer__code", "pit": "session__table__pit__code", "cause": "cause"}


def _narrowed(found: QuerySet[Any], user: User, asked: dict[str, str]) -> QuerySet[Any]:
    for name, value in asked.items():
        if name in _PATHS:
            found = found.filter(**{_PATHS[name]: value})
        elif name == "owner":
            found = found.filter(owner=value)
        elif name == "shift":
            found = found.filter(shift__uuid=_uuid(value))
        elif name == "waiting":
            found = _waiting(found, user, value)
        elif name not in ("cursor", "limit", "format"):
            raise InvalidSlip("bad_filter", gettext("%(name)s: nothing is narrowed by it.") % {"name": name}, where=name)
    return found


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise InvalidSlip("bad_filter", gettext("shift: that is no UUID."), where="shift") from error


def _waiting(found: QuerySet[Any], user: User, value: str) -> QuerySet[Any]:
    if value == "mine":
        return mine(found, user)
    if value == "overdue":
        return overdue(found, timezone.now())
    if value == "open":
        return found.exclude(state="closed")
    raise InvalidSlip("bad_filter", gettext("waiting: mine, overdue or open."), where="waiting")


def line(finding: Any) -> dict[str, Any]:
    """Return a finding as the inbox shows it; amounts in minor units."""
    closed = finding.state == "closed"
    return {
        "uuid": str(finding.uuid),
        "kind": finding.kind,
        "severity": finding.severity,
        "flag": finding.flag,
        "state": finding.state,
        "sequence": finding.sequence,
        "owner": finding.owner,
        "cause": finding.cause,
        "found_at": finding.recorded_at.isoformat(),
        "due_at": due_at(finding.recorded_at, finding.severity).isoformat(),
        "overdue": not closed and is_overdue(finding.recorded_at, finding.severity, at=timezone.now()),
        "shift": str(finding.shift.uuid),
        "table": finding.session.table.code if finding.session else None,
        "round": str(finding.round.uuid) if finding.round else None,
        "seat": finding.seat,
        "wager": finding.wager,
        "dealer": finding.dealer.code if finding.dealer else None,
        "effect": finding.effect,
        "due": finding.due,
        "done": finding.done,
        "why": finding.why,
    }


def case(finding: Any) -> dict[str, Any]:
    """Return a finding with everything that became of it."""
    events = [
        {
            "sequence": event.sequence,
            "state": event.state,
            "by": event.by.username if event.by else None,
            "at": event.recorded_at.isoformat(),
            "owner": event.owner.username if event.owner else None,
            "cause": event.cause,
            "saved": event.saved,
            "lost": event.lost,
            "note": event.note,
        }
        for event in finding.events.select_related("by", "owner").order_by("sequence")
    ]
    evidence = [
        {
            "uuid": str(one.uuid),
            "kind": one.kind,
            "camera": one.camera,
            "from_at": one.from_at.isoformat() if one.from_at else None,
            "until_at": one.until_at.isoformat() if one.until_at else None,
            "reference": one.reference,
            "text": one.text,
            "by": one.by.username,
            "at": one.recorded_at.isoformat(),
        }
        for one in finding.evidence.select_related("by")
    ]
    return {**line(finding), "facts": finding.facts, "events": events, "evidence": evidence}


class FindingView(GenericAPIView):
    """One case."""

    queryset = Finding.objects.none()
    serializer_class = Case

    @extend_schema(operation_id="findings_read", responses={200: Case, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a finding of one's pits with its events and evidence."""
        return Response(case(case_for(the_user(request), uuid)))


class FindingStepView(GenericAPIView):
    """A step of a finding: assign, answer, review, close, evidence. Review and close ask for the password again."""

    queryset = Finding.objects.none()
    serializer_class = Step
    verb: ClassVar[str] = ""

    @extend_schema(request=Step, responses={200: Case, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Take the step and answer the case as it is then."""
        user = the_user(request)
        finding = case_for(user, uuid)
        _TAKE[self.verb](finding, request.data, user)
        return Response(case(case_for(user, uuid)), status=201 if self.verb == "evidence" else 200)


def _assign(finding: Finding, raw: Any, user: User) -> None:
    said = read_body(raw, {"owner": str, "note": str, "seen": int}, ("owner",))
    owner = User.objects.filter(username=said["owner"]).first()
    if owner is None:
        raise InvalidSlip("not_an_owner", gettext("There is nobody with the number %(said)s.") % {"said": said["owner"]}, where="owner")
    cases.assign(finding, owner, by=user, note=said["note"], seen=said["seen"])


_OUTCOME = {"cause": str, "saved": int, "lost": int}


def _outcome(said: dict[str, Any]) -> cases.Outcome:
    return cases.Outcome(said["cause"], said["saved"], said["lost"])


def _answer(finding: Finding, raw: Any, user: User) -> None:
    said = read_body(raw, {"text": str, "seen": int, **_OUTCOME}, ("text", "cause"))
    cases.answer(finding, said["text"], _outcome(said), by=user, seen=said["seen"])


def _review(finding: Finding, raw: Any, user: User) -> None:
    said = read_body(raw, {"note": str, "seen": int, "password": str})
    roles.require(user, "review_findings")
    step_up.confirm(user, said["password"], at=timezone.now())
    cases.review(finding, by=user, note=said["note"], seen=said["seen"])


def _close(finding: Finding, raw: Any, user: User) -> None:
    said = read_body(raw, {"note": str, "seen": int, "password": str, **_OUTCOME})
    roles.require(user, "close_findings")
    step_up.confirm(user, said["password"], at=timezone.now())
    cases.close(finding, _outcome(said), by=user, note=said["note"], seen=said["seen"])


def _evidence(finding: Finding, raw: Any, user: User) -> None:
    fields = {"kind": str, "text": str, "reference": str, "camera": str, "from_at": datetime, "until_at": datetime}
    cases.add_evidence(finding, cases.EvidenceSlip(**read_body(raw, fields, ("kind",))), by=user)


_TAKE = {"assign": _assign, "answer": _answer, "review": _review, "close": _close, "evidence": _evidence}
