"""How fast this machine is beside the one of design/performance.md, so that its absolute goals can be judged here.

The yardstick is the peers' own figures in the page's first table, measured again: one hand of seven names, by packages that are pinned and
are not ours. Their median, so that no single one decides.
"""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ProcessPoolExecutor

from bench.cards import deal
from bench.peers import peers
from tables.engine.cards import NAMES

TABLED = {"phevaluator": 4.26, "eval7": 4.4, "treys": 16.7, "pokerkit": 395.0}
"""Microseconds a hand from names, as the page has them."""

_SECONDS = 0.1
"""Of each peer, three times."""


def pace(processes: int = 1) -> float | None:
    """Return how many times longer this machine takes than the page's now, by the median of the peers; None where none is installed.

    Measured each time, right beside what is judged by it: a machine that is shared with others is twice as fast a minute later.
    `processes`: so many measure at once, for what works in so many: two processors that share a core are not two.
    """
    if processes == 1:
        taken = [_measured()]
    else:
        with ProcessPoolExecutor(processes) as pool:
            taken = [found.result() for found in [pool.submit(_measured) for _ in range(processes)]]
    ratios = [statistics.median(one) for one in taken if one]
    return statistics.fmean(ratios) if ratios else None


def _measured() -> list[float]:
    """Return how many times longer each installed peer takes here."""
    hands = [[NAMES[card] for card in hand] for hand in deal(2000, 7).T.tolist()]
    taken = []
    for name, evaluate in peers().items():
        if evaluate is None:
            continue
        best = float("inf")
        for _ in range(3):
            count, begun = 0, time.process_time()
            while (spent := time.process_time() - begun) < _SECONDS:
                evaluate(hands[count % len(hands)])
                count += 1
            best = min(best, spent / count * 1e6)
        taken.append(best / TABLED[name])
    return taken
