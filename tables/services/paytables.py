"""The life of a paytable: drafted, proposed by one person, approved by another, and then a version that never changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from casino import roles
from casino.errors import BrokenBooks, Conflict, InvalidSlip, NotFound, Refused, Stale
from casino.models import User
from casino.transactions import broken_constraint, in_transaction
from tables.edge_record import shown_edges
from tables.edge_warnings import EdgeWarning, Limit, edge_warnings
from tables.engine.edge import Edges
from tables.engine.faults import shown
from tables.engine.game import games
from tables.engine.json_line import parse_line
from tables.engine.paytable import Paytable
from tables.locks import lock_name
from tables.models import EdgeLimit, PaytableDraft, PaytableEvent, PaytableProposal, PaytableVersion, Property
from tables.services.placements import put_in_force
from tables.short_code import short_code
from tables.solved_edges import known_edges

__all__ = [
    "Look",
    "approve",
    "draft_paytable",
    "export_paytable",
    "import_paytable",
    "limits_of",
    "look_at",
    "paytable_of",
    "propose",
    "publish_paytable",
    "put_in_force",
    "read_paytable",
    "refuse",
    "set_edge_limits",
    "state_of",
    "version_named",
    "withdraw",
]
PPM = 1_000_000


# ---- reading ----


@lru_cache(maxsize=256)
def _read(game: str, content: bytes) -> Paytable:
    return games()[game].read_paytable(json.loads(content))


def paytable_of(kept: PaytableVersion | PaytableDraft | PaytableProposal) -> Paytable:
    """Return the value of a version, draft or proposal, read once per process."""
    return _read(kept.game, bytes(kept.content))


def read_paytable(raw: Mapping[str, Any]) -> Paytable:
    """Return the paytable that the parsed JSON object says. Raises InvalidSlip (`unknown_game`, `bad_paytable`), every fault with its place."""
    code = raw.get("game")
    if not isinstance(code, str) or code not in games():
        raise InvalidSlip("unknown_game", f"{shown(code)} is no known game.", where="game")
    return games()[code].read_paytable(raw)


@dataclass(frozen=True)
class Look:
    """What is known of a paytable as soon as it is typed: its edges, and what to be warned of."""

    paytable: Paytable
    edges: Edges
    warnings: tuple[EdgeWarning, ...]

    @property
    def short_code(self) -> str:
        """Return the four characters of its hash."""
        return short_code(self.paytable.sha256)

    @property
    def needs_solve(self) -> bool:
        """Return whether it cannot be approved before the full solve is done."""
        return bool(self.edges.unsolved)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        warnings = [warning.as_json() for warning in self.warnings]
        return {**shown_edges(self.edges), "short_code": self.short_code, "needs_solve": self.needs_solve, "warnings": warnings}


def look_at(paytable: Paytable, house: Property | None = None) -> Look:
    """Return the edges of `paytable` and its warnings by the limits of `house`; nothing is written. Two queries."""
    found = known_edges(paytable)
    return Look(paytable, found, tuple(edge_warnings(found, limits_of(house, paytable.game))))


def limits_of(house: Property | None, game: str) -> list[Limit]:
    """Return the limits that `house` set for the game's edges, the last of each bet. One query."""
    rows = [] if house is None else EdgeLimit.objects.filter(property=house, game=game).order_by("id")
    return list({row.bet: Limit(row.bet, Fraction(row.least_ppm, PPM), Fraction(row.most_ppm, PPM)) for row in rows}.values())


def state_of(proposal: PaytableProposal) -> str:
    """Return the state of `proposal`: that of its last event. One query."""
    return PaytableEvent.objects.filter(proposal=proposal).order_by("-sequence").values_list("state", flat=True).first() or ""


def version_named(reference: str) -> PaytableVersion:
    """Return the version of a reference, "uth-seed@1". One query. Raises NotFound (`no_paytable`)."""
    name, _, number = reference.rpartition("@")
    found = PaytableVersion.objects.filter(name=name, version=int(number)).first() if number.isascii() and number.isdigit() else None
    if found is None:
        raise NotFound("no_paytable", f"There is no paytable version {shown(reference)}.", where="paytable")
    return found


# ---- drafting ----


@in_transaction
def draft_paytable(
    raw: Mapping[str, Any], *, by: User, draft: PaytableDraft | None = None, revision: int | None = None, house: Property | None = None
) -> PaytableDraft:
    """Return the draft that says `raw`: a new one, or `draft` changed, which was at `revision` when it was looked at.

    Raises InvalidSlip (`unknown_game`, `bad_paytable` with every fault's place), Refused, Stale (`draft_changed`), Conflict
    (`version_exists`, `published_already`).
    """
    roles.require(by, "propose_paytable")
    paytable = read_paytable(raw)
    _refuse_published(paytable)
    if draft is None:
        return _new_draft(paytable, by, house)
    kept = _locked(draft, revision)
    if kept.sha256 == paytable.sha256 and (house is None or kept.property_id == house.pk):
        return kept
    _say(kept, paytable, by)
    kept.revision, kept.property = kept.revision + 1, house or kept.property
    kept.save()
    kept.refresh_from_db()
    return kept


def _new_draft(paytable: Paytable, by: User, house: Property | None) -> PaytableDraft:
    draft = PaytableDraft(property=house, typed_by=[])
    _say(draft, paytable, by)
    draft.save(force_insert=True)
    draft.refresh_from_db()
    return draft


def _say(draft: PaytableDraft, paytable: Paytable, by: User) -> None:
    for name, value in _columns(paytable).items():
        setattr(draft, name, value)
    draft.typed_by = sorted({*draft.typed_by, by.pk})
    draft.changed_by, draft.changed_at = by, Now()


def _columns(paytable: Paytable) -> dict[str, Any]:
    """Return what every row of a paytable keeps of it."""
    kept = {name: getattr(paytable, name) for name in ("game", "name", "version", "sha256")}
    return {**kept, "content": paytable.canonical}


def _locked(draft: PaytableDraft, revision: int | None) -> PaytableDraft:
    kept = PaytableDraft.objects.select_for_update(of=("self",)).select_related("changed_by", "property").get(pk=draft.pk)
    if revision is not None and kept.revision != revision:
        who, when = kept.changed_by.username, kept.changed_at.isoformat(timespec="seconds")
        raise Stale("draft_changed", f"{who} changed the draft since you looked.", where="revision", by=who, at=when, revision=kept.revision)
    return kept


def _refuse_published(paytable: Paytable) -> None:
    kept = PaytableVersion.objects.filter(name=paytable.name, version=paytable.version).first()
    if kept is None:
        return
    if kept.sha256 != paytable.sha256:
        raise Conflict("version_exists", f"{paytable.reference} is published with other content: take the next number.", where="version")
    raise Conflict("published_already", f"{paytable.reference} is published, with this content.", where="version")


# ---- proposing and approving ----


@in_transaction
def propose(draft: PaytableDraft, *, by: User, note: str = "", revision: int | None = None) -> PaytableProposal:
    """Return the proposal of what `draft` says now; later changes of the draft do not reach it.

    Raises Refused, Stale (`draft_changed`), Conflict (`proposed_already`: it waits for somebody, `version_exists`, `published_already`).
    """
    roles.require(by, "propose_paytable")
    lock_name(f"paytable:{draft.name}")
    kept = _locked(draft, revision)
    paytable = paytable_of(kept)
    _refuse_published(paytable)
    if any(state_of(other) == PaytableEvent.State.PROPOSED for other in PaytableProposal.objects.filter(sha256=kept.sha256)):
        raise Conflict("proposed_already", f"{paytable.reference} is proposed already and waits for an approval.")
    look = look_at(paytable, kept.property).as_json()
    proposal = PaytableProposal.objects.create(
        **_columns(paytable),
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

    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`missing_field` at `approval`), Conflict (`not_proposed`: it has ended,
    `solve_required`: the full solve is not done, `version_exists`).
    """
    approval = approval.strip()
    if not 1 <= len(approval) <= 120:
        raise InvalidSlip("missing_field", "An approval has a reference, of 120 characters at most.", where="approval")
    paytable = paytable_of(proposal)
    _may_end(proposal, by, "approve_paytable")
    _refuse_published(paytable)
    if unsolved := known_edges(paytable).unsolved:
        raise Conflict("solve_required", "Its rules are not the form's: the full solve must be done before.", bets=list(unsolved))
    _add_event(proposal, PaytableEvent.State.APPROVED, by, approval)
    return _add_version(proposal, by, approval)


@in_transaction
def refuse(proposal: PaytableProposal, *, by: User, note: str) -> PaytableEvent:
    """Return the event that ends `proposal` without a version, with the reason. Raises as `approve`, `missing_field` at `note`."""
    if not note.strip():
        raise InvalidSlip("missing_field", "A refusal says why.", where="note")
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
        raise Refused("own_approval", "Nobody approves what they proposed or typed.")
    _still_proposed(proposal)


def _still_proposed(proposal: PaytableProposal) -> None:
    lock_name(f"paytable:{proposal.name}")
    if (state := state_of(proposal)) != PaytableEvent.State.PROPOSED:
        raise Conflict("not_proposed", f"{proposal} was {state} already.", state=state)


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
            raise Conflict("version_exists", f"{proposal} is published already.", where="version") from error
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


# ---- files ----


def export_paytable(version: PaytableVersion | PaytableDraft | PaytableProposal) -> bytes:
    """Return the JSON file of a version, for people to read; its canonical form, of which the hash is taken, is the same object."""
    return f"{json.dumps(json.loads(bytes(version.content)), indent=2, ensure_ascii=False)}\n".encode()


def import_paytable(data: bytes, *, by: User, house: Property | None = None) -> PaytableDraft:
    """Return a new draft of the JSON file `data`. Raises InvalidSlip (`bad_json`, …), and as `draft_paytable`."""
    return draft_paytable(parse_line(data), by=by, house=house)


# ---- limits ----


@in_transaction
def set_edge_limits(house: Property, game: str, bet: str, *, least: Fraction, most: Fraction, by: User, approved_by: User) -> EdgeLimit:
    """Return the row that says what `house` allows as its edge on the base stake of `bet` ("": every bet without its own), in millionths.

    Raises Refused (`not_allowed`, `own_approval`), InvalidSlip (`unknown_game`, `bad_limit`: finer than millionths, beyond the whole stake,
    or the least above the most).
    """
    roles.require(by, "propose_paytable")
    roles.require(approved_by, "approve_paytable")
    if by == approved_by:
        raise Refused("own_approval", "Nobody approves what they proposed.")
    if game not in games():
        raise InvalidSlip("unknown_game", f"{shown(game)} is no known game.", where="game")
    ppm = {"least": least * PPM, "most": most * PPM}
    for where, figure in ppm.items():
        if figure.denominator != 1 or abs(figure) > PPM:
            raise InvalidSlip("bad_limit", "A limit is a part of the stake in whole millionths.", where=where)
    if least > most:
        raise InvalidSlip("bad_limit", "The least is not above the most.", where="least")
    row = {"least_ppm": int(ppm["least"]), "most_ppm": int(ppm["most"])}
    return EdgeLimit.objects.create(property=house, game=game, bet=bet, proposed_by=by, approved_by=approved_by, **row)
