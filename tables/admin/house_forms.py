"""What two people set for a house: a limit at a table, a setting of a property. Doors; the auditor signs on the same screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.admin import AdminSite
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino import roles
from casino.gaming_day import gaming_day
from casino.models import User
from casino.money import format_amount, parse_amount
from casino.read_only import person
from casino.words import word
from tables.admin.act import Act, answer
from tables.admin.act_forms import AmountField, SecondForm
from tables.bet_words import bet_name
from tables.engine.game import games
from tables.house_settings import settings_now
from tables.models import Property, PropertySetting, Shift, Table
from tables.services.house_settings import change_setting
from tables.services.limits import set_table_limit

AMOUNTS = ("explain_over", "report_over", "notify_over", "ask_patron_from", "form_above")
VALUES = ("chip_values", "note_values")
CHOICES: Mapping[str, Any] = {"drop_per": Property.DropPer.choices, "rake_to": Property.RakeTo.choices}


class TableLimitForm(SecondForm):
    """The least and the most on one wager of a bet, from a moment on."""

    bet = forms.ChoiceField(required=False, label=gettext_lazy("Bet"))
    from_at = forms.DateTimeField(
        required=False,
        label=gettext_lazy("From, by the house's clock; now where it is left out"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )

    def build(self, house: Property) -> None:
        """Add the amounts, then the signature."""
        super().build(house)
        self.fields["least"] = AmountField(house, label=_("At least"))
        self.fields["most"] = AmountField(house, label=_("At most"))
        self.order_fields(["bet", "least", "most", "from_at"])

    def since(self, at: datetime) -> datetime:
        """Return from when on it holds."""
        typed: datetime | None = self.cleaned_data["from_at"]
        return at if typed is None else typed.replace(tzinfo=ZoneInfo(self.house.zone))


def table_limit(request: HttpRequest, site: AdminSite, pk: int) -> HttpResponse:
    """Answer the page where a table's limit is set. Raises Refused, Http404."""
    roles.require(person(request), "propose_limits")
    table = get_object_or_404(Table.objects.select_related("property", "pit"), pk=pk)
    game = games()[table.game]
    bets = [("", _("every bet")), *((bet, bet_name(bet)) for bet in dict.fromkeys(game.bet_of(kind) for kind in game.wager_kinds))]
    form = type("OneTablesLimitForm", (TableLimitForm,), {"bet": forms.ChoiceField(required=False, label=_("Bet"), choices=bets)})

    def perform(form: TableLimitForm, at: datetime, by: User) -> str:
        said, (second, _dealer) = form.cleaned_data, form.signatures(at=at, by=by)
        assert second is not None
        set_table_limit(table, said["bet"], least=said["least"], most=said["most"], from_at=form.since(at), by=by, approved_by=second)
        return _("The limit is set. The audit holds every stake against it.")

    back = reverse("admin:tables_table_change", args=[table.pk])
    lead = _("On one wager. A bet's own limit goes before that of every bet. An auditor signs on this screen.")
    act = Act(
        _("Limits of %(table)s") % {"table": table}, _("Set the limit"), form, table.property, perform, back, trail=(str(table), back), lead=lead
    )
    return answer(request, act, site, Table)


class SettingForm(SecondForm):
    """A setting from a gaming day to come on."""

    from_day = forms.DateField(label=gettext_lazy("From gaming day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    note = forms.CharField(required=False, max_length=300, label=gettext_lazy("Note"))


def _amount_form(house: Property, held: Any) -> tuple[type[SettingForm], Callable[[Any], Any]]:
    def build(self: SettingForm, house: Property) -> None:
        SettingForm.build(self, house)
        self.fields["value"] = AmountField(house, label=_("Amount"), initial=format_amount(held, house.notation))
        self.order_fields(["value", "from_day", "note"])

    return type("AmountSettingForm", (SettingForm,), {"build": build}), lambda typed: typed


def _choice_form(choices: Any, held: Any) -> tuple[type[SettingForm], Callable[[Any], Any]]:
    field = forms.ChoiceField(choices=choices, label=_("Is to be"), initial=held)
    form = type("ChoiceSettingForm", (SettingForm,), {"value": field, "field_order": ["value", "from_day", "note"]})
    return form, lambda typed: typed


def _values_form(house: Property, held: Any) -> tuple[type[SettingForm], Callable[[Any], Any]]:
    label, shown = _("Values, apart by spaces"), " ".join(format_amount(one, house.notation).replace(house.notation.group, "") for one in held)
    field = forms.CharField(max_length=400, label=label, initial=shown, widget=forms.TextInput(attrs={"size": 60}))

    def clean_value(self: SettingForm) -> list[int]:
        try:
            return [parse_amount(one, self.house.notation) for one in self.cleaned_data["value"].split()]
        except ValueError as error:
            raise ValidationError(str(error)) from error

    form = type("ValuesSettingForm", (SettingForm,), {"value": field, "clean_value": clean_value, "field_order": ["value", "from_day", "note"]})
    return form, lambda typed: typed


def _hours_form(held: Any) -> tuple[type[SettingForm], Callable[[Any], Any]]:
    words = dict(Shift.Kind.choices)
    initial = ", ".join(f"{kind} {begins:%H:%M}-{ends:%H:%M}" for kind, (begins, ends) in held.items())
    label = _("Hours, as day 06:00-14:00, swing 14:00-22:00, grave 22:00-06:00")
    field = forms.CharField(max_length=200, label=label, initial=initial, widget=forms.TextInput(attrs={"size": 60}))
    form = type("HoursSettingForm", (SettingForm,), {"value": field, "field_order": ["value", "from_day", "note"]})

    def meant(typed: str) -> dict[str, list[str]]:
        spans = [one.split() for one in typed.split(",")]
        return {span[0]: span[1].split("-") for span in spans if len(span) == 2 and span[0] in words}

    return form, meant


def _form_of(house: Property, name: str, held: Any) -> tuple[type[SettingForm], Callable[[Any], Any]]:
    if name in AMOUNTS:
        return _amount_form(house, held)
    if name in VALUES:
        return _values_form(house, held)
    return _choice_form(CHOICES[name], held) if name in CHOICES else _hours_form(held)


def setting(request: HttpRequest, site: AdminSite, pk: int, name: str) -> HttpResponse:
    """Answer the page where one setting of a property is changed. Raises Refused, Http404."""
    roles.require(person(request), "propose_limits")
    house = get_object_or_404(Property, pk=pk)
    if name not in PropertySetting.Name.values:
        raise Http404(_("There is no such setting."))
    now, words = timezone.now(), PropertySetting.Name(name).label
    form, meant = _form_of(house, name, getattr(settings_now(house, now), name))

    def perform(form: SettingForm, at: datetime, by: User) -> str:
        said, (second, _dealer) = form.cleaned_data, form.signatures(at=at, by=by)
        assert second is not None
        kept = change_setting(house, name, meant(said["value"]), from_day=said["from_day"], at=at, by=by, approved_by=second, note=said["note"])
        return _("Set from gaming day %(day)s on.") % {"day": kept.from_day.isoformat()}

    back = reverse("admin:tables_property_change", args=[house.pk])
    lead = _("Gaming days that have begun keep what they have, so no figure changes afterwards. An auditor signs on this screen.")
    first = {"from_day": gaming_day(now, house.zone, house.rollover) + timedelta(days=1)}
    title = _("%(property)s: %(setting)s") % {"property": house, "setting": words}
    act = Act(title, _("Change it"), form, house, perform, back, trail=(str(house), back), lead=lead, initial=first)
    return answer(request, act, site, Property)


def shown_settings(house: Property) -> list[tuple[str, str, str]]:
    """Return every setting of today as people read it: its name, its words, its value. One query."""
    held = settings_now(house, timezone.now())
    return [(name, str(words), shown_value(house, name, getattr(held, name))) for name, words in PropertySetting.Name.choices]


def shown_value(house: Property, name: str, value: Any) -> str:
    """Return a setting's value as people read it."""
    if name in AMOUNTS:
        return format_amount(value, house.notation)
    if name in VALUES:
        return " · ".join(format_amount(one, house.notation) for one in value)
    if name in CHOICES:
        return str(dict(CHOICES[name])[value])
    return " · ".join(f"{word(kind)} {begins:%H:%M}–{ends:%H:%M}" for kind, (begins, ends) in value.items())
