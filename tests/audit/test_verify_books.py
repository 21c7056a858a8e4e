"""The live books against what was sealed: spoilt by the owner and by a superuser, with the guards off for a moment."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from casino.embedded import locate
from ledger.models import Leaf, Segment, Transfer
from tests.builders import House
from tests.casino.embedded_house import CHECKOUT
from tests.casino.embedded_house import House as EmbeddedHouse
from tests.superuser import spoil, superuser

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def sealed(sealed_nights: House) -> House:
    return sealed_nights


def as_owner(statement: str, *params: object, table: str) -> None:
    """Change what the guards protect, as somebody with the owner's password would: triggers off, the change, triggers on again."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement, params)
        cursor.execute("SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table])
        for (name,) in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def as_superuser(statement: str, *params: object, table: str) -> None:
    """Do the same as whom no grant holds."""
    spoil(table, statement, *params)


Change = Callable[..., None]


@pytest.fixture(params=[as_owner, as_superuser], ids=["owner", "superuser"])
def change(request: pytest.FixtureRequest) -> Change:
    """Return what changes the books behind the program's back: once as the owner, once as a superuser."""
    done: Change = request.param
    return done


def run() -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("verify_books", stdout=out, stderr=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def test_books_as_they_were_sealed_are_clean(sealed: House) -> None:
    code, words = run()
    assert (code, words) == (0, f"CLEAN: 2 sealed shifts, {Leaf.objects.count()} leaves.\n")


def test_b164_one_amount_changed_names_the_entry(sealed: House, change: Change) -> None:
    change("UPDATE ledger_transfer SET amount = amount + 1 WHERE id = (SELECT max(id) FROM ledger_transfer)", table="ledger_transfer")
    code, words = run()
    entry = Transfer.objects.latest("id").entry
    leaf = Leaf.objects.get(kind="entry", row=entry.pk)
    assert code == 2
    assert (
        f"segment 1, shift {sealed.shift.uuid}, leaf {leaf.index}: entry {entry.reference}, field transfers: the row is not what was sealed" in words
    )


CHANGES = (
    ("tables_round", "paid", "paid + 1", "round", "paid"),
    ("tables_round", "deal", "convert_to(replace(convert_from(deal, 'UTF8'), '\"As\"', '\"Ks\"'), 'UTF8')", "round", "deal"),
    ("tables_round", "occurred_at", "occurred_at + interval '1 microsecond'", "round", "occurred_at"),
    ("tables_wager", "note", "replace(note, 'he left', 'he paid')", "round", "wager_notes"),
    ("tables_wager", "mispaid", "''", "round", "wagers"),
    ("tables_traycount", "denominations", "'{\"1\": 5}'", "tray_count", "denominations"),
    ("audit_finding", "why", "'all is well'", "finding", "why"),
    ("audit_sessionreconciliation", "drop", "7", "reconciliation_line", "drop"),
    ("ledger_entry", "recorded_at", "recorded_at + interval '1 microsecond'", "entry", "recorded_at"),
)
"""What is changed: table, column and its new value; and what must be named: kind and field."""


def keep(table: str) -> None:
    """Keep a copy of a table where the program does not look."""
    with superuser() as admin:
        admin.execute("CREATE SCHEMA IF NOT EXISTS kept")
        admin.execute("DROP TABLE IF EXISTS kept.before")
        admin.execute(sql.SQL("CREATE TABLE kept.before AS SELECT * FROM {}").format(sql.Identifier(table)))
        admin.execute("GRANT USAGE ON SCHEMA kept TO PUBLIC")
        admin.execute("GRANT SELECT ON kept.before TO PUBLIC")


def test_b166_a_changed_row_is_named_by_shift_leaf_and_field(sealed: House, change: Change) -> None:
    for table, column, value, kind, field in CHANGES:
        keep(table)
        change(f'UPDATE {table} SET "{column}" = {value}', table=table)
        code, words = run()
        assert code == 2, (table, column)
        assert f"segment 1, shift {sealed.shift.uuid}, leaf " in words
        assert f": {kind} " in words
        assert f"field {field}" in words
        change(f'UPDATE {table} t SET "{column}" = b."{column}" FROM kept.before b WHERE b.id = t.id', table=table)
    assert run()[0] == 0


GONE = (
    ("tables_shiftevent", "sequence = 2", "shift_event", "its row is gone"),
    ("tables_wager", "id = (SELECT max(id) FROM tables_wager)", "round", "field wagers"),
    ("ledger_transfer", "id = (SELECT max(id) FROM ledger_transfer)", "entry", "field transfers"),
    ("audit_findingevent", "true", "finding_event", "its row is gone"),
)


def test_a_row_that_is_gone_is_named(sealed: House, change: Change) -> None:
    for table, which, kind, what in GONE:
        keep(table)
        change(f"DELETE FROM {table} WHERE {which}", table=table)
        code, words = run()
        assert (code, f": {kind} " in words, what in words) == (2, True, True), table
        change(f"INSERT INTO {table} SELECT b.* FROM kept.before b WHERE NOT EXISTS (SELECT FROM {table} t WHERE t.id = b.id)", table=table)
    assert run()[0] == 0


def test_b166_one_byte_of_a_stored_leaf_is_found_twice(sealed: House, change: Change) -> None:
    leaf = Leaf.objects.filter(kind="entry").order_by("index")[0]
    spoilt = bytearray(leaf.content)
    spoilt[-10] ^= 1
    change("UPDATE ledger_leaf SET content = %s WHERE id = %s", bytes(spoilt), leaf.pk, table="ledger_leaf")
    code, words = run()
    assert code == 2
    assert "the stored leaves are not under its root" in words
    assert f"leaf {leaf.index}: entry" in words
    assert "field transfers" in words


def test_a_leaf_that_is_gone_is_named(sealed: House, change: Change) -> None:
    change('DELETE FROM ledger_leaf WHERE segment_id = 1 AND "index" = 7', table="ledger_leaf")
    code, words = run()
    assert (code, f"segment 1, shift {sealed.shift.uuid} of 2026-03-14, leaf 7: is missing" in words) == (3, True)


def delete_last_segment(change: Change) -> None:
    for table, column in (
        ("ledger_segmentchecks", "segment_id"),
        ("ledger_leafsalt", "segment_id"),
        ("ledger_signedcheckpoint", "segment_id"),
        ("ledger_leaf", "segment_id"),
        ("ledger_segment", "number"),
    ):
        change(f"DELETE FROM {table} WHERE {column} = 2", table=table)


def test_a_cut_tail_is_seen_by_the_file_off_the_database(sealed: House, change: Change) -> None:
    delete_last_segment(change)
    code, words = run()
    assert (code, "segment 2: its checkpoint was published, and the books do not hold it" in words) == (3, True)


def test_a_lost_file_is_told(sealed: House) -> None:
    lines = settings.CHECKPOINTS.read_text().splitlines(keepends=True)
    settings.CHECKPOINTS.write_text(lines[1])
    code, words = run()
    assert (code, f"shift {sealed.shift.uuid}" in words, "not in the file of published ones" in words) == (3, True, True)
    said = json.loads(lines[0])
    settings.CHECKPOINTS.write_text(json.dumps({**said, "note": said["note"].replace("leaves", "leafs")}) + "\n" + lines[1])
    assert run()[0] == 2


def test_a_changed_signature_is_told(sealed: House, change: Change) -> None:
    change("UPDATE ledger_segment SET checkpoint = replace(checkpoint, 'time 2026', 'time 2025') WHERE number = 1", table="ledger_segment")
    code, words = run()
    assert (code, "its signature does not fit its checkpoint" in words) == (2, True)


def test_an_unsigned_segment_is_incomplete(sealed: House) -> None:
    as_owner("DELETE FROM ledger_signedcheckpoint WHERE segment_id = 2", table="ledger_signedcheckpoint")
    assert run()[0] == 3


@pytest.fixture
def own() -> Iterator[EmbeddedHouse]:
    """Servers of a test's own."""
    with tempfile.TemporaryDirectory(prefix="pitbook-own-") as name:
        Path(name).chmod(0o755)
        made = EmbeddedHouse(Path(name).resolve() / "state")
        yield made
        made.close()


@pytest.mark.slow
def test_b162_a_database_that_is_down_is_code_1(own: EmbeddedHouse) -> None:
    """A server of the test's own: not migrated while it runs, not to be reached when it was stopped. Neither is called tampered."""
    own.hold().up()
    servers = locate(own.state)
    places = {
        name: f"postgresql://{user}:{quote(word, safe='')}@{quote(servers.postgres_host, safe='')}:{servers.postgres_port}/{servers.database}"
        for name, user, word in (
            ("DATABASE_URL", servers.app, servers.app_password),
            ("DATABASE_OWNER_URL", servers.owner, servers.owner_password),
        )
    }

    def verify() -> tuple[int, str]:
        words = [sys.executable, "manage.py", "verify_books"]
        done = subprocess.run(words, cwd=CHECKOUT, env={**os.environ, **places}, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout + done.stderr

    assert own.sql("SELECT 1") == [(1,)]
    code, words = verify()
    assert (code, words.startswith("COULD NOT RUN: relation"), len(words.splitlines())) == (1, True, 1)
    own.leave()
    code, words = verify()
    assert (code, words.startswith("COULD NOT RUN: connection"), len(words.splitlines())) == (1, True, 1)


def test_an_erased_salt_breaks_no_proof(sealed: House) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM ledger_leafsalt WHERE field = 'wager_notes'")
        assert cursor.rowcount == 1
    assert run()[0] == 0


def test_a_trigger_that_is_off_is_told_and_ends_with_its_code(sealed: House) -> None:
    with superuser() as admin:
        admin.execute("ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only")
    told = (
        f"TAMPERED: ledger_entry.ledger_entry_append_only: the trigger is switched off\nTAMPERED: 2 sealed shifts, {Leaf.objects.count()} leaves.\n"
    )
    assert run() == (2, told)
    with superuser() as admin:
        admin.execute("ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only")
    assert run() == (2, told.replace("is switched off", "does not fire always"))
    with superuser() as admin:
        admin.execute("ALTER TABLE ledger_entry ENABLE ALWAYS TRIGGER ledger_entry_append_only")
    assert run()[0] == 0


def test_later_facts_are_counted_and_no_fault(sealed: House, tmp_path: Path) -> None:
    from audit.models import Finding, FindingEvent

    finding = Finding.objects.order_by("pk")[0]
    FindingEvent.objects.create(finding=finding, sequence=2, state="open", by=sealed.people["AU-1"], note="seen")
    code, words = run()
    assert (code, "1 later facts wait for the next seal" in words) == (0, True)
    assert Segment.objects.count() == 2
