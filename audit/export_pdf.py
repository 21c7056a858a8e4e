"""A report as PDF: A4 landscape, set by Typst from audit/reports/report.typ. See audit/exports.py.

The report's words reach Typst as one JSON text, as strings that are set and never as markup. The typefaces are the two that we ship
(audit/reports/fonts) and no system font, and the document has no date: same report, same bytes, on every machine.

Typst keeps what it has laid out, some 10 kB a cell, so each stretch of about 18,000 cells is set in a process of its own
(audit/export_typst.py) that gives its memory back. A report of one stretch is one document. A longer one is stretches side by side, and
empty pages that carry the running heads and "page 3 of 412", laid over them by pypdf. Beyond `PAPER_ROWS` rows nobody reads paper:
refused; CSV and XLSX have no such end.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, IndirectObject, NameObject, StreamObject

from audit.export_pdf_words import Paper, frame
from audit.export_typst import typeset
from audit.reports.reading import Reading, SectionReading, Seen
from audit.reports.report import Report
from casino.errors import Refused
from casino.words import gettext

PAPER_ROWS = 50_000
STRETCH_CELLS = 18_000

Shape = dict[str, Any]


def write_pdf(report: Report, file: BinaryIO, progress: Callable[[int], object] | None = None) -> Seen:
    """Write `report` to `file` and return what was seen; the file is left open.

    Raises Refused("too_long_for_paper") beyond `PAPER_ROWS` rows, and Unavailable where Typst does not come back in time.
    """
    reading = Reading(report, progress=progress)
    papers = [_read(part, reading) for part in reading]
    laid_out = [table for paper in papers for table in paper.laid_out(reading.seen.rows[paper.section.key])]
    stretches = list(_stretches(laid_out))
    furniture = frame(report, reading.seen)
    if len(stretches) == 1:
        file.write(typeset(furniture | {"mode": "whole", "opening": True, "sections": stretches[0]}))
    else:
        file.write(_bound(furniture, stretches))
    return reading.seen


def _read(part: SectionReading, reading: Reading) -> Paper:
    """Return one section in words; raises Refused where the report is too long."""
    paper = Paper(part.section, reading.report)
    for row in part:
        if reading.rows > PAPER_ROWS:
            raise Refused(
                "too_long_for_paper",
                gettext("More than %(most)s rows are too many for paper. Take the CSV or XLSX, or narrow the filters.") % {"most": f"{PAPER_ROWS:,}"},
                limit=PAPER_ROWS,
            )
        paper.add(row)
    paper.end(part.totals)
    return paper


def _stretches(laid_out: list[tuple[Shape, list[int]]]) -> Iterator[list[Shape]]:
    """Yield the sections cut into stretches of about `STRETCH_CELLS`; a section goes on with the same columns, its totals at its end.

    Its chart stands at its beginning only.
    """
    stretch: list[Shape] = []
    load = 0
    for section, costs in laid_out:
        start = 0
        for end, cost in enumerate(costs):
            if load + cost > STRETCH_CELLS and load:
                if end > start:
                    stretch.append(_piece(section, start, end) | {"totals": None})
                yield stretch
                stretch, load, start = [], 0, end
            load += cost
        stretch.append(_piece(section, start, len(costs)))
    yield stretch


def _piece(section: Shape, start: int, end: int) -> Shape:
    return section | {"rows": section["rows"][start:end], "chart": None if start else section["chart"]}


def _bound(furniture: Shape, stretches: list[list[Shape]]) -> bytes:
    """Return the stretches as one document, each page with its furniture."""
    jobs = [furniture | {"mode": "part", "opening": not index, "sections": stretch} for index, stretch in enumerate(stretches)]
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        parts = [PdfReader(io.BytesIO(part)) for part in pool.map(typeset, jobs)]
    pages = sum(len(part.pages) for part in parts)
    frames = PdfReader(io.BytesIO(typeset(furniture | {"mode": "frames", "pages": pages, "opening": False, "sections": []})))
    writer = PdfWriter()
    for part in parts:
        writer.append(part, import_outline=False)
    _lay_over(writer, frames)
    writer.metadata = {"/Title": furniture["title"]}
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _lay_over(writer: PdfWriter, frames: PdfReader) -> None:
    """Lay each page of `frames` over the page of the same number, as a form of its own, so that no page is parsed.

    Source: ISO 32000-1, 8.10 (form XObjects); q and Q keep each side's graphics state to itself.
    """
    before, after = _stream(writer, b"q"), _stream(writer, b"Q q /Furniture Do Q")
    for page, over in zip(writer.pages, frames.pages, strict=True):
        form = StreamObject()
        form.set_data(b"\n".join(content.get_object().get_data() for content in _contents(over)))
        shape = {"/Type": NameObject("/XObject"), "/Subtype": NameObject("/Form"), "/BBox": ArrayObject(map(FloatObject, over.mediabox))}
        form.update({NameObject(key): value for key, value in shape.items()})
        form[NameObject("/Resources")] = over["/Resources"].clone(writer)
        resources = cast(DictionaryObject, page["/Resources"].get_object())
        forms = resources.setdefault(NameObject("/XObject"), DictionaryObject()).get_object()
        forms[NameObject("/Furniture")] = writer._add_object(form.flate_encode())
        page[NameObject("/Contents")] = ArrayObject([before, *_contents(page), after])


def _stream(writer: PdfWriter, data: bytes) -> IndirectObject:
    stream = StreamObject()
    stream.set_data(data)
    return writer._add_object(stream)


def _contents(page: PageObject) -> list[Any]:
    """Return the content streams of `page`, as references."""
    contents = page.raw_get("/Contents")
    return list(contents.get_object()) if isinstance(contents.get_object(), ArrayObject) else [contents]
