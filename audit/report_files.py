"""Reports as files: written whole or not at all, each with a row that knows its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from audit.exports import Format, filename, render
from audit.models import ReportFile
from audit.reports import shift as shift_report
from casino.models import User
from tables.models import Shift

FORMATS: tuple[Format, ...] = ("csv", "xlsx", "pdf", "json")


def write_shift_report(shift: Shift, *, by: User | None, progress: Callable[[int, int, str], None]) -> list[ReportFile]:
    """Return the rows of the shift's report files, one a format, written to `settings.REPORTS`/property/day-shift/."""
    report = shift_report.build(shift)
    folder = settings.REPORTS / shift.property.code / f"{shift.gaming_day}-{shift.kind}"
    folder.mkdir(parents=True, exist_ok=True)
    kept = []
    for done, fmt in enumerate(FORMATS, start=1):
        content = render(report, fmt)
        path = folder / filename(report, fmt)
        _write(path, content)
        kept.append(
            ReportFile.objects.create(
                shift=shift,
                report="shift",
                format=fmt,
                content_sha256=report.sha256,
                file_sha256=hashlib.sha256(content).hexdigest(),
                path=str(path),
                size=len(content),
                asked_by=by,
            )
        )
        progress(done, len(FORMATS), "formats written")
    return kept


def _write(path: Path, content: bytes) -> None:
    """Write beside, then rename: a reader never sees half a report."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    beside.replace(path)
