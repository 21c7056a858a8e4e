"""Forms of verbs: what is typed, one service called, what it refuses said at the field. Doors only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms

from casino.errors import BrokenBooks, CasinoError
from casino.money import Notation, parse_amount
from casino.words import said_of


def refused_at_its_field(form: forms.Form, call: Callable[[], Any]) -> bool:
    """Return whether `call` went through; what it refused stands at the field that it names, or above the form. BrokenBooks is not caught."""
    try:
        call()
    except BrokenBooks:
        raise
    except CasinoError as error:
        for fault in error.faults:
            form.add_error(fault.where if fault.where in form.fields else None, said_of(fault))
        return False
    return True


class AmountField(forms.CharField):
    """An amount as a person types it, in a currency of `notation` decimals; nothing typed is None."""

    def __init__(self, *, notation: Notation, **kwargs: Any) -> None:
        self.notation = notation
        super().__init__(**{"required": False, "max_length": 30, "widget": forms.TextInput(attrs={"inputmode": "decimal"}), **kwargs})

    def clean(self, value: Any) -> Any:
        """Return minor units or None. Raises ValidationError naming what is wrong."""
        typed = super().clean(value)
        if not typed:
            return None
        try:
            return parse_amount(typed, self.notation)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
