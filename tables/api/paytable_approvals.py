"""What waits for an approval, by machine: proposals and placements of paytables, and their ends. An approval carries the password again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from casino import roles, step_up
from tables.api.bodies import object_of, signed_in, text_in
from tables.api.paytable_answers import placement_answer, proposal_answer, version_answer
from tables.api.paytable_schema import ApprovalBody, PasswordBody, PaytableNoteBody, PlacementAnswer, ProposalAnswer, VersionDetail
from tables.api.paytables import ERRORS, Lists, may
from tables.paytable_selectors import placement_of, placements_with_state, proposal_of, proposals_with_state
from tables.services import paytables, placements


class ProposalsView(Lists):
    """Proposals."""

    @extend_schema(operation_id="paytable_proposals_list", responses={200: ProposalAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List proposals, newest first; `?state=proposed` those that wait."""
        may(request, "see_workshop")
        state = request.query_params.get("state")
        rows = proposals_with_state()
        return self.listed(rows.filter(state=state) if state else rows, proposal_answer)


class ProposalView(APIView):
    """One proposal."""

    @extend_schema(operation_id="paytable_proposals_read", responses={200: ProposalAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a proposal, with what it says and the edges as they were proposed."""
        may(request, "see_workshop")
        return Response(proposal_answer(proposal_of(uuid)))


class ProposalApproveView(APIView):
    """Approving."""

    @extend_schema(operation_id="paytable_proposals_approve", request=ApprovalBody, responses={201: VersionDetail, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Approve under `approval`, with the password again: the version is published."""
        user, body, now = may(request, "approve_paytable"), object_of(request), timezone.now()
        proposal = proposal_of(uuid)
        step_up.confirm(user, step_up.password_in(body), at=now)
        version = paytables.approve(proposal, by=user, approval=text_in(body, "approval"))
        return Response(version_answer(version, whole=True), status=201)


class ProposalEndView(APIView):
    """Refusing and taking back."""

    def end(self, request: Request, uuid: UUID, verb: Callable[..., Any]) -> Response:
        """End the proposal without a version, with a note."""
        user, body = signed_in(request), object_of(request)
        roles.require(user, "see_workshop")
        verb(proposal_of(uuid), by=user, note=text_in(body, "note"))
        return Response(proposal_answer(proposal_of(uuid)))


class ProposalRefuseView(ProposalEndView):
    """Refuse a proposal, with the reason."""

    @extend_schema(operation_id="paytable_proposals_refuse", request=PaytableNoteBody, responses={200: ProposalAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Refuse a proposal, with the reason."""
        return self.end(request, uuid, paytables.refuse)


class ProposalWithdrawView(ProposalEndView):
    """Take a proposal back."""

    @extend_schema(operation_id="paytable_proposals_withdraw", request=PaytableNoteBody, responses={200: ProposalAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Take a proposal back."""
        return self.end(request, uuid, paytables.withdraw)


class PlacementsView(Lists):
    """Placements."""

    @extend_schema(operation_id="paytable_placements_list", responses={200: PlacementAnswer(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List placements, newest first; `?state=proposed` those that wait."""
        may(request, "see_workshop")
        state = request.query_params.get("state")
        rows = placements_with_state()
        return self.listed(rows.filter(state=state) if state else rows, placement_answer)


class PlacementView(APIView):
    """One placement."""

    @extend_schema(operation_id="paytable_placements_read", responses={200: PlacementAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a placement."""
        may(request, "see_workshop")
        return Response(placement_answer(placement_of(uuid)))


class PlacementApproveView(APIView):
    """Approving a placement."""

    @extend_schema(operation_id="paytable_placements_approve", request=PasswordBody, responses={200: PlacementAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Approve, with the password again: the version is in force from its moment on."""
        user, body, now = may(request, "approve_paytable"), object_of(request), timezone.now()
        one = placement_of(uuid)
        step_up.confirm(user, step_up.password_in(body), at=now)
        placements.approve_in_force(one, by=user, at=now, note=text_in(body, "note"))
        return Response(placement_answer(placement_of(uuid)))


class PlacementEndView(APIView):
    """Refusing and taking back a placement."""

    def end(self, request: Request, uuid: UUID, verb: Callable[..., Any]) -> Response:
        """End the placement before it is in force, with a note."""
        user, body = signed_in(request), object_of(request)
        roles.require(user, "see_workshop")
        verb(placement_of(uuid), by=user, note=text_in(body, "note"))
        return Response(placement_answer(placement_of(uuid)))


class PlacementRefuseView(PlacementEndView):
    """Refuse a placement, with the reason."""

    @extend_schema(operation_id="paytable_placements_refuse", request=PaytableNoteBody, responses={200: PlacementAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Refuse a placement, with the reason."""
        return self.end(request, uuid, placements.refuse_in_force)


class PlacementWithdrawView(PlacementEndView):
    """Take a placement back."""

    @extend_schema(operation_id="paytable_placements_withdraw", request=PaytableNoteBody, responses={200: PlacementAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Take a placement back."""
        return self.end(request, uuid, placements.withdraw_in_force)
