"""Explaining and signing, statistics and dealers' profiles, for machines."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit import services, signing
from audit.api.bodies import read_body, uuid_in
from audit.api.findings import the_user
from audit.binomial import Rate
from audit.dealer_profile import dealer_profile
from audit.models import ShiftReconciliation, StatisticRun
from audit.reports.shift import lines_in
from audit.selectors import shift_for
from audit.sign_blockers import ToSign, blockers_for
from audit.signing_selectors import grade_of, grades_of
from casino import roles, step_up
from casino.errors import InvalidSlip, NotFound
from casino.models import User
from tables.api.views import ERRORS
from tables.models import Dealer, Shift, TableSession

ANY = {200: OpenApiTypes.OBJECT, **ERRORS}


class SigningView(GenericAPIView):
    """What is to be explained, what blocks, and who signed."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="shift_signing", responses=ANY)
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read how far the signing of a shift of one's pits is. `fingerprint` names the figures that are signed."""
        user = the_user(request)
        roles.require(user, "read_reports")
        return Response(signing_answer(shift_for(user, uuid), user))


def signing_answer(shift: Shift, user: User) -> dict[str, Any]:
    """Return the signing of `shift` as `user` may see it; amounts in minor units."""
    known = ToSign(shift)
    kept, signed = known.kept, known.signatures
    blockers = [blocker.as_json() for blocker in blockers_for(shift, user, known)]
    if kept is None:
        return {"fingerprint": None, "grade": None, "variances": [], "signatures": [], "blockers": blockers, "figures": []}
    final = any(one.is_final for one in signed)
    return {
        "fingerprint": bytes(kept.fingerprint).hex(),
        "grade": grade_of(kept, signed),
        "variances": _variances(known, user),
        "signatures": [{"role": one.role, "by": one.by.username, "at": one.recorded_at.isoformat(), "final": one.is_final} for one in signed],
        "blockers": [] if final else blockers,
        "figures": _figures(known, kept, user),
    }


def _pits(user: User) -> roles.Pits:
    return roles.pits_for(user, "read_reports")


def _variances(known: ToSign, user: User) -> list[dict[str, Any]]:
    pits = _pits(user)
    return [
        {
            "table": one.line.session.table.code,
            "session": str(one.line.session.uuid),
            "variance": one.variance.figure,
            "amount": one.variance.amount,
            "level": one.variance.level,
            "explanations": [{"text": said.text, "by": said.by.username, "at": said.recorded_at.isoformat()} for said in one.explanations],
        }
        for one in known.variances
        if pits is None or one.line.session.table.pit.code in pits
    ]


def _figures(known: ToSign, kept: ShiftReconciliation, user: User) -> list[dict[str, Any]]:
    graded = grades_of(kept, known.lines, known.signatures)
    return [
        {"table": line.session.table.code, "figure": one.figure, "grade": one.grade, "as_of": one.as_of.isoformat()}
        for line in lines_in(known.lines, _pits(user))
        for one in graded[line.session_id]
    ]


class ExplanationsView(GenericAPIView):
    """Explanations of a shift's variances."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="shift_explain", request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Explain one variance: session, variance (tray, drop, books), text, fingerprint. Answers the signing as it is then."""
        user = the_user(request)
        shift = shift_for(user, uuid)
        said = read_body(request.data, {"session": str, "variance": str, "text": str, "fingerprint": str}, ("session", "variance", "fingerprint"))
        session = TableSession.objects.filter(shift=shift, uuid=uuid_in(said, "session")).select_related("table__pit").first()
        if session is None:
            raise NotFound("no_session", gettext("There is no such session in this shift."), where="session")
        signing.explain(shift, session, said["variance"], said["text"], fingerprint=said["fingerprint"], by=user)
        return Response(signing_answer(shift, user), status=201)


class SignaturesView(GenericAPIView):
    """Signatures under a shift's reconciliation."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="shift_sign", request=OpenApiTypes.OBJECT, responses={201: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Sign the figures of `fingerprint` with the password again. 412 where newer figures came, 409 naming everything that blocks."""
        user = the_user(request)
        roles.require(user, "sign_reconciliation")
        shift = shift_for(user, uuid)
        said = read_body(request.data, {"fingerprint": str, "password": str}, ("fingerprint",))
        step_up.confirm(user, said["password"], at=timezone.now())
        signing.sign(shift, fingerprint=said["fingerprint"], by=user, at=timezone.now())
        return Response(signing_answer(shift, user), status=201)


class ReconcileView(GenericAPIView):
    """The audit and reconciliation of an ended shift, once more."""

    queryset = Shift.objects.none()

    @extend_schema(operation_id="shift_reconcile", request=None, responses={202: OpenApiTypes.OBJECT, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Have every payout audited and the shift reconciled again by a worker; the job that is under way, where one is."""
        user = the_user(request)
        roles.require(user, "reconcile")
        job = services.ask_reconciliation(shift_for(user, uuid), by=user)
        return Response({"job": str(job.uuid), "state": job.state}, status=202)


class StatisticsView(GenericAPIView):
    """Statistics of the house."""

    queryset = StatisticRun.objects.none()

    @extend_schema(
        operation_id="statistics",
        responses=ANY,
        parameters=[OpenApiParameter(name, str) for name in ("property", "gaming_day", "rule", "scope", "span")],
    )
    def get(self, request: Request) -> Response:
        """Read the newest run, narrowed by what is in the address. A flag is a reason to look, never proof."""
        roles.require(the_user(request), "read_statistics")
        asked = request.query_params.dict()
        runs = StatisticRun.objects.select_related("property").order_by("-id")
        if "property" in asked:
            runs = runs.filter(property__code=asked["property"])
        if "gaming_day" in asked:
            runs = runs.filter(gaming_day=_day(asked["gaming_day"]))
        run = runs.first()
        if run is None:
            raise NotFound("no_run", gettext("There is no such run."))
        results = run.results.filter(**{name: asked[name] for name in ("rule", "scope", "span") if name in asked})
        names = (
            "rule",
            "scope",
            "subject",
            "span",
            "rounds",
            "value",
            "expected",
            "low",
            "high",
            "taken_out",
            "p",
            "adjusted",
            "threshold",
            "flagged",
        )
        return Response(
            {
                "run": str(run.uuid),
                "property": run.property.code,
                "gaming_day": run.gaming_day.isoformat(),
                "correction": run.correction,
                "left_out": run.left_out,
                "results": [{name: getattr(result, name) for name in names} for result in results],
            }
        )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidSlip("bad_filter", gettext("gaming_day: a day as 2026-11-30."), where="gaming_day") from error


class DealerProfileView(GenericAPIView):
    """A dealer's errors, fairly."""

    queryset = Dealer.objects.none()

    @extend_schema(operation_id="dealer_profile", responses=ANY, parameters=[OpenApiParameter("until", str, description="the last gaming day")])
    def get(self, request: Request, code: str) -> Response:
        """Read a dealer's error rate of 30 gaming days with its exact interval, beside everybody else's."""
        roles.require(the_user(request), "read_statistics")
        dealer = Dealer.objects.select_related("property").filter(code=code).first()
        if dealer is None:
            raise NotFound("no_dealer", gettext("There is no such dealer."))
        until = request.query_params.get("until")
        found = dealer_profile(dealer, last=_day(until) if until else timezone.now().date())
        return Response(
            {
                "dealer": dealer.code,
                "first": found.first.isoformat(),
                "last": found.last.isoformat(),
                "own": _rate(found.own),
                "others": _rate(found.others),
                "intervals_overlap": found.overlaps,
                "kinds": [vars(kind) for kind in found.kinds],
            }
        )


def _rate(found: Rate) -> dict[str, Any]:
    """Return a rate for a machine: whole counts, and errors in a million rounds."""
    return {
        "events": found.events,
        "rounds": found.trials,
        "per_million": round(found.value * 1_000_000),
        "low": round(found.low * 1_000_000),
        "high": round(found.high * 1_000_000),
    }
