"""Sessions, slips, counts and movements as every machine's door answers them. What is counted blind is in none of them."""

from __future__ import annotations

from typing import Any

from tables.models import (
    BoxPull,
    CashOut,
    ChipMovement,
    ChipSlip,
    ChipSlipEvent,
    CountReopening,
    DealerTurn,
    DropCount,
    Shift,
    TableSession,
    TrayCount,
)
from tables.selectors import session_state, shift_state
from tables.short_code import short_code


def session_answer(session: TableSession) -> dict[str, Any]:
    """Return a session: where, when, its state and what stands on its felt. At most two queries."""
    return {
        "uuid": str(session.uuid),
        "table": session.table.code,
        "shift": str(session.shift.uuid),
        "gaming_day": session.shift.gaming_day.isoformat(),
        "sequence": session.sequence,
        "state": getattr(session, "state", None) or session_state(session),
        "paytable": str(session.felt) if session.felt else None,
        "felt_code": short_code(session.felt.sha256) if session.felt else None,
    }


def shift_answer(shift: Shift) -> dict[str, Any]:
    """Return a shift: its gaming day, its hours, its state. At most one query."""
    return {
        "uuid": str(shift.uuid),
        "property": shift.property.code,
        "gaming_day": shift.gaming_day.isoformat(),
        "kind": shift.kind,
        "starts_at": shift.starts_at.isoformat(),
        "ends_at": shift.ends_at.isoformat(),
        "state": getattr(shift, "state", None) or shift_state(shift),
        "opened_by": shift.opened_by.username,
    }


def turn_answer(turn: DealerTurn) -> dict[str, Any]:
    """Return who deals from when, and whether they signed."""
    return {"dealer": turn.dealer.code, "from_at": turn.from_at.isoformat(), "signed": turn.signed, "by": turn.by.username}


def slip_answer(slip: ChipSlip) -> dict[str, Any]:
    """Return a slip with everybody who signed it. One query."""
    events = list(ChipSlipEvent.objects.filter(slip=slip).select_related("by", "dealer", "witness").order_by("sequence"))
    return {
        "uuid": str(slip.uuid),
        "kind": slip.kind,
        "number": slip.number,
        "table": slip.session.table.code,
        "session": str(slip.session.uuid),
        "amount": slip.amount,
        "denominations": slip.denominations,
        "state": events[-1].state,
        "events": [_event(event) for event in events],
    }


def _event(event: ChipSlipEvent) -> dict[str, Any]:
    return {
        "state": event.state,
        "at": event.occurred_at.isoformat(),
        "by": event.by.username,
        "dealer": event.dealer.code if event.dealer else None,
        "witness": event.witness.username if event.witness else None,
        "note": event.note,
    }


def movement_answer(movement: ChipMovement) -> dict[str, Any]:
    """Return a movement at a table."""
    return {
        "uuid": str(movement.uuid),
        "kind": movement.kind,
        "session": str(movement.session.uuid),
        "amount": movement.amount,
        "patron": movement.patron or None,
        "declined": movement.declined,
        "instrument": movement.instrument or None,
        "number": movement.number,
        "occurred_at": movement.occurred_at.isoformat(),
    }


def cash_out_answer(cashed: CashOut) -> dict[str, Any]:
    """Return a cash-out."""
    return {
        "uuid": str(cashed.uuid),
        "amount": cashed.amount,
        "patron": cashed.patron or None,
        "declined": cashed.declined,
        "gaming_day": cashed.gaming_day.isoformat(),
        "occurred_at": cashed.occurred_at.isoformat(),
    }


def tray_count_answer(count: TrayCount) -> dict[str, Any]:
    """Return a count of a tray, and who signed it."""
    return {
        "session": str(count.session.uuid),
        "kind": count.kind,
        "sequence": count.sequence,
        "total": count.total,
        "denominations": count.denominations,
        "counted_by": count.counted_by.username,
        "witness": count.witness.username if count.witness else None,
        "dealer": count.dealer.code if count.dealer else None,
        "note": count.note,
    }


def box_answer(pull: BoxPull) -> dict[str, Any]:
    """Return a box that was pulled."""
    return {
        "session": str(pull.session.uuid),
        "box": pull.box,
        "seal": pull.seal,
        "gaming_day": pull.gaming_day.isoformat(),
        "per_day": pull.per_day,
        "carried_by": [pull.carried_by.username, pull.carried_with.username],
    }


def drop_answer(count: DropCount) -> dict[str, Any]:
    """Return what was found in a box."""
    return {
        "session": str(count.session.uuid),
        "sequence": count.sequence,
        "box": count.box,
        "seal": count.seal,
        "total": count.total,
        "denominations": count.denominations,
        "instruments": count.instruments,
        "tickets": count.tickets,
        "coupons": count.coupons,
        "counted_by": [count.counted_by.username, count.witness.username],
        "note": count.note,
    }


def reopening_answer(reopening: CountReopening) -> dict[str, Any]:
    """Return a reopened count with its events. One query."""
    events = list(reopening.events.select_related("by").order_by("sequence"))
    return {
        "uuid": str(reopening.uuid),
        "session": str(reopening.session.uuid),
        "count": reopening.count,
        "reason": reopening.reason,
        "state": events[-1].state,
        "events": [{"state": e.state, "at": e.occurred_at.isoformat(), "by": e.by.username, "note": e.note} for e in events],
    }
