"""The round console: what is due is seen before saving, the difference at once, and the same page sent twice is one round.

With its scripts it saves in place and is answered in JSON; without them it is a page with buttons. Both come through here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from casino import roles, shown
from casino.errors import BrokenBooks, CasinoError, NotFound, Stale
from casino.models import User
from casino.read_only import person
from casino.wall_clock import comes_twice, offset_text
from tables.admin.round_answers import save_answer, screen_json
from tables.admin.round_fresh import Beside, facts_of, rules_now, version_at
from tables.admin.round_rival import entered_meanwhile
from tables.console_words import console_words
from tables.engine.game import games
from tables.models import Round, Table
from tables.round_fields import GENERAL, FieldError
from tables.round_form import RoundForm
from tables.round_keys import console_layout
from tables.round_lines import Ruling
from tables.round_screen import RoundScreen
from tables.selectors import open_sessions_for, rounds_for, table_of
from tables.services.rounds import preview_round, record_round
from tables.slips import read_round_slip

ADD = "admin:tables_round_add"


def enter_round(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Answer the page: which table, a fresh round at it, what is due on one in hand, or (303) the next one after one was saved."""
    user = person(request)
    code = (request.POST.get("table") or request.GET.get("table", "")).replace("\x00", "")
    if not code:
        return _choose_table(request, user, context)
    if request.method == "POST":
        return _in_hand(request, user, _table(user, code), context)
    session = open_sessions_for(user, "enter_rounds").filter(table__code=code).first()
    if session is None:
        _table(user, code)
        return _choose_table(request, user, {**context, "closed": code})
    beside = Beside(user, session)
    screen = RoundScreen(RoundForm(facts_of(session.table), beside.typed), rules=rules_now(session.table))
    return _page(request, session.table, screen, {**context, "beside": beside, "saved": _saved(request, user)})


def preview(request: HttpRequest) -> HttpResponse:
    """Answer, as JSON, what is due on what was typed so far. Writes nothing."""
    user = person(request)
    form = RoundForm(facts_of(_table(user, request.POST.get("table", "").replace("\x00", ""))), request.POST.dict())
    return JsonResponse(screen_json(request, RoundScreen(form, _ruling(form, user))))


def _table(user: User, code: str) -> Table:
    """Return a table of their pits. Raises Http404: what is not theirs is not there."""
    try:
        table = table_of(code)
    except NotFound:
        raise Http404(gettext("There is no such table.")) from None
    if not roles.may(user.roles, "enter_rounds", table.pit.code):
        raise Http404(gettext("There is no such table."))
    return table


def _choose_table(request: HttpRequest, user: User, context: dict[str, Any]) -> HttpResponse:
    sessions = list(open_sessions_for(user, "enter_rounds"))
    if len(sessions) == 1 and "closed" not in context:
        return HttpResponseRedirect(f"{reverse(ADD)}?{urlencode({'table': sessions[0].table.code})}")
    return render(request, "admin/tables/round/choose_table.html", {**context, "sessions": sessions, "games": games()})


def _saved(request: HttpRequest, user: User) -> Round | None:
    try:
        return rounds_for(user).filter(uuid=UUID(request.GET.get("saved", ""))).first()
    except ValueError:
        return None


# ---- a round in hand ----


@dataclass(frozen=True)
class _Outcome:
    """What became of saving: the round that is kept, or the HTTP status of why there is none."""

    played: Round | None = None
    status: int = 400


def _in_hand(request: HttpRequest, user: User, table: Table, context: dict[str, Any]) -> HttpResponse:
    form = RoundForm(facts_of(table), request.POST.dict())
    saving = "save" in request.POST
    if saving:
        form.check_dealer()
    screen = RoundScreen(form, _ruling(form, user), asked=saving, rules=rules_now(table))
    outcome = _save(form, screen, user) if saving else _Outcome(status=200)
    if request.headers.get(gettext("Accept")) == "application/json":
        return save_answer(request, user, table, screen, outcome.played, outcome.status)
    if outcome.played is not None:
        return HttpResponseRedirect(f"{reverse(ADD)}?{urlencode({'table': table.code, 'saved': outcome.played.uuid})}", status=303)
    session = open_sessions_for(user, "enter_rounds").filter(table=table).first()
    beside = Beside(user, session) if session else None
    status = outcome.status if outcome.status == Stale.status else 200
    return _page(request, table, screen, {**context, "beside": beside, "looked": True}, status)


def _ruling(form: RoundForm, user: User) -> Ruling | None:
    """Return what the rules say of what was typed, None where that cannot be said; what is wrong stands in the form's errors."""
    ruling = None
    try:
        raw = form.slip()
        if set(form.errors) - {"who_dealt"}:
            form.check_shape(raw["round"])
            return None
        ruled = preview_round(read_round_slip(raw), by=user)
        ruling = Ruling(ruled.settlement, ruled.wagers)
        if ruled.settlement is not None:
            raw = form.slip(ruled.settlement.dues)
            if set(form.errors) - {"who_dealt"}:
                return ruling
            if raw.keys() & {"done", "mispaid", "funds", "for_dealer"}:
                ruling = Ruling(ruled.settlement, preview_round(read_round_slip(raw), by=user).wagers)
    except CasinoError as error:
        _place(form, error)
    return ruling


def _save(form: RoundForm, screen: RoundScreen, user: User) -> _Outcome:
    """Return the round, kept; or why something is to be looked at or mended first."""
    if form.errors or screen.ruling is None or screen.unexplained:
        return _Outcome()
    if screen.due_changed:
        form.add_error(GENERAL, FieldError(gettext("What is due has changed since you looked. Look again, then save.")))
        return _Outcome(status=Stale.status)
    settlement = screen.ruling.settlement
    try:
        slip = read_round_slip(form.slip(settlement.dues if settlement else None))
        return _Outcome(record_round(slip, by=user, at=timezone.now()))
    except CasinoError as error:
        stale = entered_meanwhile(form, user) if error.code == "number_taken" else None
        _place(form, stale or error)
        return _Outcome(status=(stale or error).status)


def _place(form: RoundForm, error: CasinoError) -> None:
    """Note what `error` says at its fields; broken books are nobody's field."""
    if isinstance(error, BrokenBooks):
        raise error
    for fault in error.faults:
        form.place(fault)


# ---- the page ----


def _page(request: HttpRequest, table: Table, screen: RoundScreen, context: dict[str, Any], status: int = 200) -> HttpResponse:
    now = timezone.now()
    local = shown.local(now, table.property)
    beside: Beside | None = context["beside"]
    more = {
        "table": table,
        "house": table.property,
        "session": beside.session if beside else None,
        "last_rounds": beside.last_rounds if beside else [],
        "dealers": beside.dealers if beside else [],
        "screen": screen,
        "form": screen.form,
        "version": version_at(table, now),
        "texts": json.dumps(console_words()),
        "layout": json.dumps(console_layout(screen.layout, screen.rules)),
        "bets": json.dumps(beside.bets if beside else {}),
        "seats": json.dumps(sorted({*(beside.seats if beside else []), *screen.form.seats})),
        "open_tables": [session.table.code for session in open_sessions_for(person(request), "enter_rounds")],
        "offsets": sorted({offset_text(local.replace(fold=fold)) for fold in (0, 1)}) if comes_twice(local) else [],
        "title": gettext("%(code)s · enter a round") % {"code": table.code},
    }
    return render(request, "admin/tables/round/enter.html", {**context, **more}, status=status)
