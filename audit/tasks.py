"""The audit's jobs: ids in, one service called, safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from audit import sealing, services
from audit.report_files import write_shift_report
from casino import jobs
from casino.models import Job
from tables.models import Shift, ShiftEvent
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
    return {"reconciliation": str(kept.uuid), "sequence": kept.sequence, "grade": kept.grade}


@jobs.handles("shift_report")
def shift_report(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Write the shift report in every format."""
    files = write_shift_report(_shift(job), by=job.asked_by, progress=progress)
    return {"files": [kept.path for kept in files]}


@jobs.handles(sealing.KIND)
def seal_shift(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Seal a signed shift. Done by the sealing worker, which alone can read the key."""
    return sealing.seal_part(job, progress, at=timezone.now())


@jobs.every_minute
def find_due_shifts() -> None:
    """Announce the close of every ended shift that nobody announced: the audit comes and looks by itself."""
    known = set(Job.objects.filter(kind="close_shift").values_list("key", flat=True))
    for shift in shifts_in(ShiftEvent.State.ENDED, Shift.objects.all()):
        key = f"close_shift:{shift.uuid}"
        if key not in known:
            jobs.announce("close_shift", key, {"shift": str(shift.uuid)})
