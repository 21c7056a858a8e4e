"""Kept rounds as arrays, tens of thousands at a time: what of them a batch needs to settle them again and compare.

PostgreSQL sends a row a round in its binary form; rows of one length have one layout, and are read as they lie. Source:
design/performance.md, "Audit of a million recorded rounds".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg import sql

from audit.sieve import KeptRounds

CHUNK = 20_000
"""Rounds at a time: some 30 MB."""


_BOUNDS = """
SELECT max(id), min(gaming_day), max(gaming_day), count(*) FROM (
    SELECT r.id, r.gaming_day FROM tables_round r JOIN tables_tablesession s ON s.id = r.session_id
    WHERE s.shift_id = ANY(%s) AND r.game = %s AND r.id > %s AND NOT EXISTS (SELECT FROM tables_roundchange c WHERE c.round_id = r.id)
    ORDER BY r.id LIMIT %s
) chunk
"""

_COPY = """
COPY (
    SELECT r.id, r.paytable_id, r.uuid,
           w.odd OR r.irregular <> '' OR r.late OR w.wagers <> r.wager_count OR octet_length(r.cards) <> {bytes}, r.cards,
           w.stakes, w.nets
    FROM (
        SELECT round_id, count(*) AS wagers,
               array_agg((stake << 6) | ((seat::bigint << 3) | CASE kind {kinds} ELSE 7 END)) AS stakes,
               array_agg(coalesce(pay - collect, 0)) AS nets,
               bool_or(mispaid <> '' OR collected IS DISTINCT FROM collect OR paid IS DISTINCT FROM pay OR (collect > 0 AND pay > 0)) AS odd
        FROM tables_wager
        WHERE gaming_day BETWEEN {first_day} AND {last_day} AND round_id > {after} AND round_id <= {last}
        GROUP BY round_id
    ) w JOIN tables_round r ON r.id = w.round_id JOIN tables_tablesession s ON s.id = r.session_id
    WHERE s.shift_id = ANY({shifts}) AND r.game = {game} AND NOT EXISTS (SELECT FROM tables_roundchange c WHERE c.round_id = r.id)
) TO STDOUT (FORMAT binary)
"""


def kept_rounds(shifts: Sequence[int], game: str, kinds: Sequence[str], *, seats: int, packed: int, chunk: int = CHUNK) -> Iterator[KeptRounds]:
    """Yield the standing rounds of `game` in the shifts of these keys, a `chunk` at a time, in no order: two statements a chunk, flat memory.

    `kinds`: the wagers of the game, at most seven; `seats`: its last seat, at most seven; `packed`: the bytes of its cards.
    """
    after = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_BOUNDS, [list(shifts), game, after, chunk])
            last, first_day, last_day, count = cursor.fetchone()
        if not count:
            return
        bounds = {"after": after, "last": last, "first_day": first_day, "last_day": last_day}
        yield _arrays(_rows({**bounds, "shifts": list(shifts), "game": game, "bytes": packed}, kinds), len(kinds), seats, packed)
        after = last


def _rows(values: dict[str, Any], kinds: Sequence[str]) -> dict[int, list[bytes]]:
    """Return the rows of one chunk in PostgreSQL's binary form, by their length."""
    numbered = sql.SQL(" ").join(sql.SQL("WHEN {} THEN {}").format(kind, number) for number, kind in enumerate(kinds))
    statement = sql.SQL(_COPY).format(kinds=numbered, **values)
    found: dict[int, list[bytes]] = defaultdict(list)
    with connection.cursor() as cursor, cursor.connection.cursor().copy(statement) as copy:
        rows = iter(copy)
        first = bytes(next(rows))[_HEADER:]
        found[len(first)].append(first)
        for row in rows:
            found[len(row)].append(row)
    # A trailer ends what is sent; of a chunk without rows it stands right behind the header.
    return {length: found[length] for length in found if length > _TRAILER}


_HEADER = 19
_TRAILER = 2


def _layout(wagers: int, packed: int) -> np.dtype[Any]:
    """Return how a row lies of a round with so many wagers: each field after its length of four bytes, arrays after a head of twenty more."""
    array = [("dimensions", ">i4"), ("nulls", ">i4"), ("oid", ">i4"), ("length", ">i4"), ("lower", ">i4")]
    item = np.dtype([("length", ">i4"), ("value", ">i8")])
    sized = [("key", ">i8"), ("paytable", ">i8"), ("uuid", ">u8", 2), ("odd", "?"), ("cards", "u1", packed)]
    fields: list[Any] = [("fields", ">i2")]
    for field in sized:
        fields += [(f"{field[0]}_length", ">i4"), field]
    for name in ("stakes", "nets"):
        fields += [(f"{name}_length", ">i4"), (f"{name}_head", array), (name, item, wagers)]
    return np.dtype(fields)


def _arrays(rows: dict[int, list[bytes]], kinds: int, seats: int, packed: int) -> KeptRounds:
    """Return the rows as arrays; a round whose row has no layout that a regular one could have is `odd`, and all that is told of it."""
    parts = [_odd_part([], kinds, seats, packed)]
    for length, found in sorted(rows.items()):
        wagers = (length - _layout(0, packed).itemsize) // 24
        layout = _layout(wagers, packed)
        regular = layout.itemsize == length
        parts.append(_part(np.frombuffer(b"".join(found), layout), kinds, seats) if regular else _odd_part(found, kinds, seats, packed))
    return KeptRounds(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))


def _part(rows: NDArray[Any], kinds: int, seats: int) -> KeptRounds:
    """Return rounds of as many wagers each."""
    count, wagers = rows["stakes"].shape
    numbers, kept = rows["stakes"]["value"].astype(np.int64), rows["nets"]["value"].astype(np.int64)
    kind, seat, stake = numbers & 7, (numbers >> 3 & 7) - 1, numbers >> 6
    strange = (kind >= kinds) | (seat < 0) | (seat >= seats)
    place = np.where(strange, 0, kind), np.where(strange, 0, seat), np.broadcast_to(np.arange(count)[:, None], (count, wagers))
    stakes, nets = (np.zeros((kinds, seats, count), np.int64) for _ in range(2))
    stakes[place], nets[place] = np.where(strange, 0, stake), np.where(strange, 0, kept)
    odd = rows["odd"] | strange.any(axis=1)
    return KeptRounds(
        rows["key"].astype(np.int64),
        rows["paytable"].astype(np.int64),
        rows["uuid"].T.astype(np.uint64),
        np.ascontiguousarray(rows["cards"].T),
        stakes,
        nets,
        odd,
    )


def _odd_part(rows: list[bytes], kinds: int, seats: int, packed: int) -> KeptRounds:
    """Return rounds of which only the key is read."""
    count = len(rows)
    keys = np.array([int.from_bytes(row[6:14], "big", signed=True) for row in rows], np.int64)
    nothing = np.zeros((kinds, seats, count), np.int64)
    cards = np.full((packed, count), 255, np.uint8)
    return KeptRounds(keys, np.zeros(count, np.int64), np.zeros((2, count), np.uint64), cards, nothing, nothing, np.ones(count, np.bool_))
