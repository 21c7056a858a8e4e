"""The page where an auditor rules on an irregular round: it stands as dealt, or what was due on each wager; with the password again."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import roles
from casino.errors import CasinoError
from casino.models import User
from casino.money import Minor, Notation
from casino.read_only import person
from casino.step_up_form import StepUpForm
from ledger.archived import refuse_archived
from tables.admin.correction_forms import place_errors
from tables.bet_words import bet_word
from tables.models import Round, Wager
from tables.round_story import tell
from tables.round_values import read_done
from tables.services.corrections import wagers_of
from tables.services.rulings import MOST_REASON, RuledDue, rule_irregular


class RulingForm(StepUpForm):
    """How it is ruled, why, and, unless it stands, one signed amount a wager: what was due to the patron."""

    how = forms.ChoiceField(
        label=_("The round"),
        choices=[("stands", _("stands as dealt")), ("due", _("is settled as said below"))],
        widget=forms.RadioSelect,
        initial="stands",
    )
    reason = forms.CharField(label=_("Because"), max_length=MOST_REASON, widget=forms.TextInput(attrs={"size": 60}))
    after = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, wagers: list[Wager], notation: Notation, **kwargs: Any) -> None:
        self.wagers, self.notation = wagers, notation
        super().__init__(*args, **kwargs)
        for wager in wagers:
            label = gettext("Seat %(seat)s %(kind)s, due") % {"seat": wager.seat, "kind": bet_word(wager.kind)}
            widget = forms.TextInput(attrs={"size": 10, "inputmode": "text"})
            self.fields[spot(wager)] = forms.CharField(label=label, required=False, max_length=40, widget=widget)
        self.order_fields(["how", "reason", *[spot(wager) for wager in wagers]])

    @property
    def spots(self) -> list[forms.BoundField]:
        """Return the fields of what was due."""
        return [self[spot(wager)] for wager in self.wagers]

    def clean(self) -> dict[str, Any]:
        """Return what was said; each wager's due is read where the round does not stand."""
        said = super().clean() or {}
        if said.get("how") == "due":
            for wager in self.wagers:
                try:
                    said[spot(wager)] = read_done(said.get(spot(wager), "").strip() or "?", self.notation)
                except ValueError:
                    self.add_error(spot(wager), gettext("Say what was due: −10.00 taken, +15.00 paid, 0 returned."))
        return said

    def due(self) -> dict[tuple[int, str], RuledDue] | None:
        """Return what was due by (seat, kind), None where it stands."""
        if self.cleaned_data["how"] == "stands":
            return None
        said = {(wager.seat, wager.kind): self.cleaned_data[spot(wager)] for wager in self.wagers}
        return {key: RuledDue(done.collected or Minor(0), done.paid or Minor(0)) for key, done in said.items()}


def spot(wager: Wager) -> str:
    """Return the name of a wager's field."""
    return f"due.{wager.seat}.{wager.kind}"


def rule_round(request: HttpRequest, played: Round, context: dict[str, Any]) -> HttpResponse:
    """Answer the page of a ruling, or (303) the round's page once it is ruled on."""
    user = person(request)
    if not played.irregular or not roles.may(user.roles, "rule_irregular", played.session.table.pit.code):
        raise PermissionDenied
    refuse_archived(played.gaming_day)
    wagers, at = wagers_of(played), timezone.now()
    seen = played.rulings.count()
    form = RulingForm(request.POST or None, wagers=wagers, notation=played.session.table.property.notation, initial={"after": seen})
    if request.method == "POST" and form.confirms(user, at=at) and _rule(form, played, user, at):
        messages.success(request, _("Ruled. The audit looks at it now."))
        return HttpResponseRedirect(reverse("admin:tables_round_change", args=[played.pk]), status=303)
    more = {"form": form, "story": tell(played, wagers), "title": gettext("Rule on round %(number)s") % {"number": played.number}, "subtitle": None}
    return render(request, "admin/tables/round/ruling.html", {**context, **more}, status=400 if form.errors else 200)


def _rule(form: RulingForm, played: Round, user: User, at: Any) -> bool:
    try:
        rule_irregular(played, reason=form.cleaned_data["reason"], due=form.due(), by=user, at=at, after=form.cleaned_data["after"])
    except CasinoError as error:
        place_errors(form, error)
        return False
    return True
