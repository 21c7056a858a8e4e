"""The forms of the floor's acts: counts by denomination, amounts as typed in the house's notation, a second signature on the same screen."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino import step_up
from casino.errors import CasinoError
from casino.models import User
from casino.money import Minor, format_amount, parse_amount
from casino.words import said_of
from tables.house_settings import settings_now
from tables.models import Property
from tables.services.dealer_pins import Signature
from tables.signatures import dealer_signs, second_person
from tables.slips import MOST_TEXT, CountSlip

PIECE = "pieces_"
PLACES = {"amount": "amount", "password": "password"}


class AmountField(forms.CharField):
    """Money as a person types it, read in the house's notation: a yen has no decimals, a dinar has three."""

    def __init__(self, house: Property, **kwargs: Any) -> None:
        super().__init__(max_length=30, **kwargs)
        self.house = house
        self.widget.attrs |= {"inputmode": "decimal" if house.exponent else "numeric", "autocomplete": "off"}

    def clean(self, value: Any) -> Minor:
        """Return minor units. Raises ValidationError naming what is wrong."""
        text = super().clean(value)
        if not text:
            return Minor(0)
        try:
            return parse_amount(text, self.house.notation)
        except ValueError as error:
            raise forms.ValidationError(str(error), code="bad_amount") from error


class ActForm(forms.Form):
    """One act: what is typed for it, and where its errors stand. `uuid` makes the page sent twice one act."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any = None, *, house: Property, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.house = house
        self.label_suffix = ""
        self.initial.setdefault("uuid", uuid4())
        self.build(house)
        first = next((field for field in self.fields.values() if not field.widget.is_hidden), None)
        if first is not None:
            first.widget.attrs["autofocus"] = True

    def build(self, house: Property) -> None:
        """Add the fields that depend on the house."""

    @property
    def key(self) -> UUID:
        """Return the act's uuid."""
        return self.cleaned_data.get("uuid") or uuid4()

    @property
    def pieces(self) -> list[tuple[str, int, forms.BoundField]]:
        """Return the fields of a count: the value as people read it, in minor units, its field; larger values first."""
        found = []
        for name in self.fields:
            if name.startswith(PIECE):
                value = int(name.removeprefix(PIECE))
                found.append((format_amount(value, self.house.notation), value, self[name]))
        return found

    @property
    def plain(self) -> list[forms.BoundField]:
        """Return the other fields that are seen."""
        return [field for field in self.visible_fields() if not field.name.startswith(PIECE)]

    def focus_wrong(self) -> None:
        """Put the cursor at the first field that has an error, where one has."""
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong is None:
            return
        for name, field in self.fields.items():
            field.widget.attrs.pop("autofocus", None)
            if name == wrong:
                field.widget.attrs["autofocus"] = True

    def place(self, error: CasinoError) -> None:
        """Note what `error` says at its fields; what has none stands at the form's head."""
        for fault in error.faults:
            name = fault.where.replace(".", "_")
            self.add_error(name if name in self.fields else None, said_of(fault))


class CountForm(ActForm):
    """Pieces by denomination: `values` of the house, larger first, so that Tab goes down the tray."""

    note = forms.CharField(max_length=MOST_TEXT, required=False, label=_("Note"))

    def build(self, house: Property) -> None:
        """Add a field for each value."""
        self.add_pieces(settings_now(house, timezone.now()).chip_values)

    def add_pieces(self, values: Iterable[int]) -> None:
        """Add a field for each of `values`, before the others."""
        names = []
        for value in values:
            label = format_amount(value, self.house.notation)
            widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "data-value": value, "size": 6})
            self.fields[name := f"{PIECE}{value}"] = forms.IntegerField(min_value=0, max_value=10**9, required=False, label=label, widget=widget)
            names.append(name)
        self.order_fields(names)

    @property
    def count(self) -> CountSlip:
        """Return the count. Raises InvalidSlip (`bad_amount`)."""
        typed = {int(name.removeprefix(PIECE)): pieces for name, pieces in self.cleaned_data.items() if name.startswith(PIECE) and pieces}
        return CountSlip(typed, note=self.cleaned_data.get("note", ""))


class SignedForm(ActForm):
    """A second signature: a colleague's staff number and password, or a dealer's number and PIN."""

    dealers_sign = True
    must = True

    def build(self, house: Property) -> None:
        """Add the fields of the signatures, at the end."""
        super().build(house)
        hidden = {"autocomplete": "off", "spellcheck": "false"}
        if self.dealers_sign:
            self.fields["dealer_number"] = forms.CharField(
                required=False, max_length=20, label=gettext("Dealer"), widget=forms.TextInput(attrs=hidden)
            )
            pin = forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
            self.fields["dealer_pin"] = forms.CharField(required=False, max_length=20, label=gettext("Dealer's PIN"), widget=pin)
        self.fields["second_number"] = forms.CharField(
            required=False, max_length=40, label=gettext("Second person, staff number"), widget=forms.TextInput(attrs=hidden)
        )
        self.fields["second_password"] = forms.CharField(
            required=False,
            strip=False,
            max_length=step_up.LONGEST,
            label=gettext("Second person's password"),
            widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        )

    def signatures(self, *, at: datetime, by: User) -> tuple[User | None, Signature | None]:
        """Return who else signed: a colleague, a dealer. Raises Refused, NotFound at the fields."""
        said = self.cleaned_data
        second = dealer = None
        if said.get("dealer_number"):
            dealer = dealer_signs(self.house, said["dealer_number"], said.get("dealer_pin", ""), at=at, by=by)
        if said.get("second_number"):
            second = second_person(said["second_number"], said.get("second_password", ""), at=at, beside=by)
        return second, dealer

    def clean(self) -> dict[str, Any]:
        """Note who has to sign and did not."""
        said = super().clean() or {}
        if self.must and not said.get("second_number") and not said.get("dealer_number"):
            words = gettext("A second person signs: a dealer with a PIN, or a colleague.") if self.dealers_sign else gettext("A second person signs.")
            self.add_error("second_number", words)
        return said


class SecondForm(SignedForm):
    """A colleague signs, no dealer."""

    dealers_sign = False


class DealerMayForm(SignedForm):
    """The dealer may sign at the table, in place of whoever is signed in."""

    must = False

    def build(self, house: Property) -> None:
        """Add the dealer's fields alone."""
        super().build(house)
        del self.fields["second_number"], self.fields["second_password"]


class OpenForm(SignedForm, CountForm):
    """A table opens: the code on its felt, its opener; a second signature is welcome."""

    must = False
    felt_code = forms.CharField(max_length=20, label=_("Code on the felt"), widget=forms.TextInput(attrs={"autocomplete": "off", "size": 6}))

    def build(self, house: Property) -> None:
        """Put the code after the tray, before the rest: the order on the page and of Tab."""
        super().build(house)
        self.order_fields([*(name for name in self.fields if name.startswith(PIECE)), "felt_code", "note"])


class TurnForm(ActForm):
    """Who deals now."""

    dealer = forms.CharField(max_length=20, label=_("Dealer, staff number"), widget=forms.TextInput(attrs={"autocomplete": "off"}))
    dealer_pin = forms.CharField(
        max_length=20, required=False, label=_("PIN"), widget=forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    )


class BuyInForm(ActForm):
    """Cash for chips."""

    patron = forms.CharField(max_length=40, required=False, label=_("Patron"))
    declined = forms.BooleanField(required=False, label=_("Asked for, and did not say"))

    def build(self, house: Property) -> None:
        """Put the amount first."""
        self.fields["amount"] = AmountField(house, label=gettext("Amount"))
        self.order_fields(["amount"])


class MarkerForm(ActForm):
    """A credit instrument for chips."""

    patron = forms.CharField(max_length=40, label=_("Patron"))
    instrument = forms.CharField(max_length=40, label=_("Instrument's number"))

    def build(self, house: Property) -> None:
        """Put the amount first."""
        self.fields["amount"] = AmountField(house, label=gettext("Amount"))
        self.order_fields(["amount"])


class RedeemForm(ActForm):
    """Chips for a marker."""

    instrument = forms.CharField(max_length=40, label=_("Instrument's number"))

    def build(self, house: Property) -> None:
        """Add the amount."""
        self.fields["amount"] = AmountField(house, label=gettext("Amount in chips"))


class BoxForm(SecondForm):
    """A box is pulled."""

    box = forms.CharField(max_length=20, label=_("Box"))
    seal = forms.CharField(max_length=20, label=_("Seal"))


class DropForm(SecondForm, CountForm):
    """What was found in a box."""

    box = forms.CharField(max_length=20, label=_("Box"))
    seal = forms.CharField(max_length=20, label=_("Seal, as it was found"))

    def build(self, house: Property) -> None:
        """Notes instead of chips; then what is not currency."""
        super().build(house)
        for name in [name for name in self.fields if name.startswith(PIECE)]:
            del self.fields[name]
        self.add_pieces(settings_now(house, timezone.now()).note_values)
        for name, label in (
            ("instruments", gettext("Markers, sum")),
            ("tickets", gettext("Tickets, sum")),
            ("coupons", gettext("Promotional chips and coupons, sum")),
        ):
            self.fields[name] = AmountField(house, label=label, required=False)
        pieces = [name for name in self.fields if name.startswith(PIECE)]
        self.order_fields([*pieces, "instruments", "tickets", "coupons", "box", "seal", "note"])


class ReopenForm(ActForm):
    """A count that is to be taken once more."""

    count = forms.ChoiceField(choices=[("closer", _("closer")), ("opener", _("opener")), ("drop", _("drop"))], label=_("Which count"))
    reason = forms.CharField(max_length=MOST_TEXT, label=_("Why"))


class VoidForm(SecondForm):
    """A slip is made void."""

    reason = forms.CharField(max_length=MOST_TEXT, label=_("Why"))


class RuleForm(ActForm):
    """An auditor rules; the password again."""

    note = forms.CharField(max_length=MOST_TEXT, required=False, label=_("Note"))
    password = forms.CharField(
        strip=False,
        max_length=step_up.LONGEST,
        label=_("Your password, again"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class PinForm(ActForm):
    """A dealer's new PIN, typed by the dealer."""

    pin = forms.CharField(
        max_length=8, label=_("New PIN, 4 to 8 digits"), widget=forms.PasswordInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
    )
