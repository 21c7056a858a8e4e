"""The engine and the reference settlers must agree on every wager of thousands of random legal rounds under random paytables.

Two readings of one spec, written apart. The rounds come from fixed seeds, so that a disagreement can be looked at again: 1000
of each game in every run, 7000 more with the slow tests. Decks are short on purpose, which makes straights, flushes, equal
hands and shared pots common.
"""

import json
import random
from collections import Counter
from typing import Any

import pytest

from casino.errors import InvalidSlip
from tables.engine.game import games
from tables.reference import payroll, ultimate_texas_holdem

RANKS = "23456789TJQKA"
HANDS = ["royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight", "three_of_a_kind", "two_pair", "pair"]
STAKES = [1, 2, 3, 5, 7, 50, 99, 100, 101, 250, 333, 500, 501, 1000, 1001, 2500, 12_345, 1_000_000]
UNITS = [1, 1, 1, 2, 5, 7, 25, 50, 100, 300, 1000]
CAPS = [0, 1, 49, 99, 100, 101, 250, 499, 500, 1000, 1499, 1500, 2999, 3000, 5000, 10_000, 77_777]
ROUNDS = 1000
SLOW, LONG = [pytest.mark.slow], [pytest.mark.slow, pytest.mark.long]
BLOCKS = [0, *(pytest.param(block, marks=SLOW if block < 3 else LONG) for block in range(1, 8))]


def short_deck(dice: random.Random, least: int) -> list[str]:
    """A shuffled deck of at least `least` cards that lacks some ranks or suits, or now and then the whole deck."""
    suits = dice.choice(["cdhs", "cdhs", "cdh", "hs"])
    fewest = -(-least // len(suits))
    if fewest > len(RANKS) or dice.random() < 0.3:
        suits, fewest = "cdhs", len(RANKS)
    highest = len(RANKS) - fewest
    start = dice.choice([0, highest, dice.randint(0, highest)])
    deck = [rank + suit for rank in RANKS[start : start + fewest] for suit in suits]
    dice.shuffle(deck)
    return deck


def maybe(dice: random.Random, rules: dict[str, Any]) -> dict[str, Any]:
    """The rules, now and then without one or another, so that the spec's defaults are met too."""
    return {name: value for name, value in rules.items() if dice.random() < 0.9}


# ---- Ultimate Texas Hold'em ----


def uth_paytable(dice: random.Random) -> dict[str, Any]:
    """A paytable version as a house might write it: other odds, on either basis, caps, units and switches."""
    basis = dice.choice(["to", "to", "for"])

    def odds() -> str:
        denominator = dice.choice([1, 1, 2, 3, 5])
        profit = dice.randint(1, 12 * denominator)
        return f"{profit + denominator if basis == 'for' else profit}:{denominator}"

    rules = {
        "dealer_qualifies": dice.choice(["pair", "pair", "pair", "high_card", "two_pair", "three_of_a_kind", "straight"]),
        "play_multiples": dice.choice([{"preflop": [3, 4], "flop": [2], "river": [1]}, {"preflop": [3], "flop": [1, 2], "river": [1]}]),
        "trips_on_fold": dice.choice(["stays", "forfeits"]),
        "trips_when_beaten": dice.choice(["pays", "pushes"]),
        "payout_unit": dice.choice(UNITS),
        "rounding": dice.choice(["down", "down", "up", "up", "exact_only"]),
        "caps": uth_caps(dice),
    }
    return {
        "game": "uth", "name": "random", "version": dice.randint(1, 10**6), "basis": basis,
        "odds": {
            "blind": {hand: odds() for hand in HANDS[: dice.randint(5, 8)] if dice.random() < 0.9},
            "trips": {hand: odds() for hand in HANDS[: dice.randint(6, 9)] if dice.random() < 0.9},
        },
        "rules": maybe(dice, rules),
    }  # fmt: skip


def uth_caps(dice: random.Random) -> dict[str, Any] | None:
    if dice.random() < 0.4:
        return None
    caps: dict[str, Any] = {}
    if dice.random() < 0.7:
        caps["wager"] = {kind: dice.choice(CAPS) for kind in ("ante", "blind", "play", "trips") if dice.random() < 0.5}
    if dice.random() < 0.7:
        caps["seat"] = dice.choice(CAPS)
    return caps


def uth_round(dice: random.Random, paytable: dict[str, Any]) -> dict[str, Any]:
    """A legal round: one to seven seats, some folded, what may be left out left out now and then."""
    rules = paytable["rules"]
    numbers = dice.sample(range(1, 8), dice.randint(1, 7))
    deck = short_deck(dice, 7 + 2 * len(numbers))
    multiples = rules.get("play_multiples", {"preflop": [3, 4], "flop": [2], "river": [1]})
    trips_stay = rules.get("trips_on_fold", "stays") == "stays"
    seats = []
    for number in numbers:
        ante = dice.choice(STAKES)
        seat: dict[str, Any] = {"seat": number, "cards": [deck.pop(), deck.pop()], "ante": ante, "blind": ante}
        if dice.random() < 0.7:
            seat["trips"] = dice.choice([0, *STAKES])
        if dice.random() < 0.25:
            seat["folded"] = True
            if not (seat.get("trips") and trips_stay) and dice.random() < 0.5:
                del seat["cards"]
        else:
            seat["street"] = dice.choice(["preflop", "flop", "river"])
            seat["play"] = ante * dice.choice(multiples[seat["street"]])
        seats.append(seat)
    facts: dict[str, Any] = {"game": "uth", "id": f"R{paytable['version']}", "seats": seats}
    everyone_folded = all(seat.get("folded") for seat in seats)
    live_trips = any(seat.get("folded") and seat.get("trips") and trips_stay for seat in seats)
    community = [deck.pop() for _ in range(5)]
    if not everyone_folded or live_trips or dice.random() < 0.5:
        facts["community"] = community
    if not everyone_folded or dice.random() < 0.5:
        facts["dealer"] = [deck.pop(), deck.pop()]
    return facts


# ---- Payroll ----


def payroll_paytable(dice: random.Random) -> dict[str, Any]:
    """A paytable version with any rake, cap and payout unit."""
    rules = {
        "rake_bps": dice.choice([0, 0, 1, 250, 333, 500, 1000, 5000, 9999, 10_000]),
        "rake_cap": dice.choice([None, None, 0, 1, 99, 100, 300, 1234]),
        "max_seats": 8,
        "payout_unit": dice.choice(UNITS),
    }
    return {"game": "payroll", "name": "random", "version": dice.randint(1, 10**6),
            "rules": {"ante": dice.choice([1, 7, 25, 100, 100, 101, 500]), **maybe(dice, rules)}}  # fmt: skip


def payroll_round(dice: random.Random, paytable: dict[str, Any]) -> dict[str, Any]:
    """A round as it is dealt: discarded and folded cards go under the deck and come again."""
    while True:
        numbers = sorted(dice.sample(range(1, 9), dice.randint(2, 8)))
        button = dice.choice(numbers)
        deck = short_deck(dice, dice.choice([6, 8, 12, 24, 36]))
        few, most = dice.choice([(1, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 5), (6, 5)])  # the highest roll, the most cards kept
        seats = {number: {"seat": number, "up": deck.pop(0), "kept": [], "rolls": [], "discarded": []} for number in numbers if deck}
        turns = [number for number in numbers if number > button] + [number for number in numbers if number <= button]
        live = set(dice.sample(numbers, dice.randint(1, len(numbers))))
        if len(seats) == len(numbers) and all(take_turn(dice, seats[number], deck, number in live, few, most) for number in turns):
            break
    bet_all(dice, list(seats.values()), live)
    facts = {"game": "payroll", "id": f"R{paytable['version']}", "button": button, "ante": paytable["rules"]["ante"]}
    return facts | {"seats": dice.sample(list(seats.values()), len(seats))}


def take_turn(dice: random.Random, seat: dict[str, Any], deck: list[str], live: bool, few: int, most: int) -> bool:
    """One seat rolls, is dealt, keeps and discards, or folds before its turn; False when the deck runs out."""
    if not live:
        seat["folded"] = True
        if dice.random() < 0.5:
            seat["kept"] = [seat["up"]]
            deck.append(seat["up"])
            return True
    seat["rolls"] = [dice.randint(1, few) for _ in range(dice.choice([1, 1, 2]))]
    if sum(seat["rolls"]) > len(deck):
        return False
    dealt = [seat["up"]] + [deck.pop(0) for _ in range(sum(seat["rolls"]))]
    dealt.sort(key=lambda card: RANKS.index(card[0]), reverse=True)
    if dice.random() < 0.3:
        dice.shuffle(dealt)
    most = min(most, len(dealt))
    keep = dice.choice([most, most, dice.randint(1, most)])
    seat["kept"], seat["discarded"] = dealt[:keep], dealt[keep:]
    deck.extend(dealt[keep:] if live else dealt)
    if dice.random() < 0.1:
        seat["discarded"] = len(seat["discarded"])
    if not live and dice.random() < 0.2:
        seat["kept"] = len(seat["kept"])
    return True


def bet_all(dice: random.Random, seats: list[dict[str, Any]], live: set[int]) -> None:
    """One live seat at least has the highest bet; others are level with it, all-in below it, or folded anywhere up to it."""
    highest = dice.choice([0, *STAKES])
    called = dice.choice(sorted(live))
    for seat in seats:
        below = dice.choice([0, highest // 3, highest // 2, dice.randint(0, highest)])
        if seat["seat"] not in live:
            seat["bet"] = dice.choice([below, highest])
        elif seat["seat"] != called and dice.random() < 0.5:
            seat["bet"], seat["all_in"] = below, True
        else:
            seat["bet"] = highest


# ---- the comparison ----


def engine_due(game: Any, facts: dict[str, Any], raw_paytable: dict[str, Any]) -> tuple[dict, int, dict, dict]:
    """What the engine finds: dues as the reference writes them, the rake, and the canonical round and paytable it settled."""
    paytable = game.read_paytable(raw_paytable)
    deal = game.read(facts, paytable)
    settlement = game.settle(deal, paytable)
    dues = {(due.seat, due.kind): (due.collect, due.pay) for due in settlement.dues}
    assert len(dues) == len(settlement.dues)
    return dues, settlement.rake, deal.facts, json.loads(paytable.canonical)


@pytest.mark.parametrize("block", BLOCKS)
def test_ultimate_texas_holdem(block):
    met: Counter[str] = Counter()
    for number in range(block * ROUNDS, (block + 1) * ROUNDS):
        dice = random.Random(number)
        raw_paytable = uth_paytable(dice)
        facts = uth_round(dice, raw_paytable)
        told = f"seed {number}: {json.dumps(facts)} {json.dumps(raw_paytable)}"
        try:
            expected = ultimate_texas_holdem.settle_reference(facts, raw_paytable)
        except ValueError:
            with pytest.raises(InvalidSlip) as refused:
                engine_due(games()["uth"], facts, raw_paytable)
            assert {fault.code for fault in refused.value.faults} == {"inexact_payout"}, told
            met["refused"] += 1
            continue
        due, rake, canonical_facts, canonical_paytable = engine_due(games()["uth"], facts, raw_paytable)
        assert due == expected, told
        assert ultimate_texas_holdem.settle_reference(canonical_facts, canonical_paytable) == expected, told
        assert rake == 0, told
        met.update(f"{kind} {'lose' if collect else 'win' if pay else 'push'}" for (_, kind), (collect, pay) in due.items())
    assert len(met) == 13, met
    assert min(met.values()) >= 30, met


@pytest.mark.parametrize("block", BLOCKS)
def test_payroll(block):
    met: Counter[str] = Counter()
    for number in range(block * ROUNDS, (block + 1) * ROUNDS):
        dice = random.Random(number)
        raw_paytable = payroll_paytable(dice)
        facts = payroll_round(dice, raw_paytable)
        told = f"seed {number}: {json.dumps(facts)} {json.dumps(raw_paytable)}"
        expected = payroll.settle_reference(facts, raw_paytable)
        due, rake, canonical_facts, canonical_paytable = engine_due(games()["payroll"], facts, raw_paytable)
        assert due == expected, told
        assert payroll.settle_reference(canonical_facts, canonical_paytable) == expected, told
        assert rake == payroll.rake_reference(facts, raw_paytable) == payroll.rake_reference(canonical_facts, canonical_paytable), told
        met[f"{sum(kind == 'pot' for _, kind in due)} winners"] += 1
        met[f"{len(payroll.payroll_layers(facts))} layers"] += 1
        met["raked" if rake else "not raked"] += 1
    assert {f"{count} {what}" for count in (1, 2, 3, 4) for what in ("winners", "layers")} | {"0 winners", "raked"} <= set(met), met
