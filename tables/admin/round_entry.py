"""The page where a round is entered: what is due is seen before saving, the difference at once, and the same page sent twice is one round."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from casino import roles, shown
from casino.errors import BrokenBooks, CasinoError, Conflict, NotFound
from casino.models import User
from casino.money import format_amount
from casino.read_only import person
from casino.wall_clock import comes_twice, offset_text
from tables.engine.game import games
from tables.models import PaytableVersion, Round, Table, TableSession
from tables.round_fields import GENERAL, FieldError, TableFacts, round_name, seat_name
from tables.round_form import RoundForm
from tables.round_lines import Ruling
from tables.round_screen import RoundScreen
from tables.selectors import dealer_now, open_sessions_for, rounds_for, standing, table_of, version_in_force
from tables.services.rounds import preview_round, record_round
from tables.slips import read_round_slip

ADD = "admin:tables_round_add"
LAST_SHOWN = 4


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
    return _fresh(request, user, session, context)


def preview(request: HttpRequest) -> HttpResponse:
    """Answer, as JSON, what is due on what was typed so far. Writes nothing."""
    user = person(request)
    form = RoundForm(_facts(_table(user, request.POST.get("table", "").replace("\x00", ""))), request.POST.dict())
    screen = RoundScreen(form, _ruling(form, user))
    found = screen.as_json()
    found["differences"] = render_to_string("admin/tables/round/differences.html", {"screen": screen}, request=request)
    return JsonResponse(found)


def _table(user: User, code: str) -> Table:
    """Return a table of their pits. Raises Http404: what is not theirs is not there."""
    try:
        table = table_of(code)
    except NotFound:
        raise Http404("There is no such table.") from None
    if not roles.may(user.roles, "enter_rounds", table.pit.code):
        raise Http404("There is no such table.")
    return table


def _facts(table: Table) -> TableFacts:
    return TableFacts(table.code, games()[table.game], table.property.exponent, table.property.zone)


def _choose_table(request: HttpRequest, user: User, context: dict[str, Any]) -> HttpResponse:
    sessions = list(open_sessions_for(user, "enter_rounds"))
    if len(sessions) == 1 and "closed" not in context:
        return HttpResponseRedirect(f"{reverse(ADD)}?{urlencode({'table': sessions[0].table.code})}")
    return render(request, "admin/tables/round/choose_table.html", {**context, "sessions": sessions, "games": games()})


# ---- a fresh page ----


def _fresh(request: HttpRequest, user: User, session: TableSession, context: dict[str, Any]) -> HttpResponse:
    last = list(_last_rounds(user, session))
    typed = {**_now(session.table), "uuid": str(uuid4()), "who_dealt": _dealer(session, last), **_again(session.table, last)}
    screen = RoundScreen(RoundForm(_facts(session.table), typed))
    return _page(request, session.table, screen, {**context, **_beside(session, last), "saved": _saved(request, user)})


def _last_rounds(user: User, session: TableSession) -> QuerySet[Round]:
    return rounds_for(user).filter(standing(), session=session).order_by("-id")[:LAST_SHOWN]


def _now(table: Table) -> dict[str, str]:
    local = shown.local(timezone.now(), table.property).replace(microsecond=0)
    return {"occurred_at": local.replace(tzinfo=None).isoformat(), "utc_offset": offset_text(local)}


def _dealer(session: TableSession, last: list[Round]) -> str:
    dealer = dealer_now(session)
    return dealer.code if dealer else last[0].dealer.code if last else ""


def _again(table: Table, last: list[Round]) -> dict[str, str]:
    """Return the fields that are mostly as in the round before: who sits where with which ante and side bet."""
    if not last:
        return {}
    facts: Mapping[str, Any] = json.loads(bytes(last[0].deal))
    layout, exponent = games()[table.game].layout, table.property.exponent
    typed = {round_name(field.name): facts.get(field.name) for field in layout.round_fields if field.habit == "again"}
    for seat in facts["seats"]:
        typed |= {seat_name(seat["seat"], field.name): seat.get(field.name) for field in layout.seat_fields if field.habit == "again"}
    return {name: format_amount(amount, exponent) for name, amount in typed.items() if amount is not None}


def _saved(request: HttpRequest, user: User) -> Round | None:
    try:
        return rounds_for(user).filter(uuid=UUID(request.GET.get("saved", ""))).first()
    except ValueError:
        return None


# ---- a round in hand ----


def _in_hand(request: HttpRequest, user: User, table: Table, context: dict[str, Any]) -> HttpResponse:
    form = RoundForm(_facts(table), request.POST.dict())
    saving = "save" in request.POST
    if saving:
        form.check_dealer()
    screen = RoundScreen(form, _ruling(form, user), asked=saving)
    if saving and (played := _save(form, screen, user)) is not None:
        return HttpResponseRedirect(f"{reverse(ADD)}?{urlencode({'table': table.code, 'saved': played.uuid})}", status=303)
    session = open_sessions_for(user, "enter_rounds").filter(table=table).first()
    beside = _beside(session, list(_last_rounds(user, session))) if session else {}
    return _page(request, table, screen, {**context, **beside, "looked": True})


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
            if raw.get("done") or raw.get("mispaid"):
                ruling = Ruling(ruled.settlement, preview_round(read_round_slip(raw), by=user).wagers)
    except CasinoError as error:
        _place(form, error)
    return ruling


def _save(form: RoundForm, screen: RoundScreen, user: User) -> Round | None:
    """Return the round, kept; None where something is to be looked at or mended first."""
    if form.errors or screen.ruling is None or screen.unexplained:
        return None
    if screen.due_changed:
        form.add_error(GENERAL, FieldError("What is due has changed since you looked. Look again, then save."))
        return None
    settlement = screen.ruling.settlement
    try:
        return record_round(read_round_slip(form.slip(settlement.dues if settlement else None)), by=user, at=timezone.now())
    except CasinoError as error:
        _place(form, error)
        return None


def _place(form: RoundForm, error: CasinoError) -> None:
    """Note what `error` says at its fields; broken books are nobody's field."""
    if isinstance(error, BrokenBooks):
        raise error
    for fault in error.faults:
        form.place(fault)


# ---- the page ----


def _beside(session: TableSession, last: list[Round]) -> dict[str, Any]:
    turns = session.turns.select_related("dealer").order_by("-from_at")[:8]
    return {"session": session, "last_rounds": last, "turns": list(turns)}


def _page(request: HttpRequest, table: Table, screen: RoundScreen, context: dict[str, Any]) -> HttpResponse:
    now = timezone.now()
    local = shown.local(now, table.property)
    more = {
        "table": table,
        "house": table.property,
        "screen": screen,
        "form": screen.form,
        "version": _version(table, now),
        "open_tables": [session.table.code for session in open_sessions_for(person(request), "enter_rounds")],
        "offsets": sorted({offset_text(local.replace(fold=fold)) for fold in (0, 1)}) if comes_twice(local) else [],
        "title": f"{table.code} · enter a round",
    }
    return render(request, "admin/tables/round/enter.html", {**context, **more})


def _version(table: Table, at: datetime) -> PaytableVersion | None:
    try:
        return version_in_force(table, at)
    except Conflict:
        return None
