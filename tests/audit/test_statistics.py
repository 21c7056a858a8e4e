"""Win against expectation: the exact figures of one round, the intervals' coverage over simulated shifts, and who is flagged."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from audit.binomial import at_least
from audit.moments import RoundFigures
from audit.second_opinion import BIG
from audit.statistics import (
    ALPHA,
    CAP,
    TIES,
    BetFigures,
    Covers,
    Moments,
    Stake,
    Ties,
    check_errors,
    check_win,
    cut,
    dealing,
    each_by_itself,
    figures_of,
    holm,
    is_off_pace,
    moments_of_round,
    pace_of,
    rounds_to_find,
)
from tables.engine.edge import edges
from tables.engine.game import games
from tables.engine.games.roulette import WHEELS
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion, Round, Wager
from tables.paytable_files import published
from tests.audit import tcp_pool
from tests.audit.uth_pool import pool

SEED = published()["uth-seed@1"]
UTH = games()["uth"]


def bets() -> dict[str, BetFigures]:
    found = figures_of(edges(cut(SEED, UTH)))
    assert found is not None
    return dict(found)


# ---- one round ----


def test_what_is_cut_is_what_is_recomputed_twice() -> None:
    assert CAP == BIG


def test_the_cut_paytable_has_exact_edges_of_its_own() -> None:
    found = bets()
    assert {name: figures.basis for name, figures in found.items()} == {"main": "ante", "trips": "trips"}
    assert float(found["main"].edge) == pytest.approx(0.047492, abs=1e-6)
    assert sqrt(found["main"].variance) == pytest.approx(3.983645, abs=1e-6)
    assert float(found["trips"].edge) == pytest.approx(0.062302, abs=1e-6)


def test_a_round_by_hand() -> None:
    figures = {"main": BetFigures("ante", Fraction(1, 50), Fraction(16)), "trips": BetFigures("trips", Fraction(1, 25), Fraction(4))}
    ties = Ties(across={("main", "main"): 0.25, ("main", "trips"): 0.0}, same={("main", "trips"): 0.5})
    wagers = [
        Stake(1, "ante", 1000, 0, 1000),
        Stake(1, "blind", 1000, 0, 500_000),
        Stake(1, "trips", 500, 500, 0),
        Stake(2, "ante", 2000, 2000, 0),
        Stake(2, "blind", 2000, 2000, 0),
    ]
    found = moments_of_round(wagers, figures, ties)
    assert (found.rounds, found.win, found.taken_out) == (1, 4_500 - 1_000 - 10_000, -490_000)
    assert found.expected == Fraction(3000, 50) + Fraction(500, 25)
    one, two, side = 4000.0, 8000.0, 1000.0
    assert found.variance == pytest.approx(one**2 + two**2 + side**2 + 2 * (0.25 * one * two + 0.5 * one * side))


def test_where_ties_are_not_known_the_interval_is_too_wide_and_never_too_narrow() -> None:
    figures = {"main": BetFigures("ante", Fraction(0), Fraction(1))}
    wagers = [Stake(seat, "ante", 100, 0, 0) for seat in (1, 2, 3)]
    assert moments_of_round(wagers, figures, Ties()).variance == pytest.approx(300.0**2)


def spin_figures(reference: str) -> tuple[Paytable, dict[str, BetFigures], Covers]:
    paytable, game = published()[reference], games()["roulette"]
    exact, told = figures_of(edges(cut(paytable, game))), game.covered(paytable)
    assert exact is not None and told is not None
    return paytable, dict(each_by_itself(exact, game.bet_of, told[1])), Covers(*told)


SPINS = [
    {1: {"red": 100}, 2: {"black": 100}},
    {1: {"red": 100}, 2: {"red": 100}, 3: {"red": 300}},
    {1: {"straight_17": 25, "straight_18": 25, "split_17_20": 10, "line_16_21": 40}, 4: {"dozen_2": 200, "odd": 60}},
    {1: {"straight_0": 5}, 2: {"corner_1_2_4_5": 15, "column_1": 30, "low": 100}, 8: {"straight_0": 500, "high": 20}},
]


@pytest.mark.parametrize("reference", ["roulette-single-zero@1", "roulette-double-zero@1"])
@pytest.mark.parametrize("seats", SPINS)
def test_the_moments_of_a_spin_are_those_of_every_pocket_settled(reference: str, seats: dict[int, dict[str, int]]) -> None:
    """Each pocket of the wheel once, settled by the engine, payouts cut: the expectation exactly, the variance as far as a float goes."""
    paytable, figures, covers = spin_figures(reference)
    game, wins = games()["roulette"], []
    bets = [{"seat": seat, "bets": told} for seat, told in seats.items()]
    for pocket in (*WHEELS[paytable.rules["wheel"]], *map(str, range(1, 37))):
        deal = game.read({"game": "roulette", "id": "spin", "pocket": pocket, "seats": bets}, paytable)
        stakes = {(one.seat, one.kind): one.stake for one in deal.stakes}
        wins.append(sum(due.collect - min(due.pay, CAP * stakes[due.seat, due.kind]) for due in game.settle(deal, paytable).dues))
    assert len(wins) == covers.ends
    found = moments_of_round([Stake(seat, kind, put, 0, 0) for seat, told in seats.items() for kind, put in told.items()], figures, covers)
    mean = Fraction(sum(wins), len(wins))
    assert found.expected == mean
    assert found.variance == pytest.approx(float(sum((win - mean) ** 2 for win in wins) / len(wins)), rel=1e-9)


def test_red_and_black_nearly_cancel_and_two_on_red_are_one() -> None:
    _, figures, covers = spin_figures("roulette-single-zero@1")
    assert covers.of("red", "red", same_seat=False) == 1.0
    assert covers.of("red", "black", same_seat=False) == pytest.approx(-18 / 19)
    both = moments_of_round([Stake(1, "red", 100, 0, 0), Stake(2, "black", 100, 0, 0)], figures, covers)
    one = moments_of_round([Stake(1, "red", 100, 0, 0)], figures, covers)
    twice = moments_of_round([Stake(1, "red", 100, 0, 0), Stake(2, "red", 100, 0, 0)], figures, covers)
    assert both.variance == pytest.approx(200**2 * 36 / 37**2)  # only zero makes a difference: both are lost
    assert twice.variance == pytest.approx(4 * one.variance)


def test_rounds_of_a_wheel_are_expected_by_what_they_cover() -> None:
    """The way that a shift's rounds go, from the rows of the database to the moments."""
    paytable, figures, covers = spin_figures("roulette-single-zero@1")
    version = PaytableVersion(pk=1, game="roulette", content=paytable.canonical)
    played = Round(game="roulette", paytable=version)
    rows = [Wager(seat=1, kind="red", stake=100, collected=100, paid=0), Wager(seat=2, kind="black", stake=100, collected=0, paid=100)]
    by_hand = moments_of_round([Stake(1, "red", 100, 100, 0), Stake(2, "black", 100, 0, 100)], figures, covers)
    assert RoundFigures().moments(played, rows) == by_hand
    assert by_hand.win == 0 and by_hand.variance < 1_100  # taken as hanging together wholly it would be 40,000


def test_moments_add_up() -> None:
    one, two = Moments(3, 1, 100, -5, Fraction(7, 2), 9.0), Moments(2, 0, -40, 0, Fraction(1, 2), 7.0)
    assert one + two == Moments(5, 1, 60, -5, Fraction(4), 16.0)
    check = check_win(one + two)
    assert (check.low, check.high, check.is_inside) == (-4, 12, False)
    assert check.p == pytest.approx(2 * (1 - NormalDist().cdf(56 / 4)))


def test_nothing_that_varies_is_off_or_it_is_not() -> None:
    assert check_win(Moments()).p == 1.0
    assert check_win(Moments(win=5)).p == 0.0


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_errors_are_compared_exactly() -> None:
    """Ten errors in all, a tenth of the rounds: five or more of them are as rare as a binomial says."""
    assert check_errors(5, 1000, 5, 9000) == pytest.approx(at_least(5, 10, 0.1))
    assert check_errors(0, 1000, 0, 9000) == 1.0
    assert check_errors(3, 1000, 0, 0) == 1.0


def test_pace_leaves_pauses_out() -> None:
    moments = [0, 60, 120, 4000, 4060]
    assert dealing(moments) == (3, 180)
    assert pace_of(3, 180) == 6_000
    assert pace_of(0, 0) == 0
    assert [is_off_pace("uth", pace, 40) for pace in (1_499, 1_500, 7_500, 7_501)] == [True, False, False, True]
    assert not is_off_pace("uth", 100, 29)


# ---- proofs ----


def coverage(results: np.ndarray, expected: np.ndarray, deviation: np.ndarray) -> float:
    half = NormalDist().inv_cdf(0.975) * deviation
    return float(np.mean(np.abs(results - expected) <= half))


@pytest.mark.slow
@pytest.mark.long
def test_over_two_thousand_shifts_95_of_100_lie_in_their_interval() -> None:
    """Two to four seats with stakes of their own, one in two on trips too, 240 rounds a shift, dealt with cards: 95 ± 1 %."""
    shifts, rounds, seats = 2_000, 240, 4
    rng = np.random.default_rng(2026)
    dealt = pool(shifts * rounds, seats, 11, CAP)
    main, trips = (part.reshape(seats, shifts, rounds) for part in dealt)
    there = np.arange(seats)[:, None, None] < rng.integers(2, seats + 1, (shifts, rounds))
    antes = there * rng.choice([1, 1, 2, 5], (seats, shifts, 1))
    sides = antes * rng.integers(0, 2, (seats, shifts, 1))
    won = (antes * main + sides * trips).sum(axis=(0, 2))
    figures, ties = bets(), TIES["uth"]
    expected = float(figures["main"].edge) * antes.sum(axis=(0, 2)) + float(figures["trips"].edge) * sides.sum(axis=(0, 2))
    sd_main, sd_trips = sqrt(figures["main"].variance), sqrt(figures["trips"].variance)
    spreads = {"main": antes * sd_main, "trips": sides * sd_trips}
    variance = np.zeros(shifts)
    for one, first in spreads.items():
        for other, second in spreads.items():
            same = (first * second).sum(axis=(0, 2))
            every = (first.sum(axis=0) * second.sum(axis=0)).sum(axis=1)
            variance += ties.of(one, other, same_seat=True) * same + ties.of(one, other, same_seat=False) * (every - same)
    found = coverage(won, expected, np.sqrt(variance))
    assert found == pytest.approx(0.95, abs=0.01)


def test_the_module_says_the_same_variance_as_the_arrays() -> None:
    figures, ties = bets(), TIES["uth"]
    wagers = [Stake(1, "ante", 100, 0, 0), Stake(2, "ante", 300, 0, 0), Stake(2, "trips", 50, 0, 0)]
    sd = {"main": sqrt(figures["main"].variance), "trips": sqrt(figures["trips"].variance)}
    one, two, side = 100 * sd["main"], 300 * sd["main"], 50 * sd["trips"]
    by_hand = one**2 + two**2 + side**2 + 2 * (0.270 * one * two + 0.022 * one * side + 0.384 * two * side)
    assert moments_of_round(wagers, figures, ties).variance == pytest.approx(by_hand)


@pytest.mark.slow
@pytest.mark.long
def test_the_ties_are_those_of_dealt_cards() -> None:
    seats = 4
    dealt = pool(480_000, seats, 11, CAP)
    found = np.corrcoef(np.vstack(dealt))
    main, trips, between = found[:seats, :seats], found[seats:, seats:], found[:seats, seats:]
    off = ~np.eye(seats, dtype=bool)
    ties = TIES["uth"]
    assert main[off].mean() == pytest.approx(ties.of("main", "main", same_seat=False), abs=0.006)
    assert trips[off].mean() == pytest.approx(ties.of("trips", "trips", same_seat=False), abs=0.006)
    assert between[off].mean() == pytest.approx(ties.of("main", "trips", same_seat=False), abs=0.006)
    assert np.diag(between).mean() == pytest.approx(ties.of("main", "trips", same_seat=True), abs=0.006)
    uncut = np.cov(pool(480_000, seats, 11, 500).main)[off].mean()
    as_paid = float(edges(SEED).bets["main"].variance)
    assert uncut / as_paid == pytest.approx(0.179, abs=0.006)  # the seats' correlation of the game as it is paid


@pytest.mark.slow
@pytest.mark.long
def test_the_ties_of_three_cards_are_those_of_dealt_cards() -> None:
    seats = 4
    dealt = tcp_pool.pool(480_000, seats, 11, CAP)
    exact = figures_of(edges(cut(published()["three-card-poker@1"], games()["tcp"])))
    assert exact is not None
    for part, bet in zip(dealt, ("main", "pair_plus"), strict=True):  # what is dealt is the game whose edge was counted
        assert part.mean() == pytest.approx(float(exact[bet].edge), abs=0.005)
        assert part.std() == pytest.approx(sqrt(exact[bet].variance), abs=0.005)
    found, off, ties = np.corrcoef(np.vstack(dealt)), ~np.eye(seats, dtype=bool), TIES["tcp"]
    main, side, between = found[:seats, :seats], found[seats:, seats:], found[:seats, seats:]
    assert main[off].mean() == pytest.approx(ties.of("main", "main", same_seat=False), abs=0.006)
    assert side[off].mean() == pytest.approx(ties.of("pair_plus", "pair_plus", same_seat=False), abs=0.006)
    assert between[off].mean() == pytest.approx(ties.of("main", "pair_plus", same_seat=False), abs=0.006)
    assert np.diag(between).mean() == pytest.approx(ties.of("main", "pair_plus", same_seat=True), abs=0.006)


@pytest.mark.slow
@pytest.mark.long
def test_over_two_thousand_shifts_of_three_cards_95_of_100_lie_in_their_interval() -> None:
    """Four seats with an ante each, two of them on pair plus too, 240 rounds a shift: 95 ± 1 %."""
    shifts, rounds, seats = 2_000, 240, 4
    dealt = tcp_pool.pool(shifts * rounds, seats, 13, CAP)
    main, side = (part.reshape(seats, shifts, rounds) for part in dealt)
    won = main.sum(axis=(0, 2)) + side[:2].sum(axis=(0, 2))
    figures = figures_of(edges(cut(published()["three-card-poker@1"], games()["tcp"])))
    assert figures is not None
    wagers = [Stake(seat, "ante", 1, 0, 0) for seat in range(1, 5)] + [Stake(seat, "pair_plus", 1, 0, 0) for seat in (1, 2)]
    one = moments_of_round(wagers, figures, TIES["tcp"])
    spread = np.full(shifts, sqrt(one.variance * rounds))
    assert coverage(won, np.full(shifts, float(one.expected) * rounds), spread) == pytest.approx(0.95, abs=0.01)


@pytest.mark.slow
@pytest.mark.long
def test_honest_dealers_are_flagged_at_the_stated_rate_and_no_more() -> None:
    """Two thousand nights of twenty honest dealers, their wins compared together: any flag in at most ALPHA of the nights."""
    nights, dealers, rounds = 2_000, 20, 12
    dealt = pool(nights * dealers * rounds, 4, 11, CAP)
    won = dealt.main.sum(axis=0).reshape(nights, dealers, rounds).sum(axis=2)
    figures, ties = bets(), TIES["uth"]
    one = moments_of_round([Stake(seat, "ante", 1000, 0, 0) for seat in range(1, 5)], figures, ties)
    expected, deviation = float(one.expected) / 1000 * rounds, sqrt(one.variance * rounds) / 1000
    ps = 2 * (1 - np.vectorize(NormalDist().cdf)(np.abs(won - expected) / deviation))
    flagged = sum(min(holm(list(night))) < ALPHA for night in ps)
    assert at_least(flagged, nights, ALPHA) > 0.001  # no more than chance allows at the stated rate


@pytest.mark.slow
@pytest.mark.long
def test_honest_error_rates_are_flagged_at_the_stated_rate_and_no_more() -> None:
    """Two thousand months of twenty dealers who all err in three rounds of a thousand."""
    rng = np.random.default_rng(7)
    rounds, flagged = 4_000, 0
    for errors in rng.binomial(rounds, 0.003, (2_000, 20)):
        total = int(errors.sum())
        ps = [check_errors(int(own), rounds, total - int(own), rounds * 19) for own in errors]
        flagged += min(holm(ps)) < ALPHA
    assert at_least(flagged, 2_000, ALPHA) > 0.001


FOUND_WITHIN = 250
"""Rounds within which the overpaying dealer below is found."""


@pytest.mark.slow
@pytest.mark.long
def test_a_dealer_who_overpays_one_patron_on_one_ante_in_twenty_is_found_within_250_rounds() -> None:
    """Recorded as it was done, wager by wager: among twenty dealers who err in three rounds of a thousand, in 99 of 100 cases, and nobody else."""
    rng = np.random.default_rng(9)
    tried, found, wrong = 1_000, 0, 0
    others = 4_000
    for _ in range(tried):
        own = int(rng.binomial(FOUND_WITHIN, 0.003 + 0.05))
        errors = rng.binomial(others, 0.003, 19)
        total, rounds = own + int(errors.sum()), FOUND_WITHIN + 19 * others
        ps = [check_errors(own, FOUND_WITHIN, total - own, rounds - FOUND_WITHIN)]
        ps += [check_errors(int(one), others, total - int(one), rounds - others) for one in errors]
        adjusted = holm(ps)
        found += adjusted[0] < ALPHA
        wrong += min(adjusted[1:]) < ALPHA
    assert found / tried >= 0.99
    assert wrong / tried <= 2 * ALPHA


@pytest.mark.slow
@pytest.mark.long
def test_one_who_gives_away_a_twentieth_of_an_ante_unseen_is_found_by_win_alone_within_the_stated_rounds() -> None:
    """Nothing is recorded of it: 5 % of each of one patron's antes. `rounds_to_find` says how long that takes, and cards agree."""
    deviation, comparisons = sqrt(bets()["main"].variance), 20
    needed = rounds_to_find(0.05, deviation, comparisons=comparisons)
    assert 100_000 < needed < 160_000
    dealt = pool(480_000, 4, 11, CAP).main
    rng = np.random.default_rng(3)
    chosen = rng.integers(0, dealt.shape[1], (200, needed // 50))  # fifty rounds stand for one: sums of sums, as far apart
    won = np.sqrt(50) * (dealt[0][chosen].sum(axis=1) - dealt.mean() * chosen.shape[1]) - 0.05 * needed
    low = NormalDist().inv_cdf(ALPHA / comparisons / 2) * deviation * sqrt(needed)
    assert np.mean(won < low) == pytest.approx(0.9, abs=0.07)
