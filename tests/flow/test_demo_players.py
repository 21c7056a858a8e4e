"""The demo's patrons play what the engine accepts, as well as the published strategy does; its dealers' errors are found, each alone.

All chance is seeded. Rates are held to three standard errors of the sample itself.
"""

import random
from collections import Counter
from itertools import combinations
from statistics import fmean, stdev
from uuid import UUID

import pytest

from audit.compare import WagerDone, compare_round
from casino.management.demo import faults
from casino.management.demo.faults import PAYROLL_FAULTS, UTH_FAULTS, NoChance, deal_for, deal_payroll_for, fault_in, plant
from casino.management.demo.payroll_table import best_kept
from casino.management.demo.players import Bettor, deal_payroll, deal_uth
from casino.management.demo.uth_strategy import calls_on_river, dealer_outs, raises_before_flop, raises_on_flop
from tables.due_and_done import side_by_side
from tables.engine.cards import CODES, card_names
from tables.engine.game import games
from tables.engine.poker import strength
from tables.paytable_files import published
from tables.slips import read_round_slip

UTH, PAYROLL = published()["uth-seed@1"], published()["payroll-seed@1"]
STRICT = [Bettor(seat, ante=1000, trips=500) for seat in range(1, 8)]
LOOSE = [Bettor(2, ante=500), Bettor(6, ante=2500, trips=500, discipline=0.5), Bettor(4, ante=1501, trips=25, discipline=0.8)]


def cards(text):
    return [CODES[name] for name in text.split()]


def settled(raw, paytable):
    """The deal and what is due in it; raises where the engine refuses the round."""
    game = games()[paytable.game]
    deal = game.read(raw, paytable)
    return deal, game.settle(deal, paytable)


def findings(raw, paytable, done):
    """What the audit says of the round, handed in as a slip with `done`."""
    deal, settlement = settled(raw, paytable)
    slip = read_round_slip(
        {"uuid": str(UUID(int=1)), "table": "T", "occurred_at": "2026-11-30T21:14:05+00:00", "dealer": "D", "round": raw, "done": done}
    )
    is_pot_game = games()[paytable.game].is_pot_game
    kept = side_by_side(slip, deal.stakes, settlement.dues, is_pot_game=is_pot_game)
    wagers = [WagerDone(wager.seat, wager.kind, wager.stake, wager.collected, wager.paid) for wager in kept]
    return compare_round(settlement.dues, wagers, paytable.odds, is_pot_game=is_pot_game, major_over=10_000)


# ---- the strategy of Ultimate Texas Hold'em ----


def test_the_chart_raises_500_of_the_1326_hands_before_the_flop():
    assert sum(raises_before_flop(hand) for hand in combinations(range(52), 2)) == 500


@pytest.mark.parametrize(
    ("hole", "flop", "raised"),
    [
        ("9c 4d", "9h Js 2c", True),  # a hidden pair
        ("2c 2d", "9h Js 5c", False),  # pocket deuces
        ("2c 2d", "2h Js 5c", True),
        ("8c 7d", "9h 9s 2c", False),  # the board's pair
        ("8c 3d", "8h 3s Kc", True),
        ("8c 7d", "6h 5s 4c", True),  # a straight
        ("Tc 3d", "9c 6c 2c", True),  # four to a flush, the ten of it hidden
        ("9c 3d", "Tc 6c 2c", False),
        ("9c 3c", "Jc 6c 2d", False),
    ],
)
def test_flop(hole, flop, raised):
    assert raises_on_flop(cards(hole), cards(flop)) is raised


@pytest.mark.parametrize(
    ("hole", "board", "outs", "called"),
    [
        ("Qc Jd", "Kh 9s 6c 3d 2h", 19, True),  # fifteen pair the board, four aces
        ("8c 5d", "Kh 9s 6c 3d 2h", 31, False),  # and twelve tens, jacks and queens, above the eight
        ("5c 2d", "Kh Ks Qc Qd 7h", 24, False),  # a pair that the board makes worthless
        ("9c 4d", "Kh 9s 6c 3d 2h", 3, True),  # a hidden pair: only kings
        ("4c 3d", "Ah Kh Qh Jh Th", 0, True),  # the board cannot be beaten
    ],
)
def test_river(hole, board, outs, called):
    assert dealer_outs(cards(hole), cards(board)) == outs
    assert calls_on_river(cards(hole), cards(board)) is called


def test_outs_are_those_that_counting_finds():
    dice = random.Random(7)
    for suits in (4, 2) * 100:  # a deck of two suits makes flushes common
        dealt = dice.sample([card for card in range(52) if card & 3 < suits], 7)
        beating = [card for card in set(range(52)) - {*dealt} if max(map(strength, combinations([card, *dealt[2:]], 5))) > strength(dealt)]
        assert dealer_outs(dealt[:2], dealt[2:]) == len(beating)


# ---- rounds of Ultimate Texas Hold'em ----


def test_uth_rounds_are_accepted_and_settle_to_nothing_lost():
    dice = random.Random(11)
    for number in range(2000):
        bettors = dice.sample(LOOSE, dice.randint(1, 3)) if number % 2 else dice.sample(STRICT, dice.randint(1, 7))
        raw = deal_uth(dice, bettors, f"UTH-{number}")
        deal, settlement = settled(raw, UTH)
        assert deal.facts == raw
        assert [line["seat"] for line in raw["seats"]] == sorted(bettor.seat for bettor in bettors)
        assert sum(due.net for due in settlement.dues) + settlement.answer["house_net"] == 0


@pytest.mark.slow
def test_patrons_lose_what_the_strategy_costs():
    """The main wagers cost 2.2 % of the ante, the trips 1.9 %; how often they play, and for how much, leaves less to chance."""
    dice = random.Random(20261130)
    main, trips, plays = [], [], Counter()
    for number in range(4000):
        raw = deal_uth(dice, STRICT, f"UTH-{number}")
        dues = settled(raw, UTH)[1].dues
        main.append(sum(due.net for due in dues if due.kind != "trips") / 7000)
        trips.append(sum(due.net for due in dues if due.kind == "trips") / 3500)
        plays.update(line.get("play", 0) // 1000 for line in raw["seats"])
    for rates, edge in ((main, -0.0218), (trips, -0.01904)):
        assert fmean(rates) == pytest.approx(edge, abs=3 * stdev(rates) / len(rates) ** 0.5)
    shares = {times: plays[times] / 28_000 for times in sorted(plays)}
    assert shares == pytest.approx({0: 0.182, 1: 0.228, 2: 0.213, 4: 500 / 1326}, abs=0.01)
    assert sum(times * share for times, share in shares.items()) + 2 == pytest.approx(4.15225, abs=0.04)


def test_patrons_without_discipline_raise_too_little_and_chase():
    wild = [Bettor(seat, ante=1000, discipline=0) for seat in range(1, 8)]
    raw = [deal_uth(random.Random(seed), wild, "UTH") for seed in range(200)]
    assert {(line["street"], line["play"]) for one in raw for line in one["seats"]} == {("preflop", 3000), ("river", 1000)}


def test_a_hand_folded_without_trips_is_seen_by_nobody():
    raw = [deal_uth(random.Random(seed), [Bettor(1, 1000), Bettor(2, 1000, 500)], "UTH") for seed in range(200)]
    folded = [line for one in raw for line in one["seats"] if line.get("folded")]
    assert {("cards" in line, "trips" in line) for line in folded} == {(False, False), (True, True)}


def test_the_same_seed_is_the_same_round():
    assert deal_uth(random.Random(5), LOOSE, "UTH") == deal_uth(random.Random(5), LOOSE, "UTH")
    assert deal_payroll(random.Random(5), [1, 3, 8], 3, 100, "P") == deal_payroll(random.Random(5), [1, 3, 8], 3, 100, "P")


# ---- rounds of Payroll ----


@pytest.mark.parametrize(
    ("dealt", "kept"),
    [
        ("8c 5d 8h", "8h 8c 5d"),
        ("2c 7c 7h 7d 7s As Kd", "7s 7h As Kd 7d"),
        ("4c 4d Kc Kd Qs Js 3d", "Kd Kc Qs Js 4d"),
        ("2c 4d Kc 9d Qs Js 3d", "Kc Qs Js 9d 4d"),
    ],
)
def test_the_highest_pair_is_kept_then_the_highest_others(dealt, kept):
    assert card_names(best_kept(cards(dealt))) == kept.split()


def seen_in(raw, settlement):
    """What is worth meeting in a round of Payroll."""
    lines = raw["seats"]
    dealt = [card for line in lines for card in {line["up"], *line["kept"], *line["discarded"]}]
    yield from (
        name
        for name, found in {
            "second roll": any(len(line["rolls"]) == 2 for line in lines),
            "folded before its turn": any(not line["rolls"] for line in lines),
            "all-in": any(line.get("all_in") for line in lines),
            "card dealt twice": len(dealt) > len(set(dealt)),
            "shared pot": len(settlement.answer["winners"]) > 1,
            "no bet": not any(line["bet"] for line in lines),
            "uncontested": sum(not line.get("folded") for line in lines) == 1,
        }.items()
        if found
    )


def test_payroll_rounds_are_accepted_and_the_pot_is_paid_out():
    dice, seen = random.Random(13), Counter()
    for number in range(3000):
        seats = dice.sample(range(1, 9), dice.randint(2, 8))
        raw = deal_payroll(dice, seats, dice.choice(seats), 100, f"P-{number}")
        deal, settlement = settled(raw, PAYROLL)
        assert deal.facts == raw
        assert sum(due.net for due in settlement.dues) == settlement.rake == 0
        live = [line for line in raw["seats"] if not line.get("folded")]
        assert len({line["bet"] for line in live if not line.get("all_in")}) <= 1
        seen.update(seen_in(raw, settlement))
    assert all(10 < count < 3000 for count in seen.values())
    assert len(seen) == 7


def test_a_button_at_nobodys_seat_is_refused():
    with pytest.raises(ValueError, match="seat 2"):
        deal_payroll(random.Random(1), [1, 3], 2, 100, "P")


# ---- dealers' errors ----


@pytest.mark.parametrize("name", UTH_FAULTS)
@pytest.mark.parametrize("bettors", [STRICT[:1], STRICT[:4], STRICT], ids=["one", "four", "seven"])
def test_an_error_at_uth_is_found_alone(name, bettors):
    dice = random.Random(17)
    for number in range(5):
        raw = deal_for(name, dice, bettors, f"UTH-{number}", UTH)
        fault = fault_in(name, raw, UTH)
        [finding] = findings(raw, UTH, fault.done)
        assert (finding.kind, finding.seat, finding.wager) == (fault.finding_kind, fault.seat, fault.wager)
        assert findings(raw, UTH, {}) == []
        assert not next(line for line in raw["seats"] if line["seat"] == fault.seat).get("folded") or name == "trips_misread"


@pytest.mark.parametrize("seats", [[1, 2], [2, 3, 5, 8], range(1, 9)], ids=["two", "four", "eight"])
def test_a_pot_shared_wrongly_is_found_as_one(seats):
    dice = random.Random(19)
    for number in range(20):
        raw = deal_payroll_for(*PAYROLL_FAULTS, dice, seats, 2, f"P-{number}", PAYROLL)
        fault = fault_in(*PAYROLL_FAULTS, raw, PAYROLL)
        [finding] = findings(raw, PAYROLL, fault.done)
        assert (finding.kind, finding.seat, finding.wager) == (fault.finding_kind, fault.seat, fault.wager) == ("pot_split", None, "pot")
        assert (finding.effect, finding.due) == (0, finding.done)
        assert len(finding.facts["shares"]) == 2
        assert findings(raw, PAYROLL, {}) == []


def test_a_shared_pot_goes_to_one_of_them():
    raw = {
        "game": "payroll", "id": "P", "button": 2, "ante": 100,
        "seats": [
            {"seat": 1, "up": "8h", "rolls": [1], "kept": ["8h", "8c"], "discarded": [], "bet": 100},
            {"seat": 2, "up": "8s", "rolls": [1], "kept": ["8s", "8d"], "discarded": [], "bet": 100},
        ],
    }  # fmt: skip
    fault = fault_in("pot_misshared", raw, PAYROLL)
    assert fault.done == {"1": {"pot": {"collected": 0, "paid": 400}}, "2": {"pot": {"collected": 0, "paid": 0}}}
    assert [finding.kind for finding in findings(raw, PAYROLL, fault.done)] == ["pot_split"]


def test_a_round_without_the_chance_has_no_error():
    raw = {
        "game": "uth", "id": "U", "community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"],
        "seats": [{"seat": 3, "ante": 1000, "blind": 1000, "folded": True}],
    }  # fmt: skip
    dues = settled(raw, UTH)[1].dues
    assert [plant(name, raw, dues, UTH) for name in UTH_FAULTS] == [None] * 7


def test_a_pot_that_nobody_contested_cannot_be_misshared():
    raw = {
        "game": "payroll", "id": "P", "button": 2, "ante": 100,
        "seats": [
            {"seat": 1, "up": "8h", "rolls": [1], "kept": ["8h", "8c"], "discarded": [], "bet": 100},
            {"seat": 2, "up": "9s", "rolls": [], "kept": ["9s"], "discarded": [], "bet": 0, "folded": True},
        ],
    }  # fmt: skip
    assert fault_in("pot_misshared", raw, PAYROLL) is None


def test_dealing_for_what_cannot_come_ends(monkeypatch):
    monkeypatch.setattr(faults, "MOST_TRIES", 30)
    with pytest.raises(NoChance, match="None of 30 rounds"):
        deal_for("beaten_trips_taken", random.Random(1), [Bettor(1, 1000)], "UTH", UTH)
