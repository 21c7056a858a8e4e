"""The alarm of a published checkpoint that the database does not hold, and its acknowledgement by name."""

from __future__ import annotations

import hashlib

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, InvalidSlip
from casino.models import User
from casino.transactions import in_transaction, wait_turn
from ledger import notes, published, seal_key
from ledger.models import CheckpointAlarm, Segment, SignedCheckpoint
from ledger.sealing import outer_tree


@in_transaction
def acknowledge(*, reason: str, by: User) -> list[CheckpointAlarm]:
    """Return what was acknowledged: each published checkpoint that the books do not hold. Posting goes on afterwards.

    A checkpoint that continues the books' own list is taken over without its leaves, so that the list does not fork and its shift stays
    sealed; its lost leaves are reported by every check from then on. Raises Refused, InvalidSlip (`missing_field`), Conflict (`no_alarm`).
    """
    roles.require(by, "acknowledge_checkpoint")
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the books are behind: which backup was restored, and by whom."), where="reason")
    wait_turn("sealing")
    if published.alarm() is None:
        raise Conflict("no_alarm", gettext("No published checkpoint is ahead of the books."))
    kept = dict(Segment.objects.values_list("number", "checkpoint"))
    known = set(CheckpointAlarm.objects.values_list("note", flat=True))
    missing = [line for line in published.read() if kept.get(line.number) != line.text and line.note not in known]
    return [_acknowledge(line, reason.strip(), by) for line in missing]


def _acknowledge(line: published.Published, reason: str, by: User) -> CheckpointAlarm:
    return CheckpointAlarm.objects.create(
        note=line.note,
        note_sha256=hashlib.sha256(line.note.encode()).hexdigest(),
        number=line.number,
        adopted=_adopt(line),
        reason=reason[:300],
        by=by,
    )


def _adopt(line: published.Published) -> bool:
    """Take the segment over where its checkpoint is signed by our key and continues our list; return whether it was."""
    try:
        size, outer_root, sealed = notes.read_checkpoint(line.note)
    except ValueError:
        return False
    key = seal_key.signed_by(line.note)
    tree = outer_tree([sealed])
    goes_on = size == sealed.number == tree.size and outer_root == tree.root()
    if key is None or not goes_on or Segment.objects.filter(shift=sealed.shift).exists():
        return False
    segment = Segment.objects.create(
        number=sealed.number,
        property=sealed.property,
        shift=sealed.shift,
        gaming_day=sealed.gaming_day,
        leaf_count=sealed.leaves,
        root=sealed.root,
        outer_root=outer_root,
        checkpoint=line.text,
    )
    SignedCheckpoint.objects.create(segment=segment, key=key, note=line.note)
    return True
