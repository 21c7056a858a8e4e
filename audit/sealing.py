"""The sealing of a signed shift, as a job: prepared in one part, signed and published in the next. Source: spec/books.md, "Sealing a shift"."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from audit.evidence import KINDS
from audit.selectors import is_signed
from casino import jobs
from casino.errors import Conflict
from casino.models import Job
from ledger import sealing
from ledger.models import Segment, SignedCheckpoint
from tables.models import Shift

KIND = "seal_shift"


def announce(shift: Shift, **more: Any) -> Job:
    """Return the job that seals `shift`, announced in the caller's transaction: what signing does after the second signature."""
    return jobs.announce(KIND, f"seal:{shift.uuid}", {"shift": str(shift.uuid)}, **more)


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
