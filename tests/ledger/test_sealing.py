"""A shift is sealed: leaves, tree, signature, file, alarm. Source: spec/books.md, "Sealing a shift"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from audit import sealing as audit_sealing
from audit import tasks
from audit.books_check import check_books
from audit.evidence import KINDS
from audit.models import FindingEvent
from audit.services import audit_payouts, reconcile_shift
from casino import jobs
from casino.errors import BrokenBooks, CasinoError, Conflict, InvalidSlip, Refused, Unavailable
from casino.models import Job
from ledger import alarms, leaves, merkle, notes, published, seal_key, sealing
from ledger.models import CheckpointAlarm, Leaf, LeafSalt, SealKey, Segment, SignedCheckpoint
from tables.models import Shift, ShiftEvent
from tables.services import floor
from tests.audit.signing import sign_off
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 15, 12, 30, tzinfo=UTC)


def facts_of(shift: Shift) -> sealing.ShiftFacts:
    return sealing.ShiftFacts(shift.property.uuid, shift.uuid, shift.gaming_day)


def seal(shift: Shift) -> SignedCheckpoint:
    with transaction.atomic():
        sealing.prepare(facts_of(shift), KINDS, at=AT)
    with transaction.atomic():
        sealing.finish()
    return SignedCheckpoint.objects.select_related("segment").get(segment__shift=shift.uuid)


def next_shift(house: House) -> Shift:
    """Return a grave shift in which nothing happened, ended."""
    shift = floor.open_shift(house.property, house.shift.gaming_day, "grave", starts=time(4), ends=time(6), at=house.tick(), by=house.people["SM-1"])
    ShiftEvent.objects.create(shift=shift, sequence=2, state="ended", occurred_at=house.tick(), by=house.people["SM-1"])
    return shift


def contents(segment: Segment) -> list[bytes]:
    return [bytes(content) for content in Leaf.objects.filter(segment=segment).order_by("index").values_list("content", flat=True)]


def kinds(segment: Segment) -> list[str]:
    return list(Leaf.objects.filter(segment=segment).order_by("index").values_list("kind", flat=True))


@pytest.fixture
def night(house: House) -> House:
    """A night with an overpayment, a pot and a correction note; audited and reconciled."""
    play(house, done={"1": {"play": {"paid": 4500}}}, mispaid=[{"seat": 1, "wager": "play", "status": "not_recovered", "note": "he left at once"}])
    play(house, "PAY-01")
    end_night(house)
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


def test_a_night_becomes_a_segment(night: House) -> None:
    done = seal(night.shift)
    segment = done.segment
    held = contents(segment)
    assert (segment.number, len(held)) == (1, segment.leaf_count)
    assert merkle.root_of(map(merkle.leaf_hash, held)) == bytes(segment.root)
    assert {"shift", "session", "tray_count", "box_pull", "drop_count", "round", "entry", "reconciliation_line", "finding", "finding_event"} <= set(
        kinds(segment)
    )
    assert kinds(segment)[0] == "head"


def test_the_checkpoint_says_what_was_sealed_and_is_out(night: House) -> None:
    done = seal(night.shift)
    lines = done.note.splitlines()
    assert lines[0] == done.key.origin
    assert lines[1] == "1"
    assert f"shift {night.shift.uuid}" in lines
    assert "total USD patrons:chips +6800 -3800" in lines
    assert "time 2026-03-15T12:30:00.000000Z" in lines
    assert seal_key.is_signed(done.note, done.key)
    assert [line.note for line in published.read()] == [done.note]
    size, outer_root, sealed = notes.read_checkpoint(done.note)
    assert (size, outer_root, sealed.leaves) == (1, bytes(done.segment.outer_root), done.segment.leaf_count)


def test_no_name_and_no_free_text_is_in_a_leaf(night: House) -> None:
    held = b"".join(contents(seal(night.shift).segment))
    for text in (b"he left at once", b"Person", b"read the"):
        assert text not in held
    assert b"PB-1" in held
    assert LeafSalt.objects.filter(field="wager_notes").count() == 1


def test_the_same_shift_is_sealed_once(night: House) -> None:
    first = sealing.prepare(facts_of(night.shift), KINDS, at=AT)
    second = sealing.prepare(facts_of(night.shift), KINDS, at=AT + timedelta(hours=1))
    assert (first.pk, first.checkpoint) == (second.pk, second.checkpoint)
    assert len(sealing.finish()) == 1
    assert sealing.finish() == []


def test_a_sealed_shift_takes_no_entry(night: House) -> None:
    sealing.prepare(facts_of(night.shift), KINDS, at=AT)
    with pytest.raises(CasinoError) as error:
        play(night)
    assert error.value.code in {"session_closed", "period_closed"}


def test_what_comes_after_the_seal_is_a_leaf_of_the_next_shift(night: House) -> None:
    seal(night.shift)
    finding = night.shift.findings.first()
    assert finding is not None
    event = FindingEvent.objects.create(finding=finding, sequence=2, state="open", by=night.people["AU-1"], note="seen on camera 4")
    later = seal(next_shift(night)).segment
    assert (later.number, Leaf.objects.filter(kind="finding_event", row=event.pk).get().segment_id) == (2, 2)
    assert kinds(later) == ["head", "shift", "shift_event", "shift_event", "finding_event"]


def test_entries_of_no_shift_are_sealed_once(night: House) -> None:
    first = seal(night.shift).segment
    second = seal(next_shift(night)).segment
    assert kinds(first).count("entry") == 6
    assert kinds(second).count("entry") == 0


def test_the_outer_tree_grows(night: House) -> None:
    first = seal(night.shift).segment
    second = seal(next_shift(night)).segment
    outer = [merkle.leaf_hash(content) for content in sealing.outer_leaves()]
    path = merkle.consistency(outer, 1)
    assert merkle.is_consistent(bytes(first.outer_root), 1, bytes(second.outer_root), 2, path)


def test_b154_a_time_of_a_fraction_of_a_microsecond_verifies(house: House) -> None:
    for fraction in (".123456789", ".999999999"):
        play(house, occurred_at=house.tick().isoformat().replace("+00:00", f"{fraction}+00:00"))
    end_night(house)
    seal(house.shift)
    assert check_books().code == 0


def test_b155_evidence_with_its_keys_in_any_order_verifies(night: House) -> None:
    finding = night.shift.findings.first()
    assert finding is not None
    with connection.cursor() as cursor:
        columns = "kind, severity, flag, shift_id, wager, effect, why, facts"
        values = "'late', 'note', false, %s, '', 0, 'why', '{\"b\": 1.0, \"a\": 2, \"b\": 1.50, \"ä\": [1, 1.0]}'"
        cursor.execute(f"INSERT INTO audit_finding (uuid, key, {columns}) VALUES (gen_random_uuid(), 'k', {values})", [night.shift.pk])
    seal(night.shift)
    assert check_books().code == 0


def test_the_database_refuses_a_gap_and_a_leaf_after_the_signature(night: House) -> None:
    done = seal(night.shift)
    segment = done.segment
    with pytest.raises(DatabaseError, match="numbered without gaps"), transaction.atomic():
        Segment.objects.create(number=3, property=segment.property, shift=segment.property, gaming_day=segment.gaming_day, leaf_count=1)
    with pytest.raises(DatabaseError, match="is signed"), transaction.atomic():
        Leaf.objects.create(segment=segment, gaming_day=segment.gaming_day, index=10_000, content=b"x")
    for table, column in (("ledger_sealkey", "origin"), ("ledger_signedcheckpoint", "note"), ("ledger_leafsalt", "field")):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET {column} = 'x'")
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")


def run_job(shift: Shift) -> Job:
    """Run the sealing job part by part, as the worker does, and return it."""
    assert jobs._HANDLERS[audit_sealing.KIND] is tasks.seal_shift
    job = audit_sealing.announce(shift)
    for _ in range(3):
        jobs.run(job.pk)
        job.refresh_from_db()
        if job.state == Job.State.DONE:
            break
    return job


def test_the_job_seals_in_two_parts(night: House) -> None:
    sign_off(night)
    job = run_job(night.shift)
    assert (job.state, job.result) == ("done", {"segment": 1, "leaves": Segment.objects.get().leaf_count})
    assert job.key == f"seal:{night.shift.uuid}"
    assert jobs.QUEUES[job.kind] == "seal"
    assert SignedCheckpoint.objects.count() == 1


def test_a_shift_that_is_not_signed_is_not_sealed(night: House) -> None:
    job = run_job(night.shift)
    assert (job.state, "is not signed" in job.error) == ("queued", True)
    assert not Segment.objects.exists()


def test_the_key_is_its_owners_only_and_made_once(house: House) -> None:
    first = seal_key.make_key()
    assert settings.SEAL_KEY.stat().st_mode & 0o777 == 0o600
    assert settings.SEAL_KEY.parent.stat().st_mode & 0o777 == 0o700
    assert seal_key.make_key() == first
    settings.SEAL_KEY.unlink()
    with pytest.raises(Unavailable, match="not to be read"):
        seal_key.make_key()
    assert not settings.SEAL_KEY.exists()


def test_another_keys_file_signs_nothing(night: House) -> None:
    sealing.prepare(facts_of(night.shift), KINDS, at=AT)
    settings.SEAL_KEY.unlink()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seal_key._write(settings.SEAL_KEY, Ed25519PrivateKey.generate())
    with pytest.raises(BrokenBooks, match="is not the key"):
        sealing.finish()
    assert published.read() == []


@contextmanager
def committed(django_capture_on_commit_callbacks: object) -> Iterator[None]:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        yield


def test_a_key_is_changed_by_the_old_ones_announcement(night: House, django_capture_on_commit_callbacks: object) -> None:
    first = seal(night.shift)
    with committed(django_capture_on_commit_callbacks):
        key = seal_key.rotate_key(by=night.people["AU-1"], at=AT)
    assert key.number == 2
    assert seal_key.is_signed(key.note, first.key)
    assert published.keys() == {2: key.note}
    second = seal(next_shift(night))
    assert (second.key_id, seal_key.is_signed(second.note, first.key)) == (2, False)
    assert check_books().code == 0


def test_only_an_auditor_changes_the_key(house: House) -> None:
    seal_key.make_key()
    with pytest.raises(Refused):
        seal_key.rotate_key(by=house.people["SM-1"], at=AT)
    assert SealKey.objects.count() == 1


def test_a_torn_line_is_ended_and_passed_over(night: House) -> None:
    settings.CHECKPOINTS.parent.mkdir(parents=True, exist_ok=True)
    settings.CHECKPOINTS.write_text('{"segment": 1, "note": "pitb')
    done = seal(night.shift)
    assert [line.note for line in published.read()] == [done.note]
    assert settings.CHECKPOINTS.read_text().endswith("\n")


# ---- a published checkpoint ahead of the books ----


def published_elsewhere(night: House) -> str:
    """Publish the night's checkpoint, then take everything of it out of the database again, as restoring a backup does; return its note."""
    seal_key.make_key()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        note = seal(night.shift).note
        raise ZeroDivisionError
    assert not Segment.objects.filter(shift=night.shift.uuid).exists()
    return note


def test_a_restored_backup_is_an_alarm_and_nothing_is_posted(house: House) -> None:
    end_of_tape = {"segment": 1, "note": "pitbook/x\n1\nAAAA\nsegment 1\n\n— x AAAA\n"}
    published.append(end_of_tape)
    alarm = published.alarm()
    assert alarm is not None
    assert (alarm.first.number, alarm.published, alarm.in_books) == (1, 1, 0)
    with pytest.raises(Unavailable) as error:
        play(house)
    assert error.value.code == "books_behind"
    alarms.acknowledge(reason="the disk of Tuesday was restored", by=house.people["SM-1"])
    play(house)
    [kept] = CheckpointAlarm.objects.all()
    assert (kept.adopted, kept.by.username) == (False, "SM-1")


def test_a_shift_is_never_sealed_with_two_contents(night: House) -> None:
    note = published_elsewhere(night)
    with pytest.raises(BrokenBooks, match="Acknowledge that first"):
        seal(night.shift)
    alarms.acknowledge(reason="restored", by=night.people["AU-1"])
    segment = Segment.objects.select_related("signed").get()
    assert (segment.signed.note, segment.leaves.count()) == (note, 0)
    assert sealing.prepare(facts_of(night.shift), KINDS, at=AT).pk == segment.pk
    assert sealing.finish() == []
    assert [line.note for line in published.read()] == [note]


def test_the_list_goes_on_from_what_was_taken_over_and_the_loss_is_told(night: House) -> None:
    published_elsewhere(night)
    alarms.acknowledge(reason="restored from Tuesday", by=night.people["AU-1"])
    seal(next_shift(night))
    answer = check_books()
    assert answer.code == 3
    [problem] = answer.problems
    assert "0 of" in problem.words
    assert "acknowledged by AU-1: restored from Tuesday" in problem.words


def test_who_may_acknowledge_and_what_is_asked(night: House) -> None:
    with pytest.raises(Conflict, match="No published checkpoint"):
        alarms.acknowledge(reason="x", by=night.people["SM-1"])
    published_elsewhere(night)
    with pytest.raises(Refused):
        alarms.acknowledge(reason="x", by=night.people["PB-1"])
    with pytest.raises(InvalidSlip) as error:
        alarms.acknowledge(reason="  ", by=night.people["SM-1"])
    assert error.value.where == "reason"
    assert not CheckpointAlarm.objects.exists()


def test_posting_looks_at_the_file_only_when_it_changed(night: House, django_assert_num_queries: object) -> None:
    seal(night.shift)
    published.require_current()
    with django_assert_num_queries(0):  # type: ignore[operator]
        published.require_current()
    line = json.loads(settings.CHECKPOINTS.read_text())
    published.append({**line, "segment": 2})
    with pytest.raises(Unavailable):
        published.require_current()


# ---- what else can go wrong ----


def test_a_folder_that_cannot_be_written_leaves_the_segment_to_be_finished(night: House, tmp_path: Path) -> None:
    sealing.prepare(facts_of(night.shift), KINDS, at=AT)
    blocked = tmp_path / "file"
    blocked.write_text("x")
    good, settings.CHECKPOINTS = settings.CHECKPOINTS, blocked / "checkpoints.ndjson"
    with pytest.raises(OSError), transaction.atomic():
        sealing.finish()
    settings.CHECKPOINTS = good
    assert not SignedCheckpoint.objects.exists()
    assert len(sealing.finish()) == 1


def test_the_head_says_what_each_field_is(night: House) -> None:
    content = contents(seal(night.shift).segment)[0]
    kind, fields = leaves.read(content)
    said = json.loads(fields[3] or b"")
    assert kind == "head"
    assert said["shift_event"][0] == ["shift", "uuid"]
    assert ["note", "secret"] in said["shift_event"]
