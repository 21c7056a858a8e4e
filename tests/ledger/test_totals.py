"""Balances by kept totals: the same figures whatever is closed, right with late transactions, and nothing enters a closed book."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, connections, transaction

from casino.errors import Conflict
from ledger.drafts import EntryDraft, TransferDraft
from ledger.guards import problems
from ledger.holdings import Turnover, turnover
from ledger.models import Account, Book, BookClosing, BookTotal, Transfer
from ledger.selectors import balances
from ledger.services import lock_shift, post_entry
from ledger.totals import WrongTotal, keep_day_totals, keep_totals, wrong_totals
from tests.builders import DAY, House, play

pytestmark = pytest.mark.django_db


def draft(house: House, amount: int, *, shift: UUID | None = None, day: int = 0, **more: str) -> EntryDraft:
    return EntryDraft(
        kind="test",
        reference=f"test:{uuid4()}",
        property=house.property.uuid,
        currency="USD",
        gaming_day=DAY + timedelta(days=day),
        occurred_at=house.clock,
        transfers=[TransferDraft(more.get("credit", "cage:chips"), more.get("debit", "tray:UTH-01"), amount)],
        shift=shift,
    )


def added_up() -> dict[str, int]:
    """Return every balance, added up from all transfers, one by one."""
    held = dict.fromkeys(Account.objects.values_list("code", flat=True), 0)
    for debit, credit, amount in Transfer.objects.values_list("debit_account__code", "credit_account__code", "amount"):
        held[debit] += amount
        held[credit] -= amount
    return held


def kept() -> dict[str, int]:
    accounts = list(Account.objects.all())
    held = balances(accounts)
    return {account.code: held[account.pk] for account in accounts}


def test_balances_are_the_same_before_and_after_a_book_is_closed(house: House) -> None:
    play(house)
    play(house, "PAY-01")
    before = added_up()
    assert kept() == before
    assert keep_totals(house.shift.uuid) == 1
    assert kept() == before == added_up()
    assert keep_totals(house.shift.uuid) == 0
    other = uuid4()
    post_entry(draft(house, 700, shift=other, day=1), by=house.people["PB-1"])
    post_entry(draft(house, 50, day=1), by=house.people["PB-1"])
    assert kept() == added_up() != before
    assert keep_totals(other) == 1
    assert keep_day_totals(house.property.uuid, DAY + timedelta(days=1)) == 1
    assert kept() == added_up()
    assert wrong_totals() == []
    assert list(BookClosing.objects.values_list("sequence", flat=True)) == [1, 2, 3]


def test_balances_to_any_day_and_between_two_use_the_totals_and_what_is_open(house: House) -> None:
    by = house.people["PB-1"]
    tray = Account.objects.get(code="tray:UTH-01")
    start = balances([tray])[tray.pk]
    shifts = [uuid4() for _ in range(4)]
    for day, shift in enumerate(shifts, start=1):
        post_entry(draft(house, 10**day, shift=shift, day=day), by=by)
    for shift in (shifts[2], shifts[0]):  # not in the order of their days
        keep_totals(shift)
    assert [balances([tray], until=DAY + timedelta(days=day))[tray.pk] - start for day in range(5)] == [0, 10, 110, 1110, 11110]
    assert turnover([tray.pk], first=DAY + timedelta(days=2), last=DAY + timedelta(days=3)) == {tray.pk: Turnover(1100, 0)}
    assert balances([tray])[tray.pk] == start + 11110


def test_a_closed_book_takes_no_entry(house: House) -> None:
    by = house.people["PB-1"]
    play(house)
    keep_totals(house.shift.uuid)
    before = added_up()
    with pytest.raises(Conflict) as closed:
        post_entry(draft(house, 1, shift=house.shift.uuid), by=by)
    assert closed.value.code == "period_closed"
    post_entry(draft(house, 5, day=3), by=by)
    keep_day_totals(house.property.uuid, DAY + timedelta(days=3))
    with pytest.raises(Conflict) as day:
        post_entry(draft(house, 1, day=3), by=by)
    assert day.value.code == "period_closed"
    assert added_up() == {**before, "cage:chips": before["cage:chips"] - 5, "tray:UTH-01": before["tray:UTH-01"] + 5}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO ledger_bookclosing (book_id, sequence, entries, transfers) SELECT id, 7, 0, 0 FROM ledger_book LIMIT 1", "closing says"),
        (
            "INSERT INTO ledger_bookclosing (book_id, sequence, entries, transfers) SELECT b.id, 7, count(*), sum(transfer_count)"
            " FROM ledger_book b JOIN ledger_entry e ON e.shift = b.shift AND e.gaming_day = b.gaming_day GROUP BY b.id LIMIT 1",
            "without gaps",
        ),
        (
            'INSERT INTO ledger_booktotal (closing_id, account_id, sequence, gaming_day, arrived, "left", held)'
            " SELECT c.id, a.id, c.sequence, '2026-03-14', 5, 0, 6 FROM ledger_bookclosing c, ledger_account a WHERE a.code = 'vault:cash'",
            "goes on from the one before",
        ),
        ("UPDATE ledger_booktotal SET held = 0", "permission denied"),
        ("DELETE FROM ledger_bookclosing", "permission denied"),
        ("INSERT INTO ledger_archive (action) VALUES ('archive')", "permission denied"),
    ],
)
def test_totals_are_not_made_up(house: House, statement: str, said: str) -> None:
    play(house)
    if "booktotal" in statement:
        keep_totals(house.shift.uuid)
    with pytest.raises(DatabaseError, match=said), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_total_that_was_left_out_is_found(house: House) -> None:
    play(house)
    book = Book.objects.get(shift=house.shift.uuid)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), sum(transfer_count) FROM ledger_entry WHERE shift = %s", [house.shift.uuid])
        entries, transfers = cursor.fetchone()
    BookClosing.objects.create(book=book, sequence=1, entries=entries, transfers=transfers)
    assert WrongTotal(f"{DAY} {house.shift.uuid}", "patrons:chips", (0, 0), (5_000, 2_500)) in wrong_totals()


def test_sums_beyond_eight_bytes_are_exact(house: House) -> None:
    """B062: 9,300 of the largest amounts are more than a signed 64-bit number holds."""
    tray = Account.objects.get(code="tray:UTH-01")
    before = balances([tray])[tray.pk]
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH e AS (INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo,"
            " late, paytable, paytable_sha256, engine_version, transfer_count) SELECT gen_random_uuid(), 'test', 'many:' || n, '', %(house)s,"
            " %(shift)s, %(day)s, now(), %(by)s, '', false, '', '', '', 1 FROM generate_series(1, 9300) n RETURNING id, gaming_day)"
            " INSERT INTO ledger_transfer (gaming_day, entry_id, line, credit_account_id, debit_account_id, currency, amount)"
            " SELECT e.gaming_day, e.id, 1, c.id, %(tray)s, 'USD', 999999999999999 FROM e, ledger_account c WHERE c.code = 'cage:chips'",
            {"house": house.property.uuid, "shift": house.shift.uuid, "day": DAY, "by": house.people["PB-1"].pk, "tray": tray.pk},
        )
    expected = before + 9300 * (10**15 - 1)
    assert expected > 2**63
    assert balances([tray])[tray.pk] == expected
    keep_totals(house.shift.uuid)
    assert balances([tray])[tray.pk] == expected
    assert BookTotal.objects.get(account=tray).held == 9300 * (10**15 - 1)
    assert balances([tray], until=DAY)[tray.pk] == expected


@pytest.fixture
def posting(house: House) -> Iterator[tuple[threading.Thread, threading.Event, threading.Event]]:
    """Return a thread that posts in the shift, says so, and commits only when told."""
    posted, commit = threading.Event(), threading.Event()

    def work() -> None:
        try:
            with transaction.atomic():
                post_entry(draft(house, 12_345, shift=house.shift.uuid), by=house.people["PB-1"])
                posted.set()
                commit.wait(20)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    yield thread, posted, commit
    commit.set()
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_began_first_and_commits_last_is_in_the_totals(
    house: House, posting: tuple[threading.Thread, threading.Event, threading.Event]
) -> None:
    thread, posted, commit = posting
    assert posted.wait(20)
    threading.Timer(0.3, commit.set).start()
    before = added_up()["tray:UTH-01"]
    assert keep_totals(house.shift.uuid) == 1  # waits for the posting
    thread.join()
    assert kept()["tray:UTH-01"] == before + 12_345 == added_up()["tray:UTH-01"]
    assert wrong_totals() == []


@pytest.mark.django_db(transaction=True)
def test_an_entry_that_waits_for_the_closing_is_refused_also_without_the_service(house: House) -> None:
    play(house)
    refused: list[str] = []
    waits = threading.Event()

    def work() -> None:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                waits.set()
                cursor.execute(
                    "INSERT INTO ledger_entry (uuid, kind, reference, fingerprint, property, shift, gaming_day, occurred_at, recorded_by_id, memo,"
                    " late, paytable, paytable_sha256, engine_version, transfer_count) VALUES (gen_random_uuid(), 'void', 'raw', '', %s, %s, %s,"
                    " now(), %s, '', false, '', '', '', 0)",
                    [house.property.uuid, house.shift.uuid, DAY, house.people["PB-1"].pk],
                )
        except IntegrityError as error:
            refused.append(str(error))
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    with transaction.atomic():
        lock_shift(house.shift.uuid, exclusive=True)
        thread.start()
        waits.wait(20)
        keep_totals(house.shift.uuid)
    thread.join()
    assert "the book of this entry is closed" in refused[0]


def test_the_books_own_guards_are_watched() -> None:
    assert problems() == []
