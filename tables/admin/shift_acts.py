"""A shift begins and ends: two pages of the shift manager, each calls one service."""

from __future__ import annotations

from datetime import datetime

from django import forms
from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino import roles
from casino.gaming_day import gaming_day
from casino.models import User
from casino.read_only import person
from tables.admin.act import Act, answer
from tables.admin.act_forms import ActForm
from tables.house_settings import settings_on
from tables.models import Property, SessionEvent, Shift
from tables.selectors import sessions_in, shifts_for
from tables.services import floor


class OpenShiftForm(ActForm):
    """Which shift of which gaming day, and its hours by the house's clock."""

    day = forms.DateField(label=gettext_lazy("Gaming day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    kind = forms.ChoiceField(label=gettext_lazy("Shift"), choices=Shift.Kind.choices)
    starts = forms.TimeField(label=gettext_lazy("Begins at"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"))
    ends = forms.TimeField(label=gettext_lazy("Ends at"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"))


def open_shift(request: HttpRequest, site: AdminSite) -> HttpResponse:
    """Answer the page where a shift is opened. Raises Refused; Http404 where there is no property yet."""
    user = person(request)
    roles.require(user, "open_shift")
    house = Property.objects.order_by("code").first()
    if house is None:
        raise Http404(_("There is no property yet."))

    def perform(form: OpenShiftForm, at: datetime, by: User) -> str:
        said = form.cleaned_data
        shift = floor.open_shift(house, said["day"], said["kind"], starts=said["starts"], ends=said["ends"], at=at, by=by)
        return _("%(shift)s is open.") % {"shift": str(shift).capitalize()}

    lead = _("Its tables open in it, each with its counted opener. Hours are by the house's clock; one that ends before it begins ends the next day.")
    today = gaming_day(timezone.now(), house.zone, house.rollover)
    usual = settings_on(house, today).shift_hours
    kind = request.GET.get("kind", "") if request.GET.get("kind", "") in usual else Shift.Kind.SWING
    act = Act(
        _("Open a shift"),
        _("Open the shift"),
        OpenShiftForm,
        house,
        perform,
        reverse("admin:index"),
        lead=lead,
        initial={"day": today, "kind": kind, "starts": usual[kind][0], "ends": usual[kind][1]},
        facts=((_("Schedule"), " · ".join(f"{name} {begins:%H:%M}–{ends:%H:%M}" for name, (begins, ends) in usual.items())),),
    )
    return answer(request, act, site, Shift)


def end_shift(request: HttpRequest, site: AdminSite, pk: int) -> HttpResponse:
    """Answer the page where a shift is ended; its audit and reconciliation begin by themselves then. Raises Refused, Http404."""
    user = person(request)
    roles.require(user, "end_shift")
    shift = get_object_or_404(shifts_for(user), pk=pk)

    def perform(form: ActForm, at: datetime, by: User) -> str:
        floor.end_shift(shift, at=at, by=by)
        return _("The shift has ended. Every payout is audited now, then each table is reconciled.")

    back = reverse("admin:tables_shift_change", args=[shift.pk])
    still = sorted({session.table.code for session in sessions_in(SessionEvent.State.OPEN, shift.sessions.select_related("table"))})
    facts = ((_("Still open"), ", ".join(still)),) if still else ()
    lead = _("It ends when its tables are closed and counted. Nothing more is entered in it after that; what comes late is a correction.")
    act = Act(_("End the shift"), _("End the shift"), ActForm, shift.property, perform, back, trail=(str(shift), back), lead=lead, facts=facts)
    return answer(request, act, site, Shift)
