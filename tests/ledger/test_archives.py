"""A sealed month out of the database and back: the same bytes, the same balances, every guard, and a record of it."""

from __future__ import annotations

from argparse import ArgumentTypeError
from datetime import date
from pathlib import Path

import pytest

from casino.append_only import missing_partitions
from casino.errors import BrokenBooks, Conflict, NotFound
from ledger.archives import Taken, archive_month, restore_month
from ledger.guards import problems
from ledger.models import Account, Archive, Segment, Transfer
from ledger.months import month_of
from ledger.selectors import balances
from ledger.totals import keep_totals, wrong_totals
from tables.models import Wager
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
MARCH, LATER = date(2026, 3, 1), date(2026, 5, 2)


def take_out(folder: Path, today: date = LATER) -> list[Taken]:
    """Archive March, whatever was sealed of it: tests/audit/test_archived_month.py asks for that."""
    return archive_month(MARCH, folder, verify=lambda month: None, by="owner", today=today)


def seal(house: House) -> None:
    keep_totals(house.shift.uuid)
    Segment.objects.create(
        number=1, property=house.property.uuid, shift=house.shift.uuid, gaming_day=house.shift.gaming_day, leaf_count=0, root=b"", outer_root=b""
    )


def held() -> dict[int, int]:
    return balances(Account.objects.all())


def test_a_month_goes_and_comes_back_and_nothing_else_changes(house: House, tmp_path: Path) -> None:
    play(house)
    play(house, "PAY-01")
    end_night(house)
    with pytest.raises(Conflict) as unsealed:
        take_out(tmp_path)
    assert unsealed.value.code == "not_sealed"
    seal(house)
    before, transfers, wagers = held(), list(Transfer.objects.order_by("id").values()), list(Wager.objects.order_by("id").values())
    taken = take_out(tmp_path)
    assert [(one.table, one.rows) for one in taken] == [("ledger_transfer", len(transfers)), ("tables_wager", len(wagers))]
    assert (Transfer.objects.count(), Wager.objects.count(), held()) == (0, 0, before)
    assert (problems(), wrong_totals()) == ([], [])
    assert list(Archive.objects.order_by().values_list("action", "by").distinct()) == [("archive", "owner")]
    assert take_out(tmp_path) == []
    restore_month(MARCH, tmp_path, by="owner")
    assert list(Transfer.objects.order_by("id").values()) == transfers
    assert list(Wager.objects.order_by("id").values()) == wagers
    assert (held(), problems(), wrong_totals()) == (before, [], [])
    again = take_out(tmp_path)
    assert [one.file_sha256 for one in again] == [one.file_sha256 for one in taken]
    assert list(Archive.objects.filter(table="tables_wager").order_by("sequence").values_list("action", flat=True)) == [
        "archive",
        "restore",
        "archive",
    ]


def test_a_file_that_was_touched_is_not_brought_back(house: House, tmp_path: Path) -> None:
    play(house)
    seal(house)
    [transfers, _] = take_out(tmp_path)
    with pytest.raises(NotFound) as missing:
        restore_month(MARCH, tmp_path / "elsewhere", by="owner")
    assert missing.value.code == "no_file"
    path = tmp_path / transfers.file
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(BrokenBooks) as touched:
        restore_month(MARCH, tmp_path, by="owner")
    assert (touched.value.code, Transfer.objects.count(), problems()) == ("file_differs", 0, [])
    with pytest.raises(NotFound):
        restore_month(date(2026, 2, 1), tmp_path, by="owner")


def test_a_month_that_is_not_over_stays(house: House, tmp_path: Path) -> None:
    for today in (date(2026, 3, 31), date(2026, 3, 1), date(2026, 2, 1)):
        with pytest.raises(Conflict) as runs:
            take_out(tmp_path, today)
        assert runs.value.code == "month_runs"


@pytest.mark.parametrize("text", ["2026", "2026-13", "2026-3", "march", "0001-01"])
def test_what_is_no_month_is_said(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        month_of(text)


def test_a_month_that_is_not_made_ahead_is_named() -> None:
    assert missing_partitions("default", of=date(2026, 2, 5)) == []
    assert missing_partitions("default", of=date(2033, 11, 5)) == [
        f"{table}_{month}" for month in (203311, 203312, 203401) for table in ("ledger_leaf", "ledger_transfer", "tables_wager")
    ]
