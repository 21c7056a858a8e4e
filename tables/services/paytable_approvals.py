"""Proposing a paytable and its end: approved by another person, which makes it a version, or refused, or taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from casino import roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, Refused
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from casino.words import word
from tables.locks import lock_name
from tables.models import PaytableDraft, PaytableEvent, PaytableProposal, PaytableVersion
from tables.services.edge_limits import look_at
from tables.services.paytable_drafts import columns_of, draft_paytable, lock_draft, refuse_published
from tables.services.paytable_reading import paytable_of, read_paytable, state_of
from tables.solved_edges import known_edges

LONGEST_REFERENCE = 120
"""Characters of an approval's reference."""


@in_transaction
def propose(draft: PaytableDraft, *, by: User, note: str = "", revision: int | None = None) -> PaytableProposal:
    """Return the proposal of what `draft` says now; later changes of the draft do not reach it.

    Raises Refused, Stale (`draft_changed`), Conflict (`proposed_already`: it waits for somebody, `version_exists`, `published_already`).
    """
    roles.require(by, "propose_paytable")
    lock_name(f"paytable:{draft.name}")
    kept = lock_draft(draft, revision)
    paytable = paytable_of(kept)
    refuse_published(paytable)
    if any(state_of(other) == PaytableEvent.State.PROPOSED for other in PaytableProposal.objects.filter(sha256=kept.sha256)):
        raise Conflict(
            "proposed_already", gettext("%(reference)s is proposed already and waits for an approval.") % {"reference": paytable.reference}
        )
    look = look_at(paytable, kept.property).as_json()
    proposal = PaytableProposal.objects.create(
        **columns_of(paytable),
        draft=kept,
        property=kept.property,
        typed_by=kept.typed_by,
        proposed_by=by,
        note=note[:300],
        edges=look,
        warnings=look["warnings"],
    )
    _add_event(proposal, PaytableEvent.State.PROPOSED, by, note)
    return proposal


@in_transaction
def approve(proposal: PaytableProposal, *, by: User, approval: str) -> PaytableVersion:
    """Return the version that `proposal` becomes, under the approval's reference. A door asks `by` for the password again before.

    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`missing_field`, `bad_type` at `approval`), Conflict (`not_proposed`: it has ended,
    `solve_required`: the full solve is not done, `version_exists`).
    """
    approval = approval.strip()
    if not approval:
        raise InvalidSlip("missing_field", gettext("An approval has a reference."), where="approval")
    if len(approval) > LONGEST_REFERENCE:
        raise InvalidSlip(
            "bad_type", gettext("A reference of at most %(most)s characters is due here.") % {"most": LONGEST_REFERENCE}, where="approval"
        )
    paytable = paytable_of(proposal)
    _may_end(proposal, by, "approve_paytable")
    refuse_published(paytable)
    if unsolved := known_edges(paytable).unsolved:
        raise Conflict("solve_required", gettext("Its rules are not the form's: the full solve must be done before."), bets=list(unsolved))
    _add_event(proposal, PaytableEvent.State.APPROVED, by, approval)
    return _add_version(proposal, by, approval)


@in_transaction
def refuse(proposal: PaytableProposal, *, by: User, note: str) -> PaytableEvent:
    """Return the event that ends `proposal` without a version, with the reason. Raises as `approve`, `missing_field` at `note`."""
    if not note.strip():
        raise InvalidSlip("missing_field", gettext("A refusal says why."), where="note")
    _may_end(proposal, by, "approve_paytable")
    return _add_event(proposal, PaytableEvent.State.REFUSED, by, note)


@in_transaction
def withdraw(proposal: PaytableProposal, *, by: User, note: str = "") -> PaytableEvent:
    """Return the event that takes `proposal` back, by whoever may propose. Raises Refused, Conflict (`not_proposed`)."""
    roles.require(by, "propose_paytable")
    _still_proposed(proposal)
    return _add_event(proposal, PaytableEvent.State.WITHDRAWN, by, note)


def _may_end(proposal: PaytableProposal, by: User, action: str) -> None:
    roles.require(by, action)
    if by.pk == proposal.proposed_by_id or by.pk in proposal.typed_by:
        raise Refused("own_approval", gettext("Nobody approves what they proposed or typed."))
    _still_proposed(proposal)


def _still_proposed(proposal: PaytableProposal) -> None:
    lock_name(f"paytable:{proposal.name}")
    if (state := state_of(proposal)) != PaytableEvent.State.PROPOSED:
        raise Conflict("not_proposed", gettext("%(proposal)s was %(state)s already.") % {"proposal": proposal, "state": word(state)}, state=state)


def _add_event(proposal: PaytableProposal, state: str, by: User, note: str) -> PaytableEvent:
    sequence = 1 if state == PaytableEvent.State.PROPOSED else 2
    return PaytableEvent.objects.create(proposal=proposal, sequence=sequence, state=state, by=by, note=note[:300])


def _add_version(proposal: PaytableProposal, by: User, approval: str) -> PaytableVersion:
    """Copy the proposal into a version; the database looks again at who proposed and who approved."""
    columns = {name: getattr(proposal, name) for name in ("game", "name", "version", "sha256", "content")}
    people = {"proposed_by_id": proposal.proposed_by_id, "approved_by": by}
    try:
        with transaction.atomic():
            return PaytableVersion.objects.create(**columns, **people, proposal=proposal, approval=approval)
    except IntegrityError as error:
        name = broken_constraint(error)
        if name in {"tables_paytableversion_once", "tables_paytableversion_sha256_key"}:
            raise Conflict("version_exists", gettext("%(proposal)s is published already.") % {"proposal": proposal}, where="version") from error
        raise BrokenBooks("refused_by_database", str(error).partition("\n")[0], constraint=name) from error


@in_transaction
def publish_paytable(raw: Mapping[str, Any], *, proposed_by: User, approved_by: User, approval: str) -> PaytableVersion:
    """Return the version of `raw`, drafted, proposed and approved in one go by two people; the same content again is the same version.

    For setting a house up. Raises as the verbs that it calls.
    """
    roles.require(proposed_by, "propose_paytable")
    roles.require(approved_by, "approve_paytable")
    paytable = read_paytable(raw)
    if (kept := PaytableVersion.objects.filter(sha256=paytable.sha256).first()) is not None:
        return kept
    proposal = propose(draft_paytable(raw, by=proposed_by), by=proposed_by)
    return approve(proposal, by=approved_by, approval=approval)
