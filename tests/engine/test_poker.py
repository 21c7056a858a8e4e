"""The hand evaluator: every hand of five is counted, and an independent evaluator of twenty-one choices agrees on hands of seven."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from tables.engine import poker
from tables.engine.cards import CODES, NAMES

FIVE_CARD_HANDS = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4]

hands_of_seven = st.lists(st.integers(0, 51), min_size=7, max_size=7, unique=True)


def cards(text: str) -> list[int]:
    return [CODES[name] for name in text.split()]


def value_of_five(hand: tuple[int, ...]) -> tuple[int, list[tuple[int, int]] | int]:
    """A hand's worth, from the rules as they are told: its class, then its ranks, larger groups first."""
    counts = Counter(card >> 2 for card in hand)
    groups = sorted(((count, rank) for rank, count in counts.items()), reverse=True)
    flush = len({card & 3 for card in hand}) == 1
    ranks = sorted(counts)
    straight = len(ranks) == 5 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
    top = 3 if ranks == [0, 1, 2, 3, 12] else ranks[-1]
    if straight:
        return (9 if top == 12 else 8, top) if flush else (4, top)
    pattern = tuple(count for count, _ in groups)
    number = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(pattern, 5 if flush else 0)
    return number, groups


def value_of_seven(hand: list[int]) -> tuple[int, list[tuple[int, int]] | int]:
    return max((value_of_five(five) for five in combinations(hand, 5)), key=lambda value: (value[0], value[1]))


def sample(count: int, seed: int) -> list[list[int]]:
    dice = random.Random(seed)
    return [dice.sample(range(52), 7) for _ in range(count)]


def test_every_hand_of_five_has_one_of_7462_strengths():
    counted = Counter(map(poker.strength, combinations(range(52), 5)))
    assert sorted(counted) == list(range(7462)) == list(range(poker.STRENGTHS))
    classes = Counter()
    for strength, count in counted.items():
        classes[poker.hand_class(strength)] += count
    assert [classes[name] for name in poker.CLASSES] == FIVE_CARD_HANDS


def test_order_and_ties_are_those_of_brute_force():
    valued = sorted((poker.strength(hand), value_of_seven(hand)) for hand in sample(6000, seed=1))
    for (lower, low), (higher, high) in pairwise(valued):
        assert (lower < higher) == (low < high)
        assert (lower == higher) == (low == high)
        assert poker.class_number(lower) == low[0]


def test_order_and_ties_are_those_of_phevaluator():
    hands = sample(60_000, seed=2)
    for one, other in zip(hands[::2], hands[1::2], strict=True):
        ours = poker.strength(one) - poker.strength(other)
        theirs = evaluate_cards(*other) - evaluate_cards(*one)  # its best rank is 1
        assert (ours > 0, ours == 0) == (theirs > 0, theirs == 0)


@given(hands_of_seven, st.permutations(range(4)), st.randoms())
def test_neither_suits_names_nor_order_matter(hand, suits, dice):
    renamed = [card & ~3 | suits[card & 3] for card in hand]
    dice.shuffle(renamed)
    assert poker.strength(renamed) == poker.strength(hand)


@given(hands_of_seven)
def test_names_are_as_good_as_numbers(hand):
    assert poker.strength_of_names([NAMES[card] for card in hand]) == poker.strength(hand)


@pytest.mark.parametrize(
    ("hand", "name", "words"),
    [
        ("As Ks Qs Js Ts 2c 3d", "royal_flush", "Royal flush"),
        ("9h Th Jh Qh Kh 2c 3d", "straight_flush", "Straight flush, king high"),
        ("As 2s 3s 4s 5s 6c 7d", "straight_flush", "Straight flush, five high"),
        ("6s 6h 6d 6c 2s 2h 2d", "four_of_a_kind", "Four of a kind, sixes"),
        ("9s 9h 9d 2c 2s 2h Ad", "full_house", "Full house, nines over twos"),
        ("2h 7h 9h Ah 3h Kd 4c", "flush", "Flush, ace high"),
        ("Ts 9d 8c 7h 6s Ac Ad", "straight", "Straight, ten high"),
        ("2d 3c 4h Kd 9s As 5s", "straight", "Straight, five high"),
        ("6s 6h 6d Ac 9s 2h 3d", "three_of_a_kind", "Three of a kind, sixes"),
        ("As Ad 9s 9d Qh 2h Jc", "two_pair", "Two pair, aces and nines"),
        ("9s 9d Kc 7d 2h Jc Qh", "pair", "Pair of nines"),
        ("Kd 9s 7h 4c 2d Qs Jd", "high_card", "King high"),
        ("2d 3c 4h Ks Ah 9s 7d", "high_card", "Ace high"),  # no straight goes round the corner (bugs.md B003)
    ],
)
def test_a_hand_has_a_class_and_words(hand, name, words):
    strength = poker.strength(cards(hand))
    assert (poker.hand_class(strength), poker.words(strength)) == (name, words)


@pytest.mark.parametrize(
    ("better", "worse", "board"),
    [
        ("6s 5h", "As 5d", "2d 3c 4h Kd 9s"),  # B001: six high over five high
        ("Ts Th", "9s 9d", "2s 3s 2h 3h 3d"),  # B007: threes full of tens
        ("5h 5s", "2h 2s", "6c 6d Kh 9s 3c"),  # B008: the second pair
        ("8h Ks", "4d Qs", "9c 7s 5h 5s 3c"),  # B010: the kicker
        ("5h 2s", "3h 2d", "Ah Kh Jh 4h 9c"),  # B022: the fifth card of a flush
        ("Qh Qd", "Ks 9s", "Td Tc 4h 4s 2c"),  # B024: a pair in the hand
    ],
)
def test_the_better_hand_wins(better, worse, board):
    assert poker.strength(cards(f"{better} {board}")) > poker.strength(cards(f"{worse} {board}"))


@pytest.mark.parametrize(
    ("one", "other", "board"),
    [
        ("Ah 8h", "As Qc", "Jd 7h Jc Kh Ks"),  # B011: a sixth card breaks no tie
        ("Qc 5h", "5d Jd", "9c Kh Kd 9s Ah"),  # B012
        ("Ah Kd", "2h 2d", "4c 5d 6h 7s 8c"),  # B015: the board's straight
    ],
)
def test_equal_hands_tie(one, other, board):
    assert poker.strength(cards(f"{one} {board}")) == poker.strength(cards(f"{other} {board}"))


@pytest.mark.parametrize("count", [0, 1, 4, 6, 8])
def test_another_number_of_cards_is_refused(count):
    with pytest.raises(ValueError):
        poker.strength(range(count))
