"""The sheets of a report's XLSX: ready for paper, named as Excel wants it. See audit/export_xlsx.py."""

from __future__ import annotations

import re
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit.export_xlsx_cells import units
from audit.reports.shown import visible

_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


class TextSheet(Worksheet):
    """A sheet whose text is text: XlsxWriter lets a string like `<r>…</r>` into the XML as it stands, taking it for rich text."""

    def _xml_rich_inline_string(self, string: str, attributes: Any = ()) -> None:
        self._xml_inline_string(string, True, attributes)


class Sheets:
    """The sheets of one workbook; what is made is ready for A4 landscape, a page wide."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._taken: set[str] = {"history"}

    def add(self, title: str) -> Worksheet:
        """Return a new sheet for `title`."""
        sheet = self._book.add_worksheet(self._name(title), worksheet_class=TextSheet)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
        sheet.set_footer("&L&8&A&R&8page &P of &N")
        return sheet

    def _name(self, title: str) -> str:
        """Return a name that Excel takes: 31 UTF-16 units, none of []:*?/\\, no apostrophe at an end, not "History", each once in any case."""
        clean = _FORBIDDEN.sub("-", visible(title).replace("\n", " ")).strip().strip("'") or "Sheet"
        number = 1
        while True:
            mark = f" ({number})" if number > 1 else ""
            name = units(clean, 31 - len(mark)).rstrip(" '") + mark
            if name.lower() not in self._taken:
                self._taken.add(name.lower())
                return name
            number += 1
