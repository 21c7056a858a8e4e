"""A month that was really sealed, out of the database and back: with late facts of it in the next month's shift, and entries without a shift."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db import connections

from casino.errors import Conflict
from ledger.archived import archived_now
from ledger.archives import archive_month
from ledger.models import Archive, Entry, Leaf, Segment, SignedCheckpoint
from tables.models import Round
from tests.audit.test_verify_books import run as verified
from tests.audit.two_months import APRIL, add_late, archive, close_april, restore, two_months
from tests.builders import House

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def months(house: House) -> House:
    return two_months(house)


def as_owner(statement: str, table: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement)
        cursor.execute("SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND NOT tgisinternal", [table])
        for (name,) in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def refused(folder: Path) -> str:
    """Return the code by which the command refuses, and see that nothing was taken out."""
    with pytest.raises(CommandError) as error:
        archive(folder)
    assert (Archive.objects.count(), folder.exists()) == (0, False)
    return str(error.value).partition(":")[0]


def test_late_facts_and_entries_without_a_shift_are_no_tampering_where_their_month_is_archived(months: House, tmp_path: Path) -> None:
    close_april(months)
    of_march = Leaf.objects.filter(segment=2, kind="round", row__in=Round.objects.filter(gaming_day__lt=APRIL).values("pk"))
    without_shift = Leaf.objects.filter(segment=2, kind="entry", row__in=Entry.objects.filter(gaming_day__lt=APRIL).values("pk"))
    assert (of_march.count(), without_shift.count()) == (2, 1)
    assert verified()[0] == 0
    for month, taken in (("2026-03", 2), ("2026-04", 4)):
        archive(tmp_path, month)
        code, words = verified()
        assert (code, words.count("is archived:")) == (0, taken), words
    restore(tmp_path, "2026-03")
    assert verified()[0] == 0
    restore(tmp_path, "2026-04")
    code, words = verified()
    assert (code, words) == (0, f"CLEAN: 2 sealed shifts, {Leaf.objects.count()} leaves.\n")


def test_what_stayed_of_an_archived_month_is_compared_all_the_same(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path)
    as_owner(f"UPDATE tables_round SET paid = paid + 1 WHERE id = {months.late.pk}", "tables_round")  # type: ignore[attr-defined]
    code, words = verified()
    assert code == 2
    assert "TAMPERED: segment 2" in words and "field paid: the row is not what was sealed" in words


def test_a_month_of_which_rows_wait_for_a_leaf_stays(months: House, tmp_path: Path) -> None:
    """The chips issued, and the late round and its correction: those wait for April's seal."""
    assert refused(tmp_path / "out") == "rows_wait"
    close_april(months)
    archive(tmp_path / "out")
    assert Archive.objects.count() == 2


def test_a_late_round_that_comes_while_the_month_is_verified_keeps_it(months: House, tmp_path: Path) -> None:
    """It is in no leaf yet, and its wagers would be sealed as none."""
    with pytest.raises(Conflict) as error:
        archive_month(date(2026, 3, 1), tmp_path / "out", verify=lambda month: add_late(months), by="owner", today=date(2026, 5, 2))
    assert (error.value.code, [one.table for one in archived_now()]) == ("month_in_use", ["ledger_transfer"])


def test_a_month_that_is_not_signed_stays(months: House, tmp_path: Path) -> None:
    close_april(months)
    as_owner("DELETE FROM ledger_signedcheckpoint WHERE segment_id = 2", "ledger_signedcheckpoint")
    assert (SignedCheckpoint.objects.count(), Segment.objects.count()) == (1, 2)
    assert refused(tmp_path / "out") == "not_signed"


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("ledger_transfer", "UPDATE ledger_transfer SET amount = amount + 1 WHERE id = (SELECT min(id) FROM ledger_transfer)"),
        ("tables_wager", "UPDATE tables_wager SET note = 'he paid' WHERE note <> ''"),
        ("ledger_leaf", "UPDATE ledger_leaf SET content = content || 'x' WHERE segment_id = 1 AND index = 3"),
    ],
)
def test_a_month_that_is_not_what_was_sealed_stays(months: House, tmp_path: Path, table: str, change: str) -> None:
    close_april(months)
    as_owner(change, table)
    assert refused(tmp_path / "out") == "rows_differ"
