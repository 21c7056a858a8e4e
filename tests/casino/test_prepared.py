"""Statements of every round: prepared once a connection, in Django's transaction, with its errors; also where nothing may be prepared."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext

from casino.prepared import ask

pytestmark = pytest.mark.django_db(transaction=True)
STATEMENT = "SELECT $1::bigint + 1, $2::text, $3::timestamptz, $4::boolean, $5::uuid, $6::bytea, $7::text"
MOMENT = datetime(2026, 3, 14, 21, 14, 5, 123456, tzinfo=UTC)
WORDS = "“he said” \\ ' %s $1"


def asked(number: int) -> None:
    row = ask(STATEMENT, [number, WORDS, MOMENT, True, UUID(int=7), b"\x00\xff", None])
    assert row == (number + 1, WORDS, MOMENT, True, UUID(int=7), b"\x00\xff", None)


def prepared() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement = %s", [STATEMENT])
        return int(cursor.fetchone()[0])


@pytest.fixture
def unprepared() -> Iterator[None]:
    """Have the connection prepare nothing, as PITBOOK_PREPARE=0 does."""
    connection.ensure_connection()
    before, connection.connection.prepare_threshold = connection.connection.prepare_threshold, None
    yield
    connection.connection.prepare_threshold = before


def test_a_statement_is_prepared_once_whatever_the_size_of_its_numbers() -> None:
    for number in (1, 40_000, 3_000_000_000, 10**15):
        asked(number)
    assert prepared() == 1


def test_it_goes_on_after_a_refusal_a_rollback_and_a_new_connection() -> None:
    asked(1)
    with pytest.raises(DataError), transaction.atomic():
        ask(STATEMENT, ["no number", "", MOMENT, False, UUID(int=1), b"", None])
    asked(2)
    with transaction.atomic():
        asked(3)
        transaction.set_rollback(True)
    asked(4)
    connection.close()
    asked(5)
    assert prepared() == 1


def test_it_is_counted_with_the_other_queries() -> None:
    with CaptureQueriesContext(connection) as queries:
        asked(1)
    assert len(queries) == 1


def test_nothing_is_prepared_where_a_pooler_keeps_none(unprepared: None) -> None:
    for number in (1, 40_000):
        asked(number)
    assert prepared() == 0
