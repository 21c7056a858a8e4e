"""File and books that differ: keys and checkpoints that a backup lost, a file that was lost, lines of somebody else's; and how sealing goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction

from audit.books_check import check_books
from audit.evidence import KINDS
from casino.errors import BrokenBooks, Conflict, Unavailable
from ledger import alarms, notes, published, seal_key, sealing
from ledger.checks import books_are_current
from ledger.models import CheckpointAlarm, SealKey, Segment, SignedCheckpoint
from tables.models import Shift
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import AT, facts_of, next_shift, seal

pytestmark = pytest.mark.django_db


@pytest.fixture
def night(house: House) -> House:
    play(house)
    end_night(house)
    return house


def another(house: House) -> Shift:
    """Return one more short shift, of a day of its own, ended."""
    house.shift.gaming_day += timedelta(days=1)
    return next_shift(house)


@contextmanager
def lost() -> Iterator[None]:
    """Take out of the database again what is written inside, as restoring a backup does; what was published stays out."""
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        yield
        raise ZeroDivisionError


def refused(shift: Shift) -> BrokenBooks:
    with pytest.raises(BrokenBooks) as error, transaction.atomic():
        sealing.prepare(facts_of(shift), KINDS, at=AT)
    assert not Segment.objects.filter(shift=shift.uuid).exists()
    return error.value


def acknowledge(house: House, reason: str = "restored from Tuesday") -> list[CheckpointAlarm]:
    return alarms.acknowledge(reason=reason, by=house.people["AU-1"])


def rotate(house: House) -> SealKey:
    key = seal_key.rotate_key(by=house.people["AU-1"], at=AT)
    seal_key.publish_keys()
    return key


def test_a_backup_older_than_a_key_is_acknowledged_and_sealing_goes_on(night: House) -> None:
    seal(night.shift)
    with lost():
        rotate(night)
        note = seal(another(night)).note
    assert (SealKey.objects.count(), Segment.objects.count()) == (1, 1)
    third = another(night)
    assert (refused(third).code, published.alarm().kind) == ("published_ahead", "key")  # type: ignore[union-attr]
    done = acknowledge(night)
    assert [(one.kind, one.number, one.adopted) for one in done] == [("key", 2, True), ("ahead", 2, True)]
    assert SignedCheckpoint.objects.get(segment=2).note == note
    last = seal(third)
    assert (last.segment_id, last.key_id, seal_key.is_signed(last.note, SealKey.objects.get(number=2))) == (3, 2, True)
    assert [problem.code for problem in check_books().problems] == [3]


def test_a_key_that_a_backup_lost_stops_posting_by_itself(house: House) -> None:
    seal_key.make_key()
    with lost():
        rotate(house)
    with pytest.raises(Unavailable, match="Key 2 was announced") as error:
        play(house)
    assert error.value.code == "books_behind"
    [done] = acknowledge(house)
    assert (done.kind, done.adopted, SealKey.objects.get(number=2).by) == ("key", True, house.people["AU-1"])
    play(house)


def test_every_announcement_is_read_as_it_was_written() -> None:
    """A key's base64 has any sign that base64 has."""
    for number in range(64):
        public = bytes([number * 4 % 256, number, 251, 239, *range(28)])
        assert notes.read_rotation(notes.rotation("pitbook/a", public, AT)) == ("pitbook/a", public)
    for text in ("", "a\n", "a\nkey b+c\n", "a\nkey a+00000000+!!!\n", "a\nkey a+00000000+AQ==\n"):
        with pytest.raises(ValueError, match=r"key|base64"):
            notes.read_rotation(text)


def test_a_backup_older_than_the_first_key_finds_its_log_again(night: House) -> None:
    with lost():
        origin = seal(night.shift).key.origin
    assert seal_key.make_key().origin == origin
    [done] = acknowledge(night)
    assert done.adopted
    assert seal(another(night)).segment_id == 2


def test_what_was_acknowledged_before_its_key_was_known_is_taken_over_later(night: House) -> None:
    with lost():
        seal(night.shift)
    [done] = acknowledge(night)
    assert not done.adopted
    assert (seal_key.make_key().number, refused(another(night)).code) == (1, "published_ahead")
    assert acknowledge(night) == []
    assert Segment.objects.get().shift == night.shift.uuid
    with pytest.raises(Conflict):
        acknowledge(night)


def test_lines_of_somebody_else_are_acknowledged_and_stand_in_no_way(night: House) -> None:
    """Neither a checkpoint nor a key that ours did not sign is ever taken over; what is ours is published beside them."""
    origin = seal_key.make_key().origin
    forged = f"{origin}\n1\nAAAA\nsegment 1\nshift {night.shift.uuid}\n\n— {origin} AAAA\n"
    for record in ({"segment": 1, "note": forged}, {"key": 2, "note": f"{origin}\nkey {origin}+00000000+AAAA\n\n— {origin} A\n"}):
        published.append(record)
    assert refused(night.shift).code == "published_ahead"
    assert [(one.kind, one.adopted) for one in acknowledge(night)] == [("key", False), ("ahead", False)]
    done = seal(night.shift)
    assert (done.segment_id, SealKey.objects.count()) == (1, 1)
    assert [line.note for line in published.read()] == [forged, done.note]


def test_a_checkpoint_of_ours_with_a_gap_before_it_forks_nothing(night: House) -> None:
    seal_key.make_key()
    with lost():
        seal(night.shift)
        seal(another(night))
    lines = settings.CHECKPOINTS.read_text().splitlines(keepends=True)
    settings.CHECKPOINTS.write_text(lines[1])
    assert [one.adopted for one in acknowledge(night)] == [False]
    error = refused(night.shift)
    assert (error.code, "put the lines before it back" in error.message) == ("published_ahead", True)
    settings.CHECKPOINTS.write_text("".join(lines))
    assert [one.number for one in acknowledge(night, "the first line is back")] == [1]
    assert [segment.number for segment in Segment.objects.order_by("number")] == [1, 2]
    assert seal(another(night)).segment_id == 3


# ---- a file that was lost ----


def test_a_fresh_house_without_a_file_is_well(house: House) -> None:
    assert not settings.CHECKPOINTS.exists()
    assert (published.alarm(), [message.id for message in books_are_current(None) if message.id.startswith("ledger.W")]) == (None, [])
    play(house)


def test_a_file_that_is_gone_is_an_alarm_and_nothing_is_sealed(night: House, caplog: pytest.LogCaptureFixture) -> None:
    from ledger.checks import tell_alarm

    first = seal(night.shift)
    settings.CHECKPOINTS.rename(settings.CHECKPOINTS.with_name("aside"))
    raised = published.alarm()
    assert raised is not None
    assert (raised.kind, raised.code, raised.first.number, raised.published, raised.in_books) == ("lost", "checkpoints_lost", 1, 0, 1)
    later = another(night)
    assert refused(later).code == "checkpoints_lost"
    published.require_current()
    tell_alarm("the web")
    assert "the web starts, and refuses to seal: Checkpoint 1 was published, and is not in" in caplog.text
    assert "ledger.W002" in [message.id for message in books_are_current(None)]
    settings.CHECKPOINTS.with_name("aside").rename(settings.CHECKPOINTS)
    assert (published.alarm(), seal(later).segment_id) == (None, 2)
    assert [line.number for line in published.read()] == [1, 2]
    assert first.note == published.read()[0].note


def test_the_loss_is_acknowledged_and_what_was_lost_is_published_again(night: House) -> None:
    signed = [seal(night.shift).note, seal(another(night)).note]
    settings.CHECKPOINTS.unlink()
    [done] = acknowledge(night, "the disk of the file died")
    assert (done.kind, done.number, done.note, done.adopted) == ("lost", 2, signed[1], False)
    assert published.alarm() is None
    signed.append(seal(another(night)).note)
    assert [line.note for line in published.read()] == signed
    assert check_books().code == 0


def test_a_segment_that_waits_for_its_signature_waits_for_the_file_too(night: House) -> None:
    """Its own line would make the file look whole at its end."""
    seal(night.shift)
    sealing.prepare(facts_of(another(night)), KINDS, at=AT)
    settings.CHECKPOINTS.unlink()
    with pytest.raises(BrokenBooks) as error, transaction.atomic():
        sealing.finish()
    assert (error.value.code, settings.CHECKPOINTS.exists(), SignedCheckpoint.objects.count()) == ("checkpoints_lost", False, 1)


@pytest.mark.parametrize("how", ["cut", "unreadable", "emptied"])
def test_a_file_that_lost_its_end_or_cannot_be_read_is_the_same_alarm(night: House, how: str) -> None:
    seal(night.shift)
    seal(another(night))
    lines = settings.CHECKPOINTS.read_text().splitlines(keepends=True)
    settings.CHECKPOINTS.unlink()
    if how == "unreadable":
        settings.CHECKPOINTS.mkdir()
    else:
        settings.CHECKPOINTS.write_text(lines[0] if how == "cut" else "")
    raised = published.alarm()
    assert (raised and raised.kind, raised and raised.first.number) == ("lost", 2)
    assert refused(another(night)).code == "checkpoints_lost"
    published.require_current()


def test_lines_that_are_none_are_passed_over(night: House) -> None:
    for said in (
        '{"segment": "1", "note": "x"}',
        '{"segment": -1, "note": "x"}',
        '{"key": 1e99, "note": "x"}',
        '{"segment": 1, "note": "\\u0000"}',
        "[]",
    ):
        settings.CHECKPOINTS.parent.mkdir(parents=True, exist_ok=True)
        settings.CHECKPOINTS.write_text(said + "\n")
        assert published.alarm() is None
    assert json.loads(settings.CHECKPOINTS.read_text()) == []
