"""The full solve of what is drafted or proposed: asked for, watched, cancelled, taken up again; and the progress of any job of the workshop."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from casino import jobs
from casino.errors import BrokenBooks, CasinoError
from casino.models import Job, User
from casino.words import gettext_noop
from tables.admin.workshop_pages import job_line, mark_of, progress, someone_who_may
from tables.engine.paytable import Paytable
from tables.models import PaytableDraft, PaytableSolve
from tables.services import replay, solves
from tables.services.paytables import paytable_of

KINDS = (solves.KIND, *replay.KINDS)


def solve_of(paytable: Paytable) -> dict[str, Any]:
    """Return what a page shows of the solve of `paytable`, nothing where nobody asked for it. Two queries."""
    solve = PaytableSolve.objects.select_related("job").filter(sha256=paytable.sha256).first()
    if solve is None:
        return {}
    return {"solve": solve, "job": solve.job, "jobs": [_with_kept(solve)], "mark": mark_of(solve.job)}


def _with_kept(solve: PaytableSolve) -> dict[str, Any]:
    """Return the job's line; while no worker says how far it is, what was kept does."""
    kept = {"done": solve.done, "total": solve.of, "step": gettext_noop("flops solved")} if solve.of and solve.edges is None else {}
    return {**kept, **job_line(solve.job)}


@require_POST
def ask_solve(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Ask for the full solve of a draft as it is kept, and return to where it was asked from."""
    user = someone_who_may(request, "propose_paytable")
    solves.ask_solve(paytable_of(get_object_or_404(PaytableDraft, uuid=uuid)), by=user)
    messages.success(request, _("The full solve is announced. It goes on from where it was, if it was begun before."))
    return redirect(_back(request))


@require_POST
def order_job(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Cancel a job of the workshop, or take it up again, and return to where that was said."""
    user = someone_who_may(request, "propose_paytable", "replay")
    job = get_object_or_404(Job, uuid=uuid, kind__in=KINDS)
    _order(request, user, job)
    return redirect(_back(request))


def _order(request: HttpRequest, user: User, job: Job) -> None:
    order = _ORDERS.get(request.POST.get("action", ""))
    if order is None:
        messages.error(request, gettext("Nothing was done: a job is told %(orders)s.") % {"orders": " or ".join(_ORDERS)})
        return
    verb, done = order
    try:
        verb(job, user)
    except CasinoError as error:
        if isinstance(error, BrokenBooks):
            raise
        messages.error(request, error.message)
    else:
        messages.success(request, done)


_ORDERS = {
    "cancel": (jobs.cancel, _("Cancelled. What is done till now stays kept.")),
    "resume": (jobs.resume, _("Taken up again, from what was kept.")),
}
"""What a job may be told, the verb, and what is said when it is done."""


@require_safe
def job_progress(request: HttpRequest, uuid: UUID) -> JsonResponse:
    """Answer how far a job of the workshop is."""
    someone_who_may(request, "see_workshop", "replay")
    return JsonResponse(progress(get_object_or_404(Job, uuid=uuid, kind__in=KINDS)))


def _back(request: HttpRequest) -> str:
    back = request.POST.get("back", "")
    return back if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None) else "admin:tables_workshop"
