"""What became of rounds, as the audit sees it: findings of a round that was voided or replaced say so, and the round in its place is looked at.

The audit comes and looks (a job), and moves no money. Looking twice adds nothing.
"""

from __future__ import annotations

from audit.models import Finding, FindingEvent
from audit.services import audit_round
from casino.models import User
from casino.transactions import in_transaction
from tables.locks import lock_name
from tables.models import Round, RoundChange, RoundRuling

State = FindingEvent.State
MOST_NOTE = 1000


@in_transaction
def look_at_change(change: RoundChange) -> list[Finding]:
    """Return the findings of the round that `change` made; those of the round that it reversed get an event that says so."""
    if change.round is not None:
        _tell(change.round, _words(change), None)
    return audit_round(change.made) if change.made is not None else []


@in_transaction
def look_at_ruling(ruling: RoundRuling) -> list[Finding]:
    """Return the findings that `ruling` gives rise to, where done is not what was due as ruled; the irregular one is answered by it."""
    how = "it stands as dealt" if ruling.stands else "what was due is as ruled"
    _tell(ruling.round, f"Ruled by {ruling.by}: {how}. {ruling.reason}", ruling.by, answers=True)
    return audit_round(ruling.round)


def _words(change: RoundChange) -> str:
    proposal = change.proposal
    became = f"replaced by round {change.made.number}" if change.made is not None else "voided"
    why = proposal.get_reason_display() + (f", {proposal.note}" if proposal.note else "")
    late = " after its shift was sealed" if change.late else ""
    return f"The round was {became}{late}: {why}. Proposed by {proposal.proposed_by}, approved by {change.by}."


def _tell(played: Round, words: str, by: User | None, *, answers: bool = False) -> None:
    """Add an event with `words` to each finding of the round that does not have it yet; the state stays, but for one that it answers."""
    for finding in Finding.objects.filter(round=played).order_by("id"):
        if answers and finding.kind != "irregular":
            continue
        lock_name(f"finding:{finding.uuid}")
        events = list(finding.events.order_by("sequence"))
        if any(event.note == words[:MOST_NOTE] for event in events):
            continue
        last = events[-1]
        state = State.ANSWERED if answers and last.state in (State.OPEN, State.ASSIGNED) else last.state
        FindingEvent.objects.create(finding=finding, sequence=last.sequence + 1, state=state, by=by, note=words[:MOST_NOTE])
