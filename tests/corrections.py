"""Proposals and decisions for tests, through the real services; and a shift that is sealed."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from ledger.models import Account, Segment
from ledger.selectors import balances
from tables.models import Round, RoundChange, RoundProposal, Shift
from tables.round_again import slip_again
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_correction, propose_void, wagers_of
from tables.services.paytables import publish_paytable
from tables.services.placements import put_in_force
from tables.services.rounds import record_round
from tables.slips import read_round_slip
from tests.builders import House, slip


def deal(house: House, table: str = "UTH-01", by: str = "FS-1", **more: Any) -> Round:
    """Return a round recorded by a floor supervisor."""
    return record_round(read_round_slip(slip(house, table, **more)), by=house.people[by], at=house.clock)


def propose(house: House, played: Round, by: str = "FS-2", *, uuid: UUID | None = None, reason: str = "misdeal") -> RoundProposal:
    """Return the proposal to void `played`."""
    return propose_void(played, uuid=uuid or uuid4(), reason=reason, chips_returned=True, by=house.people[by], at=house.tick())


def void(house: House, played: Round, by: str = "FS-2", approver: str = "SM-1") -> RoundChange:
    """Return what voiding `played` did."""
    return approve_proposal(propose(house, played, by), by=house.people[approver], at=house.tick())


def mended(played: Round, **changes: Any) -> dict[str, Any]:
    """Return the slip that would correct `played`, with `changes` of its keys; those of `round` are added to it."""
    raw = slip_again(Round.objects.get(pk=played.pk), wagers_of(played), uuid=uuid4())
    facts = {**raw["round"], **changes.pop("round", {})}
    return {**raw, "round": facts, **changes}


def propose_mended(house: House, played: Round, by: str = "FS-2", reason: str = "wrong_payment", **changes: Any) -> RoundProposal:
    """Return the proposal to correct `played`."""
    return propose_correction(played, mended(played, **changes), reason=reason, by=house.people[by], at=house.tick())


def correct(house: House, played: Round, by: str = "FS-2", approver: str = "SM-1", **changes: Any) -> Round:
    """Return the round that took the place of `played`."""
    made = approve_proposal(propose_mended(house, played, by, **changes), by=house.people[approver], at=house.tick()).made
    assert made is not None
    return made


def held(house: House, code: str) -> int:
    """Return what the account holds by the books."""
    account = Account.objects.get(property=house.property.uuid, code=code)
    return balances([account])[account.pk]


def seal(shift: Shift) -> None:
    """Seal the shift, as far as the books can tell."""
    number = Segment.objects.count() + 1
    what = {"root": b"r" * 32, "outer_root": b"o" * 32, "checkpoint": "sealed in a test", "leaf_count": 1}
    Segment.objects.create(number=number, property=shift.property.uuid, shift=shift.uuid, gaming_day=shift.gaming_day, **what)


RAKED = {
    "game": "payroll",
    "name": "raked",
    "version": 1,
    "rules": {"ante": 100, "rake_bps": 500, "rake_cap": None, "max_seats": 8, "payout_unit": 1},
}


def rake_to_the_box(house: House) -> None:
    """Have the house take a twentieth of each pot of PAY-01 from now on, into the box."""
    people = house.people
    house.property.rake_to = "box"
    house.property.save(update_fields=["rake_to"])
    version = publish_paytable(RAKED, proposed_by=people["GM-1"], approved_by=people["AU-1"], approval="T-1")
    put_in_force(house.tables["PAY-01"], version, from_at=house.tick(), by=people["GM-1"], approved_by=people["AU-1"])
