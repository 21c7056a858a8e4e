"""What the API says of versions, drafts, proposals and placements."""

from __future__ import annotations

import json
from typing import Any

from tables.edge_record import shown_edges
from tables.models import PaytableDraft, PaytablePlacement, PaytableProposal, PaytableVersion
from tables.services.paytables import look_at, paytable_of
from tables.solved_edges import known_edges


def _identity(row: PaytableVersion | PaytableDraft | PaytableProposal) -> dict[str, Any]:
    return {"paytable": str(row), "game": row.game, "sha256": row.sha256, "short_code": row.short_code}


def _content(row: PaytableVersion | PaytableDraft | PaytableProposal) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(row.content))
    return found


def version_answer(version: PaytableVersion, *, whole: bool = False) -> dict[str, Any]:
    """Return a version; `whole`: with what it says, its edges and where it is in force."""
    answer = {
        **_identity(version),
        "proposed_by": version.proposed_by.username,
        "approved_by": version.approved_by.username,
        "approval": version.approval,
        "recorded_at": version.recorded_at.isoformat(),
    }
    if not whole:
        return answer
    in_force = version.in_force.select_related("table").order_by("table__code", "from_at")
    places = [{"table": row.table.code, "from_at": row.from_at.isoformat()} for row in in_force]
    return {**answer, "content": _content(version), "edges": shown_edges(known_edges(paytable_of(version)))["bets"], "in_force": places}


def draft_answer(draft: PaytableDraft, *, whole: bool = False) -> dict[str, Any]:
    """Return a draft; `whole`: with what it says, its edges and warnings."""
    answer = {
        **_identity(draft),
        "uuid": str(draft.uuid),
        "revision": draft.revision,
        "changed_by": draft.changed_by.username,
        "changed_at": draft.changed_at.isoformat(),
        "property": draft.property.code if draft.property else None,
    }
    if not whole:
        return answer
    look = look_at(paytable_of(draft), draft.property).as_json()
    return {**answer, "content": _content(draft), "edges": look["bets"], "warnings": look["warnings"], "needs_solve": look["needs_solve"]}


def proposal_answer(proposal: PaytableProposal) -> dict[str, Any]:
    """Return a proposal with its state, what it says, and the edges and warnings as they were when it was proposed."""
    return {
        **_identity(proposal),
        "uuid": str(proposal.uuid),
        "state": proposal.state,  # type: ignore[attr-defined]
        "proposed_by": proposal.proposed_by.username,
        "recorded_at": proposal.recorded_at.isoformat(),
        "note": proposal.note,
        "content": _content(proposal),
        "edges": proposal.edges["bets"],
        "warnings": proposal.warnings,
    }


def placement_answer(placement: PaytablePlacement) -> dict[str, Any]:
    """Return a placement with its state."""
    return {
        "uuid": str(placement.uuid),
        "paytable": str(placement.version),
        "sha256": placement.version.sha256,
        "short_code": placement.version.short_code,
        "table": placement.table.code,
        "from_at": placement.from_at.isoformat(),
        "state": placement.state,  # type: ignore[attr-defined]
        "proposed_by": placement.proposed_by.username,
        "recorded_at": placement.recorded_at.isoformat(),
        "note": placement.note,
    }
