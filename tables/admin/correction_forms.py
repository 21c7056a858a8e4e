"""The small forms of corrections: why, did the chips go back, whose hand, and what is decided with the password again."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from casino.errors import BrokenBooks, CasinoError
from casino.step_up_form import StepUpForm
from casino.words import said_of
from tables.corrections import MOST_NOTE, REASONS
from tables.models import RoundProposal

WORDS = dict(RoundProposal.Reason.choices)
NOTE = _("What happened, in a sentence")


class WhyForm(forms.Form):
    """Why: a reason of the kind, and a note. `uuid` makes sent twice one proposal."""

    kind = ""
    reason = forms.ChoiceField(label=_("Reason"))
    note = forms.CharField(label=NOTE, max_length=MOST_NOTE, required=False, widget=forms.TextInput(attrs={"size": 60}))
    uuid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)

    def __init__(self, *args: Any, kind: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        reasons = [(code, WORDS[code]) for code in REASONS[kind or self.kind]]
        self.fields["reason"].choices = [("", "—"), *reasons]  # type: ignore[attr-defined]


class VoidForm(WhyForm):
    """A void also says whether every chip went back."""

    kind = RoundProposal.Kind.VOID
    chips_returned = forms.TypedChoiceField(
        label=_("Did all chips go back to where they came from?"),
        choices=[("yes", _("yes, every stake and every payment")), ("no", _("no, a patron kept some"))],
        coerce=lambda said: said == "yes",
        widget=forms.RadioSelect,
    )
    field_order = ("chips_returned", "reason", "note")


class DeadHandForm(WhyForm):
    """A dead hand also says whose."""

    kind = RoundProposal.Kind.DEAD_HAND
    seat = forms.TypedChoiceField(label=_("Whose hand is dead"), coerce=int)
    field_order = ("seat", "reason", "note")

    def __init__(self, *args: Any, seats: list[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seat"].choices = [(seat, gettext("seat %(number)s") % {"number": seat}) for seat in seats]  # type: ignore[attr-defined]


class DecisionForm(StepUpForm):
    """A decision: a note (a rejection says why), and the password again."""

    note = forms.CharField(label=_("Note; a rejection says why"), max_length=MOST_NOTE, required=False, widget=forms.TextInput(attrs={"size": 48}))


def place_errors(form: forms.BaseForm, error: CasinoError) -> None:
    """Note what `error` says at its fields, or above the form where they are none of its; broken books are nobody's field."""
    if isinstance(error, BrokenBooks):
        raise error
    for fault in error.faults:
        form.add_error(fault.where if fault.where in form.fields else None, said_of(fault))
