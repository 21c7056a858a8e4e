"""A report as CSV: RFC 4180, UTF-8 with a byte order mark, CR LF, every line as many fields as the widest. Pure; see audit/exports.py.

    section,line,table,win_by_play,…       each section begins with its own heads: column keys, never labels
    tables,1,UTH-01,1212.50,…              `section` says whose line it is; lines count from 1
    tables,total,House,4187.50,…           the totals row, where there is one
    section,line,label,value               and at the end, as a trailer, what the report is:
    report,1,title,Shift report            identity, currency, zone, facts, the rows of each section, the SHA-256
    …

A file without its trailer, or with another count of rows than the trailer states, is cut. The byte order mark makes Excel read the
accents; whoever does not strip it finds it in the name `section` and in no column of data.

**Text is guarded.** A text that a spreadsheet could run, or that begins with an apostrophe, gets one apostrophe more in front;
`unguarded` gives it back. Figures are never guarded: -42.50 stays a number. Ids keep every digit here; a spreadsheet that opens a CSV may
still take them for numbers, which is what the XLSX is for.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from audit.reports.reading import Reading, SectionReading, Seen
from audit.reports.report import Column, Report, Value
from audit.reports.shown import moment, plain, visible

_HOSTILE = re.compile(r"['\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def guarded(text: str) -> str:
    """Return `text` made visible, and with a leading apostrophe where a spreadsheet could run it or where it begins with one."""
    text = visible(text)
    return "'" + text if _HOSTILE.match(text) else text


def unguarded(text: str) -> str:
    """Return what `guarded` was given (but for characters that could not be seen)."""
    return text.removeprefix("'")


def write_csv(report: Report, file: BinaryIO, progress: Callable[[int], object] | None = None) -> Seen:
    """Write `report` to `file` and return what was seen. Constant memory; the file is left open."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
    try:
        return _write(report, csv.writer(text, lineterminator="\r\n"), text, progress)
    finally:
        text.detach()


def _write(report: Report, writer: Any, text: io.TextIOWrapper, progress: Callable[[int], object] | None) -> Seen:
    width = 2 + max(2, *(len(section.columns) for section in report.sections), 0)
    text.write("\ufeff")
    reading = Reading(report, progress=progress)
    for part in reading:
        writer.writerows(_padded(line, width) for line in _lines(part, report))
    writer.writerow(_padded(["section", "line", "label", "value"], width))
    for number, (label, value) in enumerate(trailer(report, reading.seen), start=1):
        writer.writerow(_padded(["report", str(number), guarded(label), guarded(value)], width))
    text.flush()
    return reading.seen


def _padded(line: list[str], width: int) -> list[str]:
    return line + [""] * (width - len(line))


def _lines(part: SectionReading, report: Report) -> Iterator[list[str]]:
    section = part.section
    writers = [_written(column, report) for column in section.columns]
    yield ["section", "line", *(column.key for column in section.columns)]
    for row in part:
        yield [section.key, str(part.count), *(write(value) for write, value in zip(writers, row.values, strict=True))]
    if part.totals is not None:
        yield [section.key, "total", *(write(value) for write, value in zip(writers, part.totals.values, strict=True))]


def _written(column: Column, report: Report) -> Callable[[Value], str]:
    if column.kind != "text":
        return plain(column, report)
    return lambda value: "" if value is None else guarded(str(value))


def trailer(report: Report, seen: Seen) -> Iterator[tuple[str, str]]:
    """Yield (label, value) of what the report is; the last are the count of each section's rows and the hash."""
    yield from (("title", report.title), ("subtitle", report.subtitle), ("identity", report.identity), ("made_from", report.made_from))
    yield from (("currency", report.currency), ("exponent", str(report.exponent)), ("zone", report.zone))
    yield from report.facts
    if report.code is not None:
        yield "code", report.code
    if report.printed_by is not None:
        yield "printed_by", report.printed_by
    if report.printed_at is not None:
        yield "printed_at", moment(report.printed_at, report)
    if report.reprint:
        yield "reprint", str(report.reprint)
    yield from ((f"rows of {key}", str(count)) for key, count in seen.rows.items())
    yield "sha256", seen.sha256
