"""A draft is typed: its edges are there at once, with what to be warned of and what differs from the version in force."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from casino.errors import BrokenBooks, CasinoError, Fault, InvalidSlip, NotFound
from casino.models import User
from casino.odds import format_odds
from tables.admin.workshop_pages import FOLDER, page, someone_who_may
from tables.admin.workshop_solves import solve_of
from tables.edge_lines import change_lines, edge_lines, effect_lines
from tables.engine.game import Game, games
from tables.engine.paytable import Paytable
from tables.models import PaytableDraft, PaytableVersion, Property
from tables.paytable_diff import diff
from tables.paytable_form import PaytableForm
from tables.paytable_selectors import base_version, draft_of, next_number
from tables.services.paytables import Look, draft_paytable, look_at, paytable_of, propose, read_paytable, version_named
from tables.solved_edges import known_edges

HOUSE = "property"
"""The field that says whose limits a draft is held against; it is no part of the paytable's own form."""
_UNNAMED = {"name": "draft", "version": 1}
"""Stands in for a name or number that is not typed yet: no edge hangs on them."""


@require_http_methods(["GET", "POST"])
def new_draft(request: HttpRequest) -> HttpResponse:
    """Answer the form of a new draft, blank or from a version, and keep it when it is sent."""
    user = someone_who_may(request, "propose_paytable")
    if request.method == "POST":
        return _save(request, user, None)
    return _page(request, _fresh_form(request), None)


@require_http_methods(["GET", "POST"])
def draft(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer the form of a draft, and keep what is sent; whoever approves may look."""
    user = someone_who_may(request, "see_workshop")
    kept = draft_of(uuid)
    if request.method == "POST":
        return _save(request, user, kept)
    return _page(request, PaytableForm.of(paytable_of(kept), games()[kept.game]), kept)


@require_POST
def look(request: HttpRequest) -> JsonResponse:
    """Answer, as JSON, what is known of what was typed so far: faults by field, edges and differences as a part of the page. Writes nothing."""
    someone_who_may(request, "propose_paytable")
    form = PaytableForm(_game(request.POST.get("game", "")), request.POST.dict())
    paytable = _read(form, identity_matters=False)
    house = _house_or_error(request, form)
    answer: dict[str, Any] = {"errors": form.errors, "edges": None, "odds": {}}
    if paytable is not None:
        answer["edges"] = render_to_string(f"{FOLDER}/look.html", look_context(paytable, house, _against(request, paytable)), request=request)
        answer["odds"] = {f"odds.{wager}.{row}": format_odds(odds) for wager, rows in paytable.odds.items() for row, odds in rows.items()}
    return JsonResponse(answer)


@require_POST
def propose_draft(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Propose what the draft says, as it was looked at, and go to the proposal."""
    user = someone_who_may(request, "propose_paytable")
    kept = draft_of(uuid)
    try:
        proposal = propose(kept, by=user, note=request.POST.get("note", "").replace("\x00", ""), revision=_revision(request))
    except CasinoError as error:
        _not_broken(error)
        messages.error(request, error.message)
        return redirect("admin:tables_workshop_draft", kept.uuid)
    messages.success(request, gettext("Proposed: %(proposal)s. Somebody who typed nothing of it approves it.") % {"proposal": proposal})
    return redirect("admin:tables_workshop_proposal", proposal.uuid)


# ---- what was typed ----


def _fresh_form(request: HttpRequest) -> PaytableForm:
    """Return the form of `?from=uth-seed@1`, with the next number, or a blank one of `?game=uth`."""
    if reference := request.GET.get("from"):
        version = version_named(reference)
        return PaytableForm.of(paytable_of(version), games()[version.game], version=str(next_number(version.name)))
    return PaytableForm.blank(_game(request.GET.get("game", "")))


def _save(request: HttpRequest, user: User, kept: PaytableDraft | None) -> HttpResponse:
    form = PaytableForm(games()[kept.game] if kept else _game(request.POST.get("game", "")), request.POST.dict())
    try:
        saved = draft_paytable(form.raw(), by=user, draft=kept, revision=_revision(request) if kept else None, house=_house(request))
    except CasinoError as error:
        _not_broken(error)
        for fault in error.faults:
            if fault.where == HOUSE:
                form.errors.setdefault(HOUSE, []).append(fault.message)
            else:
                form.place(fault)
        return _page(request, form, kept, status=error.status)
    messages.success(request, gettext("Kept as a draft: %(saved)s.") % {"saved": saved})
    return redirect("admin:tables_workshop_draft", saved.uuid)


def _read(form: PaytableForm, *, identity_matters: bool) -> Paytable | None:
    """Return the paytable that was typed, None where it says none; its faults are placed in `form`."""
    raw = form.raw()
    try:
        return read_paytable(raw)
    except InvalidSlip as error:
        faults = error.faults
    for fault in faults:
        form.place(fault)
    if identity_matters or any(_field_of(fault) not in _UNNAMED for fault in faults):
        return None
    return read_paytable({**raw, **{_field_of(fault): _UNNAMED[_field_of(fault)] for fault in faults}})


def _field_of(fault: Fault) -> str:
    return fault.where.partition(".")[0]


# ---- the page ----


def _page(request: HttpRequest, form: PaytableForm, kept: PaytableDraft | None, *, status: int = 200) -> HttpResponse:
    copy = PaytableForm(form.game, form.typed)
    house = kept.property if kept and request.method != "POST" else _house_or_error(request, copy)
    paytable = _read(copy, identity_matters=False)
    base = base_version(form.game.code, timezone.now(), house)
    looked = look_context(paytable, house, base) if paytable is not None else {"base": base}
    context = {
        **looked,
        "form": form,
        "draft": kept,
        "game": form.game,
        "houses": Property.objects.order_by("code"),
        "house": house,
        "asked": status != 200,
        "general_errors": form.errors.get("", []),
        "house_errors": form.errors.get(HOUSE, []),
        "revision_seen": request.POST.get("revision", ""),
        "typed_by": User.objects.filter(pk__in=kept.typed_by).order_by("username") if kept else [],
        "proposals": kept.proposals.order_by("-id") if kept else [],
        **(solve_of(paytable) if kept and paytable is not None and paytable.sha256 == kept.sha256 else {}),
    }
    return page(request, "draft.html", str(kept) if kept else gettext("New draft: %(game)s") % {"game": form.game.name}, context, status=status)


def look_context(paytable: Paytable, house: Property | None, base: PaytableVersion | None) -> dict[str, Any]:
    """Return what the page shows of a paytable: edges, warnings, and what differs from `base`."""
    found: Look = look_at(paytable, house)
    differs = diff(known_edges(paytable_of(base)), found.edges) if base is not None else None
    return {
        "look": found,
        "edges": edge_lines(found.edges),
        "unsolved": found.edges.unsolved,
        "base": base,
        "changes": change_lines(differs) if differs else [],
        "effects": list(effect_lines(differs)) if differs else [],
    }


def _against(request: HttpRequest, paytable: Paytable) -> PaytableVersion | None:
    try:
        base = version_named(request.POST["against"]) if request.POST.get("against") else None
    except NotFound:
        return None
    return base if base is not None and base.game == paytable.game else None


def _revision(request: HttpRequest) -> int:
    """Return the revision that was looked at. Raises InvalidSlip (`missing_field`): without it somebody's change could be lost unseen."""
    if (revision := _number(request.POST.get("revision"))) is None:
        raise InvalidSlip("missing_field", gettext("It is not said at which revision the draft was looked at: open it again."), where="revision")
    return revision


def _house(request: HttpRequest) -> Property | None:
    """Return the property whose limits the draft is held against, None where "no property" is chosen. Raises InvalidSlip (`no_property`)."""
    typed = request.POST.get(HOUSE, "")
    key = _number(typed)
    found = None if key is None else Property.objects.filter(pk=key).first()
    if typed and found is None:
        raise InvalidSlip("no_property", gettext("There is no such property: choose one, or none."), where=HOUSE)
    return found


def _house_or_error(request: HttpRequest, form: PaytableForm) -> Property | None:
    try:
        return _house(request)
    except InvalidSlip as error:
        form.errors.setdefault(HOUSE, []).append(error.message)
        return None


def _game(code: str) -> Game:
    if code not in games():
        raise Http404(gettext("There is no such game."))
    return games()[code]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _not_broken(error: CasinoError) -> None:
    if isinstance(error, BrokenBooks):
        raise error
