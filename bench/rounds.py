"""Recording rounds through the service, beside the raw insert of the same rows, in one run: `python -m bench.rounds`.

Works on a database of its own beside the house's (the embedded server's, made anew and dropped afterwards).
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

ROUNDS = 300


def main() -> None:
    """Measure, print p50 and p99 of both, and their ratio."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connections

    from casino.jobs import ensure_broker

    ensure_broker()
    name = f"bench_{os.getpid()}"
    _administer(f'CREATE DATABASE "{name}" OWNER pitbook_owner TEMPLATE template0')
    try:
        for alias in ("default", "owner"):
            connections[alias].close()
            connections[alias].settings_dict["NAME"] = name
        call_command("migrate", verbosity=0)
        _measure()
    finally:
        connections.close_all()
        _administer(f'DROP DATABASE "{name}"')


def _administer(statement: str) -> None:
    """Run one statement as the embedded server's superuser."""
    import psycopg
    from django.conf import settings

    servers = settings.SERVERS
    if servers is None:
        raise SystemExit("This benchmark makes a database of its own on the embedded server; unset DATABASE_URL.")
    with psycopg.connect(
        host=servers.postgres_host, dbname="postgres", user=servers.superuser, password=servers.superuser_password, autocommit=True
    ) as admin:
        admin.execute(statement)  # type: ignore[call-overload]


def _measure() -> None:
    from django.utils import timezone

    from casino.management.demo.house import build
    from casino.management.demo.night import open_tables_now
    from casino.management.demo.players import Bettor, deal_uth
    from tables.services.rounds import record_round
    from tables.slips import read_round_slip

    now = timezone.now()
    cast = build(now)
    _end_of_an_empty_night(cast, now)
    open_tables_now(cast, now=now)
    rng = random.Random(1)
    bettors = [Bettor(seat, 10_00, 5_00) for seat in range(1, 5)]
    raws = [deal_uth(rng, bettors, f"bench-{index}") for index in range(ROUNDS)]

    def record(raw: dict[str, Any]) -> None:
        slip = {
            "uuid": str(uuid4()),
            "table": "UTH-01",
            "occurred_at": timezone.now().isoformat(),
            "dealer": cast.dealers[0].code,
            "round": raw,
        }
        record_round(read_round_slip(slip), by=cast.people["FS-1"], at=timezone.now())

    for raw in raws[:20]:
        record(raw)
    service = _timed(record, raws[20:])
    raw_insert = _timed(_raw_insert(), raws[20:])
    for label, times in (("record_round, four seats", service), ("raw insert of the same rows", raw_insert)):
        print(f"{label:<32} p50 {statistics.median(times):6.2f} ms   p99 {statistics.quantiles(times, n=100)[98]:6.2f} ms")
    print(f"ratio of the medians: {statistics.median(service) / statistics.median(raw_insert):.2f}   (asked: at most 3)")


def _end_of_an_empty_night(cast: Any, now: Any) -> None:
    """Play nothing in yesterday's shift, so that there are closers to open from."""
    from casino.management.demo.night import play_night

    play_night(cast, seed=1, rounds=20, now=now, tell=lambda *_: None)


def _timed(work: Callable[[dict[str, Any]], None], raws: list[dict[str, Any]]) -> list[float]:
    times = []
    for raw in raws:
        begun = time.perf_counter()
        work(raw)
        times.append((time.perf_counter() - begun) * 1e3)
    return times


_COPY = """
WITH r AS (
    INSERT INTO tables_round (uuid, session_id, number, label, game, gaming_day, occurred_at, recorded_by_id, dealer_id, paytable_id,
        engine_version, deal, cards, settlement, fingerprint, irregular, late, wager_count, handle, collect, pay, rake, collected, paid)
    SELECT gen_random_uuid(), session_id, (SELECT max(number) + 1 FROM tables_round n WHERE n.session_id = o.session_id), label, game, gaming_day,
        occurred_at, recorded_by_id, dealer_id, paytable_id, engine_version, deal, cards, settlement, fingerprint, irregular, late,
        wager_count, handle, collect, pay, rake, collected, paid
    FROM tables_round o WHERE id = %s RETURNING id, uuid
), w AS (
    INSERT INTO tables_wager (gaming_day, round_id, line, seat, kind, patron, stake, collect, pay, "row", breakage, collected, paid, mispaid, note)
    SELECT w.gaming_day, r.id, w.line, w.seat, w.kind, w.patron, w.stake, w.collect, w.pay, w."row", w.breakage, w.collected, w.paid,
        w.mispaid, w.note
    FROM r, tables_wager w WHERE w.round_id = %s
), e AS (
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, session, round, gaming_day, occurred_at, recorded_by_id,
        memo, late, paytable, paytable_sha256, engine_version, transfer_count)
    SELECT gen_random_uuid(), kind, 'round:' || r.uuid, fingerprint, property, shift, session, r.uuid, gaming_day, occurred_at, recorded_by_id,
        memo, late, paytable, paytable_sha256, engine_version, transfer_count
    FROM r, ledger_entry WHERE ledger_entry.id = %s RETURNING id
)
INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
SELECT t.gaming_day, e.id, t.line, t.credit_account_id, t.debit_account_id, t.currency, t.amount FROM e, ledger_transfer t WHERE t.entry_id = %s
"""


def _raw_insert() -> Callable[[dict[str, Any]], None]:
    """Return what inserts a copy of the last recorded round with one statement, in a transaction, every guard on."""
    from django.db import connection, transaction

    from ledger.models import Entry
    from tables.models import Round

    played = Round.objects.filter(session__table__code="UTH-01").order_by("-id")[0]
    entry = Entry.objects.get(round=played.uuid)

    def insert(_: dict[str, Any]) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(1)")
            cursor.execute(_COPY, [played.pk, played.pk, entry.pk, entry.pk])

    return insert


if __name__ == "__main__":
    main()
