"""Values as other programs get them: what JSON holds, and the check that each value is of its column's kind. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Any

from audit.reports.report import Column, Kind, Value

LARGEST = 2**53 - 1
SECOND = timedelta(seconds=1)

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
    return utf8(value)


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


def utf8(text: Any) -> str:
    """Return `text` with lone surrogates, which no file can hold, as U+FFFD."""
    return str(text) if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
