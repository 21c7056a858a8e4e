"""A report in the words that stand on paper: what audit/reports/report.typ is handed. Pure. See audit/export_pdf.py."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import segno

from audit.export_pdf_columns import Extent, Plan, bands, plan
from audit.reports.chart import Bar, Chart, svg
from audit.reports.glyphs import drawable
from audit.reports.reading import Seen
from audit.reports.report import Column, Report, Row, Section
from audit.reports.shown import emphasis_of, moment, needs_no_thought, shown, visible

NAME = 12.0
"""A first column of text no wider than this (ems) holds names like UTH-01 and is set a little heavier."""

Cell = str | tuple[str, str]
"""Words, or (tone, words): the tones are "dim", "name", "total", "warn", "bad"."""


@dataclass
class Paper:
    """One section as it is read: rows of cells, and how far each column reaches."""

    section: Section
    report: Report
    rows: list[list[Cell]] = field(default_factory=list)
    totals: list[Cell] | None = None
    extents: list[Extent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.extents = [Extent.of(paper(column.label), column.kind == "text") for column in self.section.columns]

    def add(self, row: Row) -> None:
        """Take one row."""
        self.rows.append(self._cells(row, self.section.columns))

    def end(self, totals: Row | None) -> None:
        """Take the totals row; where nothing is summed, its cells stay empty."""
        if totals is not None and self.rows:
            cells = self._cells(totals, self.section.columns)
            self.totals = ["" if value is None else _heavy(cell) for value, cell in zip(totals.values, cells, strict=True)]

    def _cells(self, row: Row, columns: tuple[Column, ...]) -> list[Cell]:
        cells: list[Cell] = []
        for value, column, extent in zip(row.values, columns, self.extents, strict=True):
            text = drawable(shown(value, column, self.report))
            extent.see(text)
            tone = emphasis_of(row, column) or ("dim" if needs_no_thought(value) else "")
            cells.append((tone, text) if tone else text)
        return cells

    def laid_out(self, count: int) -> list[tuple[dict[str, Any], list[int]]]:
        """Return the section as the template wants it, one table a band, each with what its rows cost to set, in cells.

        `count` is how many rows there are; each row is [cells, whether it needs more than one line].
        """
        parts = bands(self.extents) if self.rows else [list(range(len(self.extents)))]
        marks = [f" · {number} of {len(parts)}" if len(parts) > 1 else "" for number in range(1, len(parts) + 1)]
        return [self._table(band, count, mark, drawn=not index) for index, (band, mark) in enumerate(zip(parts, marks, strict=True))]

    def _table(self, band: list[int], count: int, mark: str, *, drawn: bool) -> tuple[dict[str, Any], list[int]]:
        section, columns = self.section, [self.section.columns[index] for index in band]
        extents = [self.extents[index] for index in band]
        design, names = plan(extents), extents[0].breaks and extents[0].line <= NAME
        rows = [_fitted([cells[index] for index in band], design, names) for cells in self.rows]
        shape = {
            "title": paper(section.title) + mark, "count": f"{count:,} row{'' if count == 1 else 's'}", "note": paper(section.note),
            "empty": paper(section.empty), "heads": [paper(column.label) for column in columns], "left": [column.left for column in columns],
            "size": design.size, "widths": design.widths, "rows": rows,
            "totals": self.totals and _fitted([self.totals[index] for index in band], design, names=False),
            "chart": _chart(section) if drawn else None,
        }  # fmt: skip
        return shape, [len(cells) + sum(len(words_of(cell)) for cell in cells) // 200 for cells, _ in rows]


def _chart(section: Section) -> dict[str, str] | None:
    """Return the section's drawing and what it is called, None where there is none."""
    chart = section.chart
    if chart is None or not chart.is_drawn:
        return None
    bars = tuple(Bar(paper(bar.label), bar.value, bar.low, bar.high, bar.expected, bar.loud) for bar in chart.bars)
    words = [paper(word) for word in (chart.said, chart.value_word, chart.interval_word, chart.expected_word)]
    printable = Chart(paper(chart.title), bars, chart.notation, *words)
    return {"title": printable.title, "svg": svg(printable, section.key)}


def words_of(cell: Cell) -> str:
    """Return the words of a cell."""
    return cell if isinstance(cell, str) else cell[1]


def _heavy(cell: Cell) -> Cell:
    """Return a cell of the totals row: heavy, unless it is red or amber already."""
    return cell if not isinstance(cell, str) and cell[0] in ("warn", "bad") else ("total", words_of(cell))


def paper(text: str) -> str:
    """Return `text` as it can be printed."""
    return drawable(visible(text))


def _fitted(cells: list[Cell], design: Plan, names: bool) -> tuple[list[Cell], bool]:
    """Return the cells of a row, words broken where they must, and whether the row needs more than one line."""
    tall = [not design.fits(index, words_of(cell)) for index, cell in enumerate(cells)]
    if any(tall):
        cells = [_broken(cell, index, design) if tall[index] else cell for index, cell in enumerate(cells)]
    if names and isinstance(cells[0], str):
        cells = [("name", cells[0]), *cells[1:]]
    return cells, any(tall)


def _broken(cell: Cell, index: int, design: Plan) -> Cell:
    words = design.broken(index, words_of(cell))
    return words if isinstance(cell, str) else (cell[0], words)


def frame(report: Report, seen: Seen) -> dict[str, Any]:
    """Return what stands on every page, and at the opening."""
    by = f"printed by {report.printed_by}" if report.printed_by else ""
    at = f"printed at {moment(report.printed_at, report)}" if report.printed_at else ""
    facts = (report.identity, f"amounts in {report.currency}", f"times in {report.zone}", by, at)
    return {
        "title": paper(report.title),
        "subtitle": paper(report.subtitle),
        "facts": [[paper(label), paper(value)] for label, value in report.facts],
        "code": picture(report.code) if report.code else None,
        "reprint": f"REPRINT {report.reprint}" if report.reprint else "",
        "foot": paper("   ·   ".join(filter(None, facts))),
        "hash": f"SHA-256 {seen.sha256}",
    }


def picture(code: str) -> str:
    """Return the QR code of `code` as SVG; raises ValueError beyond about 2,300 bytes."""
    out = io.BytesIO()
    segno.make(code, error="m", micro=False).save(out, kind="svg", border=0, xmldecl=False, svgclass=None, lineclass=None)
    return out.getvalue().decode()
