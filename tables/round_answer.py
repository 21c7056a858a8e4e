"""A recorded round as every door shows it."""

from __future__ import annotations

import json
from typing import Any

from ledger.selectors import entries_of_round
from tables.models import Round, Wager
from tables.round_history import state_of


def round_answer(played: Round) -> dict[str, Any]:
    """Return a recorded round as every door shows it: what was due and done on each wager, the difference, what became of it.

    Three queries, more where it replaces a round or was replaced.
    """
    wagers = list(Wager.objects.filter(round=played, gaming_day=played.gaming_day).order_by("line"))
    table = played.session.table
    return {
        "uuid": str(played.uuid),
        "table": table.code,
        "session": str(played.session.uuid),
        "shift": str(played.session.shift.uuid),
        "gaming_day": played.gaming_day.isoformat(),
        "number": played.number,
        "occurred_at": played.occurred_at.isoformat(),
        "recorded_at": played.recorded_at.isoformat(),
        "recorded_by": played.recorded_by.username,
        "dealer": played.dealer.code,
        "paytable": str(played.paytable),
        "paytable_sha256": played.paytable.sha256,
        "state": state_of(played),
        "late": played.late,
        "replaces": str(played.replaces.uuid) if played.replaces else None,
        "replaced_by": _replaced_by(played),
        "irregular": {"reason": played.irregular} if played.irregular else None,
        "round": json.loads(bytes(played.deal)),
        "settlement": json.loads(played.settlement) if played.settlement else None,
        "wagers": [_wager_answer(wager) for wager in wagers],
        "payout_variance": played.payout_variance,
        "entry": str(entries_of_round(played.uuid).values_list("uuid", flat=True)[0]),
    }


def _replaced_by(played: Round) -> str | None:
    change = getattr(played, "reversal", None)
    return str(change.made.uuid) if change is not None and change.made is not None else None


def _wager_answer(wager: Wager) -> dict[str, Any]:
    known = wager.collect is not None
    answer: dict[str, Any] = {
        "seat": wager.seat,
        "wager": wager.kind,
        "stake": wager.stake,
        "due": {"collect": wager.collect, "pay": wager.pay} if known else None,
        "done": {"collected": wager.collected, "paid": wager.paid},
        "payout_variance": wager.payout_variance,
    }
    if wager.mispaid:
        answer["mispaid"] = {"status": wager.mispaid, "note": wager.note}
        if wager.first_paid is not None:
            answer["mispaid"]["first"] = {"collected": wager.first_collected, "paid": wager.first_paid}
    if wager.patron:
        answer["patron"] = wager.patron
    if wager.fund != Wager.Fund.CHIPS:
        answer["fund"] = wager.fund
    if wager.for_dealer:
        answer["for_dealer"] = True
    return answer
