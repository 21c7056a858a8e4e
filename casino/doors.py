"""What every page shares: errors of ours become pages that say what is wrong, never a blank 500."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render

from casino.errors import BrokenBooks, CasinoError, Unavailable
from casino.transactions import away


class RefusalsMiddleware:
    """Turns a CasinoError, or a database that is away, into its status and a page for a person. BrokenBooks is never caught."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; a NUL in the address is nobody's page."""
        if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponseBadRequest("NUL is no character of an address.", content_type="text/plain")
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page of a refusal, or None for what is not ours."""
        refusal = away(exception) or exception
        if not isinstance(refusal, CasinoError) or isinstance(refusal, BrokenBooks):
            return None
        response = render(request, "refused.html", {"refusal": refusal}, status=refusal.status)
        if isinstance(refusal, Unavailable):
            response["Retry-After"] = "1"
        return response
