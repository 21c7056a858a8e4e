"""What a property allows as its edge on each bet: set by a games manager, with an auditor beside who types their own password."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from casino.errors import CasinoError
from casino.models import User
from casino.step_up_form import StepUpForm
from tables.admin.workshop_pages import page, say_at, someone_who_may
from tables.bet_words import bet_name
from tables.edge_record import percent
from tables.engine.game import Game, games
from tables.models import EdgeLimit, Property
from tables.paytable_files import published
from tables.services.edge_limits import PPM, set_edge_limits
from tables.solved_edges import known_edges

EVERY = _("every bet")


class LimitForm(StepUpForm):
    """One limit: where, on which bet, from and to, and who approves it here and now."""

    house = forms.ModelChoiceField(Property.objects.order_by("code"), label=_("Property"), empty_label=None)
    bet = forms.ChoiceField(label=_("Bet"))
    least = forms.DecimalField(label=_("At least, %"), min_value=-100, max_value=100, decimal_places=4, widget=forms.TextInput(attrs={"size": "8"}))
    most = forms.DecimalField(label=_("At most, %"), min_value=-100, max_value=100, decimal_places=4, widget=forms.TextInput(attrs={"size": "8"}))
    approved_by = forms.CharField(label=_("Approved by, staff number"), max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].label = gettext("The approver's password")
        choices = [(f"{game.code}:{bet}", f"{game.name}: {bet_name(bet) if bet else EVERY}") for game in games().values() for bet in _bets(game)]
        self.fields["bet"].choices = choices  # type: ignore[attr-defined]

    def clean_approved_by(self) -> User:
        """Return the approver, who works here; an unknown number is said at the field."""
        found = User.objects.filter(username=self.cleaned_data["approved_by"].strip(), is_active=True).first()
        if found is None:
            raise forms.ValidationError(gettext("Nobody of this number works here."))
        return found

    def share(self, name: str) -> Fraction:
        """Return the field, typed in percent, as a part of the stake."""
        return Fraction(self.cleaned_data[name]) / 100


def _bets(game: Game) -> list[str]:
    """Return "" for every bet, then the bets whose edges are known of the game's first published version."""
    found = known_edges(published()[game.default_paytable])
    return ["", *found.bets, *found.unsolved] if found.bets or found.unsolved else []


@require_http_methods(["GET", "POST"])
def limits(request: HttpRequest) -> HttpResponse:
    """Answer the limits that count, and set one; the approver's password is asked for, and their failures are theirs."""
    user = someone_who_may(request, "see_workshop")
    form = LimitForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        someone_who_may(request, "propose_paytable")
        if form.is_valid() and form.confirms(form.cleaned_data["approved_by"], at=timezone.now()) and _set(form, user):
            messages.success(request, _("Set. Drafts and proposals are held against it from now on."))
            return redirect("admin:tables_workshop_limits")
    context = {"form": form, "limits": _standing()}
    return page(request, "limits.html", gettext("Limits of the edge"), context, status=400 if request.method == "POST" else 200)


def _set(form: LimitForm, by: User) -> bool:
    said = form.cleaned_data
    game, _, bet = said["bet"].partition(":")
    try:
        set_edge_limits(said["house"], game, bet, least=form.share("least"), most=form.share("most"), by=by, approved_by=said["approved_by"])
    except CasinoError as error:
        say_at(form, error)
        return False
    return True


def _standing() -> list[dict[str, Any]]:
    """Return the limits that count: the last of each property, game and bet. One query."""
    rows = EdgeLimit.objects.select_related("property", "proposed_by", "approved_by").order_by("id")
    last = {(row.property_id, row.game, row.bet): row for row in rows}
    return [
        {
            "row": row,
            "game": games()[row.game].name,
            "bet": bet_name(row.bet) if row.bet else EVERY,
            "least": percent(Fraction(row.least_ppm, PPM)),
            "most": percent(Fraction(row.most_ppm, PPM)),
        }
        for row in sorted(last.values(), key=lambda row: (row.property.code, row.game, row.bet))
    ]
