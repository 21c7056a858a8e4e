"""One pass over a report: rows out, and what went by checked, counted, summed and hashed. Constant memory. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from fractions import Fraction
from hashlib import sha256
from typing import Any

from audit.reports.report import Column, Kind, Report, Row, Section, Value
from casino.canonical import canonical_json
from casino.errors import BrokenBooks

FORMAT = "pitbook-report/1"
LARGEST = 2**53 - 1
SECOND = timedelta(seconds=1)

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
Machine = str | int | None


def seconds(value: timedelta) -> int:
    """Return whole seconds, towards zero."""
    return value // SECOND if value >= timedelta(0) else -(-value // SECOND)


def machine(column: Column, clock: tzinfo) -> Callable[[Value], Machine]:
    """Return what turns a value of `column` into what JSON holds.

    Amounts are whole minor units and durations whole seconds; whole numbers beyond 2^53 - 1 are text (RFC 7493), percents
    "numerator/denominator", moments ISO 8601 with the offset at `clock`, None null. What it returns raises TypeError for a value that is
    not of the column's kind: a float above all.
    """
    encode = _ENCODERS[column.kind]

    def checked(value: Value) -> Machine:
        if value is None:
            return None
        try:
            return encode(value, clock)
        except _NotOfKind:
            raise TypeError(f"{column.key}: {value!r} is no {column.kind}") from None

    return checked


class _NotOfKind(Exception):
    pass


def _text(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, str):
        raise _NotOfKind
    return _utf8(value)


def _whole(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _NotOfKind
    return value if -LARGEST <= value <= LARGEST else str(value)


def _ratio(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, (Fraction, int)) or isinstance(value, bool):
        raise _NotOfKind
    return f"{value.numerator}/{value.denominator}"


def _moment(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise _NotOfKind
    return value.astimezone(clock).isoformat()


def _day(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise _NotOfKind
    return value.isoformat()


def _duration(value: Value, clock: tzinfo) -> Machine:
    if not isinstance(value, timedelta):
        raise _NotOfKind
    return seconds(value)


_ENCODERS: dict[Kind, Callable[[Value, tzinfo], Machine]] = {
    "text": _text,
    "integer": _whole,
    "amount": _whole,
    "percent": _ratio,
    "moment": _moment,
    "day": _day,
    "duration": _duration,
}


def _utf8(text: Any) -> str:
    """Return `text` with lone surrogates, which no file can hold, as U+FFFD."""
    return str(text) if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
        self._emit(f'],"title":{_dumps(_utf8(self.section.title))},"totals":{_dumps(last)}}}'.encode())

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
    columns = [{"decimals": c.decimals, "key": c.key, "kind": c.kind, "label": _utf8(c.label), "total": c.total} for c in section.columns]
    start = canonical_json({"columns": columns, "empty": _utf8(section.empty), "key": section.key, "note": _utf8(section.note)})
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
    facts = [[_utf8(label), _utf8(value)] for label, value in report.facts]
    code = None if report.code is None else _utf8(report.code)
    start = {
        "code": code,
        "currency": report.currency,
        "exponent": report.exponent,
        "facts": facts,
        "format": FORMAT,
        "identity": _utf8(report.identity),
        "made_from": _utf8(report.made_from),
    }
    return canonical_json(start)[:-1]


def tail(report: Report) -> bytes:
    """Return the canonical JSON object's end, from the key after "sha256"."""
    end = canonical_json({"subtitle": _utf8(report.subtitle), "title": _utf8(report.title), "zone": report.zone})
    return b"," + end[1:]


def read_through(report: Report) -> Seen:
    """Return what one pass over `report` sees."""
    reading = Reading(report)
    for _ in reading:
        pass
    return reading.seen
