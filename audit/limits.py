"""Stakes against a table's limits. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from audit.compare import FindingDraft, WagerDone


@dataclass(frozen=True)
class Limit:
    """The least and the most, minor units, that may be staked on a wager of `bet` ("": any bet without its own) from `from_at` on."""

    bet: str
    least: int
    most: int
    from_at: datetime


def limit_of(limits: Sequence[Limit], bet: str, at: datetime) -> Limit | None:
    """Return the limit in force for `bet` at moment `at`: the last of its own, else the last of every bet, None where there is none."""
    begun = [limit for limit in limits if limit.from_at <= at]
    for wanted in (bet, ""):
        own = [limit for limit in begun if limit.bet == wanted]
        if own:
            return max(own, key=lambda limit: limit.from_at)
    return None


def over_limits(wagers: Iterable[WagerDone], limits: Sequence[Limit], at: datetime, bet_of: Callable[[str], str]) -> list[FindingDraft]:
    """Return a draft for every stake below the least or above the most that was in force at `at`. It moves no money by itself: effect 0."""
    drafts = []
    for wager in wagers:
        limit = limit_of(limits, bet_of(wager.kind), at) if wager.stake else None
        if limit is not None and not limit.least <= wager.stake <= limit.most:
            above = wager.stake > limit.most
            bound = limit.most if above else limit.least
            side, end = ("above", "most") if above else ("below", "least")
            why = f"The stake of {wager.stake} is {side} the {bound} that the table allows at {end}."
            facts = {"stake": wager.stake, "limit": bound, "which": "most" if above else "least"}
            drafts.append(FindingDraft("over_limit", "minor", 0, why, seat=wager.seat, wager=wager.kind, facts=facts))
    return drafts
