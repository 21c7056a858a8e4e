"""API conventions: strict JSON in, exact JSON out, one shape of error, pages by key."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext
from rest_framework.exceptions import APIException, NotFound, ParseError
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from casino.errors import CasinoError, Fault, Unavailable
from casino.transactions import away
from casino.words import said_of

LARGEST_BODY = 1_000_000


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key “{key}” stands twice")
        found[key] = value
    return found


def _not_json(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


class StrictJSONParser(BaseParser):
    """One JSON value in UTF-8: no key twice, no NaN or Infinity, no NUL, a megabyte at most."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the value; raises ParseError with what is wrong."""
        body = stream.read(LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            raise ParseError(gettext("the body is larger than a megabyte"), code="bad_json")
        try:
            text = body.decode("utf-8-sig")
            if "\\u0000" in text or "\x00" in text:
                raise ValueError("NUL is no character of a text")
            value = json.loads(text, object_pairs_hook=_once, parse_constant=_not_json)
            json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair is no character either
            return value
        except (ValueError, RecursionError) as error:
            raise ParseError(gettext("not one JSON object: %(error)s") % {"error": error}, code="bad_json") from error


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response of any error in the one shape of spec/rounds.md: `{"error": …, "errors": […]}`."""
    error = away(error) or error
    if isinstance(error, CasinoError):
        errors = [replace(fault, message=said_of(fault)).as_json() for fault in error.faults]
        response = Response({"error": errors[0], "errors": errors}, status=error.status)
        if isinstance(error, Unavailable):
            response["Retry-After"] = "1"
        return response
    answer = exception_handler(error, context)
    if answer is not None:
        fault = Fault(_code(error), _message(error))
        answer.data = {"error": fault.as_json(), "errors": [fault.as_json()]}
    return answer


def _code(error: Exception) -> str:
    if isinstance(error, Http404):
        return "not_found"
    if isinstance(error, PermissionDenied):
        return "not_allowed"
    codes = error.get_codes() if isinstance(error, APIException) else "error"
    return codes if isinstance(codes, str) else "invalid"


def _message(error: Exception) -> str:
    if isinstance(error, APIException):
        return str(error.detail)
    return str(error) or type(error).__name__


def no_such_address(request: HttpRequest, **_: Any) -> JsonResponse:
    """Answer an address below /api/ that nobody knows, in the one shape of errors: a client never reads a page."""
    fault = Fault("not_found", gettext("There is nothing at this address.")).as_json()
    return JsonResponse({"error": fault, "errors": [fault]}, status=404)


class PagesByKey(CursorPagination):
    """Newest first by primary key: each row once, whatever is added meanwhile, and no deep offsets."""

    ordering = "-id"
    page_size = 50
    max_page_size = 500
    page_size_query_param = "limit"

    def decode_cursor(self, request: Request) -> Any:
        """Return where the page begins. Raises NotFound for a cursor that is none of ours."""
        cursor = super().decode_cursor(request)
        if cursor is not None and cursor.position is not None and not (cursor.position.isascii() and cursor.position.isdigit()):
            raise NotFound(self.invalid_cursor_message)
        return cursor
