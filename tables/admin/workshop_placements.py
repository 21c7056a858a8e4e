"""A version is put in force at a table from a moment on: proposed from its page, approved by another person with the password again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from casino import roles, shown
from casino.errors import CasinoError, InvalidSlip
from casino.models import User
from casino.step_up_form import StepUpForm
from casino.wall_clock import read_local
from tables.admin.workshop_pages import NoteForm, no_such_end, page, say, say_at, someone_who_may
from tables.engine.game import games
from tables.models import PaytablePlacement, PaytableVersion, PlacementEvent, Table, TablePaytable
from tables.paytable_selectors import placement_of
from tables.services.placements import approve_in_force, propose_in_force, refuse_in_force, withdraw_in_force


class PlaceForm(forms.Form):
    """Where and from when a version is to be in force."""

    table = forms.ModelChoiceField(Table.objects.none(), label=_("Table"), empty_label=None)
    from_at = forms.CharField(label=_("From"), help_text=_("by the table's clock"), widget=forms.TextInput(attrs={"type": "datetime-local"}))
    note = forms.CharField(label=_("Note"), max_length=300, required=False)

    def __init__(self, version: PaytableVersion, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tables = Table.objects.filter(game=version.game).select_related("property").order_by("property__code", "code")
        self.fields["table"].queryset = self.tables  # type: ignore[attr-defined]

    def moment(self) -> datetime:
        """Return when, on the table's wall clock. Raises InvalidSlip (`bad_time`) at `from_at`."""
        try:
            return read_local(self.cleaned_data["from_at"], self.cleaned_data["table"].property.zone)
        except ValueError as error:
            raise InvalidSlip("bad_time", f"{error}.", where="from_at") from error


def place_form(version: PaytableVersion, data: Any = None) -> PlaceForm:
    """Return the form of `version`; a fresh one says the next full hour of the first table's clock."""
    form = PlaceForm(version, data)
    first = form.tables.first()
    if data is None and first is not None:
        next_hour = shown.local(timezone.now() + timedelta(hours=1), first.property)
        form.initial["from_at"] = next_hour.replace(minute=0, second=0, microsecond=0, tzinfo=None).isoformat(timespec="minutes")
    return form


@require_POST
def place(request: HttpRequest, pk: int) -> HttpResponse:
    """Propose to put the version in force; what is wrong stands on a page of its own at its field."""
    user = someone_who_may(request, "propose_paytable")
    version = get_object_or_404(PaytableVersion, pk=pk)
    form = place_form(version, request.POST)
    if form.is_valid():
        try:
            table, note = form.cleaned_data["table"], form.cleaned_data["note"]
            one = propose_in_force(table, version, from_at=form.moment(), at=timezone.now(), by=user, note=note)
        except CasinoError as error:
            say_at(form, error)
        else:
            messages.success(request, gettext("Proposed: %(one)s. Somebody else approves it.") % {"one": one})
            return redirect("admin:tables_workshop_placement", one.uuid)
    return page(
        request, "place.html", gettext("Put %(version)s in force") % {"version": version}, {"version": version, "place_form": form}, status=400
    )


@require_http_methods(["GET", "POST"])
def placement(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Answer the proposed placement, and end it as was ordered: `end` is approve, refuse or withdraw."""
    user = someone_who_may(request, "see_workshop")
    one, end = placement_of(uuid), request.POST.get("end")
    approval = StepUpForm(request.POST if end == "approve" else None)
    refusal = NoteForm(request.POST if end == "refuse" else None)
    if request.method == "POST" and _ended(request, user, one, end, {"approve": approval, "refuse": refusal}):
        return redirect("admin:tables_workshop_placement", one.uuid)
    context = {
        "placement": one,
        "state": one.state,  # type: ignore[attr-defined]
        "house": one.table.property,
        "game": games()[one.version.game],
        "own": user.pk == one.proposed_by_id,
        "before": _before(one),
        "events": list(PlacementEvent.objects.filter(placement=one).select_related("by").order_by("sequence")),
        "approval_form": approval,
        "refusal_form": refusal,
    }
    return page(request, "placement.html", str(one), context, status=400 if request.method == "POST" else 200)


def _before(one: PaytablePlacement) -> TablePaytable | None:
    """Return what is in force at the table until the placement begins."""
    rows = TablePaytable.objects.filter(table=one.table, from_at__lt=one.from_at)
    return rows.select_related("version").order_by("-from_at").first()


def _ended(request: HttpRequest, user: User, one: PaytablePlacement, end: str | None, typed: dict[str, forms.Form]) -> bool:
    """Do what was ordered; return whether it is done, else the form says what is wrong."""
    form, now = typed.get(end or ""), timezone.now()
    if isinstance(form, StepUpForm):
        roles.require(user, "approve_paytable")
    if not (form.confirms(user, at=now) if isinstance(form, StepUpForm) else form is None or form.is_valid()):
        return False
    try:
        if end == "approve":
            approve_in_force(one, by=user, at=now)
            messages.success(
                request, gettext("In force: %(one)s, from %(property)s on.") % {"one": one, "property": shown.stamp(one.from_at, one.table.property)}
            )
        elif end == "refuse" and form is not None:
            refuse_in_force(one, by=user, note=form.cleaned_data["note"])
            messages.success(request, _("Refused."))
        elif end == "withdraw":
            withdraw_in_force(one, by=user)
            messages.success(request, _("Taken back."))
        else:
            raise no_such_end()
    except CasinoError as error:
        say(request, form, error)
        return False
    return True
