"""The exact edges of Three Card Poker: pair plus, and ante, play and ante bonus together ("main") under the best play.

Each of the 1,755 kinds of hand meets all 18,424 hands that a dealer may hold beside it, and is played where that is worth more than a fold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tables.engine.edge import BetEdge, Edges, Progress
from tables.engine.edge_boards import flops
from tables.engine.games.three_card_poker import class_of, qualifying, strength
from tables.engine.paytable import Paytable

HANDS = 22_100
"""Of three cards out of 52."""


class _Kind(NamedTuple):
    """One kind of hand: how many hands are of it, its class, its strength, and of how many dealers it does what."""

    weight: int
    hand: str
    strength: int
    beats: int
    loses: int
    unqualified: int
    dealers: int


class _Played(NamedTuple):
    """A kind of hand and whether its best play is to play, under one paytable; `bonus` is what the ante is paid besides, to one."""

    kind: _Kind
    bonus: Fraction
    plays: bool


def edges(paytable: Paytable) -> Edges:
    """Return both bets: everything is counted at once."""
    hands = [_played(kind, paytable) for kind in _kinds(qualifying(paytable))]
    return Edges(paytable, {"pair_plus": _pair_plus(hands, paytable), "main": _main(hands)})


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


def folded_below(paytable: Paytable) -> tuple[int, int]:
    """Return the strengths of the best hand that is folded, 0 where none is, and of the weakest that is played."""
    hands = [_played(kind, paytable) for kind in _kinds(qualifying(paytable))]
    folded = [hand.kind.strength for hand in hands if not hand.plays]
    return max(folded, default=0), min(hand.kind.strength for hand in hands if hand.plays)


@lru_cache(maxsize=8)
def _kinds(least: int) -> tuple[_Kind, ...]:
    """Return every kind of hand against dealers who qualify with the strength `least`."""
    dealt = list(combinations(range(52), 3))
    strengths = np.array([strength(cards) for cards in dealt])
    cards = np.array([sum(1 << card for card in cards) for cards in dealt], dtype=np.uint64)
    kinds = []
    for flop in flops():
        mine = strength(flop.cards)
        theirs = strengths[cards & np.uint64(sum(1 << int(card) for card in flop.cards)) == 0]
        qualified = theirs[theirs >= least]
        beats, loses = int((qualified < mine).sum()), int((qualified > mine).sum())
        kinds.append(_Kind(flop.weight, class_of(mine), mine, beats, loses, len(theirs) - len(qualified), len(theirs)))
    return tuple(kinds)


def _played(kind: _Kind, paytable: Paytable) -> _Played:
    bonus = paytable.odds["ante_bonus"].get(kind.hand, Fraction(0))
    worth = Fraction(2 * (kind.beats - kind.loses) + kind.unqualified, kind.dealers) + bonus
    return _Played(kind, bonus, worth > -1)


def _main(hands: Sequence[_Played]) -> BetEdge:
    """Return ante, play and bonus together."""
    ends = [end for hand in hands for end in _ends(hand)]
    played = Fraction(sum(hand.kind.weight for hand in hands if hand.plays), HANDS)
    ev, variance = _moments(ends)
    return BetEdge("ante", "count", ev, variance, mean_wager=1 + played)


def _ends(hand: _Played) -> list[tuple[Fraction, Fraction]]:
    """Return how often the kind of hand, among all hands, comes to what net."""
    kind, share = hand.kind, Fraction(hand.kind.weight, HANDS)
    if not hand.plays:
        return [(share, Fraction(-1))]
    ties = kind.dealers - kind.beats - kind.loses - kind.unqualified
    nets = ((kind.beats, 2), (kind.unqualified, 1), (ties, 0), (kind.loses, -2))
    return [(share * count / kind.dealers, net + hand.bonus) for count, net in nets]


def _pair_plus(hands: Sequence[_Played], paytable: Paytable) -> BetEdge:
    """Return pair plus beside the best play of the other bets: a hand that those fold may forfeit it."""
    odds, forfeits = paytable.odds["pair_plus"], paytable.rules["pair_plus_on_fold"] == "forfeits"
    paid = [hand.kind.hand in odds and (hand.plays or not forfeits) for hand in hands]
    shares = [Fraction(hand.kind.weight, HANDS) for hand in hands]
    nets = [odds[hand.kind.hand] if is_paid else Fraction(-1) for hand, is_paid in zip(hands, paid, strict=True)]
    ev, variance = _moments(list(zip(shares, nets, strict=True)))
    hits = sum((share for share, is_paid in zip(shares, paid, strict=True) if is_paid), Fraction(0))
    return BetEdge("pair_plus", "count", ev, variance, hit_frequency=hits)


def _moments(ends: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance of nets, each with how often it comes."""
    ev = sum((share * net for share, net in ends), Fraction(0))
    return ev, sum((share * net * net for share, net in ends), Fraction(0)) - ev * ev
