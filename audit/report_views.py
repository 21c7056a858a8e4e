"""Pages of the catalogue of reports: the list, a report with its filters in the address, its file now or by a job, by e-mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from audit.exporting import ask_export
from audit.exports import FORMATS, filename, media_type
from audit.exports import render as render_report
from audit.mailings import subscribe, unsubscribe
from audit.models import Mailing, ReportFile
from audit.report_files import printed
from audit.reports.catalogue import Catalogued, report_for, reports_for
from audit.reports.chart import svg
from audit.reports.report import Column, Report, Row, Section
from audit.reports.scope import FIELDS, Scope, read_scope
from audit.reports.shown import emphasis_of, needs_no_thought, shown
from casino import roles
from casino.errors import CasinoError, InvalidSlip
from casino.models import User
from casino.read_only import person
from tables.engine.game import games
from tables.models import Pit, Table
from tables.selectors import gaming_day_now

MOST_ROWS = 500
"""A page shows this many rows of a section; the files have them all."""
BOOKS = (
    ("books:trial_balance", _("Trial balance"), _("Every account's opening, movements and closing, debit and credit.")),
    ("books:journal", _("Journal"), _("Every transfer in its order, with its entry.")),
    ("books:accounting", _("Accounting export"), _("What each place's movements are in income and expense.")),
)
"""Reports of the books: pages of their own, since they read months in parts."""
LABELS = {"day_from": _("From"), "day_to": _("To"), "pit": _("Pit"), "table": _("Table"), "game": _("Game"), "dealer": _("Dealer")}


@dataclass(frozen=True)
class Cell:
    """One cell of a page: text, whether it is a figure, how loud, where it leads."""

    text: str
    is_figure: bool
    tone: str
    link: str


@dataclass(frozen=True)
class Part:
    """One section as the page shows it: at most `MOST_ROWS` rows, with the totals of all, and its chart as an SVG element."""

    section: Section
    rows: list[list[Cell]]
    totals: list[Cell]
    more: bool
    chart: SafeString | None = None


@dataclass(frozen=True)
class Filter:
    """One field above the report."""

    name: str
    label: str
    value: str
    error: str
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def is_day(self) -> bool:
        """Return whether it is a day."""
        return self.name.startswith("day_")


def _page(request: HttpRequest, template: str, status: int = 200, **context: Any) -> HttpResponse:
    return render(request, template, {**admin.site.each_context(request), **context}, status=status)


def _today(asked: Mapping[str, Any]) -> date:
    """Return today's gaming day at the property that is asked for."""
    return gaming_day_now(timezone.now(), str(asked.get("property", "")))


@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """Answer the list of reports that the person may read, their newest files and their mailings."""
    user = person(request)
    mine = reports_for(user)
    files = list(ReportFile.objects.filter(asked_by=user, shift__isnull=True)[:10])
    mailings = list(Mailing.objects.filter(user=user, ended_at__isnull=True))
    books = BOOKS if roles.may(user.roles, "read_ledger") else ()
    accounts = roles.may(user.roles, "see_accounts")
    return _page(
        request, "admin/reports/list.html", title=gettext("Reports"), reports=mine, files=files, mailings=mailings, books=books, accounts=accounts
    )


@require_safe
def report(request: HttpRequest, key: str) -> HttpResponse:
    """Answer one report as a page; a filter that cannot be says so at its field."""
    user = person(request)
    kind = report_for(user, key)
    try:
        scope: Scope | None = read_scope(request.GET.dict(), user, _today(request.GET), kind.action)
    except InvalidSlip as error:
        scope, errors = None, {fault.where: fault.message for fault in error.faults}
    else:
        errors = {}
    built = kind.report(scope) if scope else None
    return _page(
        request,
        "admin/reports/page.html",
        status=400 if errors else 200,
        title=kind.title,
        kind=kind,
        report=built,
        parts=[_part(section, built) for section in built.sections] if built else [],
        most=MOST_ROWS,
        filters=_filters(request, user, kind, scope, errors),
        query=urlencode({name: request.GET[name] for name in FIELDS if request.GET.get(name)}),
        asked={name: request.GET[name] for name in FIELDS if request.GET.get(name)},
        formats=FORMATS,
        rhythms=Mailing.Every.choices,
    )


@require_safe
def report_download(request: HttpRequest, key: str, fmt: str) -> HttpResponse:
    """Answer the report as a file at once; paper says who printed it, when, and which print it is."""
    user = person(request)
    if fmt not in FORMATS:
        raise Http404(gettext("There is no such format."))
    kind = report_for(user, key)
    built = kind.report(read_scope(request.GET.dict(), user, _today(request.GET), kind.action))
    if fmt == "pdf":
        built = printed(built, by=user, at=timezone.now())
    response = HttpResponse(render_report(built, fmt), content_type=media_type(fmt))
    response["Content-Disposition"] = f'attachment; filename="{filename(built, fmt)}"'
    return response


@require_POST
def report_export(request: HttpRequest, key: str) -> HttpResponse:
    """Announce the report as a file, written by a worker with progress, and go to the job."""
    user = person(request)
    said = request.POST.dict()
    token = said.get("token") or timezone.now().isoformat()
    job = ask_export(key, said, said.get("format", ""), token=token, today=_today(said), by=user)
    return HttpResponseRedirect(reverse("admin:casino_job_change", args=[job.pk]))


@require_safe
def report_kept_file(request: HttpRequest, uuid: UUID) -> FileResponse:
    """Answer a file that a job of one's own wrote."""
    kept = get_object_or_404(ReportFile, uuid=uuid, asked_by=person(request), shift__isnull=True)
    path = Path(kept.path)
    if not path.is_relative_to(settings.REPORTS) or not path.is_file():
        raise Http404(gettext("The file is not there any more."))
    return FileResponse(path.open("rb"), as_attachment=True, filename=path.name, content_type=media_type(kept.format))  # type: ignore[arg-type]


@require_POST
def report_subscribe(request: HttpRequest, key: str) -> HttpResponse:
    """Have the report sent by e-mail from now on, and return to it."""
    user = person(request)
    narrowed = {name: request.POST.get(name, "") for name in FIELDS if not name.startswith("day_")}
    scope = read_scope(narrowed, user, _today(narrowed))
    try:
        subscribe(
            key, fmt=request.POST.get("format", ""), every=request.POST.get("every", ""), house=scope.house, filters=request.POST.dict(), by=user
        )
    except CasinoError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, gettext("It goes to %(email)s, with the rights that you have when it is sent.") % {"email": user.email})
    return HttpResponseRedirect(reverse("report-page", args=[key]))


@require_POST
def report_unsubscribe(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """End a mailing of one's own, and return to the list."""
    unsubscribe(uuid, by=person(request), at=timezone.now())
    messages.success(request, _("It is not sent any more."))
    return HttpResponseRedirect(reverse("reports"))


def _part(section: Section, report: Report) -> Part:
    rows = list(islice(iter(section.rows), MOST_ROWS + 1))
    cells = [_cells(row, section.columns, report) for row in rows[:MOST_ROWS]]
    return Part(section, cells, _totals(section, report), len(rows) > MOST_ROWS, _drawing(section))


def _drawing(section: Section) -> SafeString | None:
    """Return the section's chart: `audit.reports.chart` escapes every word in it."""
    if section.chart is None or not section.chart.is_drawn:
        return None
    return SafeString(svg(section.chart, f"c-{section.key}"))


def _totals(section: Section, report: Report) -> list[Cell]:
    if not section.summed:
        return []
    values: list[Any] = [None] * len(section.columns)
    sums = [index for index, column in enumerate(section.columns) if column.total]
    for row in section.rows:
        for index in sums:
            if (value := row.values[index]) is not None:
                values[index] = value if values[index] is None else values[index] + value
    values[0] = values[0] or "Total"
    columns = (Column("total", "Total", "text"), *section.columns[1:])
    return [
        _cell(value, column, report, "", "") if value is not None else Cell("", not column.left, "", "")
        for value, column in zip(values, columns, strict=True)
    ]


def _cells(row: Row, columns: tuple[Column, ...], report: Report) -> list[Cell]:
    links = dict(row.links)
    cells = []
    for index, (value, column) in enumerate(zip(row.values, columns, strict=True)):
        tone = emphasis_of(row, column) or ("dim" if needs_no_thought(value) else "")
        cells.append(_cell(value, column, report, tone, links.get(column.key, "") or (row.link or "" if index == 0 else "")))
    return cells


def _cell(value: Any, column: Column, report: Report, tone: str, link: str) -> Cell:
    return Cell(shown(value, column, report), not column.left, tone, link)


def _filters(request: HttpRequest, user: User, kind: Catalogued, scope: Scope | None, errors: dict[str, str]) -> list[Filter]:
    """Return the fields of the report, with what was typed; days that were not typed show what they are taken for."""
    taken = {"day_from": scope.first.isoformat(), "day_to": scope.last.isoformat()} if scope else {}
    pits = roles.pits_for(user, kind.action)
    choices = {
        "pit": lambda: tuple(Pit.objects.values_list("code", "code") if pits is None else ((code, code) for code in pits)),
        "table": lambda: tuple(_tables(pits).values_list("code", "code")),
        "game": lambda: tuple((code, game.name) for code, game in games().items()),
    }
    return [
        Filter(
            name,
            str(LABELS[name]),
            request.GET.get(name, "") or taken.get(name, ""),
            errors.get(name, ""),
            choices[name]() if name in choices else (),
        )
        for name in kind.filters
    ]


def _tables(pits: roles.Pits) -> Any:
    tables = Table.objects.order_by("code")
    return tables if pits is None else tables.filter(pit__code__in=pits)
