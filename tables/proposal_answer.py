"""A proposal as every door shows it: what would change field by field, what it moves, who proposed it and why, what was decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from casino.errors import CasinoError
from tables.corrections import Change, changes
from tables.engine.game import games
from tables.models import Round, RoundProposal, RoundProposalEvent
from tables.services.corrections import proposed_sheet, sheet_of


@dataclass(frozen=True)
class Proposed:
    """A proposal with its last event and what it changes; `fault` where its slip would be refused by now."""

    proposal: RoundProposal
    last: RoundProposalEvent
    changes: Sequence[Change]
    before: int
    after: int
    made: Round | None
    fault: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it waits to be decided."""
        return bool(self.last.state == RoundProposalEvent.State.PROPOSED)


def look_at(proposal: RoundProposal) -> Proposed:
    """Return `proposal` with what it changes. Eight queries at most."""
    last = proposal.events.select_related("by").order_by("-sequence")[0]
    before = sheet_of(proposal.round) if proposal.round else None
    fault, after = "", None
    try:
        after = proposed_sheet(proposal)
    except CasinoError as error:
        fault = error.message
    found = changes(before, after, games()[proposal.session.table.game])
    done = getattr(proposal, "change", None)
    net = before.net if before else 0
    return Proposed(proposal, last, found, net, net + proposal.effect, done.made if done else None, fault)


def proposal_json(proposal: RoundProposal) -> dict[str, Any]:
    """Return the answer of the API."""
    seen = look_at(proposal)
    return {
        "uuid": str(proposal.uuid),
        "kind": proposal.kind,
        "state": seen.last.state,
        "table": proposal.session.table.code,
        "session": str(proposal.session.uuid),
        "round": str(proposal.round.uuid) if proposal.round else None,
        "seat": proposal.seat,
        "reason": proposal.reason,
        "note": proposal.note,
        "slip": json.loads(proposal.slip) if proposal.slip else None,
        "changes": [vars(change) for change in seen.changes],
        "before": seen.before,
        "after": seen.after,
        "effect": proposal.effect,
        "proposed_by": proposal.proposed_by.username,
        "proposed_at": proposal.occurred_at.isoformat(),
        "decided_by": None if seen.is_open else seen.last.by.username,
        "decided_at": None if seen.is_open else seen.last.occurred_at.isoformat(),
        "decision_note": "" if seen.is_open else seen.last.note,
        "made": str(seen.made.uuid) if seen.made else None,
    }
