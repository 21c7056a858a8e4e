"""The form of a note on a shift's page. Doors only."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from audit.selectors import is_signed
from audit.shift_notes import LONGEST_TEXT, add_note
from audit.verb_forms import refused_at_its_field
from casino import roles
from casino.models import User
from tables.models import Shift


class NoteForm(forms.Form):
    """One note; `uuid` makes the same page sent twice one note."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    text = forms.CharField(label=_("Note"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2, "maxlength": LONGEST_TEXT}))


def note_form(shift: Shift, user: User, bound: forms.Form | None) -> NoteForm | None:
    """Return the form of a note, with what was typed where it was refused; None for whoever writes none, or once the shift is signed."""
    if not roles.may(user.roles, "note_shift") or is_signed(shift):
        return None
    return bound if isinstance(bound, NoteForm) else NoteForm(auto_id="id_note_%s")


def keep(shift: Shift, data: QueryDict, *, by: User) -> NoteForm:
    """Return the form that was posted: without errors its note was kept."""
    form = NoteForm(data, auto_id="id_note_%s")
    if form.is_valid():
        said: dict[str, Any] = form.cleaned_data
        refused_at_its_field(form, lambda: add_note(shift, said["text"], uuid=said["uuid"], by=by))
    return form
