"""Pages and files of the books: an account's statement, the journal, the trial balance, the accounting export. Filters are in the address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from audit.exports import FORMATS, filename, media_type
from audit.exports import render as render_report
from audit.reports import accounting, journal, statement, trial_balance
from audit.reports.books import Days, archived_in
from audit.reports.report import Column, Report, Row, Section
from audit.reports.shown import shown
from casino import roles
from casino.errors import InvalidSlip, Refused
from casino.gaming_day import gaming_day
from casino.models import User
from casino.read_only import person
from ledger.statements import PAGE, JournalLine, Key, Line, journal_lines, statement_page
from tables.books_seen import accounts_for, refuse_blind
from tables.entry_names import entry_names
from tables.models import Property

MONTH = timedelta(days=30)


@dataclass(frozen=True)
class Asked:
    """What the address asks for: whose books, which days, from where on."""

    house: Property
    days: Days
    after: Key | None
    typed: dict[str, str]
    errors: dict[str, str]


def _asked(request: HttpRequest, house: Property | None = None) -> Asked:
    """Return what the address asks for; what cannot be read is an error at its field, and the last month is shown."""
    houses = Property.objects.order_by("code")
    code = request.GET.get("property", "")
    house = house or (get_object_or_404(houses, code=code) if code else houses.first())
    if house is None:
        raise Http404(gettext("There is no property yet."))
    typed = {name: request.GET.get(name, "").strip() for name in ("from", "to", "kind")}
    errors: dict[str, str] = {}
    today = gaming_day(timezone.now(), house.zone, house.rollover)
    last = _day(typed, "to", errors) or today
    first = _day(typed, "from", errors) or last - MONTH
    try:
        days = Days(first, last)
    except InvalidSlip as error:
        errors["to"] = error.message
        days = Days(last, last)
    return Asked(house, days, Key.read(request.GET.get("after", "")), typed, errors)


def _day(typed: dict[str, str], name: str, errors: dict[str, str]) -> date | None:
    if not typed[name]:
        return None
    try:
        found = date.fromisoformat(typed[name])
        if not 1970 <= found.year <= 2199:
            raise ValueError
    except ValueError:
        errors[name] = gettext("“%(typed)s” is no day: write it as 2026-11-30.") % {"typed": typed[name][:40]}
        return None
    return found


def _file(request: HttpRequest, report: Report, fmt: str) -> HttpResponse:
    if fmt not in FORMATS:
        raise Http404(gettext("There is no such format."))
    if fmt == "pdf":
        report = replace(report, printed_by=person(request).username, printed_at=timezone.now())
    response = HttpResponse(render_report(report, fmt), content_type=media_type(fmt))
    response["Content-Disposition"] = f'attachment; filename="{filename(report, fmt)}"'
    return response


@require_safe
def statement_view(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    """Answer an account's statement: a page of its lines, or all of them as a file. What is not theirs is not there (404)."""
    user = person(request)
    _may(user, "see_accounts")
    account = get_object_or_404(accounts_for(user), pk=pk)
    refuse_blind(user, account)
    asked = _asked(request, get_object_or_404(Property, uuid=account.property))
    report = statement.build(asked.house, account, asked.days, for_user=user)
    if fmt:
        return _file(request, report, fmt)
    page = statement_page(account, first=asked.days.first, last=asked.days.last, after=asked.after)
    rows = [statement.line_row(line) for line in page.lines]
    more = {
        "account": account,
        "opening": page.opening,
        "closing": page.closing,
        "continued": asked.after is not None,
        "trail": [
            (reverse("admin:ledger_account_changelist"), gettext("Accounts")),
            (reverse("admin:ledger_account_change", args=[pk]), account.code),
        ],
    }
    return _page(request, asked, report, "lines", rows, page.next, account.code, more, name="statement", args=[pk], names=_names(page.lines))


@require_safe
def journal_view(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """Answer the journal: a page of transfers, or all of them as a file."""
    user = person(request)
    _may(user, "read_ledger")
    asked = _asked(request)
    kind = asked.typed["kind"]
    report = journal.build(asked.house, asked.days, kind=kind, for_user=user)
    if fmt:
        return _file(request, report, fmt)
    found = journal_lines(asked.house.uuid, first=asked.days.first, last=asked.days.last, kind=kind, after=asked.after, limit=PAGE + 1)
    lines = list(islice(found, PAGE + 1))
    following = lines[PAGE - 1].key if len(lines) > PAGE else None
    rows = [journal.line_row(line) for line in lines[:PAGE]]
    return _page(request, asked, report, "lines", rows, following, gettext("Journal"), {"kinds": KINDS}, name="journal", names=_names(lines[:PAGE]))


KINDS = ("round", "void", "reversal", "buy_in", "fill", "chip_credit", "issue", "stock", "variance", "drop")
"""Kinds of entries that are offered; any other works in the address."""


@require_safe
def trial_balance_view(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """Answer the trial balance."""
    return _whole(request, fmt, trial_balance.build, "accounts", gettext("Trial balance"), "trial_balance")


@require_safe
def accounting_view(request: HttpRequest, fmt: str = "") -> HttpResponse:
    """Answer the accounting export."""
    return _whole(request, fmt, accounting.build, "lines", gettext("Accounting export"), "accounting")


def _whole(request: HttpRequest, fmt: str, build: Callable[..., Report], section: str, title: str, name: str) -> HttpResponse:
    user = person(request)
    _may(user, "read_ledger")
    asked = _asked(request)
    report = build(asked.house, asked.days, for_user=user)
    if fmt:
        return _file(request, report, fmt)
    rows = list(next(part for part in report.sections if part.key == section).rows)
    return _page(request, asked, report, section, rows, None, title, {"totals": True}, name=name)


def _names(lines: Sequence[Line | JournalLine]) -> list[str]:
    """Return what the entry of each line is called, "" where it is of none. One query."""
    names = entry_names(line.key.entry for line in lines)
    return [names.get(line.key.entry, "") for line in lines]


def _may(user: User, action: str) -> None:
    if not roles.may(user.roles, action):
        raise Refused("not_allowed", gettext("%(user)s may not read these books.") % {"user": user}, action=action)


@dataclass(frozen=True)
class Cell:
    """A cell as the page shows it."""

    text: str
    is_figure: bool
    tone: str
    link: str
    title: str = ""


def _cells(rows: list[Row], columns: tuple[Column, ...], report: Report, names: Sequence[str]) -> Iterator[list[Cell]]:
    """Yield the cells of each row; where `names` says what entries are called, a page says that, and their references, as files have them, aside."""
    linked = next((column.key for column in columns if column.key in ("reference", "account")), columns[0].key)
    for place, row in enumerate(rows):
        tone = {"warn": "warn", "bad": "bad"}.get(row.emphasis, "")
        cells = []
        for value, column in zip(row.values, columns, strict=True):
            text = "" if value is None else shown(value, column, report)
            link = (row.link or "") if column.key == linked else ""
            name, title = (names[place], text) if column.key == "reference" and names and names[place] else (text, "")
            cells.append(Cell(name, not column.left, tone if column.key in row.on else "", link, title))
        yield cells


def _sums(rows: list[Row], section: Section, report: Report) -> list[Cell]:
    cells = [Cell("Total", False, "", "")]
    for place, column in enumerate(section.columns[1:], start=1):
        known = [row.values[place] for row in rows if isinstance(row.values[place], int)]
        text = shown(sum(known), column, report) if column.total and known else ""  # type: ignore[arg-type]
        cells.append(Cell(text, not column.left, "", ""))
    return cells


def _page(
    request: HttpRequest,
    asked: Asked,
    report: Report,
    section_key: str,
    rows: list[Row],
    following: Key | None,
    title: str,
    more: dict[str, Any],
    *,
    name: str,
    args: list[int] | None = None,
    names: Sequence[str] = (),
) -> HttpResponse:
    section = next(part for part in report.sections if part.key == section_key)
    kept = {key: value for key, value in {**asked.typed, "property": request.GET.get("property", "")}.items() if value}
    context = {
        **admin.site.each_context(request),
        "title": title,
        "report": report,
        "house": asked.house,
        "houses": list(Property.objects.order_by("code").values_list("code", "name")),
        "asked": asked,
        "columns": section.columns,
        "note": section.note,
        "empty": section.empty,
        "rows": list(_cells(rows, section.columns, report, names)),
        "sums": _sums(rows, section, report) if more.get("totals") and rows else None,
        "next": f"?{urlencode({**kept, 'after': str(following)})}" if following else "",
        "start": f"?{urlencode(kept)}" if asked.after else "",
        "files": [(fmt, f"{reverse(f'books:{name}', args=[*(args or []), fmt])}?{urlencode(kept)}") for fmt in FORMATS],
        "archived": archived_in(asked.days),
        "here": name,
        **more,
    }
    return render(request, "admin/ledger/books.html", context, status=400 if asked.errors else 200)
