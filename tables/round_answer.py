"""A recorded round as every door shows it: what was due and done on each wager, the difference, what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from uuid import UUID

import orjson

from ledger.selectors import entries_of_round
from tables.due_and_done import KeptWager
from tables.models import Round, Wager
from tables.round_history import state_of


@dataclass(frozen=True)
class JustKept:
    """What whoever made a round knows of it beside its columns and the rows that it has at hand: what it would read again to answer."""

    dealer: str
    wagers: Iterable[KeptWager]
    entry: UUID


def round_answer(played: Round) -> dict[str, Any]:
    """Return a recorded round as every door shows it.

    Three queries, more where it replaces a round or was replaced; none where it was just made (`Round.just_kept`).
    """
    made: JustKept | None = played.just_kept
    if made is not None:  # nobody can have voided or replaced it yet
        return _answer(played, made.dealer, made.wagers, made.entry, state="irregular" if played.irregular else "stands", replaced_by=None)
    wagers = Wager.objects.filter(round=played, gaming_day=played.gaming_day).order_by("line")
    entry = entries_of_round(played.uuid).values_list("uuid", flat=True)[0]
    return _answer(played, played.dealer.code, wagers, entry, state=state_of(played), replaced_by=_replaced_by(played))


def _answer(played: Round, dealer: str, wagers: Iterable[Wager | KeptWager], entry: UUID, *, state: str, replaced_by: str | None) -> dict[str, Any]:
    session = played.session
    return {
        "uuid": str(played.uuid),
        "table": session.table.code,
        "session": str(session.uuid),
        "shift": str(session.shift.uuid),
        "gaming_day": played.gaming_day.isoformat(),
        "number": played.number,
        "occurred_at": played.occurred_at.astimezone(UTC).isoformat(),
        "recorded_at": played.recorded_at.isoformat(),
        "recorded_by": played.recorded_by.username,
        "dealer": dealer,
        "paytable": str(played.paytable),
        "paytable_sha256": played.paytable.sha256,
        "state": state,
        "late": played.late,
        "replaces": str(played.replaces.uuid) if played.replaces else None,
        "replaced_by": replaced_by,
        "irregular": {"reason": played.irregular} if played.irregular else None,
        "round": orjson.loads(bytes(played.deal)),
        "settlement": orjson.loads(played.settlement) if played.settlement else None,
        "wagers": [_wager_answer(wager) for wager in wagers],
        "payout_variance": played.payout_variance,
        "entry": str(entry),
    }


def _replaced_by(played: Round) -> str | None:
    change = getattr(played, "reversal", None)
    return str(change.made.uuid) if change is not None and change.made is not None else None


def _wager_answer(wager: Wager | KeptWager) -> dict[str, Any]:
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
