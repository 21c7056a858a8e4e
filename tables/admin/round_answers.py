"""What the round console's scripts are answered, as JSON: what is due on a round in hand, and what became of saving it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from casino.models import User
from tables.admin.round_fresh import Beside, facts_of, rules_now
from tables.models import Round, Table
from tables.round_form import RoundForm
from tables.round_screen import RoundScreen
from tables.selectors import open_sessions_for

_PARTS = "admin/tables/round/"


def screen_json(request: HttpRequest, screen: RoundScreen) -> dict[str, Any]:
    """Return what the page shows: the screen's values, the differences in words, and where a seat lays any bet each seat's wagers."""
    found = screen.as_json()
    found["differences"] = render_to_string(f"{_PARTS}differences.html", {"screen": screen}, request=request)
    if screen.takes_any:
        found["flows"] = {str(line.number): render_to_string(f"{_PARTS}flow.html", {"line": line, "screen": screen}) for line in screen.seats}
    return found


def save_answer(request: HttpRequest, user: User, table: Table, screen: RoundScreen, played: Round | None, status: int) -> HttpResponse:
    """Answer (`status`, 4xx) what is wrong, with the screen; or (201) the kept round's lines, and the fields of the next one."""
    if played is None:
        return JsonResponse(screen_json(request, screen), status=status)
    saved = render_to_string(f"{_PARTS}saved.html", {"saved": played, "house": table.property}, request=request)
    found: dict[str, Any] = {"uuid": str(played.uuid), "saved": saved}
    session = open_sessions_for(user, "enter_rounds").filter(table=table).first()
    return JsonResponse(found | (_next_round(request, table, Beside(user, session)) if session else {}), status=201)


def _next_round(request: HttpRequest, table: Table, beside: Beside) -> dict[str, Any]:
    fresh = RoundScreen(RoundForm(facts_of(table), beside.typed), rules=rules_now(table))
    lines = render_to_string(f"{_PARTS}last_rounds.html", {"last_rounds": beside.last_rounds, "house": table.property}, request=request)
    return {
        "fresh": fresh.form.typed,
        "seats": beside.seats,
        "bets": beside.bets,
        "last_rounds": lines,
        "screen": screen_json(request, fresh),
    }
