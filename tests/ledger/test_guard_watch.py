"""B165: every guard that is missing, off, changed or weakened is named by `check --deploy`, whoever did it and however."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import CommandError, call_command
from django.db import connection, connections

from casino.append_only import make_partitions
from ledger.guards import problems
from ledger.guards_checks import checks_in, of_models
from ledger.guards_declared import declared, statements
from ledger.guards_seen import look
from tests.backups import back_up, put_back
from tests.builders import House, play

WATCHED = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def as_owner(*done: str) -> None:
    with connections["owner"].cursor() as cursor:
        for statement in done:
            cursor.execute(statement)


def named(using: str = "default") -> set[tuple[str, str]]:
    return {(problem.code, problem.where) for problem in problems(using)}


@pytest.mark.django_db
def test_every_guard_stands_in_a_fresh_house() -> None:
    assert problems() == []


@pytest.mark.django_db
def test_what_is_declared_is_read_from_the_migrations_themselves() -> None:
    asked = declared()
    assert {"ledger_entry", "tables_round", "tables_wager", "casino_jobevent", "audit_finding"} <= asked.append_only
    assert {("ledger_entry", "ledger_entry_counts"), ("tables_wager", "tables_wager_guard")} <= set(asked.triggers)
    assert asked.rights("ledger_entry") == {"SELECT", "INSERT"}
    assert asked.rights("casino_partitionedtable") == {"SELECT"}
    assert asked.functions["pitbook_make_partitions"].definer
    assert "tables_edgelimit_two_people" in asked.constraints


def test_statements_end_at_their_own_semicolons() -> None:
    text = "-- a; note\nCREATE FUNCTION f() AS $x$ a; 'b' $x$; SELECT ';';\nSELECT 2"
    assert list(statements(text)) == ["CREATE FUNCTION f() AS $x$ a; 'b' $x$", "SELECT ';'", "SELECT 2"]


def test_checks_are_read_to_their_own_bracket() -> None:
    text = "ALTER TABLE a ADD CONSTRAINT b CHECK (x IN (1, 2) AND y <> ')'), ADD CONSTRAINT c CHECK (z > 0)"
    assert list(checks_in(text)) == [("a", "b", "CHECK (x IN (1, 2) AND y <> ')')"), ("a", "c", "CHECK (z > 0)")]


@pytest.mark.django_db
def test_every_check_of_a_fresh_house_is_compared() -> None:
    """What the catalogue holds beyond what was asked for are Django's own of whole numbers from zero, and unnamed ones of two tables."""
    asked = declared().checks.keys() | of_models("default").keys()
    here = {key for key in look(connection).checks if "_20" not in key[0]}
    assert len(asked) > 60
    assert asked <= here
    assert all(name.endswith("_check") for _, name in here - asked), here - asked


BODY = "BEGIN RETURN NEW; END"
WEAKENED = {
    "a trigger dropped": (
        ["DROP TRIGGER ledger_entry_append_only ON ledger_entry"],
        {("missing", "ledger_entry.ledger_entry_append_only")},
    ),
    "a deferred trigger dropped": (
        ["DROP TRIGGER ledger_entry_counts ON ledger_entry"],
        {("missing", "ledger_entry.ledger_entry_counts")},
    ),
    "a trigger disabled": (
        ["ALTER TABLE tables_round DISABLE TRIGGER tables_round_append_only"],
        {("off", "tables_round.tables_round_append_only")},
    ),
    "a trigger that fires only outside replication": (
        ["ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_guard"],
        {("off", "ledger_entry.ledger_entry_guard")},
    ),
    "a function's body replaced": (
        [
            "CREATE OR REPLACE FUNCTION ledger_entry_guard() RETURNS trigger LANGUAGE plpgsql VOLATILE"
            f" SET search_path = public, pg_temp AS $$ {BODY} $$"
        ],
        {("stale", "ledger_entry_guard()")},
    ),
    "a guard on another search path": (
        ["ALTER FUNCTION pitbook_refuse() RESET search_path"],
        {("stale", "pitbook_refuse()")},
    ),
    "a guard that sees an old snapshot": (
        ["ALTER FUNCTION ledger_entry_guard() STABLE"],
        {("stale", "ledger_entry_guard()")},
    ),
    "a trigger made anew for fewer events": (
        [
            "DROP TRIGGER ledger_leaf_append_only ON ledger_leaf",
            "CREATE TRIGGER ledger_leaf_append_only BEFORE DELETE ON ledger_leaf FOR EACH ROW EXECUTE FUNCTION pitbook_refuse()",
            "ALTER TABLE ledger_leaf ENABLE ALWAYS TRIGGER ledger_leaf_append_only",
        ],
        {("stale", "ledger_leaf.ledger_leaf_append_only"), ("stale", "ledger_leaf_202603.ledger_leaf_append_only")},
    ),
    "a trigger that lets rows vanish": (
        [
            f"CREATE FUNCTION public.gone() RETURNS trigger LANGUAGE plpgsql AS $$ {BODY} $$",
            "CREATE TRIGGER a_gone BEFORE INSERT ON audit_finding FOR EACH ROW EXECUTE FUNCTION gone()",
        ],
        {("unknown", "audit_finding.a_gone")},
    ),
    "a rule": (
        ["CREATE RULE quiet AS ON INSERT TO audit_finding DO INSTEAD NOTHING"],
        {("unknown", "audit_finding.quiet")},
    ),
    "row security": (
        ["ALTER TABLE tables_round ENABLE ROW LEVEL SECURITY"],
        {("unknown", "tables_round")},
    ),
    "UPDATE granted on a partition": (
        ["GRANT UPDATE ON tables_wager_202603 TO pitbook_app"],
        {("granted", "tables_wager_202603")},
    ),
    "INSERT granted on a partition": (
        ["GRANT INSERT ON ledger_transfer_202603 TO pitbook_app"],
        {("granted", "ledger_transfer_202603")},
    ),
    "a partition without its guard": (
        ["DROP TRIGGER ledger_transfer_202603_no_truncate ON ledger_transfer_202603"],
        {("missing", "ledger_transfer_202603.ledger_transfer_202603_no_truncate")},
    ),
    "a partition's row trigger off": (
        ["ALTER TABLE tables_wager_202603 DISABLE TRIGGER tables_wager_append_only"],
        {("off", "tables_wager_202603.tables_wager_append_only")},
    ),
    "UPDATE granted": (
        ["GRANT UPDATE, DELETE ON ledger_entry TO pitbook_app"],
        {("granted", "ledger_entry")},
    ),
    "UPDATE of a column granted": (
        ["GRANT UPDATE (memo) ON ledger_entry TO pitbook_app"],
        {("granted", "ledger_entry")},
    ),
    "another column of an account granted": (
        ["GRANT UPDATE (floor) ON ledger_account TO pitbook_app"],
        {("granted", "ledger_account")},
    ),
    "TRUNCATE granted to everybody": (
        ["GRANT TRUNCATE ON casino_job TO PUBLIC"],
        {("granted", "casino_job")},
    ),
    "REFERENCES and TRIGGER granted": (
        ["GRANT REFERENCES, TRIGGER ON tables_round TO pitbook_app"],
        {("granted", "tables_round")},
    ),
    "default privileges widened": (
        ["ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT TRUNCATE ON TABLES TO pitbook_app"],
        {("granted", "default privileges")},
    ),
    "functions open to everybody from now on": (
        ["ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC"],
        {("granted", "default privileges")},
    ),
    "everybody may run what runs as the owner": (
        ["GRANT EXECUTE ON FUNCTION pitbook_make_partitions(date) TO PUBLIC"],
        {("granted", "pitbook_make_partitions()")},
    ),
    "a door of the owner's that nobody declared": (
        ["CREATE FUNCTION public.door() RETURNS void LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM ledger_entry'"],
        {("unknown", "door()"), ("stale", "door()")},
    ),
    "the application may make things": (
        ["GRANT CREATE ON SCHEMA public TO pitbook_app"],
        {("role", "pitbook_app")},
    ),
    "a constraint dropped": (
        ["ALTER TABLE tables_edgelimit DROP CONSTRAINT tables_edgelimit_two_people"],
        {("missing", "tables_edgelimit_two_people")},
    ),
    "a constraint that old rows need not meet": (
        [
            "ALTER TABLE tables_edgelimit DROP CONSTRAINT tables_edgelimit_two_people",
            "ALTER TABLE tables_edgelimit ADD CONSTRAINT tables_edgelimit_two_people CHECK (proposed_by_id <> approved_by_id) NOT VALID",
        ],
        {("off", "tables_edgelimit.tables_edgelimit_two_people")},
    ),
    "a constraint of a model made anew that lets everything through": (
        [
            "ALTER TABLE tables_edgelimit DROP CONSTRAINT tables_edgelimit_two_people",
            "ALTER TABLE tables_edgelimit ADD CONSTRAINT tables_edgelimit_two_people CHECK (proposed_by_id IS NOT NULL)",
        ],
        {("stale", "tables_edgelimit.tables_edgelimit_two_people")},
    ),
    "a constraint of a migration's own SQL made anew that lets more through": (
        [
            "ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_moves_something",
            "ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_moves_something CHECK (amount >= 0 AND amount < 1000000000000000)",
        ],
        {
            ("stale", "ledger_transfer.ledger_transfer_moves_something"),
            ("stale", "ledger_transfer_202603.ledger_transfer_moves_something"),
        },
    ),
    "a unique constraint dropped": (
        ["ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_reference_key"],
        {("missing", "ledger_entry.reference")},
    ),
    "a foreign key dropped": (
        [
            "DO $$ DECLARE named text; BEGIN SELECT conname INTO named FROM pg_constraint WHERE conrelid = 'audit_findingevent'::regclass"
            " AND contype = 'f' AND conname LIKE '%finding_id%';"
            " EXECUTE format('ALTER TABLE audit_findingevent DROP CONSTRAINT %I', named); END $$"
        ],
        {("missing", "audit_findingevent.finding_id")},
    ),
    "a unique constraint made anew that keeps nothing": (
        [
            "ALTER TABLE audit_signature DROP CONSTRAINT audit_signature_two_people",
            "ALTER TABLE audit_signature ADD CONSTRAINT audit_signature_two_people UNIQUE (reconciliation_id, by_id, id)",
        ],
        {("stale", "audit_signature.audit_signature_two_people")},
    ),
    "an index under the name of a unique constraint": (
        [
            "ALTER TABLE audit_signature DROP CONSTRAINT audit_signature_two_people",
            "CREATE INDEX audit_signature_two_people ON audit_signature (reconciliation_id, by_id)",
        ],
        {("stale", "audit_signature.audit_signature_two_people")},
    ),
    "a unique constraint that waits for the commit": (
        [
            "ALTER TABLE audit_signature DROP CONSTRAINT audit_signature_two_people",
            "ALTER TABLE audit_signature ADD CONSTRAINT audit_signature_two_people UNIQUE (reconciliation_id, by_id) DEFERRABLE",
        ],
        {("stale", "audit_signature.audit_signature_two_people")},
    ),
    "a unique index made anew for fewer rows": (
        [
            "DROP INDEX audit_signature_final_once",
            "CREATE UNIQUE INDEX audit_signature_final_once ON audit_signature (shift_uuid) WHERE is_final AND role = 'auditor'",
        ],
        {("stale", "audit_signature.audit_signature_final_once")},
    ),
    "a unique constraint of a migration's own SQL made anew with a column more": (
        [
            "ALTER TABLE tables_wager DROP CONSTRAINT tables_wager_once",
            "ALTER TABLE tables_wager ADD CONSTRAINT tables_wager_once UNIQUE (round_id, seat, kind, gaming_day, id)",
        ],
        {("stale", "tables_wager.tables_wager_once")},
    ),
    "a foreign key of two columns made anew of others": (
        [
            "ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_credit_currency",
            "ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_credit_currency"
            " FOREIGN KEY (debit_account_id, currency) REFERENCES ledger_account (id, currency)",
        ],
        {("stale", "ledger_transfer.ledger_transfer_credit_currency")},
    ),
    "a foreign key that refers to another table": (
        [
            "DO $$ DECLARE named text; BEGIN SELECT conname INTO named FROM pg_constraint WHERE conrelid = 'audit_findingevent'::regclass"
            " AND contype = 'f' AND conname LIKE '%finding_id%';"
            " EXECUTE format('ALTER TABLE audit_findingevent DROP CONSTRAINT %I', named);"
            " EXECUTE format('ALTER TABLE audit_findingevent ADD CONSTRAINT %I FOREIGN KEY (finding_id) REFERENCES casino_user (id)', named); END $$"
        ],
        {("missing", "audit_findingevent.finding_id")},
    ),
    "a foreign key that deletes along": (
        [
            "DO $$ DECLARE named text; BEGIN SELECT conname INTO named FROM pg_constraint WHERE conrelid = 'audit_findingevent'::regclass"
            " AND contype = 'f' AND conname LIKE '%finding_id%';"
            " EXECUTE format('ALTER TABLE audit_findingevent DROP CONSTRAINT %I', named);"
            " EXECUTE format('ALTER TABLE audit_findingevent ADD CONSTRAINT %I FOREIGN KEY (finding_id)"
            " REFERENCES audit_finding (id) ON DELETE CASCADE', named); END $$"
        ],
        {("missing", "audit_findingevent.finding_id")},
    ),
    "a table off the list of partitions": (
        ["DELETE FROM casino_partitionedtable WHERE name = 'ledger_leaf'"],
        {("missing", "ledger_leaf")},
    ),
}


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize("what", WEAKENED)
def test_what_the_owner_weakened_is_named(what: str) -> None:
    done, expected = WEAKENED[what]
    as_owner(*done)
    found = named("owner")
    assert found >= expected
    others = {where for _, where in found} - {where for _, where in expected}
    assert all("_20" in where and "made anew" in what for where in others), others


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_column_that_was_added_leaves_the_guards_where_they_were() -> None:
    as_owner("ALTER TABLE tables_round ADD COLUMN mood text")
    assert problems("owner") == []


@WATCHED
def test_the_check_fails_a_deployment_and_says_where() -> None:
    as_owner("ALTER TABLE tables_round DISABLE TRIGGER tables_round_append_only")
    [found] = [error for error in run_checks(tags=[Tags.database], include_deployment_checks=True) if error.id == "pitbook.E002"]
    assert found.msg == "tables_round.tables_round_append_only: the trigger is switched off"
    with pytest.raises(CommandError, match="tables_round_append_only"):
        call_command("check", deploy=True, tags=[Tags.database])


@WATCHED
def test_a_month_that_was_not_made_ahead_fails_a_deployment_and_is_named() -> None:
    def late() -> list[str]:
        return [error.msg for error in run_checks(tags=[Tags.database], include_deployment_checks=True) if error.id == "pitbook.E010"]

    make_partitions("default", range(3))
    assert late() == []
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT to_char(current_date + interval '2 months', 'YYYYMM')")
        [(month,)] = cursor.fetchall()
    as_owner(f"DROP TABLE tables_wager_{month}", f"DROP TABLE ledger_leaf_{month}")
    assert late() == [f"{table}_{month}: the month's partition is not made" for table in ("ledger_leaf", "tables_wager")]
    with pytest.raises(CommandError, match=f"ledger_leaf_{month}"):
        call_command("check", deploy=True, tags=[Tags.database])


@pytest.fixture
def restored(house: House, tmp_path: Path) -> Iterator[None]:
    """Point both log-ins at a database restored from a dump of the test's own, by the owner."""
    play(house)
    with put_back(back_up(tmp_path / "dump")):
        yield


@WATCHED
def test_a_house_restored_from_a_dump_has_every_guard(restored: None) -> None:
    assert [str(problem) for problem in problems()] == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) > 0 FROM ledger_transfer")
        assert cursor.fetchone() == (True,)


@WATCHED
def test_a_restored_house_that_lost_a_guard_says_so(restored: None) -> None:
    as_owner("DROP TRIGGER tables_wager_append_only ON tables_wager")
    assert ("missing", "tables_wager.tables_wager_append_only") in named()
