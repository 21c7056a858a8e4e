"""Hands by the million: all 133,784,560 are counted, and a second evaluator without tables agrees on each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
import pytest

from tables.engine import batch, bit_planes, poker


def every_hand_of_seven() -> Iterator[np.ndarray]:
    """Yield all hands, by their two lowest cards: shape (hands, 7)."""
    others = np.array(list(combinations(range(2, 52), 5)), np.uint8).T
    for first in range(46):
        for second in range(first + 1, 47):
            # The choices of five are in order, so those above the second card stand at the end.
            rest = others[:, others.shape[1] - comb(51 - second, 5) :]
            lowest = np.empty((2, rest.shape[1]), np.uint8)
            lowest[0], lowest[1] = first, second
            yield np.concatenate([lowest, rest]).T


def deal(hands: int, seed: int) -> np.ndarray:
    """Return hands of seven different cards, shape (hands, 7)."""
    order = np.random.default_rng(seed).random((hands, 52), dtype=np.float32)
    return np.argpartition(order, 7, axis=1)[:, :7].astype(np.uint8)


@pytest.mark.slow
def test_all_133784560_hands_fall_into_the_ten_classes():
    counted = np.zeros(poker.STRENGTHS, np.int64)
    for hands in every_hand_of_seven():
        counted += np.bincount(batch.strengths(hands), minlength=poker.STRENGTHS)
    assert counted.sum() == comb(52, 7) == 133_784_560
    assert np.count_nonzero(counted) == 4824
    by_class = np.bincount(batch.class_of_strength(), counted, minlength=10).astype(np.int64)
    assert tuple(by_class.tolist()) == poker.SEVEN_CARD_HANDS


def test_the_batch_equals_the_single_face():
    hands = deal(50_000, seed=5)
    assert batch.strengths(hands).tolist() == [poker.strength(hand) for hand in hands.tolist()]
    assert [poker.class_number(strength) for strength in range(poker.STRENGTHS)] == batch.class_of_strength().tolist()


@pytest.mark.parametrize("layout", ["C", "F"])
def test_neither_layout_nor_chunks_matter(layout, monkeypatch):
    hands = deal(1000, seed=6)
    whole = batch.strengths(hands)
    monkeypatch.setattr(batch, "CHUNK", 77)
    assert (batch.strengths(np.asarray(hands, order=layout)) == whole).all()
    assert len(batch.strengths(hands[:0])) == 0


def test_the_second_evaluator_agrees():
    hands = deal(400_000, seed=7)
    check_values(batch.strengths(hands), bit_planes.values(hands), np.full(poker.STRENGTHS, -1))


@pytest.mark.slow
def test_the_second_evaluator_agrees_on_every_hand():
    value_of = np.full(poker.STRENGTHS, -1)
    for hands in every_hand_of_seven():
        for start in range(0, len(hands), batch.CHUNK):
            part = hands[start : start + batch.CHUNK]
            check_values(batch.strengths(part), bit_planes.values(part), value_of)
    assert np.count_nonzero(value_of >= 0) == 4824


def check_values(strengths: np.ndarray, values: np.ndarray, value_of: np.ndarray) -> None:
    """Every strength has one value, in the same order; `value_of` keeps what was found, -1 where nothing was."""
    new = value_of[strengths] < 0
    value_of[strengths[new]] = values[new]
    assert (value_of[strengths] == values).all()
    assert (batch.class_of_strength()[strengths] == values >> 26).all()
    found = value_of[value_of >= 0]
    assert (np.diff(found) > 0).all()
