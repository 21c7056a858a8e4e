"""One pass over a report: rows out, and what went by checked, counted, summed and hashed. Constant memory. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from hashlib import sha256
from typing import Any

from audit.reports.machine import machine, utf8
from audit.reports.report import Report, Row, Section
from casino.canonical import canonical_json
from casino.errors import BrokenBooks

FORMAT = "pitbook-report/1"

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class SectionReading:
    """The rows of one section as they go by; after the last, `count` and `totals` are there."""

    def __init__(self, section: Section, clock: tzinfo, emit: Callable[[bytes], None], seen: Callable[[], None]) -> None:
        self.section = section
        self.count = 0
        self.totals: Row | None = None
        self._emit, self._seen = emit, seen
        self._sums: list[Any] = [None] * len(section.columns)
        self._summed = [index for index, column in enumerate(section.columns) if column.total]
        self._encoders = sorted((column.key, index, machine(column, clock)) for index, column in enumerate(section.columns))
        self._rows = self._read()

    def __iter__(self) -> Iterator[Row]:
        """Return the one iterator over the rows: it goes on where it was left."""
        return self._rows

    def as_json(self, row: Row) -> dict[str, Any]:
        """Return `row` as in the JSON export, keys in canonical order; raises TypeError where a value is not of its column's kind."""
        values = row.values
        if len(values) != len(self._encoders):
            raise TypeError(f"{self.section.key}: a row of {len(values)} values for {len(self._encoders)} columns")
        shape: dict[str, Any] = {"cells": {key: encode(values[index]) for key, index, encode in self._encoders}}
        if row.emphasis:
            shape["emphasis"] = row.emphasis
        if row.link is not None:
            shape["link"] = row.link
        if row.links:
            shape["links"] = dict(sorted(row.links))
        if row.on:
            shape["on"] = sorted(row.on)
        return shape

    def _read(self) -> Iterator[Row]:
        self._emit(_opening(self.section))
        for row in self.section.rows:
            self._emit((("," if self.count else "") + _dumps(self.as_json(row))).encode())
            self.count += 1
            self._add(row)
            self._seen()
            yield row
        self.totals = self._last_row()
        last = self.as_json(self.totals) if self.totals else None
        self._emit(f'],"title":{_dumps(utf8(self.section.title))},"totals":{_dumps(last)}}}'.encode())

    def _add(self, row: Row) -> None:
        for index in self._summed:
            value, sum_ = row.values[index], self._sums[index]
            if value is not None:
                self._sums[index] = value if sum_ is None else sum_ + value

    def _last_row(self) -> Row | None:
        """Return the totals row with our sums; raises BrokenBooks where the builder's figure is not the sum of its rows."""
        section = self.section
        if not section.summed:
            return None
        given = section.totals or Row(tuple("Total" if index == _label(section) else None for index in range(len(section.columns))))
        values = list(given.values)
        for index in self._summed:
            stated, sum_ = values[index], self._sums[index]
            if stated is not None and stated != sum_ and (stated or sum_ is not None):
                key = section.columns[index].key
                raise BrokenBooks(
                    "totals_disagree", f"The total of {key} is not the sum of its rows.", where=f"{section.key}.{key}", stated=stated, sum=sum_
                )
            values[index] = stated if sum_ is None else sum_
        return Row(tuple(values), given.emphasis, given.on, given.link, given.links)


def _label(section: Section) -> int | None:
    """Return the position of the first text column, where "Total" is written."""
    return next((index for index, column in enumerate(section.columns) if column.kind == "text"), None)


def _opening(section: Section) -> bytes:
    columns = [{"decimals": c.decimals, "key": c.key, "kind": c.kind, "label": utf8(c.label), "total": c.total} for c in section.columns]
    start = canonical_json({"columns": columns, "empty": utf8(section.empty), "key": section.key, "note": utf8(section.note)})
    return start[:-1] + b',"rows":['


@dataclass(frozen=True)
class Seen:
    """What a pass saw: rows by section key, and the hash of the content."""

    rows: dict[str, int]
    sha256: str

    @property
    def count(self) -> int:
        """Return the rows of all sections."""
        return sum(self.rows.values())


class Reading:
    """One pass over `report`. Iterate for its sections in turn; after the last, `seen` is there.

    `copy` receives the canonical bytes of the sections as they go by (the JSON export), `progress` the rows so far, each thousand.
    Rows that the caller leaves are read all the same: the hash covers them.
    """

    def __init__(self, report: Report, *, copy: Callable[[bytes], object] | None = None, progress: Callable[[int], object] | None = None) -> None:
        self.report = report
        self.seen = Seen({}, "")
        self._digest, self._copy, self._progress, self.rows = sha256(), copy, progress, 0

    def __iter__(self) -> Iterator[SectionReading]:
        self._digest.update(head(self.report))
        self._emit(b',"sections":[')
        counts: dict[str, int] = {}
        for index, section in enumerate(self.report.sections):
            if index:
                self._emit(b",")
            reading = SectionReading(section, self.report.clock, self._emit, self._count)
            yield reading
            for _ in reading:
                pass
            counts[section.key] = reading.count
        self._emit(b"]")
        self._digest.update(tail(self.report))
        self.seen = Seen(counts, self._digest.hexdigest())

    def _emit(self, piece: bytes) -> None:
        self._digest.update(piece)
        if self._copy:
            self._copy(piece)

    def _count(self) -> None:
        self.rows += 1
        if self._progress and self.rows % 1000 == 0:
            self._progress(self.rows)


def head(report: Report) -> bytes:
    """Return the canonical JSON object's beginning, up to the key before "printed"."""
    facts = [[utf8(label), utf8(value)] for label, value in report.facts]
    code = None if report.code is None else utf8(report.code)
    start = {
        "code": code,
        "currency": report.currency,
        "exponent": report.exponent,
        "facts": facts,
        "format": FORMAT,
        "identity": utf8(report.identity),
        "made_from": utf8(report.made_from),
    }
    return canonical_json(start)[:-1]


def tail(report: Report) -> bytes:
    """Return the canonical JSON object's end, from the key after "sha256"."""
    end = canonical_json({"subtitle": utf8(report.subtitle), "title": utf8(report.title), "zone": report.zone})
    return b"," + end[1:]


def read_through(report: Report) -> Seen:
    """Return what one pass over `report` sees."""
    reading = Reading(report)
    for _ in reading:
        pass
    return reading.seen
