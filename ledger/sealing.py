"""Sealing a shift: its facts become leaves, the leaves a segment, the segment a signed checkpoint off the database.

The order of steps, so that a crash between any two of them recovers by itself and nothing is ever signed twice with different contents
(docs/decisions/017-what-is-signed-is-fixed-first.md):

1. prepared: leaves, their checks, salts, segment and the checkpoint's text are one transaction. From its commit on the shift is closed and
   the text fixed.
2. signed: the text is signed; Ed25519 gives the same signature each time.
3. published: the note is appended to the file off the database and synced; where it stands there already, it is not appended again.
4. kept: the signature's row is written. A segment without one is taken up again at 2.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import IO, Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from casino.errors import BrokenBooks
from casino.transactions import wait_turn
from ledger import leaves, merkle, notes, published, seal_key
from ledger.evidence import Kind
from ledger.models import CheckpointAlarm, Leaf, LeafSalt, Segment, SegmentChecks, SignedCheckpoint
from ledger.services import lock_shift
from ledger.totals import keep_totals

IN_MEMORY = 64 * 1024 * 1024
"""Bytes of leaves that are held in memory before they go to a temporary file."""


def reached(step: str) -> None:
    """Say that a step was reached: `gathered`, `prepared`, `signed`, `published`, `kept`. Tests end the process here, for good."""


@dataclass(frozen=True)
class ShiftFacts:
    """The shift that is to be sealed, as the books know it."""

    property: UUID
    shift: UUID
    gaming_day: date


Tell = Callable[[int, int, str], None]


def prepare(facts: ShiftFacts, kinds: Sequence[Kind], *, at: datetime, tell: Tell = lambda *_: None) -> Segment:
    """Return the shift's segment, its leaves written and its checkpoint's text fixed; the one that is there already where it was sealed.

    To be called in a transaction. Raises BrokenBooks: `published_ahead` where the file holds checkpoints or keys that the books do not,
    `checkpoints_lost` where it lost some, until somebody acknowledges that.
    """
    lock_shift(facts.shift, exclusive=True)
    wait_turn("sealing")
    if (kept := Segment.objects.filter(shift=facts.shift).first()) is not None:
        return kept
    differences = _differences()
    key = seal_key.make_key()
    number = (Segment.objects.aggregate(newest=Max("number"))["newest"] or 0) + 1
    _refuse_fork(differences, number, facts.shift)

    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as spool:
        gathered = _gather(facts, kinds, number, spool, tell)
        reached("gathered")
        sealed = notes.Sealed(
            number, facts.property, facts.shift, facts.gaming_day, gathered.tree.size, gathered.tree.root(), hashlib.sha256(gathered.checks).digest()
        )
        outer_root = outer_tree([sealed]).root()
        segment = Segment.objects.create(
            number=number,
            property=facts.property,
            shift=facts.shift,
            gaming_day=facts.gaming_day,
            leaf_count=sealed.leaves,
            root=sealed.root,
            outer_root=outer_root,
            checkpoint=notes.checkpoint(key.origin, number, outer_root, sealed, gathered.totals, at),
            marks={kind.name: kind.model._default_manager.aggregate(last=Max("pk"))["last"] or 0 for kind in kinds},
        )
        _copy_leaves(spool)
    SegmentChecks.objects.create(segment=segment, content=bytes(gathered.checks))
    LeafSalt.objects.bulk_create(gathered.salts, batch_size=5_000)
    keep_totals(facts.shift)
    reached("prepared")
    return segment


def finish() -> list[SignedCheckpoint]:
    """Return the checkpoints that were signed, published and kept by this call: of every prepared segment, in their order.

    To be called in a transaction. Raises Unavailable (`no_seal_key`), BrokenBooks (`published_ahead`, `checkpoints_lost`, `other_seal_key`,
    `leaves_changed`).
    """
    wait_turn("sealing")
    waiting = list(Segment.objects.filter(signed=None, leaf_count__gt=0).exclude(checkpoint="").order_by("number"))
    if not waiting:
        return []
    differences = _differences()
    key, private = seal_key.signer()
    for segment in waiting:
        _refuse_fork(differences, segment.number, segment.shift)
    seal_key.publish_keys()
    _publish_lost()
    out = {line.text: line.note for line in published.read()}
    done = []
    for segment in waiting:
        _require_leaves(segment)
        note = seal_key.sign(segment.checkpoint, key, private)
        reached("signed")
        kept = out.get(segment.checkpoint, "")
        if seal_key.signed_by(kept) is not None:
            note = kept
        else:
            published.append({"segment": segment.number, "note": note})
        reached("published")
        done.append(SignedCheckpoint.objects.create(segment=segment, key=seal_key.signed_by(note) or key, note=note))
    reached("kept")
    return done


def _require_leaves(segment: Segment) -> None:
    """Raise where a prepared segment has not the leaves that were put under its root. One query."""
    held = Leaf.objects.filter(segment=segment).count()
    if held != segment.leaf_count:
        words = f"Segment {segment.number} has {held} leaves, and was prepared with {segment.leaf_count}: nothing is signed."
        raise BrokenBooks("leaves_changed", words, segment=segment.number)


def outer_leaf(sealed: notes.Sealed) -> bytes:
    """Return the bytes of a shift's leaf in the outer tree."""
    values = [sealed.number, sealed.property, sealed.shift, sealed.gaming_day, sealed.leaves, sealed.root, sealed.checks]
    return leaves.leaf_of("segment", leaves.parts_of([kind for _, kind in leaves.SEGMENT], values))


def outer_leaves() -> list[bytes]:
    """Return every segment's leaf in the outer tree, read from the checkpoints' texts. One query."""
    texts = Segment.objects.order_by("number").values_list("checkpoint", flat=True)
    return [outer_leaf(notes.read_checkpoint(text)[2]) for text in texts]


def outer_tree(more: Sequence[notes.Sealed] = ()) -> merkle.Tree:
    """Return the outer tree with `more` at its end. One query."""
    tree = merkle.Tree()
    for content in [*outer_leaves(), *map(outer_leaf, more)]:
        tree.add(merkle.leaf_hash(content))
    return tree


def _differences() -> list[published.Difference]:
    """Return where file and books differ, each acknowledged. Raises where one is not."""
    found = published.differences()
    if (raised := published.alarm(found)) is not None:
        raise BrokenBooks(raised.code, f"{raised.message} Acknowledge that first.", segment=raised.first.number)
    return found


def _refuse_fork(differences: Sequence[published.Difference], number: int, shift: UUID) -> None:
    """Raise where our key signed another checkpoint of this number or a later one, or of this shift: two different ones must never be.

    What was acknowledged and is not ours stands in no way.
    """
    for one in differences:
        if one.kind != CheckpointAlarm.Kind.AHEAD or (one.number < number and str(shift) not in one.note):
            continue
        if seal_key.signed_by(one.note) is not None:
            words = (
                f"Checkpoint {one.number} was signed by this house's key, and does not continue the books: put the lines before it back into the "
                f"file, from a copy of it or from bundles, and acknowledge once more."
            )
            raise BrokenBooks("published_ahead", words, segment=one.number)


def _publish_lost() -> None:
    """Publish again what is signed and the file does not hold any more: its loss was acknowledged. One query."""
    out = {line.text for line in published.read()}
    for number, note in SignedCheckpoint.objects.order_by("segment").values_list("segment_id", "note"):
        if published.Published(number, note).text not in out:
            published.append({"segment": number, "note": note})


@dataclass
class _Gathered:
    """What came of reading a shift: the tree over its leaves, their checks, totals, salts."""

    tree: merkle.Tree = field(default_factory=merkle.Tree)
    checks: bytearray = field(default_factory=bytearray)
    totals: dict[tuple[str, str], tuple[int, int]] = field(default_factory=lambda: defaultdict(lambda: (0, 0)))
    salts: list[LeafSalt] = field(default_factory=list)


def _gather(facts: ShiftFacts, kinds: Sequence[Kind], number: int, spool: IO[bytes], tell: Tell) -> _Gathered:
    """Read the shift's rows kind by kind, and write each one's leaf into `spool` as COPY takes it."""
    gathered = _Gathered()
    schema = {kind.name: [(one.name, one.type) for one in kind.fields] for kind in kinds}
    _put(gathered, spool, number, facts, "head", None, leaves.head(facts.property, facts.shift, facts.gaming_day, schema))
    for done, kind in enumerate(kinds):
        tell(done, len(kinds), f"kinds of evidence; {gathered.tree.size} leaves")
        for rows in (kind.of_shift(facts.shift), *late_rows(kind, facts.property)):
            for pk, *values in kind.columns(rows):
                parts = _parts(kind, values, number, gathered)
                _put(gathered, spool, number, facts, kind.name, pk, parts)
    tell(len(kinds), len(kinds), f"kinds of evidence; {gathered.tree.size} leaves")
    return gathered


def _parts(kind: Kind, values: list[Any], number: int, gathered: _Gathered) -> list[bytes | None]:
    """Return a row's fields as bytes; free texts get a salt each, entries are summed."""
    parts: list[bytes | None] = []
    for one, value in zip(kind.fields, values, strict=True):
        if value is None:
            parts.append(None)
        elif one.type == "secret":
            salt = os.urandom(leaves.SALT_BYTES) if value else b""
            if value:
                gathered.salts.append(LeafSalt(segment_id=number, index=gathered.tree.size, field=one.name, salt=salt))
            parts.append(leaves.hide(value, salt))
        else:
            parts.append(leaves.ENCODERS[one.type.partition(":")[0]](value))
            if one.name == "transfers":
                _sum(gathered, value)
    return parts


def _sum(gathered: _Gathered, transfers: str) -> None:
    totals = gathered.totals
    for _, credit, debit, currency, amount in json.loads(transfers):
        arrived, left = totals[currency, credit]
        totals[currency, credit] = (arrived, left + amount)
        arrived, left = totals[currency, debit]
        totals[currency, debit] = (arrived + amount, left)


def _put(gathered: _Gathered, spool: IO[bytes], number: int, facts: ShiftFacts, kind: str, row: int | None, parts: leaves.Parts) -> None:
    """Put a leaf into the tree, the checks and the spool."""
    content = leaves.leaf_of(kind, parts)
    hashed = merkle.leaf_hash(content)
    key = r"\N" if row is None else row
    spool.write(f"{facts.gaming_day}\t{number}\t{gathered.tree.size}\t{kind}\t{key}\t\\\\x{content.hex()}\n".encode())
    gathered.tree.add(hashed)
    gathered.checks += leaves.check_of(hashed, parts)


def late_rows(kind: Kind, property: UUID) -> Iterator[QuerySet[Any]]:
    """Yield the query of the rows that came after their shift was sealed (or are of no shift), and are in no leaf yet.

    Only rows above the mark of the sealing before the last are looked at: a transaction does not stay open for two shifts.
    """
    sealed = Segment.objects.filter(property=property)
    if not kind.late and not kind.shiftless:
        return
    belongs = Q(**{f"{kind.shift}__in": sealed.values("shift")}) if kind.late and kind.shift else Q(pk__in=[])
    if kind.shiftless:
        belongs |= Q(**{f"{kind.shift}__isnull": True}) if kind.shift else Q(pk__isnull=False)
    before = list(sealed.order_by("-number").values_list("marks", flat=True)[:2])
    mark = before[1].get(kind.name, 0) if len(before) == 2 else 0
    in_leaf = Leaf.objects.filter(kind=kind.name, row=OuterRef("pk"))
    rows = kind.model._default_manager.filter(belongs, pk__gt=mark, **{kind.property: property})
    yield rows.filter(~Exists(in_leaf)).order_by("pk")


def _copy_leaves(spool: IO[bytes]) -> None:
    spool.seek(0)
    with connection.cursor() as cursor, cursor.copy('COPY ledger_leaf (gaming_day, segment_id, "index", kind, "row", content) FROM STDIN') as copy:
        while block := spool.read(1 << 20):
            copy.write(block)
