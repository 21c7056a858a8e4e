"""The sealing of a signed shift, as a job: prepared in one part, signed and published in the next. Source: spec/books.md, "Sealing a shift"."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from audit.evidence import KINDS
from audit.selectors import is_signed
from audit.signing_models import Signature
from casino import jobs
from casino.alarms import raise_alarm
from casino.errors import Conflict
from casino.models import Job
from ledger import sealing
from ledger.models import Segment, SignedCheckpoint
from tables.models import Shift

KIND = "seal_shift"
AGAIN_AFTER = timedelta(minutes=30)
"""So long after its five attempts a sealing is tried anew: whatever was in its way may be gone."""


def announce(shift: Shift, **more: Any) -> Job:
    """Return the job that seals `shift`, announced in the caller's transaction: what signing does after the second signature."""
    return jobs.announce(KIND, _key(shift), {"shift": str(shift.uuid)}, **more)


def seal_again(*, at: datetime) -> int:
    """Return how many sealings were queued anew: of every shift that is signed, or prepared, and whose checkpoint is not signed.

    Not while its job waits or runs, nor within half an hour after it failed, nor where somebody cancelled it. Each whose job is over raises an
    alarm, a new one every day (UTC) until it is sealed. One query, and four for each such shift.
    """
    queued = 0
    for shift in _unsealed():
        job = Job.objects.filter(key=_key(shift)).first()
        if job is None:
            announce(shift)
            queued += 1
        elif job.state not in jobs.OPEN:
            words = f"A signed shift is not sealed: {shift.kind} shift of {shift.gaming_day}."
            raise_alarm("not_sealed", f"not_sealed:{shift.uuid}:{at:%Y-%m-%d}", words, facts={"job": str(job.uuid), "error": job.error[:200]})
            queued += jobs.again(job, after=AGAIN_AFTER)
    return queued


def _unsealed() -> QuerySet[Shift]:
    done = SignedCheckpoint.objects.filter(segment__shift=OuterRef("uuid"))
    begun = Signature.objects.filter(is_final=True).values("shift_uuid").union(Segment.objects.filter(signed=None).values("shift"))
    return Shift.objects.filter(~Exists(done), uuid__in=begun).select_related("property").order_by("pk")


def _key(shift: Shift) -> str:
    return f"seal:{shift.uuid}"


def seal_part(job: Job, progress: jobs.Report, *, at: datetime) -> Mapping[str, Any]:
    """Return what this part of the job did: leaves and text first (and `More`), then, in a transaction of its own, signature and publication.

    Safe to run again after a crash at any point: what was prepared is signed as it stands. Raises Conflict (`not_signed`), and as
    ledger.sealing's `prepare` and `finish`.
    """
    shift = Shift.objects.select_related("property").get(uuid=job.args["shift"])
    if not Segment.objects.filter(shift=shift.uuid).exists():
        if not is_signed(shift):
            raise Conflict("not_signed", gettext("The %(shift)s is not signed.") % {"shift": shift})
        segment = sealing.prepare(sealing.ShiftFacts(shift.property.uuid, shift.uuid, shift.gaming_day), KINDS, at=at, tell=progress)
        return jobs.More(segment=segment.number, leaves=segment.leaf_count)
    sealing.finish()
    done = SignedCheckpoint.objects.select_related("segment").get(segment__shift=shift.uuid)
    return {"segment": done.segment_id, "leaves": done.segment.leaf_count}
