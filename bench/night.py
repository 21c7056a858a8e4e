"""A night in the database: rounds recorded, a shift closed, a million kept rounds recomputed: `python -m bench night`.

Works on a database of its own beside the house's.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from bench.cards import as_json, deal_uth
from bench.filled import fill
from bench.lines import Line, most
from bench.plain import TABLED_STATEMENT_MS
from bench.raw_insert import raw_insert
from bench.scratch import database

MILLION = 1_000_000


def measure(*, recorded: int = 300, kept: int = 100_000, tables: int = 12, rounds: int = 400) -> list[Line]:
    """Return the lines of a night: `recorded` rounds one by one, `kept` rounds recomputed, `tables` of `rounds` rounds closed and audited."""
    with database():
        from tests import builders

        staff = builders.make_people()
        house = builders.make_house("BENCH", {f"UTH-{number:02}": ("uth", "P1") for number in range(1, tables + 1)}, staff=staff)
        return [*_record(house, recorded), _close(house, rounds), *_recompute(house, kept)]


def _record(house: Any, count: int) -> list[Line]:
    """Record rounds through the service, and the same rows by one raw statement after each, so that drift meets both alike."""
    from tables.services.rounds import record_round
    from tables.slips import read_round_slip

    slips = [round_slip(house, "UTH-01", seed=number) for number in range(count + 10)]
    inserts: Sequence[Callable[[], None]] = ()
    ours, raw, plain = [], [], []
    for number, slip in enumerate(slips):
        begun = time.perf_counter()
        record_round(read_round_slip(slip), by=house.people["PB-1"], at=house.clock)
        middle = time.perf_counter()
        inserts = inserts or (raw_insert("UTH-01"), raw_insert("UTH-01", plain=True))
        taken = []
        for insert in inserts:
            started = time.perf_counter()
            insert()
            taken.append((time.perf_counter() - started) * 1e3)
        if number >= 10:
            ours.append((middle - begun) * 1e3)
            raw.append(taken[0])
            plain.append(taken[1])
    p50, p99, statement, yardstick = statistics.median(ours), float(np.percentile(ours, 99)), statistics.median(raw), statistics.median(plain)
    judged = partial(most, slower=yardstick / TABLED_STATEMENT_MS, beside=("into plain tables", yardstick))
    return [
        Line("record one round of four seats, p50", p50, "ms", "the raw statement", statement, p50 / statement, "at most 3×", p50 <= 3 * statement),
        judged("record one round of four seats, p50", p50, "ms", 3, "under 3 ms"),
        judged("record one round of four seats, p99", p99, "ms", 15, "under 15 ms"),
    ]


def round_slip(house: Any, table: str, *, seed: int) -> dict[str, Any]:
    """Return the slip of a round of four seats that is dealt now, as JSON."""
    cards, stakes = deal_uth(1, 4, seed=seed)
    raw = as_json(cards[:, 0], stakes[..., 0], f"{table}-{seed}")
    return {"uuid": str(uuid4()), "table": table, "occurred_at": house.tick(1).isoformat(), "dealer": "D-1187", "round": raw}


def _close(house: Any, rounds: int) -> Line:
    """Deal the rest of the night, then close every table, audit the shift and reconcile it."""
    from audit import services
    from tables.services.rounds import record_round
    from tables.slips import read_round_slip
    from tests import builders

    for table in house.tables:
        for number in range(rounds):
            record_round(read_round_slip(round_slip(house, table, seed=number)), by=house.people["PB-1"], at=house.clock)
    begun = time.perf_counter()
    builders.end_night(house)
    services.audit_payouts(house.shift)
    services.reconcile_shift(house.shift)
    taken = time.perf_counter() - begun
    return most(f"close, audit, reconcile {len(house.tables)} tables × {rounds} rounds", taken, "s", 5, "under 5 s")


def _recompute(house: Any, kept: int) -> list[Line]:
    """Recompute the rounds of a long shift from the database, and compare due and done of every wager."""
    from tables.models import Round

    like = Round.objects.select_related("paytable").order_by("-pk")[0]
    fill(like, kept)
    _sift(house.shift.pk, like.paytable)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    count = _sift(house.shift.pk, like.paytable)
    taken = (time.perf_counter() - begun) * MILLION / count
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    reckoned = "" if count >= MILLION else f", reckoned from {count:,}"
    return [
        most(f"recompute and compare 1 M kept rounds{reckoned}", taken, "s", 10, "under 10 s"),
        Line("memory that grew meanwhile", grown, "MB", goal="flat (under 64 MB)", met=grown < 64),
    ]


def _sift(shift: int, version: Any) -> int:
    """Return how many rounds were recomputed and compared."""
    from audit.kept_columns import kept_rounds
    from audit.sieve import to_look_at
    from tables.engine import batch_uth
    from tables.services.paytables import paytable_of

    paytables = {version.pk: paytable_of(version)}
    parts = kept_rounds([shift], "uth", batch_uth.KINDS, seats=batch_uth.SEATS, packed=batch_uth.PACKED)
    return sum(len(to_look_at(part, paytables, batch_uth)) for part in parts)
