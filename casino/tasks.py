"""Celery's doors: ids in, one service called."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from casino import jobs
from casino.append_only import make_partitions


@shared_task(name="casino.tasks.run_job", bind=True)
def run_job(self: Any, job_id: int) -> None:
    """Do one job, if nobody does or did."""
    jobs.run(job_id, worker=str(self.request.hostname or ""))


@shared_task(name="casino.tasks.minute")
def minute() -> None:
    """Do what is due every minute."""
    jobs.minute()


@jobs.every_minute
def make_partitions_ahead() -> None:
    """Make this month's and the next two months' partitions, where they are missing."""
    make_partitions("default", range(3))


from casino import watch  # noqa: E402, F401 - registers its alarms, after the partitions are made
