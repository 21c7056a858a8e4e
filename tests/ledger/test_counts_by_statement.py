"""Entries and rounds have what they say, however they come: in one statement, in several, by COPY, a thousand at once, or after they were counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, connections, transaction

from ledger.models import Entry, Transfer
from tables.models import Round, Wager
from tables.services.bulk_rounds import import_rounds
from tests.builders import House, play, slip
from tests.ledger.test_guards import entry, insert_entry, insert_transfer

pytestmark = pytest.mark.django_db

_ROUND = (
    "session_id, number, label, game, gaming_day, occurred_at, recorded_by_id, dealer_id, paytable_id, engine_version, deal, cards, settlement,"
    " fingerprint, irregular, late, wager_count, handle, collect, pay, rake, collected, paid"
)
_WAGER = (
    'gaming_day, seat, kind, patron, stake, collect, pay, "row", breakage, uncapped, collected, paid, mispaid, first_collected, first_paid, note,'
    " fund, for_dealer"
)


def check() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def waiting() -> tuple[int, int]:
    """Return how many statements left entries and rounds to be counted at commit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (SELECT count(*) FROM ledger_entrycount), (SELECT count(*) FROM tables_roundcount)")
        return cursor.fetchone()


def again(played: Round, **changes: str) -> int:
    """Insert a copy of `played` without wagers, `changes` being SQL by column, and return its key."""
    values = [changes.get(column, column) for column in _ROUND.split(", ")]
    values[1] = changes.get("number", "(SELECT max(number) + 1 FROM tables_round)")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_round (uuid, {_ROUND}) SELECT gen_random_uuid(), {', '.join(values)} FROM tables_round WHERE id = %s RETURNING id",
            [played.pk],
        )
        return int(cursor.fetchone()[0])


def its_wagers(played: Round, key: int, *, lines: Sequence[int] = (), but: str = "true", **changes: str) -> None:
    """Insert copies of the wagers of `played` for the round of `key`: those of `lines` (all without), `changes` being SQL by column."""
    values = ", ".join(changes.get(column, column) for column in _WAGER.split(", "))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tables_wager (round_id, line, {_WAGER}) SELECT %s, {changes.get('line', 'line')}, {values}"
            f" FROM tables_wager WHERE round_id = %s AND {but} AND (%s = '{{}}' OR line = ANY(%s))",
            [key, played.pk, list(lines), list(lines)],
        )


def test_what_comes_in_one_statement_is_counted_at_its_end(house: House) -> None:
    play(house)
    assert waiting() == (0, 0)


def test_what_comes_in_several_is_counted_before_the_end(house: House) -> None:
    played = play(house)
    key = again(played)
    assert waiting() == (0, 1)
    its_wagers(played, key)
    check()
    assert Wager.objects.filter(round=key).count() == played.wager_count


def test_an_import_waits_once_a_block(house: House) -> None:
    lines = [json.dumps(slip(house)).encode() for _ in range(5)]
    assert import_rounds(lines, by=house.people["PB-1"], at=house.clock, name="x").added == 5
    assert waiting() == (1, 1)


@pytest.mark.parametrize(
    ("round_says", "wagers"),
    [
        ({}, {"lines": [1]}),
        ({}, {"but": "line > 1"}),
        ({"wager_count": "wager_count - 1", "handle": "handle - (SELECT stake FROM tables_wager WHERE round_id = tables_round.id AND line = 1)"}, {}),
        ({"handle": "handle + 1"}, {}),
        ({"collect": "collect + 1"}, {}),
        ({"pay": "pay + 1"}, {}),
        ({"collected": "collected + 1"}, {}),
        ({"paid": "paid + 1"}, {}),
        ({}, {"fund": "'promo'"}),
        ({}, {"collect": "NULL", "pay": "NULL"}),
    ],
)
def test_a_round_with_other_wagers_than_it_says_is_refused(house: House, round_says: dict[str, str], wagers: dict[str, Any]) -> None:
    played = play(house)
    with pytest.raises(IntegrityError, match="does not have the wagers"), transaction.atomic():
        its_wagers(played, again(played, **round_says), **wagers)
        check()


def test_one_wrong_round_among_many_is_found(house: House) -> None:
    played = play(house)
    for wrong in (0, 4, 9, None):
        with transaction.atomic():
            keys = [again(played) for _ in range(10)]
            for place, key in enumerate(keys):
                its_wagers(played, key, but="line > 1" if place == wrong else "true")
            if wrong is None:
                check()
            else:
                with pytest.raises(IntegrityError, match="does not have the wagers"), transaction.atomic():
                    check()
                transaction.set_rollback(True)


def test_one_wrong_entry_among_many_in_a_statement_is_found(house: House) -> None:
    old = Entry.objects.get(round=play(house).uuid)
    statement = """
        WITH e AS (
            INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo, late,
                paytable, paytable_sha256, engine_version, transfer_count)
            SELECT gen_random_uuid(), kind, 'many:' || n, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo, late,
                paytable, paytable_sha256, engine_version, transfer_count
            FROM ledger_entry CROSS JOIN generate_series(1, 50) n WHERE id = %(old)s RETURNING id, reference
        )
        INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
        SELECT t.gaming_day, e.id, t.line, t.credit_account_id, t.debit_account_id, t.currency, t.amount FROM e, ledger_transfer t
        WHERE t.entry_id = %(old)s AND NOT (e.reference = %(wrong)s AND t.line = 1)
    """
    with pytest.raises(IntegrityError, match="does not have the transfers"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, {"old": old.pk, "wrong": "many:17"})
        check()
    with connection.cursor() as cursor:
        cursor.execute(statement, {"old": old.pk, "wrong": ""})
    check()
    assert (waiting(), Transfer.objects.count() >= 50 * old.transfer_count) == ((0, 0), True)


def test_nothing_is_added_to_what_was_counted_already(house: House) -> None:
    """The check that is deferred may be asked for early; what comes after it would not be counted again, and is refused by its line."""
    with pytest.raises(IntegrityError, match="does not have the transfers"), transaction.atomic(), connection.cursor() as cursor:
        made = insert_entry(cursor, entry(house))
        insert_transfer(cursor, house, made)
        check()
        insert_transfer(cursor, house, made, line=2)
    played = play(house)
    for line, said in (("line", "line_gaming_day_key"), ("line + 20", "does not have the wagers")):
        with pytest.raises(IntegrityError, match=said), transaction.atomic():
            key = again(played)
            its_wagers(played, key)
            check()
            its_wagers(played, key, lines=[1], line=line, seat="7", kind="'ante'")


def test_who_asks_for_the_check_first_is_refused_at_once(house: House) -> None:
    with pytest.raises(IntegrityError, match="does not have the transfers"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        insert_entry(cursor, entry(house))


def test_a_copy_without_its_wagers_is_refused(house: House) -> None:
    played = play(house)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_ROUND} FROM tables_round WHERE id = %s", [played.pk])
        values = dict(zip(_ROUND.split(", "), cursor.fetchone(), strict=True))
    with pytest.raises(IntegrityError, match="does not have the wagers"), transaction.atomic(), connection.cursor() as cursor:
        with connection.wrap_database_errors, cursor.copy(f"COPY tables_round (uuid, {_ROUND}) FROM STDIN") as copy:
            copy.write_row([uuid4(), *{**values, "number": 900}.values()])
        check()


@pytest.mark.parametrize("table", ["ledger_entrycount", "tables_roundcount"])
def test_what_is_to_be_counted_is_not_forgotten_by_a_savepoint_or_a_table_of_the_same_name(house: House, table: str) -> None:
    """Taking the row back takes back what it was left for; pg_temp comes last in the guards' search path."""
    old = played = play(house)
    with pytest.raises(IntegrityError, match="does not have"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE {table} (low bigint, high bigint, first date, last date)")
        again(old)
        insert_entry(cursor, entry(house))
        check()
    before = Round.objects.count()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SAVEPOINT early")
        again(played)
        cursor.execute("ROLLBACK TO SAVEPOINT early")
        check()
    assert (Round.objects.count(), waiting()) == (before, (0, 0))


_MISPLACED = [("round_id", "0"), ("round_id", "{key} + 1000"), ("gaming_day", "gaming_day + 1"), ("gaming_day", "gaming_day - 1")]


@pytest.mark.parametrize(("column", "other"), _MISPLACED)
@pytest.mark.parametrize("line", ["1", "5"])
def test_a_wager_without_its_round_is_refused_among_others(house: House, column: str, other: str, line: str) -> None:
    """B045, B047: no foreign key says so any more; the guard of the statement does, at its end."""
    played = play(house)
    with pytest.raises(IntegrityError, match="tables_wager_round") as refused, transaction.atomic():
        key = again(played)
        wrong = f"CASE line WHEN {line} THEN {other.format(key=key)} ELSE {{}} END"
        with connection.cursor() as cursor:
            day = wrong.format("gaming_day") if column == "gaming_day" else "gaming_day"
            round_id = wrong.format(key) if column == "round_id" else str(key)
            columns = _WAGER.removeprefix("gaming_day, ")
            cursor.execute(
                f"INSERT INTO tables_wager (round_id, line, gaming_day, {columns}) SELECT {round_id}, line, {day}, {columns}"
                " FROM tables_wager WHERE round_id = %s",
                [played.pk],
            )
    assert refused.value.__cause__.diag.constraint_name == "tables_wager_round"


@pytest.mark.parametrize(("entry_id", "day"), [("0", "0"), ("{made} + 1000", "0"), ("{made}", "1"), ("{made}", "-1")])
def test_a_transfer_without_its_entry_is_refused_among_others(house: House, entry_id: str, day: str) -> None:
    with pytest.raises(IntegrityError, match="ledger_transfer_entry") as refused, transaction.atomic(), connection.cursor() as cursor:
        made = insert_entry(cursor, entry(house))
        cursor.execute(
            "INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
            " SELECT e.gaming_day + n.day, n.entry, 1, a.credit, a.debit, 'USD', 5"
            f" FROM (VALUES (%(made)s, 0), ({entry_id.format(made=made)}, {day})) n (entry, day), ledger_entry e,"
            " (SELECT min(id) AS credit, max(id) AS debit FROM ledger_account) a WHERE e.id = %(made)s",
            {"made": made},
        )
    assert refused.value.__cause__.diag.constraint_name == "ledger_transfer_entry"


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_no_foreign_key_holds_stays_by_itself(house: House) -> None:
    """A foreign key would keep a round with wagers from going; nobody can take one away, its owner neither."""
    played = play(house)
    owner = connections["owner"]
    for statement in (
        "DELETE FROM tables_round",
        "UPDATE tables_round SET id = id + 1000",
        "UPDATE tables_round SET gaming_day = gaming_day + 1",
        "TRUNCATE tables_round CASCADE",
        "DELETE FROM ledger_entry",
        "UPDATE ledger_entry SET id = id + 1000",
        "TRUNCATE ledger_entry CASCADE",
    ):
        with pytest.raises(IntegrityError, match="is refused"), transaction.atomic(using="owner"), owner.cursor() as cursor:
            cursor.execute(statement)
    assert Round.objects.get().pk == played.pk
