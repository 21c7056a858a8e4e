"""The whole chain with a real Celery worker over a real broker: ended, audited, reconciled, reported; killed in the middle; done once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.db import connections

from audit.models import Finding, ReportFile, SessionReconciliation, ShiftReconciliation
from casino.jobs import ensure_broker
from casino.models import Job
from tests.builders import House, end_night, play

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.django_db(transaction=True, databases=["default", "owner"])]

WORKER_SETTINGS = """
from casino.settings import *
import json, os
for alias in DATABASES:
    DATABASES[alias] = {**DATABASES[alias], "NAME": os.environ["TEST_DATABASE"]}
CELERY_TASK_DEFAULT_QUEUE = os.environ["TEST_QUEUE"]
REPORTS = Path(os.environ["TEST_REPORTS"])
"""


@pytest.fixture
def start_worker(tmp_path: Path, reports: Path) -> Iterator[Callable[[], subprocess.Popen]]:
    """Return a function that starts a worker on this test's database and on a queue of its own."""
    from celery import current_app

    queue = f"test-{os.getpid()}-{time.monotonic_ns()}"
    before, current_app.conf.task_default_queue = current_app.conf.task_default_queue, queue
    (tmp_path / "worker_settings.py").write_text(WORKER_SETTINGS)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "worker_settings",
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        "TEST_DATABASE": connections["default"].settings_dict["NAME"],
        "TEST_QUEUE": queue,
        "TEST_REPORTS": str(reports),
    }
    ensure_broker()
    running: list[subprocess.Popen] = []
    logs = tmp_path / "worker.log"

    def start() -> subprocess.Popen:
        command = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "casino",
            "worker",
            "--concurrency",
            "1",
            "-Q",
            queue,
            "--without-gossip",
            "--without-mingle",
        ]
        with logs.open("ab") as log:
            worker = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
        running.append(worker)
        return worker

    yield start
    current_app.conf.task_default_queue = before
    for worker in running:
        _kill(worker)
    print(logs.read_text(errors="replace")[-4000:] if logs.exists() else "")


def _kill(worker: subprocess.Popen) -> None:
    """Kill -9 the worker and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def wait_for(what: Callable[[], bool], seconds: float = 90) -> None:
    """Wait until `what` is so; a deadline, not a sleep, is what fails."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, [(job.kind, job.state, job.error) for job in Job.objects.all()]
        time.sleep(0.05)


def done(kind: str) -> Callable[[], bool]:
    return lambda: Job.objects.filter(kind=kind, state=Job.State.DONE).exists()


def test_an_ended_shift_is_audited_reconciled_and_reported(house: House, start_worker: Callable, reports: Path) -> None:
    play(house, done={"1": {"ante": {"paid": 2_000}}})
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000})
    start_worker()
    wait_for(done("shift_report"))
    wait_for(done("shift_statistics"))
    assert sorted(Finding.objects.values_list("kind", flat=True)) == ["count_variance", "overpaid"]
    assert ShiftReconciliation.objects.get().grade == "counted"
    files = {kept.format: Path(kept.path) for kept in ReportFile.objects.all()}
    assert sorted(files) == ["csv", "json", "pdf", "xlsx"]
    assert all(path.is_relative_to(reports) and path.stat().st_size > 500 for path in files.values())
    content = json.loads(files["json"].read_text())
    assert content["sha256"] == ReportFile.objects.get(format="pdf").content_sha256
    chain = [(job.kind, job.state, job.attempts) for job in Job.objects.order_by("id")]
    assert chain == [("close_shift", "done", 1), ("reconcile_shift", "done", 1), ("shift_report", "done", 1), ("shift_statistics", "done", 1)]


def test_a_worker_killed_in_the_middle_of_reconciling_is_finished_once_by_the_next(house: House, start_worker: Callable) -> None:
    """A lock of ours stops the worker after its first rows were written; kill -9; the next worker does it all, once."""
    play(house)
    end_night(house, closers={"UTH-01": -5_000})
    params = connections["owner"].get_connection_params()
    keys = {key: params[key] for key in ("host", "port", "dbname", "user", "password")}
    with psycopg.connect(**keys) as blocker:
        blocker.execute("LOCK TABLE audit_findingevent IN SHARE MODE")
        first = start_worker()

        def in_the_middle() -> bool:
            waiting = blocker.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'audit_findingevent'::regclass")
            return waiting.fetchone()[0] == 1

        wait_for(in_the_middle)
        assert Job.objects.get(kind="reconcile_shift").state == Job.State.RUNNING
        assert ShiftReconciliation.objects.count() == 0
        _kill(first)
        blocker.rollback()
    start_worker()
    wait_for(done("shift_report"))
    job = Job.objects.get(kind="reconcile_shift")
    assert (job.state, job.attempts) == (Job.State.DONE, 2)
    assert (ShiftReconciliation.objects.count(), SessionReconciliation.objects.count()) == (1, 3)
    assert Finding.objects.filter(kind="count_variance").count() == 1


def test_a_broker_that_is_down_loses_nothing(house: House, start_worker: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    """The announcement is a row: what nobody could send, the next worker takes when it is ready."""
    from celery import current_app
    from kombu.exceptions import OperationalError

    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("down")

    play(house)
    with monkeypatch.context() as patched:
        patched.setattr(current_app, "send_task", refuse)
        end_night(house)
    assert Job.objects.get(kind="close_shift").state == Job.State.QUEUED
    start_worker()
    wait_for(done("shift_report"))


def test_two_workers_and_double_delivery_have_one_effect(house: House, start_worker: Callable) -> None:
    from casino.jobs import nudge

    play(house, done={"1": {"ante": {"paid": 2_000}}})
    end_night(house)
    start_worker(), start_worker()
    for job in Job.objects.all():
        for _ in range(5):
            nudge(job.pk)
    wait_for(done("shift_report"))
    wait_for(done("shift_statistics"))
    assert {job.state for job in Job.objects.all()} == {Job.State.DONE}
    assert (ShiftReconciliation.objects.count(), Finding.objects.count(), ReportFile.objects.count()) == (1, 1, 4)
