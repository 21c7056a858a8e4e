"""Three Card Poker: hands, what is due, what is refused, the exact edges, and a second settler that agrees."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from casino.errors import InvalidSlip
from tables.engine import edge, edge_tcp
from tables.engine.cards import NO_CARD
from tables.engine.edge_boards import flops
from tables.engine.game import games
from tables.engine.games.three_card_poker import class_of, strength, words
from tables.engine.paytable import Paytable
from tables.engine.reading import cards
from tables.paytable_files import published
from tables.reference import three_card_poker
from tests.engine.sheets import CARDS, answer, errors, nets, results, seat_of

GAME = games()["tcp"]
SEED = published()["three-card-poker@1"]


def version(odds: dict[str, Any] | None = None, **rules: Any) -> dict[str, Any]:
    """The published paytable with other odds or rules, under another name."""
    content = json.loads(SEED.canonical)
    return content | {"name": "house", "odds": {**content["odds"], **(odds or {})}, "rules": {**content["rules"], **rules}}


def seat(number: int, cards: str | None, *, ante: int = 1000, pair_plus: int = 500, folded: bool = False) -> dict[str, Any]:
    more = {"folded": True} if folded else {"play": ante}
    return {"seat": number, "ante": ante, "pair_plus": pair_plus, **({"cards": cards} if cards else {}), **more}


def sheet(dealer: str | None, *seats: dict[str, Any] | str) -> dict[str, Any]:
    """A round; a seat may be its cards alone."""
    placed = [seat(number, one) if isinstance(one, str) else one for number, one in enumerate(seats, start=1)]
    return {"game": "tcp", "id": "sheet", **({"dealer": dealer} if dealer else {}), "seats": placed}


def played(dealer: str | None, *seats: dict[str, Any] | str, **rules: Any) -> dict[str, Any]:
    return answer(sheet(dealer, *seats) | ({"paytable": version(**rules)} if rules else {}))


# ---- hands ----

ASCENDING = [
    *("5c3d2h", "Tc9d7h", "AcKdJh", "2c2d3h", "AcAdKh", "5c3c2c", "AcKcJc", "Ac2d3h"),
    *("2c3d4h", "AcKdQh", "2c2d2h", "AcAdAh", "Ac2c3c", "2c3c4c", "AcKcQc"),
]


def test_hands_are_ranked_as_for_three_cards():
    found = [strength(cards(hand)) for hand in ASCENDING]
    assert found == sorted(set(found))


def test_hands_are_counted():
    """Of 22,100 hands: the counts by which pair plus is priced."""
    assert Counter(class_of(strength(hand)) for hand in combinations(range(52), 3)) == {
        "straight_flush": 48,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1096,
        "pair": 3744,
        "high_card": 16440,
    }


@pytest.mark.parametrize(
    ("hand", "told"),
    [
        ("Qc6d4h", "Queen high with six and four"),
        ("9c9dAh", "Pair of nines with ace"),
        ("Kc9c2c", "Flush, king high with nine and two"),
        ("Ac2d3h", "Straight, three high"),
        ("6c6d6h", "Three of a kind, sixes"),
        ("KcQcJc", "Straight flush, king high"),
    ],
)
def test_hands_in_words(hand, told):
    assert words(strength(cards(hand))) == told


# ---- what is due ----


def test_a_better_hand_wins_ante_and_play():
    found = played("Qh7d2c", "9h9d2s")
    assert nets(found) == {"ante": 1000, "play": 1000, "pair_plus": 500}
    assert found["dealer"] == {"hand": "high_card", "qualifies": True}
    assert seat_of(found, 1)["wagers"]["ante"]["why"] == (
        "Pair of nines with two beats the dealer's queen high with seven and two: the ante wager pays even money, 1000 × 1:1 = 1000."
    )


def test_a_worse_hand_loses_both():
    assert nets(played("Qh7d2c", seat(1, "Qs6d4s", pair_plus=0))) == {"ante": -1000, "play": -1000}


def test_equal_hands_push_and_suits_break_no_tie():
    assert nets(played("Qh7d2c", "Qs7c2d")) == {"ante": 0, "play": 0, "pair_plus": -500}


@pytest.mark.parametrize("mine", ["9h9d2s", "8h7d2s", "Js9d3s"])
def test_a_dealer_who_does_not_qualify_pays_the_ante_alone(mine):
    found = played("Jh9c3c", seat(1, mine, pair_plus=0))
    assert nets(found) == {"ante": 1000, "play": 0}
    assert found["dealer"]["qualifies"] is False
    assert "The dealer's jack high with nine and three does not qualify: " in seat_of(found, 1)["wagers"]["play"]["why"]


def test_the_bonus_is_paid_on_the_ante_of_a_beaten_hand_too():
    found = played("AhKhQh", "5s4s3s")
    assert nets(found) == {"ante": -1000, "play": -1000, "ante_bonus": 5000, "pair_plus": 20_000}
    bonus = seat_of(found, 1)["wagers"]["ante_bonus"]
    assert (bonus["stake"], bonus["result"]) == (0, "win")
    assert bonus["why"] == "Straight flush, five high: the ante bonus wager pays straight flush 5:1, 1000 × 5:1 = 5000."
    assert (seat_of(found, 1)["net"], found["house_net"]) == (23_000, -23_000)


@pytest.mark.parametrize(
    ("cards", "bonus", "pair_plus"), [("5s4d3s", 1000, 3000), ("8h8d8s", 4000, 15_000), ("Ks9s2s", None, 2000), ("8h8dKs", None, 500)]
)
def test_bonus_and_pair_plus_by_hand(cards, bonus, pair_plus):
    found = nets(played("Qh7d2c", cards))
    assert (found.get("ante_bonus"), found["pair_plus"]) == (bonus, pair_plus)


def test_a_bonus_is_rounded_and_capped_by_its_own_wager():
    third = {"ante_bonus": {"straight": "1:3"}}
    found = answer(sheet("Qh7d2c", "5s4d3s") | {"paytable": version(third)})
    assert seat_of(found, 1)["wagers"]["ante_bonus"] | {"why": ""} == {"stake": 0, "result": "win", "net": 333, "breakage": "1/3", "why": ""}
    capped = answer(sheet("Qh7d2c", "5s4d3s") | {"paytable": version(caps={"wager": {"ante_bonus": 250}})})
    assert (nets(capped)["ante_bonus"], seat_of(capped, 1)["wagers"]["ante_bonus"]["uncapped"]) == (250, 1000)


def test_a_bonus_that_cannot_be_paid_is_named_at_the_ante():
    facts = sheet("Qh7d2c", "5s4d3s") | {"paytable": version({"ante_bonus": {"straight": "1:3"}}, rounding="exact_only")}
    assert errors(facts) == [("inexact_payout", "seats[0].ante")]


def test_a_fold_loses_the_ante_and_forfeits_pair_plus():
    found = played(None, seat(1, "9h9d2s", folded=True), seat(2, None, folded=True))
    assert found["dealer"] is None
    assert [nets(found, number) for number in (1, 2)] == [{"ante": -1000, "pair_plus": -500}] * 2
    assert [one["hand"] for one in found["seats"]] == ["pair", None]


def test_a_fold_keeps_pair_plus_where_the_paytable_says_so_and_never_gets_a_bonus():
    found = played(None, seat(1, "5s4s3s", folded=True), pair_plus_on_fold="stays")
    assert nets(found) == {"ante": -1000, "pair_plus": 20_000}


@pytest.mark.parametrize(("rule", "ante"), [("jack_high", -1000), ("king_high", 1000), ("pair", 1000)])
def test_what_qualifies_is_the_paytables(rule, ante):
    assert nets(played("Qh7d2c", seat(1, "Th7s2s", pair_plus=0), dealer_qualifies=rule))["ante"] == ante


# ---- what is refused ----


def without(seat: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in seat.items() if name not in names}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (sheet("Qh7d", "9h9d2s"), [("wrong_card_count", "dealer")]),
        (sheet("Qh7d2c", "Qh9d2s"), [("duplicate_card", "seats[0].cards[0]")]),
        (sheet(None, "9h9d2s"), [("cards_required", "dealer")]),
        (sheet("Qh7d2c", seat(1, None)), [("cards_required", "seats[0].cards")]),
        (sheet("Qh7d2c", seat(8, "9h9d2s")), [("bad_seat", "seats[0].seat")]),
        (sheet("Qh7d2c"), [("too_few_seats", "seats")]),
        (sheet("Qh7d2c", seat(1, "9h9d2s", folded=True) | {"play": 1000}), [("play_after_fold", "seats[0].play")]),
        (sheet("Qh7d2c", without(seat(1, "9h9d2s"), "play")), [("missing_play", "seats[0].play")]),
        (sheet("Qh7d2c", seat(1, "9h9d2s") | {"play": 2000}), [("bad_play_multiple", "seats[0].play")]),
        (sheet("Qh7d2c", without(seat(1, "9h9d2s"), "ante")), [("missing_field", "seats[0].ante")]),
        (sheet("Qh7d2c", seat(1, "9h9d2s", ante=0)), [("bad_amount", "seats[0].ante"), ("bad_amount", "seats[0].play")]),
        (sheet("Qh7d2c", seat(1, "9h9d2s") | {"trips": 1}), [("unknown_field", "seats[0].trips")]),
    ],
)
def test_what_is_refused(facts, expected):
    assert errors(facts) == expected


def test_a_play_against_the_rules_may_be_recorded_as_irregular():
    facts = sheet("Qh7d2c", seat(1, "9h9d2s") | {"play": 2000})
    assert [stake.stake for stake in GAME.read(facts, SEED, irregular=True).stakes] == [1000, 2000, 500]


def test_facts_are_canonical_and_packed():
    deal = GAME.read(sheet("Qh7d2c", seat(3, "9h9d2s", pair_plus=0), seat(1, None, folded=True, pair_plus=0)), SEED)
    assert deal.facts["seats"] == [{"seat": 1, "ante": 1000, "folded": True}, {"seat": 3, "cards": ["9h", "9d", "2s"], "ante": 1000, "play": 1000}]
    assert GAME.read(deal.facts, SEED).facts == deal.facts
    packed = GAME.pack(deal)
    assert (len(packed), packed[:6], packed[9:12]) == (24, bytes([42, 21, 0, NO_CARD, NO_CARD, NO_CARD]), bytes([30, 29, 3]))


# ---- edges ----


def edges_of(**changed: Any) -> dict[str, edge.BetEdge]:
    return dict(edge.edges(GAME.read_paytable(version(**changed))).bets)


def test_the_published_edges():
    found = edge.edges(SEED)
    assert found.bets["pair_plus"].edge == Fraction(128, 5525)
    assert found.bets["main"].edge == Fraction(686689, 20358520)
    assert (found.unsolved, edge.solve(SEED)) == ((), found)


def test_queen_six_four_is_the_weakest_hand_that_plays():
    assert [words(found) for found in edge_tcp.folded_below(SEED)] == ["Queen high with six and three", "Queen high with six and four"]


def test_ante_and_play_under_the_best_play():
    main = edge.edges(SEED).bets["main"]
    assert (main.basis, round(float(main.element_of_risk) * 100, 4), round(float(main.mean_wager), 4)) == ("ante", 2.0147, 1.6742)


@pytest.mark.parametrize("pays", ["40-30-6-3-1", "50-40-6-4-1", "40-30-5-4-1"])
def test_other_pair_plus_odds(pays):
    rows = ("straight_flush", "three_of_a_kind", "straight", "flush", "pair")
    odds = {"pair_plus": dict(zip(rows, (f"{price}:1" for price in pays.split("-")), strict=True))}
    counted = {"straight_flush": 48, "three_of_a_kind": 52, "straight": 720, "flush": 1096, "pair": 3744}
    expected = 16440 - sum(counted[row] * int(price) for row, price in zip(rows, pays.split("-"), strict=True))
    assert edges_of(odds=odds)["pair_plus"].edge == Fraction(expected, 22100)


def test_a_bonus_without_odds_costs_what_it_was_worth():
    """The bonus moves no decision: straights and better are played anyway."""
    without_bonus = edges_of(odds={"ante_bonus": {}})["main"].edge
    assert without_bonus - Fraction(686689, 20358520) == Fraction(48 * 5 + 52 * 4 + 720, 22100)


def test_the_counting_agrees_with_plain_counting():
    least = strength(cards("Qh3d2c"))
    kinds = list(zip(flops(), edge_tcp._kinds(least), strict=True))
    for flop, kind in random.Random(3).sample(kinds, 8):
        mine = strength(flop.cards)
        theirs = [strength(hand) for hand in combinations(sorted(set(range(52)) - set(flop.cards)), 3)]
        unqualified = sum(hand < least for hand in theirs)
        beats, loses = sum(least <= hand < mine for hand in theirs), sum(hand > mine and hand >= least for hand in theirs)
        assert kind == (flop.weight, class_of(mine), mine, beats, loses, unqualified, 18_424)


# ---- the second settler ----

STAKES = [1, 3, 7, 50, 99, 101, 250, 501, 1000, 12_345]


def random_paytable(dice: random.Random) -> dict[str, Any]:
    basis = dice.choice(["to", "for"])

    def odds() -> str:
        denominator = dice.choice([1, 1, 2, 3])
        return f"{dice.randint(1, 9 * denominator) + (denominator if basis == 'for' else 0)}:{denominator}"

    hands = ["straight_flush", "three_of_a_kind", "straight", "flush", "pair", "high_card"]
    caps = {
        "wager": {kind: dice.choice([0, 99, 500, 1000]) for kind in GAME.wager_kinds if dice.random() < 0.3},
        "seat": dice.choice([None, 150, 2999]),
    }
    rules = {
        "dealer_qualifies": dice.choice(["jack_high", "queen_high", "king_high", "ace_high", "pair"]),
        "pair_plus_on_fold": dice.choice(["forfeits", "stays"]),
        "payout_unit": dice.choice([1, 1, 5, 25, 100]),
        "rounding": dice.choice(["down", "up", "exact_only"]),
        "caps": dice.choice([None, caps]),
    }
    odds_of = {wager: {hand: odds() for hand in hands[: dice.randint(3, 6)]} for wager in ("ante_bonus", "pair_plus")}
    kept = {name: value for name, value in rules.items() if dice.random() < 0.9}
    return {"game": "tcp", "name": "random", "version": 1, "basis": basis, "odds": odds_of, "rules": kept}


def random_round(dice: random.Random) -> dict[str, Any]:
    """A legal round; decks of few ranks make straights, pairs and equal hands common."""
    ranks = dice.choice(["23456789TJQKA", "A23456", "JQKA"])
    deck = [card for card in CARDS if card[0] in ranks]
    numbers = dice.sample(range(1, 8), dice.randint(1, min(7, len(deck) // 3 - 1)))
    deck = dice.sample(deck, 3 * (len(numbers) + 1))
    seats = [
        seat(number, "".join(deck.pop() for _ in range(3)), ante=dice.choice(STAKES), pair_plus=dice.choice([0, *STAKES]), folded=dice.random() < 0.2)
        for number in numbers
    ]
    return {"game": "tcp", "id": "R", "dealer": deck, "seats": seats}


def test_the_reference_settler_agrees():
    met: Counter[str] = Counter()
    for number in range(1000):
        dice = random.Random(number)
        raw, facts = random_paytable(dice), random_round(dice)
        paytable: Paytable = GAME.read_paytable(raw)
        deal = GAME.read(facts, paytable)
        canonical = json.loads(paytable.canonical)
        told = f"seed {number}: {json.dumps(facts)} {json.dumps(raw)}"
        try:
            expected = three_card_poker.settle_reference(dict(deal.facts), canonical)
        except ValueError:
            with pytest.raises(InvalidSlip, match="whole number"):
                GAME.settle(deal, paytable)
            met["refused"] += 1
            continue
        dues = GAME.settle(deal, paytable).dues
        assert {(due.seat, due.kind): (due.collect, due.pay) for due in dues if due.stake or due.pay} == expected, told
        met.update(f"{due.kind} {due.result}" for due in dues)
    assert set(met) == {"refused", "ante_bonus win", "pair_plus win", "pair_plus lose"} | {
        f"{kind} {result}" for kind in ("ante", "play") for result in ("win", "push", "lose")
    }
    assert min(met.values()) >= 15, met


def test_results_are_words():
    assert results(played("Qh7d2c", "9h9d2s")) == {"ante": "win", "play": "win", "pair_plus": "win"}
