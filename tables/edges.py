"""The expectation of wagers that were made, by their paytable's exact edges. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from tables.engine.edge import Edges, edges
from tables.engine.game import games
from tables.engine.paytable import Paytable


@lru_cache(maxsize=256)
def _edges(paytable: Paytable) -> Edges:
    return edges(paytable)


def theoretical_win(paytable: Paytable, stakes: Mapping[str, int]) -> Fraction | None:
    """Return what the house expects to win of `stakes` (minor units by kind of wager): base stake × edge, summed, exact.

    None where the version has no odds to expect by, or where its edge is not worked out. Source: spec/night.md, "Reconcile".
    """
    known = _edges(paytable)
    if known.unsolved or not known.bets:
        return None
    by_bet = _by_bet(paytable, stakes)
    return sum((bet.edge * by_bet[bet.basis] for bet in known.bets.values()), Fraction(0))


def _by_bet(paytable: Paytable, stakes: Mapping[str, int]) -> Counter[str]:
    game = games()[paytable.game]
    by_bet: Counter[str] = Counter()
    for kind, stake in stakes.items():
        by_bet[game.bet_of(kind)] += stake
    return by_bet
