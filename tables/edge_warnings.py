"""What to be warned of before a paytable goes live: the player has the edge, it leaves the property's limits, it is not worked out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tables.edge_record import percent
from tables.engine.edge import BetEdge, Edges

EVERY_BET = ""


@dataclass(frozen=True)
class Limit:
    """The least and the most that a property allows as the house's edge on a bet's base stake; `bet` is `EVERY_BET` for those without their own."""

    bet: str
    least: Fraction
    most: Fraction


@dataclass(frozen=True)
class EdgeWarning:
    """`code`: "player_edge", "below_limit", "above_limit" or "unsolved"; the bet; words for a person."""

    code: str
    bet: str
    message: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"code": self.code, "bet": self.bet, "message": self.message}


def edge_warnings(edges: Edges, limits: Iterable[Limit] = ()) -> list[EdgeWarning]:
    """Return every warning, by bet. An edge that lies on a limit is within it."""
    by_bet = {limit.bet: limit for limit in limits}
    found = [warning for name, bet in edges.bets.items() for warning in _of(name, bet, by_bet)]
    return found + [EdgeWarning("unsolved", name, f"The edge of {name} hangs on the best play, which is not worked out.") for name in edges.unsolved]


def _of(name: str, bet: BetEdge, limits: Mapping[str, Limit]) -> Iterator[EdgeWarning]:
    said = f"{name}: the house's edge is {percent(bet.edge)} % of the {bet.basis}"
    if bet.edge < 0:
        yield EdgeWarning("player_edge", name, f"{said}: the player has the edge.")
    limit = limits.get(name) or limits.get(EVERY_BET)
    if limit is not None and bet.edge < limit.least:
        yield EdgeWarning("below_limit", name, f"{said}, below the property's {percent(limit.least)} %.")
    if limit is not None and bet.edge > limit.most:
        yield EdgeWarning("above_limit", name, f"{said}, above the property's {percent(limit.most)} %.")
