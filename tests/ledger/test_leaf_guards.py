"""Leaves come with their segment, in its transaction, and as many as it says: tried with raw SQL as the application."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from audit.evidence import KINDS
from casino.errors import BrokenBooks
from ledger import published, sealing
from ledger.models import Leaf, Segment, SegmentChecks, SignedCheckpoint
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import AT, facts_of
from tests.superuser import spoil

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
ADD = "INSERT INTO ledger_leaf (gaming_day, segment_id, \"index\", kind, content) VALUES (%s, %s, %s, 'round', 'x')"


@pytest.fixture
def prepared(house: House) -> Segment:
    """Return the segment of a night that is prepared and not signed yet."""
    play(house)
    end_night(house)
    with transaction.atomic():
        return sealing.prepare(facts_of(house.shift), KINDS, at=AT)


def refused(statement: str, *params: object) -> str:
    with pytest.raises(IntegrityError) as error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, params)
    return str(error.value)


def test_nobody_adds_a_leaf_between_preparing_and_signing(prepared: Segment) -> None:
    before = Leaf.objects.count()
    for index in (prepared.leaf_count, prepared.leaf_count + 7):
        for day in (prepared.gaming_day, "2026-04-01"):
            words = refused(ADD, day, prepared.number, index)
            assert "a segment of its own transaction only" in words
    assert Leaf.objects.count() == before
    with transaction.atomic():
        assert len(sealing.finish()) == 1
    assert "is signed" in refused(ADD, prepared.gaming_day, prepared.number, prepared.leaf_count)


def test_a_segment_has_no_leaf_beyond_those_that_it_says_and_none_of_another_day(prepared: Segment) -> None:
    make = """
        INSERT INTO ledger_segment (number, property, shift, gaming_day, leaf_count, root, outer_root, checkpoint)
        VALUES (2, gen_random_uuid(), gen_random_uuid(), '2026-03-14', 1, '', '', '');
    """
    for day, index in (("2026-03-14", 1), ("2026-04-01", 0)):
        assert "the leaves that it says" in refused(make + ADD, day, 2, index)
    with transaction.atomic(), connection.cursor() as cursor:
        with transaction.atomic():
            cursor.execute(make)
        with transaction.atomic():
            cursor.execute(ADD, ["2026-03-14", 2, 0])
        transaction.set_rollback(True)


def test_checks_come_with_their_segment_and_are_those_that_it_says(prepared: Segment) -> None:
    add = "INSERT INTO ledger_segmentchecks (segment_id, content) SELECT number, %s FROM ledger_segment WHERE number = %s"
    kept = bytes(SegmentChecks.objects.get().content)
    spoil("ledger_segmentchecks", "DELETE FROM ledger_segmentchecks")
    assert "their own transaction only" in refused(add, kept, 1)
    make = """
        INSERT INTO ledger_segment (number, property, shift, gaming_day, leaf_count, root, outer_root, checkpoint)
        SELECT 2, property, gen_random_uuid(), gaming_day, 0, root, outer_root, checkpoint FROM ledger_segment WHERE number = 1;
    """
    assert "not the ones that the checkpoint says" in refused(make + add, kept + b"\x00", 2)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(make + add, [kept, 2])
        transaction.set_rollback(True)


def test_a_segment_whose_leaves_are_not_those_that_were_prepared_is_not_signed(prepared: Segment) -> None:
    spoil("ledger_leaf", 'DELETE FROM ledger_leaf WHERE segment_id = 1 AND "index" = %s', prepared.leaf_count - 1)
    with pytest.raises(BrokenBooks, match="nothing is signed") as error, transaction.atomic():
        sealing.finish()
    assert error.value.code == "leaves_changed"
    assert (SignedCheckpoint.objects.count(), published.read()) == (0, [])
