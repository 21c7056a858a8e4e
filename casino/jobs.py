"""Jobs: rows first, Celery second. The row is the truth, its lock is the lease, a message only wakes a worker up.

A job's work and its `done` commit together; a killed worker's lock is gone with its connection, and whoever looks next (a worker that
gets ready, or beat's minute) sends the job again. Work that is too long for one transaction is done in parts: a handler keeps what it has
and returns `More`, which puts the job back into the queue in that same transaction; what a killed worker loses is one part.
Source: spec/books.md "Posting"; design/foundations.md, 5.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, TypeVar

import redis
from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext

from casino import embedded, roles
from casino.errors import Conflict, Refused
from casino.models import Job, JobEvent, User
from casino.transactions import in_transaction
from casino.words import word

log = logging.getLogger(__name__)
R = TypeVar("R")

OPEN = (Job.State.QUEUED, Job.State.RUNNING)
MOST_ATTEMPTS = 5
PROGRESS_SECONDS = 3600
QUEUES: Mapping[str, str] = {"seal_shift": "seal"}
"""Kinds of jobs that go to a queue, and so to a worker, of their own; all others go to the common one."""


class Report(Protocol):
    """What a handler calls to say how far it is."""

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Say that `done` of `total` steps are done."""


class More(dict[str, Any]):
    """A handler's answer: what is done is kept, there is more to do, run the job again."""


class Stopped(dict[str, Any]):
    """A handler's answer: it saw that the job was cancelled; what was done till then is kept."""


Handler = Callable[[Job, Report], Mapping[str, Any] | None]
_HANDLERS: dict[str, Handler] = {}
_EVERY_MINUTE: list[Callable[[], object]] = []


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Return the decorator that makes a function the handler of jobs of `kind`: job and progress in, the job's result out.

    The handler runs inside the transaction that also marks the job done, and must be safe to run twice. One that works in parts returns
    `More` after each but the last, and asks `is_cancelled` now and then, to return `Stopped`.
    """

    def keep(handler: Handler) -> Handler:
        _HANDLERS[kind] = handler
        return handler

    return keep


def every_minute(function: Callable[[], R]) -> Callable[[], R]:
    """Register `function` to be called by beat's minute; what it returns is for others who call it."""
    _EVERY_MINUTE.append(function)
    return function


def minute() -> None:
    """Run what is due every minute; one that fails does not keep the others from their turn."""
    for function in _EVERY_MINUTE:
        try:
            function()
        except Exception:
            log.exception("%s failed", function.__name__)
    send_due()


def announce(kind: str, key: str, args: Mapping[str, Any] | None = None, *, by: User | None = None) -> Job:
    """Return the job of `kind` and `key`, inserted in the caller's transaction where there is none yet; nudge a worker after commit."""
    job, _ = Job.objects.get_or_create(key=key, defaults={"kind": kind, "args": dict(args or {}), "asked_by": by})
    transaction.on_commit(lambda: nudge(job.pk))
    return job


def jobs_for(user: User) -> QuerySet[Job]:
    """Return the jobs that `user` asked for, or, for an administrator, all; each with who asked."""
    found = Job.objects.select_related("asked_by")
    return found if roles.may(user.roles, "see_all_jobs") else found.filter(asked_by=user)


@in_transaction
def cancel(job: Job, by: User) -> Job:
    """Return the job, cancelled: at once where nobody works at it, else as soon as its handler asks; a part that ends first stays done.

    Raises Refused (`not_yours`), Conflict (`job_over`).
    """
    _tell(job, JobEvent.Action.CANCEL, by, from_states=OPEN)
    free = Job.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=job.pk, state__in=OPEN).first()
    if free is not None:
        _close_cancelled(free)
    job.refresh_from_db()
    return job


@in_transaction
def resume(job: Job, by: User) -> Job:
    """Return the job, queued again after it was cancelled or had failed; it goes on from what was kept. Raises as `cancel`."""
    _tell(job, JobEvent.Action.RESUME, by, from_states=(Job.State.CANCELLED, Job.State.FAILED))
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, attempts=0, error="", result=None, due_at=Now(), finished_at=None)
    transaction.on_commit(lambda: nudge(job.pk))
    job.refresh_from_db()
    return job


def again(job: Job, *, after: timedelta) -> bool:
    """Queue a job anew that failed more than `after` ago, without anybody's word, and return whether; its last error stays to be read till then.

    For what has to be done at some time, whatever was in its way. One that is open, done or cancelled stays as it is.
    """
    queued = Job.objects.filter(pk=job.pk, state=Job.State.FAILED, finished_at__lt=Now() - after)
    if not queued.update(state=Job.State.QUEUED, attempts=0, due_at=Now(), finished_at=None):
        return False
    transaction.on_commit(lambda: nudge(job.pk))
    return True


def is_cancelled(job: Job) -> bool:
    """Return whether somebody cancelled `job` since it was queued; also while it runs. One query."""
    return JobEvent.objects.filter(job=job).order_by("-sequence").values_list("action", flat=True).first() == JobEvent.Action.CANCEL


def _tell(job: Job, action: str, by: User, *, from_states: tuple[Job.State, ...]) -> None:
    """Add an event of the job: a row of its own, as the job's is locked by whoever works at it. Again what was said last adds nothing."""
    if job.asked_by_id != by.pk and not roles.may(by.roles, "see_all_jobs"):
        raise Refused("not_yours", gettext("%(kind)s was asked for by somebody else.") % {"kind": word(job.kind)})
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"job:{job.pk}"])
    job.refresh_from_db()
    if job.state not in from_states:
        raise Conflict("job_over", gettext("The job is %(state)s.") % {"state": word(job.state)}, state=job.state)
    last = JobEvent.objects.filter(job=job).order_by("-sequence").first()
    if last is None or last.action != action:
        JobEvent.objects.create(job=job, sequence=last.sequence + 1 if last else 1, action=action, by=by)


def _close_cancelled(job: Job) -> None:
    job.state, job.finished_at = Job.State.CANCELLED, Now()
    job.save(update_fields=["state", "finished_at"])


def ensure_broker() -> None:
    """Start or join the embedded broker, where that is the one in use."""
    if settings.EMBEDDED_BROKER:
        embedded.ensure(settings.STATE, durable=settings.DURABLE)


def nudge(job_id: int) -> None:
    """Wake a worker up. A broker that is down, whatever it raises, is logged: the row is there, and beat sends what nobody took."""
    try:
        ensure_broker()
        kind = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first() or ""
        queue = {"queue": QUEUES[kind]} if kind in QUEUES else {}
        current_app.send_task("casino.tasks.run_job", args=[job_id], retry=False, **queue)
    except Exception as error:
        log.warning("job %s waits for the minute: the broker does not answer (%s)", job_id, error)


def send_due() -> int:
    """Send every open job that is due, and return how many. A second message for one that runs finds it locked and goes away."""
    due = list(Job.objects.filter(state__in=OPEN, due_at__lte=Now()).order_by("id").values_list("pk", flat=True)[:1000])
    for job_id in due:
        nudge(job_id)
    return len(due)


def run(job_id: int, worker: str = "") -> bool:
    """Do the job unless somebody does or did; return whether this call finished it. A failure is kept on the row and tried again."""
    if not _begin(job_id, worker):
        return False
    try:
        return _work(job_id)
    except Exception as error:
        log.exception("job %s failed", job_id)
        _keep_failure(job_id, error)
        return False


def _begin(job_id: int, worker: str) -> bool:
    """Mark the job as running, in a transaction of its own, so that everyone can see it."""
    with transaction.atomic():
        job = Job.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=job_id, state__in=OPEN).first()
        if job is None:
            return False
        if is_cancelled(job):
            _close_cancelled(job)
            return False
        if job.attempts >= MOST_ATTEMPTS:
            job.state, job.finished_at = Job.State.FAILED, Now()
            job.error = job.error or f"the worker died {job.attempts} times at it"
            job.save(update_fields=["state", "finished_at", "error"])
            return False
        job.state, job.started_at, job.worker, job.attempts = Job.State.RUNNING, Now(), worker, job.attempts + 1
        job.save(update_fields=["state", "started_at", "worker", "attempts"])
        return True


def _work(job_id: int) -> bool:
    with transaction.atomic():
        # no_key: an event of the job refers to it, and must get in while somebody works at it
        job = Job.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=job_id, state=Job.State.RUNNING).first()
        if job is None:
            return False
        progress = Progress(job.pk)
        result = _HANDLERS[job.kind](job, progress)
        _keep_answer(job, result)
    if not isinstance(result, More):
        progress.end()
    return job.state == Job.State.DONE


def _keep_answer(job: Job, result: Mapping[str, Any] | None) -> None:
    """Write what came of it, in the transaction of the work: done, stopped, or queued for its next part, with all attempts before it."""
    job.error, job.result = "", dict(result) if result is not None else None
    if isinstance(result, More):
        job.state, job.attempts, job.due_at = Job.State.QUEUED, 0, Now()
        transaction.on_commit(lambda: nudge(job.pk))
    else:
        job.state, job.finished_at = Job.State.CANCELLED if isinstance(result, Stopped) else Job.State.DONE, Now()
    job.save(update_fields=["state", "finished_at", "error", "result", "attempts", "due_at"])


def _keep_failure(job_id: int, error: Exception) -> None:
    with transaction.atomic():
        job = Job.objects.select_for_update(no_key=True).get(pk=job_id)
        if job.state not in OPEN:
            return
        job.error = f"{type(error).__name__}: {error}".replace("\x00", "\ufffd")[:10_000]
        if job.attempts >= MOST_ATTEMPTS:
            job.state, job.finished_at = Job.State.FAILED, Now()
        else:
            job.state, job.due_at = Job.State.QUEUED, Now() + timedelta(seconds=5 * 2**job.attempts)
        job.save(update_fields=["error", "state", "finished_at", "due_at"])


@dataclass(frozen=True)
class Step:
    """How far a running job is."""

    done: int
    total: int
    what: str


class Progress:
    """Says how far a job is, through Valkey: the job's own transaction is not seen before it ends. Nothing depends on it."""

    def __init__(self, job_id: int) -> None:
        self._key = f"pitbook:job:{job_id}:progress"
        self._client = broker_client()
        self._last = 0.0

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Say it, ten times a second at most; the last step always."""
        if done < total and time.monotonic() - self._last < 0.1:
            return
        self._last = time.monotonic()
        try:
            self._client.set(self._key, json.dumps([done, total, what]), ex=PROGRESS_SECONDS)
        except redis.RedisError as error:
            log.debug("progress not said: %s", error)

    def end(self) -> None:
        """Forget it: the row says done."""
        try:
            self._client.delete(self._key)
        except redis.RedisError as error:
            log.debug("progress not ended: %s", error)


def progress_of(job: Job) -> Step | None:
    """Return how far a running job is, in the reader's language, or None where nobody knows."""
    try:
        said = broker_client().get(f"pitbook:job:{job.pk}:progress")
    except redis.RedisError:
        return None
    if not said:
        return None
    done, total, what = json.loads(said)
    return Step(done, total, what and gettext(what))


def broker_client() -> redis.Redis:
    """Return a client of the Redis-protocol server, embedded or elsewhere."""
    url = settings.REDIS_URL
    if not url:
        assert settings.SERVERS is not None
        url = settings.SERVERS.redis_url(db=1)
    return redis.Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2)
