"""Closing a table, step by step: what blocks it, the blind count, the final check, two signatures. Nothing is written before the last step."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.errors import BrokenBooks, CasinoError
from casino.read_only import person
from tables.admin.act import Act
from tables.admin.act_forms import PIECE, CountForm, SignedForm
from tables.admin.session_acts import session_page
from tables.blockers import blockers
from tables.final_check import final_check
from tables.models import Property, TableSession
from tables.services import floor

LEAD = _("Counted blind: nobody who counts sees what is expected. A tray of nothing is counted, too: say 0.")


class ClosingForm(SignedForm, CountForm):
    """The closer as it was counted, and who signs it."""

    def build(self, house: Property) -> None:
        """Keep the count as it was typed, out of sight."""
        super().build(house)
        for name, field in self.fields.items():
            if name.startswith(PIECE) or name == "note":
                field.widget = forms.HiddenInput()

    @property
    def pieces(self) -> list[tuple[str, int, forms.BoundField]]:
        """Return nothing to type: the count stands in the grid."""
        return []


def close(request: HttpRequest, site: AdminSite, session: TableSession) -> HttpResponse:
    """Answer the step that is due, or (303) the session's page once it is closed."""
    step = request.POST.get("step", request.GET.get("step", "blockers"))
    found = blockers(session)
    blocked = any(one.blocks for one in found)
    back = session_page(session)
    if blocked or step not in ("count", "check", "sign"):
        return _page(
            request, site, session, "blockers", {"found": found, "blocked": blocked}, status=409 if blocked and request.method == "POST" else 200
        )
    house = session.table.property
    if request.method != "POST":
        return _page(request, site, session, "count", {"form": CountForm(house=house)})
    counted = CountForm(request.POST, house=house)
    if not counted.is_valid() or not _typed(counted):
        return _page(request, site, session, "count", {"form": counted}, status=200 if step == "count" else 400)
    if step == "count":  # to count again what was typed
        return _page(request, site, session, "count", {"form": counted})
    form = ClosingForm(request.POST, house=house)
    if step == "check":
        form = ClosingForm(house=house, initial={name: request.POST[name] for name in request.POST if name.startswith(PIECE) or name == "note"})
    elif form.is_valid() and (answer := _sign(request, session, form, back)) is not None:
        return answer
    context = {"form": form, "check": final_check(session, counted.count), "counted": counted}
    return _page(request, site, session, "sign", context, status=400 if step == "sign" else 200)


def _typed(form: CountForm) -> bool:
    """Return whether anything was counted, 0 included; say so where nothing was."""
    if any(value is not None for name, value in form.cleaned_data.items() if name.startswith(PIECE)):
        return True
    form.add_error(None, gettext("Nothing was counted. Say 0 at a denomination where the tray is empty."))
    return False


def _sign(request: HttpRequest, session: TableSession, form: ClosingForm, back: str) -> HttpResponse | None:
    by, at = person(request), timezone.now()
    try:
        witness, dealer = form.signatures(at=at, by=by)
        floor.close_session(session, form.count, at=at, by=by, witness=witness, dealer=dealer)
    except BrokenBooks:
        raise
    except CasinoError as error:
        form.place(error)
        return None
    messages.success(request, gettext("%(table)s is closed.") % {"table": session.table})
    return HttpResponseRedirect(back, status=303)


def _page(request: HttpRequest, site: AdminSite, session: TableSession, step: str, more: dict[str, Any], status: int = 200) -> HttpResponse:
    back = session_page(session)
    title = gettext("Close %(table)s") % {"table": session.table}
    words = {"blockers": gettext("Count the tray"), "count": gettext("To the final check"), "sign": gettext("Sign and close")}[step]
    house = session.table.property
    act = Act(title, words, CountForm, house, lambda *_: "", back, trail=(str(session), back), lead=str(LEAD) if step == "count" else "")
    context = {**site.each_context(request), "opts": TableSession._meta, "title": title, "act": act, "session": session, "house": house, "step": step}
    return render(request, "admin/tables/floor/close.html", {**context, **more}, status=status)
