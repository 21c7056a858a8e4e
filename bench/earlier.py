"""Months of nights before one: its rounds, wagers, entries and transfers again on each day before, every guard on, closed as sealing does it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

_ROUND = """
    number, label, game, recorded_by_id, dealer_id, paytable_id, engine_version, deal, cards, settlement, fingerprint, irregular, late,
    wager_count, handle, collect, pay, rake, collected, paid
"""
_WAGER = """
    line, seat, kind, patron, stake, collect, pay, "row", breakage, uncapped, collected, paid, mispaid, first_collected, first_paid, note, fund,
    for_dealer
"""
_ENTRY = "kind, fingerprint, property, recorded_by_id, memo, late, paytable, paytable_sha256, engine_version, transfer_count"
_TRANSFER = "line, credit_account_id, debit_account_id, currency, amount"


def _of(alias: str, columns: str) -> str:
    """Return `columns` as those of the table that is called `alias`."""
    return ", ".join(f"{alias}.{name.strip()}" for name in columns.split(","))


_AGAIN = (
    f"""
    INSERT INTO tables_round (uuid, session_id, gaming_day, occurred_at, {_ROUND})
    SELECT gen_random_uuid(), %(new)s, %(day)s, occurred_at - %(ago)s, {_ROUND} FROM tables_round WHERE session_id = %(old)s ORDER BY number
    """,
    f"""
    INSERT INTO tables_wager (gaming_day, round_id, {_WAGER})
    SELECT n.gaming_day, n.id, {_of("w", _WAGER)}
    FROM tables_round n JOIN tables_round o ON o.session_id = %(old)s AND o.number = n.number
    JOIN tables_wager w ON w.round_id = o.id AND w.gaming_day = o.gaming_day WHERE n.session_id = %(new)s ORDER BY n.number, w.line
    """,
    f"""
    INSERT INTO ledger_entry (uuid, reference, shift, session, round, gaming_day, occurred_at, {_ENTRY})
    SELECT gen_random_uuid(), 'round:' || n.uuid, %(shift)s, %(session)s, n.uuid, n.gaming_day, n.occurred_at, {_of("e", _ENTRY)}
    FROM tables_round n JOIN tables_round o ON o.session_id = %(old)s AND o.number = n.number JOIN ledger_entry e ON e.round = o.uuid
    WHERE n.session_id = %(new)s ORDER BY n.number
    """,
    f"""
    INSERT INTO ledger_transfer (gaming_day, entry_id, {_TRANSFER})
    SELECT m.gaming_day, m.id, {_of("t", _TRANSFER)}
    FROM tables_round n JOIN tables_round o ON o.session_id = %(old)s AND o.number = n.number
    JOIN ledger_entry e ON e.round = o.uuid JOIN ledger_entry m ON m.round = n.uuid
    JOIN ledger_transfer t ON t.entry_id = e.id AND t.gaming_day = e.gaming_day WHERE n.session_id = %(new)s ORDER BY n.number, t.line
    """,
)  # fmt: skip


def add_nights(session: Any, nights: int) -> None:
    """Add `nights` nights before that of `session`, each a session of the same table with copies of its rounds and of what they moved.

    The shifts have ended and their books are closed; what the rounds say (cards, stakes, who dealt) is the same every night.
    """
    from django.db import connection, connections, transaction

    from casino.append_only import make_partitions
    from ledger.totals import keep_totals

    day = session.shift.gaming_day
    make_partitions("default", range(-nights // 28 - 1, 1), of=day)
    for number in range(1, nights + 1):
        ago = timedelta(days=number)
        earlier = _session_before(session, ago)
        params = {
            "old": session.pk,
            "new": earlier.pk,
            "session": earlier.uuid,
            "shift": earlier.shift.uuid,
            "day": day - ago,
            "ago": ago,
        }
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in _AGAIN:
                cursor.execute(statement, params)
        keep_totals(earlier.shift.uuid)
        if number in (1, 10):  # plans are made for what ANALYZE saw: those for an empty table are slow ones
            with connections["owner"].cursor() as cursor:
                cursor.execute("ANALYZE tables_round, tables_wager, ledger_entry, ledger_transfer")


def _session_before(session: Any, ago: timedelta) -> Any:
    """Return a session of the same table, `ago` before it, opened and closed in a shift that was opened and ended."""
    from tables.models import SessionEvent, Shift, ShiftEvent, TableSession

    now = session.shift
    begun, ended = now.starts_at - ago, now.ends_at - ago
    shift = Shift.objects.create(
        property=now.property, gaming_day=now.gaming_day - ago, kind=now.kind, starts_at=begun, ends_at=ended, opened_by=now.opened_by
    )
    earlier = TableSession.objects.create(shift=shift, table=session.table, felt=session.felt)
    for sequence, (state, at) in enumerate((("open", begun), ("closed", ended)), start=1):
        SessionEvent.objects.create(session=earlier, sequence=sequence, state=state, occurred_at=at, by=now.opened_by)
    for sequence, (state, at) in enumerate((("open", begun), ("ended", ended)), start=1):
        ShiftEvent.objects.create(shift=shift, sequence=sequence, state=state, occurred_at=at, by=now.opened_by)
    return earlier
