"""The exact edges of roulette: a bet's numbers out of the wheel's pockets. All spots of one bet cover equally many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tables.engine.edge import BetEdge, Edges, Progress
from tables.engine.games.roulette import WHEELS, offered
from tables.engine.paytable import Paytable


def edges(paytable: Paytable) -> Edges:
    """Return every bet that the table takes."""
    pockets = 36 + len(WHEELS[paytable.rules["wheel"]])
    covered = {spot.bet: len(spot.numbers) for spot in offered(paytable).values()}
    odds = paytable.odds["bets"]
    return Edges(paytable, {bet: _edge(bet, Fraction(count, pockets), odds[bet]) for bet, count in covered.items()})


def solve(
    paytable: Paytable,
    *,
    kept: Mapping[str, Any] | None = None,
    workers: int = 2,
    report: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Edges:
    """Return what `edges` does: nothing is left to be worked out."""
    return edges(paytable)


def _edge(bet: str, hits: Fraction, odds: Fraction) -> BetEdge:
    ev = hits * odds - (1 - hits)
    return BetEdge(bet, "count", ev, hits * odds * odds + (1 - hits) - ev * ev, hit_frequency=hits)
