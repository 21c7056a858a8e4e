"""A job is a row: announced in its transaction, done once, tried again, its failure kept."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from celery.schedules import schedule
from django.conf import settings
from django.db import connection, transaction

from casino import jobs
from casino.models import Job
from casino.schedule import SCHEDULE

pytestmark = pytest.mark.django_db


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Register a handler of kind "test" whose behaviour the test sets."""
    calls: dict = {"ran": 0, "raises": None}

    def handle(job: Job, progress: jobs.Report) -> dict:
        calls["ran"] += 1
        progress(1, 2, "half")
        if calls["raises"]:
            raise calls["raises"]
        return {"ran": calls["ran"]}

    monkeypatch.setitem(jobs._HANDLERS, "test", handle)
    return calls


def test_a_job_is_done_once(handler: dict) -> None:
    job = jobs.announce("test", "test:1")
    assert jobs.announce("test", "test:1").pk == job.pk
    assert jobs.run(job.pk, "here") is True
    assert jobs.run(job.pk, "there") is False
    job.refresh_from_db()
    assert (job.state, job.attempts, job.worker, job.result, handler["ran"]) == ("done", 1, "here", {"ran": 1}, 1)


def test_a_failure_is_kept_even_with_a_nul_in_it_and_tried_again(handler: dict) -> None:
    """B125."""
    handler["raises"] = RuntimeError("bad \x00 thing")
    job = jobs.announce("test", "test:2")
    assert jobs.run(job.pk) is False
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == ("queued", 1, "RuntimeError: bad \ufffd thing")
    handler["raises"] = None
    assert jobs.run(job.pk) is True


def test_a_job_that_fails_again_and_again_fails(handler: dict) -> None:
    handler["raises"] = RuntimeError("no")
    job = jobs.announce("test", "test:3")
    for _ in range(jobs.MOST_ATTEMPTS):
        jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, handler["ran"]) == ("failed", jobs.MOST_ATTEMPTS)
    assert jobs.run(job.pk) is False


def test_a_job_whose_worker_dies_again_and_again_fails(handler: dict) -> None:
    job = jobs.announce("test", "test:4")
    Job.objects.filter(pk=job.pk).update(state="running", attempts=jobs.MOST_ATTEMPTS)
    assert jobs.run(job.pk) is False
    job.refresh_from_db()
    assert (job.state, handler["ran"]) == ("failed", 0)
    assert "died" in job.error


@pytest.mark.django_db(transaction=True)
def test_no_message_for_work_that_was_rolled_back(handler: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """B118."""
    sent: list[int] = []
    monkeypatch.setattr(jobs, "nudge", sent.append)
    with pytest.raises(RuntimeError), transaction.atomic():
        jobs.announce("test", "test:5")
        raise RuntimeError("rolled back")
    assert (sent, Job.objects.filter(key="test:5").count()) == ([], 0)
    with transaction.atomic():
        job = jobs.announce("test", "test:6")
        assert sent == []
    assert sent == [job.pk]


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_too_early_finds_nothing_and_says_so(handler: dict) -> None:
    """B118: a message that overtakes its transaction has no effect and raises nothing; after the commit the job is done."""
    ends: list[bool] = []

    def too_early(job_id: int) -> None:
        ends.append(jobs.run(job_id))
        connection.close()

    with transaction.atomic():
        job = jobs.announce("test", "test:7")
        worker = Thread(target=too_early, args=[job.pk])
        worker.start()
        worker.join()
    assert (ends, handler["ran"]) == ([False], 0)
    assert jobs.run(job.pk) is True


def test_only_a_number_is_on_the_wire(handler: dict, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> None:
    """B123: a message is a job's number, whatever the job's arguments are; workers of other versions read the row."""
    sent: list[tuple] = []
    monkeypatch.setattr(jobs, "ensure_broker", lambda: None)
    monkeypatch.setattr(jobs.current_app, "send_task", lambda name, **message: sent.append((name, message)))
    kinds = ("test", "seal_shift", "export_report")
    with django_capture_on_commit_callbacks(execute=True):
        made = [jobs.announce(kind, f"wire:{kind}", {"day": "2026-03-14", "count": 3}) for kind in kinds]
    assert [(name, message["args"]) for name, message in sent] == [("casino.tasks.run_job", [job.pk]) for job in made]
    for _, message in sent:
        assert {type(value) for value in message["args"]} == {int}
        assert json.loads(json.dumps(message)) == message
    assert (settings.CELERY_TASK_SERIALIZER, settings.CELERY_ACCEPT_CONTENT) == ("json", ["json"])


@pytest.mark.parametrize("value", [Decimal("1.50"), date(2026, 3, 14), UUID(int=7), datetime(2026, 3, 14, tzinfo=UTC), b"x", {1, 2}])
def test_a_job_takes_no_argument_that_would_change_its_type(value: object) -> None:
    """B123: refused where it is announced, not misread where it is done."""
    with pytest.raises(TypeError), transaction.atomic():
        jobs.announce("test", "test:typed", {"value": value})
    assert not Job.objects.filter(key="test:typed").exists()


def test_a_result_that_the_database_cannot_hold_is_a_failure_and_the_job_is_not_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """B125: NUL in what a job answers."""
    monkeypatch.setitem(jobs._HANDLERS, "test", lambda job, progress: {"note": "a\x00b"})
    job = jobs.announce("test", "test:8")
    assert jobs.run(job.pk) is False
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("queued", 1)
    assert "\x00" not in job.error
    assert job.error


@pytest.mark.parametrize(
    ("zone", "first"), [("America/New_York", "2026-03-07"), ("America/New_York", "2026-10-31"), ("Australia/Lord_Howe", "2026-04-03")]
)
def test_beat_s_plan_is_even_over_a_clock_change(monkeypatch: pytest.MonkeyPatch, zone: str, first: str) -> None:
    """B115: once a minute by UTC, for three days around a change, wherever the machine's clock hangs."""
    from casino.celery import app

    assert (app.conf.timezone, app.conf.enable_utc) == ("UTC", True)
    [entry] = SCHEDULE.values()
    moments = [datetime.fromisoformat(first).replace(tzinfo=UTC) + timedelta(minutes=minute) for minute in range(3 * 24 * 60 + 1)]
    with monkeypatch.context() as there:
        there.setenv("TZ", zone)
        time.tzset()
        for last, now in pairwise(moments):
            plan = schedule(timedelta(seconds=entry["schedule"]), nowfun=partial(datetime.fromtimestamp, now.timestamp(), UTC), app=app)
            assert plan.is_due(last) == (True, 60.0)
            assert plan.is_due(now) == (False, 60.0)
    time.tzset()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_ten_thousand_jobs_leave_the_worker_as_small_as_it_was(handler: dict) -> None:
    """B120: through Celery's own task, each with its progress said; after the first thousand the process does not grow."""
    from casino.tasks import run_job

    jobs.ensure_broker()
    Job.objects.bulk_create(Job(kind="test", key=f"many:{number}") for number in range(10_000))
    sizes = []
    for done, key in enumerate(Job.objects.filter(kind="test").order_by("pk").values_list("pk", flat=True), start=1):
        run_job.apply(args=[key])
        if done % 1_000 == 0:
            sizes.append(resident())
    assert (Job.objects.filter(kind="test", state="done").count(), handler["ran"]) == (10_000, 10_000)
    assert sizes[-1] - sizes[0] < 8 * 2**20, sizes


def resident() -> int:
    """Return this process's resident memory in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")
