"""The exact edges of Ultimate Texas Hold'em: trips, and ante, blind and play together ("main") under the best play.

Trips are a sum over the ten classes of seven cards, unless they hang on folding or on being beaten; those rules, and main, are sums over how
rounds end under the play that is best for main. Source: design/performance.md "Exact edges".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from tables.engine import edge_solve
from tables.engine.edge import BetEdge, Edges, Method, Progress
from tables.engine.edge_flop import Plan
from tables.engine.edge_outcomes import BEST_PLAY, LOSE, LOSE_UNQUALIFIED, Ending, Outcomes, mean, net_of_main
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASS_STARTS, CLASSES, SEVEN_CARD_HANDS

_Net = Callable[[Ending], Fraction]

_STRAIGHT = CLASSES.index("straight")
_QUADS = CLASSES.index("four_of_a_kind")
_QUADS_FROM, _QUADS_TO = Fraction(9, 2), Fraction(23, 2)


def edges(paytable: Paytable) -> Edges:
    """Return what is known at once: everything where the decisions of the seed's rules are known to be the best."""
    return _edges(paytable, BEST_PLAY if seed_decisions_hold(plan_of(paytable)) else None, "linear")


def solve(
    paytable: Paytable,
    *,
    kept: Mapping[str, Any] | None = None,
    workers: int = 2,
    report: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Edges:
    """Return every bet, the best play worked out in full: see `edge.solve`."""
    plan = plan_of(paytable)
    plan.check()
    progress = edge_solve.Progress.from_json(plan, kept) if kept else edge_solve.Progress.start(plan)
    return _edges(paytable, edge_solve.solve(progress, workers=workers, report=report, cancelled=cancelled), "solve")


def plan_of(paytable: Paytable) -> Plan:
    """Return the rules of `paytable` that decisions hang on."""
    odds = blind_odds(paytable)
    unit = lcm(*(row.denominator for row in odds))
    multiples = {street: tuple(sorted(times)) for street, times in paytable.rules["play_multiples"].items()}
    qualifying = CLASS_STARTS[CLASSES.index(paytable.rules["dealer_qualifies"])]
    return Plan(tuple(int(row * unit) for row in odds), unit, qualifying, **multiples)


def seed_decisions_hold(plan: Plan) -> bool:
    """Return whether the best decisions are those of the seed's rules, so that only prices differ.

    They are while four of a kind pays from 4.5 to 11.5 and no hand below a straight is paid. What the others from a straight on pay moves
    no decision: they are never folded, even unpaid, so every branch wins their price as often. Quads are folded, but only where they lie on
    the board; the full solve at both ends, with all others unpaid, gives the same counts, and in between it can give no other. Source:
    design/performance.md "Exact edges".
    """
    rules = (plan.qualifying, plan.preflop, plan.flop, plan.river)
    paid_low = any(plan.odds[:_STRAIGHT])
    return rules == (CLASS_STARTS[1], (3, 4), (2,), (1,)) and not paid_low and _QUADS_FROM <= Fraction(plan.odds[_QUADS], plan.unit) <= _QUADS_TO


def blind_odds(paytable: Paytable) -> tuple[Fraction, ...]:
    """Return what a winning blind is paid to one, by class of hand; one that is not listed pushes."""
    return tuple(paytable.odds["blind"].get(name, Fraction(0)) for name in CLASSES)


def _trips_odds(paytable: Paytable) -> tuple[Fraction, ...]:
    """Return the same for trips, where a hand that is not listed loses the stake."""
    return tuple(paytable.odds["trips"].get(name, Fraction(-1)) for name in CLASSES)


def _edges(paytable: Paytable, outcomes: Outcomes | None, method: Method) -> Edges:
    bets: dict[str, BetEdge] = {}
    if not any(_TripsRules.of(paytable)):
        bets["trips"] = _counted_trips(paytable)
    elif outcomes is not None:
        bets["trips"] = _played_trips(paytable, outcomes, method)
    if outcomes is not None:
        bets["main"] = _main(paytable, outcomes, method)
    return Edges(paytable, bets, unsolved=tuple(name for name in ("trips", "main") if name not in bets))


class _TripsRules(NamedTuple):
    """Whether a folded hand forfeits its trips, and a beaten one gets back no more than the stake."""

    forfeits: bool
    pushes: bool

    @classmethod
    def of(cls, paytable: Paytable) -> _TripsRules:
        return cls(paytable.rules["trips_on_fold"] == "forfeits", paytable.rules["trips_when_beaten"] == "pushes")


def _counted_trips(paytable: Paytable) -> BetEdge:
    nets = _trips_odds(paytable)
    counted = list(zip(nets, CLASSES, SEVEN_CARD_HANDS, strict=True))
    hands = sum(SEVEN_CARD_HANDS)
    ev = sum((net * count for net, _, count in counted), Fraction(0)) / hands
    square = sum((net * net * count for net, _, count in counted), Fraction(0)) / hands
    hits = Fraction(sum(count for _, name, count in counted if name in paytable.odds["trips"]), hands)
    return BetEdge("trips", "count", ev, square - ev * ev, hit_frequency=hits)


def _played_trips(paytable: Paytable, outcomes: Outcomes, method: Method) -> BetEdge:
    """Return the trips bet whose end hangs on the play of the other bets, which is the best for those."""
    odds, rules = _trips_odds(paytable), _TripsRules.of(paytable)
    hits = mean(outcomes, lambda ending: int(odds[ending.hand] >= 0 and _is_paid(ending, rules)))
    ev, variance = _moments(outcomes, partial(_net_of_trips, odds=odds, rules=rules))
    return BetEdge("trips", method, ev, variance, hit_frequency=hits)


def _net_of_trips(ending: Ending, odds: tuple[Fraction, ...], rules: _TripsRules) -> Fraction:
    """Return what a patron gains on trips."""
    if odds[ending.hand] < 0 or _is_paid(ending, rules):
        return odds[ending.hand]
    return Fraction(0 if ending.times else -1)


def _is_paid(ending: Ending, rules: _TripsRules) -> bool:
    """Return whether a hand that is in the trips odds is paid: it may be forfeit when folded, and push when beaten."""
    if not ending.times:
        return not rules.forfeits
    return not rules.pushes or ending.end not in (LOSE, LOSE_UNQUALIFIED)


def _main(paytable: Paytable, outcomes: Outcomes, method: Method) -> BetEdge:
    ev, variance = _moments(outcomes, partial(net_of_main, odds=blind_odds(paytable)))
    return BetEdge("ante", method, ev, variance, mean_wager=mean(outcomes, lambda ending: 2 + ending.times))


def _moments(outcomes: Outcomes, net: _Net) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance of `net`."""
    ev = mean(outcomes, net)
    return ev, mean(outcomes, lambda ending: net(ending) ** 2) - ev * ev
