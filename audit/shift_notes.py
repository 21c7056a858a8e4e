"""Notes on a shift, written by whoever works it: kept by name, never edited, and closed with the second signature."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.note_models import ShiftNote
from audit.selectors import is_signed
from audit.verb_forms import refused_at_its_field
from casino import roles
from casino.errors import Conflict, InvalidSlip
from casino.models import User
from casino.transactions import in_transaction
from ledger.services import lock_shift
from tables.models import Shift

LONGEST_TEXT = 1000


@in_transaction
def add_note(shift: Shift, text: str, *, uuid: UUID, by: User) -> ShiftNote:
    """Return the note, kept. The same `uuid` with the same text is the same note.

    Raises Refused, InvalidSlip (`missing_field`, `bad_type`, at `text`), Conflict (`signed`, `reference_reused`).
    """
    roles.require(by, "note_shift")
    said = text.strip()
    if not said:
        raise InvalidSlip("missing_field", gettext("A note says something."), where="text")
    if len(said) > LONGEST_TEXT or "\x00" in said:
        raise InvalidSlip("bad_type", gettext("A note is text of at most %(most)s characters.") % {"most": LONGEST_TEXT}, where="text")
    lock_shift(shift.uuid, exclusive=True)
    if kept := ShiftNote.objects.filter(uuid=uuid).select_related("shift", "by").first():
        if (kept.shift_id, kept.text, kept.by_id) != (shift.pk, said, by.pk):
            raise Conflict("reference_reused", gettext("This page kept another note already."), where="text")
        return kept
    if is_signed(shift):
        raise Conflict("signed", gettext("The %(shift)s is signed: what comes now is a note on the next one.") % {"shift": shift}, where="text")
    return ShiftNote.objects.create(uuid=uuid, shift=shift, text=said, by=by)


class NoteForm(forms.Form):
    """One note; `uuid` makes the same page sent twice one note."""

    uuid = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)
    text = forms.CharField(label=_("Note"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 2, "maxlength": LONGEST_TEXT}))


def notes_of(shift: Shift) -> list[ShiftNote]:
    """Return the notes on `shift`, the oldest first. One query."""
    return list(ShiftNote.objects.filter(shift=shift).select_related("by"))


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
