"""A report as XLSX: one sheet a section behind a first sheet "Report". See audit/exports.py.

Figures are real numbers with the currency's decimals; what a spreadsheet's 15 digits cannot hold stays text, to the last digit. Text is
written as text and never looked at: no formula, no link, no rich text. Moments are the report's wall clock, and the offset stands in a
column beside them. Totals are formulas over the rows whose stored result is our own total. A section longer than a sheet goes on in the
next. Same report, same bytes: fixed times inside, rows streamed through a temporary file (constant memory).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from tempfile import TemporaryDirectory
from typing import BinaryIO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit.export_csv import trailer
from audit.export_xlsx_cells import Styles, whole_text
from audit.export_xlsx_section import SectionWriter
from audit.export_xlsx_sheets import Sheets
from audit.reports.reading import Reading, Seen
from audit.reports.report import Report
from audit.reports.shown import visible

BORN = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def write_xlsx(report: Report, file: BinaryIO, progress: Callable[[int], object] | None = None) -> Seen:
    """Write `report` to `file` and return what was seen. Constant memory, temporary files on disk; the file is left open."""
    with TemporaryDirectory(prefix="pitbook-xlsx-") as folder:
        book = Workbook(file, {"constant_memory": True, "tmpdir": folder})
        try:
            seen = _write(book, report, Reading(report, progress=progress))
            book.close()
        finally:
            for sheet in book.worksheets():
                sheet._opt_close()  # XlsxWriter leaves its row files open where a row cannot be written
        return seen


def _write(book: Workbook, report: Report, reading: Reading) -> Seen:
    book.use_zip64()
    book.set_properties({"title": visible(report.title), "subject": visible(report.identity), "created": BORN})
    styles, sheets = Styles(book, report), Sheets(book)
    front = sheets.add("Report")
    names: dict[str, str] = {}
    for part in reading:
        writer = SectionWriter(sheets, styles, part, report)
        writer.write()
        names[part.section.key] = writer.pages[0].name
    _write_front(front, report, reading.seen, names, styles)
    return reading.seen


def _write_front(sheet: Worksheet, report: Report, seen: Seen, names: dict[str, str], styles: Styles) -> None:
    """Write what the report is, and what is on the other sheets."""
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 70)
    sheet.set_column(2, 2, 12)
    sheet.set_column(3, 3, 60)
    rows = count()
    sheet.write_string(next(rows), 0, whole_text(report.title), styles.title)
    for label, value in trailer(report, seen):
        at = next(rows)
        if "\n" in value:
            sheet.set_row(at, 15 * (value.rstrip().count("\n") + 1))
        sheet.write_string(at, 0, whole_text(label), styles.dim)
        sheet.write_string(at, 1, whole_text(value), styles.fact)
    next(rows)
    at = next(rows)
    for column, label in enumerate(("Section", "Sheet", "Rows", "Note")):
        sheet.write_string(at, column, label, styles.head_right if label == "Rows" else styles.head)
    for section in report.sections:
        at = next(rows)
        sheet.write_string(at, 0, whole_text(section.title), styles.fact)
        sheet.write_string(at, 1, names[section.key], styles.fact)
        sheet.write_number(at, 2, seen.rows[section.key], styles.count)
        sheet.write_string(at, 3, whole_text(section.note), styles.fact)
