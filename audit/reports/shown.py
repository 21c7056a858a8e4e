"""Values as people read them (page and paper), and as other programs do (CSV). Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from typing import Any

from audit.reports.machine import machine, seconds
from audit.reports.report import Column, Emphasis, Report, Row, Value
from casino.money import format_amount

NOTHING = "—"
MINUS = "\u2212"

# What is invisible, moves other text about, or cannot be in XML: controls but TAB and LF, lone surrogates, bidirectional
# embeddings and isolates (an amount could be made to read backwards), non-characters. U+2028 and U+2029 are line ends.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """Return `text` with each character that could not be seen replaced by one that can.

    Control characters become their pictures (U+2400 NUL, U+240B VT, …), the rest U+FFFD; CR LF and the Unicode line ends become LF.
    """
    if not _UNSEEN.search(text):
        return text
    return _UNSEEN.sub(lambda match: _picture(ord(match[0])), text.replace("\r\n", "\n"))


def _picture(code: int) -> str:
    if code in (0x2028, 0x2029):
        return "\n"
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def ratio_text(ratio: Fraction, decimals: int) -> str:
    """Return `ratio` with exactly `decimals` decimals and an ASCII minus, halves away from zero."""
    scaled = abs(ratio) * 10**decimals
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return ("-" if ratio < 0 and units else "") + plain_amount(units, decimals)


def plain_amount(amount: int, exponent: int) -> str:
    """Return `amount` minor units as a plain decimal: -42.50, ASCII minus, no grouping."""
    whole, fraction = divmod(abs(amount), 10**exponent)
    return f"{'-' if amount < 0 else ''}{whole}" + (f".{fraction:0{exponent}d}" if exponent else "")


def plain(column: Column, report: Report) -> Callable[[Value], str]:
    """Return what turns a value of `column` into text for a program to read.

    Plain decimals, ISO 8601 in the report's zone, durations in seconds, percents as a ratio with eight decimals; None is empty. Text is
    made visible, and nothing else. What it returns raises TypeError for a value that is not of the column's kind.
    """
    write = _written(column, report)
    return lambda value: "" if value is None else write(value)


def _written(column: Column, report: Report) -> Callable[[Any], str]:
    if column.kind == "text":
        return visible
    if column.kind == "amount":
        return partial(plain_amount, exponent=report.exponent)
    if column.kind == "percent":
        return lambda value: ratio_text(Fraction(value), 8)
    encode = machine(column, report.clock)
    return lambda value: str(encode(value))


def shown(value: Value, column: Column, report: Report) -> str:
    """Return `value` for a person: grouped figures, a real minus sign, "31.1 %", "2026-10-25 01:30:00 +02:00", "7:30:00"; None is "—"."""
    if value is None:
        return NOTHING
    if isinstance(value, datetime):
        return moment(value, report)
    if isinstance(value, timedelta):
        return clock_face(value).replace("-", MINUS)
    if column.kind == "text":
        return visible(str(value))
    if column.kind == "amount" and isinstance(value, int):
        return format_amount(value, report.notation)
    if column.kind == "percent" and isinstance(value, (Fraction, int)):
        return ratio_text(Fraction(value) * 100, column.decimals).replace("-", MINUS).replace(".", report.notation.decimal) + "\u00a0%"
    if column.kind == "integer" and isinstance(value, int):
        return format_amount(value, report.notation._replace(exponent=0))
    return str(value)


def moment(at: datetime, report: Report) -> str:
    """Return `at` on the report's wall clock, with the offset: both 01:30s of a repeated hour can be told apart."""
    local = at.astimezone(report.clock)
    return f"{local:%Y-%m-%d %H:%M:%S} {offset(local)}"


def offset(local: datetime) -> str:
    """Return the offset of the aware `local` as +01:00 (or +01:00:30, where there was such a one)."""
    text = local.isoformat(timespec="microseconds")
    return text[26:]


def clock_face(value: timedelta) -> str:
    """Return hours, minutes and seconds: 7:30:00, -0:00:42 (ASCII minus); hours go beyond 24."""
    whole = seconds(value)
    minutes, second = divmod(abs(whole), 60)
    return f"{'-' if whole < 0 else ''}{minutes // 60}:{minutes % 60:02d}:{second:02d}"


def needs_no_thought(value: Value) -> bool:
    """Return whether a figure can stand dim: nothing, or zero."""
    return value is None or (isinstance(value, (int, Fraction, timedelta)) and not value)


def emphasis_of(row: Row, column: Column) -> Emphasis:
    """Return how loudly the cell of `column` in `row` speaks."""
    return row.emphasis if not row.on or column.key in row.on else ""
