"""The full, exact solve of Ultimate Texas Hold'em: every flop that differs, on two processes, to be stopped and taken up again. NumPy.

Not 27,813,810,024,000 showdowns, but 1,755 flops with 1,286,792 boards, and on each the dealer's hands counted once (see `edge_flop`): a
minute on two cores, 150 MB a process. Source: design/performance.md "Exact edges".
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tables.engine.edge_boards import STARTING_HANDS, Flop, flops
from tables.engine.edge_flop import Plan, Whole, tallies_shape, tally_flop
from tables.engine.edge_outcomes import DEALS, Decision, Outcomes, mean, net_of_main

FLOPS_AT_ONCE = 9
"""What a process is given at a time: half a second of work. 195 such portions are all flops."""


@dataclass(frozen=True)
class Progress:
    """A solve on its way: how many of the 1,755 flops are `done`, and their summed `tallies`; `plan` says which solve it is."""

    plan: Plan
    done: int
    tallies: Whole

    @classmethod
    def start(cls, plan: Plan) -> Progress:
        """Return the beginning."""
        return cls(plan, 0, np.zeros(tallies_shape(plan), np.int64))

    @property
    def of(self) -> int:
        """Return how many flops there are."""
        return len(flops())

    def as_json(self) -> dict[str, Any]:
        """Return whole numbers that a job can keep: some 300 KB as text."""
        return {"plan": list(map(_listed, self.plan)), "done": self.done, "tallies": self.tallies.ravel().tolist()}

    @classmethod
    def from_json(cls, plan: Plan, kept: Mapping[str, Any]) -> Progress:
        """Return the progress of `plan` that was `kept`. Raises ValueError if it is another solve's."""
        if kept["plan"] != list(map(_listed, plan)):
            raise ValueError("what was kept is the progress of a solve under other rules")
        return cls(plan, kept["done"], np.array(kept["tallies"], np.int64).reshape(tallies_shape(plan)))


class SolveCancelled(Exception):
    """The solve was told to stop; `progress` is what can be taken up again."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(f"stopped after {progress.done} of {progress.of} flops")
        self.progress = progress


def solve(
    progress: Progress,
    *,
    workers: int = 2,
    report: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Outcomes:
    """Return how rounds end under the best decisions, going on from `progress`.

    `report` is given the progress after every nine flops, some five times a second, and `cancelled` is asked as often. Raises
    SolveCancelled, and ValueError for odds beyond exact sums.
    """
    progress.plan.check()
    with _portions(progress, workers) as portions:
        for count, tallies in portions:
            progress = Progress(progress.plan, progress.done + count, progress.tallies + tallies)
            if report is not None:
                report(progress)
            if cancelled is not None and cancelled():
                raise SolveCancelled(progress)
    return _decide(progress.plan, progress.tallies)


@contextmanager
def _portions(progress: Progress, workers: int) -> Iterator[Iterator[tuple[int, Whole]]]:
    """Give the tallies of the flops that are left, a portion at a time and in order, each with how many flops it has."""
    left = flops()[progress.done :]
    work = [left[start : start + FLOPS_AT_ONCE] for start in range(0, len(left), FLOPS_AT_ONCE)]
    tally = partial(_tally_portion, progress.plan)
    # A worker of a task queue may be a daemon itself, which may have no children.
    if workers < 2 or multiprocessing.current_process().daemon:
        yield map(tally, work)
        return
    # Spawned, not forked: the parent may hold database connections and threads.
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield pool.imap(tally, work)


def _tally_portion(plan: Plan, portion: Sequence[Flop]) -> tuple[int, Whole]:
    return len(portion), np.sum([tally_flop(flop, plan) for flop in portion], axis=0)


def _decide(plan: Plan, tallies: Whole) -> Outcomes:
    """Return the outcomes with the first decision made for each of the 169 starting hands: to play at once, or to go on."""
    odds = [Fraction(row, plan.unit) for row in plan.odds]
    outcomes: dict[Decision, Whole] = {}
    for hand in range(STARTING_HANDS):
        later = dict(zip(plan.decisions, tallies[:, hand], strict=True))
        choices = [*({("preflop", times): tallies[:, hand].sum(axis=0)} for times in plan.preflop), later]
        for decision, counts in max(choices, key=partial(_worth, odds=odds)).items():
            outcomes[decision] = outcomes.get(decision, 0) + counts
    assert sum(int(counts.sum()) for counts in outcomes.values()) == DEALS
    return {decision: counts.tolist() for decision, counts in sorted(outcomes.items())}


def _worth(choice: Outcomes, odds: Sequence[Fraction]) -> Fraction:
    return mean(choice, partial(net_of_main, odds=odds))


def _listed(part: Any) -> Any:
    return list(part) if isinstance(part, tuple) else part
