"""Rounds imported by the thousand, and the balances of a ledger with ten million transfers: `python -m bench books`.

Works on a database of its own. The transfers are written in great statements, every guard on but the look-ups of foreign keys, then closed
shift by shift as sealing does it. Goals: spec/books.md "Posting", design/performance.md.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from bench.cards import as_json, deal_uth
from bench.lines import Line, least, most
from bench.plain import TABLED_BULK_CREATE, into_plain
from bench.scratch import database, superuser

SHIFTS = 200
TABLES = 100
TRANSFERS = 4
"""Of an entry."""
AT_ONCE = 2
"""Shifts are filled at a time."""


def measure(*, rounds: int = 5_000, transfers: int = 10_000_000, shifts: int = SHIFTS) -> list[Line]:
    """Return the lines of the books: `rounds` imported, and balances of `transfers` in `shifts` closed books and an open one."""
    with database():
        from tests import builders

        house = builders.make_house("BENCH", {"UTH-01": ("uth", "P1")}, staff=builders.make_people())
        return [*_import(house, rounds), *_balances(house, transfers, shifts)]


_FILL = """
WITH e AS (
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo, late, paytable,
        paytable_sha256, engine_version, transfer_count)
    SELECT gen_random_uuid(), 'round', 'bench:' || %(shift)s || ':' || n, '', %(house)s, %(shift)s, %(day)s, now(), %(by)s, '', false, '', '', '', 4
    FROM generate_series(1, %(entries)s) n RETURNING id, gaming_day
)
INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
SELECT e.gaming_day, e.id, line, CASE WHEN line > 1 THEN tray ELSE %(patrons)s END, CASE WHEN line > 1 THEN %(patrons)s ELSE tray END, 'USD',
       100 * (1 + (e.id + line) %% 50)
FROM (SELECT e.*, (%(trays)s::bigint[])[1 + e.id %% cardinality(%(trays)s::bigint[])] AS tray FROM e) e CROSS JOIN generate_series(1, 4) line
"""


def _balances(house: Any, transfers: int, shifts: int) -> list[Line]:
    """Build the ledger of another property, and ask it what its accounts hold."""
    from django.test import Client
    from django.urls import reverse

    from ledger.models import Account
    from ledger.selectors import balances
    from ledger.statements import statement_page

    uuid, today, built = _build(house, transfers, shifts)
    accounts = list(Account.objects.filter(property=uuid))
    trays = [account for account in accounts if account.code.startswith("tray:BENCH")]
    patrons = next(account for account in accounts if account.code == "patrons:chips")
    ago = today - timedelta(days=30)
    auditor = Client(SERVER_NAME="localhost")
    auditor.force_login(house.people["AU-1"])
    span = f"?property={house.property.code}&day={today}"
    works: dict[str, Callable[[], Any]] = {
        f"every balance of {built:,} transfers": lambda: balances(accounts),
        "one tray's": lambda: balances(trays[:1]),
        "what all patrons hold": lambda: balances([patrons]),
        "every balance, to a day a month ago": lambda: balances(accounts, until=ago),
    }
    lines = [_asked(what, work, goal=100) for what, work in works.items()]
    lines.append(_asked("a page of the busiest account, a month", partial(statement_page, patrons, first=ago, last=today), goal=0))
    for name, address in (
        ("the page of the trial balance", reverse("books:trial_balance") + span),
        ("the page of a statement", reverse("books:statement", args=[patrons.pk])),
    ):
        lines.append(_asked(name, partial(_get, auditor, address), goal=300))
    return lines


def _get(client: Any, address: str) -> None:
    answer = client.get(address)
    if answer.status_code != 200:
        raise SystemExit(f"{address} answers {answer.status_code}")


def _asked(what: str, work: Callable[[], Any], *, goal: int) -> Line:
    """Return the median of seven times in milliseconds of the wall; `goal`: the most that is asked, 0 where nothing is."""
    work()
    times = []
    for _ in range(7):
        begun = time.perf_counter()
        work()
        times.append((time.perf_counter() - begun) * 1e3)
    median = statistics.median(times)
    return most(what, median, "ms", goal, f"under {goal} ms") if goal else Line(what, median, "ms")


def _build(house: Any, transfers: int, shifts: int) -> tuple[Any, Any, int]:
    """Return the property, today, and how many transfers were written."""
    from django.db import connection, connections

    from casino.append_only import make_partitions
    from ledger.services import open_account

    uuid = house.property.uuid
    patrons = open_account(uuid, "patrons:chips", "outside", "USD")
    trays = [open_account(uuid, f"tray:BENCH-{number}", "asset", "USD") for number in range(TABLES)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_date")
        today = cursor.fetchone()[0]
    make_partitions("default", range(-(shifts // 90) - 1, 1))
    shared = {
        "house": uuid,
        "by": house.people["PB-1"].pk,
        "patrons": patrons.pk,
        "trays": [tray.pk for tray in trays],
        "entries": transfers // shifts // TRANSFERS,
    }
    whole = [
        (shared | {"shift": uuid4(), "day": today - timedelta(days=(shifts - 1 - number) // 3)}, number < shifts - 1) for number in range(shifts)
    ]
    # Plans are made for what ANALYZE saw: those for an empty table are slow ones. The open shift is written when those before it are over.
    for begun, ended in ((0, 1), (1, 10), (10, shifts - 1), (shifts - 1, shifts)):
        with ThreadPoolExecutor(AT_ONCE) as threads:
            list(threads.map(_fill, whole[begun:ended]))
        with connections["owner"].cursor() as cursor:
            cursor.execute("ANALYZE ledger_entry, ledger_transfer")
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SELECT count(*) FROM ledger_transfer")
        return uuid, today, cursor.fetchone()[0]


def _fill(shift: tuple[dict[str, Any], bool]) -> None:
    """Write one shift's entries, on a connection of the thread's own; then close its books where they are to be closed."""
    from django.db import connections

    from ledger.totals import keep_totals

    params, closed = shift
    try:
        with superuser() as raw:
            raw.execute("SET session_replication_role = replica")  # foreign keys are not looked up; the guards, which fire always, are on
            raw.execute(_FILL, params)
        if closed:
            keep_totals(params["shift"])
    finally:
        connections.close_all()


def _import(house: Any, count: int) -> list[Line]:
    """Import `count` rounds of four seats, then write the same rows by Django's bulk_create."""
    from tables.models import Round, Wager
    from tables.services.bulk_rounds import import_rounds

    by = house.people["PB-1"]
    import_rounds(_slips(house, 50, seed=1), by=by, at=house.clock, name="warm")
    handed_in = _slips(house, count, seed=2)
    begun, cpu = time.perf_counter(), time.process_time()
    result = import_rounds(handed_in, by=by, at=house.clock, name="bench")
    taken, cpu = time.perf_counter() - begun, time.process_time() - cpu
    if result.added != count:
        raise SystemExit(f"{result.added} of {count} rounds were imported: {result.errors[:3]}")
    write = _bulk_create(list(Round.objects.order_by("-pk")[:count]), Wager)
    speed, guarded = count / taken, count / write()
    with into_plain():
        plain = count / write()
    what = f"import of {count:,} rounds of four seats"
    times = 5000 / TABLED_BULK_CREATE
    return [
        least(what, speed, "rounds/s", 5000, "at least 5,000/s"),
        Line(
            "beside it", speed, "rounds/s", "bulk_create into plain tables", plain, speed / plain, f"{times:.1f}×, as there", speed >= times * plain
        ),
        Line("beside it", speed, "rounds/s", "bulk_create under the guards", guarded, speed / guarded),
        Line("of it our own processor's time a round", cpu / count * 1e6, "µs"),
    ]


def _slips(house: Any, count: int, *, seed: int) -> list[bytes]:
    cards, stakes = deal_uth(count, 4, seed=seed)
    head = {"table": "UTH-01", "dealer": "D-1187"}
    return [
        json.dumps(
            {
                **head,
                "uuid": str(uuid4()),
                "occurred_at": house.tick(1).isoformat(),
                "round": as_json(cards[:, number], stakes[..., number], f"b-{number}"),
            }
        ).encode()
        for number in range(count)
    ]


def _bulk_create(kept: list[Any], wager: Any) -> Callable[[], float]:
    """Return what writes the same rows (rounds, wagers, entries, transfers) anew by Django's bulk_create, and returns the seconds it took."""
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

    def write() -> float:
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

    return write


def _anew(row: Any, **changes: Any) -> Any:
    """Return a new row with the columns of `row`, but its key and what the database stamps."""
    stamped = {"id", "made_in", "recorded_at"}
    columns = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in stamped}
    return type(row)(**{**columns, **changes})
