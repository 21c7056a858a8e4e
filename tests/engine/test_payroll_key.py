"""The Payroll key orders every hand of one to five cards as the rules tell it."""

from __future__ import annotations

import random
from itertools import chain, combinations, combinations_with_replacement, pairwise, permutations
from math import comb

import numpy as np
import pytest

from tables.engine.batch import payroll_keys
from tables.engine.cards import CODES, NO_CARD, card_names
from tables.engine.payroll_key import kickers_of, pair_of, payroll_key
from tables.reference.payroll import payroll_rank


def every_hand():
    """Every choice of ranks of one to five cards, at most four alike, with suits that make the cards different."""
    for size in range(1, 6):
        for ranks in combinations_with_replacement(range(13), size):
            if all(ranks.count(rank) <= 4 for rank in ranks):
                yield [rank * 4 + ranks[:place].count(rank) for place, rank in enumerate(ranks)]


def worth(cards: list[int]) -> tuple[int, list[int]]:
    """The highest pair, -1 without one, then the other cards downwards: a list that runs out first is the lesser in Python too."""
    ranks = [card >> 2 for card in cards]
    pair = max((rank for rank in ranks if ranks.count(rank) > 1), default=-1)
    for _ in range(2 if pair >= 0 else 0):
        ranks.remove(pair)
    return pair, sorted(ranks, reverse=True)


def keyed(text: str) -> int:
    return payroll_key([CODES[name] for name in text.split()])


def test_every_hand_stands_in_the_order_of_the_rules():
    valued = sorted((worth(hand), payroll_key(hand)) for hand in every_hand())
    assert len(valued) == 13 + 91 + 455 + 1820 + 6188 - 13
    keys = [key for _, key in valued]
    assert keys == sorted(set(keys))  # no two choices of ranks are worth the same


def test_a_key_can_be_read_back():
    for hand in every_hand():
        pair, kickers = worth(hand)
        assert (pair_of(payroll_key(hand)), kickers_of(payroll_key(hand))) == (None if pair < 0 else pair, kickers)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("8h 8c 5d", "7h 7c 7d 7s Ah"),  # four alike are one pair
        ("2c 2d", "Ac Kc Qc Jc 9c"),  # any pair beats none, and a flush is nothing
        ("9c 9d 2c", "9h 9s"),  # the hand that runs out first loses
        ("9c 9d 9h 2c", "9s 9d 8c 7c 6c"),  # the third nine is a side card
        ("Ac 2c", "Ad"),
        ("5c 5d 3h 3c 2d", "5h 5s 3d 2s"),
    ],
)
def test_the_better_hand_wins(better, worse):
    assert keyed(better) > keyed(worse)


def test_suits_never_break_a_tie():
    assert keyed("8h 8c 5d") == keyed("5s 8d 8s")


def test_a_second_evaluator_that_shares_nothing_orders_and_ties_every_hand_alike():
    ranked = sorted((payroll_rank(card_names(hand)), payroll_key(hand)) for hand in every_hand())
    assert len({rank for rank, _ in ranked}) == len(ranked) == 8554
    keys = [key for _, key in ranked]
    assert all(low < high for low, high in pairwise(keys))


def test_neither_other_suits_nor_another_order_of_the_cards_changes_a_hand():
    dice = random.Random(8)
    relabellings = list(permutations(range(4)))
    for hand in every_hand():
        key = payroll_key(hand)
        for suits in dice.sample(relabellings, 4):
            other = [card & ~3 | suits[card & 3] for card in dice.sample(hand, len(hand))]
            assert payroll_key(other) == key, (hand, other)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_hand_out_of_a_deck_has_the_key_of_its_ranks(size):
    """All 2,893,163 hands of one to five of 52 cards: the ranks alone decide, and the batch knows no other hands than the one key does."""
    count = comb(52, size)
    dealt = np.fromiter(chain.from_iterable(combinations(range(52), size)), np.uint8, count * size).reshape(count, size)
    cards = np.full((count, 5), NO_CARD, np.uint8)
    cards[:, 5 - size :] = dealt
    of_ranks = np.zeros(13**size, np.int32)
    for hand in every_hand():
        if len(hand) == size:
            of_ranks[sum((card >> 2) * 13**place for place, card in enumerate(sorted(hand)))] = payroll_key(hand)
    ranks = (dealt >> 2).astype(np.int64) @ 13 ** np.arange(size)
    assert (payroll_keys(cards) == of_ranks[ranks]).all()
    assert (of_ranks[ranks] > 0).all()


@pytest.mark.parametrize("count", [0, 6])
def test_another_number_of_cards_is_no_hand(count):
    with pytest.raises(ValueError, match="no hand of Payroll"):
        payroll_key(range(count))


def test_the_batch_gives_the_same_keys():
    dice = np.random.default_rng(4)
    hands = list(every_hand())
    cards = np.full((len(hands), 5), NO_CARD, np.uint8)
    for row, hand in zip(cards, hands, strict=True):
        row[dice.permutation(5)[: len(hand)]] = hand
    assert payroll_keys(cards).tolist() == [payroll_key(hand) for hand in hands]
