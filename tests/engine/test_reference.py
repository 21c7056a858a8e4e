"""The reference settlers against the golden rounds and against rounds worked out by hand from spec/rounds.md.

Nothing here touches tables.engine: the settlers must be right by themselves.
"""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from tables.reference import payroll, ultimate_texas_holdem

ROOT = Path(__file__).resolve().parents[2]
SETTLERS: dict[str, ModuleType] = {module.GAME_CODE: module for module in (ultimate_texas_holdem, payroll)}
SOURCES = [ROOT / "tables/reference/ultimate_texas_holdem.py", ROOT / "tables/reference/payroll.py"]

SEEDS: dict[str, dict] = {
    "uth": {
        "game": "uth", "name": "uth-seed", "version": 1, "basis": "to",
        "odds": {
            "blind": {"royal_flush": "500:1", "straight_flush": "50:1", "four_of_a_kind": "10:1", "full_house": "3:1",
                      "flush": "3:2", "straight": "1:1"},
            "trips": {"royal_flush": "50:1", "straight_flush": "40:1", "four_of_a_kind": "30:1", "full_house": "8:1",
                      "flush": "6:1", "straight": "5:1", "three_of_a_kind": "3:1"},
        },
        "rules": {"dealer_qualifies": "pair", "play_multiples": {"preflop": [3, 4], "flop": [2], "river": [1]},
                  "trips_on_fold": "stays", "trips_when_beaten": "pays", "payout_unit": 1, "rounding": "down", "caps": None},
    },
    "payroll": {
        "game": "payroll", "name": "payroll-seed", "version": 1,
        "rules": {"ante": 100, "rake_bps": 0, "rake_cap": None, "max_seats": 8, "payout_unit": 1},
    },
}  # fmt: skip


def seed(game: str, **rules: object) -> dict:
    """The seed's paytable as spec/rounds.md prints it, with other rules where a test asks for them."""
    return {**SEEDS[game], "rules": {**SEEDS[game]["rules"], **rules}}


# ---- the golden rounds ----


def golden(name: str) -> list[dict]:
    """The lines of one golden file: {"round": …, "expect": …}."""
    with (ROOT / "tests/golden" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", ["uth", "uth_house"])
def test_golden_rounds_of_ultimate_texas_holdem(name):
    lines = golden(name)
    assert len(lines) == 150
    for line in lines:
        facts, expect = line["round"], line["expect"]
        paytable = facts.get("paytable", SEEDS["uth"])
        due = ultimate_texas_holdem.settle_reference(facts, paytable)
        nets = {key: pay - collect for key, (collect, pay) in due.items()}
        expected = {(seat["seat"], kind): wager["net"] for seat in expect["seats"] for kind, wager in seat["wagers"].items()}
        assert nets == expected, facts["id"]
        assert -sum(nets.values()) == expect["house_net"], facts["id"]
        for seat in expect["seats"]:
            for kind, wager in seat["wagers"].items():
                collect, pay = due[seat["seat"], kind]
                assert (collect > 0) == (wager["result"] == "lose"), facts["id"]
                assert pay == 0 or wager["result"] == "win", facts["id"]


@pytest.mark.parametrize("name", ["payroll", "payroll_house"])
def test_golden_rounds_of_payroll(name):
    lines = golden(name)
    assert len(lines) == 150
    for line in lines:
        facts, expect = line["round"], line["expect"]
        paytable = facts.get("paytable", SEEDS["payroll"])
        due = payroll.settle_reference(facts, paytable)
        expected = {}
        for seat in expect["seats"]:
            expected.update({(seat["seat"], kind): (stake, 0) for kind, stake in seat["stakes"].items()})
            if seat["won"]:
                expected[seat["seat"], "pot"] = (0, seat["won"])
            net = sum(pay - collect for (number, _), (collect, pay) in due.items() if number == seat["seat"])
            assert net == seat["net"], facts["id"]
        assert due == expected, facts["id"]
        assert sum(collect for collect, _ in due.values()) == expect["pot"], facts["id"]
        assert payroll.rake_reference(facts, paytable) == expect["rake"] == expect["house_net"], facts["id"]


@pytest.mark.parametrize("game", ["uth", "payroll"])
def test_the_seed_used_here_is_the_one_that_ships(game):
    shipped = ROOT / "tables/paytables" / f"{game}-seed@1.json"
    assert json.loads(shipped.read_text(encoding="utf-8")) == SEEDS[game]


# ---- independence ----


def run_alone(code: str) -> str:
    """What a fresh interpreter prints that sees neither site-packages nor the environment, and the project only where told."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_settlers_import_the_standard_library_only():
    printed = run_alone(
        f"import sys; sys.path.append({str(ROOT)!r}); before = set(sys.modules)\n"
        "import tables.reference.payroll, tables.reference.ultimate_texas_holdem\n"
        "new = set(sys.modules) - before\n"
        "print(*sorted(name for name in new if name.split('.')[0] not in sys.stdlib_module_names))\n"
        "assert not any(name.startswith(('tables.engine', 'django', 'casino')) for name in sys.modules)"
    )
    assert printed.split() == ["tables", "tables.reference", "tables.reference.payroll", "tables.reference.ultimate_texas_holdem"]


def test_pasted_into_one_file_both_still_settle():
    facts = {"uth": UTH_EXAMPLE, "payroll": PAYROLL_EXAMPLE}
    printed = run_alone(
        "".join(path.read_text(encoding="utf-8") for path in SOURCES)
        + f"\nfacts, seeds = {facts!r}, {SEEDS!r}"
        + "\nfor code in facts: print(sorted(globals()[code + '_settle'](facts[code], seeds[code]).items()))"
    )
    assert printed.splitlines() == [str(sorted(SETTLERS[code].settle_reference(facts[code], SEEDS[code]).items())) for code in facts]


def test_no_name_but_the_interface_is_shared():
    own = [{name for name in vars(module) if not name.startswith("__")} for module in SETTLERS.values()]
    shared = own[0] & own[1]
    assert shared == {"GAME_CODE", "settle_reference", "rake_reference", "Any"}


# ---- the spec's own examples ----

UTH_EXAMPLE = {
    "game": "uth", "id": "T12-000123", "community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"],
    "seats": [
        {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "trips": 500, "play": 4000, "street": "preflop"},
        {"seat": 2, "ante": 1000, "blind": 1000, "folded": True},
    ],
}  # fmt: skip
PAYROLL_EXAMPLE = {
    "game": "payroll", "id": "P3-000007", "button": 4, "ante": 100,
    "seats": [
        {"seat": 1, "up": "8h", "rolls": [2], "kept": ["8h", "8c", "5d"], "discarded": [], "bet": 500},
        {"seat": 2, "up": "7h", "rolls": [3, 2], "kept": ["7h", "7c", "7d", "7s", "Ah"], "discarded": ["2c"], "bet": 500},
        {"seat": 4, "up": "Qs", "rolls": [], "kept": ["Qs"], "discarded": [], "bet": 0, "folded": True},
    ],
}  # fmt: skip


def test_example_of_ultimate_texas_holdem():
    assert ultimate_texas_holdem.settle_reference(UTH_EXAMPLE, SEEDS["uth"]) == {
        (1, "ante"): (0, 1000),
        (1, "blind"): (0, 0),
        (1, "play"): (0, 4000),
        (1, "trips"): (500, 0),
        (2, "ante"): (1000, 0),
        (2, "blind"): (1000, 0),
    }
    assert ultimate_texas_holdem.rake_reference(UTH_EXAMPLE, SEEDS["uth"]) == 0


def test_example_of_payroll():
    assert payroll.settle_reference(PAYROLL_EXAMPLE, SEEDS["payroll"]) == {
        (1, "ante"): (100, 0),
        (1, "bet"): (500, 0),
        (1, "pot"): (0, 1400),
        (2, "ante"): (100, 0),
        (2, "reroll_ante"): (100, 0),
        (2, "bet"): (500, 0),
        (4, "ante"): (100, 0),
    }


def test_rules_that_are_left_out_are_the_seeds():
    bare = {"odds": SEEDS["uth"]["odds"]}
    assert ultimate_texas_holdem.settle_reference(UTH_EXAMPLE, bare) == ultimate_texas_holdem.settle_reference(UTH_EXAMPLE, SEEDS["uth"])
    assert payroll.settle_reference(PAYROLL_EXAMPLE, {}) == payroll.settle_reference(PAYROLL_EXAMPLE, SEEDS["payroll"])


# ---- Ultimate Texas Hold'em by hand ----


def uth_due(board: str, patron: str, dealer: str | None, *, paytable: dict | None = None, folded: bool = False, **stakes: int) -> dict:
    """{kind: net} of one seat; ante and blind 1000, play 4000 and trips 500 unless said otherwise."""
    put = {"ante": 1000, "blind": 1000, "play": 4000, "trips": 500, **stakes}
    seat = {"seat": 3, "cards": patron.split(), **put, "street": "preflop"}
    if folded:
        del seat["play"], seat["street"]
        seat["folded"] = True
    facts = {"game": "uth", "id": "x", "community": board.split(), "seats": [seat]}
    if dealer is not None:
        facts["dealer"] = dealer.split()
    due = ultimate_texas_holdem.settle_reference(facts, paytable or SEEDS["uth"])
    return {kind: pay - collect for (_, kind), (collect, pay) in due.items()}


@pytest.mark.parametrize(
    ("origin", "board", "patron", "dealer", "nets"),
    [  # ante, blind, play, trips
        ("B001 wheel under a six-high straight", "2d 3c 4h Kd 9s", "As 5s", "6s 5h", (-1000, -1000, -4000, 2500)),
        ("B003 nothing runs round the ace", "2d 3c 4h 9s 7d", "Ks Ah", "8s 8c", (-1000, -1000, -4000, -500)),
        ("B004 flush and straight of different cards", "Th Jh Qh 2h 3c", "9c Kh", "Ac Ad", (1000, 1500, 4000, 3000)),
        ("B006 king high is not royal", "9h Th Jh Qh 2c", "Kh 3d", "Ac 2d", (1000, 50000, 4000, 20000)),
        ("B007 full houses by the trips, then the pair", "2s 3s 2h 3h 3d", "Ts Th", "9s 9h", (1000, 3000, 4000, 4000)),
        ("B008 two pair to the second pair", "6c 6d Kh 9s 3c", "5h 5s", "2h 2s", (1000, 0, 4000, -500)),
        ("B010 equal pairs to the kicker", "9c 7s 5h 5s 3c", "8h Ks", "4d Qs", (1000, 0, 4000, -500)),
        ("B011 no sixth card", "Jd 7h Jc Kh Ks", "Ah 8h", "As Qc", (0, 0, 0, -500)),
        ("B012 kicker that does not play", "9c Kh Kd 9s Ah", "Qc 5h", "5d Jd", (0, 0, 0, -500)),
        ("B015 the board's straight", "4c 5d 6h 7s 8c", "Ah Kd", "2h 2d", (0, 0, 0, 2500)),
        ("B022 flush to the fifth card", "Ah Kh Jh 4h 9c", "5h 2s", "3h 2d", (1000, 1500, 4000, 3000)),
        ("B024 pocket pair and two on the board", "Td Tc 4h 4s 2c", "Qh Qd", "Ks 9s", (1000, 0, 4000, -500)),
        ("B029 dealer does not qualify, patron wins", "Kd 9s 7h 4c 2d", "Ac 3h", "Qs Jd", (0, 0, 4000, -500)),
        ("B031 trips without a qualified dealer", "Kd 9s 7h 4c 2d", "9h 9d", "Qs Jd", (0, 0, 4000, 1500)),
        ("dealer does not qualify, patron loses", "Kd 9s 7h 4c 2d", "Qs Jd", "Ac 3h", (0, -1000, -4000, -500)),
        ("royal on the board: a tie pays no blind", "Th Jh Qh Kh Ah", "2c 3d", "4c 5d", (0, 0, 0, 25000)),
        ("royal", "Th Jh Qh 2c 3d", "Kh Ah", "4c 5d", (0, 500000, 4000, 25000)),
        ("steel wheel", "Ah 2h 3h 9c 9d", "4h 5h", "9s Kd", (1000, 50000, 4000, 20000)),
        ("flush over wheel", "Ah 2h 3h 4s 9h", "Kh 5d", "5c Td", (1000, 1500, 4000, 3000)),
        ("two trips make a full house", "7c 7d 7h 2s 2d", "2c Kd", "As Kh", (0, 0, 0, 4000)),
    ],
)
def test_patron_against_dealer(origin, board, patron, dealer, nets):
    assert tuple(uth_due(board, patron, dealer).values()) == nets, origin


QUADS = ("9s 9d 9h 9c 2h", "3d 3s", "Kc 7d")  # beaten by the dealer's king
SET = ("9s 9d 9h Qc 2h", "3d 4s", "Kc 7d")
NOTHING = ("9s 8d 5h Qc 2h", "3d 4s", "Kc 7d")


@pytest.mark.parametrize(
    ("rule", "cards", "trips"),
    [("pays", QUADS, 15000), ("pays", SET, 1500), ("pays", NOTHING, -500), ("pushes", SET, 0), ("pushes", NOTHING, -500)],
)
def test_trips_when_beaten(rule, cards, trips):
    nets = uth_due(*cards, paytable=seed("uth", trips_when_beaten=rule))
    assert nets["play"] == -4000
    assert nets["trips"] == trips


def test_trips_when_beaten_says_nothing_of_a_tie():
    assert uth_due("4c 5d 6h 7s 8c", "Ah Kd", "2h 2d", paytable=seed("uth", trips_when_beaten="pushes"))["trips"] == 2500


def test_trips_of_a_folded_seat():
    assert uth_due(*SET, folded=True) == {"ante": -1000, "blind": -1000, "trips": 1500}
    assert uth_due(*SET, folded=True, paytable=seed("uth", trips_on_fold="forfeits"))["trips"] == -500
    assert uth_due(*NOTHING, folded=True)["trips"] == -500
    board, patron, _ = SET
    pushes = seed("uth", trips_when_beaten="pushes")
    assert uth_due(board, patron, None, folded=True, paytable=pushes)["trips"] == 1500  # it was not beaten: it folded
    assert "trips" not in uth_due(*SET, trips=0)


FLUSH = ("2h 7h 9h Kd 4c", "Ah 3h", "Ks 8d")


@pytest.mark.parametrize(("stake", "down", "up"), [(1000, 1500, 1500), (2500, 3750, 3750), (501, 751, 752), (1, 1, 2)])
def test_b036_three_to_two_on_an_odd_stake(stake, down, up):
    assert uth_due(*FLUSH, blind=stake)["blind"] == down
    assert uth_due(*FLUSH, blind=stake, paytable=seed("uth", rounding="up"))["blind"] == up


def test_even_money_is_rounded_to_the_payout_unit_too():
    assert uth_due(*FLUSH, ante=333, paytable=seed("uth", payout_unit=100))["ante"] == 300
    assert uth_due(*FLUSH, ante=333, paytable=seed("uth", payout_unit=100, rounding="up"))["ante"] == 400
    with pytest.raises(ValueError, match="inexact"):
        uth_due(*FLUSH, ante=333, paytable=seed("uth", payout_unit=100, rounding="exact_only"))


@pytest.mark.parametrize(
    ("caps", "unit", "nets"),
    [  # ante 1000, blind 1500, play 4000, trips 3000 without caps
        ({"wager": {"play": 2000}}, 1, (1000, 1500, 2000, 3000)),
        ({"wager": {"play": 2099}}, 100, (1000, 1500, 2000, 3000)),
        ({"wager": {"play": 99}}, 100, (1000, 1500, 0, 3000)),  # less than a unit is left
        ({"wager": {"blind": 1500, "trips": 2999}}, 500, (1000, 1500, 4000, 2500)),
        ({"seat": 9499}, 1, (1000, 1500, 3999, 3000)),
        ({"seat": 9499}, 500, (1000, 1500, 3500, 3000)),
        ({"seat": 5500}, 1, (1000, 1500, 0, 3000)),
        ({"seat": 5499}, 1, (1000, 1500, 0, 2999)),
        ({"seat": 99}, 100, (0, 0, 0, 0)),
        ({"seat": 8500, "wager": {"play": 3000}}, 1, (1000, 1500, 3000, 3000)),
        ({"seat": 8499, "wager": {"play": 3000}}, 1, (1000, 1500, 2999, 3000)),  # equal now: play stands before trips
        ({"seat": 8499, "wager": {"play": 2999}}, 1, (1000, 1500, 2999, 3000)),
        ({"seat": 8000, "wager": {"play": 2999}}, 1, (1000, 1500, 2999, 2501)),
    ],
)
def test_caps(caps, unit, nets):
    assert tuple(uth_due(*FLUSH, paytable=seed("uth", caps=caps, payout_unit=unit)).values()) == nets


def test_equal_payouts_are_cut_in_the_order_of_the_wagers():
    everything_6000 = {"ante": 6000, "blind": 4000, "play": 6000, "trips": 1000}

    def cut(limit: int) -> tuple:
        return tuple(uth_due(*FLUSH, paytable=seed("uth", caps={"seat": limit}), **everything_6000).values())

    assert cut(24000) == (6000, 6000, 6000, 6000)
    assert cut(23000) == (5000, 6000, 6000, 6000)
    assert cut(17000) == (0, 5000, 6000, 6000)
    assert cut(11000) == (0, 0, 5000, 6000)
    assert cut(5000) == (0, 0, 0, 5000)


def test_caps_meet_a_payout_that_was_rounded_up():
    paytable = seed("uth", rounding="up", payout_unit=100, caps={"wager": {"blind": 780}})
    assert uth_due(*FLUSH, blind=501, paytable=paytable)["blind"] == 700  # 751.5 would be 800: more than 780, so cut


def test_for_one_is_one_less_to_one():
    odds = {"blind": {"flush": "5:2"}, "trips": {"flush": "7:1"}}
    nets = uth_due(*FLUSH, paytable={**SEEDS["uth"], "basis": "for", "odds": odds})
    assert (nets["blind"], nets["trips"]) == (1500, 3000)


# ---- Payroll by hand ----


def pot_seat(number: int, kept: str, bet: int, *, folded: bool = False, all_in: bool = False, second: bool = False) -> dict:
    cards = kept.split()
    seat = {"seat": number, "up": cards[0], "rolls": [1, 1] if second else [1], "kept": cards, "discarded": [], "bet": bet}
    return seat | ({"folded": True} if folded else {}) | ({"all_in": True} if all_in else {})


def pot_won(seats: list[dict], *, button: int, ante: int = 100, **rules: object) -> dict[int, int]:
    """{seat: what it won}, after checking that the rake and the winnings are the whole pot."""
    facts = {"game": "payroll", "id": "x", "button": button, "ante": ante, "seats": seats}
    paytable = seed("payroll", ante=ante, **rules)
    due = payroll.settle_reference(facts, paytable)
    pot = sum(collect for collect, _ in due.values())
    won = {seat: pay for (seat, kind), (_, pay) in due.items() if kind == "pot"}
    assert pot == sum(won.values()) + payroll.rake_reference(facts, paytable)
    return won


def test_examples_of_the_seed():
    def rank(hand: str) -> tuple:
        return payroll.payroll_rank([f"{value}s" for value in hand.split()])

    descending = ["8 8 5", "7 7 7 7 A"], ["8 8 A 3", "8 8 6 6 K"], ["K K J 9 3", "K K J 8 8"], ["7 6 4 2 2", "A K Q J T"], ["K K 3", "K K"]
    for better, worse in descending:
        assert rank(better) > rank(worse)
    assert rank("7 7 7 7 A") == (7, (14, 7, 7))
    assert rank("A K") < rank("A K 2") < rank("A K 3") < rank("2 2")


@pytest.mark.parametrize(
    ("unit", "button", "won"),
    [
        (1, 3, {5: 251, 2: 250, 3: 250}),  # 751: the turn after the button's is the first
        (100, 3, {5: 351, 2: 200, 3: 200}),
        (100, 5, {2: 351, 3: 200, 5: 200}),
        (100, 2, {3: 351, 5: 200, 2: 200}),
        (250, 3, {5: 251, 2: 250, 3: 250}),
        (300, 3, {5: 451, 2: 300}),  # two units for three seats
        (1000, 3, {5: 751}),  # no whole unit: everything to the first
    ],
)
def test_b026_equal_hands_share_by_units_from_the_buttons_left(unit, button, won):
    seats = [pot_seat(2, "8s 8h", 200), pot_seat(3, "8d 8c", 200), pot_seat(5, "8h 8c", 200), pot_seat(7, "2s", 0, folded=True)]
    seats[3]["bet"] = 51
    assert pot_won(seats, button=button, ante=25, payout_unit=unit) == won


def test_layers_go_to_the_best_hand_that_reaches_them():
    seats = [
        pot_seat(1, "As Ah", 0, all_in=True),  # all-in on its ante: plays for the antes alone
        pot_seat(2, "Ks Kh", 50, all_in=True),
        pot_seat(3, "Qs Qh", 500),
        pot_seat(4, "Js Jh", 500, second=True),
        pot_seat(5, "2s", 300, folded=True),
    ]
    assert pot_won(seats, button=1) == {1: 600, 2: 4 * 50, 3: 2 * 450 + 250}


def test_a_layer_of_one_live_seat_alone_is_returned_and_not_raked():
    seats = [pot_seat(1, "As Ah", 300, all_in=True), pot_seat(2, "Ks Kh", 1000), pot_seat(3, "2s", 300, folded=True)]
    assert pot_won(seats, button=1, rake_bps=1000) == {1: 1200 - 120, 2: 700}


def test_a_layer_with_folded_money_in_it_is_won_and_raked():
    seats = [pot_seat(1, "As Ah", 300, all_in=True), pot_seat(2, "Ks Kh", 1000), pot_seat(3, "2s", 301, folded=True)]
    assert pot_won(seats, button=1, rake_bps=1000) == {1: 1200 - 190, 2: 701}


def test_a_rake_above_the_first_layer_takes_the_rest_from_the_next():
    seats = [pot_seat(1, "As Ah", 0, all_in=True), pot_seat(2, "Ks Kh", 900), pot_seat(3, "Qs Qh", 900)]
    assert pot_won(seats, button=1, rake_bps=5000) == {2: 1050}  # 2100 in the pot, 1050 rake, 300 of it the whole first layer
    assert pot_won(seats, button=1, rake_bps=10_000) == {}
    assert pot_won(seats, button=1, rake_bps=5000, rake_cap=299) == {1: 1, 2: 1800}
    assert pot_won(seats, button=1, rake_bps=5000, rake_cap=299, payout_unit=100) == {1: 100, 2: 1800}


def test_the_last_seat_standing_takes_the_pot_whatever_its_cards():
    seats = [pot_seat(1, "2s", 700), pot_seat(2, "As Ah", 100, folded=True)]
    assert pot_won(seats, button=1) == {1: 1000}
    assert pot_won(seats, button=1, rake_bps=1000) == {1: 900}  # the antes are in the one layer there is: nothing is returned
    seats[0]["kept"] = 2
    assert pot_won(seats, button=1) == {1: 1000}


def test_odd_units_are_dealt_out_layer_by_layer():
    seats = [
        pot_seat(1, "2h 2c", 50, all_in=True),
        pot_seat(2, "8s 8h", 151),
        pot_seat(3, "8d 8c", 151),
        pot_seat(4, "3s", 52, folded=True),
    ]
    layers = [4 * 25 + 4 * 50, 2 * 101 + 2]
    assert layers == [300, 204]
    # 3 units of 100 are 200 and 100; 2 units of 100 and 4 more are 104 and 100: each layer by itself, odd units first to seat 2
    assert pot_won(seats, button=1, ante=25, payout_unit=100) == {2: 304, 3: 200}


def test_better_hands_never_win_less():
    """The order of hands is total and agrees with shares: a hand that is raised never takes a smaller part of the pot."""
    ladder = ["2s", "As", "As 2s", "2s 2h", "2s 2h 3d", "Ks Kh", "Ks Kh 3d", "As Ah Ad Ac Ks"]
    ranks = [payroll.payroll_rank(hand.split()) for hand in ladder]
    assert all(lower < higher for lower, higher in pairwise(ranks))
