"""Voids, corrections and overrides: what was proposed, by whom, who decided, why, and what it moved; with counts that were taken again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from django.urls import reverse

from audit.reports.catalogue import Catalogued
from audit.reports.changes import CHANGES, ChangeLine, change_lines
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from tables.models import CountReopening, CountReopeningEvent, RoundProposal, RoundProposalEvent, TableSession
from tables.selectors import proposals_with_state, reopenings_with_state

DAY = (Column("gaming_day", "Gaming day", "day"), Column("shift", "Shift", "text"))
BY_PEOPLE = (
    Column("change", "Change", "text"),
    Column("proposed_by", "By", "text"),
    Column("decided_by", "Decided by", "text"),
    Column("times", "Times", "integer", total=True),
    Column("effect", "Effect", "amount", total=True),
)
WAITING = (
    *DAY,
    Column("change", "Change", "text"),
    Column("state", "State", "text"),
    Column("table", "Table", "text"),
    Column("round", "Round", "integer"),
    Column("at", "Proposed at", "moment"),
    Column("reason", "Reason", "text"),
    Column("proposed_by", "Proposed by", "text"),
    Column("effect", "Would change", "amount", total=True),
)
RECOUNTS = (
    *DAY,
    Column("table", "Table", "text"),
    Column("count", "Count", "text"),
    Column("state", "State", "text"),
    Column("at", "Proposed at", "moment"),
    Column("reason", "Reason", "text"),
    Column("proposed_by", "Proposed by", "text"),
    Column("approved_by", "Decided by", "text"),
)
UNDECIDED = (RoundProposalEvent.State.PROPOSED, RoundProposalEvent.State.WITHDRAWN)


def build(scope: Scope) -> Sequence[Section]:
    """Return who changed how much, every change, what waits or was withdrawn, and the counts taken again. Eight queries."""
    sessions = {session.pk: session for session in scope.sessions().select_related("shift")}
    lines = change_lines(scope.sessions())
    if scope.dealer:
        dealt = set(scope.dealt_by().filter(pk__in=[line.round for line in lines]).values_list("pk", flat=True))
        lines = [line for line in lines if line.round in dealt]
    rows = tuple(_row(line, sessions[line.session]) for line in lines)
    nothing = "Nothing was voided, corrected or overridden."
    return [
        Section("people", "By people", BY_PEOPLE, _by_people(lines), empty=nothing),
        Section("changes", "Voids, corrections and overrides", (*DAY, *CHANGES), rows, empty=nothing),
        Section("waiting", "Waiting or withdrawn", WAITING, _undecided(scope), empty="No proposal waits, and none was withdrawn."),
        Section("recounts", "Counts taken again", RECOUNTS, _recounts(scope), empty="No count was reopened."),
    ]


def _by_people(lines: Sequence[ChangeLine]) -> tuple[Row, ...]:
    """Return how often each two did which kind of change, and what it came to: pairs that stand out are looked at."""
    place = {column.key: index for index, column in enumerate(CHANGES)}
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        change, by, decided, effect = (line.row.values[place[key]] for key in ("change", "proposed_by", "decided_by", "effect"))
        pair = sums[str(change), str(by), str(decided or "")]
        pair[0] += 1
        pair[1] += effect if isinstance(effect, int) else 0
    return tuple(Row((change, by, decided or None, times, effect)) for (change, by, decided), (times, effect) in sorted(sums.items()))


def _row(line: ChangeLine, session: TableSession) -> Row:
    links = (("round", reverse("admin:tables_round_change", args=[line.round])),) if line.round else ()
    return Row((session.shift.gaming_day, session.shift.kind, *line.row.values), line.row.emphasis, line.row.on, links=links)


def _undecided(scope: Scope) -> tuple[Row, ...]:
    found = proposals_with_state(RoundProposal.objects.filter(session__in=scope.sessions().values("pk"))).filter(state__in=UNDECIDED)  # type: ignore[misc]
    if scope.dealer:
        found = found.filter(round__dealer__code=scope.dealer)
    rows = found.select_related("session__shift", "session__table", "round", "proposed_by").order_by("recorded_at", "id")
    return tuple(_proposal(proposal) for proposal in rows)


def _proposal(proposal: RoundProposal) -> Row:
    shift, state = proposal.session.shift, str(getattr(proposal, "state", ""))
    why = proposal.get_reason_display() + (f": {proposal.note}" if proposal.note else "")
    number = proposal.round.number if proposal.round else None
    head = (shift.gaming_day, shift.kind, str(proposal.get_kind_display()), "waits" if state == "proposed" else state)
    return Row(
        (*head, proposal.session.table.code, number, proposal.occurred_at, why, proposal.proposed_by.username, proposal.effect),
        emphasis="warn" if state == "proposed" else "",
        on=("state",),
        links=(("change", reverse("admin:tables_roundproposal_change", args=[proposal.pk])),),
    )


def _recounts(scope: Scope) -> tuple[Row, ...]:
    found = reopenings_with_state(CountReopening.objects.filter(session__in=scope.sessions().values("pk")))
    rows = found.select_related("session__shift", "session__table", "proposed_by").prefetch_related("events__by").order_by("id")
    return tuple(_recount(reopening) for reopening in rows)


def _recount(reopening: CountReopening) -> Row:
    shift = reopening.session.shift
    decided = next((e.by.username for e in reopening.events.all() if e.state in (CountReopeningEvent.State.APPROVED, "refused")), None)
    what = (reopening.session.table.code, str(reopening.count), str(getattr(reopening, "state", "")), reopening.occurred_at)
    return Row(
        (shift.gaming_day, shift.kind, *what, reopening.reason, reopening.proposed_by.username, decided),
        links=(("count", reverse("admin:tables_countreopening_change", args=[reopening.pk])),),
    )


REPORT = Catalogued("changes", "Voids, corrections and overrides", "What was changed, by whom, who decided, why, and its effect.", build)
