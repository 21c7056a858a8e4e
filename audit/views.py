"""Pages and files of the audit: tonight's board, a shift's report in every format, the progress of its jobs, and reconciling again."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import admin, messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from audit import note_form, signing_panel
from audit.board import board_for, jobs_of
from audit.board_order import heads, in_order
from audit.exports import FORMATS, filename, media_type
from audit.exports import render as render_report
from audit.reports import shift as shift_report
from audit.selectors import findings_for
from audit.services import ask_reconciliation
from audit.shift_page import job_lines, progress_json
from casino import roles
from casino.alarms import unacknowledged
from casino.models import Job
from casino.read_only import person
from tables.models import Shift
from tables.selectors import shifts_for

NEWEST_FINDINGS = 6
MOST_ALARMS = 8
"""More stand on the alarms' own page, which the bar at the top counts."""


@require_safe
def tonight(request: HttpRequest) -> HttpResponse:
    """Answer the first page: alarms, the board of one's pits, the newest findings, the shift's jobs.

    `?sort=` orders the tables, `?part=board` is the part that refreshes itself.
    """
    user, order = person(request), request.GET.get("sort", "")
    board = board_for(user, at=timezone.now()) if user.has_perm("tables.view_shift") else None
    context = {
        **admin.site.each_context(request),
        "title": gettext("Tonight"),
        "board": board,
        "order": order,
        "heads": heads(order, sees_expected=board.sees_expected) if board else [],
        "tiles": in_order(board.tiles, order, sees_expected=board.sees_expected) if board else [],
        "alarms": list(unacknowledged(user)[:MOST_ALARMS]),
        "house": board.shift.property if board else None,
        "jobs": job_lines(jobs_of([board.shift])) if board else [],
        "findings": list(findings_for(user).order_by("-id")[:NEWEST_FINDINGS]) if board and user.has_perm("audit.view_finding") else [],
        "app_list": admin.site.get_app_list(request),
    }
    template = "admin/board.html" if request.GET.get("part") == "board" else "admin/index.html"
    return render(request, template, context)


def _shift(request: HttpRequest, pk: int) -> Shift:
    """Return the shift. Raises Refused where they read no reports, Http404 where it is not of their pits."""
    user = person(request)
    roles.require(user, "read_reports")
    return get_object_or_404(shifts_for(user), pk=pk)


@require_safe
def report_file(request: HttpRequest, pk: int, fmt: str) -> HttpResponse:
    """Answer the shift's report as a file; paper says who printed it and when. 409 where the shift is not reconciled yet."""
    if fmt not in FORMATS:
        raise Http404(gettext("There is no such format."))
    report = shift_report.build(_shift(request, pk), for_user=person(request))
    if fmt == "pdf":
        report = replace(report, printed_by=person(request).username, printed_at=timezone.now())
    response = HttpResponse(render_report(report, fmt), content_type=media_type(fmt))
    response["Content-Disposition"] = f'attachment; filename="{filename(report, fmt)}"'
    return response


@require_safe
def progress(request: HttpRequest, pk: int) -> JsonResponse:
    """Answer how far the shift's jobs are."""
    return JsonResponse(progress_json(_shift(request, pk), person(request)))


@require_POST
def reconcile_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Announce the shift's audit and reconciliation once more, unless that is under way, and return to its page."""
    user = person(request)
    roles.require(user, "reconcile")
    shift = _shift(request, pk)
    known = set(Job.objects.filter(kind="close_shift", args__shift=str(shift.uuid)).values_list("pk", flat=True))
    if ask_reconciliation(shift, by=user).pk in known:
        messages.info(request, _("The shift is being reconciled already."))
    else:
        messages.success(request, _("Announced: every payout is audited again, then the shift is reconciled again."))
    return HttpResponseRedirect(reverse("admin:tables_shift_change", args=[pk]))


@require_POST
def explain_variance(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep an explanation and return to the shift's page; what is wrong stands at its field there."""
    shift, user = _shift(request, pk), person(request)
    return _back_to_shift(request, shift, signing_panel.explain(shift, request.POST, by=user), gettext("The explanation is kept."), "signing")


@require_POST
def note_shift(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a note and return to the shift's page; what is wrong stands at its field there."""
    shift, user = _shift(request, pk), person(request)
    roles.require(user, "note_shift")
    return _back_to_shift(request, shift, note_form.keep(shift, request.POST, by=user), gettext("The note is kept."), "notes")


@require_POST
def sign_shift(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign the figures that were shown, with the password again, and return to the shift's page; what is wrong stands at its field there."""
    shift, user = _shift(request, pk), person(request)
    return _back_to_shift(request, shift, signing_panel.sign(shift, request.POST, by=user, at=timezone.now()), "Signed.", "signing")


def _back_to_shift(request: HttpRequest, shift: Shift, form: Form, words: str, part: str) -> HttpResponse:
    if not form.errors:
        messages.success(request, words)
        return HttpResponseRedirect(reverse("admin:tables_shift_change", args=[shift.pk]) + f"#{part}")
    request.method = "GET"  # the page is looked at again, with what was typed
    response = admin.site.get_model_admin(Shift).change_view(request, str(shift.pk), extra_context={"bound": form})
    response.status_code = 400
    return response
