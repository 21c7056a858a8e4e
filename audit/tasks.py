"""The audit's jobs: ids in, one service called, safe to run twice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils import timezone

from audit import changes, draws, mailings, sealing, services
from audit.looking import look
from audit.models import Mailing, ShiftReconciliation
from audit.moments import keep_moments
from audit.report_files import write_report, write_shift_report
from casino import jobs
from casino.models import Job
from tables.models import Property, RoundChange, RoundRuling, Shift, ShiftEvent
from tables.selectors import gaming_day_now, shifts_in


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


@jobs.handles("look_at_change")
def look_at_change(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Look at what an approved proposal did to a round."""
    change = RoundChange.objects.select_related("proposal__proposed_by", "by", "round", "made__session__shift__property").get(
        proposal__uuid=job.args["proposal"]
    )
    return {"findings": len(changes.look_at_change(change))}


@jobs.handles("look_at_ruling")
def look_at_ruling(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Look at an irregular round as an auditor ruled on it."""
    ruling = RoundRuling.objects.select_related("by", "round__session__shift__property").get(
        round__uuid=job.args["round"], sequence=job.args["sequence"]
    )
    return {"findings": len(changes.look_at_ruling(ruling))}


@jobs.handles(sealing.KIND)
def seal_shift(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Seal a signed shift. Done by the sealing worker, which alone can read the key."""
    return sealing.seal_part(job, progress, at=timezone.now())


@jobs.every_minute
def find_due_shifts() -> None:
    """Announce the close of every ended shift that nobody announced: the audit comes and looks by itself."""
    ended = shifts_in(ShiftEvent.State.ENDED, Shift.objects.filter(reconciliations__isnull=True))
    for shift in ended:
        jobs.announce("close_shift", f"close_shift:{shift.uuid}", {"shift": str(shift.uuid)})


@jobs.every_minute
def seal_what_is_not_sealed() -> int:
    """Queue again the sealing of signed shifts whose job failed."""
    return sealing.seal_again(at=timezone.now())


@jobs.every_minute
def commit_seeds_ahead() -> None:
    """Commit the seeds of the shifts of the next gaming days, where they are missing."""
    for house in Property.objects.all():
        draws.commit_seeds(house, at=timezone.now())


@jobs.handles("export_report")
def export_report(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Write a report of the catalogue as a file, with the rights that who asked for it has now."""
    assert job.asked_by is not None
    today = gaming_day_now(timezone.now(), job.args["filters"].get("property", ""))
    kept = write_report(job.args["report"], job.args["filters"], job.args["format"], by=job.asked_by, today=today, progress=progress)
    return {"file": str(kept.uuid), "size": kept.size, "sha256": kept.file_sha256}


@jobs.handles("mail_report")
def mail_report(job: Job, progress: jobs.Report) -> Mapping[str, Any]:
    """Send a report that somebody wants by e-mail."""
    mailing = Mailing.objects.select_related("property").get(pk=job.args["mailing"])
    return {"outcome": mailings.send(mailing, date.fromisoformat(job.args["first"]), date.fromisoformat(job.args["last"]))}


@jobs.every_minute
def find_due_mailings() -> None:
    """Announce every report by e-mail whose span has ended: one job a mailing and span, however many beats there are."""
    for mailing in Mailing.objects.filter(ended_at__isnull=True).select_related("property", "user"):
        span = mailings.due(mailing, timezone.now())
        if span is not None:
            args = {"mailing": mailing.pk, "first": span[0].isoformat(), "last": span[1].isoformat()}
            jobs.announce("mail_report", f"mail_report:{mailing.uuid}:{span[1]}", args, by=mailing.user)
