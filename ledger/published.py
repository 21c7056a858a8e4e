"""The append-only file off the database where every checkpoint goes as soon as it is signed, and the alarm when it is ahead of the books.

A line is JSON: `{"segment": 3, "note": "…"}` for a checkpoint, `{"key": 2, "note": "…"}` for a new key's announcement. A line that was torn by
a crash is no JSON; the next one begins after it. Source: spec/books.md, "Sealing a shift".
"""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils.translation import gettext

from casino.errors import Unavailable
from ledger.models import CheckpointAlarm, Segment


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
class Alarm:
    """What was published and is not in the database: the first such checkpoint, and how many the file and the books hold."""

    first: Published
    published: int
    in_books: int

    @property
    def message(self) -> str:
        """Return it in words."""
        return (
            f"Checkpoint {self.first.number} was published, and the books do not hold it: the newest published is {self.published}, "
            f"the newest in the books {self.in_books}. A backup was restored, or the end of the books was cut off."
        )


def read(path: Path | None = None) -> list[Published]:
    """Return the file's checkpoints in their order; none where there is no file. Lines that a crash tore are passed over."""
    return [Published(line["segment"], line["note"]) for line in _lines(path or settings.CHECKPOINTS) if "segment" in line]


def keys(path: Path | None = None) -> dict[int, str]:
    """Return the file's announcements of keys by their numbers."""
    return {line["key"]: line["note"] for line in _lines(path or settings.CHECKPOINTS) if "key" in line}


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        content = path.read_text(errors="replace")
    except FileNotFoundError:
        return []
    found = []
    for line in content.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and isinstance(said.get("note"), str):
            found.append(said)
    return found


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


def alarm() -> Alarm | None:
    """Return what was published and the books do not hold, unless somebody acknowledged it; None where all is well. Two queries."""
    lines = read()
    if not lines:
        return None
    kept = dict(Segment.objects.filter(number__in=[line.number for line in lines]).values_list("number", "checkpoint"))
    missing = [line for line in lines if kept.get(line.number) != line.text]
    known = set(CheckpointAlarm.objects.filter(number__in=[line.number for line in missing]).values_list("note", flat=True)) if missing else set()
    open_ones = [line for line in missing if line.note not in known]
    if not open_ones:
        return None
    newest = Segment.objects.aggregate(newest=Max("number"))["newest"] or 0
    return Alarm(open_ones[0], max(line.number for line in lines), newest)


_well: dict[tuple[str, str], tuple[int, int]] = {}
"""The file's state (time of change, size) when it was last found well, by path and database."""


def require_current() -> None:
    """Raise Unavailable (`books_behind`) while a published checkpoint is ahead of the database and nobody acknowledged it.

    Called before every posting: where the file is as it was, that costs one `stat`.
    """
    try:
        now = settings.CHECKPOINTS.stat()
    except OSError:
        return
    state, place = (now.st_mtime_ns, now.st_size), (str(settings.CHECKPOINTS), _database())
    if _well.get(place) == state:
        return
    if (raised := alarm()) is not None:
        raise Unavailable(
            "books_behind",
            gettext("%(message)s Nothing is posted until a shift manager or an auditor acknowledges it.") % {"message": raised.message},
            checkpoint=raised.first.number,
        )
    _well[place] = state


def _database() -> str:
    from django.db import connection

    return str(connection.settings_dict["NAME"])
