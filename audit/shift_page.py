"""What a shift's page shows: its state, the reconciliation line by line, three proofs of one figure, where the gap is. Reads, decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Sum
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from audit.board import Board, board_for, jobs_of
from audit.handover import Left, left_over, report_link
from audit.models import SessionReconciliation, ShiftReconciliation
from audit.reports import shift as shift_report
from audit.reports.report import Column, Report, Row, Section
from audit.reports.shown import emphasis_of, needs_no_thought, shown
from audit.selectors import findings_for, latest_reconciliation
from audit.sign_blockers import ToSign
from audit.signing_selectors import grade_of
from audit.win_chart import WinChart, win_chart
from casino import roles
from casino.jobs import progress_of
from casino.models import Job, User
from casino.words import word
from ledger.models import Entry
from tables.models import PaytableVersion, Shift, ShiftEvent
from tables.paytable_selectors import placed_in

COLUMNS = {
    "table": _("Table"),
    "opener": _("Opener"),
    "closer": _("Closer"),
    "rounds": _("Rounds"),
    "handle": _("Handle"),
    "pots": _("Pots"),
    "drop": _("Drop"),
    "win_by_count": _("Win by count"),
    "win_by_play": _("Win by play"),
    "hold": _("Hold"),
    "tray_variance": _("Tray var."),
    "drop_variance": _("Drop var."),
    "payout_variance": _("Payout var."),
    "theoretical_win": _("Theoretical"),
    "findings": _("Findings"),
}
"""The columns of the shift report that the page has room for, with their short heads; the files have them all."""
LEADS_TO = {
    **dict.fromkeys(("table", "rounds", "handle", "pots", "win_by_play", "hold", "theoretical_win"), "rounds"),
    **dict.fromkeys(("opener", "closer", "drop", "win_by_count", "tray_variance", "drop_variance"), "session"),
    "payout_variance": "off",
    "findings": "findings",
}
"""What each figure is made of: rounds, the rounds that are off, findings, or the session with its counts, slips and entries."""
MOST_FINDINGS = 6


@dataclass(frozen=True)
class Cell:
    """One cell: its text, whether it is a figure, its tone ("", "dim", "bad", "warn"), where it leads."""

    text: str
    is_figure: bool
    tone: str = ""
    link: str = ""


@dataclass(frozen=True)
class Proof:
    """One of the ways to the shift's win."""

    name: str
    amount: int | None
    how: str
    tone: str = ""
    link: str = ""


@dataclass(frozen=True)
class Gap:
    """One place where something is off."""

    what: str
    amount: int
    words: str
    link: str


@dataclass(frozen=True)
class Mispaid:
    """The findings of one kind together: how many, and their effect on the house."""

    words: str
    kind: str
    count: int
    effect: int


@dataclass(frozen=True)
class JobLine:
    """A job as the page tells it."""

    what: str
    state: str
    said: str
    done: int
    total: int
    step: str
    error: str


class ShiftPage:
    """The values of a shift's page for one person; each is read when it is asked for."""

    formats = ("pdf", "xlsx", "csv", "json")

    def __init__(self, shift: Shift, user: User, *, at: datetime) -> None:
        self.shift, self.user, self.at = shift, user, at
        self.house = shift.property
        self.state = str(getattr(shift, "state", ""))
        self.ended = shift.events.filter(state=ShiftEvent.State.ENDED).select_related("by").first()
        self.known = ToSign(shift)
        self.kept: ShiftReconciliation | None = self.known.kept
        self.grade = grade_of(self.kept, self.known.signatures) if self.kept else ""
        pits = roles.pits_for(user, "read_reports")
        self.lines = shift_report.lines_in(self.known.lines, pits)
        self.report: Report | None = shift_report.build_tables(shift, self.kept, self.lines, pits) if self.kept else None
        self.findings = list(findings_for(user).filter(shift=shift).order_by("flag", "severity", "id")[:MOST_FINDINGS])
        self.jobs = job_lines(jobs_of([shift]))
        self.may_reconcile = roles.may(user.roles, "reconcile") and self.state == ShiftEvent.State.ENDED
        self.may_replay = roles.may(user.roles, "replay")

    @property
    def mark(self) -> str:
        """Return what changes when there is something new to show."""
        return _mark(self.shift, self.user, self.kept)

    @property
    def board(self) -> Board | None:
        """Return the tables of a shift that is not put together yet."""
        return None if self.kept else board_for(self.user, at=self.at, shift=self.shift)

    @property
    def left_over(self) -> list[Left]:
        """Return what the next shift takes over."""
        return left_over(self.shift, self.user)

    @property
    def handover_report(self) -> str:
        """Return the address of the handover list, where there is one."""
        return report_link(self.shift)

    # ---- the table ----

    @property
    def _section(self) -> Section:
        assert self.report is not None
        return self.report.sections[0]

    @property
    def columns(self) -> list[Column]:
        """Return the columns of the page; pots only where a pot game was dealt."""
        found = {column.key: column for column in self._section.columns}
        keys = [key for key in COLUMNS if key in found and (key != "pots" or self._has_pots)]
        return [replace(found[key], label=str(COLUMNS[key])) for key in keys]

    @property
    def _has_pots(self) -> bool:
        place = [column.key for column in self._section.columns].index("pots")
        return any(row.values[place] for row in self._section.rows)

    @property
    def rows(self) -> list[list[Cell]]:
        """Return a row a session, each figure as the files say it, and leading to what it is made of."""
        return [self._cells(row, self._ways(line)) for row, line in zip(self._section.rows, self.lines, strict=True)]

    @property
    def totals(self) -> list[Cell]:
        """Return the house's row."""
        row = self._section.totals
        if row is None:
            return []
        head, *cells = self._cells(row, self._ways(None))
        return [replace(head, text=gettext(head.text)), *cells]

    def _cells(self, row: Row, ways: Mapping[str, str]) -> list[Cell]:
        assert self.report is not None
        values = dict(zip((column.key for column in self._section.columns), row.values, strict=True))
        cells = []
        for column in self.columns:
            value = values[column.key]
            tone = emphasis_of(row, column) or ("dim" if needs_no_thought(value) else "")
            if column.key == "findings" and value:
                tone = "bad"
            link = "" if value is None else ways.get(LEADS_TO[column.key], "")
            cells.append(Cell(shown(value, column, self.report), not column.left, tone, link))
        return cells

    def _ways(self, line: SessionReconciliation | None) -> dict[str, str]:
        """Return where figures of a session lead, or of the whole shift; only to what the person may open."""
        table = {"table": line.session.table.code} if line else {}
        ways = {}
        if self.user.has_perm("tables.view_round"):
            ways["rounds"] = self._list("tables_round", **table)
            ways["off"] = self._list("tables_round", **table, off="yes")
        if self.user.has_perm("audit.view_finding"):
            ways["findings"] = self._list("audit_finding", **table)
        if self.user.has_perm("tables.view_tablesession"):
            one = reverse("admin:tables_tablesession_change", args=[line.session_id]) if line else ""
            ways["session"] = one or self._list("tables_tablesession")
        return ways

    def _list(self, name: str, **narrowed: str) -> str:
        return f"{reverse(f'admin:{name}_changelist')}?{urlencode({'shift': self.shift.pk, **narrowed})}"

    # ---- proofs and gaps ----

    @property
    def proofs(self) -> list[Proof]:
        """Return win by count, by play and by the books, and the gap between what was counted and what was played."""
        counted, played = _total(self.lines, "win_by_count"), _total(self.lines, "win_by_play") or 0
        books = played - (_total(self.lines, "book_variance") or 0)
        rounds = sum(line.rounds for line in self.lines)
        entries = Entry.objects.filter(shift=self.shift.uuid).count()
        gap = None if counted is None else counted - played
        ways = self._ways(None)
        sessions, dealt = ways.get("session", ""), ways.get("rounds", "")
        books_at = self._list("ledger_entry") if self.user.has_perm("ledger.view_entry") else ""
        return [
            Proof(gettext("Win by count"), counted, gettext("drop + closer + chip credits − opener − fills"), link=sessions),
            Proof(
                gettext("Win by play"),
                played,
                ngettext("%(rounds)s round: collected − paid", "%(rounds)s rounds: collected − paid", rounds) % {"rounds": f"{rounds:,}"},
                link=dealt,
            ),
            Proof(
                gettext("Ledger"),
                books,
                ngettext(
                    "%(entries)s entry of the shift, balanced by its shape", "%(entries)s entries of the shift, balanced by their shape", entries
                )
                % {"entries": f"{entries:,}"},
                "" if books == played else "bad",
                books_at,
            ),
            Proof(
                gettext("Gap"),
                gap,
                gettext("count − play, placed below to the unit") if gap else gettext("nothing to place"),
                "bad" if gap else "dim",
                sessions if gap else "",
            ),
        ]

    @property
    def gaps(self) -> list[Gap]:
        """Return every tray, box or book that is off."""
        found = []
        for line in self.lines:
            link = reverse("admin:tables_tablesession_change", args=[line.session_id])
            for what, name in ((gettext("Tray"), "tray_variance"), (gettext("Drop"), "drop_variance"), (gettext("Books"), "book_variance")):
                amount = getattr(line, name)
                if amount:
                    words = gettext("rounds and entries disagree") if name == "book_variance" else gettext("over") if amount > 0 else gettext("short")
                    found.append(Gap(f"{what} {line.session.table.code}", amount, words, link))
        return found

    @property
    def mispaid(self) -> list[Mispaid]:
        """Return what was due against what was done, a line a kind of finding; the largest effect first."""
        pits = findings_for(self.user).filter(shift=self.shift, round__isnull=False, flag=False)
        rows = pits.order_by().values("kind").annotate(n=Count("pk"), sum=Sum("effect"))
        lines = [Mispaid(word(row["kind"]), row["kind"], row["n"], row["sum"]) for row in rows]
        return sorted(lines, key=lambda line: (-abs(line.effect), line.words))

    @property
    def paytables(self) -> list[tuple[str, PaytableVersion, list[str]]]:
        """Return each version that was in force at a table of one's pits, with its code and those tables. One query."""
        pits = roles.pits_for(self.user, "read_reports")
        found: dict[int, tuple[str, PaytableVersion, list[str]]] = {}
        for row in placed_in(self.shift):
            if pits is None or row.table.pit.code in pits:
                found.setdefault(row.version_id, (row.version.short_code, row.version, []))[2].append(row.table.code)
        return list(found.values())

    @property
    def chart(self) -> WinChart | None:
        """Return the win through the night, of the person's pits."""
        return win_chart(self.shift, [line.session_id for line in self.lines]) if self.kept else None


def _total(lines: Sequence[SessionReconciliation], name: str) -> int | None:
    figures = [getattr(line, name) for line in lines]
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known and len(known) == len(figures) else None


def job_lines(jobs: Sequence[Job]) -> list[JobLine]:
    """Return the jobs with how far the running ones are."""
    lines = []
    for job in jobs:
        step = progress_of(job) if job.state == Job.State.RUNNING else None
        done, total, what = (step.done, step.total, step.what) if step else (0, 0, "")
        lines.append(JobLine(word(job.kind), job.state, word(job.state), done, total, what, job.error.partition("\n")[0][:200]))
    return lines


def progress_json(shift: Shift, user: User) -> Mapping[str, Any]:
    """Return what the page asks for while jobs run: their progress, and a mark that changes when there is something new to show."""
    jobs = job_lines(jobs_of([shift]))
    kept = latest_reconciliation(shift)
    return {
        "jobs": [vars(line) for line in jobs],
        "running": any(line.state in (Job.State.QUEUED, Job.State.RUNNING) for line in jobs),
        "mark": _mark(shift, user, kept),
    }


def _mark(shift: Shift, user: User, kept: ShiftReconciliation | None) -> str:
    return f"{kept.sequence if kept else 0}:{findings_for(user).filter(shift=shift).count()}"
