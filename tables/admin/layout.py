"""The floor laid out on pages: a property, its pits, tables and dealers; chips for the cage and a table's bankroll. Doors only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin import AdminSite
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino import roles
from casino.models import User
from casino.read_only import person
from tables.admin.act import Act, Perform, answer
from tables.admin.act_forms import ActForm, AmountField
from tables.engine.game import games
from tables.models import Pit, Property, Table
from tables.services import chips, floor, layout

AS_TYPED = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})


class NamedForm(ActForm):
    """A code and a name."""

    code = forms.CharField(max_length=20, label=gettext_lazy("Code"), widget=AS_TYPED)
    name = forms.CharField(max_length=120, label=gettext_lazy("Name"))


class DealerForm(NamedForm):
    """A dealer by staff number; the name may be left out."""

    name = forms.CharField(max_length=120, required=False, label=gettext_lazy("Name"))


class PropertyForm(NamedForm):
    """A property: its clock and its currency stay as they are made."""

    zone = forms.CharField(max_length=60, label=gettext_lazy("Time zone, as Europe/Berlin"), widget=AS_TYPED)
    currency = forms.CharField(max_length=3, label=gettext_lazy("Currency, as EUR"), widget=AS_TYPED)
    exponent = forms.IntegerField(min_value=0, max_value=4, initial=2, label=gettext_lazy("Its decimals"))
    writes = forms.ChoiceField(choices=Property.Writes.choices, label=gettext_lazy("Amounts are written"))
    rollover = forms.TimeField(
        initial="06:00", label=gettext_lazy("Gaming days begin at"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )


class TableForm(ActForm):
    """A table of a pit."""

    code = forms.CharField(max_length=20, label=gettext_lazy("Code"), widget=AS_TYPED)
    pit = forms.ModelChoiceField(Pit.objects.none(), label=gettext_lazy("Pit"), empty_label=None)
    game = forms.ChoiceField(label=gettext_lazy("Game"))

    def build(self, house: Property) -> None:
        """Offer the property's pits and every game."""
        self.fields["pit"].queryset = Pit.objects.filter(property=house).select_related("property").order_by("code")  # type: ignore[attr-defined]
        self.fields["game"].choices = [(code, game.name) for code, game in sorted(games().items())]  # type: ignore[attr-defined]


class AmountForm(ActForm):
    """An amount of chips."""

    def build(self, house: Property) -> None:
        """Add the amount."""
        self.fields["amount"] = AmountField(house, label=_("Amount"))


def _refusing(make: Callable[[Any], str]) -> Perform:
    """Return the act's verb: what the model's fields refuse stands at the form's."""

    def perform(form: Any, at: datetime, by: User) -> str:
        try:
            return make(form)
        except ValidationError as error:
            raise layout.as_slip(error) from error

    return perform


def new_property(request: HttpRequest, site: AdminSite) -> HttpResponse:
    """Answer the page where a property is made. Raises Refused."""
    by = person(request)
    roles.require(by, "lay_out_floor")

    def make(form: PropertyForm) -> str:
        said = form.cleaned_data
        more = {name: said[name] for name in ("zone", "currency", "exponent", "writes", "rollover")}
        house = floor.make_property(said["code"], said["name"], by=by, **more)
        return _("%(property)s is made, with the usual settings.") % {"property": house}

    back = reverse("admin:tables_property_changelist")
    lead = _("Its clock and its currency stay. Everything else is a setting that two people can change.")
    act = Act(_("A new property"), _("Make it"), PropertyForm, Property(), _refusing(make), back, lead=lead)
    return answer(request, act, site, Property)


def _new_pit(house: Property, form: NamedForm, by: User) -> str:
    pit = layout.make_pit(house, form.cleaned_data["code"], form.cleaned_data["name"], by=by)
    return _("Pit %(code)s is made.") % {"code": pit.code}


def _new_table(house: Property, form: TableForm, by: User) -> str:
    table = floor.make_table(form.cleaned_data["pit"], form.cleaned_data["code"], form.cleaned_data["game"], by=by)
    return _("Table %(code)s is made. The cage stocks it before it opens first.") % {"code": table.code}


def _new_dealer(house: Property, form: DealerForm, by: User) -> str:
    dealer = layout.make_dealer(house, form.cleaned_data["code"], form.cleaned_data["name"], by=by)
    return _("Dealer %(code)s is made.") % {"code": dealer.code}


NEW: Mapping[str, tuple[Any, type[ActForm], Callable[[Property, Any, User], str]]] = {
    "pit": (gettext_lazy("A new pit"), NamedForm, _new_pit),
    "table": (gettext_lazy("A new table"), TableForm, _new_table),
    "dealer": (gettext_lazy("A new dealer"), DealerForm, _new_dealer),
}
"""What a property is laid out with: the words of its page, its form, the service's call."""


def new_thing(request: HttpRequest, site: AdminSite, pk: int, what: str) -> HttpResponse:
    """Answer the page where a pit, table or dealer of a property is made. Raises Refused, Http404."""
    by = person(request)
    roles.require(by, "lay_out_floor")
    house = get_object_or_404(Property, pk=pk)
    if what not in NEW:
        raise Http404(_("There is no such thing to make."))
    words, form, make = NEW[what]
    back = reverse("admin:tables_property_change", args=[house.pk])
    act = Act(str(words), _("Make it"), form, house, _refusing(lambda typed: make(house, typed, by)), back, trail=(str(house), back))
    return answer(request, act, site, Property)


def issue(request: HttpRequest, site: AdminSite, pk: int) -> HttpResponse:
    """Answer the page where the cage takes new chips in. Raises Refused, Http404."""
    roles.require(person(request), "issue_chips")
    house = get_object_or_404(Property, pk=pk)

    def perform(form: AmountForm, at: datetime, by: User) -> str:
        chips.issue_chips(house, form.cleaned_data["amount"], at=at, by=by, uuid=form.key)
        return _("The chips are in the cage.")

    act = Act(
        _("New chips"), _("Take them in"), AmountForm, house, perform, reverse("admin:index"), lead=_("Chips that the house has made, into the cage.")
    )
    return answer(request, act, site, Property)


def stock(request: HttpRequest, site: AdminSite, pk: int) -> HttpResponse:
    """Answer the page where the cage gives a table its bankroll. Raises Refused, Http404."""
    roles.require(person(request), "issue_chips")
    table = get_object_or_404(Table.objects.select_related("property"), pk=pk)

    def perform(form: AmountForm, at: datetime, by: User) -> str:
        chips.stock_tray(table, form.cleaned_data["amount"], at=at, by=by)
        return _("%(table)s has its bankroll.") % {"table": table}

    lead = _("Once, before the table opens first. Later on, fills and chip credits move chips.")
    act = Act(_("Bankroll of %(table)s") % {"table": table}, _("Stock it"), AmountForm, table.property, perform, reverse("admin:index"), lead=lead)
    return answer(request, act, site, Table)
