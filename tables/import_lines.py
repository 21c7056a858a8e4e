"""The lines of a file of slips, each read or refused with its number: one JSON object a line, or CSV with a line a seat. Pure.

Source: spec/rounds.md, "A recorded round".
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from casino.errors import Fault, InvalidSlip
from casino.words import gettext, said_of
from tables.engine.game import Field
from tables.engine.json_line import parse_line, plain_nested
from tables.round_fields import TableFacts
from tables.round_values import read_done, read_value
from tables.slips import RoundSlip, read_round_slip

GENERAL = ("uuid", "table", "occurred_at", "dealer", "number", "id", "seat", "patron", "irregular")
"""Columns of a CSV file that are no field of a game. A round's own fields are `round.<field>`, a seat's are bare; `done.<wager>` says what
was done, as one types it: +15.00, -5.00, 0."""


@dataclass(frozen=True)
class LineFault:
    """What is wrong on a line of the file, counted from one."""

    line: int
    fault: Fault

    def as_json(self) -> dict[str, Any]:
        """Return the error with its line, in the reader's language."""
        return {"line": self.line, **replace(self.fault, message=said_of(self.fault)).as_json()}


@dataclass(frozen=True)
class ReadLine:
    """A slip with the number of its line (of its first, where it takes several)."""

    line: int
    slip: RoundSlip


Read = ReadLine | LineFault
TableOf = Callable[[str], TableFacts | None]
"""Takes a table's code and says what it deals and in which currency, None where there is no such table."""


def read_json_lines(lines: Iterable[bytes]) -> Iterator[Read]:
    """Yield the slip of each line that is not blank, or everything that is wrong with it; in the order of the file."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            plain = plain_nested(line)
            yield ReadLine(number, read_round_slip(parse_line(line) if plain is None else plain))
        except InvalidSlip as error:
            yield from (LineFault(number, fault) for fault in error.faults)


def read_csv_lines(lines: Iterable[bytes], table_of: TableOf) -> Iterator[Read]:
    """Yield the slips of a CSV file in UTF-8 whose first line names the columns: a line a seat, a round's lines one after another.

    Amounts are decimals of the table's currency: "80.6" is 8060 cents, never a binary fraction. What is the round's stands on its first line.
    """
    rows = csv.DictReader((line.decode("utf-8-sig" if number == 0 else "utf-8") for number, line in enumerate(lines)), strict=True)
    gathered: list[dict[str, str]] = []
    first = 0
    try:
        for row in rows:
            if None in row or None in row.values():
                yield LineFault(rows.line_num, Fault("bad_type", gettext("The line has not as many fields as the first one names."), ""))
                continue
            cells = {str(key).strip(): str(value).strip() for key, value in row.items()}
            if gathered and cells.get("uuid") != gathered[0].get("uuid"):
                yield from _round_of(gathered, first, table_of)
                gathered = []
            first = first if gathered else rows.line_num
            gathered.append(cells)
    except (csv.Error, UnicodeDecodeError) as error:
        yield LineFault(rows.line_num + 1, Fault("bad_type", gettext("The line cannot be read: %(error)s.") % {"error": error}, ""))
        return
    if gathered:
        yield from _round_of(gathered, first, table_of)


def _round_of(rows: list[dict[str, str]], line: int, table_of: TableOf) -> Iterator[Read]:
    head = rows[0]
    table = table_of(head.get("table", ""))
    if table is None:
        yield LineFault(line, Fault("no_table", gettext("There is no table %(code)s.") % {"code": head.get("table", "")}, "table"))
        return
    faults: list[LineFault] = []
    raw = _raw(rows, line, table, faults)
    if faults:
        yield from faults
        return
    try:
        yield ReadLine(line, read_round_slip(raw))
    except InvalidSlip as error:
        yield from (LineFault(line, fault) for fault in error.faults)


def _raw(rows: list[dict[str, str]], line: int, table: TableFacts, faults: list[LineFault]) -> dict[str, Any]:
    """Return the slip that the rows say, as JSON would; what cannot be read goes to `faults`."""
    head, layout = rows[0], table.game.layout
    known = {*GENERAL, *(f"round.{field.name}" for field in layout.round_fields), *(field.name for field in layout.seat_fields)}
    for column in head:
        if column not in known and not column.startswith("done.") and head[column]:
            faults.append(
                LineFault(
                    line,
                    Fault("unknown_field", gettext("A round of %(game)s has no “%(column)s”.") % {"game": table.game.name, "column": column}, column),
                )
            )
    raw: dict[str, Any] = {key: head[key] for key in ("uuid", "table", "occurred_at", "dealer") if head.get(key)}
    if head.get("number"):
        raw["number"] = _whole(head["number"], line, "number", faults)
    if head.get("irregular"):
        raw["irregular"] = {"reason": head["irregular"]}
    facts = {"game": table.game.code, "id": head.get("id", ""), **_fields(head, layout.round_fields, line, table, faults, prefix="round.")}
    seats, done, patrons = [], {}, {}
    for place, row in enumerate(rows):
        at = line + place
        seat = _whole(row.get("seat", ""), at, "seat", faults)
        seats.append({"seat": seat, **layout.complete(_fields(row, layout.seat_fields, at, table, faults))})
        if said := _done(row, at, table, faults):
            done[str(seat)] = said
        if row.get("patron"):
            patrons[str(seat)] = row["patron"]
    return {**raw, "round": {**facts, "seats": seats}, **({"done": done} if done else {}), **({"patrons": patrons} if patrons else {})}


def _fields(
    row: dict[str, str], fields: Iterable[Field], line: int, table: TableFacts, faults: list[LineFault], *, prefix: str = ""
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        try:
            value = read_value(field, row.get(prefix + field.name, ""), values, table.notation)
        except ValueError as error:
            code = "bad_amount" if field.kind in ("amount", "wagers") else "bad_type"
            faults.append(LineFault(line, Fault(code, f"{error}.", prefix + field.name)))
            continue
        if value is not None and value != []:
            values[field.name] = value
    return values


def _done(row: dict[str, str], line: int, table: TableFacts, faults: list[LineFault]) -> dict[str, dict[str, int]]:
    said: dict[str, dict[str, int]] = {}
    for column, text in row.items():
        if column.startswith("done.") and text:
            try:
                did = read_done(text, table.notation)
            except (ValueError, IndexError) as error:
                faults.append(LineFault(line, Fault("bad_amount", f"{error}.", column)))
                continue
            said[column.removeprefix("done.")] = {
                key: value for key, value in (("collected", did.collected), ("paid", did.paid)) if value is not None
            }
    return said


def _whole(text: str, line: int, column: str, faults: list[LineFault]) -> int:
    if text.isascii() and text.isdigit() and len(text) < 7:
        return int(text)
    faults.append(LineFault(line, Fault("bad_type", gettext("“%(text)s” is no whole number.") % {"text": text}, column)))
    return 0
