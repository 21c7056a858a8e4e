"""Voids, corrections and overrides of a shift as sections of its report: what was changed, by whom, why, and what it moved. Rows, not pages.

Of a sealed shift what came later stands apart, beside the frozen figures. Source: spec/night.md, "Reports"; spec/books.md, "Signing, late facts".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from audit.reports.report import Column, Row, Section
from casino import roles
from ledger.models import Segment
from tables.models import Round, RoundChange, RoundProposalEvent, RoundRuling, Shift, TableSession

CHANGES = (
    Column("change", "Change", "text"),
    Column("state", "State", "text"),
    Column("table", "Table", "text"),
    Column("round", "Round", "integer"),
    Column("replaced_by", "Replaced by", "integer"),
    Column("at", "At", "moment"),
    Column("reason", "Reason", "text"),
    Column("proposed_by", "By", "text"),
    Column("decided_by", "Decided by", "text"),
    Column("before", "House before", "amount"),
    Column("after", "House after", "amount"),
    Column("effect", "Effect", "amount", total=True),
)


@dataclass(frozen=True)
class ChangeLine:
    """One change, and when the database had it; `session` and `round` are keys, `round` of what was changed or made.

    `late`: whether the shift was sealed; None of what posts nothing and does not say.
    """

    recorded_at: datetime
    session: int
    round: int | None
    row: Row
    late: bool | None = None

    def is_after(self, sealed_at: datetime) -> bool:
        """Return whether it came after the seal: as its row says, whatever the clocks said; else by the database's clock."""
        return self.recorded_at > sealed_at if self.late is None else self.late


def change_sections(shift: Shift, pits: roles.Pits) -> tuple[Section, ...]:
    """Return the section of the shift's changes; where there are any, what came after it was sealed, and what it took in of earlier shifts.

    Six queries.
    """
    sessions = shift.sessions.all()
    lines = change_lines(sessions if pits is None else sessions.filter(table__pit__code__in=pits))
    sealed_at = Segment.objects.filter(shift=shift.uuid).values_list("recorded_at", flat=True).first()
    in_time = [line.row for line in lines if sealed_at is None or not line.is_after(sealed_at)]
    later = [line.row for line in lines if sealed_at is not None and line.is_after(sealed_at)]
    taken_in = [_of_change(change) for change in _changes(Q(posted_in=shift, late=True), pits)]
    sections = [_section("changes", "Voids, corrections and overrides", in_time, "Nothing was voided, corrected or overridden.")]
    if later:
        note = "These figures stand beside the sealed ones, which do not change: each was posted in the shift that was open then."
        sections.append(_section("late", "Late facts", later, "", note))
    if taken_in:
        note = "Posted in this shift over the variance account: no chip moved tonight, and tonight's expected closers and win leave them out."
        sections.append(_section("taken_in", "Late facts of earlier shifts, posted here", taken_in, "", note))
    return tuple(sections)


def _section(key: str, title: str, rows: Sequence[Row], empty: str, note: str = "") -> Section:
    return Section(key, title, CHANGES, tuple(rows), empty=empty, note=note)


def change_lines(sessions: QuerySet[TableSession]) -> list[ChangeLine]:
    """Return what was changed, ruled, rejected or recorded against the rules in `sessions`, in the order in which it was recorded. Four queries."""
    return sorted(_lines(sessions), key=lambda line: (line.recorded_at, line.row.values[2] or "", line.row.values[3] or 0))


def _lines(sessions: QuerySet[TableSession]) -> Iterable[ChangeLine]:
    keys = sessions.values("pk")
    for change in _changes(Q(proposal__session__in=keys), None):
        yield ChangeLine(change.recorded_at, change.proposal.session_id, change.round_id or change.made_id, _of_change(change), change.late)
    for played in Round.objects.filter(session__in=keys).exclude(irregular="").select_related("session__table", "recorded_by"):
        yield ChangeLine(played.recorded_at, played.session_id, played.pk, _of_irregular(played), played.late)
    for ruling in RoundRuling.objects.filter(round__session__in=keys).select_related("round__session__table", "round__recorded_by", "by"):
        yield ChangeLine(ruling.recorded_at, ruling.round.session_id, ruling.round_id, _of_ruling(ruling))
    events = RoundProposalEvent.objects.filter(proposal__session__in=keys, state=RoundProposalEvent.State.REJECTED)
    for event in events.select_related("proposal__session__table", "proposal__round", "proposal__proposed_by", "by"):
        yield ChangeLine(event.recorded_at, event.proposal.session_id, event.proposal.round_id, _of_rejected(event))


def _changes(which: Q, pits: roles.Pits) -> Iterable[RoundChange]:
    mine = Q() if pits is None else Q(proposal__session__table__pit__code__in=pits)
    return (
        RoundChange.objects.filter(which, mine)
        .select_related("proposal__session__table", "proposal__proposed_by", "round", "made", "by")
        .order_by("id")
    )


def _of_change(change: RoundChange) -> Row:
    proposal, old, new = change.proposal, change.round, change.made
    why = proposal.get_reason_display() + (f": {proposal.note}" if proposal.note else "")
    return Row(
        (
            str(proposal.get_kind_display()),
            "late" if change.late else "approved",
            proposal.session.table.code,
            old.number if old else None,
            new.number if new else None,
            change.occurred_at,
            why,
            proposal.proposed_by.username,
            change.by.username,
            old.house_net if old else None,
            new.house_net if new else 0,
            proposal.effect,
        ),
        emphasis="warn" if change.late else "",
        on=("state",) if change.late else (),
    )


def _of_irregular(played: Round) -> Row:
    net = played.house_net
    head = ("override", "irregular", played.session.table.code, played.number, None, played.occurred_at)
    return Row((*head, played.irregular, played.recorded_by.username, None, net, net, 0), emphasis="warn", on=("state",))


def _of_ruling(ruling: RoundRuling) -> Row:
    played, how = ruling.round, "stands as dealt" if ruling.stands else "due as ruled"
    head = ("ruling", how, played.session.table.code, played.number, None, ruling.occurred_at)
    return Row((*head, ruling.reason, played.recorded_by.username, ruling.by.username, played.house_net, played.house_net, 0))


def _of_rejected(event: RoundProposalEvent) -> Row:
    proposal, net = event.proposal, event.proposal.round.house_net if event.proposal.round else None
    number = proposal.round.number if proposal.round else None
    head = (str(proposal.get_kind_display()), "rejected", proposal.session.table.code, number, None, event.occurred_at)
    return Row((*head, event.note, proposal.proposed_by.username, event.by.username, net, net, 0))
