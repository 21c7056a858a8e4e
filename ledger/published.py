"""The append-only file off the database where every checkpoint goes as soon as it is signed, and the alarm when it is ahead of the books, or lost.

A line is JSON: `{"segment": 3, "note": "…"}` for a checkpoint, `{"key": 2, "note": "…"}` for a new key's announcement. A line that was torn by
a crash is no JSON; the next one begins after it. Source: spec/books.md, "Sealing a shift".
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils.translation import gettext, gettext_noop

from casino.errors import Unavailable
from ledger.models import CheckpointAlarm, SealKey, Segment, SignedCheckpoint


@dataclass(frozen=True)
class Published:
    """A checkpoint in the file."""

    number: int
    note: str

    @property
    def text(self) -> str:
        """Return the text that was signed."""
        return self.note.partition("\n\n")[0] + "\n"


@dataclass(frozen=True)
class Difference:
    """One thing in which file and books differ: of which kind, the checkpoint's or key's number, its note, and whether somebody acknowledged it."""

    kind: CheckpointAlarm.Kind
    number: int
    note: str
    acknowledged: bool


_WORDS = {
    CheckpointAlarm.Kind.LOST: gettext_noop(
        "Checkpoint %(number)s was published, and is not in %(file)s, or that cannot be read: the file was lost or cut off, or another one is "
        "looked at. Put it back, or acknowledge its loss; nothing is sealed until then."
    ),
    CheckpointAlarm.Kind.KEY: gettext_noop(
        "Key %(number)s was announced, and the books do not hold it: the newest published is %(published)s, the newest in the books %(in_books)s. "
        "A backup was restored, or the end of the books was cut off."
    ),
    CheckpointAlarm.Kind.AHEAD: gettext_noop(
        "Checkpoint %(number)s was published, and the books do not hold it: the newest published is %(published)s, the newest in the books "
        "%(in_books)s. A backup was restored, or the end of the books was cut off."
    ),
}


@dataclass(frozen=True)
class Alarm:
    """The first thing in which file and books differ and that nobody acknowledged, and how many checkpoints the file and the books hold."""

    kind: CheckpointAlarm.Kind
    first: Published
    published: int
    in_books: int

    @property
    def stops_posting(self) -> bool:
        """Return whether nothing is posted meanwhile: where the books may be older than they were."""
        return self.kind != CheckpointAlarm.Kind.LOST

    @property
    def code(self) -> str:
        """Return the code by which sealing refuses."""
        return "published_ahead" if self.stops_posting else "checkpoints_lost"

    @property
    def message(self) -> str:
        """Return it in the reader's words."""
        facts = {"number": self.first.number, "file": settings.CHECKPOINTS, "published": self.published, "in_books": self.in_books}
        return gettext(_WORDS[self.kind]) % facts


def read(path: Path | None = None) -> list[Published]:
    """Return the file's checkpoints in their order; none where no file can be read. Lines that a crash tore are passed over."""
    return _checkpoints(_lines(path or settings.CHECKPOINTS))


def _checkpoints(lines: list[dict[str, Any]]) -> list[Published]:
    return [Published(line["segment"], line["note"]) for line in lines if "segment" in line]


def keys(path: Path | None = None) -> dict[int, str]:
    """Return the file's announcements of keys by their numbers."""
    return {line["key"]: line["note"] for line in _lines(path or settings.CHECKPOINTS) if "key" in line}


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the file's lines, none where it is not there or cannot be read: `differences` tells what it should hold."""
    try:
        content = path.read_text(errors="replace")
    except OSError:
        return []
    found = []
    for line in content.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and _is_line(said.get("segment", said.get("key")), said.get("note")):
            found.append(said)
    return found


def _is_line(number: object, note: object) -> bool:
    return type(number) is int and 0 < number < 2**63 and isinstance(note, str) and "\x00" not in note


def append(record: dict[str, Any], path: Path | None = None) -> None:
    """Put a line at the end of the file, and return when it is on the disk. A torn line before it is ended first."""
    path = path or settings.CHECKPOINTS
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = os.fstat(file).st_size
        torn = end and os.pread(file, 1, end - 1) != b"\n"
        line = (b"\n" if torn else b"") + json.dumps(record, ensure_ascii=False).encode() + b"\n"
        while line:
            line = line[os.write(file, line) :]
        os.fsync(file)
    finally:
        os.close(file)
    if is_new:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_beside_the_books() -> bool:
    """Return whether the file lies in this state's own folder, as it does unless the house has a place for it: who loses one loses both."""
    return settings.CHECKPOINTS.absolute().is_relative_to(settings.STATE)


def differences() -> list[Difference]:
    """Return where file and books differ: keys first, then checkpoints in their order, then the newest that the file lost. Four queries.

    What is signed is asked for before the file is read, as it is published first: who seals meanwhile raises no alarm.
    """
    signed = [Published(number, note) for number, note in SignedCheckpoint.objects.order_by("segment").values_list("segment_id", "note")]
    lines = _lines(settings.CHECKPOINTS)
    out = sorted(_checkpoints(lines), key=lambda line: line.number)
    announced = sorted((line["key"], line["note"]) for line in lines if "key" in line)
    ours = set(SealKey.objects.exclude(note="").values_list("note", flat=True)) if announced else set()
    kept = dict(Segment.objects.filter(number__in=[line.number for line in out]).values_list("number", "checkpoint"))
    found = [(CheckpointAlarm.Kind.KEY, number, note) for number, note in announced if note not in ours]
    found += [(CheckpointAlarm.Kind.AHEAD, line.number, line.note) for line in out if kept.get(line.number) != line.text]
    texts = {line.text for line in out}
    found += [(CheckpointAlarm.Kind.LOST, one.number, one.note) for one in signed if one.text not in texts][-1:]
    if not found:
        return []
    known = set(CheckpointAlarm.objects.filter(number__in=[number for _, number, _ in found]).values_list("kind", "note"))
    return [Difference(kind, number, note, (kind, note) in known) for kind, number, note in dict.fromkeys(found)]


def alarm(found: Iterable[Difference] | None = None) -> Alarm | None:
    """Return the first difference of file and books that nobody acknowledged; None where all is well.

    `found`: the differences, where they were asked for before. Five queries, two where file and books agree.
    """
    first = next((one for one in (differences() if found is None else found) if not one.acknowledged), None)
    if first is None:
        return None
    newest = Segment.objects.aggregate(newest=Max("number"))["newest"] or 0
    return Alarm(first.kind, Published(first.number, first.note), max((line.number for line in read()), default=0), newest)


_well: dict[tuple[str, str], tuple[int, int]] = {}
"""The file's state (time of change, size) when it was last found well, by path and database."""


def require_current() -> None:
    """Raise Unavailable (`books_behind`) while a published checkpoint is ahead of the database and nobody acknowledged it.

    Called before every posting: where the file is as it was, that costs one `stat`. A file that is not there or cannot be read stops no
    posting: it stops sealing (`differences`).
    """
    try:
        now = settings.CHECKPOINTS.stat()
    except OSError:
        return
    state, place = (now.st_mtime_ns, now.st_size), (str(settings.CHECKPOINTS), _database())
    if _well.get(place) == state:
        return
    if (raised := alarm()) is not None and raised.stops_posting:
        raise Unavailable(
            "books_behind",
            gettext("%(message)s Nothing is posted until a shift manager or an auditor acknowledges it.") % {"message": raised.message},
            checkpoint=raised.first.number,
        )
    _well[place] = state


def _database() -> str:
    from django.db import connection

    return str(connection.settings_dict["NAME"])
