"""No round comes into a shift that is signed or sealed, by SQL of the application's own either; and one that a superuser puts in is told."""

from __future__ import annotations

import io
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from audit.books_check import check_books
from audit.evidence import KINDS
from ledger import sealing
from ledger.models import Entry, Leaf, Segment
from tables.models import Round, Wager
from tests.audit.signing import sign_off
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import AT, facts_of, next_shift, seal
from tests.ledger.test_sealing_races import Side, wait_for_waiting
from tests.superuser import spoil

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def again() -> str:
    """Return the statement that adds a round and its wagers once more, as another one: its parameters are uuid, number, and the round's key."""
    own = {"id", "uuid", "number", "label", "made_in", "recorded_at"}
    kept = ", ".join(f'"{field.column}"' for field in Round._meta.local_concrete_fields if field.name not in own)
    of_wager = ", ".join(f'w."{field.column}"' for field in Wager._meta.local_concrete_fields if field.name not in ("id", "round"))
    return f"""
        WITH made AS (
            INSERT INTO tables_round (uuid, number, label, {kept})
            SELECT %s, %s, 'once more', {kept} FROM tables_round WHERE id = %s RETURNING id
        ) INSERT INTO tables_wager (round_id, {of_wager.replace("w.", "")})
        SELECT made.id, {of_wager} FROM made, tables_wager w WHERE w.round_id = %s
    """


def add(played: Round, number: int = 900) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(again(), [uuid4(), number, played.pk, played.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def refused(played: Round, begin: str = "SELECT 1") -> str:
    before = Round.objects.count(), Wager.objects.count()
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(begin)
        cursor.execute(again(), [uuid4(), 901, played.pk, played.pk])
    assert (Round.objects.count(), Wager.objects.count()) == before
    return str(error.value)


def test_the_application_adds_no_round_to_a_signed_or_a_sealed_shift(house: House) -> None:
    played = play(house)
    with transaction.atomic():
        add(played)
        transaction.set_rollback(True)
    end_night(house)
    sign_off(house)
    assert "signed or sealed" in refused(played)
    seal(house.shift)
    assert "signed or sealed" in refused(played)
    assert "under READ COMMITTED" in refused(played, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
    assert check_books().code == 0


def test_a_round_waits_for_the_seal_that_is_being_made_and_is_refused_then(house: House) -> None:
    played = play(house)
    end_night(house)

    def late_comer() -> str:
        try:
            add(played)
        except IntegrityError as error:
            return str(error)
        return "kept"

    with transaction.atomic():
        segment = sealing.prepare(facts_of(house.shift), KINDS, at=AT)
        side = Side(late_comer)
        wait_for_waiting(1)
    side.join(30)
    assert "signed or sealed" in str(side.came)
    assert Leaf.objects.filter(segment=segment, kind="round").count() == Round.objects.count() == 1


def test_looking_for_the_seal_costs_little_for_many_rounds_at_once(house: House) -> None:
    """Five thousand rounds in one statement are looked at as one session."""
    played = play(house)
    copies = again().replace("SELECT %s, %s, 'once more'", "SELECT gen_random_uuid(), %s + n, 'once more ' || n")
    copies = copies.replace("FROM tables_round WHERE id = %s", "FROM tables_round, generate_series(1, 5000) n WHERE id = %s")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + copies, [10_000, played.pk, played.pk])
        [plan] = cursor.fetchone()[0]
        transaction.set_rollback(True)
    took = {trigger["Trigger Name"]: trigger["Time"] for trigger in plan["Triggers"]}
    assert took["tables_round_sealed_guard"] < 0.1 * (plan["Execution Time"])


ENTRY = """
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, session, round, gaming_day, occurred_at, recorded_by_id, memo,
                              late, paytable, paytable_sha256, engine_version, transfer_count, recorded_at, made_in)
    SELECT gen_random_uuid(), kind, %s, fingerprint, property, shift, session, round, gaming_day, occurred_at, recorded_by_id, memo,
           late, paytable, paytable_sha256, engine_version, 0, recorded_at, made_in FROM ledger_entry WHERE kind = 'round' ORDER BY id LIMIT 1
"""


def test_a_round_and_an_entry_that_a_superuser_put_in_are_told(sealed_nights: House) -> None:
    played = Round.objects.order_by("pk")[0]
    assert spoil("tables_round tables_wager", again(), uuid4(), 901, played.pk, played.pk) > 0
    assert spoil("ledger_entry", ENTRY, "round:made up") == 1
    assert Entry.objects.get(reference="round:made up").transfers.count() == 0
    out = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify_books", stdout=out)
    place = f"TAMPERED: segment 1, shift {sealed_nights.shift.uuid} of 2026-03-14: "
    assert end.value.code == 2
    assert out.getvalue().splitlines() == [
        f"{place}round once more: it stands in the sealed shift and in none of its leaves",
        f"{place}entry round:made up: it stands in the sealed shift and in none of its leaves",
        f"TAMPERED: 2 sealed shifts, {Leaf.objects.count()} leaves.",
    ]


def test_an_entry_that_was_put_in_is_told_after_the_next_seal_too(sealed_nights: House) -> None:
    assert spoil("ledger_entry", ENTRY, "round:made up") == 1
    sealed_nights.shift.gaming_day += timedelta(days=1)
    seal(next_shift(sealed_nights))
    assert Segment.objects.count() == 3
    assert ["round:made up" in problem.words for problem in check_books().problems] == [True]
