"""A proposal: what it says and what that is worth, against the version in force; and its end by another person, or taken back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from casino import roles
from casino.errors import CasinoError
from casino.models import User
from tables.admin.workshop_diff import Worth, worth_of
from tables.admin.workshop_drafts import look_context
from tables.admin.workshop_pages import ApprovalForm, NoteForm, no_such_end, page, say, someone_who_may
from tables.admin.workshop_solves import solve_of
from tables.bet_words import bet_name, row_name
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableEvent, PaytableProposal
from tables.paytable_selectors import base_version, proposal_of
from tables.paytable_words import odds_lines, rule_lines, say_rule
from tables.services.paytables import approve, paytable_of, refuse, withdraw


@require_http_methods(["GET", "POST"])
def proposal(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer the proposal, and end it as was ordered: `end` is approve, refuse or withdraw."""
    user = someone_who_may(request, "see_workshop")
    one, end = proposal_of(uuid), request.POST.get("end")
    approval = ApprovalForm(request.POST if end == "approve" else None)
    refusal = NoteForm(request.POST if end == "refuse" else None)
    if request.method == "POST" and (address := _end(request, user, one, end, {"approve": approval, "refuse": refusal})) is not None:
        return redirect(*address)
    context = _context(request, user, one) | {"approval_form": approval, "refusal_form": refusal}
    return page(request, "proposal.html", str(one), context, status=400 if request.method == "POST" else 200)


def _end(request: HttpRequest, user: User, one: PaytableProposal, end: str | None, typed: dict[str, forms.Form]) -> tuple[Any, ...] | None:
    """Do what was ordered and return where to go, None where the page has to say what is wrong."""
    form = typed.get(end or "")
    if isinstance(form, ApprovalForm):
        roles.require(user, "approve_paytable")
        if not form.confirms(user, at=timezone.now()):
            return None
    elif form is not None and not form.is_valid():
        return None
    try:
        return _order(request, user, one, end, form)
    except CasinoError as error:
        say(request, form, error)
        return None


def _order(request: HttpRequest, user: User, one: PaytableProposal, end: str | None, form: forms.Form | None) -> tuple[Any, ...] | None:
    if end == "approve" and form is not None:
        version = approve(one, by=user, approval=form.cleaned_data["approval"])
        messages.success(
            request,
            gettext("Published: %(version)s, code %(short_code)s. Nothing is paid by it before it is put in force at a table.")
            % {"version": version, "short_code": version.short_code},
        )
        return "admin:tables_paytableversion_change", version.pk
    if end == "refuse" and form is not None:
        refuse(one, by=user, note=form.cleaned_data["note"])
        messages.success(request, gettext("Refused: %(one)s.") % {"one": one})
    elif end == "withdraw":
        withdraw(one, by=user)
        messages.success(request, gettext("Taken back: %(one)s.") % {"one": one})
    else:
        raise no_such_end()
    return "admin:tables_workshop_proposal", one.uuid


def _context(request: HttpRequest, user: User, one: PaytableProposal) -> dict[str, Any]:
    paytable = paytable_of(one)
    base = base_version(one.game, timezone.now(), one.property)
    typed = User.objects.filter(pk__in=one.typed_by).order_by("username")
    worth: Worth | None = worth_of(request, paytable_of(base), paytable, one.property) if base is not None else None
    return {
        **look_context(paytable, one.property, base),
        **solve_of(paytable),
        **said(paytable),
        "proposal": one,
        "state": one.state,  # type: ignore[attr-defined]
        "game": games()[one.game],
        "typed_by": typed,
        "own": user.pk == one.proposed_by_id or user.pk in one.typed_by,
        "events": list(PaytableEvent.objects.filter(proposal=one).select_related("by").order_by("sequence")),
        "worth": worth,
    }


def said(paytable: Paytable) -> dict[str, Any]:
    """Return what a paytable says, in words."""
    return {
        "wagers": [bet_name(wager) for wager in paytable.odds],
        "odds": odds_lines(paytable, row_name),
        "rules": list(rule_lines(paytable.rules, say_rule)),
    }
