"""Sealing against everybody who posts: each entry is inside the sealed segment or refused, none in between. Source: spec/books.md, "Posting"."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction

from audit.books_check import check_books
from audit.evidence import KINDS
from casino.errors import CasinoError
from ledger import sealing
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Entry, Leaf, Segment, Transfer
from ledger.services import post_entry, reverse_entry
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import AT, facts_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
POSTERS = 32


def draft(house: House) -> EntryDraft:
    moved = [TransferDraft("cage:chips", "tray:UTH-01", 1)]
    day, shift = house.shift.gaming_day, house.shift.uuid
    return EntryDraft("test", f"test:{uuid4()}", house.property.uuid, "USD", day, house.clock, moved, shift=shift)


def post(house: House) -> int:
    return post_entry(draft(house), by=house.people["PB-1"]).pk


def sealed(house: House) -> Segment:
    with transaction.atomic():
        segment = sealing.prepare(facts_of(house.shift), KINDS, at=AT)
    with transaction.atomic():
        sealing.finish()
    return segment


def entries_in(segment: Segment) -> set[int]:
    return set(Leaf.objects.filter(segment=segment, kind="entry").values_list("row", flat=True))


class Side(threading.Thread):
    """A thread with a connection of its own; `came` is what its work returned, or the code of its refusal."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self.work, self.came = work, None
        self.start()

    def run(self) -> None:
        try:
            self.came = self.work()
        except CasinoError as error:
            self.came = error.code
        finally:
            connections.close_all()


def wait_for_waiting(how_many: int) -> None:
    """Wait until so many sessions of this database wait for an advisory lock."""
    here = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    statement = f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = {here}"
    until = time.monotonic() + 30
    with connection.cursor() as cursor:
        while True:
            cursor.execute(statement)
            if cursor.fetchone()[0] == how_many:
                return
            assert time.monotonic() < until, f"{how_many} were to wait"
            time.sleep(0.01)


def test_sealing_against_thirty_two_posters(house: House) -> None:
    end_night(house)
    posted: list[int] = []
    refused: list[str] = []

    def keep_posting() -> None:
        with suppress(CasinoError):
            for _ in range(10_000):
                try:
                    posted.append(post(house))
                except CasinoError as error:
                    refused.append(error.code)
                    raise

    posters = [Side(keep_posting) for _ in range(POSTERS)]
    until = time.monotonic() + 60
    while len(posted) < 2 * POSTERS and time.monotonic() < until:
        time.sleep(0.01)
    segment = sealed(house)
    for poster in posters:
        poster.join(60)
    assert Counter(refused) == {"period_closed": POSTERS}
    mine = set(Entry.objects.filter(kind="test").values_list("pk", flat=True))
    assert len(posted) >= 2 * POSTERS
    assert mine == set(posted) <= entries_in(segment)
    answer = check_books()
    assert (answer.problems, answer.waiting) == ((), 0)


@pytest.fixture
def slow_poster(house: House) -> Iterator[tuple[Side, threading.Event]]:
    """A transaction that posted in the shift and is not over: it began first, and commits when it is told."""
    posted, commit = threading.Event(), threading.Event()

    def work() -> int:
        with transaction.atomic():
            made = post(house)
            posted.set()
            commit.wait(30)
            return made

    end_night(house)
    side = Side(work)
    assert posted.wait(30)
    yield side, commit
    commit.set()
    side.join(30)


def test_who_began_first_and_commits_last_is_inside_and_who_came_behind_the_sealer_is_refused(
    house: House, slow_poster: tuple[Side, threading.Event]
) -> None:
    first, commit = slow_poster
    sealer = Side(lambda: sealed(house))
    wait_for_waiting(1)
    late = Side(lambda: post(house))
    wait_for_waiting(2)
    assert not Segment.objects.exists()
    commit.set()
    for side in (first, sealer, late):
        side.join(30)
    assert late.came == "period_closed"
    assert first.came in entries_in(Segment.objects.get())
    assert check_books().problems == ()


RAW = """
WITH e AS (
    INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo, late, paytable,
        paytable_sha256, engine_version, transfer_count)
    VALUES (gen_random_uuid(), 'test', 'raw', '', %s, %s, %s, now(), %s, '', false, '', '', '', 1) RETURNING id, gaming_day
)
INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)
SELECT e.gaming_day, e.id, 1, c.id, d.id, 'USD', 1 FROM e, ledger_account c, ledger_account d WHERE c.code = 'cage:chips' AND d.code = 'tray:UTH-01'
"""


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_a_transaction_older_than_the_seal_slips_nothing_in_behind_it_also_without_the_service(house: House, isolation: str) -> None:
    """An older snapshot does not see the seal: only a transaction that looks anew at each statement may post."""
    play(house)
    end_night(house)
    params = connection.get_connection_params()
    keys = {key: params[key] for key in ("host", "port", "dbname", "user", "password") if params.get(key)}
    with psycopg.connect(**keys) as older:
        older.execute(f"SET TRANSACTION ISOLATION LEVEL {isolation}")
        older.execute("SELECT count(*) FROM ledger_entry")
        sealed(house)
        with pytest.raises(psycopg.Error):
            older.execute(RAW, [house.property.uuid, house.shift.uuid, house.shift.gaming_day, house.people["PB-1"].pk])
            older.commit()
        older.rollback()
    assert not Entry.objects.filter(reference="raw").exists()
    assert check_books().problems == ()


def test_two_reversals_at_once_under_two_references_leave_one_and_a_conflict_that_names_it(house: House) -> None:
    """B051: as a void and a correction would; the loser is told which one was first."""
    entry = Entry.objects.get(round=play(house).uuid)
    together = threading.Barrier(8)

    def reverse(number: int) -> object:
        together.wait(30)
        try:
            return reverse_entry(entry, occurred_at=house.clock, reason="twice", by=house.people["PB-1"], reference=f"void:{number}").reference
        except CasinoError as error:
            return error.code, error.facts["reversal"]

    sides = [Side(lambda number=number: reverse(number)) for number in range(8)]
    for side in sides:
        side.join(30)
    won = Entry.objects.get(kind="reversal").reference
    assert Counter(side.came for side in sides) == {won: 1, ("already_reversed", won): 7}
    assert Transfer.objects.filter(entry__kind="reversal").count() == entry.transfer_count


def test_a_seal_and_a_reversal_at_once_are_one_after_the_other(house: House) -> None:
    entry = Entry.objects.get(round=play(house).uuid)
    end_night(house)
    together = threading.Barrier(2)

    def reverse() -> object:
        together.wait(30)
        return reverse_entry(entry, occurred_at=house.clock, reason="late", by=house.people["PB-1"]).pk

    side = Side(reverse)
    together.wait(30)
    segment = sealed(house)
    side.join(30)
    assert side.came == "period_closed" or side.came in entries_in(segment)
    assert Entry.objects.filter(kind="reversal").count() == (side.came != "period_closed")
    assert check_books().problems == ()


def test_two_sealers_at_once_sign_one_segment(house: House) -> None:
    play(house)
    end_night(house)
    together = threading.Barrier(4)

    def seal_now() -> object:
        together.wait(30)
        return sealed(house).pk

    sides = [Side(seal_now) for _ in range(4)]
    for side in sides:
        side.join(60)
    assert {side.came for side in sides} == {Segment.objects.get().pk}
    assert check_books().problems == ()


def test_the_database_refuses_a_segment_of_another_number_at_once(house: House) -> None:
    end_night(house)
    sealed(house)
    with pytest.raises(DatabaseError), transaction.atomic():
        Segment.objects.create(number=2, property=house.property.uuid, shift=house.shift.uuid, gaming_day=house.shift.gaming_day, leaf_count=1)
