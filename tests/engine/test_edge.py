"""Exact edges: the known results, and the counting behind them against plain counting."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tables.engine import edge, edge_solve, edge_uth, poker
from tables.engine.edge_boards import flops, pairs_beside
from tables.engine.edge_flop import tally_flop
from tables.engine.edge_outcomes import BEST_PLAY, DEALS, mean, net_of_main
from tables.engine.edge_showdown import count_dealers, slot_of, slots_of
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.engine.paytable import Paytable
from tables.paytable_files import published

SEED = json.loads((Path(__file__).parents[2] / "tables/paytables/uth-seed@1.json").read_text())
TRIPS_ROWS = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight", "three_of_a_kind")
MAIN = Fraction(-50643648973, 2317817502000)
CAPPED = {"preflop": [3], "flop": [2], "river": [1]}


def version(blind: dict[str, str] | None = None, trips: str = "", **rules: Any) -> Paytable:
    """The seed's paytable with some blind odds, all trips odds ("50-40-30-9-7-4-3") or some rules changed."""
    priced = dict(zip(TRIPS_ROWS, (f"{price}:1" for price in trips.split("-")), strict=True)) if trips else SEED["odds"]["trips"]
    odds = {"blind": {**SEED["odds"]["blind"], **(blind or {})}, "trips": priced}
    return GAME.read_paytable({**SEED, "name": "draft", "odds": odds, "rules": {**SEED["rules"], **rules}})


def percent(value: Fraction) -> float:
    return round(float(value) * 100, 6)


# ---- trips ----


@pytest.mark.parametrize(
    ("trips", "edge_percent"),
    [("50-40-30-8-6-5-3", 1.904049), ("50-40-30-9-7-4-3", 0.901835), ("50-40-30-8-7-4-3", 3.497937), ("50-40-20-7-6-5-3", 6.180824)],
)
def test_trips_edges_are_the_published_ones(trips, edge_percent):
    bet = edge.edges(version(trips=trips)).bets["trips"]
    assert (percent(bet.edge), bet.method) == (edge_percent, "count")


def test_the_seeds_trips():
    bet = edge.edges(published()["uth-seed@1"]).bets["trips"]
    assert bet.ev == Fraction(-48987, 2572780)
    assert (round(float(bet.hit_frequency), 4), round(bet.sd, 5)) == (0.1527, 2.68815)


def test_a_fold_that_kills_trips():
    bet = edge.edges(version(trips_on_fold="forfeits")).bets["trips"]
    assert (percent(bet.edge), bet.method) == (3.65591, "linear")
    assert bet.hit_frequency < Fraction(1527, 10000)


def test_trips_that_push_when_beaten():
    pushes = edge.edges(version(trips_when_beaten="pushes")).bets["trips"]
    both = edge.edges(version(trips_when_beaten="pushes", trips_on_fold="forfeits")).bets["trips"]
    assert percent(pushes.edge) == 9.438839
    assert both.edge - pushes.edge == edge.edges(version(trips_on_fold="forfeits")).bets["trips"].edge - Fraction(48987, 2572780)


# ---- ante, blind and play, from the counts of the best play ----


def test_the_seeds_main_bet():
    bet = edge.edges(published()["uth-seed@1"]).bets["main"]
    assert (bet.ev, bet.basis, bet.method) == (MAIN, "ante", "linear")
    assert round(float(bet.element_of_risk) * 100, 7) == 0.5262136
    assert (round(bet.sd, 9), round(float(bet.mean_wager), 7)) == (4.939311846, 4.1522516)


@pytest.mark.parametrize(("blind", "edge_percent"), [({"straight": "0:1"}, 5.912799), ({"full_house": "4:1"}, -0.073277)])
def test_other_blind_odds(blind, edge_percent):
    assert percent(edge.edges(version(blind)).bets["main"].edge) == edge_percent


def test_the_best_play_is_linear_in_the_blind_odds():
    """The probabilities of design/performance.md: EV = A + sum of odds * p."""
    nothing = (Fraction(0),) * 10
    base = mean(BEST_PLAY, partial(net_of_main, odds=nothing))
    assert base == Fraction(-1455247366819, 6953452506000)
    probabilities = {
        "straight": Fraction(1440070501, 38630291700),
        "flush": Fraction(2980133137, 115890875100),
        "full_house": Fraction(145394677, 6438381950),
        "four_of_a_kind": Fraction(271831669, 178293654000),
        "straight_flush": Fraction(91779643, 347672625300),
        "royal_flush": Fraction(1, 32487),
    }
    for name, probability in probabilities.items():
        odds = tuple(Fraction(each == name) for each in poker.CLASSES)
        assert mean(BEST_PLAY, partial(net_of_main, odds=odds)) - base == probability


def test_the_best_play_accounts_for_every_deal():
    assert sum(map(sum, (row for rows in BEST_PLAY.values() for row in rows))) == DEALS == 27_813_810_024_000


@pytest.mark.parametrize(
    ("changed", "known"),
    [
        ({"blind": {"four_of_a_kind": "9:2"}}, True),
        ({"blind": {"four_of_a_kind": "23:2"}}, True),
        ({"blind": {"four_of_a_kind": "4:1"}}, False),
        ({"blind": {"four_of_a_kind": "12:1"}}, False),
        ({"blind": {"three_of_a_kind": "1:2"}}, False),
        ({"blind": {"three_of_a_kind": "0:1", "royal_flush": "1000:1"}}, True),
        ({"play_multiples": CAPPED}, False),
        ({"play_multiples": {"preflop": [4, 3], "flop": [2], "river": [1]}}, True),
        ({"dealer_qualifies": "high_card"}, False),
    ],
)
def test_where_the_best_play_is_known(changed, known):
    found = edge.edges(version(**changed))
    assert ("main" in found.bets) == known
    assert found.unsolved == (() if known else ("main",))


def test_rules_that_hang_on_play_wait_for_the_solve():
    assert edge.edges(version(trips_on_fold="forfeits", play_multiples=CAPPED)).unsolved == ("trips", "main")


def test_the_answer_is_that_of_the_contract():
    assert edge.edges(published()["uth-seed@1"]).as_json() == {
        "paytable": "uth-seed@1",
        "sha256": published()["uth-seed@1"].sha256,
        "bets": {
            "trips": {
                "ev": "-48987/2572780",
                "edge_percent": 1.9040493163,
                "basis": "trips",
                "hit_frequency": 0.1526999827,
                "sd": 2.6881542306,
                "method": "count",
                "exact": True,
            },
            "main": {
                "ev": "-50643648973/2317817502000",
                "edge_percent": 2.1849713763,
                "basis": "ante",
                "element_of_risk_percent": 0.5262136319,
                "mean_wager": 4.1522515647,
                "sd": 4.9393118463,
                "method": "linear",
                "exact": True,
            },
        },
    }


def test_a_game_without_odds_has_a_rake():
    found = edge.edges(published()["payroll-seed@1"])
    assert (found.as_json()["bets"], found.as_json()["rake"]) == ({}, {"rake_bps": 0, "rake_cap": None})
    assert edge.solve(published()["payroll-seed@1"]) == found


# ---- the counting ----


def test_flops_and_what_lies_beside_them():
    assert (len(flops()), sum(flop.weight for flop in flops())) == (1755, 22100)
    beside = [pairs_beside(flop.cards) for flop in flops()]
    assert sum(len(pairs.first) for pairs in beside) == 1_286_792
    assert all(pairs.size.sum() == len(pairs.cards) == 1176 for pairs in beside)
    assert len(set(beside[900].starting.tolist())) == 169


@pytest.mark.parametrize("qualifying", [0, poker.CLASS_STARTS[1], poker.CLASS_STARTS[2]])
def test_dealers_are_counted_as_one_would_by_hand(qualifying):
    dice = random.Random(12)
    for _ in range(12):
        board = dice.sample(range(52), 5)
        rest = [card for card in range(52) if card not in board]
        flush = next((suit for suit in range(4) if sum(card & 3 == suit for card in board) >= 3), None)
        dealers = count_dealers(slots_of(np.array(board)[:, None], flush), qualifying)
        for hand in dice.sample(list(combinations(rest, 2)), 8):
            own = poker.strength([*board, *hand])
            others = [poker.strength([*board, *other]) for other in combinations(rest, 2) if not set(other) & set(hand)]
            expected = [
                sum(other < own for other in others),
                sum(other > own for other in others),
                sum(other < qualifying for other in others),
            ]
            first, second = slot_of(np.array(hand), flush)
            assert [count[first, second, 0] for count in dealers] == expected


def test_a_solve_that_was_stopped_goes_on_where_it_was():
    plan = edge_uth.plan_of(published()["uth-seed@1"])
    with pytest.raises(edge_solve.SolveCancelled, match="stopped after 9 of 1755 flops") as first:
        edge_solve.solve(edge_solve.Progress.start(plan), workers=1, cancelled=lambda: True)
    kept = json.loads(json.dumps(first.value.progress.as_json()))
    reports: list[edge_solve.Progress] = []
    with pytest.raises(edge_solve.SolveCancelled):
        edge_solve.solve(edge_solve.Progress.from_json(plan, kept), workers=1, report=reports.append, cancelled=lambda: True)
    assert [progress.done for progress in reports] == [18]
    assert (reports[0].tallies == sum(tally_flop(flop, plan) for flop in flops()[:18])).all()


def test_what_was_kept_under_other_rules_is_refused():
    kept = edge_solve.Progress.start(edge_uth.plan_of(version())).as_json()
    with pytest.raises(ValueError, match="other rules"):
        edge.solve(version(play_multiples=CAPPED), kept=kept)


def test_odds_beyond_exact_sums_are_refused():
    fine = {"straight": "1:999999937", "flush": "1:999999929"}
    with pytest.raises(ValueError, match="too large, or too fine"):
        edge.solve(version(fine))


# ---- the full solve ----


@pytest.mark.slow
def test_the_full_solve_is_the_known_fraction():
    found = edge.solve(published()["uth-seed@1"])
    assert (found.bets["main"].ev, found.bets["main"].method) == (MAIN, "solve")
    assert found.bets["main"].variance == edge.edges(published()["uth-seed@1"]).bets["main"].variance


@pytest.mark.slow
@pytest.mark.long
def test_the_full_solve_with_the_raise_capped_at_three():
    found = edge.solve(version(play_multiples=CAPPED, trips_on_fold="forfeits"))
    assert found.bets["main"].ev == Fraction(-9740355089, 100774674000)
    assert percent(found.bets["main"].edge) == 9.665479
    assert percent(found.bets["trips"].edge) == 3.65591  # who folds on the river has not played before the flop, at three or at four


@pytest.mark.slow
@pytest.mark.long
def test_the_full_solve_plays_otherwise_where_quads_on_the_board_pay_little():
    draft = version({"four_of_a_kind": "1:1"})
    known = mean(BEST_PLAY, partial(net_of_main, odds=edge_uth.blind_odds(draft)))
    assert edge.solve(draft).bets["main"].ev > known
