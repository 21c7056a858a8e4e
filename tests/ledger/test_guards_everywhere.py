"""Every append-only table and every partition, as the migrations declare them, refuses the application and the owner alike (B158, B159, B045)."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import DatabaseError, IntegrityError, connection, connections, transaction

from ledger.guards_declared import declared
from ledger.models import Account, Entry
from tests.builders import House, end_night, play
from tests.ledger.test_guards import entry, insert_entry, insert_transfer
from tests.superuser import superuser

pytestmark = pytest.mark.django_db


def kept_tables(using: str = "default") -> list[tuple[str, str]]:
    """Return (table, a column of it) of every append-only table and of each of its partitions."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT c.relname, (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
            " AND a.attidentity = '' ORDER BY a.attnum LIMIT 1)"
            " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_inherits i ON i.inhrelid = c.oid"
            " LEFT JOIN pg_class p ON p.oid = i.inhparent WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')"
            " AND coalesce(p.relname, c.relname) = ANY(%s) ORDER BY 1",
            [sorted(declared().append_only)],
        )
        return cursor.fetchall()


def attempts(table: str, column: str) -> Iterator[str]:
    yield f'UPDATE {table} SET "{column}" = "{column}"'
    yield f"DELETE FROM {table}"
    yield f"TRUNCATE {table}"
    yield f"TRUNCATE {table} CASCADE"
    yield f'MERGE INTO {table} t USING (SELECT 1) s ON true WHEN MATCHED THEN UPDATE SET "{column}" = t."{column}"'
    yield f"MERGE INTO {table} t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE"
    yield f"SELECT * FROM {table} FOR UPDATE"
    yield f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"
    yield f'INSERT INTO {table} SELECT * FROM {table} ON CONFLICT DO UPDATE SET "{column}" = excluded."{column}"'
    yield f"ALTER TABLE {table} DISABLE TRIGGER ALL"
    yield f"DROP TABLE {table}"
    yield f"ALTER TABLE {table} ADD COLUMN mine text"
    yield f"CREATE RULE mine AS ON INSERT TO {table} DO INSTEAD NOTHING"
    yield f"CREATE TRIGGER mine BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION pitbook_stamp()"
    yield f"CREATE INDEX mine ON {table} ((1))"


def test_the_application_may_only_add_to_what_is_kept() -> None:
    tables = kept_tables()
    assert len(tables) > 40
    for table, column in tables:
        for statement in attempts(table, column):
            with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
            words = str(refused.value)
            assert "permission denied" in words or "must be owner" in words or "ON CONFLICT DO UPDATE requires" in words, (statement, words)


@pytest.mark.django_db(databases=["default", "owner"])
def test_the_owner_truncates_nothing_and_changes_no_row() -> None:
    """The standing house has rows in many tables; a table without rows still refuses TRUNCATE.

    Nothing is read as the application before: its open transaction would keep the owner waiting.
    """
    met = 0
    for table, column in kept_tables("owner"):
        with pytest.raises(IntegrityError, match="its rows are kept"), transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
            cursor.execute(f"TRUNCATE {table} CASCADE")
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")
            [filled] = cursor.fetchone()
        for statement in (f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}") if filled else ():
            with pytest.raises(IntegrityError, match="its rows are kept"), transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
                cursor.execute(statement)
            met += 1
    assert met > 20


OTHER = "SELECT (jsonb_populate_record({0}, jsonb_build_object({1}))).* FROM {0} LIMIT 1"
"""A row of a table once more, with some of its columns other ones."""
REFUSED_INSERTS = (
    ("INSERT INTO ledger_entry " + OTHER.format("ledger_entry", "'shift', (SELECT shift FROM ledger_segment LIMIT 1)"), "is sealed"),
    (
        "INSERT INTO ledger_leaf (gaming_day, segment_id, \"index\", content) SELECT gaming_day, number, leaf_count, 'x' FROM ledger_segment",
        "is signed",
    ),
    ("INSERT INTO ledger_segment " + OTHER.format("ledger_segment", "'number', 9"), "without gaps"),
    ("INSERT INTO tables_round " + OTHER.format("tables_round", "'id', 999, 'uuid', gen_random_uuid(), 'number', 999"), "signed or sealed"),
    ("INSERT INTO tables_wager " + OTHER.format("tables_wager", "'id', 999, 'line', 999, 'seat', 9"), "its own transaction only"),
)
"""What the guards refuse before or behind the insert, with the words of the refusal."""


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_superuser_who_works_as_a_replica_meets_every_guard(sealed_nights: House) -> None:
    """`session_replication_role = replica` switches foreign keys and ordinary triggers off, and none of ours: they fire always."""
    tables, met = kept_tables(), 0
    connection.close()
    with superuser() as admin:
        admin.execute("SET session_replication_role = replica")
        for table, column in tables:
            statements = [f"TRUNCATE {table} CASCADE"]
            if admin.execute(f"SELECT EXISTS (SELECT FROM {table})").fetchone() == (True,):
                statements += [f'UPDATE {table} SET "{column}" = "{column}"', f"DELETE FROM {table}"]
                met += 1
            for statement in statements:
                with pytest.raises(psycopg.errors.RestrictViolation, match="its rows are kept"):
                    admin.execute(statement)
        for statement, words in REFUSED_INSERTS:
            with pytest.raises(psycopg.errors.RestrictViolation, match=words):
                admin.execute(statement)
    assert met > 25


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize(
    "statement",
    [
        "SET session_replication_role = replica",
        "SET LOCAL session_replication_role = replica",
        "SELECT set_config('session_replication_role', 'replica', false)",
        "ALTER ROLE pitbook_owner SET session_replication_role = replica",
        "ALTER ROLE pitbook_app SET session_replication_role = replica",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET session_replication_role = replica', current_database()); END $$",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql SET session_replication_role = replica AS 'SELECT 1'",
        "GRANT SET ON PARAMETER session_replication_role TO pitbook_app",
    ],
)
@pytest.mark.parametrize("who", ["default", "owner"])
def test_neither_the_application_nor_the_owner_works_as_a_replica(who: str, statement: str) -> None:
    refused = pytest.raises(DatabaseError, match=r"permission denied|must be owner|must have")
    with refused, transaction.atomic(using=who), connections[who].cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SET LOCAL session_replication_role = replica",
        "SET LOCAL ROLE pitbook_owner",
        "ALTER ROLE pitbook_app SUPERUSER",
        "ALTER ROLE pitbook_app SET session_replication_role = replica",
        "GRANT pitbook_owner TO pitbook_app",
        "CREATE ROLE mine",
        "CREATE EXTENSION dblink",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE POLICY mine ON tables_round USING (true)",
        "ALTER FUNCTION public.pitbook_refuse() OWNER TO pitbook_app",
        "ALTER TABLE ledger_transfer DETACH PARTITION ledger_transfer_202603",
        "COPY tables_round FROM PROGRAM 'true'",
        "COPY ledger_entry TO '/tmp/entries'",
        "COPY ledger_transfer_202603 FROM STDIN",
        "REASSIGN OWNED BY pitbook_owner TO pitbook_app",
        "ALTER SCHEMA public OWNER TO pitbook_app",
        "INSERT INTO ledger_archive DEFAULT VALUES",
        "SELECT pg_read_binary_file('PG_VERSION')",
        "SELECT lo_import('/etc/passwd')",
    ],
)
def test_the_application_opens_none_of_these_doors(statement: str) -> None:
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert any(said in str(refused.value) for said in ("permission denied", "must be owner", "must have")), refused.value


def test_both_sides_of_a_transfer_are_there_and_differ(house: House) -> None:
    """B045: two debits and no credit cannot be written."""
    tray = Account.objects.get(code="tray:UTH-01").pk
    for credit, debit, said in ((None, tray, "null value"), (tray, None, "null value"), (tray, tray, "goes_elsewhere")):
        with pytest.raises(IntegrityError, match=said), transaction.atomic(), connection.cursor() as cursor:
            made = insert_entry(cursor, entry(house))
            cursor.execute(
                "INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
                " VALUES (%s, %s, 1, %s, %s, 'USD', 100)",
                [house.shift.gaming_day, made, credit, debit],
            )


def test_an_entry_and_its_transfers_may_come_under_savepoints_of_one_transaction(house: House) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        with transaction.atomic():
            made = insert_entry(cursor, entry(house))
        with transaction.atomic():
            insert_transfer(cursor, house, made)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    assert Entry.objects.get(pk=made).transfers.count() == 1


@pytest.mark.django_db(transaction=True)
def test_savepoints_do_not_let_a_transfer_into_an_older_entry(house: House) -> None:
    old = Entry.objects.get(round=play(house).uuid)
    with pytest.raises(IntegrityError, match="its own transaction only"), transaction.atomic(), connection.cursor() as cursor:
        with transaction.atomic():
            insert_entry(cursor, entry(house))
        with transaction.atomic():
            insert_transfer(cursor, house, old.pk, line=9)


@pytest.mark.django_db(transaction=True)
def test_a_transfer_of_another_day_than_its_entry_is_refused(house: House) -> None:
    end_night(house)
    with pytest.raises(IntegrityError, match="ledger_transfer_entry"), transaction.atomic(), connection.cursor() as cursor:
        made = insert_entry(cursor, entry(house))
        cursor.execute(
            "INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
            " SELECT '2026-04-01', %s, 1, min(id), max(id), 'USD', 5 FROM ledger_account",
            [made],
        )
