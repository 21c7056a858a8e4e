"""Kept rounds by the million: real rows under every guard, dealt at random and paid as due."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import numpy as np

from bench.cards import deal_uth

AT_ONCE = 20_000


def fill(like: Any, rounds: int, *, seats: int = 4, first: int = 0) -> None:
    """Add so many rounds of Ultimate Texas Hold'em to the session of the round `like`, each a wager a row, all paid as due.

    `first`: the number of the first among all that are dealt at random, so that none comes twice.
    """
    from django.db import connection, connections, transaction

    done = 0
    while done < rounds:
        # A few first: the guards' plans are made for what ANALYZE saw, and those for an empty table are slow ones.
        portion = min(AT_ONCE if first + done else 100, rounds - done)
        with transaction.atomic(), connection.cursor() as cursor:
            _add(cursor.connection, like, portion, seats, first + done)
        if first + done < 3 * AT_ONCE:
            with connections["owner"].cursor() as cursor:
                cursor.execute("ANALYZE tables_round, tables_wager")
        done += portion


_KEPT = "session_id number label game gaming_day occurred_at recorded_by_id dealer_id paytable_id engine_version deal cards settlement fingerprint"


def _add(connection: Any, like: Any, rounds: int, seats: int, start: int) -> None:
    """Copy one transaction's rounds and wagers in."""
    from tables.engine import batch_uth
    from tables.services.paytables import paytable_of

    cards, stakes = deal_uth(rounds, seats, seed=start)
    dues = batch_uth.settle(cards, stakes, paytable_of(like.paytable))
    sums = [array.sum(axis=(0, 1)).tolist() for array in (stakes, dues.collect, dues.pay)]
    counts = (stakes > 0).sum(axis=(0, 1)).tolist()
    packed, numbers = np.ascontiguousarray(cards.T), _next_number(connection, like)
    dice = np.random.default_rng(start)
    uuids = [uuid.UUID(bytes=dice.bytes(16), version=4) for _ in range(rounds)]
    columns = f"uuid {_KEPT} irregular late wager_count handle collect pay rake collected paid".split()
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY tables_round ({', '.join(columns)}) FROM STDIN") as copy:
            for place in range(rounds):
                stake, collect, pay = (column[place] for column in sums)
                own = {"number": numbers + place, "cards": packed[place].tobytes(), "label": f"B-{start + place}"}
                own["occurred_at"] = like.occurred_at + timedelta(milliseconds=place)
                kept = [own.get(name, getattr(like, name)) for name in _KEPT.split()]
                copy.write_row([uuids[place], *kept, "", False, counts[place], stake, collect, pay, 0, collect, pay])
        first = cursor.execute("SELECT max(id) FROM tables_round").fetchone()[0] - rounds + 1
        _add_wagers(cursor, like.gaming_day, first, stakes, dues)


def _add_wagers(cursor: Any, day: Any, first: int, stakes: Any, dues: Any) -> None:
    from tables.engine.batch_uth import KINDS

    rounds, seats, kinds = np.nonzero(stakes.transpose(2, 1, 0))
    figures = [array[kinds, seats, rounds].tolist() for array in (stakes, dues.collect, dues.pay)]
    lines = np.arange(len(rounds)) - np.searchsorted(rounds, rounds) + 1
    names = 'gaming_day, round_id, line, seat, kind, patron, stake, collect, pay, "row", breakage, collected, paid, mispaid, note'
    with cursor.copy(f"COPY tables_wager ({names}) FROM STDIN") as copy:
        for number, seat, kind, line, stake, collect, pay in zip(
            rounds.tolist(), seats.tolist(), kinds.tolist(), lines.tolist(), *figures, strict=True
        ):
            copy.write(f"{day}\t{first + number}\t{line}\t{seat + 1}\t{KINDS[kind]}\t\t{stake}\t{collect}\t{pay}\t\t\t{collect}\t{pay}\t\t\n")


def _next_number(connection: Any, like: Any) -> int:
    found = connection.execute("SELECT coalesce(max(number), 0) FROM tables_round WHERE session_id = %s", [like.session_id]).fetchone()
    return int(found[0]) + 1
