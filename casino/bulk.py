"""Many rounds at once as rows: each table by COPY, with keys drawn before, every guard and stamp on.

Straight into the live tables: what a staging table would have to catch, the same uuid or number twice, is looked for before under the
session's lock, and a COPY that meets a constraint leaves nothing behind.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection

from casino.transactions import CHECK_NOW

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def draw_keys(table: str, count: int) -> list[int]:
    """Return `count` new keys of `table`, ascending. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(of.keys) FROM (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS keys OFFSET 0) of, generate_series(1, %s)",
            [table, count],
        )
        return [key for (key,) in cursor.fetchall()]


def copy_text(values: Sequence[Any]) -> str:
    """Return the values of a row, or some of it, as COPY takes them: tabs between them."""
    return "\t".join([_TEXT[type(value)](value) for value in values])


def array_text(values: Iterable[Any]) -> str:
    """Return whole numbers, texts, booleans and None as the literal of an array: ten times as fast as having each value adapted."""
    return f"{{{','.join([_ITEM.get(type(value), _quoted)(value) for value in values])}}}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"') if "\\" in text or '"' in text else text
    return f'"{escaped}"'


_ITEM: Mapping[type, Callable[[Any], str]] = {type(None): lambda _: "NULL", int: str, bool: lambda value: "t" if value else "f"}


class Rows(NamedTuple):
    """Rows to be added to `table`: each of `lines` is one, as `copy_text` gives it or that in UTF-8, its values in the order of `columns`."""

    table: str
    columns: Sequence[str]
    lines: Sequence[str] | Sequence[bytes]

    def text(self) -> str | bytes:
        """Return all lines, each with its end."""
        return b"\n".join([*self.lines, b""]) if self.lines and isinstance(self.lines[0], bytes) else "\n".join([*self.lines, ""])


MOST_UNDER_WAY = 4
"""So many blocks wait to be written at most; whoever makes more waits, so that memory stays flat."""

_TURN = 0.0005
"""Seconds after which whoever makes rows lets go of the interpreter for whoever sends them, whom the database waits for: a tenth of the usual."""

Write = Callable[[Sequence[Rows]], None]


@contextmanager
def written_beside() -> Iterator[Write]:
    """Give what takes blocks of rows and writes them beside the caller, a COPY each, in their order; all are written when the context ends.

    The database works at a block while the next one is made, and checks at its end what is deferred: a block holds by itself. It is the
    caller's connection and transaction, so until the end the caller asks the database nothing. Raises IntegrityError naming the constraint,
    at a later block or at the end.
    """
    raw = connection.connection
    under_way: deque[Future[None]] = deque()
    usual = sys.getswitchinterval()
    with connection.wrap_database_errors, ThreadPoolExecutor(1) as thread:

        def write(block: Sequence[Rows]) -> None:
            while len(under_way) >= MOST_UNDER_WAY:
                under_way.popleft().result()
            under_way.append(thread.submit(_copy, raw, block))

        sys.setswitchinterval(_TURN)
        try:
            yield write
            while under_way:
                under_way.popleft().result()
        finally:
            sys.setswitchinterval(usual)
            thread.shutdown(wait=True, cancel_futures=True)


def _copy(raw: Any, block: Sequence[Rows]) -> None:
    with raw.cursor() as cursor:
        for rows in block:
            if rows.lines:
                names = ", ".join(f'"{name}"' for name in rows.columns)
                with cursor.copy(f"COPY {rows.table} ({names}) FROM STDIN") as copy:
                    copy.write(rows.text())
        cursor.execute(CHECK_NOW)


def _escaped(text: str) -> str:
    for odd, escaped in _ESCAPES.items():  # looking for each is a tenth of the time of one pass that looks for all; "\\" comes first
        if odd in text:
            text = text.replace(odd, escaped)
    return text


class _Text(dict[type, Callable[[Any], str]]):
    """How a value of each type is written for COPY; what is not listed is written as its text."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        for known in (str, int, datetime, date, bytes):
            if issubclass(kind, known):
                return self[known]
        return str


_TEXT = _Text(
    {
        str: _escaped,
        int: str,
        bool: lambda value: "t" if value else "f",
        type(None): lambda _: "\\N",
        bytes: lambda value: "\\\\x" + value.hex(),
        date: date.isoformat,
        datetime: datetime.isoformat,
    }
)
