"""What the database itself refuses, tried with raw SQL as the application. Source: spec/books.md."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, connections, transaction

from casino.models import User
from ledger.models import Account, Entry, Transfer
from ledger.services import reverse_entry
from tables.models import Round, Wager
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db

APPEND_ONLY = (
    "ledger_entry",
    "ledger_transfer",
    "ledger_segment",
    "ledger_leaf",
    "tables_round",
    "tables_wager",
    "tables_shift",
    "tables_shiftevent",
    "tables_tablesession",
    "tables_sessionevent",
    "tables_dealerturn",
    "tables_paytableversion",
    "tables_tablepaytable",
    "tables_chipmovement",
    "tables_traycount",
    "tables_dropcount",
    "audit_finding",
    "audit_findingevent",
    "audit_shiftreconciliation",
    "audit_sessionreconciliation",
    "audit_reportfile",
    "casino_roleevent",
    "tables_paytableproposal",
    "tables_paytableevent",
    "tables_paytableplacement",
    "tables_placementevent",
    "tables_edgelimit",
    "casino_jobevent",
    "tables_tablelimit",
    "tables_propertysetting",
    "audit_explanation",
    "audit_signature",
    "audit_evidence",
    "audit_drawcommitment",
    "audit_draw",
    "audit_drawnitem",
    "audit_drawoutcome",
    "audit_sessionmoments",
    "audit_statisticrun",
    "audit_statisticresult",
    "casino_stepupfailure",
    "tables_boxpull",
    "tables_cashout",
    "tables_chipslip",
    "tables_chipslipevent",
    "tables_countreopening",
    "tables_countreopeningevent",
    "tables_dealerpin",
    "tables_dealerpinfailure",
    "audit_tabledayreconciliation",
    "tables_roundproposal",
    "tables_roundproposalevent",
    "tables_roundchange",
    "tables_roundruling",
    "ledger_sealkey",
    "ledger_signedcheckpoint",
    "ledger_checkpointalarm",
    "ledger_entrycount",
    "tables_roundcount",
)
ANY_COLUMN = {"ledger_segment": "number", "ledger_sealkey": "number", "tables_slipcounter": "last"}


def refused(statement: str, *params: object) -> str:
    """Run `statement` as the application, expect a refusal, and return its words."""
    with pytest.raises(DatabaseError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params or None)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return str(error.value)


def entry(house: House, **changes: object) -> dict[str, object]:
    """Return the columns of a legal entry of one transfer, with `changes`."""
    user = User.objects.get(username="PB-1")
    columns = {
        "uuid": uuid4(),
        "kind": "test",
        "reference": f"test:{uuid4()}",
        "fingerprint": b"x" * 32,
        "property": house.property.uuid,
        "shift": house.shift.uuid,
        "gaming_day": house.shift.gaming_day,
        "occurred_at": house.clock,
        "recorded_by_id": user.pk,
        "memo": "",
        "late": False,
        "paytable": "",
        "paytable_sha256": "",
        "engine_version": "",
        "transfer_count": 1,
    }
    return {**columns, **changes}


def insert_entry(cursor: object, columns: dict[str, object]) -> int:
    names = ", ".join(columns)
    marks = ", ".join(["%s"] * len(columns))
    cursor.execute(f"INSERT INTO ledger_entry ({names}) VALUES ({marks}) RETURNING id", list(columns.values()))
    return cursor.fetchone()[0]


def insert_transfer(
    cursor: object, house: House, entry_id: int, *, amount: int = 5, line: int = 1, currency: str = "USD", to: str = "tray:UTH-01"
) -> None:
    credit = Account.objects.get(property=house.property.uuid, code="cage:chips")
    debit = Account.objects.get(property=house.property.uuid, code=to)
    cursor.execute(
        "INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
        [house.shift.gaming_day, entry_id, line, credit.pk, debit.pk, currency, amount],
    )


@pytest.mark.parametrize("table", APPEND_ONLY)
@pytest.mark.parametrize("verb", ["UPDATE", "DELETE", "TRUNCATE", "TRUNCATE CASCADE"])
def test_the_application_changes_no_row(table: str, verb: str) -> None:
    column = ANY_COLUMN.get(table, "id")
    statement = {
        "UPDATE": f"UPDATE {table} SET {column} = {column}",
        "DELETE": f"DELETE FROM {table}",
        "TRUNCATE": f"TRUNCATE {table}",
        "TRUNCATE CASCADE": f"TRUNCATE {table} CASCADE",
    }[verb]
    assert "permission denied" in refused(statement)


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_every_guard_is_always_on(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.tgname, t.tgenabled FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " WHERE NOT t.tgisinternal AND (c.relname = %s OR c.relname LIKE %s)",
            [table, f"{table}\\_2%"],
        )
        triggers = cursor.fetchall()
    names = {name for name, _ in triggers}
    assert {f"{table}_append_only", f"{table}_no_truncate"} <= names
    assert {enabled for _, enabled in triggers} == {"A"}, triggers


def test_salts_never_change_and_the_application_does_not_erase_them() -> None:
    for verb in ("UPDATE {0} SET id = id", "DELETE FROM {0}", "TRUNCATE {0}"):
        assert "permission denied" in refused(verb.format("ledger_leafsalt"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'ledger_leafsalt'::regclass AND NOT tgisinternal ORDER BY 1")
        assert cursor.fetchall() == [("ledger_leafsalt_no_truncate", "A"), ("ledger_leafsalt_no_update", "A")]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize(
    "table", ["ledger_entry", "ledger_transfer", "tables_round", "tables_wager", "ledger_transfer_202603", "tables_wager_202603"]
)
@pytest.mark.parametrize("verb", ["UPDATE {0} SET id = id", "DELETE FROM {0}", "TRUNCATE {0} CASCADE"])
def test_the_owner_changes_no_row_either(house: House, table: str, verb: str) -> None:
    play(house)
    with pytest.raises(IntegrityError) as error, connections["owner"].cursor() as cursor:
        cursor.execute(verb.format(table))
    assert "its rows are kept as they are" in str(error.value)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only",
        "ALTER TABLE ledger_entry DISABLE TRIGGER ALL",
        "DROP TRIGGER ledger_entry_guard ON ledger_entry",
        "SET session_replication_role = replica",
        "SET ROLE pitbook_owner",
        "SET SESSION AUTHORIZATION pitbook_owner",
        "DROP TABLE ledger_transfer",
        "CREATE TABLE public.mine (id int)",
        "CREATE OR REPLACE FUNCTION public.pitbook_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "INSERT INTO ledger_transfer_202603 DEFAULT VALUES",
        "SELECT * FROM ledger_transfer_202603",
        "SELECT * FROM tables_wager_202603",
        "COPY ledger_entry TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/passwd')",
        "INSERT INTO ledger_account (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET code = 'x'",
        "INSERT INTO casino_partitionedtable VALUES ('casino_user')",
        "DELETE FROM casino_user",
        "DELETE FROM casino_job",
        "DELETE FROM ledger_account",
        "UPDATE ledger_account SET code = 'x'",
        "UPDATE ledger_account SET currency = 'EUR'",
    ],
)
def test_the_application_opens_no_back_door(statement: str) -> None:
    words = refused(statement)
    assert any(said in words for said in ("permission denied", "must be owner", "cannot set", "must be superuser")), words


def test_the_application_grants_nothing() -> None:
    """PostgreSQL only warns of a grant by somebody without the right to: what counts is that nothing was granted."""
    with connection.cursor() as cursor:
        cursor.execute("GRANT UPDATE, DELETE ON ledger_entry TO PUBLIC")
        cursor.execute("SELECT has_table_privilege(current_user, 'ledger_entry', 'UPDATE, DELETE, TRUNCATE')")
        assert cursor.fetchone() == (False,)


def test_an_entry_needs_the_transfers_that_it_says(house: House) -> None:
    for count in (1, 2):
        with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
            made = insert_entry(cursor, entry(house, transfer_count=count))
            if count == 2:
                insert_transfer(cursor, house, made)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        assert "does not have the transfers" in str(error.value)
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_entry(cursor, entry(house, transfer_count=0))
    assert "ledger_entry_moves_something" in str(error.value)


@pytest.mark.parametrize("amount", [0, -1, 10**15])
def test_amounts_are_positive_and_bounded(house: House, amount: int) -> None:
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_transfer(cursor, house, insert_entry(cursor, entry(house)), amount=amount)
    assert "ledger_transfer_moves_something" in str(error.value)


def test_value_goes_elsewhere_and_in_one_currency(house: House) -> None:
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_transfer(cursor, house, insert_entry(cursor, entry(house)), to="cage:chips")
    assert "ledger_transfer_goes_elsewhere" in str(error.value)
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_transfer(cursor, house, insert_entry(cursor, entry(house)), currency="EUR")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert "currency" in str(error.value)


@pytest.mark.django_db(transaction=True)
def test_a_transfer_is_not_added_to_yesterdays_entry(house: House) -> None:
    old = Entry.objects.get(round=play(house).uuid)
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_transfer(cursor, house, old.pk, line=9)
    assert "its own transaction only" in str(error.value)
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            'INSERT INTO tables_wager (gaming_day, round_id, line, seat, kind, patron, stake, "row", breakage, collected, paid, mispaid, note)'
            " SELECT gaming_day, id, 99, 7, 'ante', '', 0, '', '', 0, 0, '', '' FROM tables_round"
        )
    assert "its own transaction only" in str(error.value)
    assert Transfer.objects.filter(entry=old).count() == old.transfer_count


def test_nobody_supplies_the_clock_or_the_transaction(house: House) -> None:
    with connection.cursor() as cursor:
        made = insert_entry(cursor, entry(house, recorded_at="2000-01-01T00:00:00Z", made_in="3"))
        insert_transfer(cursor, house, made)
        cursor.execute("SELECT recorded_at > now() - interval '1 hour', made_in = pg_current_xact_id() FROM ledger_entry WHERE id = %s", [made])
        assert cursor.fetchone() == (True, True)


def test_a_reference_is_used_once_and_a_reversal_is_not_reversed(house: House) -> None:
    played = Entry.objects.get(round=play(house).uuid)
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_entry(cursor, entry(house, reference=played.reference))
    assert "ledger_entry_reference" in str(error.value)
    back = reverse_entry(played, occurred_at=house.tick(), reason="misdeal", by=house.people["PB-1"]).pk
    for reverses, said in ((played.pk, "ledger_entry_reverses_id"), (back, "a reversal is not reversed")):
        with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
            insert_entry(cursor, entry(house, kind="reversal", reverses_id=reverses, transfer_count=2))
        assert said in str(error.value)


def test_a_sealed_shift_and_a_closed_account_take_nothing(house: House) -> None:
    end_night(house)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_account SET closed_at = now() WHERE code = 'tray:UTH-01'")
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_transfer(cursor, house, insert_entry(cursor, entry(house)))
    assert "closed" in str(error.value)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO ledger_segment (number, property, shift, gaming_day, leaf_count, root, outer_root, checkpoint)"
            " VALUES (1, %s, %s, %s, 0, '', '', '')",
            [house.property.uuid, house.shift.uuid, house.shift.gaming_day],
        )
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        insert_entry(cursor, entry(house))
    assert "sealed" in str(error.value)


def test_a_temporary_table_does_not_deceive_the_guards(house: House) -> None:
    """pg_temp comes last in the guards' search path, or this would let a transfer into any entry."""
    old = Entry.objects.get(round=play(house).uuid)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE ledger_segment (shift uuid)")
        cursor.execute("CREATE TEMPORARY TABLE ledger_transfer AS SELECT * FROM public.ledger_transfer WITH NO DATA")
        cursor.execute("INSERT INTO public.ledger_entry SELECT * FROM public.ledger_entry WHERE id = %s", [old.pk])


def test_a_round_has_the_wagers_that_it_says(house: House) -> None:
    played = play(house)
    kept = Round.objects.filter(pk=played.pk).values().get()
    del kept["id"], kept["recorded_at"], kept["made_in"]
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        Round.objects.create(**{**kept, "uuid": uuid4(), "number": 999})
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert "does not have the wagers" in str(error.value)
    assert Wager.objects.filter(round=played).count() == played.wager_count


def test_there_are_no_superusers() -> None:
    assert "casino_user_no_superusers" in refused("UPDATE casino_user SET is_superuser = true")


def test_partitions_are_made_by_month_and_not_twice() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pitbook_make_partitions('2031-05-17'), pitbook_make_partitions('2031-05-01')")
        assert cursor.fetchone() == (3, 0)
        cursor.execute("SELECT relacl::text FROM pg_class WHERE relname = 'tables_wager_203105'")
        assert "pitbook_app" not in (cursor.fetchone()[0] or "")


def test_a_missing_month_is_said_and_nothing_is_kept(house: House) -> None:
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        day = "2035-01-01"
        made = insert_entry(cursor, entry(house, gaming_day=day))
        cursor.execute(
            "INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
            " SELECT %s, %s, 1, min(id), max(id), 'USD', 1 FROM ledger_account",
            [day, made],
        )
    assert "no partition of relation" in str(error.value)
