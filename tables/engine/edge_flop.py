"""One flop of Ultimate Texas Hold'em, played out: every hand, every turn and river, every dealer, with the best decision at each step. NumPy.

The river's decision falls out of the dealers counted below and above; summed by hand over turns and rivers, the flop's does. What is given
back is counted, not paid: how many times each decision ended in each class of hand and each outcome, for each of the 169 starting hands, so
that the first decision, and every moment and every bet that hangs on the play, can still be worked out. All sums are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.engine.batch import class_of_strength
from tables.engine.edge_boards import STARTING_HANDS, Flop, Pairs, pairs_beside
from tables.engine.edge_showdown import DEALERS, Counts, count_dealers, slot_of, slots_of
from tables.engine.poker import CLASSES

OUTCOMES = ("win", "win_unqualified", "tie", "lose", "lose_unqualified")
"""Against a dealer who qualifies, or does not; ties of either kind are one."""

Whole = NDArray[np.int64]

_MOST_BOARDS = 6 * 1176
"""Turns and rivers that are summed over for one orbit of pairs."""


class Plan(NamedTuple):
    """The rules that decisions hang on.

    Blind `odds` by class of hand, in parts of `unit`; the lowest strength of a `qualifying` dealer; the multiples of the ante that may be
    played on each street.
    """

    odds: tuple[int, ...]
    unit: int
    qualifying: int
    preflop: tuple[int, ...]
    flop: tuple[int, ...]
    river: tuple[int, ...]

    def check(self) -> None:
        """Raise ValueError where sums could pass 64 bits: odds that no house offers."""
        most = max(self.odds) + (max((2, *self.preflop, *self.flop, *self.river)) + 2) * self.unit
        if most * DEALERS * _MOST_BOARDS >= 2**63:
            raise ValueError("these blind odds are too large, or too fine, to be summed exactly")

    @property
    def decisions(self) -> tuple[tuple[str, int], ...]:
        """Return the decisions after the first: (street, multiple), folding being ("river", 0), the last."""
        return (*(("flop", times) for times in self.flop), *(("river", times) for times in self.river), ("river", 0))


def tallies_shape(plan: Plan) -> tuple[int, int, int, int]:
    """Return the shape of tallies: decisions after the first, starting hands, classes of hands, outcomes."""
    return len(plan.decisions), STARTING_HANDS, len(CLASSES), len(OUTCOMES)


class _Boards(NamedTuple):
    """Boards of one pattern.

    By pair of slots, shape (pairs of slots, boards): `show`, what ante and blind bring at a showdown, and `play`, what one ante more
    brings, both summed over dealers; `river`, the value of the river's best decision, and its number `chosen`; `hand`, the class; `ends`,
    the dealers by outcome, with the outcomes first. By pair of cards: its pair of `slots`, and `weight`, shape (pairs, boards), 0 where the
    cards clash with the turn or river.
    """

    show: Whole
    play: Whole
    river: Whole
    chosen: NDArray[np.uint8]
    hand: NDArray[np.uint8]
    ends: Counts
    slots: NDArray[np.integer[Any]]
    weight: Whole


def tally_flop(flop: Flop, plan: Plan) -> Whole:
    """Return the tallies of `flop`, times its weight, shape `tallies_shape(plan)`."""
    pairs = pairs_beside(flop.cards)
    boards = [_play_river(plan, pairs, *part) for part in _parts(flop.cards, pairs)]
    played = _flop_decisions(plan, pairs, boards)
    total = np.zeros(np.prod(tallies_shape(plan)), np.int64)
    for part in boards:
        total += _tally(plan, pairs, part, played)
    return total.reshape(tallies_shape(plan)) * flop.weight


def _parts(flop: tuple[int, int, int], pairs: Pairs) -> Iterator[tuple[Whole, Whole, int | None]]:
    """Yield the turns and rivers in parts with the same flush suit, or none: boards of shape (5, boards), their weights, the suit."""
    boards = np.concatenate([np.repeat([flop], len(pairs.first), axis=0), pairs.first], axis=1).T
    suited = np.stack([(boards & 3 == suit).sum(axis=0) for suit in range(4)])
    for suit in (None, 0, 1, 2, 3):
        part = np.flatnonzero(suited.max(axis=0) < 3 if suit is None else suited[suit] >= 3)
        if len(part):
            yield boards[:, part], pairs.size[part], suit


def _play_river(plan: Plan, pairs: Pairs, boards: Whole, sizes: Whole, suit: int | None) -> _Boards:
    slots = slots_of(boards, suit)
    hand = class_of_strength().take(slots.strength)
    ends = _ends(slots.strength >= plan.qualifying, *count_dealers(slots, plan.qualifying))
    won, lost = (ends[0] + ends[1]).astype(np.int64), (ends[3] + ends[4]).astype(np.int64)
    show = won * np.array(plan.odds).take(hand) + (ends[0] - ends[3] - lost) * plan.unit
    play = (won - lost) * plan.unit
    river, chosen = _best([*(show + times * play for times in plan.river), np.full_like(show, -2 * DEALERS * plan.unit)])
    first, second = slot_of(pairs.cards, suit).T
    flat = (len(slots.left) ** 2, boards.shape[1])
    return _Boards(
        show=show.reshape(flat),
        play=play.reshape(flat),
        river=river.reshape(flat),
        chosen=chosen.reshape(flat),
        hand=hand.reshape(flat),
        ends=ends.reshape(len(OUTCOMES), *flat),
        slots=first * len(slots.left) + second,
        weight=np.where(_bits(pairs.cards.T)[:, None] & _bits(boards[3:]), 0, sizes),
    )


def _best(values: list[Whole]) -> tuple[Whole, NDArray[np.uint8]]:
    """Return the greatest of `values` in each place, and its number: of equal ones the first, so a hand that could as well fold plays."""
    best, number = values[0], np.zeros(values[0].shape, np.uint8)
    for other, value in enumerate(values[1:], start=1):
        number[value > best] = other
        best = np.maximum(best, value)
    return best, number


def _bits(cards: NDArray[np.integer[Any]]) -> Whole:
    """Return each two of `cards`, shape (2, n), as one mask of 52 bits."""
    masks: Whole = np.left_shift(1, cards[0]) | np.left_shift(1, cards[1])
    return masks


def _ends(high: NDArray[np.bool_], below: Counts, above: Counts, unqualified: Counts) -> Counts:
    """Return the dealers by outcome, shape (outcomes, ...). A `high` hand would qualify, so it is above every dealer who does not."""
    win_unqualified = np.where(high, unqualified, below)
    lose = np.where(high, above, DEALERS - unqualified)
    return np.stack([below - win_unqualified, win_unqualified, DEALERS - below - above, lose, above - lose])


def _flop_decisions(plan: Plan, pairs: Pairs, boards: list[_Boards]) -> Whole:
    """Return the number of the multiple that each pair plays on the flop, len(plan.flop) where it checks."""
    show, play, river = (_by_orbit(pairs, [(getattr(part, name), part) for part in boards]) for name in ("show", "play", "river"))
    return _best([*(show + times * play for times in plan.flop), river])[1].astype(np.int64)[pairs.orbit]


def _by_orbit(pairs: Pairs, parts: list[tuple[Whole, _Boards]]) -> Whole:
    """Return the sum of a value over boards, for each orbit of pairs: the weights of boards hold for an orbit, not for one pair of it."""
    total = np.zeros(len(pairs.size), np.int64)
    for value, part in parts:
        np.add.at(total, pairs.orbit, np.einsum("pb,pb->p", value[part.slots], part.weight))
    return total


def _tally(plan: Plan, pairs: Pairs, part: _Boards, played: Whole) -> Whole:
    """Return the tallies of one part, flat; `played` is each pair's decision on the flop."""
    checked = len(plan.flop)
    kind = (part.slots * STARTING_HANDS + pairs.starting) * (checked + 1) + played
    kinds, first, of_kind = np.unique(kind, return_index=True, return_inverse=True)
    order = np.argsort(of_kind, kind="stable")
    starts = np.searchsorted(of_kind[order], np.arange(len(kinds)))
    weight = np.add.reduceat(part.weight[order], starts, axis=0)
    slots, played = part.slots[first], played[first][:, None]
    decision = np.where(played < checked, played, checked + part.chosen[slots].astype(np.int64))
    cell = (decision * STARTING_HANDS + pairs.starting[first][:, None]) * len(CLASSES) + part.hand[slots]
    total = np.empty((len(plan.decisions) * STARTING_HANDS * len(CLASSES), len(OUTCOMES)), np.int64)
    for outcome, ends in enumerate(part.ends):
        # Sums of floats are exact here: a cell holds less than 2^24 outcomes.
        total[:, outcome] = np.bincount(cell.ravel(), (ends[slots] * weight).ravel(), minlength=len(total))
    return total.ravel()
