"""The full solve of a paytable, as a job that works in parts: each part is one short transaction that keeps how far it came.

What a killed worker loses is one part; a solve that was cancelled goes on from what was kept. Source: docs/decisions/003-jobs-are-rows.md.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext

from casino import jobs, roles
from casino.errors import NotFound
from casino.models import Job, User
from casino.transactions import in_transaction
from casino.words import gettext_noop
from tables.edge_record import as_kept
from tables.engine import edge
from tables.engine.edge_solve import SolveCancelled
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.locks import lock_name
from tables.models import PaytableSolve

KIND = "paytable_solve"
PART_SECONDS = 30.0
"""A part's length: each starts its processes anew, which takes a second."""
MOST_PROCESSES = 4


@in_transaction
def ask_solve(paytable: Paytable, *, by: User) -> PaytableSolve:
    """Return the solve of `paytable`, announced where nobody asked for it yet: one a content, whoever asks. Raises Refused."""
    roles.require(by, "propose_paytable")
    lock_name(f"solve:{paytable.sha256}")
    if (known := PaytableSolve.objects.select_related("job").filter(sha256=paytable.sha256).first()) is not None:
        return known
    job = jobs.announce(KIND, f"{KIND}:{paytable.sha256}", {"sha256": paytable.sha256, "paytable": paytable.reference}, by=by)
    return PaytableSolve.objects.create(game=paytable.game, content=paytable.canonical, sha256=paytable.sha256, job=job)


def cancel_solve(solve: PaytableSolve, *, by: User) -> Job:
    """Return the solve's job, cancelled; what is done stays kept. Raises as `jobs.cancel`."""
    return jobs.cancel(solve.job, by)


def resume_solve(solve: PaytableSolve, *, by: User) -> Job:
    """Return the solve's job, queued again; it goes on from what was kept. Raises as `jobs.resume`."""
    return jobs.resume(solve.job, by)


def solve_part(job: Job, progress: jobs.Report, *, seconds: float | None = None) -> Mapping[str, Any]:
    """Return what a part of the solve came to: `More`, `Stopped`, or the end. About `PART_SECONDS` of work, on every processor there is.

    Odds beyond exact sums end it with a `fault`: trying again would not help. Raises NotFound (`no_solve`).
    """
    solve = PaytableSolve.objects.filter(sha256=job.args["sha256"]).first()
    if solve is None:
        raise NotFound("no_solve", gettext("Nobody asked for this solve."))
    if solve.edges is not None:
        return {"done": solve.done, "of": solve.of}
    until = time.monotonic() + (PART_SECONDS if seconds is None else seconds)
    try:
        return _finish(solve, _solve(solve, progress, lambda: time.monotonic() >= until or jobs.is_cancelled(job)))
    except SolveCancelled as stopped:
        _keep(solve, stopped.progress)
        return (jobs.Stopped if jobs.is_cancelled(job) else jobs.More)(done=solve.done, of=solve.of)
    except ValueError as error:
        solve.fault = str(error)[:300]
        solve.save(update_fields=["fault"])
        return {"fault": solve.fault}


def _solve(solve: PaytableSolve, progress: jobs.Report, stop: Callable[[], bool]) -> edge.Edges:
    """Go on from what was kept. The processes that work at it are the worker's, end with the part, and with the worker if it is killed."""
    paytable = games()[solve.game].read_paytable(json.loads(bytes(solve.content)))
    kept = json.loads(zlib.decompress(bytes(solve.kept))) if solve.kept is not None else None

    def report(so_far: edge.Progress) -> None:
        solve.done, solve.of = so_far.done, so_far.of
        progress(so_far.done, so_far.of, gettext_noop("flops solved"))

    return edge.solve(paytable, kept=kept, workers=_processes(), report=report, cancelled=stop)


def _processes() -> int:
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _keep(solve: PaytableSolve, so_far: edge.Progress) -> None:
    solve.kept = zlib.compress(json.dumps(so_far.as_json(), separators=(",", ":")).encode())
    solve.save(update_fields=["done", "of", "kept"])


def _finish(solve: PaytableSolve, found: edge.Edges) -> dict[str, Any]:
    solve.kept, solve.edges = None, as_kept(found)
    solve.save(update_fields=["done", "of", "kept", "edges"])
    return found.as_json()
