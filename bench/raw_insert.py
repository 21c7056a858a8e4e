"""The raw statement that a recorded round is measured against: the same rows, every guard on, nothing checked or worked out.

Into the plain tables it is the page's own yardstick of a write.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bench.plain import TABLES, copy_round

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


def raw_insert(table: str, *, plain: bool = False) -> Callable[[], None]:
    """Return what inserts a copy of the last round recorded at `table` with one statement, in a transaction; `plain`: into the plain tables."""
    from django.db import connection, transaction

    from ledger.models import Entry
    from tables.models import Round

    played = Round.objects.filter(session__table__code=table).order_by("-id")[0]
    entry = Entry.objects.get(round=played.uuid)
    statement = _COPY
    if plain:
        copy_round(played.pk, entry.pk)
        statement = re.sub(rf"\b({'|'.join(TABLES)})\b", r"plain.\1", _COPY)

    def insert() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(1)")
            cursor.execute(statement, [played.pk, played.pk, entry.pk, entry.pk])

    return insert
