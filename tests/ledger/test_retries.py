"""What the database breaks off, a deadlock or a serialization failure, is tried again whole; what always fails is a 503, and nothing is kept.

Source: spec/books.md, "Posting".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import connections
from rest_framework.test import APIClient

from casino.transactions import MOST_TRIES
from ledger.models import Account, Entry, Transfer
from tables.models import ChipSlip, Round, Wager
from tables.services.chip_slips import request_fill
from tables.slips import CountSlip
from tests.builders import House, slip
from tests.ledger.test_races import with_floor

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
LIMITED = ("patrons:chips", "tray:UTH-01")
FAILS = """
CREATE FUNCTION test_fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'always' USING ERRCODE = '{state}'; END $$;
CREATE TRIGGER test_fails AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION test_fails();
"""


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds that services wait before they try again: as many as tries that failed."""
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr("casino.transactions.time", SimpleNamespace(sleep=sleep))
    return waited


@pytest.fixture(autouse=True)
def _tonight(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)


def post(house: House, raw: dict[str, Any]) -> Any:
    api = APIClient(raise_request_exception=False)
    api.force_authenticate(house.people["PB-1"])
    return api.post("/api/v1/rounds", raw, format="json")


@contextmanager
def beside(work: Callable[[], Any]) -> Iterator[list[Any]]:
    """Do it in another thread, and give the list that what comes of it will be in: when the context begins, it waits for a row of ours."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(work())
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.start()
    until = time.monotonic() + 30
    while not in_sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"):
        assert time.monotonic() < until
        time.sleep(0.01)
    yield came
    thread.join(60)


def in_sql(statement: str) -> Any:
    """Return the first figure of a statement of the owner's, None where it gives no rows."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def another_session() -> psycopg.Connection:
    """Return a connection of somebody else's, in a transaction."""
    params = connections["owner"].get_connection_params()
    return psycopg.connect(**{key: params[key] for key in ("host", "port", "dbname", "user", "password") if params.get(key)})


def kept() -> tuple[int, int, int, int]:
    entries = Entry.objects.filter(kind="round")
    return Round.objects.count(), Wager.objects.count(), entries.count(), Transfer.objects.filter(entry__in=entries).count()


def limited() -> list[int]:
    """Put floors under the accounts of a round, so that it locks their rows; return their keys in the order of its locks."""
    with_floor(-(10**9), *LIMITED)
    return sorted(Account.objects.filter(code__in=LIMITED).values_list("pk", flat=True))


def test_a_real_deadlock_is_tried_again_and_recorded_once(house: House, pauses: list[float]) -> None:
    """Another session locks the two accounts in the other order. The round waited first, so PostgreSQL breaks it off, with 40P01."""
    lower, upper = limited()
    raw = slip(house)
    with another_session() as other:
        other.execute("SELECT 1 FROM ledger_account WHERE id = %s FOR UPDATE", [upper])
        with beside(lambda: post(house, raw)) as came:
            other.execute("SELECT 1 FROM ledger_account WHERE id = %s FOR UPDATE", [lower])
            assert kept() == (0, 0, 0, 0)
            other.rollback()
    assert came[0].status_code == 201
    assert len(pauses) == 1
    assert kept() == (1, 6, 1, 2)
    assert post(house, raw).status_code == 200


def test_a_real_serialization_failure_is_tried_again_and_takes_one_number(house: House, pauses: list[float]) -> None:
    """In a database whose transactions are serializable another session writes the counter that a request for a fill waits for: 40001.

    A fill, not a round: entries are posted under READ COMMITTED alone, which has next to no such failure.
    """
    session, staff = house.sessions["UTH-01"], house.people
    count = CountSlip({100_00: 1})

    def request() -> ChipSlip:
        return request_fill(session, count, at=house.clock, by=staff["PB-1"], uuid=uuid4())

    first = request()
    name = connections["default"].settings_dict["NAME"]
    in_sql(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    with another_session() as other:
        other.execute("UPDATE tables_slipcounter SET last = last WHERE kind = 'fill'")
        with beside(request) as came:
            other.commit()
    assert came[0].number == first.number + 1
    assert len(pauses) == 1
    assert ChipSlip.objects.count() == 2


@pytest.mark.parametrize("state", ["40001", "40P01", "55P03"])
@pytest.mark.parametrize("table", ["tables_round", "ledger_transfer"])
def test_what_always_fails_is_a_503_after_a_few_tries_and_nothing_is_kept(house: House, pauses: list[float], state: str, table: str) -> None:
    """Bounded, with jitter, told as busy and never as anything about money; the same slip is recorded when it can be."""
    raw = slip(house)
    in_sql(FAILS.format(state=state, table=table))
    answer = post(house, raw)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
    assert int(answer["Retry-After"]) >= 1
    assert len(pauses) == len(set(pauses)) == MOST_TRIES
    assert all(0 <= pause <= 0.01 * 2**tried for tried, pause in enumerate(pauses))
    assert kept() == (0, 0, 0, 0)
    in_sql(f"DROP TRIGGER test_fails ON {table}")
    assert [post(house, raw).status_code for _ in range(2)] == [201, 200]
    assert kept() == (1, 6, 1, 2)


def test_what_another_try_would_not_mend_is_not_tried_again(house: House, pauses: list[float]) -> None:
    in_sql(FAILS.format(state="57014", table="tables_round"))
    answer = post(house, slip(house))
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database_away")
    assert pauses == []
    assert kept() == (0, 0, 0, 0)
