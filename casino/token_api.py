"""API tokens by address: a person's tokens, a new one, a withdrawal. Below /api/v1/. A new one's secret is in that answer and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from casino import api_tokens, roles, step_up
from casino.api import PagesByKey
from casino.errors import Fault, InvalidSlip, NotFound
from casino.models import ApiToken, User


class TokenWithdrawalAnswer(serializers.Serializer[Any]):
    """Who withdrew a token, when and why."""

    by = serializers.CharField(source="by.username")
    at = serializers.DateTimeField(source="recorded_at")
    reason = serializers.CharField()


class TokenAnswer(serializers.Serializer[Any]):
    """A token. The secret is kept nowhere, so it is not here."""

    uuid = serializers.UUIDField()
    staff = serializers.CharField(source="user.username")
    label = serializers.CharField()
    until = serializers.DateField(help_text="the last day on which it is good, UTC")
    state = serializers.SerializerMethodField(help_text="good, withdrawn, left or expired")
    made_by = serializers.CharField(source="made_by.username")
    made_at = serializers.DateTimeField(source="recorded_at")
    withdrawal = TokenWithdrawalAnswer(read_only=True, allow_null=True, default=None)
    writes = serializers.IntegerField(default=0, help_text="how many requests by it changed something")

    def get_state(self, token: ApiToken) -> str:
        """Return whether it is good now, or why not."""
        return api_tokens.state_of(token, at=timezone.now())


class NewTokenAnswer(TokenAnswer):
    """A token that was made just now."""

    secret = serializers.CharField(help_text="shown this once: send it as `Authorization: Bearer pb_…`")


class NewTokenBody(serializers.Serializer[Any]):
    """What a token is for, its last day (UTC, a year at most), and the password of whoever is signed in, again."""

    label = serializers.CharField(max_length=api_tokens.LONGEST_LABEL)
    until = serializers.DateField()
    password = serializers.CharField()


class TokenWithdrawalBody(serializers.Serializer[Any]):
    """Why a token is withdrawn, and the password of whoever is signed in, again."""

    reason = serializers.CharField(max_length=api_tokens.LONGEST_REASON)
    password = serializers.CharField()


class _PersonView(GenericAPIView):
    queryset = ApiToken.objects.none()
    serializer_class = TokenAnswer
    pagination_class = PagesByKey

    def asks(self, request: Request, action: str) -> User:
        """Return who asks, who may do `action`. Raises Refused."""
        assert isinstance(request.user, User)
        roles.require(request.user, action)
        return request.user

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the answer, which no cache keeps."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer["Cache-Control"] = "no-store"
        return answer


class TokensView(_PersonView):
    """A person's tokens."""

    @extend_schema(operation_id="tokens_list", responses={200: TokenAnswer(many=True)})
    def get(self, request: Request, staff: str) -> Response:
        """List them, newest first."""
        self.asks(request, "read_tokens")
        page = self.paginate_queryset(api_tokens.tokens_of(_person(staff)))
        return self.get_paginated_response(TokenAnswer(page, many=True).data)

    @extend_schema(operation_id="tokens_make", request=NewTokenBody, responses={201: NewTokenAnswer})
    def post(self, request: Request, staff: str) -> Response:
        """Make one, with the password again. Its secret is in this answer and nowhere else."""
        by, now = self.asks(request, "manage_tokens"), timezone.now()
        body = _body(request, "label", "until")
        user, until = _person(staff), _day(body["until"])
        step_up.confirm(by, step_up.password_in(body), at=now)
        made = api_tokens.make_token(user, body["label"], until, at=now, by=by)
        return Response({**TokenAnswer(made.token).data, "secret": made.secret}, status=201)


class TokenWithdrawView(_PersonView):
    """Withdraws a token."""

    @extend_schema(operation_id="tokens_withdraw", request=TokenWithdrawalBody, responses={200: TokenAnswer})
    def post(self, request: Request, staff: str, uuid: UUID) -> Response:
        """Withdraw it, with the password again. 409 where it was before."""
        by, now = self.asks(request, "manage_tokens"), timezone.now()
        body = _body(request, "reason")
        token = api_tokens.token_of(_person(staff), uuid)
        step_up.confirm(by, step_up.password_in(body), at=now)
        api_tokens.withdraw_token(token, body["reason"], by=by)
        return Response(TokenAnswer(api_tokens.tokens_of(token.user).get(uuid=uuid)).data)


def _person(staff: str) -> User:
    found = None if "\x00" in staff else User.objects.filter(username=staff).first()
    if found is None:
        raise NotFound("no_person", "Nobody has this staff number.", where="staff")
    return found


def _body(request: Request, *texts: str) -> Mapping[str, Any]:
    """Return the body: an object of `texts`, all required, and the password. Raises InvalidSlip with every fault."""
    body = request.data
    if not isinstance(body, Mapping):
        raise InvalidSlip("bad_type", "The body is a JSON object.")
    known = {*texts, step_up.FIELD}
    faults = [Fault("unknown_field", f"There is no field {name[:40]}.", name[:40]) for name in body if name not in known]
    for name in texts:
        if body.get(name) in (None, ""):
            faults.append(Fault("missing_field", f"“{name}” is missing.", name))
        elif not isinstance(body[name], str):
            faults.append(Fault("bad_type", "A text is due here.", name))
    if faults:
        raise InvalidSlip.of(faults)
    return body


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidSlip("bad_day", "A day is written as 2026-11-30.", where="until") from error


urlpatterns = [
    path("people/<str:staff>/tokens", TokensView.as_view(), name="tokens"),
    path("people/<str:staff>/tokens/<uuid:uuid>/withdraw", TokenWithdrawView.as_view(), name="token-withdraw"),
]
