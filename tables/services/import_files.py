"""A file of slips that a worker imports: kept byte for byte, announced as a job, and its answer kept with the job."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, override

from casino import jobs, roles
from casino.errors import CasinoError, InvalidSlip, NotFound
from casino.models import Job, User
from casino.transactions import in_transaction
from casino.words import language
from tables.models import ImportFile
from tables.services.bulk_rounds import ImportResult, import_rounds

KIND = "import_rounds"
LARGEST_FILE = 32 * 2**20
"""Bytes; some 25,000 slips. More is several files, or the command."""


@in_transaction
def ask_import(content: bytes, *, name: str, by: User, dry_run: bool = False) -> Job:
    """Return the job that imports the file, announced now; it says in its result what came of it, in the language of whoever asks.

    Raises Refused (`not_allowed`), InvalidSlip (`no_file`, `too_large`).
    """
    roles.require(by, "import")
    if not content.strip():
        raise InvalidSlip("no_file", gettext("The file is empty."), where="file")
    if len(content) > LARGEST_FILE:
        raise InvalidSlip(
            "too_large",
            gettext("The file is larger than %(megabytes)s MB: hand it in in parts.") % {"megabytes": LARGEST_FILE // 2**20},
            where="file",
        )
    kept = ImportFile.objects.create(name=name[:200] or "slips", content=content, by=by)
    return jobs.announce(KIND, f"{KIND}:{kept.uuid}", {"file": str(kept.uuid), "dry_run": dry_run, "language": language()}, by=by)


def run_import(job: Job, progress: jobs.Report, *, at: datetime) -> Mapping[str, Any]:
    """Return what came of the job's file: `ImportResult.as_json`, in the language in which it was handed in.

    What cannot be imported is an answer, not a failure to be tried again.
    """
    with override(job.args.get("language", "en")):
        return _imported(job, progress, at)


def _imported(job: Job, progress: jobs.Report, at: datetime) -> Mapping[str, Any]:
    kept = ImportFile.objects.select_related("by").filter(uuid=job.args["file"]).first()
    if kept is None:
        raise NotFound("no_file", gettext("There is no such file."))
    lines, is_csv = io.BytesIO(bytes(kept.content)), kept.name.lower().endswith(".csv")
    try:
        result = import_rounds(lines, by=kept.by, at=at, name=kept.name, csv=is_csv, dry_run=job.args["dry_run"], progress=progress)
    except CasinoError as error:
        if error.status >= 500 or error.code == "busy":
            raise
        return {**ImportResult(kept.name, dry_run=job.args["dry_run"]).as_json(), "error_count": 1, **error.as_json()}
    return result.as_json()
