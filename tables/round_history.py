"""The story of a round: entered, proposed, approved or not, reversed, replaced, ruled on; every round of the chain, and its entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext

from casino.models import User
from ledger.models import Entry
from tables.models import Round, RoundChange, RoundProposal, RoundProposalEvent, RoundRuling

State = RoundProposalEvent.State


@dataclass(frozen=True)
class Moment:
    """One thing that happened: `what` is a word ("entered", "approved", …), `at` the database's clock. `round` is whose story it is."""

    at: datetime
    what: str
    words: str
    by: User
    round: Round | None = None
    made: Round | None = None
    proposal: RoundProposal | None = None
    note: str = ""
    entries: Sequence[Entry] = field(default=())

    @property
    def tone(self) -> str:
        """Return how loud it is on a page."""
        return {"voided": "bad", "corrected": "warn", "proposed": "warn", "rejected": "", "added": "warn"}.get(self.what, "")


def chain_of(played: Round) -> list[Round]:
    """Return the rounds of the story that `played` is part of, the first one first. A query for each other round of it."""
    chain = [played]
    while (earlier := chain[0].replaces) is not None:
        chain.insert(0, earlier)
    while (later := Round.objects.filter(replaces=chain[-1]).first()) is not None:
        chain.append(later)
    return chain


def history(played: Round) -> list[Moment]:
    """Return the story of `played` in the order in which the database had it. Six queries, and one for each other round of the chain."""
    keys = [one.pk for one in chain_of(played)]
    chain = list(Round.objects.filter(pk__in=keys).select_related("recorded_by", "session__table", "origin__proposal").order_by("id"))
    entries = _entries([one.uuid for one in chain])
    moments = [_entered(one, entries) for one in chain if not hasattr(one, "origin")]
    proposals = RoundProposal.objects.filter(round__in=keys) | RoundProposal.objects.filter(change__made__in=keys)
    events = RoundProposalEvent.objects.filter(proposal__in=proposals.distinct().values("pk")).select_related("by", "proposal__round")
    done = {
        change.proposal_id: change for change in RoundChange.objects.filter(proposal__events__in=events).select_related("made", "round", "posted_in")
    }
    for event in events.order_by("id"):
        moments.append(_decided(event, done.get(event.proposal_id), entries))
    for ruling in RoundRuling.objects.filter(round__in=keys).select_related("by", "round"):
        how = gettext("stands as dealt") if ruling.stands else gettext("what was due is as ruled")
        moments.append(Moment(ruling.recorded_at, "ruled", how, ruling.by, ruling.round, note=ruling.reason))
    return sorted(moments, key=lambda moment: moment.at)


def _entries(uuids: Sequence[UUID]) -> Mapping[UUID, list[Entry]]:
    found: dict[UUID, list[Entry]] = defaultdict(list)
    for entry in Entry.objects.filter(round__in=uuids).order_by("id"):
        if entry.round is not None:
            found[entry.round].append(entry)
    return found


def _entered(played: Round, entries: Mapping[UUID, list[Entry]]) -> Moment:
    own = [entry for entry in entries[played.uuid] if entry.kind == "round"]
    return Moment(
        played.recorded_at,
        "entered",
        gettext("irregular") if played.irregular else "",
        played.recorded_by,
        played,
        note=played.irregular,
        entries=own,
    )


def _decided(event: RoundProposalEvent, change: RoundChange | None, entries: Mapping[UUID, list[Entry]]) -> Moment:
    proposal = event.proposal
    if event.state != State.APPROVED or change is None:
        why = proposal.get_reason_display() if event.state == State.PROPOSED else ""
        note = proposal.note if event.state == State.PROPOSED else event.note
        words = f"{proposal.get_kind_display()}" + (f": {why}" if why else "")
        return Moment(event.recorded_at, event.state, words, event.by, proposal.round, proposal=proposal, note=note)
    what = {"void": "voided", "late": "added"}.get(change.kind, "corrected")
    where = gettext("late, posted in the %(posted_in)s") % {"posted_in": change.posted_in} if change.late else ""
    own = [entry for entry in entries[change.round.uuid] if entry.kind == "reversal"] if change.round else []
    own += [entry for entry in entries[change.made.uuid] if entry.kind == "round"] if change.made else []
    return Moment(event.recorded_at, what, where, event.by, proposal.round, change.made, proposal, event.note, own)


def state_of(played: Round) -> str:
    """Return "voided", "replaced", "late", "irregular" or "stands". No query where `reversal` was selected with the round."""
    change = getattr(played, "reversal", None)
    if change is not None:
        return "voided" if change.kind == RoundProposal.Kind.VOID else "replaced"
    return "irregular" if played.irregular else "late" if played.late else "stands"


def as_json(moments: Sequence[Moment]) -> list[dict[str, Any]]:
    """Return the story as every machine reads it."""
    return [
        {
            "at": moment.at.isoformat(),
            "what": moment.what,
            "words": moment.words,
            "by": moment.by.username,
            "note": moment.note,
            "round": str(moment.round.uuid) if moment.round else None,
            "made": str(moment.made.uuid) if moment.made else None,
            "proposal": str(moment.proposal.uuid) if moment.proposal else None,
            "entries": [entry.reference for entry in moment.entries],
        }
        for moment in moments
    ]
