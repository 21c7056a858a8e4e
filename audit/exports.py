"""A report to bytes: the only renderer. One file a format beside this one; each says in its docstring what its files are like.

| format | module | for |
| --- | --- | --- |
| csv | audit/export_csv.py | other programs: sections one after another, a trailer with counts and hash |
| xlsx | audit/export_xlsx.py | spreadsheets: real numbers, totals as formulas, a sheet a section |
| pdf | audit/export_pdf.py | paper |
| json | audit/export_json.py | other programs, and whoever recomputes the hash |

The same report is the same bytes in each, whatever the machine's zone, locale and fonts. CSV, XLSX and JSON take rows as they come, in
constant memory. Pure: no Django.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO, Literal

from audit.reports.reading import Seen
from audit.reports.report import Report

Format = Literal["csv", "xlsx", "pdf", "json"]
FORMATS: tuple[Format, ...] = ("csv", "xlsx", "pdf", "json")

_MEDIA = {
    "csv": "text/csv; charset=utf-8; header=present",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "json": "application/json",
}


def write(report: Report, fmt: Format, file: BinaryIO, *, progress: Callable[[int], object] | None = None) -> Seen:
    """Write `report` as `fmt` to the binary `file`, left open, and return the rows of each section and the content's SHA-256.

    One pass over the rows. `progress` is told the rows so far, each thousand. Raises KeyError for another format, BrokenBooks where
    stated totals are not the sums of their rows, TypeError for a value that is not of its column's kind, Refused for a PDF beyond
    50,000 rows, Unavailable for a PDF that takes too long.
    """
    return _writer(fmt)(report, file, progress)


def _writer(fmt: Format) -> Callable[[Report, BinaryIO, Callable[[int], object] | None], Seen]:
    """Return what writes `fmt`. Loaded when it is first needed: pypdf and XlsxWriter take longer to load than most commands to run."""
    if fmt not in FORMATS:
        raise KeyError(fmt)
    writer: Callable[[Report, BinaryIO, Callable[[int], object] | None], Seen] = getattr(import_module(f"audit.export_{fmt}"), f"write_{fmt}")
    return writer


def render(report: Report, fmt: Format) -> bytes:
    """Return `report` as the bytes of `fmt`; raises as `write`."""
    out = io.BytesIO()
    write(report, fmt, out)
    return out.getvalue()


def media_type(fmt: Format) -> str:
    """Return the Content-Type of `fmt`."""
    return _MEDIA[fmt]


def filename(report: Report, fmt: Format) -> str:
    """Return a file name that is safe everywhere: "shift-report_2026-11-30_swing.pdf", ASCII, at most 100 characters."""
    plain = unicodedata.normalize("NFKD", report.identity.replace("/", "_")).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", plain)[:90].strip("-_") or "report"
    return f"{stem}.{fmt}"
