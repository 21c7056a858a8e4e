"""Replays and full solves by machine: asked for, read while a worker is at them, cancelled and taken up again."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from casino import jobs, roles
from casino.errors import InvalidSlip, NotFound
from casino.models import Job, User
from tables import selectors
from tables.api.bodies import object_of, text_in
from tables.api.paytables import ERRORS, Lists, may
from tables.api.replay_schema import ReplayAnswer, ReplayBody, ReplayDifferenceAnswer, SolveAnswer
from tables.floor_bodies import Body
from tables.models import PaytableSolve, ReplayDifference, Shift
from tables.paytable_selectors import draft_of
from tables.services import paytables, replay, solves


def job_answer(job: Job) -> dict[str, Any]:
    """Return how far a job is and what came of it."""
    step = jobs.progress_of(job) if job.state == Job.State.RUNNING else None
    return {
        "uuid": str(job.uuid),
        "state": job.state,
        "asked_at": job.asked_at.isoformat(),
        "progress": None if step is None else {"done": step.done, "total": step.total, "what": step.what},
        "result": job.result if job.state == Job.State.DONE else None,
        "error": job.error.partition("\n")[0][:200],
    }


class ReplaysView(Lists):
    """Replays."""

    @extend_schema(operation_id="replays_list", responses={200: ReplayAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List them, newest first."""
        may(request, "replay")
        return self.listed(Job.objects.filter(kind__in=replay.KINDS).select_related("asked_by"), job_answer)

    @extend_schema(operation_id="replays_ask", request=ReplayBody, responses={202: ReplayAnswer, **ERRORS})
    def post(self, request: Request) -> Response:
        """Ask for a shift to be settled again, under another version or with rules replaced; or for a property's month, under a version."""
        user = may(request, "replay")
        job = _asked(Body(object_of(request), "shift", "property", "month", "paytable", "rules"), user)
        return Response(job_answer(job), status=202)


def _asked(body: Body, by: User) -> Job:
    whole, named = body.has("shift"), body.has("property") or body.has("month")
    if whole == named:
        raise InvalidSlip("missing_field", gettext("A shift, or a property and its month: one of the two."), where="shift")
    version = text_in(body.raw, "paytable") if body.has("paytable") else ""
    rules = body.raw.get("rules")
    if rules is not None and not isinstance(rules, dict):
        body.fault("bad_type", "rules", gettext("“rules” is an object: what each rule is to be."))
    if named:
        code, month = body.text("property", most=20), _month(body)
        body.check()
        if rules is not None or not version:
            raise InvalidSlip("bad_paytable", gettext("A month is settled again under a version."), where="rules" if version else "paytable")
        return replay.ask_month(selectors.house_of(code), month, paytables.paytable_of(paytables.version_named(version)), by=by)
    key = body.uuid("shift")
    body.check()
    shift = Shift.objects.select_related("property").filter(uuid=key).first()
    if shift is None:
        raise NotFound("no_shift", gettext("There is no such shift."), where="shift")
    under = paytables.paytable_of(paytables.version_named(version)) if version else None
    return replay.ask_replay(shift, by=by, paytable=under, rules=rules)


def _month(body: Body) -> date:
    text = body.text("month", most=7)
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError:
        body.fault("bad_type", "month", gettext("A month is written as 2026-11."))
        return timezone.now().date()


class ReplayView(APIView):
    """One replay."""

    @extend_schema(operation_id="replays_read", responses={200: ReplayAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read how far it is, or what came of it: per bet, table and in total."""
        may(request, "replay")
        return Response(job_answer(_replay(uuid)))


class ReplayDifferencesView(Lists):
    """What a replay settled otherwise."""

    queryset = ReplayDifference.objects.none()

    @extend_schema(
        operation_id="replays_differences",
        responses={200: ReplayDifferenceAnswer(many=True), **ERRORS},
        parameters=[OpenApiParameter(name, str) for name in ("table", "bet")],
    )
    def get(self, request: Request, uuid: UUID) -> Response:
        """List the wagers that differ, of the pits whose rounds one reads."""
        user = may(request, "replay")
        narrow = {name: value for name in ("table", "bet") if (value := request.query_params.get(name, ""))}
        rows = ReplayDifference.objects.filter(run__job=_replay(uuid), **narrow).select_related("round")
        pits = roles.pits_for(user, "read_rounds")
        return self.listed(rows if pits is None else rows.filter(round__session__table__pit__code__in=pits), _difference)


def _difference(row: ReplayDifference) -> dict[str, Any]:
    return {
        "round": str(row.round.uuid),
        "table": row.table,
        "bet": row.bet,
        "seat": row.seat,
        "wager": row.kind,
        "stake": row.stake,
        "kept_win": row.kept_win,
        "replayed_win": row.replayed_win,
        "difference": row.difference,
    }


def _replay(uuid: UUID) -> Job:
    found = Job.objects.filter(uuid=uuid, kind__in=replay.KINDS).first()
    if found is None:
        raise NotFound("no_replay", gettext("There is no such replay."))
    return found


class DraftSolveView(APIView):
    """The full solve of a draft."""

    @extend_schema(operation_id="paytable_drafts_solve", request=None, responses={202: SolveAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Ask for the full solve of what the draft says now; one a content, whoever asks."""
        user = may(request, "propose_paytable")
        return Response(_solve_answer(solves.ask_solve(paytables.paytable_of(draft_of(uuid)), by=user)), status=202)


class SolveView(APIView):
    """One solve, by the hash of what is solved."""

    @extend_schema(operation_id="solves_read", responses={200: SolveAnswer, **ERRORS})
    def get(self, request: Request, sha256: str) -> Response:
        """Read how far the solve is, or its edges."""
        may(request, "see_workshop")
        return Response(_solve_answer(_solve(sha256)))


class SolveCancelView(APIView):
    """Cancels a solve."""

    @extend_schema(operation_id="solves_cancel", request=None, responses={200: SolveAnswer, **ERRORS})
    def post(self, request: Request, sha256: str) -> Response:
        """Cancel it; what is done stays kept. 409 where it is over."""
        user, solve = may(request, "propose_paytable"), _solve(sha256)
        solves.cancel_solve(solve, by=user)
        return Response(_solve_answer(_solve(sha256)))


class SolveResumeView(APIView):
    """Takes a solve up again."""

    @extend_schema(operation_id="solves_resume", request=None, responses={200: SolveAnswer, **ERRORS})
    def post(self, request: Request, sha256: str) -> Response:
        """Take it up again from what was kept. 409 where it is open or done."""
        user, solve = may(request, "propose_paytable"), _solve(sha256)
        solves.resume_solve(solve, by=user)
        return Response(_solve_answer(_solve(sha256)))


def _solve(sha256: str) -> PaytableSolve:
    found = PaytableSolve.objects.select_related("job").filter(sha256=sha256).first()
    if found is None:
        raise NotFound("no_solve", gettext("Nobody asked for this solve."))
    return found


def _solve_answer(solve: PaytableSolve) -> dict[str, Any]:
    return {
        "sha256": solve.sha256,
        "game": solve.game,
        "done": solve.done,
        "of": solve.of,
        "edges": solve.edges,
        "fault": solve.fault,
        "job": job_answer(solve.job),
    }
