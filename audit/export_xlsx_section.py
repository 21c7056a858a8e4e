"""One section of a report on as many sheets as it needs. See audit/export_xlsx.py."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from audit.export_xlsx_cells import Styles, number_of, whole_text, words_of
from audit.export_xlsx_sheets import Sheets
from audit.reports.reading import SectionReading
from audit.reports.report import Column, Report, Row, Section, Value
from audit.reports.shown import emphasis_of, offset, shown, visible

SHEET_ROWS = 1_048_576
MEASURED = 1_000
"""Rows whose cells are looked at for the width of their column."""


class SectionWriter:
    """Writes one section on as many sheets as it needs; `pages` are those sheets."""

    def __init__(self, sheets: Sheets, styles: Styles, part: SectionReading, report: Report) -> None:
        self.pages: list[Worksheet] = []
        self._sheets, self._styles, self._part, self._report = sheets, styles, part, report
        self._columns = list(_placed(part.section))
        self._plain = [(index, at, column, styles.cell(column)) for index, (at, column) in enumerate(self._columns)]
        self._widths = [min(24, max(8, len(column.label) + 3)) for column in part.section.columns]
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
        self.pages.append(self._sheets.add(self._part.section.title))
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
        self._widths[index] = max(self._widths[index], min(60, longest + 3))

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
                    sheet.set_column(at + 1, at + 1, 12)


def _placed(section: Section) -> Iterator[tuple[int, Column]]:
    """Yield each column with the sheet column it stands in; a moment takes two."""
    at = 0
    for column in section.columns:
        yield at, column
        at += 2 if column.kind == "moment" else 1
