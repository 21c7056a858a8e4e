"""The handover list: what one shift leaves to the next. Everything that began and waits, the oldest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from audit.models import Finding, FindingEvent, ShiftNote, Signature
from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Emphasis, Row, Section
from audit.reports.scope import Scope
from audit.reports.standing import findings_of_scope
from casino import roles
from tables.models import BoxPull, ChipSlip, CountReopening, RoundProposal, SessionEvent, Shift, TableSession
from tables.selectors import OPEN_SLIPS, PENDING_RECOUNTS, proposals_with_state, reopenings_with_state, sessions_in, slips_in, with_state

COLUMNS = (
    Column("what", "What waits", "text"),
    Column("table", "Table", "text"),
    Column("detail", "Which", "text"),
    Column("since", "Since", "moment"),
    Column("by", "Begun by", "text"),
    Column("amount", "Amount", "amount"),
    Column("next", "What is next", "text"),
)
COUNTS = (Column("what", "What waits", "text"), Column("times", "How many", "integer", total=True))
NOTES = (Column("shift", "Shift", "text"), Column("at", "At", "moment"), Column("by", "By", "text"), Column("note", "Note", "text"))
SLIP_NEXT = {
    ("fill", "requested"): "the cage issues it",
    ("fill", "issued"): "the table receives it",
    ("chip_credit", "requested"): "the table sends it",
    ("chip_credit", "sent"): "the cage receives it",
}


def build(scope: Scope) -> Sequence[Section]:
    """Return how much waits, every item, and what was noted for the next shift. Ten queries."""
    items = in_order([*waiting(scope.all_sessions()), *findings_waiting(findings_of_scope(scope)), *_shifts(scope)])
    kinds = sorted({str(row.values[0]) for row in items})
    counts = tuple(Row((kind, sum(row.values[0] == kind for row in items))) for kind in kinds)
    nothing = "Nothing waits: the next shift begins with a clean floor."
    return [
        Section("counts", "In short", COUNTS, counts, empty=nothing),
        Section("items", "What waits", COLUMNS, tuple(items), empty=nothing),
        Section("notes", "Notes for the next shift", NOTES, tuple(_notes(scope)), empty="Nobody noted anything."),
    ]


def _notes(scope: Scope) -> Iterator[Row]:
    notes = ShiftNote.objects.filter(shift__property=scope.house, shift__gaming_day__range=(scope.first, scope.last))
    for note in notes.select_related("shift", "by"):
        link = reverse("admin:tables_shift_change", args=[note.shift_id])
        shift = f"{note.shift.kind} of {note.shift.gaming_day}"
        yield Row((shift, note.recorded_at, note.by.username, note.text), links=(("shift", f"{link}#notes"),))


def of_shift(shift: Shift, pits: roles.Pits, findings: Iterable[Finding], *, signed: bool) -> Section:
    """Return what `shift` leaves to the next one, as its own report says it: once it is signed, `findings` as they stood then, and nothing else.

    Nothing else can be left then: open tables, slips, boxes, proposals and counts keep a shift from being signed. Six queries, none once signed.
    """
    sessions = shift.sessions.all() if pits is None else shift.sessions.filter(table__pit__code__in=pits)
    rows = [*(() if signed else waiting(sessions)), *findings_waiting(findings)]
    note = "As it was when the shift was signed." if signed else ""
    return Section("handover", "Handover", COLUMNS, tuple(in_order(rows)), empty="Nothing waits for the next shift.", note=note)


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Return what waits, the oldest first."""
    return sorted(rows, key=lambda row: (row.values[3], *map(str, row.values[:3])))


def findings_waiting(findings: Iterable[Finding]) -> Iterator[Row]:
    """Yield the major findings, with their state, that are not closed."""
    for finding in findings:
        if finding.severity == Finding.Severity.MAJOR and getattr(finding, "state", "") != FindingEvent.State.CLOSED:
            yield _finding(finding)


def waiting(sessions: QuerySet[TableSession]) -> Iterator[Row]:
    """Yield what began at `sessions` and waits: open tables, slips, proposals, reopened counts, boxes. Six queries."""
    keys = sessions.values("pk")
    opened = SessionEvent.objects.filter(session__in=keys, sequence=1).select_related("by")
    by_session = {event.session_id: event for event in opened}
    for session in sessions_in(SessionEvent.State.OPEN, sessions).select_related("table", "shift"):
        yield _open_table(session, by_session[session.pk])
    for slip in slips_in(OPEN_SLIPS, ChipSlip.objects.filter(session__in=keys)).select_related("session__table", "requested_by"):
        yield _slip(slip)
    proposals = proposals_with_state(RoundProposal.objects.filter(session__in=keys)).filter(state="proposed")  # type: ignore[misc]
    for proposal in proposals.select_related("session__table", "round", "proposed_by"):
        yield _proposal(proposal)
    reopened = reopenings_with_state(CountReopening.objects.filter(session__in=keys)).filter(state__in=list(PENDING_RECOUNTS))  # type: ignore[misc]
    for reopening in reopened.select_related("session__table", "proposed_by"):
        yield _recount(reopening)
    for pull in BoxPull.objects.filter(session__in=keys, counts__isnull=True).select_related("session__table", "carried_by"):
        yield _box(pull)


def _row(what: str, table: str | None, detail: str, since: datetime, by: str | None, amount: int | None, following: str, link: str) -> Row:
    tone: Emphasis = "warn" if what in ("slip", "box") else "bad" if what == "finding" else ""
    return Row((what, table, detail, since, by, amount, following), emphasis=tone, on=("what",), links=(("detail", link),))


def _open_table(session: TableSession, opened: SessionEvent) -> Row:
    link = reverse("admin:tables_tablesession_change", args=[session.pk])
    detail = f"{session.shift.kind} of {session.shift.gaming_day}"
    return _row("open table", session.table.code, detail, opened.occurred_at, opened.by.username, None, "close and count it", link)


def _slip(slip: ChipSlip) -> Row:
    state = str(getattr(slip, "state", ""))
    link = reverse("admin:tables_chipslip_change", args=[slip.pk])
    following = SLIP_NEXT[slip.kind, state]
    return _row(
        "slip", slip.session.table.code, f"{slip} {state}".lower(), slip.occurred_at, slip.requested_by.username, slip.amount, following, link
    )


def _proposal(proposal: RoundProposal) -> Row:
    which = f"{proposal.get_kind_display()} of round {proposal.round.number}" if proposal.round else str(proposal.get_kind_display())
    link = reverse("admin:tables_roundproposal_change", args=[proposal.pk])
    by = proposal.proposed_by.username
    return _row("proposal", proposal.session.table.code, which, proposal.occurred_at, by, proposal.effect, "somebody else decides", link)


def _recount(reopening: CountReopening) -> Row:
    following = "an auditor decides" if getattr(reopening, "state", "") == "proposed" else "count it again"
    link = reverse("admin:tables_countreopening_change", args=[reopening.pk])
    by = reopening.proposed_by.username
    return _row("count reopened", reopening.session.table.code, reopening.count, reopening.occurred_at, by, None, following, link)


def _box(pull: BoxPull) -> Row:
    link = reverse("admin:tables_boxpull_change", args=[pull.pk])
    detail = f"box {pull.box}, seal {pull.seal}"
    return _row("box", pull.session.table.code, detail, pull.occurred_at, pull.carried_by.username, None, "the count team counts it", link)


def _finding(finding: Finding) -> Row:
    table = finding.session.table.code if finding.session else None
    detail = finding.kind.replace("_", " ") + (f", round {finding.round.number}" if finding.round else "")
    link = reverse("admin:audit_finding_change", args=[finding.pk])
    following = {"open": "assign or answer it", "assigned": "answer it", "answered": "a second auditor reviews it"}
    return _row(
        "finding", table, detail, finding.recorded_at, None, finding.effect, following.get(str(getattr(finding, "state", "")), "close it"), link
    )


def _shifts(scope: Scope) -> Iterator[Row]:
    """Yield the shifts that nobody has signed off yet."""
    signed = Signature.objects.filter(shift_uuid=OuterRef("uuid"), is_final=True)
    shifts = with_state(Shift.objects.filter(property=scope.house, gaming_day__range=(scope.first, scope.last))).filter(~Exists(signed))
    for shift in shifts.select_related("opened_by"):
        following = "end it" if getattr(shift, "state", "") == "open" else "explain and sign it"
        link = reverse("admin:tables_shift_change", args=[shift.pk])
        yield _row("shift", None, f"{shift.kind} of {shift.gaming_day}", shift.starts_at, shift.opened_by.username, None, following, link)


REPORT = Catalogued(
    "handover",
    "Handover list",
    "What one shift leaves to the next: open tables, slips, boxes, proposals, counts, findings, signatures.",
    build,
    filters=("day_from", "day_to", "pit", "table", "game"),
)
