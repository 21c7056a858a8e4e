"""Sealed shifts and proofs, for machines."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.api.bodies import read_body
from audit.bundles import proof_of
from casino import roles, step_up
from casino.api import PagesByKey
from casino.models import User
from ledger import published
from ledger.alarms import acknowledge
from ledger.models import CheckpointAlarm, Segment
from tables.api.views import ERRORS
from tables.selectors import round_for


class SealedLine(serializers.Serializer):
    """A sealed shift. Roots are hex; `signed` is null until its checkpoint was signed and published."""

    number = serializers.IntegerField()
    property = serializers.UUIDField()
    shift = serializers.UUIDField()
    gaming_day = serializers.DateField()
    leaves = serializers.IntegerField(source="leaf_count")
    root = serializers.SerializerMethodField()
    outer_root = serializers.SerializerMethodField()
    signed = serializers.SerializerMethodField()

    def get_root(self, segment: Segment) -> str:
        """Return the root over the shift's leaves."""
        return bytes(segment.root).hex()

    def get_outer_root(self, segment: Segment) -> str:
        """Return the root over all shifts up to this one."""
        return bytes(segment.outer_root).hex()

    def get_signed(self, segment: Segment) -> bool:
        """Return whether its checkpoint is signed and out."""
        return hasattr(segment, "signed")


class SealedAnswer(SealedLine):
    """A sealed shift with its signed checkpoint."""

    checkpoint = serializers.SerializerMethodField()

    def get_checkpoint(self, segment: Segment) -> str:
        """Return the signed note, or the text that waits for its signature."""
        return segment.signed.note if hasattr(segment, "signed") else segment.checkpoint


class ProofAnswer(serializers.Serializer):
    """A round's inclusion proof; bytes are base64. `verify.py --proof FILE` checks it."""

    format = serializers.CharField()
    round = serializers.UUIDField()
    segment = serializers.IntegerField()
    index = serializers.IntegerField()
    leaves = serializers.IntegerField()
    leaf = serializers.CharField()
    path = serializers.ListField(child=serializers.CharField())
    head = serializers.CharField()
    head_path = serializers.ListField(child=serializers.CharField())
    outer_leaf = serializers.CharField()
    outer_path = serializers.ListField(child=serializers.CharField())
    checkpoint = serializers.CharField()
    newest = serializers.CharField()
    keys = serializers.ListField(child=serializers.CharField())
    announcements = serializers.ListField(child=serializers.CharField())
    paytable = serializers.CharField()


class CheckpointAhead(serializers.Serializer):
    """Where file and books differ: `ahead` a published checkpoint and `key` an announced key that the books do not hold, both stop posting;
    `lost` a checkpoint that the file does not hold any more, which stops sealing."""

    kind = serializers.CharField()
    checkpoint = serializers.IntegerField(source="first.number")
    published = serializers.IntegerField()
    in_books = serializers.IntegerField()
    message = serializers.CharField()


class CheckpointAlarmAnswer(serializers.Serializer):
    """The alarm, `null` where file and books agree."""

    alarm = CheckpointAhead(allow_null=True)


class CheckpointAlarmBody(serializers.Serializer):
    """Why the books are behind, and the password of whoever is signed in, again."""

    reason = serializers.CharField()
    password = serializers.CharField()


class CheckpointAcknowledgedAnswer(serializers.ModelSerializer):
    """A checkpoint or key that somebody acknowledged; `adopted` says whether it was taken over, a segment without its leaves."""

    by = serializers.CharField(source="by.username")

    class Meta:
        model = CheckpointAlarm
        fields = ("kind", "number", "adopted", "reason", "by", "recorded_at")


def _reader(request: Request, action: str) -> User:
    user = request.user
    assert isinstance(user, User)
    roles.require(user, action)
    return user


class NumberPages(PagesByKey):
    """Newest first by number."""

    ordering = "-number"


class SealedShiftsView(GenericAPIView):
    """Every sealed shift, newest first."""

    queryset = Segment.objects.none()
    serializer_class = SealedLine
    pagination_class = NumberPages

    def get_queryset(self) -> QuerySet[Any]:
        """Return every segment."""
        return Segment.objects.select_related("signed")

    @extend_schema(operation_id="sealed_list", responses={200: SealedLine(many=True), **ERRORS})
    def get(self, request: Request) -> Response:
        """List sealed shifts."""
        _reader(request, "read_ledger")
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(SealedLine(page, many=True).data)


class SealedShiftView(GenericAPIView):
    """One sealed shift, by its shift's UUID."""

    queryset = Segment.objects.none()
    serializer_class = SealedAnswer

    @extend_schema(operation_id="sealed_read", responses={200: SealedAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read a shift's checkpoint. 404 where it is not sealed."""
        _reader(request, "read_ledger")
        return Response(SealedAnswer(get_object_or_404(Segment.objects.select_related("signed"), shift=uuid)).data)


class ProofView(GenericAPIView):
    """The proof that a round is in the signed book."""

    queryset = Segment.objects.none()
    serializer_class = ProofAnswer

    @extend_schema(operation_id="round_proof", responses={200: ProofAnswer, **ERRORS})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Read the proof of a round of one's pits. 404 where its shift is not sealed yet."""
        return Response(proof_of(round_for(_reader(request, "read_rounds"), uuid)))


class CheckpointAlarmView(GenericAPIView):
    """The alarm of published checkpoints that the books do not hold."""

    queryset = CheckpointAlarm.objects.none()
    serializer_class = CheckpointAlarmAnswer

    @extend_schema(operation_id="sealed_alarm", responses={200: CheckpointAlarmAnswer, **ERRORS})
    def get(self, request: Request) -> Response:
        """Read the alarm."""
        _reader(request, "read_ledger")
        return Response(CheckpointAlarmAnswer({"alarm": published.alarm()}).data)

    @extend_schema(
        operation_id="sealed_alarm_acknowledge",
        request=CheckpointAlarmBody,
        responses={200: CheckpointAcknowledgedAnswer(many=True), **ERRORS},
    )
    def post(self, request: Request) -> Response:
        """Acknowledge it by name, with the password again, so that posting goes on. 409 where there is no alarm."""
        user = _reader(request, "acknowledge_checkpoint")
        said = read_body(request.data, {"reason": str, "password": str}, ("reason",))
        step_up.confirm(user, said["password"], at=timezone.now())
        return Response(CheckpointAcknowledgedAnswer(acknowledge(reason=said["reason"], by=user), many=True).data)
