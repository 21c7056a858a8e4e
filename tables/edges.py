"""The expectation of wagers that were made, by their paytable's exact edges. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from tables.engine.edge import Edges
from tables.engine.game import games
from tables.engine.paytable import Paytable


def theoretical_win(known: Edges, stakes: Mapping[str, int]) -> Fraction | None:
    """Return what the house expects to win of `stakes` (minor units by kind of wager): base stake × edge, summed, exact.

    `known`: the edges of the version, as `tables.solved_edges.known_edges` has them. None where it has no odds to expect by, or where an
    edge is not worked out. Source: spec/night.md, "Reconcile".
    """
    if known.unsolved or not known.bets:
        return None
    by_bet = _by_bet(known.paytable, stakes)
    return sum((bet.edge * by_bet[bet.basis] for bet in known.bets.values()), Fraction(0))


def _by_bet(paytable: Paytable, stakes: Mapping[str, int]) -> Counter[str]:
    game = games()[paytable.game]
    by_bet: Counter[str] = Counter()
    for kind, stake in stakes.items():
        by_bet[game.bet_of(kind)] += stake
    return by_bet
