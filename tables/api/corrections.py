"""Corrections: proposed, read, decided; rulings on irregular rounds; the story of a round."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from casino import roles
from casino.api import PagesByKey
from casino.errors import InvalidSlip
from casino.models import User
from casino.money import Minor
from casino.step_up import confirm, password_in
from tables import correction_slips as slips
from tables.api.correction_schema import (
    CorrectionBody,
    DeadHandBody,
    DecisionBody,
    LateRoundBody,
    MomentLine,
    ProposalLine,
    RoundProposalAnswer,
    RoundVoidBody,
    RulingAnswer,
    RulingBody,
)
from tables.api.views import ERRORS
from tables.models import Round, RoundProposal
from tables.proposal_answer import proposal_json
from tables.round_history import as_json, history
from tables.selectors import proposal_for, proposals_for, round_for, session_for
from tables.services import correction_decisions as decisions
from tables.services import corrections
from tables.services.rulings import RuledDue, rule_irregular

KEY = [OpenApiParameter("Idempotency-Key", UUID, OpenApiParameter.HEADER, description="equals the uuid where it is sent")]

PROPOSED = {200: RoundProposalAnswer, 201: RoundProposalAnswer, **ERRORS}


class _Door(GenericAPIView):
    """What all of these share: who is signed in, and a proposal's answer."""

    queryset = RoundProposal.objects.none()
    serializer_class = RoundProposalAnswer

    @property
    def person(self) -> User:
        """Return who is signed in."""
        user = self.request.user
        assert isinstance(user, User)
        return user

    def round(self, uuid: UUID) -> Round:
        """Return the round of one's pits."""
        roles.require(self.person, "read_rounds")
        return round_for(self.person, uuid)

    def answer(self, request: Request, uuid: UUID, propose: Any) -> Response:
        """Answer 201 for a new proposal, 200 where the same one was handed in before."""
        key = request.headers.get("Idempotency-Key")
        if key is not None and key.strip().lower() != str(uuid):
            raise InvalidSlip("bad_type", gettext("The Idempotency-Key is not the uuid of what is proposed."), where="Idempotency-Key")
        proposal = propose()
        return Response(proposal_json(proposal_for(self.person, proposal.uuid)), status=200 if proposal.known_before else 201)


class VoidView(_Door):
    """`POST` proposes to void a round."""

    @extend_schema(operation_id="rounds_void", request=RoundVoidBody, responses=PROPOSED, parameters=KEY)
    def post(self, request: Request, uuid: UUID) -> Response:
        """Propose to void the round: every stake returned. Nothing changes until another person approves it."""
        played, slip = self.round(uuid), slips.read_void(request.data)
        more: dict[str, Any] = {"reason": slip.reason, "note": slip.note, "by": self.person, "at": timezone.now()}
        return self.answer(request, slip.uuid, lambda: corrections.propose_void(played, uuid=slip.uuid, chips_returned=slip.chips_returned, **more))


class DeadHandView(_Door):
    """`POST` proposes to take a hand for dead."""

    @extend_schema(
        operation_id="rounds_dead_hand",
        request=DeadHandBody,
        responses=PROPOSED,
        parameters=KEY,
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        """Propose that the hand of one seat is dead; everybody else's wagers stay as they were."""
        played, slip = self.round(uuid), slips.read_dead_hand(request.data)
        more: dict[str, Any] = {"reason": slip.reason, "note": slip.note, "by": self.person, "at": timezone.now()}
        return self.answer(request, slip.uuid, lambda: corrections.propose_dead_hand(played, slip.seat, uuid=slip.uuid, **more))


class CorrectView(_Door):
    """`POST` proposes a correction."""

    @extend_schema(
        operation_id="rounds_correct",
        request=CorrectionBody,
        responses=PROPOSED,
        parameters=KEY,
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        """Propose to put the round of the slip in the place of this one; errors of the slip name its fields."""
        played, slip = self.round(uuid), slips.read_correction(request.data)
        more: dict[str, Any] = {"reason": slip.reason, "note": slip.note, "by": self.person, "at": timezone.now()}
        return self.answer(request, _uuid_of(slip), lambda: corrections.propose_correction(played, slip.slip, **more))


class LateRoundView(_Door):
    """`POST` proposes a round that was never entered."""

    @extend_schema(operation_id="rounds_late", request=LateRoundBody, responses=PROPOSED, parameters=KEY)
    def post(self, request: Request) -> Response:
        """Propose to add a round that was never entered to a session that is closed."""
        slip = slips.read_late_round(request.data)
        assert slip.session is not None
        session = session_for(self.person, slip.session, "read_rounds")
        more: dict[str, Any] = {"reason": slip.reason, "note": slip.note, "by": self.person, "at": timezone.now()}
        return self.answer(request, _uuid_of(slip), lambda: corrections.propose_late_round(session, slip.slip, **more))


def _uuid_of(slip: slips.CorrectionSlip) -> UUID:
    return slips.uuid_in(slip.slip)


class StoryView(_Door):
    """`GET` tells the story of a round."""

    serializer_class = MomentLine

    @extend_schema(operation_id="rounds_story", responses={200: MomentLine(many=True), **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Tell what became of the round, and of those before and after it in its chain."""
        return Response(as_json(history(self.round(uuid))))


class RulingView(_Door):
    """`POST` rules on an irregular round."""

    serializer_class = RulingAnswer

    @extend_schema(operation_id="rounds_rule", request=RulingBody, responses={201: RulingAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Rule on an irregular round: it stands as dealt, or what was due on every wager."""
        played, at, slip = self.round(uuid), timezone.now(), slips.read_ruling(request.data)
        roles.require(self.person, "rule_irregular", played.session.table.pit.code)
        confirm(self.person, password_in(request.data), at=at)
        due = None if slip.due is None else {spot: RuledDue(Minor(collect), Minor(pay)) for spot, (collect, pay) in slip.due.items()}
        kept = rule_irregular(played, reason=slip.reason, due=due, by=self.person, at=at, after=slip.after)
        said = {name: getattr(kept, name) for name in ("sequence", "stands", "due", "effect", "reason")}
        return Response({"round": str(played.uuid), **said, "by": kept.by.username}, status=201)


class ProposalFilter(django_filters.FilterSet):
    """What the list is narrowed by."""

    state = django_filters.ChoiceFilter(choices=[(state, state) for state in ("proposed", "approved", "rejected", "withdrawn")])
    kind = django_filters.ChoiceFilter(choices=RoundProposal.Kind.choices)
    table = django_filters.CharFilter(field_name="session__table__code")
    shift = django_filters.UUIDFilter(field_name="session__shift__uuid")

    class Meta:
        model = RoundProposal
        fields: list[str] = []


class ProposalsView(_Door):
    """`GET` lists the proposals for rounds of one's pits, newest first."""

    serializer_class = ProposalLine
    pagination_class = PagesByKey
    filterset_class = ProposalFilter

    def get_queryset(self) -> QuerySet[RoundProposal]:
        """Return the proposals that the signed-in person may read."""
        roles.require(self.person, "read_rounds")
        return proposals_for(self.person)

    @extend_schema(operation_id="proposals_list", responses={200: ProposalLine(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List proposals, newest first."""
        narrowed = ProposalFilter(request.query_params, queryset=self.get_queryset())
        if not narrowed.is_valid():
            field, messages = next(iter(narrowed.errors.items()))
            raise InvalidSlip("bad_filter", f"{field}: {messages[0]}", where=field)
        page = self.paginate_queryset(narrowed.qs)
        return self.get_paginated_response(ProposalLine(page, many=True).data)


class ProposalView(_Door):
    """One proposal."""

    @extend_schema(operation_id="proposals_read", responses={200: RoundProposalAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a proposal: what it changes field by field, and what was decided."""
        roles.require(self.person, "read_rounds")
        return Response(proposal_json(proposal_for(self.person, uuid)))


class DecisionView(_Door):
    """`POST` approves, rejects or withdraws a proposal."""

    verb = ""

    @extend_schema(request=DecisionBody, responses={200: RoundProposalAnswer, **ERRORS})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Decide it. Approving does it at once, and answers what it made; approving and rejecting ask for the password again."""
        roles.require(self.person, "read_rounds")
        proposal, at, note = proposal_for(self.person, uuid), timezone.now(), slips.read_note(request.data)
        if self.verb == "withdraw":
            decisions.withdraw_proposal(proposal, by=self.person, at=at, note=note)
        else:
            confirm(self.person, password_in(request.data), at=at)
            decide = decisions.approve_proposal if self.verb == "approve" else decisions.reject_proposal
            decide(proposal, by=self.person, at=at, note=note)
        return Response(proposal_json(proposal_for(self.person, uuid)))
