"""The audit's jobs: ids in, one service called, safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from audit import draws, services
from audit.looking import look
from audit.models import ShiftReconciliation
from audit.moments import keep_moments
from audit.report_files import write_shift_report
from casino import jobs
from casino.models import Job
from tables.models import Property, Shift, ShiftEvent
from tables.selectors import shifts_in


def _shift(job: Job) -> Shift:
    return Shift.objects.select_related("property").get(uuid=job.args["shift"])


@jobs.handles("close_shift")
def close_shift(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Audit every payout of an ended shift, then have it reconciled."""
    shift = _shift(job)
    added = services.audit_payouts(shift, progress=progress)
    jobs.announce("reconcile_shift", f"reconcile_shift:{shift.uuid}:{job.key}", job.args, by=job.asked_by)
    return {"findings": len(added)}


@jobs.handles("reconcile_shift")
def reconcile_shift(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Put an ended shift together, then have its report written."""
    shift = _shift(job)
    kept = services.reconcile_shift(shift, progress=progress)
    jobs.announce("shift_report", f"shift_report:{shift.uuid}:{kept.sequence}:{job.key}", job.args, by=job.asked_by)
    jobs.announce("shift_statistics", f"shift_statistics:{shift.uuid}:{kept.sequence}", {**job.args, "sequence": kept.sequence}, by=job.asked_by)
    return {"reconciliation": str(kept.uuid), "sequence": kept.sequence, "grade": kept.grade}


@jobs.handles("shift_statistics")
def shift_statistics(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Add a reconciled shift up, look at everything to its gaming day, and draw what is to be checked where a seed was committed."""
    shift = _shift(job)
    kept = ShiftReconciliation.objects.select_related("shift__property").get(shift=shift, sequence=job.args["sequence"])
    keep_moments(kept, progress=progress)
    run = look(shift.property, shift.gaming_day)
    drawn = draws.reveal(shift) if draws.commitment_of(shift) else None
    flags = run.results.filter(flagged=True).count()
    if flags:  # the report was written already, so that no statistics can hold it up: it is written once more, with the flags
        jobs.announce("shift_report", f"shift_report:{shift.uuid}:{kept.sequence}:flags", {"shift": str(shift.uuid)}, by=job.asked_by)
    return {"run": str(run.uuid), "flags": flags, "draw": str(drawn.uuid) if drawn else None}


@jobs.handles("shift_report")
def shift_report(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Write the shift report in every format."""
    files = write_shift_report(_shift(job), by=job.asked_by, progress=progress)
    return {"files": [kept.path for kept in files]}


@jobs.every_minute
def find_due_shifts() -> None:
    """Announce the close of every ended shift that nobody announced: the audit comes and looks by itself."""
    ended = shifts_in(ShiftEvent.State.ENDED, Shift.objects.filter(reconciliations__isnull=True))
    for shift in ended:
        jobs.announce("close_shift", f"close_shift:{shift.uuid}", {"shift": str(shift.uuid)})


@jobs.every_minute
def commit_seeds_ahead() -> None:
    """Commit the seeds of the shifts of the next gaming days, where they are missing."""
    for house in Property.objects.all():
        draws.commit_seeds(house, at=timezone.now())
