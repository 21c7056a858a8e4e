"""A report as XLSX: one sheet a section behind a first sheet "Report". See audit/exports.py.

Figures are real numbers with the currency's decimals; what a spreadsheet's 15 digits cannot hold stays text, to the last digit. Text is
written as text and never looked at: no formula, no link, no rich text. Moments are the report's wall clock, and the offset stands in a
column beside them. Totals are formulas over the rows whose stored result is our own total. A section longer than a sheet goes on in the
next. Same report, same bytes: fixed times inside, rows streamed through a temporary file (constant memory).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from audit.export_csv import trailer
from audit.reports.reading import Reading, SectionReading, Seen, seconds
from audit.reports.report import Column, Report, Row, Section, Value
from audit.reports.shown import clock_face, emphasis_of, offset, plain_amount, shown, visible

SHEET_ROWS = 1_048_576
CELL_TEXT = 32_767
MEASURED = 1_000
"""Rows whose cells are looked at for the width of their column."""
CUT = " … [cut here; whole in the CSV and JSON]"
BORN = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)
LONGEST = 10**15
FIRST_DAY, LAST_DAY = date(1900, 3, 1), date(9999, 12, 31)
COLOURS = {"bad": "#B3261E", "warn": "#8A5A00"}
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


class TextSheet(Worksheet):
    """A sheet whose text is text: XlsxWriter lets a string like `<r>…</r>` into the XML as it stands, taking it for rich text."""

    def _xml_rich_inline_string(self, string: str, attributes: Any = ()) -> None:
        self._xml_inline_string(string, True, attributes)


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
    styles, names = Styles(book, report), Names()
    front = _sheet(book, names.take("Report"))
    sheets: dict[str, str] = {}
    for part in reading:
        writer = SectionWriter(book, names, styles, part, report)
        writer.write()
        sheets[part.section.key] = writer.pages[0].name
    _write_front(front, report, reading.seen, sheets, styles)
    return reading.seen


def _sheet(book: Workbook, name: str) -> Worksheet:
    sheet = book.add_worksheet(name, worksheet_class=TextSheet)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.set_footer("&L&8&A&R&8page &P of &N")
    return sheet


class Names:
    """Sheet names that Excel takes: 31 UTF-16 units, none of []:*?/\\, no apostrophe at an end, not "History", each once whatever its case."""

    def __init__(self) -> None:
        self._taken: set[str] = {"history"}

    def take(self, title: str) -> str:
        """Return the name for `title`; a second one of the same name is "… (2)"."""
        clean = _FORBIDDEN.sub("-", visible(title).replace("\n", " ")).strip().strip("'") or "Sheet"
        number = 1
        while True:
            mark = f" ({number})" if number > 1 else ""
            name = _units(clean, 31 - len(mark)).rstrip(" '") + mark
            if name.lower() not in self._taken:
                self._taken.add(name.lower())
                return name
            number += 1


def _units(text: str, most: int) -> str:
    """Return the beginning of `text` in at most `most` UTF-16 units."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


class Styles:
    """The cell formats, each made once."""

    def __init__(self, book: Workbook, report: Report) -> None:
        self._book = book
        self._made: dict[tuple[Any, ...], Format] = {}
        decimals = "." + "0" * report.exponent if report.exponent else ""
        self._numbers = {
            "amount": f"#,##0{decimals};\u2212#,##0{decimals}", "integer": "#,##0;\u2212#,##0", "duration": "[h]:mm:ss",
            "moment": "yyyy-mm-dd hh:mm:ss", "day": "yyyy-mm-dd", "text": "@",
        }  # fmt: skip
        self.head = book.add_format(
            {"bold": True, "text_wrap": True, "valign": "bottom", "bottom": 1, "bg_color": "#F1F1EE", "font_color": "#3A3F44"}
        )
        self.head_right = book.add_format(
            {"bold": True, "text_wrap": True, "valign": "bottom", "align": "right", "bottom": 1, "bg_color": "#F1F1EE", "font_color": "#3A3F44"}
        )
        self.title = book.add_format({"bold": True, "font_size": 16})
        self.dim = book.add_format({"font_color": "#6B7075", "valign": "top"})
        self.fact = book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"})
        self.count = book.add_format({"num_format": "#,##0", "valign": "top"})

    def cell(self, column: Column, emphasis: str = "", total: bool = False, as_text: bool = False) -> Format:
        """Return the format of a cell of `column`; `as_text` for a figure that is kept as text."""
        key = (column.kind, column.decimals, emphasis, total, as_text)
        if key not in self._made:
            self._made[key] = self._book.add_format(self._shape(column, emphasis, total, as_text))
        return self._made[key]

    def _shape(self, column: Column, emphasis: str, total: bool, as_text: bool) -> dict[str, Any]:
        places = "." + "0" * column.decimals if column.decimals else ""
        number = f"0{places}%;\u22120{places}%" if column.kind == "percent" else self._numbers[column.kind]
        shape: dict[str, Any] = {"num_format": "@" if as_text else number, "valign": "top", "align": "left" if column.left else "right"}
        if column.kind == "text":
            shape["text_wrap"] = True
        if emphasis:
            shape |= {"font_color": COLOURS[emphasis], "bold": True}
        return shape | ({"bold": True, "top": 1} if total else {})


def number_of(value: Value, column: Column, report: Report) -> float | int | date | None:
    """Return what a number cell holds, or None where only text holds every digit (beyond 15) or the calendar has no such day."""
    if isinstance(value, int) and column.kind != "percent":
        if abs(value) >= LONGEST:
            return None
        return value / 10**report.exponent if column.kind == "amount" and report.exponent else value
    if isinstance(value, datetime):
        local = value.astimezone(report.clock).replace(tzinfo=None)
        return local if FIRST_DAY <= local.date() <= LAST_DAY else None
    if isinstance(value, date):
        return value if value >= FIRST_DAY else None
    if isinstance(value, timedelta):
        return seconds(value) / 86_400 if value >= timedelta(0) else None
    return float(value) if isinstance(value, (Fraction, int)) else None


def words_of(value: Value, column: Column, report: Report) -> str:
    """Return the text of a cell that holds no number: machine digits, no grouping."""
    if column.kind == "amount" and isinstance(value, int):
        return plain_amount(value, report.exponent)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, timedelta):
        return clock_face(value)
    return whole_text(shown(value, column, report))


def whole_text(text: str) -> str:
    """Return `text` made visible; what a cell cannot hold (32,767 UTF-16 units) is cut, and says so."""
    text = visible(text)
    if len(text) * 2 > CELL_TEXT and len(_units(text, CELL_TEXT)) < len(text):
        return _units(text, CELL_TEXT - len(CUT)) + CUT
    return text


class SectionWriter:
    """Writes one section on as many sheets as it needs; `pages` are those sheets."""

    def __init__(self, book: Workbook, names: Names, styles: Styles, part: SectionReading, report: Report) -> None:
        self.pages: list[Worksheet] = []
        self._new_sheet = lambda: _sheet(book, names.take(part.section.title))
        self._styles, self._part, self._report = styles, part, report
        self._columns = list(_placed(part.section))
        self._plain = [(index, at, column, styles.cell(column)) for index, (at, column) in enumerate(self._columns)]
        self._widths = [min(24, max(8, len(column.label) + 2)) for column in part.section.columns]
        self._ends: list[int] = []
        self._at = 0
        self._as_text: set[int] = set()

    def write(self) -> None:
        """Write heads, rows, totals, widths and filter."""
        self._open()
        for row in self._part:
            if self._at > SHEET_ROWS - 2:
                self._ends.append(self._at)
                self._open()
            self._row(row)
        if not self._part.count:
            self.pages[-1].write_string(1, 0, whole_text(self._part.section.empty), self._styles.dim)
            self._at = 2
        self._ends.append(self._at)
        if self._part.totals is not None:
            self._total(self._part.totals)
        self._dress()

    def _open(self) -> None:
        self.pages.append(self._new_sheet())
        sheet = self.pages[-1]
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)
        for at, column in self._columns:
            sheet.write_string(0, at, visible(column.label), self._styles.head if column.left else self._styles.head_right)
            if column.kind == "moment":
                sheet.write_string(0, at + 1, visible(f"{column.label}, offset"), self._styles.head)
        self._at = 1

    def _row(self, row: Row) -> None:
        loud, on = row.emphasis, row.on
        for (index, at, column, style), value in zip(self._plain, row.values, strict=True):
            if value is not None:
                if loud and (not on or column.key in on):
                    style = self._styles.cell(column, loud)
                self._value(index, at, value, column, style)
        self._at += 1

    def _value(self, index: int, at: int, value: Value, column: Column, style: Format) -> None:
        sheet, number = self.pages[-1], number_of(value, column, self._report)
        if number is None:
            words = words_of(value, column, self._report)
            sheet.write_string(self._at, at, words, style if column.kind == "text" else self._styles.cell(column, as_text=True))
            self._as_text.add(index)
            self._widen(index, words)
        elif isinstance(number, date):
            sheet.write_datetime(self._at, at, number, style)
        else:
            sheet.write_number(self._at, at, number, style)
        if isinstance(value, datetime):
            sheet.write_string(self._at, at + 1, offset(value.astimezone(self._report.clock)), self._styles.dim)
        elif number is not None and self._at < MEASURED:
            self._widen(index, shown(value, column, self._report))

    def _widen(self, index: int, words: str) -> None:
        if self._at >= MEASURED:
            return
        longest = max(map(len, words[:400].split("\n")))
        self._widths[index] = max(self._widths[index], min(60, longest + 2))

    def _total(self, totals: Row) -> None:
        for index, (at, column) in enumerate(self._columns):
            value, style = totals.values[index], self._styles.cell(column, emphasis_of(totals, column), total=True)
            number = None if value is None else number_of(value, column, self._report)
            if value is None:
                self.pages[-1].write_blank(self._at, at, None, style)
            elif column.total and self._part.count and index not in self._as_text and number is not None:
                self.pages[-1].write_formula(self._at, at, self._formula(at, column), style, number)
            else:
                self._value(index, at, value, column, style)
            if column.kind == "moment" and value is None:
                self.pages[-1].write_blank(self._at, at + 1, None, style)

    def _formula(self, at: int, column: Column) -> str:
        """Return the sum over the column on every sheet; amounts rounded to the currency, so that binary fractions add up to ours."""
        letter = xl_col_to_name(at)
        last = len(self.pages) - 1
        ranges = [
            ("" if number == last else "'" + sheet.name.replace("'", "''") + "'!") + f"{letter}2:{letter}{end}"
            for number, (sheet, end) in enumerate(zip(self.pages, self._ends, strict=True))
        ]
        sum_ = f"SUM({','.join(ranges)})"
        return f"=ROUND({sum_},{self._report.exponent})" if column.kind == "amount" and self._report.exponent else f"={sum_}"

    def _dress(self) -> None:
        width = self._columns[-1][0] + (1 if self._columns[-1][1].kind == "moment" else 0)
        for sheet, end in zip(self.pages, self._ends, strict=True):
            sheet.autofilter(0, 0, max(1, end - 1), width)
            sheet.ignore_errors({"number_stored_as_text": f"A1:{xl_col_to_name(width)}{end + 1}"})
            for index, (at, column) in enumerate(self._columns):
                wide = {"moment": 20, "day": 12}.get(column.kind, self._widths[index])
                sheet.set_column(at, at, max(wide, 8))
                if column.kind == "moment":
                    sheet.set_column(at + 1, at + 1, 9)


def _placed(section: Section) -> Iterator[tuple[int, Column]]:
    """Yield each column with the sheet column it stands in; a moment takes two."""
    at = 0
    for column in section.columns:
        yield at, column
        at += 2 if column.kind == "moment" else 1


def _write_front(sheet: Worksheet, report: Report, seen: Seen, sheets: dict[str, str], styles: Styles) -> None:
    """Write what the report is, and what is on the other sheets."""
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 70)
    sheet.set_column(2, 2, 12)
    sheet.set_column(3, 3, 60)
    rows = count()
    sheet.write_string(next(rows), 0, whole_text(report.title), styles.title)
    for label, value in trailer(report, seen):
        at = next(rows)
        sheet.write_string(at, 0, whole_text(label), styles.dim)
        sheet.write_string(at, 1, whole_text(value), styles.fact)
    next(rows)
    at = next(rows)
    for column, label in enumerate(("Section", "Sheet", "Rows", "Note")):
        sheet.write_string(at, column, label, styles.head_right if label == "Rows" else styles.head)
    for section in report.sections:
        at = next(rows)
        sheet.write_string(at, 0, whole_text(section.title), styles.fact)
        sheet.write_string(at, 1, sheets[section.key], styles.fact)
        sheet.write_number(at, 2, seen.rows[section.key], styles.count)
        sheet.write_string(at, 3, whole_text(section.note), styles.fact)
