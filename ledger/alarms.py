"""The alarm that the file of published checkpoints and the database differ, and its acknowledgement by name."""

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
    """Return what was acknowledged: each key and checkpoint in which file and books differ. Posting and sealing go on afterwards.

    A key that ours announced, and a checkpoint that continues the books' own list, are taken over, the latter without its leaves, so that
    the list does not fork and its shift stays sealed; its lost leaves are reported by every check from then on. So is what was acknowledged
    before and can be taken over only now. What the file lost is published again with the next seal.
    Raises Refused, InvalidSlip (`missing_field`), Conflict (`no_alarm`).
    """
    roles.require(by, "acknowledge_checkpoint")
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the books are behind: which backup was restored, and by whom."), where="reason")
    wait_turn("sealing")
    done, taken = [], 0
    for one in published.differences():
        adopted = _take_over(one, by)
        taken += adopted
        if not one.acknowledged:
            done.append(_keep(one, adopted, reason.strip(), by))
    if not done and not taken:
        raise Conflict("no_alarm", gettext("No published checkpoint is ahead of the books."))
    return done


def _take_over(one: published.Difference, by: User) -> bool:
    if one.kind == CheckpointAlarm.Kind.KEY:
        return seal_key.adopt_key(one.number, one.note, by=by) is not None
    return one.kind == CheckpointAlarm.Kind.AHEAD and _adopt(published.Published(one.number, one.note))


def _keep(one: published.Difference, adopted: bool, reason: str, by: User) -> CheckpointAlarm:
    return CheckpointAlarm.objects.create(
        kind=one.kind,
        note=one.note,
        note_sha256=hashlib.sha256(one.note.encode()).hexdigest(),
        number=one.number,
        adopted=adopted,
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
