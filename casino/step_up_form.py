"""The field of an approval's form where the password is typed again, and what it says where it is wrong."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from casino import step_up
from casino.errors import Refused
from casino.models import User


class StepUpForm(forms.Form):
    """An approval's form: a subclass adds its own fields, a door calls `confirms` before the service."""

    password = forms.CharField(
        label=_("Your password, again"),
        required=False,
        strip=False,
        max_length=step_up.LONGEST,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([*(name for name in self.fields if name != step_up.FIELD), step_up.FIELD])

    def confirms(self, user: User, *, at: datetime) -> bool:
        """Return whether the other fields are right and the password is that of `user`; what is not stands at its field."""
        if not self.is_valid():
            return False
        try:
            step_up.confirm(user, self.cleaned_data[step_up.FIELD], at=at)
        except Refused as refusal:
            self.add_error(step_up.FIELD, refusal.message)
            return False
        return True
