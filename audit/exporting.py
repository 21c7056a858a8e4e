"""Asking for a report as a file: a job with progress writes it, with the rights that who asked has when it is written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from uuid import UUID

from audit.exports import FORMATS
from audit.models import ReportFile
from audit.reports.catalogue import report_for
from audit.reports.scope import FIELDS, read_scope
from casino import jobs
from casino.errors import InvalidSlip, NotFound
from casino.models import Job, User
from casino.transactions import in_transaction
from casino.words import gettext

LONGEST_TOKEN = 60


@in_transaction
def ask_export(report: str, filters: Mapping[str, str], fmt: str, *, token: str, today: date, by: User) -> Job:
    """Return the job that writes `report`, narrowed by `filters`, in `fmt`; the same `token` again by the same person is the same job.

    Raises NotFound, Refused, InvalidSlip (`bad_format` at `format`, `bad_type` at `token`, `bad_filter` at each field that is wrong).
    """
    kind = report_for(by, report)
    if fmt not in FORMATS:
        raise InvalidSlip(
            "bad_format", gettext("“%(fmt)s” is none of %(formats)s.") % {"fmt": fmt[:10], "formats": ", ".join(FORMATS)}, where="format"
        )
    if not token or len(token) > LONGEST_TOKEN:
        raise InvalidSlip("bad_type", gettext("A token is a text of 1 to %(most)s characters.") % {"most": LONGEST_TOKEN}, where="token")
    kept = {name: filters[name] for name in FIELDS if filters.get(name)}
    read_scope(kept, by, today, kind.action)
    return jobs.announce("export_report", f"export_report:{token}:{by.pk}", {"report": report, "filters": kept, "format": fmt}, by=by)


def file_of(user: User, uuid: UUID) -> ReportFile:
    """Return a file that a job of `user` wrote. Raises NotFound (`no_file`)."""
    found = ReportFile.objects.filter(uuid=uuid, asked_by=user, shift__isnull=True).first()
    if found is None:
        raise NotFound("no_file", gettext("There is no such file of yours."))
    return found
