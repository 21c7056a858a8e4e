"""A sealing that failed five times is tried again for as long as its shift is signed and not sealed; and somebody is told all the while."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from audit import sealing as audit_sealing
from audit import tasks
from audit.evidence import KINDS
from casino import jobs
from casino.alarm_words import known_alarm
from casino.models import Alarm, Job
from ledger import sealing
from ledger.models import Segment, SignedCheckpoint
from tests.audit.signing import sign_off
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import facts_of

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 15, 12, 30, tzinfo=UTC)


@pytest.fixture
def signed(house: House) -> House:
    """A night that two people signed; its sealing is announced."""
    play(house)
    end_night(house)
    sign_off(house)
    return house


def job_of(house: House) -> Job:
    return Job.objects.get(key=f"seal:{house.shift.uuid}")


def fail_five_times(house: House) -> Job:
    """Have the file of checkpoints be none, and the sealing tried until it is given up."""
    settings.CHECKPOINTS.mkdir(parents=True)
    for _ in range(1 + jobs.MOST_ATTEMPTS):
        jobs.run(job_of(house).pk)
    job = job_of(house)
    assert (job.state, "IsADirectoryError" in job.error, Segment.objects.count()) == ("failed", True, 1)
    return job


def half_an_hour_ago(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(finished_at=Now() - timedelta(minutes=31))


def test_a_sealing_that_was_given_up_is_queued_again_and_seals_when_it_can(signed: House) -> None:
    job = fail_five_times(signed)
    assert audit_sealing.seal_again(at=AT) == 0
    half_an_hour_ago(job)
    assert audit_sealing.seal_again(at=AT) == 1
    again = job_of(signed)
    assert (again.state, again.attempts, again.finished_at, again.error) == ("queued", 0, None, job.error)
    assert audit_sealing.seal_again(at=AT) == 0
    settings.CHECKPOINTS.rmdir()
    assert jobs.run(again.pk)
    assert (job_of(signed).state, SignedCheckpoint.objects.count()) == ("done", 1)
    assert audit_sealing.seal_again(at=AT) == 0


def test_an_alarm_stays_until_it_is_sealed_one_a_day(signed: House) -> None:
    fail_five_times(signed)
    for hours in (0, 1, 13):
        audit_sealing.seal_again(at=AT + timedelta(hours=hours))
    alarms = list(Alarm.objects.filter(kind="not_sealed").order_by("id"))
    assert [alarm.message for alarm in alarms] == ["A signed shift is not sealed: swing shift of 2026-03-14."] * 2
    assert known_alarm(alarms[0].message) == alarms[0].message
    assert alarms[0].facts["job"] == str(job_of(signed).uuid)


def test_what_waits_or_runs_or_was_cancelled_is_left_alone(signed: House) -> None:
    assert (job_of(signed).state, audit_sealing.seal_again(at=AT)) == ("queued", 0)
    Job.objects.filter(pk=job_of(signed).pk).update(state="running")
    assert (audit_sealing.seal_again(at=AT), Alarm.objects.filter(kind="not_sealed").count()) == (0, 0)
    Job.objects.filter(pk=job_of(signed).pk).update(state="queued")
    jobs.cancel(job_of(signed), by=signed.people["AD-1"])
    half_an_hour_ago(job_of(signed))
    assert (audit_sealing.seal_again(at=AT), job_of(signed).state) == (0, "cancelled")
    assert Alarm.objects.filter(kind="not_sealed").count() == 1


def test_a_segment_that_waits_for_its_signature_without_a_job_gets_one(house: House) -> None:
    play(house)
    end_night(house)
    with transaction.atomic():
        sealing.prepare(facts_of(house.shift), KINDS, at=AT)
    assert audit_sealing.seal_again(at=AT) == 1
    assert jobs.run(job_of(house).pk)
    assert SignedCheckpoint.objects.get().segment.shift == house.shift.uuid


def test_the_minute_looks_for_them() -> None:
    assert tasks.seal_what_is_not_sealed in jobs._EVERY_MINUTE
    assert tasks.seal_what_is_not_sealed() == 0
