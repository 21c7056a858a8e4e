"""Notes on a shift, written by whoever works it: kept by name, never edited, and closed with the second signature."""

from __future__ import annotations

from uuid import UUID

from django.utils.translation import gettext

from audit.note_models import ShiftNote
from audit.selectors import is_signed
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


def notes_of(shift: Shift) -> list[ShiftNote]:
    """Return the notes on `shift`, the oldest first. One query."""
    return list(ShiftNote.objects.filter(shift=shift).select_related("by"))
