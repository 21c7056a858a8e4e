"""A job is a row: announced in its transaction, done once, tried again, its failure kept."""

from __future__ import annotations

import pytest
from django.db import transaction

from casino import jobs
from casino.models import Job

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
