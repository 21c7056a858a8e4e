"""Kept rounds as arrays, tens of thousands at a time: what of them a batch needs to settle them again and compare.

PostgreSQL puts each column of a chunk together as one array and sends it in its binary form, which is read as it lies: grouping wagers by
their rounds costs less here than there. While a chunk is looked at, the next one is read. Source: design/performance.md, "Audit of a million
recorded rounds".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray
from psycopg import sql

from audit.sieve import KeptRounds

CHUNK = 20_000
"""Rounds at a time: some 30 MB."""

_ROUNDS = """
SELECT count(*), min(gaming_day), max(gaming_day), array_send(array_agg(id)), array_send(array_agg(paytable_id)),
       string_agg(uuid_send(uuid), ''), string_agg(CASE octet_length(cards) WHEN {bytes} THEN cards ELSE {no_cards} END, ''),
       array_send(array_agg(CASE WHEN irregular <> '' OR late OR octet_length(cards) IS DISTINCT FROM {bytes} THEN -1::bigint ELSE wager_count END))
FROM (
    SELECT r.id, r.gaming_day, r.paytable_id, r.uuid, r.cards, r.irregular, r.late, r.wager_count
    FROM tables_round r
    WHERE r.session_id = ANY({sessions}) AND r.game = {game} AND r.id > {after}
      AND NOT EXISTS (SELECT FROM tables_roundchange c WHERE c.round_id = r.id)
    ORDER BY r.id LIMIT {chunk}
) chunk
"""

_WAGERS = """
SELECT array_send(array_agg(round_id)), array_send(array_agg(paid - collected)), array_send(array_agg(
           (stake << 7) | (seat::bigint << 3) | CASE kind {kinds} ELSE 7 END | CASE
               WHEN mispaid = '' AND collected = collect AND paid = pay AND (collect = 0 OR pay = 0) THEN 0 ELSE 64 END))
FROM tables_wager
WHERE gaming_day BETWEEN {first_day} AND {last_day} AND round_id > {after} AND round_id <= {last}
"""
"""What was done stands for what was due, which it is where a wager is not odd (64): so no NULL is in the way."""

_ARRAY_HEAD = 20
"""Bytes before the items of an array of one dimension; each item is its length in four bytes, then eight bytes."""

_ITEM = np.dtype([("length", ">i4"), ("value", ">i8")])


class _Chunk(NamedTuple):
    """A chunk as it was sent. `counts`: how many wagers each round says it has, -1 where it is no regular one; `marks`: stake, odd, seat, kind."""

    keys: NDArray[np.int64]
    paytables: NDArray[np.int64]
    uuids: bytes
    cards: bytes
    counts: NDArray[np.int64]
    rounds: NDArray[np.int64]
    nets: NDArray[np.int64]
    marks: NDArray[np.int64]


class _Reader:
    """Reads the chunks of one game's standing rounds, one after the other, on the connection that the work is done on."""

    def __init__(self, sessions: Sequence[int], game: str, kinds: Sequence[str], packed: int, chunk: int) -> None:
        connection.ensure_connection()
        self._connection: psycopg.Connection[Any] = connection.connection
        self._after = 0
        self._asked: dict[str, Any] = {"sessions": list(sessions), "game": game, "chunk": chunk, "bytes": packed, "no_cards": b"\xff" * packed}
        self._kinds = sql.SQL(" ").join(sql.SQL("WHEN {} THEN {}").format(kind, number) for number, kind in enumerate(kinds))

    def read(self) -> _Chunk | None:
        """Return the next chunk, None after the last: two statements."""
        count, first_day, last_day, keys, paytables, uuids, cards, counts = self._row(_ROUNDS, after=self._after, **self._asked)
        if not count:
            return None
        after, found = self._after, _whole_numbers(keys)
        self._after = int(found[-1])
        days = {"first_day": first_day, "last_day": last_day}
        wagers = self._row(_WAGERS, kinds=self._kinds, after=after, last=self._after, **days)
        return _Chunk(found, _whole_numbers(paytables), uuids, cards, _whole_numbers(counts), *map(_whole_numbers, wagers))

    def _row(self, statement: str, **values: Any) -> Any:
        with psycopg.Cursor(self._connection) as cursor:
            return cursor.execute(sql.SQL(statement).format(**values), binary=True).fetchone()


def kept_rounds(shifts: Sequence[int], game: str, kinds: Sequence[str], *, seats: int, packed: int, chunk: int = CHUNK) -> Iterator[KeptRounds]:
    """Yield the standing rounds of `game` in the shifts of these keys, a `chunk` at a time, by key: two statements a chunk, flat memory.

    `kinds`: the wagers of the game, at most seven; `seats`: its last seat, at most seven; `packed`: the bytes of its cards.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM tables_tablesession WHERE shift_id = ANY(%s)", [list(shifts)])
        sessions = [key for (key,) in cursor.fetchall()]
    reader = _Reader(sessions, game, kinds, packed, chunk)
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(reader.read)
        while (found := coming.result()) is not None:
            coming = ahead.submit(reader.read)
            yield _arrays(found, len(kinds), seats, packed)


def _whole_numbers(sent: bytes | None) -> NDArray[np.int64]:
    """Return the bigints of an array in PostgreSQL's binary form, shape (items,); none for NULL."""
    return np.frombuffer(sent or b"", _ITEM, offset=_ARRAY_HEAD if sent else 0)["value"].astype(np.int64)


def _arrays(found: _Chunk, kinds: int, seats: int, packed: int) -> KeptRounds:
    """Return the chunk as arrays. A round whose wagers are not as many as it says, or are of no kind or seat of the game, is `odd`."""
    count = len(found.keys)
    place = np.searchsorted(found.keys, found.rounds)
    ours = found.keys[np.minimum(place, count - 1)] == found.rounds  # others' rounds lie between ours
    place, marks, nets = place[ours], found.marks[ours], found.nets[ours]
    kind, seat = marks & 7, (marks >> 3 & 7) - 1
    strange = (kind >= kinds) | (seat < 0) | (seat >= seats)
    odd = np.bincount(place, minlength=count) != found.counts
    odd[place[strange | (marks & 64 != 0)]] = True
    at = np.where(strange, 0, (kind * seats + seat) * count + place)
    kept = [np.zeros((kinds, seats, count), np.int64) for _ in range(2)]
    for array, values in zip(kept, (marks >> 7, nets), strict=True):
        array.reshape(-1)[at] = np.where(strange, 0, values)
    return KeptRounds(
        found.keys,
        found.paytables,
        np.frombuffer(found.uuids, ">u8").reshape(count, 2).T.astype(np.uint64),
        np.ascontiguousarray(np.frombuffer(found.cards, np.uint8).reshape(count, packed).T),
        kept[0],
        kept[1],
        odd,
    )
