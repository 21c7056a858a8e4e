"""Sealing a large shift, and a stranger's check of a million leaves: `python -m bench sealing`.

Works on a database of its own and in a temporary folder, both taken away afterwards.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.lines import Line, most
from bench.scratch import database

ENTRIES = 50_000
LEAVES = 1_000_000
A_SEGMENT = 50_000
SEAL_GOAL, CHECK_GOAL = 5.0, 60.0


def measure(*, entries: int = ENTRIES, leaves: int = LEAVES) -> list[Line]:
    """Return the lines of sealing `entries` entries, of half as many rounds with theirs, and of the check of `leaves` leaves in two processes."""
    with database(), tempfile.TemporaryDirectory() as folder:
        from django.conf import settings

        kept = settings.CHECKPOINTS, settings.SEAL_KEY
        settings.CHECKPOINTS, settings.SEAL_KEY = Path(folder) / "checkpoints.ndjson", Path(folder) / "key.pem"
        try:
            return [_line(*found) for found in (*measure_sealing(entries), *measure_check(Path(folder), leaves))]
        finally:
            settings.CHECKPOINTS, settings.SEAL_KEY = kept


def _line(what: str, seconds: float, share: float, goal: float | None) -> Line:
    """Return the line; where only a `share` of what the goal is of was measured, reckoned for all of it."""
    reckoned = "" if share == 1 else ", reckoned"
    if goal is None:
        return Line(f"{what}{reckoned}", seconds / share, "s")
    return most(f"{what}{reckoned}", seconds / share, "s", goal, f"under {goal:.0f} s")


def measure_sealing(entries: int) -> list[tuple[str, float, float, float | None]]:
    """Return what sealing took: of a shift's `entries` entries, and of half as many rounds of four seats with theirs."""
    from django.utils import timezone

    from casino.management.demo.house import build
    from casino.management.demo.night import play_night

    now = timezone.now()
    cast = build(now)
    play_night(cast, seed=1, rounds=20, now=now, tell=lambda *_: None)
    return [
        (f"seal a shift of {entries:,} entries", _seal(*_shift_of(cast, "grave", entries, rounds=False)), entries / ENTRIES, SEAL_GOAL),
        (f"seal {entries // 2:,} rounds and their entries", _seal(*_shift_of(cast, "day", entries // 2, rounds=True)), entries / ENTRIES, None),
    ]


def _seal(facts: Any, entries: int) -> float:
    from django.db import transaction
    from django.utils import timezone

    from audit.evidence import KINDS
    from ledger import sealing

    begun = time.perf_counter()
    with transaction.atomic():
        segment = sealing.prepare(facts, KINDS, at=timezone.now())
    with transaction.atomic():
        sealing.finish()
    took = time.perf_counter() - begun
    assert segment.leaf_count > entries
    return took


_ENTRIES = """
WITH o AS (SELECT * FROM ledger_entry WHERE kind = 'round' AND transfer_count = 2 ORDER BY id LIMIT 1), e AS (
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, session, round, gaming_day, occurred_at, recorded_by_id,
        memo, late, paytable, paytable_sha256, engine_version, transfer_count)
    SELECT gen_random_uuid(), kind, 'round:' || n || %(shift)s, fingerprint, property, %(shift)s, session, gen_random_uuid(), gaming_day, occurred_at,
        recorded_by_id, memo, late, paytable, paytable_sha256, engine_version, transfer_count
    FROM o, generate_series(1, %(count)s) n RETURNING id, gaming_day
)
INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
SELECT e.gaming_day, e.id, t.line, t.credit_account_id, t.debit_account_id, t.currency, t.amount
FROM e, ledger_transfer t WHERE t.entry_id = (SELECT id FROM o)
"""
_ROUNDS = """
WITH o AS (SELECT r.* FROM tables_round r WHERE game = 'uth' ORDER BY wager_count DESC LIMIT 1), s AS (
    INSERT INTO tables_tablesession (uuid, shift_id, table_id, sequence)
    SELECT gen_random_uuid(), (SELECT id FROM tables_shift WHERE uuid = %(shift)s), table_id, 9
    FROM tables_tablesession WHERE id = (SELECT session_id FROM o) RETURNING id
), r AS (
    INSERT INTO tables_round (uuid, session_id, number, label, game, gaming_day, occurred_at, recorded_by_id, dealer_id, paytable_id,
        engine_version, deal, cards, settlement, fingerprint, irregular, late, wager_count, handle, collect, pay, rake, collected, paid)
    SELECT gen_random_uuid(), s.id, n, label, game, gaming_day, occurred_at, recorded_by_id, dealer_id, paytable_id, engine_version, deal,
        cards, settlement, fingerprint, irregular, late, wager_count, handle, collect, pay, rake, collected, paid
    FROM o, s, generate_series(1, %(count)s) n RETURNING id
)
INSERT INTO tables_wager (gaming_day, round_id, line, seat, kind, patron, stake, collect, pay, "row", breakage, collected, paid, mispaid, note)
SELECT w.gaming_day, r.id, w.line, w.seat, w.kind, w.patron, w.stake, w.collect, w.pay, w."row", w.breakage, w.collected, w.paid, w.mispaid, w.note
FROM r, tables_wager w WHERE w.round_id = (SELECT id FROM o)
"""


def _shift_of(cast: Any, kind: str, count: int, *, rounds: bool) -> tuple[Any, int]:
    """Return the facts of a new shift with many copies of one entry (and of one round), and how many entries; every guard on."""
    from datetime import timedelta

    from django.db import connection, transaction
    from django.utils import timezone

    from ledger.sealing import ShiftFacts
    from tables.models import Shift

    now = timezone.now()
    any_shift = Shift.objects.order_by("pk")[0]
    shift = Shift.objects.create(
        property=any_shift.property,
        gaming_day=any_shift.gaming_day + timedelta(days=1),
        kind=kind,
        starts_at=now,
        ends_at=now + timedelta(hours=8),
        opened_by=any_shift.opened_by,
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_ENTRIES, {"shift": str(shift.uuid), "count": count})
        if rounds:
            cursor.execute(_ROUNDS, {"shift": str(shift.uuid), "count": count})
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ledger_entry")
    return ShiftFacts(shift.property.uuid, shift.uuid, shift.gaming_day), count


def measure_check(folder: Path, leaves: int) -> list[tuple[str, float, float, float]]:
    """Return what verify.py took for a bundle of `leaves` leaves in two processes: the demo's night over and over, signed by a key of its own."""
    bundle, rounds = _large_bundle(folder, leaves)
    begun = time.perf_counter()
    done = subprocess.run(  # noqa: S603 - our own checker
        [sys.executable, "-I", "-S", str(bundle / "verify.py"), str(bundle), "--jobs", "2"], capture_output=True, text=True
    )
    took = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"the bundle is not clean: {done.stdout[-500:]}{done.stderr[-500:]}")
    return [(f"verify.py: {leaves:,} leaves, {rounds:,} rounds anew", took, leaves / LEAVES, CHECK_GOAL)]


def _large_bundle(folder: Path, leaves: int) -> tuple[Path, int]:
    import base64
    import json
    from uuid import UUID

    from django.db import transaction
    from django.utils import timezone

    from audit.bundles import contents, export_bundle, segments_named
    from audit.evidence import KINDS
    from ledger import leaves as leaf
    from ledger import merkle, notes, seal_key, sealing
    from ledger.models import Segment
    from tables.models import Shift

    night = Shift.objects.order_by("pk")[0]
    with transaction.atomic():
        sealing.prepare(sealing.ShiftFacts(night.property.uuid, night.uuid, night.gaming_day), KINDS, at=timezone.now())
    with transaction.atomic():
        sealing.finish()
    night_segment = Segment.objects.get(shift=night.uuid)
    bundle = export_bundle(segments_named([str(night.uuid)], everything=False), folder / "bundle")
    head, *facts = [content for _, content in contents(night_segment)]
    _, head_parts = leaf.read(head)
    taken = [(content, leaf.check_of(merkle.leaf_hash(content), leaf.read(content)[1])) for content in facts]
    moved = [json.loads(leaf.read(content)[1][-1] or b"") for content in facts if leaf.read(content)[0] == "entry"]
    sums: dict[tuple[str, str], list[int]] = {}
    for transfers in moved:
        for _, credit, debit, currency, amount in transfers:
            sums.setdefault((currency, credit), [0, 0])[1] += amount
            sums.setdefault((currency, debit), [0, 0])[0] += amount
    times = max(1, A_SEGMENT // len(facts))
    totals = {account: (arrived * times, left * times) for account, (arrived, left) in sums.items()}
    count = max(1, round(leaves / (times * len(facts) + 1)))
    key, private = seal_key.signer()
    outer, listed = merkle.Tree(), []
    for path in [*(bundle / "checkpoints").iterdir(), *(bundle / "checks").iterdir()]:
        path.unlink()
    with (bundle / "leaves.ndjson").open("wb") as out:
        for number in range(1, count + 1):
            shift = UUID(int=number)
            parts = [head_parts[0], shift.bytes, *head_parts[2:]]
            whole = [(leaf.leaf_of("head", parts), b""), *taken * times]
            whole[0] = (whole[0][0], leaf.check_of(merkle.leaf_hash(whole[0][0]), parts))
            tree = merkle.Tree()
            for index, (content, check) in enumerate(whole):
                tree.add(check[:32])
                out.write(b'{"segment":%d,"index":%d,"bytes":"%b"}\n' % (number, index, base64.b64encode(content)))
            checks = b"".join(check for _, check in whole)
            (bundle / f"checks/{number:06d}.bin").write_bytes(checks)
            import hashlib

            sealed = notes.Sealed(number, night.property.uuid, shift, night.gaming_day, len(whole), tree.root(), hashlib.sha256(checks).digest())
            outer.add(merkle.leaf_hash(sealing.outer_leaf(sealed)))
            listed.append({"segment": number, "bytes": notes.b64(sealing.outer_leaf(sealed))})
            text = notes.checkpoint(key.origin, number, outer.root(), sealed, totals, timezone.now())
            (bundle / f"checkpoints/{number:06d}.txt").write_text(seal_key.sign(text, key, private))
    (bundle / "segments.ndjson").write_text("".join(json.dumps(line) + "\n" for line in listed))
    manifest = json.loads((bundle / "manifest.json").read_text())
    (bundle / "manifest.json").write_text(json.dumps({**manifest, "size": count, "segments": list(range(1, count + 1))}))
    return bundle, sum(leaf.read(content)[0] == "round" for content in facts) * times * count
