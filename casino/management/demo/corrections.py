"""Two rounds of the demo's night that went wrong on paper: one entered twice and voided, one with a payment mistyped and corrected.

No chip moves by either, so that trays and boxes are counted as they would be without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from casino.management.demo.house import Cast
from tables.models import Round, Table
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_correction, propose_void
from tables.services.rounds import record_round
from tables.slips import read_round_slip

TWICE, MISTYPED = "UTH-02", "UTH-04"
"""The tables at which it happens, in the last round of the night."""
_MINUTES = timedelta(minutes=2)


def enter_twice(cast: Cast, table: Table, slip: Mapping[str, Any], at: datetime) -> None:
    """Record `slip` once more by mistake, and void that record: proposed by the supervisor, approved by the pit boss."""
    uuid = UUID(slip["uuid"])
    again = {**slip, "uuid": str(uuid5(uuid, "entered twice"))}
    played = record_round(read_round_slip(again), by=cast.supervisor(table), at=at)
    note = "the same round was entered from two screens"
    said: dict[str, Any] = {"uuid": uuid5(uuid, "void"), "by": cast.supervisor(table), "at": at + _MINUTES}
    proposal = propose_void(played, reason="entered_twice", chips_returned=True, note=note, **said)
    approve_proposal(proposal, by=cast.boss(table), at=at + 2 * _MINUTES)


def mistype(cast: Cast, table: Table, slip: Mapping[str, Any], at: datetime) -> Round:
    """Return the round of `slip`, put in the place of one in which five dollars too much were typed as paid on the first seat's ante."""
    seat = str(slip["round"]["seats"][0]["seat"])
    done = {**slip["done"], seat: {**slip["done"].get(seat, {}), "ante": {"collected": 0, "paid": slip["round"]["seats"][0]["ante"] + 5_00}}}
    wrong = {**slip, "uuid": str(uuid5(UUID(slip["uuid"]), "mistyped")), "done": done}
    played = record_round(read_round_slip(wrong), by=cast.supervisor(table), at=at)
    right = {**slip, "replaces": str(played.uuid)}
    note = f"seat {seat}'s ante was typed with another seat's payment"
    proposal = propose_correction(played, right, reason="wrong_payment", note=note, by=cast.supervisor(table), at=at + _MINUTES)
    made = approve_proposal(proposal, by=cast.boss(table), at=at + 2 * _MINUTES).made
    assert made is not None
    return made
