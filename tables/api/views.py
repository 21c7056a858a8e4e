"""Rounds: handed in, and read."""

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
from tables.api.schema import ErrorAnswer, RoundAnswer, RoundLine, RoundSlipBody
from tables.models import Round
from tables.round_answer import round_answer
from tables.selectors import round_for, rounds_for
from tables.services.rounds import record_round
from tables.slips import read_round_slip

ERRORS = dict.fromkeys((400, 401, 403, 404, 409, 503), ErrorAnswer)


class RoundFilter(django_filters.FilterSet):
    """What the list is narrowed by; a value that is none is a field's error, never a 500."""

    table = django_filters.CharFilter(field_name="session__table__code")
    shift = django_filters.UUIDFilter(field_name="session__shift__uuid")
    dealer = django_filters.CharFilter(field_name="dealer__code")
    gaming_day = django_filters.DateFilter()

    class Meta:
        model = Round
        fields: list[str] = []


class RoundsView(GenericAPIView):
    """`GET` lists the rounds of one's pits, newest first; `POST` records one."""

    queryset = Round.objects.none()
    serializer_class = RoundLine
    pagination_class = PagesByKey
    filterset_class = RoundFilter

    def get_queryset(self) -> QuerySet[Round]:
        """Return the rounds that the signed-in person may read."""
        user = self.request.user
        assert isinstance(user, User)
        roles.require(user, "read_rounds")
        return rounds_for(user)

    @extend_schema(operation_id="rounds_list", responses={200: RoundLine(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List rounds, newest first."""
        narrowed = RoundFilter(request.query_params, queryset=self.get_queryset())
        if not narrowed.is_valid():
            field, messages = next(iter(narrowed.errors.items()))
            raise InvalidSlip("bad_filter", f"{field}: {messages[0]}", where=field)
        page = self.paginate_queryset(narrowed.qs)
        return self.get_paginated_response(RoundLine(page, many=True).data)

    @extend_schema(
        operation_id="rounds_record",
        request=RoundSlipBody,
        responses={200: RoundAnswer, 201: RoundAnswer, **ERRORS},
        parameters=[OpenApiParameter("Idempotency-Key", UUID, OpenApiParameter.HEADER, description="equals the slip's uuid where it is sent")],
    )
    def post(self, request: Request) -> Response:
        """Record a round: 201 where it is new, 200 with the same answer where this slip was handed in before."""
        user = request.user
        assert isinstance(user, User)
        slip = read_round_slip(request.data)
        _same_key(request, slip.uuid)
        played = record_round(slip, by=user, at=timezone.now())
        return Response(_answer(played), status=200 if played.known_before else 201)


class RoundView(GenericAPIView):
    """One recorded round."""

    queryset = Round.objects.none()
    serializer_class = RoundAnswer

    @extend_schema(operation_id="rounds_read", responses={200: RoundAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read one round of one's pits."""
        user = request.user
        assert isinstance(user, User)
        roles.require(user, "read_rounds")
        return Response(round_answer(round_for(user, uuid)))


def _answer(played: Round) -> dict[str, Any]:
    if played.known_before:
        rounds = Round.objects.select_related("session__table", "session__shift", "paytable", "dealer", "recorded_by", "reversal")
        played = rounds.get(pk=played.pk)
    return round_answer(played)


def _same_key(request: Request, uuid: UUID) -> None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and key.strip().lower() != str(uuid):
        raise InvalidSlip("bad_type", gettext("The Idempotency-Key is not the slip's uuid."), where="Idempotency-Key")
