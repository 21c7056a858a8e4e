"""Paytables by machine: versions and their edges, drafts, what is proposed of them. Approvals are in `paytable_approvals`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from casino import roles
from casino.api import PagesByKey
from casino.errors import InvalidSlip
from casino.models import User
from tables.api.bodies import moment_in, object_of, property_in, signed_in, text_in, whole_in
from tables.api.paytable_answers import draft_answer, placement_answer, proposal_answer, version_answer
from tables.api.paytable_schema import (
    DraftAnswer,
    DraftBody,
    DraftChangeBody,
    DraftProposalBody,
    EdgesAnswer,
    PlaceBody,
    PlacementAnswer,
    ProposalAnswer,
    VersionAnswer,
    VersionDetail,
)
from tables.api.schema import ErrorAnswer
from tables.models import PaytableDraft, PaytableVersion
from tables.paytable_selectors import draft_of, placement_of, proposal_of
from tables.selectors import table_of
from tables.services import paytables, placements

ERRORS = dict.fromkeys((400, 401, 403, 404, 409, 412, 503), ErrorAnswer)


def may(request: Request, action: str) -> User:
    """Return who is signed in. Raises Refused unless they may do `action`."""
    user = signed_in(request)
    roles.require(user, action)
    return user


class Lists(GenericAPIView):
    """A list by key, newest first."""

    pagination_class = PagesByKey
    queryset: QuerySet[Any] = PaytableVersion.objects.none()

    def listed(self, rows: Any, answer: Any) -> Response:
        """Return the page of `rows`, each as `answer` says it."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response([answer(row) for row in page or []])


class VersionsView(Lists):
    """Published versions."""

    @extend_schema(operation_id="paytables_list", responses={200: VersionAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List versions, newest first; `?game=` and `?name=` narrow it."""
        may(request, "read_paytables")
        narrow = {name: value for name in ("game", "name") if (value := request.query_params.get(name))}
        return self.listed(PaytableVersion.objects.filter(**narrow).select_related("proposed_by", "approved_by"), version_answer)


class VersionView(APIView):
    """One version."""

    @extend_schema(operation_id="paytables_read", responses={200: VersionDetail, **ERRORS})
    def get(self, request: Request, reference: str) -> Response:
        """Read a version: what it says, its edges, where it is in force."""
        may(request, "read_paytables")
        return Response(version_answer(paytables.version_named(reference), whole=True))


class VersionExportView(APIView):
    """A version as a file."""

    @extend_schema(operation_id="paytables_export", responses={(200, "application/json"): OpenApiTypes.OBJECT, **ERRORS})
    def get(self, request: Request, reference: str) -> HttpResponse:
        """Answer the version's JSON file, which reads back as the same version."""
        may(request, "read_paytables")
        version = paytables.version_named(reference)
        response = HttpResponse(paytables.export_paytable(version), content_type="application/json")
        response["Content-Disposition"] = f'attachment; filename="{version}.json"'
        return response


class EdgesView(APIView):
    """Edges of what is published nowhere."""

    @extend_schema(operation_id="paytables_edges", request=DraftBody, responses={200: EdgesAnswer, **ERRORS})
    def post(self, request: Request) -> Response:
        """Answer every bet's edge and the warnings of `paytable`; nothing is kept."""
        may(request, "read_paytables")
        body = object_of(request)
        return Response(paytables.look_at(_paytable_in(body), property_in(body)).as_json())


class DraftsView(Lists):
    """Drafts."""

    @extend_schema(operation_id="paytable_drafts_list", responses={200: DraftAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List drafts, newest first."""
        may(request, "see_workshop")
        return self.listed(PaytableDraft.objects.select_related("changed_by", "property"), draft_answer)

    @extend_schema(operation_id="paytable_drafts_make", request=DraftBody, responses={201: DraftAnswer, **ERRORS})
    def post(self, request: Request) -> Response:
        """Make a draft."""
        user, body = may(request, "propose_paytable"), object_of(request)
        return Response(draft_answer(paytables.draft_paytable(_raw_in(body), by=user, house=property_in(body)), whole=True), status=201)


class DraftView(APIView):
    """One draft."""

    @extend_schema(operation_id="paytable_drafts_read", responses={200: DraftAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a draft with its edges and warnings."""
        may(request, "see_workshop")
        return Response(draft_answer(draft_of(uuid), whole=True))

    @extend_schema(operation_id="paytable_drafts_change", request=DraftChangeBody, responses={200: DraftAnswer, **ERRORS})
    def put(self, request: Request, uuid: UUID) -> Response:
        """Change a draft that was looked at at `revision`; 412 where somebody changed it since."""
        user, body = may(request, "propose_paytable"), object_of(request)
        draft, revision = draft_of(uuid), whole_in(body, "revision")
        changed = paytables.draft_paytable(_raw_in(body), by=user, draft=draft, revision=revision, house=property_in(body))
        return Response(draft_answer(changed, whole=True))


class DraftProposalView(APIView):
    """A draft's proposal."""

    @extend_schema(operation_id="paytable_drafts_propose", request=DraftProposalBody, responses={201: ProposalAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Propose what the draft says, as it was looked at at `revision`; 412 where somebody changed it since."""
        user, body = may(request, "propose_paytable"), object_of(request)
        proposal = paytables.propose(draft_of(uuid), by=user, note=text_in(body, "note"), revision=whole_in(body, "revision"))
        return Response(proposal_answer(proposal_of(proposal.uuid)), status=201)


class PlaceView(APIView):
    """Putting a version in force."""

    @extend_schema(operation_id="paytables_place", request=PlaceBody, responses={201: PlacementAnswer, **ERRORS})
    def post(self, request: Request, reference: str) -> Response:
        """Propose to put the version in force at `table` from `from_at` on."""
        user, body = may(request, "propose_paytable"), object_of(request)
        version, table = paytables.version_named(reference), table_of(text_in(body, "table", required=True))
        from_at, note = moment_in(body, "from_at"), text_in(body, "note")
        one = placements.propose_in_force(table, version, from_at=from_at, at=timezone.now(), by=user, note=note)
        return Response(placement_answer(placement_of(one.uuid)), status=201)


def _raw_in(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the version object `paytable`. Raises InvalidSlip (`missing_field`, `bad_type`)."""
    raw = body.get("paytable")
    if not isinstance(raw, Mapping):
        code = "bad_type" if "paytable" in body else "missing_field"
        raise InvalidSlip(code, gettext("A whole version object is due here."), where="paytable")
    return raw


def _paytable_in(body: Mapping[str, Any]) -> Any:
    return paytables.read_paytable(_raw_in(body))
