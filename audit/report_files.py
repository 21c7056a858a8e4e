"""Reports as files: written whole or not at all, each with a row that knows its hash."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from audit.exports import FORMATS, Format, filename, write
from audit.models import ReportFile, ReportPrint
from audit.reports import shift as shift_report
from audit.reports.catalogue import report_for
from audit.reports.report import Report
from audit.reports.scope import read_scope
from casino.models import User
from casino.words import gettext_noop
from tables.models import Shift


def write_shift_report(shift: Shift, *, by: User | None, progress: Callable[[int, int, str], None]) -> list[ReportFile]:
    """Return the rows of the shift's report files, one a format, written to `settings.REPORTS`/property/day-shift/.

    A name says what is in the file: of a report that has changed since, the file before stays what its row says.
    """
    report = shift_report.build(shift)
    folder = settings.REPORTS / shift.property.code / f"{shift.gaming_day}-{shift.kind}"
    kept = []
    for done, fmt in enumerate(FORMATS, start=1):
        name = Path(filename(report, fmt))
        path = folder / f"{name.stem}_{report.sha256[:12]}{name.suffix}"
        written = _write(path, report, fmt)
        kept.append(ReportFile.objects.create(shift=shift, report="shift", format=fmt, asked_by=by, **written))
        progress(done, len(FORMATS), gettext_noop("formats written"))
    return kept


def write_report(
    key: str, filters: Mapping[str, Any], fmt: Format, *, by: User, today: date, progress: Callable[[int, int, str], None]
) -> ReportFile:
    """Return the row of a report of the catalogue, written as `fmt` to `settings.REPORTS`/exports/ with the rights that `by` has now.

    Raises NotFound, Refused, InvalidSlip as the report's page does.
    """
    kind = report_for(by, key)
    report = kind.report(read_scope(filters, by, today, kind.action))
    name = filename(report, fmt)
    path = settings.REPORTS / "exports" / f"{Path(name).stem}-{uuid.uuid4().hex[:8]}.{fmt}"
    written = _write(path, report, fmt, lambda rows: progress(rows, 0, gettext_noop("rows written")))
    return ReportFile.objects.create(report=key, filters=dict(filters), format=fmt, asked_by=by, **written)


def printed(report: Report, *, by: User, at: datetime) -> Report:
    """Return `report` as it goes to paper now: by whom, when, and which print of this content it is. Keeps that it was printed."""
    before = ReportPrint.objects.filter(content_sha256=report.sha256).count()
    ReportPrint.objects.create(identity=report.identity[:200], content_sha256=report.sha256, by=by)
    return replace(report, printed_by=by.username, printed_at=at, reprint=before)


def _write(path: Path, report: Report, fmt: Format, progress: Callable[[int], object] | None = None) -> dict[str, Any]:
    """Write beside, then rename: a reader never sees half a report, and a full disk keeps none. Return what its row says of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.new")  # of its own: two may write the same report at once
    try:
        with beside.open("wb") as file:
            seen = write(report, fmt, file, progress=progress)
        with beside.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        beside.replace(path)
    except OSError:  # half a file would only take up what is left of a full disk
        beside.unlink(missing_ok=True)
        raise
    return {"content_sha256": seen.sha256, "file_sha256": digest, "path": str(path), "size": path.stat().st_size}
