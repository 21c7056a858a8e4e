"""How many of a dealer's hands are below, level with and above each hand, on many boards of one pattern at once. NumPy.

Cards of one rank differ only by whether they are of the suit in which the board can make a flush. So the other 47 cards of a board are few
*slots*: 13 ranks, or 26 where three of a suit lie on the board (the second 13 of that suit), each with how many cards are left of it; and
1,081 hands are 169 pairs of slots, or 676. Arrays have the boards last, so that each step runs through memory in order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.engine.batch import batch_tables
from tables.engine.hand_tables import RANK_KEYS

DEALERS = 990
"""The hands that a dealer can hold beside a board and one hand."""

Counts = NDArray[np.int16]
Small = NDArray[np.int8]


class Slots(NamedTuple):
    """`strength` of each pair of slots, shape (slots, slots, boards), with the board; `left`: cards in each slot, shape (slots, boards)."""

    strength: Counts
    left: Small


class Dealers(NamedTuple):
    """Of the 990 hands of a dealer beside each pair of slots, those `below` it, `above` it, and too low to qualify (`unqualified`)."""

    below: Counts
    above: Counts
    unqualified: Counts


def slots_of(boards: NDArray[np.integer[Any]], suit: int | None) -> Slots:
    """Return the slots of `boards`, shape (5, boards), that all can make a flush in `suit`, or none where it is None."""
    ranks = np.array(RANK_KEYS)
    total = ranks[boards >> 2].sum(axis=0)
    # A pair of slots with more cards than are left has a sum without meaning; nobody holds it.
    plain = batch_tables().seven.take(ranks[:, None, None] + ranks[None, :, None] + total, mode="wrap")
    left = (4 - np.stack([(boards >> 2 == rank).sum(axis=0) for rank in range(13)])).astype(np.int8)
    if suit is None:
        return Slots(plain, left)
    on_board = ((boards & 3 == suit) << (boards >> 2)).sum(axis=0)
    bits = np.concatenate([np.zeros(13, np.int64), 1 << np.arange(13)])
    flush = batch_tables().flush.take(bits[:, None, None] | bits[None, :, None] | on_board)
    suited = (1 - (on_board >> np.arange(13)[:, None] & 1)).astype(np.int8)
    return Slots(np.maximum(np.tile(plain, (2, 2, 1)), flush), np.concatenate([left - suited, suited]))


def slot_of(cards: NDArray[np.integer[Any]], suit: int | None) -> NDArray[np.integer[Any]]:
    """Return the slot of each of `cards`."""
    return cards >> 2 if suit is None else (cards >> 2) + 13 * (cards & 3 == suit)


def count_dealers(slots: Slots, qualifying: int) -> Dealers:
    """Return the dealer's hands for each pair of slots, shape (slots, slots, boards); those from strength `qualifying` on qualify."""
    every = _of_all_hands(slots, qualifying)
    sharing = _of_hands_with_one_card(slots, qualifying)
    below, above, unqualified = (count - one - one.transpose(1, 0, 2) for count, one in zip(every, sharing, strict=True))
    # The hand itself was taken out twice, once with each card; it is neither below nor above itself, but may not qualify.
    return Dealers(below, above, unqualified + (slots.strength < qualifying))


def _of_hands_with_one_card(slots: Slots, qualifying: int) -> tuple[Small, Small, Small]:
    """Return, for the pairs (i, j), the hands with a given card of slot i that are below, above, and too low to qualify."""
    strength, left = slots
    below, above, unqualified = (np.zeros(strength.shape, np.int8) for _ in range(3))
    for other in range(len(left)):
        hands = np.repeat(left[None, other], len(left), axis=0)
        hands[other] = np.maximum(hands[other] - 1, 0)
        hand, hands = strength[:, None, other], hands[:, None]
        below += (hand < strength) * hands
        above += (hand > strength) * hands
        unqualified += (hand < qualifying) * hands
    return below, above, unqualified


_PLACE_BITS = 10


def _of_all_hands(slots: Slots, qualifying: int) -> tuple[Counts, Counts, Counts]:
    """Return, for the pairs (i, j), how many of the board's 1,081 hands are below, above, and (the same for all) too low to qualify."""
    strength, left = slots
    first, second = np.triu_indices(len(left))
    hands = np.where((first == second)[:, None], left[first] * (left[first] - 1) // 2, left[first] * left[second]).astype(np.int16).T
    pairs = strength[first, second].T
    ordered = np.sort(pairs.astype(np.int32) << _PLACE_BITS | np.arange(len(first)), axis=1)
    place, value = ordered & (1 << _PLACE_BITS) - 1, ordered >> _PLACE_BITS
    counted = np.take_along_axis(hands, place, axis=1)
    up_to = np.cumsum(counted, axis=1, dtype=np.int16)
    step = value[:, 1:] != value[:, :-1]
    edge = np.ones((len(value), 1), np.bool_)
    below = np.maximum.accumulate(np.where(np.hstack([edge, step]), up_to - counted, 0), axis=1)
    level = np.minimum.accumulate(np.where(np.hstack([step, edge]), up_to, up_to[:, -1:])[:, ::-1], axis=1)[:, ::-1]
    found = np.empty((2, *hands.shape), np.int16)
    np.put_along_axis(found[0], place, below, axis=1)
    np.put_along_axis(found[1], place, up_to[:, -1:] - level, axis=1)
    square = np.empty((len(left), len(left)), np.int64)
    square[first, second] = square[second, first] = np.arange(len(first))
    unqualified = (hands * (pairs < qualifying)).sum(axis=1, dtype=np.int16)
    return found[0].T[square], found[1].T[square], unqualified[None, None]
