"""What nobody should have to notice: jobs that are stuck or failed, and months without partitions, raise alarms every minute."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.db.models.functions import Now

from casino import jobs
from casino.alarms import raise_alarm
from casino.append_only import missing_partitions
from casino.models import Job

STUCK_AFTER = timedelta(minutes=15)
"""A job that has waited or run for this long is worth a look."""


@jobs.every_minute
def alarm_for_stuck_jobs() -> int:
    """Raise an alarm for every open job that waits or runs for too long and for every one that failed; return how many there are. A query and
    two for each that is new."""
    late = Q(state=Job.State.QUEUED, due_at__lt=Now() - STUCK_AFTER) | Q(state=Job.State.RUNNING, started_at__lt=Now() - STUCK_AFTER)
    lately = Q(state=Job.State.FAILED, finished_at__gt=Now() - timedelta(days=1))
    found = list(Job.objects.filter(late | lately).order_by("id")[:200])
    for job in found:
        word = "failed" if job.state == Job.State.FAILED else f"has been {job.state} for more than {int(STUCK_AFTER.total_seconds() // 60)} minutes"
        # a job that was taken up again and fails again is a new cause
        cause = f"job:{job.pk}:{job.state}:{(job.finished_at or job.started_at or job.due_at):%Y%m%d%H%M%S}"
        raise_alarm("job_stuck", cause, f"The job “{job.kind.replace('_', ' ')}” {word}.", facts={"job": str(job.uuid), "error": job.error[:200]})
    return len(found)


@jobs.every_minute
def alarm_for_missing_partitions() -> int:
    """Raise an alarm for each month ahead that has no partition after they were to be made; return how many are missing."""
    missing = missing_partitions("default")
    for name in missing:
        raise_alarm("partition_missing", f"partition:{name}", f"The partition {name} is not there: postings of its month would be refused.")
    return len(missing)
