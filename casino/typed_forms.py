"""What was typed is not lost with a session: the browser is told which form the house has now, and a sign-in leads back to the form's own page.

The other half is static/casino/typed.js, which keeps what is typed. Source: docs/decisions/014-drafts-stay-on-the-machine.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url

FIELD = "draft_id"
"""Of the form, and the cookie of the answer: which draft was sent, which is done."""
_ID = re.compile(r"[0-9-]{7,43}")
_DONE = frozenset({201, 302, 303})
"""Every form of ours answers with another page once it was taken; but a new token stands on its answer (201)."""


class TypedFormsMiddleware:
    """Says of a form that was taken which draft it was; leads whoever was signed out to the page with the form, not to where it was sent."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; no query."""
        sent = request.method == "POST" and request.path.startswith("/admin/")
        response = self.get_response(request)
        if not sent or response.status_code not in _DONE:
            return response
        sign_in = resolve_url(settings.LOGIN_URL)
        if urlsplit(response.get("Location", "")).path == sign_in:
            response["Location"] = f"{sign_in}?{urlencode({'next': _page_of_form(request)})}"
        elif _ID.fullmatch(draft := request.POST.get(FIELD, "")):
            response.set_cookie(FIELD, draft, max_age=3600, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax")
        return response


def _page_of_form(request: HttpRequest) -> str:
    """Return the page from which the form was sent, as the browser says; the first page where it says nothing, or one elsewhere."""
    said = urlsplit(request.META.get("HTTP_REFERER", ""))
    if said.netloc != request.get_host() or not said.path.startswith("/admin/"):
        return resolve_url("admin:index")
    return f"{said.path}?{said.query}" if said.query else said.path
