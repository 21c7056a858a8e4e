"""Win against expectation, error rates and pace, each with its interval. Pure: values in, values out.

What is expected is expected of the wagers that were really made, by the paytable's exact edges; how far off it may be comes from the exact
deviations and from how the seats of one round hang together, which share a board and a dealer, or a spin: the round is the unit. Payouts beyond
`CAP` to one are cut on both sides, in what happened and in what is expected: they are so rare and so large that no night is long enough for
them to even out, and each of them is recomputed twice anyway (`audit.second_opinion`). What was cut is said beside the figure.

A flag is a reason to look, never proof. Source: spec/night.md, "Statistics".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from math import erfc, sqrt
from statistics import NormalDist
from typing import Any

from audit.binomial import at_least
from casino.odds import format_odds
from tables.engine.edge import Edges
from tables.engine.game import Game
from tables.engine.paytable import Paytable

CAP = 10
"""To one. Ten and more is what the audit recomputes a second time (`audit.second_opinion.BIG`)."""
CONFIDENCE = 0.95
ALPHA = 0.01
"""In at most one run in a hundred does a house of honest dealers have any flag of a rule: the p of each comparison is adjusted by Holm's
method, which holds however the comparisons hang together (a dealer's night is in the table's, and both in the house's)."""
FEWEST_ROUNDS = 30
"""Below this many rounds a figure is shown and not compared."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Ties:
    """How results hang together: the correlation of two bets `across` seats of a round, and of two different bets at the `same` seat."""

    across: Mapping[Pair, float] = field(default_factory=dict)
    same: Mapping[Pair, float] = field(default_factory=dict)
    unknown: float = 1.0

    def of(self, one: str, other: str, *, same_seat: bool) -> float:
        """Return the correlation of bets `one` and `other`; 1 where it is not known: the interval is then too wide, never too narrow."""
        if same_seat and one == other:
            return 1.0
        return (self.same if same_seat else self.across).get((min(one, other), max(one, other)), self.unknown)


@dataclass(frozen=True)
class Covers:
    """How results hang together where one of `ends`, all equally likely, decides every wager of a round: by what each wager covers, exactly."""

    ends: int
    covered: Mapping[str, frozenset[str]]

    def of(self, one: str, other: str, *, same_seat: bool) -> float:
        """Return the correlation of wagers `one` and `other`, whoever made them: odds scale a result and move it, and change nothing here."""
        first, second = self.covered[one], self.covered[other]
        together = self.ends * len(first & second) - len(first) * len(second)
        return together / sqrt(self._spread(first) * self._spread(second))

    def _spread(self, covered: frozenset[str]) -> int:
        return len(covered) * (self.ends - len(covered))


TIES: Mapping[str, Ties] = {
    "uth": Ties(
        across={("main", "main"): 0.270, ("trips", "trips"): 0.206, ("main", "trips"): 0.022},
        same={("main", "trips"): 0.384},
    ),
    "tcp": Ties(
        across={("main", "main"): 0.194, ("pair_plus", "pair_plus"): 0.001, ("main", "pair_plus"): 0.001},
        same={("main", "pair_plus"): 0.547},
    ),
}
"""Under the seeds' rules and close to the best play, with payouts cut at CAP; without the cut the mains' of the first is 0.179. Dealt by
tests/audit/uth_pool.py and tcp_pool.py, which tests deal again. On one spin of a wheel no constant says it: bets hang together by what they
cover, from wholly to the contrary. Such a game has no row here; its wagers are taken one by one (`Covers`)."""


@dataclass(frozen=True)
class BetFigures:
    """One bet of a paytable with payouts cut at CAP: the house's part of the basis, and the variance of the patron's gain, exact."""

    basis: str
    edge: Fraction
    variance: Fraction


@dataclass(frozen=True)
class Moments:
    """What rounds brought and what was to be expected of them, minor units; moments of several add up.

    `win`: collected - paid, without what was cut (`taken_out`, from the house's side, so never above 0); `expected`: exact; `variance`: of
    the win, minor units squared; `left_out`: rounds that say nothing here (irregular, or without odds to expect by).
    """

    rounds: int = 0
    left_out: int = 0
    win: int = 0
    taken_out: int = 0
    expected: Fraction = Fraction(0)
    variance: float = 0.0

    def __add__(self, other: Moments) -> Moments:
        """Return both together: rounds are independent of each other."""
        return Moments(
            self.rounds + other.rounds,
            self.left_out + other.left_out,
            self.win + other.win,
            self.taken_out + other.taken_out,
            self.expected + other.expected,
            self.variance + other.variance,
        )


@dataclass(frozen=True)
class WinCheck:
    """A win against its expectation: `low` to `high` is where it lies in 95 of 100 cases, `p` how rare one as far off is. Minor units."""

    moments: Moments
    low: int
    high: int
    p: float

    @property
    def is_inside(self) -> bool:
        """Return whether the win lies in its interval."""
        return self.low <= self.moments.win <= self.high


@dataclass(frozen=True)
class Stake:
    """One wager as it was made and done, minor units."""

    seat: int
    bet: str
    stake: int
    collected: int
    paid: int


def cut(paytable: Paytable, game: Game) -> Paytable:
    """Return `paytable` with its odds cut at CAP to one: what expectation and deviation are worked out of."""
    content: dict[str, Any] = dict(paytable.content)
    content["odds"] = {bet: {row: format_odds(min(odds, Fraction(CAP))) for row, odds in rows.items()} for bet, rows in paytable.odds.items()}
    return game.read_paytable(content)


def figures_of(edges: Edges) -> Mapping[str, BetFigures] | None:
    """Return the figures of every bet by its name, None where one is not worked out or there is none."""
    if edges.unsolved or not edges.bets:
        return None
    return {name: BetFigures(bet.basis, bet.edge, bet.variance) for name, bet in edges.bets.items()}


def each_by_itself(bets: Mapping[str, BetFigures], bet_of: Callable[[str], str], kinds: Iterable[str]) -> Mapping[str, BetFigures]:
    """Return the figures of every kind of wager as a bet of its own, to go with `Covers`: those of the bet that it is."""
    return {kind: replace(bets[bet_of(kind)], basis=kind) for kind in kinds}


def moments_of_round(wagers: Sequence[Stake], bets: Mapping[str, BetFigures], ties: Ties | Covers) -> Moments:
    """Return the moments of one round: `wagers` with the bet that each is, `bets` of its paytable."""
    kept = sum(wager.collected - min(wager.paid, CAP * wager.stake) for wager in wagers)
    moved = sum(wager.collected - wager.paid for wager in wagers)
    bases = _bases(wagers, bets)
    expected = sum((bets[bet].edge * amount for (_, bet), amount in bases.items()), Fraction(0))
    return Moments(1, 0, kept, moved - kept, expected, _variance(bases, bets, ties))


def _bases(wagers: Iterable[Stake], bets: Mapping[str, BetFigures]) -> Mapping[tuple[int, str], int]:
    """Return what each seat has on the basis of each bet."""
    by_basis = {figures.basis: name for name, figures in bets.items()}
    bases: dict[tuple[int, str], int] = {}
    for wager in wagers:
        name = by_basis.get(wager.bet)
        if name is not None:
            bases[wager.seat, name] = bases.get((wager.seat, name), 0) + wager.stake
    return bases


def _variance(bases: Mapping[tuple[int, str], int], bets: Mapping[str, BetFigures], ties: Ties | Covers) -> float:
    spread = [(seat, bet, amount * sqrt(bets[bet].variance)) for (seat, bet), amount in bases.items()]
    total = 0.0
    for index, (seat, bet, sd) in enumerate(spread):
        total += sd * sd
        for other_seat, other_bet, other_sd in spread[:index]:
            total += 2 * sd * other_sd * ties.of(bet, other_bet, same_seat=seat == other_seat)
    return total


def check_win(moments: Moments, *, confidence: float = CONFIDENCE) -> WinCheck:
    """Return how the win of `moments` stands against its expectation. Where nothing varies, only the expectation itself is inside."""
    sd = sqrt(moments.variance)
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * sd
    off = abs(float(moments.win - moments.expected))
    p = erfc(off / sd / sqrt(2)) if sd else float(not off)
    expected = float(moments.expected)
    return WinCheck(moments, _floor(expected - half), -_floor(-(expected + half)), p)


def _floor(value: float) -> int:
    return int(value // 1)


def check_errors(events: int, rounds: int, others: int, other_rounds: int) -> float:
    """Return how rare it is that as many or more of all errors fall on these `rounds`, if everybody errs alike: exact, given their number.

    `others` errors in `other_rounds` are everybody else's. 1 where nobody has dealt anything.
    """
    if not rounds or not other_rounds:
        return 1.0
    return at_least(events, events + others, rounds / (rounds + other_rounds))


def holm(values: Sequence[float]) -> list[float]:
    """Return the p `values` adjusted for their number by Holm's method, in their order: flag what is below ALPHA. Source: Holm (1979)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, highest = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, values[index] * (len(values) - place)))
        adjusted[index] = highest
    return adjusted


def rounds_to_find(drift: float, deviation: float, *, comparisons: int = 1, alpha: float = ALPHA, power: float = 0.9) -> int:
    """Return after how many rounds a steady `drift` a round is flagged with probability `power`, among so many `comparisons`.

    `deviation`: the standard deviation of one round, in the same unit. It says how little win alone can tell: that is why every wager is
    compared, and not only the win. Raises ValueError for no drift.
    """
    if not drift:
        raise ValueError("what does not drift is never found")
    normal = NormalDist()
    needed = normal.inv_cdf(1 - alpha / comparisons / 2) + normal.inv_cdf(power)
    return int((needed * deviation / drift) ** 2) + 1


PACE: Mapping[str, tuple[int, int]] = {"uth": (15, 75), "payroll": (8, 60), "tcp": (20, 110), "roulette": (15, 120)}
"""Rounds an hour that a table of a game deals, from empty seats to a full table; others are not compared."""
LONGEST_GAP = 15 * 60
"""Seconds between two rounds beyond which nobody was dealing: the pause is not counted."""


def dealing(moments: Sequence[int]) -> tuple[int, int]:
    """Return how many gaps between rounds there were and the seconds that they took together, pauses left out.

    `moments` of the rounds: seconds, ascending.
    """
    gaps = [second - first for first, second in pairwise(moments) if second - first <= LONGEST_GAP]
    return len(gaps), sum(gaps)


def pace_of(gaps: int, seconds: int) -> int:
    """Return rounds an hour in hundredths, from so many `gaps` between rounds in `seconds` of dealing; 0 of nothing."""
    return (gaps * 360_000 + seconds // 2) // seconds if seconds else 0


def is_off_pace(game: str, pace: int, rounds: int) -> bool:
    """Return whether a pace (hundredths of rounds an hour) over `rounds` is out of the game's range."""
    low, high = PACE.get(game, (0, 10**9))
    return rounds >= FEWEST_ROUNDS and not low * 100 <= pace <= high * 100


def millionths(share: float) -> int:
    """Return a probability or share as whole millionths, as it is kept."""
    return round(share * 1_000_000)
