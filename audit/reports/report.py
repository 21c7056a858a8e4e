"""A report as values: what any page, CSV, XLSX, PDF or JSON is made of. Pure; audit/exports.py renders it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Literal
from zoneinfo import ZoneInfo

from audit.reports.chart import Chart
from casino.money import Notation

Kind = Literal["text", "integer", "amount", "percent", "moment", "day", "duration"]
Emphasis = Literal["", "warn", "bad"]
Value = str | int | Fraction | datetime | date | timedelta | None

SUMMABLE = frozenset({"integer", "amount", "duration"})
LEFT = frozenset({"text", "moment", "day"})
RESERVED = frozenset({"section", "report"})
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `key` is the machine's name (a-z, 0-9, _), `label` the floor's.

    What a cell may hold, beside None (nothing to say; "—" on paper):

    | kind | value |
    | --- | --- |
    | text | str; ids and card numbers too, so that no digit is lost |
    | integer | int |
    | amount | int, whole minor units |
    | percent | Fraction, exact: 1/4 is 25 %; shown with `decimals` places |
    | moment | aware datetime, shown in the report's zone with its offset |
    | day | date |
    | duration | timedelta, shown in whole seconds (towards zero) |

    `total`: the column is summed (integer, amount, duration); None adds nothing. Raises ValueError for a key or total that cannot be.
    """

    key: str
    label: str
    kind: Kind
    total: bool = False
    decimals: int = 1

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key) or self.key in ("section", "line"):
            raise ValueError(f"{self.key!r} is not a column key")
        if self.total and self.kind not in SUMMABLE:
            raise ValueError(f"{self.key}: {self.kind} is not summed")

    @property
    def left(self) -> bool:
        """Return whether cells stand at the left; figures stand at the right, digit under digit."""
        return self.kind in LEFT


@dataclass(frozen=True, slots=True)
class Row:
    """One row, a value a column. `emphasis` is about the cells named in `on` (column keys), or about the whole row where `on` is empty.

    `link` is the address that the row leads to; `links` holds (column key, address) of single figures. Addresses are paths of ours.
    """

    values: tuple[Value, ...]
    emphasis: Emphasis = ""
    on: tuple[str, ...] = ()
    link: str | None = None
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """One table of a report: per table, per pit, the house, explanations, findings, a handover list.

    `rows` is a tuple, or anything that begins anew at each `iter()`; a one-shot iterator serves exactly one `exports.write`.
    `totals` says what stands in the last row. Its summed columns may be None (they are filled in) or must be the very sums of the rows:
    `Reading` checks. Without `totals`, a section with summed columns gets a row "Total". `empty` is said where there are no rows.
    `chart` draws what is in the rows: on the page and on paper, above them; it is no part of the content hash.
    Raises ValueError for a key, a column list or a totals row that cannot be.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: Iterable[Row]
    totals: Row | None = None
    note: str = ""
    empty: str = "Nothing to report."
    chart: Chart | None = None

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key) or self.key in RESERVED:
            raise ValueError(f"{self.key!r} is not a section key")
        if not self.columns or len({column.key for column in self.columns}) != len(self.columns):
            raise ValueError(f"{self.key}: columns have keys of their own")
        if self.totals is not None and len(self.totals.values) != len(self.columns):
            raise ValueError(f"{self.key}: totals have {len(self.totals.values)} values for {len(self.columns)} columns")

    @property
    def summed(self) -> bool:
        """Return whether the section ends with a totals row."""
        return self.totals is not None or any(column.total for column in self.columns)


@dataclass(frozen=True)
class Report:
    """A whole report. Everything but who printed it, when, and for which time again, is its content: `sha256` covers that.

    `facts` are (label, value) as read by a person: property, gaming day, shift, status, grade, filters. `currency` and `notation` say what
    the whole minor units of every amount are, and how the house writes them; `zone` (IANA) is where the wall clocks hang. `identity` names
    the report and its filters ("shift-report/2026-11-30/swing"), `made_from` the data (the hash of the sealed shift, or of what was read).
    `code` is the text of the QR picture on paper, a checkpoint. `reprint` counts the prints before this one. Leave `printed_by` and
    `printed_at` out where the bytes must be the same tomorrow.

    Raises ValueError for a zone, section keys or a printed moment that cannot be.
    """

    title: str
    sections: tuple[Section, ...]
    currency: str
    notation: Notation
    zone: str
    identity: str
    made_from: str
    subtitle: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    code: str | None = None
    printed_by: str | None = None
    printed_at: datetime | None = None
    reprint: int = 0

    def __post_init__(self) -> None:
        if len({section.key for section in self.sections}) != len(self.sections):
            raise ValueError("sections have keys of their own")
        if self.printed_at is not None and self.printed_at.utcoffset() is None:
            raise ValueError("printed_at has no zone")
        if not 0 <= self.exponent <= 4:
            raise ValueError(f"no currency has {self.exponent} decimals")
        _ = self.clock

    @property
    def exponent(self) -> int:
        """Return the decimals of the currency."""
        return self.notation.exponent

    @cached_property
    def clock(self) -> ZoneInfo:
        """Return the zone of every moment; raises ValueError where there is no such zone."""
        try:
            return ZoneInfo(self.zone)
        except (KeyError, OSError) as error:
            raise ValueError(f"no zone {self.zone!r}") from error

    @cached_property
    def sha256(self) -> str:
        """Return the hash (64 hex digits) of the canonical JSON of the content, without printed_by, printed_at and reprint.

        One pass over the rows. Raises TypeError where a section holds a one-shot iterator: then `exports.write` says the hash.
        """
        from audit.reports.reading import read_through

        for section in self.sections:
            if isinstance(section.rows, Iterator):
                raise TypeError(f"{section.key}: these rows can be read only once; exports.write returns the hash")
        return read_through(self).sha256
