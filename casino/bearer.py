"""`Authorization: Bearer pb_…`: signing in to the API by token, and the row about each request by which a token changed something."""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from django.db import Error, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from casino import api_tokens
from casino.errors import Unavailable
from casino.models import ApiToken, User
from casino.transactions import away

log = logging.getLogger(__name__)
REFUSED = "This token is not good: unknown, expired, withdrawn, or its person left."
"""The one answer to every token that is not good: whoever tries one learns nothing about it."""
LOOKS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
KEPT_ON = "pitbook_api_token"


class BearerAuthentication(BaseAuthentication):
    """Signs the person of a token in, for this request. Stands first: it also says what an API without a sign-in asks for."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return the person and the token; None where the request bears none. Raises AuthenticationFailed (`bad_token`). One query."""
        secret = _borne(request)
        if secret is None:
            return None
        token = api_tokens.good_token(secret, at=timezone.now())
        if token is None:
            raise AuthenticationFailed(REFUSED, code="bad_token")
        setattr(request._request, KEPT_ON, token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Return what a 401 asks for: a good token of whoever bore one, a password of anybody else."""
        return 'Basic realm="api"' if _borne(request) is None else 'Bearer realm="api", error="invalid_token"'


class BearerScheme(OpenApiAuthenticationExtension):
    """How the OpenAPI document says it."""

    target_class = "casino.bearer.BearerAuthentication"
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the scheme: HTTP bearer."""
        return build_bearer_security_scheme_object(header_name="Authorization", token_prefix="Bearer", bearer_format="pb_…")  # noqa: S106


class TokenWritesMiddleware:
    """Keeps, after a request by token that changed something, which token it was (B153). The rows that it made name the token's person."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer. 503 where the row cannot be kept: sent again, what was asked for is done once and the row is written then."""
        response = self.get_response(request)
        token = getattr(request, KEPT_ON, None)
        if token is None or request.method in LOOKS or response.status_code >= 400:
            return response
        try:
            with transaction.atomic():
                api_tokens.wrote(token, request.method or "", request.path, response.status_code, _reference(response))
        except Error as error:
            log.exception("what a token wrote could not be kept")
            refusal = away(error) or Unavailable("not_kept", gettext("Which token this was could not be kept. Send the same again: it is kept once."))
            return JsonResponse(refusal.as_json(), status=refusal.status, headers={"Retry-After": "1"})
        return response


def _borne(request: Request) -> str | None:
    """Return what stands behind `Bearer`, "" where nothing does; None where the request has another sign-in or none."""
    scheme, _, rest = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else None


def _reference(response: HttpResponse) -> UUID | None:
    data = getattr(response, "data", None)
    said = data.get("uuid") if isinstance(data, dict) else None
    try:
        return UUID(str(said)) if said else None
    except ValueError:
        return None
