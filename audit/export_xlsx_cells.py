"""Cells of a report's XLSX: their formats, and what stands in them. See audit/export_xlsx.py."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format

from audit.reports.machine import seconds
from audit.reports.report import Column, Report, Value
from audit.reports.shown import clock_face, plain_amount, shown, visible

CELL_TEXT = 32_767
CUT = " … [cut here; whole in the CSV and JSON]"
LONGEST = 10**15
FIRST_DAY, LAST_DAY = date(1900, 3, 1), date(9999, 12, 31)
LEFT = {"align": "left", "indent": 1}
"""So that words keep their distance from the figures of the column before."""
COLOURS = {"bad": "#B3261E", "warn": "#8A5A00"}


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
        head = {"bold": True, "text_wrap": True, "valign": "bottom", "bottom": 1, "bg_color": "#F1F1EE", "font_color": "#3A3F44"}
        self.head = book.add_format(head | LEFT)
        self.head_right = book.add_format(head | {"align": "right"})
        self.title = book.add_format({"bold": True, "font_size": 16} | LEFT)
        self.dim = book.add_format({"font_color": "#6B7075", "valign": "top"} | LEFT)
        self.fact = book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"} | LEFT)
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
        shape: dict[str, Any] = {"num_format": "@" if as_text else number, "valign": "top"} | (LEFT if column.left else {"align": "right"})
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
    if len(text) * 2 > CELL_TEXT and len(units(text, CELL_TEXT)) < len(text):
        return units(text, CELL_TEXT - len(CUT)) + CUT
    return text


def units(text: str, most: int) -> str:
    """Return the beginning of `text` in at most `most` UTF-16 units."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")
