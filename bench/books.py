"""Balances of a ledger with ten million transfers, and rounds imported by the thousand: `python -m bench.books [TRANSFERS [ROUNDS]]`.

Works on a database of its own beside the house's (the embedded server's, made anew and dropped afterwards). The books are written by the
owner in great statements, every guard on, then closed shift by shift as sealing does it. Goals: spec/books.md "Posting", design/performance.md.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from bench.rounds import _administer

TRANSFERS = 10_000_000
ROUNDS = 5_000
SHIFTS = 200
TABLES = 100


def main() -> None:
    """Build, measure, print, and drop."""
    transfers, rounds = (int(given) for given in [*sys.argv[1:3], *[str(TRANSFERS), str(ROUNDS)][len(sys.argv[1:3]) :]])
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
        if rounds:
            _measure_import(rounds)
        if transfers:
            _measure_balances(transfers)
    finally:
        connections.close_all()
        _administer(f'DROP DATABASE "{name}"')


_FILL = """
WITH e AS (
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo, late, paytable,
        paytable_sha256, engine_version, transfer_count)
    SELECT gen_random_uuid(), 'round', 'bench:' || %(shift)s || ':' || n, '', %(house)s, %(shift)s, %(day)s, now(), %(by)s, '', false, '', '', '', 2
    FROM generate_series(1, %(entries)s) n RETURNING id, gaming_day
)
INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
SELECT e.gaming_day, e.id, line, CASE line WHEN 1 THEN %(patrons)s ELSE tray END, CASE line WHEN 1 THEN tray ELSE %(patrons)s END, 'USD',
       100 * (1 + (e.id + line) %% 50)
FROM (SELECT e.*, (%(trays)s::bigint[])[1 + e.id %% cardinality(%(trays)s::bigint[])] AS tray FROM e) e CROSS JOIN generate_series(1, 2) line
"""


def _measure_balances(transfers: int) -> None:
    from django.db import connection, connections, transaction

    from casino.append_only import make_partitions
    from casino.models import User
    from ledger.models import Account
    from ledger.selectors import balances
    from ledger.services import open_account
    from ledger.totals import keep_totals

    house, by = uuid4(), User.objects.create_user("BENCH")
    patrons = open_account(house, "patrons:chips", "outside", "USD")
    trays = [open_account(house, f"tray:BENCH-{number}", "asset", "USD") for number in range(TABLES)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_date")
        today = cursor.fetchone()[0]
    make_partitions("default", range(-(SHIFTS // 90) - 1, 1))
    begun, shifts = time.perf_counter(), []
    for number in range(SHIFTS):
        shift, day = uuid4(), today - timedelta(days=(SHIFTS - 1 - number) // 3)
        params = {
            "shift": shift,
            "day": day,
            "house": house,
            "by": by.pk,
            "patrons": patrons.pk,
            "trays": [tray.pk for tray in trays],
            "entries": transfers // SHIFTS // 2,
        }
        with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute(_FILL, params)
        if number < SHIFTS - 1:
            keep_totals(shift)
        shifts.append(shift)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT count(*) FROM ledger_transfer")
        built = cursor.fetchone()[0]
    print(f"{built:,} transfers in {SHIFTS} shifts of {TABLES} tables, one of them open ({time.perf_counter() - begun:.0f} s to build)")
    accounts = list(Account.objects.filter(property=house))
    _say("every balance", lambda: balances(accounts), asked="100 ms")
    _say("one tray's", lambda: balances(trays[:1]), asked="100 ms")
    _say("what all patrons hold", lambda: balances([patrons]), asked="100 ms")
    _say("every balance, to a day a month ago", lambda: balances(accounts, until=today - timedelta(days=30)), asked="100 ms")
    _say_statement(house, patrons, today)


def _say_statement(house: UUID, account: Any, today: Any) -> None:
    from ledger.statements import statement_page

    _say("a page of the busiest account's statement", lambda: statement_page(account, first=today - timedelta(days=30), last=today), asked="200 ms")


def _say(what: str, work: Callable[[], Any], *, asked: str) -> None:
    work()
    times = []
    for _ in range(7):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1e3)
    print(f"  {what:<44} median {statistics.median(times):7.1f} ms   worst {max(times):7.1f} ms   (asked: {asked})")


def _measure_import(count: int) -> None:
    import json

    from django.utils import timezone

    from bench.rounds import _end_of_an_empty_night
    from casino.management.demo.house import build
    from casino.management.demo.night import open_tables_now
    from casino.management.demo.players import Bettor, deal_uth
    from tables.models import Round, Wager
    from tables.services.bulk_rounds import import_rounds

    now = timezone.now()
    cast = build(now)
    _end_of_an_empty_night(cast, now)
    open_tables_now(cast, now=now)
    rng = random.Random(1)
    bettors = [Bettor(seat, 10_00, 5_00) for seat in range(1, 5)]

    def lines() -> list[bytes]:
        at = timezone.now().isoformat()
        slips = (
            {"uuid": str(uuid4()), "table": "UTH-01", "occurred_at": at, "dealer": cast.dealers[0].code, "round": deal_uth(rng, bettors, f"b-{n}")}
            for n in range(count)
        )
        return [json.dumps(slip).encode() for slip in slips]

    by = next(person for name, person in cast.people.items() if name.startswith("PB"))
    import_rounds(lines()[:50], by=by, at=timezone.now(), name="warm")
    handed_in = lines()
    begun, cpu = time.perf_counter(), time.process_time()
    import_rounds(handed_in, by=by, at=timezone.now(), name="bench")
    taken, cpu = time.perf_counter() - begun, time.process_time() - cpu
    kept = list(Round.objects.order_by("-pk")[:count])
    print(f"import of {count} rounds with four seats: {count / taken:,.0f} rounds/s; of ours {cpu / count * 1e6:.0f} µs CPU a round (asked: 5,000/s)")
    peer = _bulk_create(kept, Wager)
    print(f"  the same rounds by bulk_create, neither read nor settled: {count / peer:,.0f} rounds/s; ratio {peer / taken:.1f}")


def _bulk_create(kept: list[Any], wager: Any) -> float:
    """Return the seconds that Django's bulk_create takes for the same rows: rounds, wagers, entries, transfers."""
    from django.db import transaction

    from ledger.models import Entry, Transfer
    from tables.models import Round

    wagers: dict[int, list[Any]] = {}
    for one in wager.objects.filter(round__in=kept).order_by("round_id", "line"):
        wagers.setdefault(one.round_id, []).append(one)
    entries = {entry.round: entry for entry in Entry.objects.filter(round__in=[played.uuid for played in kept])}
    moved: dict[int, list[Any]] = {}
    for one in Transfer.objects.filter(entry__in=entries.values()).order_by("entry_id", "line"):
        moved.setdefault(one.entry_id, []).append(one)
    number = max(played.number for played in kept)
    begun = time.perf_counter()
    with transaction.atomic():
        uuids = [uuid4() for _ in kept]
        rounds = [_anew(played, uuid=uuid, number=number + 1 + place) for place, (played, uuid) in enumerate(zip(kept, uuids, strict=True))]
        Round.objects.bulk_create(rounds)
        pairs = list(zip(kept, rounds, strict=True))
        wager.objects.bulk_create([_anew(one, round_id=new.pk) for old, new in pairs for one in wagers[old.pk]])
        made = [_anew(entries[old.uuid], uuid=uuid4(), round=new.uuid, reference=f"round:{new.uuid}") for old, new in pairs]
        Entry.objects.bulk_create(made)
        posted = zip(kept, made, strict=True)
        Transfer.objects.bulk_create([_anew(one, entry_id=new.pk) for old, new in posted for one in moved.get(entries[old.uuid].pk, [])])
    return time.perf_counter() - begun


def _anew(row: Any, **changes: Any) -> Any:
    """Return a new row with the columns of `row`, but its key and what the database stamps."""
    stamped = {"id", "made_in", "recorded_at"}
    columns = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in stamped}
    return type(row)(**{**columns, **changes})


if __name__ == "__main__":
    main()
