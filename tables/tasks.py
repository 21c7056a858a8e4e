"""The floor's jobs: ids in, one service called, safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from casino import jobs
from casino.models import Job
from tables.services import import_files, replay, replay_parts, solves


@jobs.handles(solves.KIND)
def paytable_solve(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Work out a paytable's best play, a part at a time."""
    return solves.solve_part(job, progress)


@jobs.handles(replay.KIND)
@jobs.handles(replay.MONTH_KIND)
def replay_rounds(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Settle a shift's or a month's rounds again under another version or rule, a part at a time."""
    return replay_parts.replay_part(job, progress)


@jobs.handles(import_files.KIND)
def import_rounds(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Import a file of slips, whole or not at all."""
    return import_files.run_import(job, progress, at=timezone.now())
