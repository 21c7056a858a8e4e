"""The page of a shift's draw: the committed hash, the revealed seed, what is to be looked at on video, and the risk list. A door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from audit import draws
from audit.draw import WEIGHTS
from audit.models import Draw, DrawnItem, DrawOutcome
from audit.verb_forms import refused_at_its_field
from casino import roles
from casino.read_only import person
from tables.models import Shift, ShiftEvent
from tables.selectors import shift_state, shifts_for


class OutcomeForm(forms.Form):
    """What the video showed of one drawn thing."""

    item = forms.IntegerField(widget=forms.HiddenInput)
    outcome = forms.ChoiceField(label=_("Outcome"), choices=DrawOutcome.Outcome.choices)
    camera = forms.CharField(label=_("Camera"), required=False)
    note = forms.CharField(label=_("Note"), required=False)


@dataclass(frozen=True)
class ItemLine:
    """A drawn thing, the outcomes so far, and the form."""

    item: DrawnItem
    outcomes: list[DrawOutcome]
    form: OutcomeForm


@require_http_methods(["GET", "HEAD", "POST"])
def draw_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer the draw of a shift; POST reveals it, or keeps an outcome; what is wrong stands at its field."""
    user = person(request)
    roles.require(user, "read_draw")
    shift = get_object_or_404(shifts_for(user), pk=pk)
    kept = Draw.objects.filter(shift=shift).select_related("commitment").first()
    bound = None
    if request.method == "POST" and "reveal" in request.POST:
        draws.reveal(shift, by=user)
        messages.success(request, _("The seed is revealed, and what it draws is drawn."))
        return HttpResponseRedirect(reverse("admin:tables_shift_draw", args=[pk]))
    if request.method == "POST":
        bound = _keep(request, kept)
        if not bound.errors:
            messages.success(request, _("Kept."))
            return HttpResponseRedirect(reverse("admin:tables_shift_draw", args=[pk]))
    context = {
        **admin.site.each_context(request),
        "title": gettext("Draw of the %(shift)s") % {"shift": shift},
        "shift": shift,
        "house": shift.property,
        "draw": kept,
        "commitment": kept.commitment if kept else draws.commitment_of(shift),
        "seed": bytes(kept.seed).hex() if kept else "",
        "wrong": draws.verify(kept) if kept else [],
        "items": _lines(kept, bound) if kept else [],
        "risks": [(played, risk.weight, [WEIGHTS[code][1] for code in risk.reasons]) for played, risk in draws.risky_rounds(shift)],
        "weights": [(weight, words) for weight, words in WEIGHTS.values()],
        "may_reveal": kept is None and shift_state(shift) == ShiftEvent.State.ENDED and roles.may(user.roles, "reveal_draw"),
        "opts": Shift._meta,
    }
    return render(request, "admin/tables/shift/draw.html", context, status=400 if bound is not None else 200)


def _keep(request: HttpRequest, kept: Draw | None) -> OutcomeForm:
    form = OutcomeForm(request.POST, auto_id=f"id_{request.POST.get('item', '')}_%s")
    if form.is_valid():
        said: dict[str, Any] = form.cleaned_data
        item = DrawnItem.objects.filter(draw=kept, pk=said["item"]).select_related("round").first()
        if item is None:
            raise Http404(gettext("That was not drawn."))
        refused_at_its_field(form, lambda: draws.keep_outcome(item, said["outcome"], by=person(request), camera=said["camera"], note=said["note"]))
    return form


def _lines(kept: Draw, bound: OutcomeForm | None) -> list[ItemLine]:
    items = kept.items.select_related("round__session__table", "round__dealer", "session__table").prefetch_related("outcomes__by")
    return [ItemLine(item, list(item.outcomes.all()), _form(item, bound)) for item in items.order_by("session", "place")]


def _form(item: DrawnItem, bound: OutcomeForm | None) -> OutcomeForm:
    if bound is not None and bound.data.get("item") == str(item.pk):
        return bound
    return OutcomeForm(initial={"item": item.pk}, auto_id=f"id_{item.pk}_%s")
