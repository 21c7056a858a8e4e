"""A recorded round as the slip that would record it again: what a correction begins from, and what a dead hand leaves of it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any
from uuid import UUID

from casino.errors import InvalidSlip
from casino.money import Notation, format_amount
from casino.wall_clock import offset_text
from casino.words import gettext
from tables.engine.game import Field, Game
from tables.round_fields import TableFacts, done_name, for_dealer_name, fund_name, note_name, round_name, seat_name, status_name


def slip_again(played: Any, wagers: Sequence[Any], *, uuid: UUID) -> dict[str, Any]:
    """Return the raw slip of `played` (a Round) with its `wagers`, under a new `uuid`, replacing it.

    What was done otherwise than due is said; of an irregular round all that was done.
    """
    raw: dict[str, Any] = {
        "uuid": str(uuid),
        "table": played.session.table.code,
        "occurred_at": played.occurred_at.isoformat(),
        "dealer": played.dealer.code,
        "round": json.loads(bytes(played.deal)),
        "done": {},
        "mispaid": [_mispaid(wager) for wager in wagers if wager.mispaid],
        "patrons": {str(wager.seat): wager.patron for wager in wagers if wager.patron},
        "irregular": {"reason": played.irregular} if played.irregular else None,
        "replaces": str(played.uuid),
        "funds": {},
        "for_dealer": {},
    }
    for wager in wagers:
        if wager.fund != "chips":
            raw["funds"].setdefault(str(wager.seat), {})[wager.kind] = wager.fund
        if wager.for_dealer:
            raw["for_dealer"].setdefault(str(wager.seat), []).append(wager.kind)
        if (wager.collect, wager.pay) != (wager.collected, wager.paid):
            raw["done"].setdefault(str(wager.seat), {})[wager.kind] = {"collected": wager.collected, "paid": wager.paid}
    return raw


def _mispaid(wager: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"seat": wager.seat, "wager": wager.kind, "status": wager.mispaid, "note": wager.note}
    if wager.first_collected is not None and wager.first_paid is not None:
        said["first"] = {"collected": wager.first_collected, "paid": wager.first_paid}
    return said


def without_hand(raw: Mapping[str, Any], seat: int, game: Game) -> dict[str, Any]:
    """Return the slip with the hand of `seat` dead.

    In a game against the house its wagers are returned: the seat is not in the round any more. In a pot game its stakes stay in the pot, as
    of one who folds, and the pot goes as is due. Raises InvalidSlip (`bad_seat`, `void_instead` where nobody else played).
    """
    left = deepcopy(dict(raw))
    seats = left["round"]["seats"]
    if all(line["seat"] != seat for line in seats):
        raise InvalidSlip("bad_seat", gettext("Seat %(seat)s is not in the round.") % {"seat": seat}, where="seat")
    if len(seats) == 1:
        raise InvalidSlip("void_instead", gettext("Nobody else played: void the round."), where="seat")
    if game.is_pot_game:
        dead = next(line for line in seats if line["seat"] == seat)
        dead.pop("all_in", None)
        dead["folded"] = True
        return {**left, "done": {}, "mispaid": []}
    left["round"]["seats"] = [line for line in seats if line["seat"] != seat]
    left["mispaid"] = [said for said in left["mispaid"] if said["seat"] != seat]
    for key in ("done", "patrons", "funds", "for_dealer"):
        left[key].pop(str(seat), None)
    return left


# ---- as a person would have typed it ----


def typed_again(raw: Mapping[str, Any], table: TableFacts, local: Any) -> dict[str, str]:
    """Return the slip as texts of the entry form, by field name; `local` is its moment on the house's clock."""
    typed = {
        "uuid": raw["uuid"],
        "who_dealt": raw["dealer"],
        "occurred_at": local.replace(tzinfo=None, microsecond=0).isoformat(),
        "utc_offset": offset_text(local),
        "irregular": (raw["irregular"] or {}).get("reason", ""),
        "exact": "on",
    }
    facts = raw["round"]
    for field in table.game.layout.round_fields:
        typed[round_name(field.name)] = _text(field, facts.get(field.name), table.notation)
    for seat in facts["seats"]:
        for field in table.game.layout.seat_fields:
            typed[seat_name(seat["seat"], field.name)] = _text(field, seat.get(field.name), table.notation)
    for seat, funds in raw["funds"].items():
        typed |= {fund_name(int(seat), kind): fund for kind, fund in funds.items()}
    for seat, kinds in raw["for_dealer"].items():
        typed |= {for_dealer_name(int(seat), kind): "on" for kind in kinds}
    return typed | _done(raw, table.notation)


def _done(raw: Mapping[str, Any], notation: Notation) -> dict[str, str]:
    typed = {}
    for seat, wagers in raw["done"].items():
        for kind, done in wagers.items():
            typed[done_name(int(seat), kind)] = _signed(done, notation)
    for said in raw["mispaid"]:
        typed[status_name(said["seat"], said["wager"])] = said["status"]
        typed[note_name(said["seat"], said["wager"])] = said["note"]
        if "first" in said:
            typed[done_name(said["seat"], said["wager"])] = _signed(said["first"], notation)
    return typed


def _signed(done: Mapping[str, int], notation: Notation) -> str:
    """Return what was done as one signed amount, the patron's; taken and paid both where both were."""
    taken, paid = (format_amount(done[side], notation) for side in ("collected", "paid"))
    if done["collected"] and done["paid"]:
        return f"−{taken} +{paid}"
    return f"−{taken}" if done["collected"] else f"+{paid}" if done["paid"] else "0"


def _text(field: Field, value: Any, notation: Notation) -> str:
    if value is None:
        return ""
    if field.kind == "amount":
        return format_amount(value, notation)
    if field.kind == "flag":
        return "on" if value else ""
    if field.kind == "wagers":
        return ", ".join(f"{kind} {format_amount(stake, notation)}" for kind, stake in value.items())
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
