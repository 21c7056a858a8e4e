"""A replay at work, in parts: each is one short transaction that keeps how far it came, and the wagers that differ.

What a killed worker loses is one part; a replay that was cancelled goes on from what was kept. The ledger, the rounds and their wagers are
only read. Source: docs/decisions/003-jobs-are-rows.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import QuerySet

from casino import jobs
from casino.models import Job
from casino.words import gettext_noop
from tables.models import ReplayDifference, ReplayRun, Round
from tables.replay import Differs, Replay, replay
from tables.services.replay_rounds import CHUNK, kept_chunk, named, rounds_of, under_of

PART_SECONDS = 10.0
MOST_KEPT = 20_000
"""How many wagers that differ a replay keeps to be looked at; all are counted and summed."""


def replay_part(job: Job, progress: jobs.Report, *, seconds: float | None = None) -> Mapping[str, Any]:
    """Return what a part of the replay came to: `More`, `Stopped`, or the whole result. About `PART_SECONDS`, `CHUNK` rounds at least.

    Raises NotFound (`no_shift`).
    """
    rounds = rounds_of(job.args)
    run = ReplayRun.objects.filter(job=job).first() or ReplayRun.objects.create(job=job, of=rounds.count(), kept=Replay().as_json())
    until = time.monotonic() + (PART_SECONDS if seconds is None else seconds)
    ended = _go_on(run, rounds, progress, lambda: time.monotonic() >= until or jobs.is_cancelled(job))
    run.save(update_fields=["done", "last", "kept"])
    if ended:
        return {"under": named(job.args), **run.kept}
    return (jobs.Stopped if jobs.is_cancelled(job) else jobs.More)(done=run.done, of=run.of)


def _go_on(run: ReplayRun, rounds: QuerySet[Round], progress: jobs.Report, stop: Callable[[], bool]) -> bool:
    """Settle chunk after chunk until `stop` says so; return whether there is none left."""
    found, under = Replay.of_json(run.kept), under_of(run.job.args)
    kept_so_far = run.differences.count()
    while chunk := list(rounds.filter(pk__gt=run.last).select_related("session__table", "paytable").order_by("pk")[:CHUNK]):
        differ: list[Differs] = []
        replay(kept_chunk(chunk), under, found=found, differs=differ.append)
        kept_so_far += _keep(run, chunk, differ[: max(0, MOST_KEPT - kept_so_far)])
        run.last, run.done = chunk[-1].pk, run.done + len(chunk)
        progress(run.done, run.of, gettext_noop("rounds settled again"))
        if len(chunk) == CHUNK and stop():
            run.kept = found.as_json()
            return False
    run.kept = found.as_json()
    return True


def _keep(run: ReplayRun, chunk: list[Round], differ: list[Differs]) -> int:
    """Keep the wagers that differ; return how many."""
    keys = {str(played.uuid): played.pk for played in chunk}
    names = ("table", "seat", "kind", "bet", "stake", "kept_win", "replayed_win")
    rows = [ReplayDifference(run=run, round_id=keys[one.uuid], **{name: getattr(one, name) for name in names}) for one in differ]
    return len(ReplayDifference.objects.bulk_create(rows, batch_size=CHUNK))
