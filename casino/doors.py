"""What every page shares: errors of ours become pages that say what is wrong, never a blank 500."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render

from casino.errors import BrokenBooks, CasinoError


class RefusalsMiddleware:
    """Turns a CasinoError that a page let through into its status and a page for a person. BrokenBooks is never caught."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; a NUL in the address is nobody's page."""
        if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponseBadRequest("NUL is no character of an address.", content_type="text/plain")
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page of a refusal, or None for what is not ours."""
        if not isinstance(exception, CasinoError) or isinstance(exception, BrokenBooks):
            return None
        return render(request, "refused.html", {"refusal": exception}, status=exception.status)
