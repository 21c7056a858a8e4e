"""One line of the page: a figure, its peer's, their ratio, the goal and whether it is met; and how figures are taken."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bench.pace import pace

Work = Callable[[], Any]


@dataclass(frozen=True)
class Line:
    """What was measured. `figure` in `unit`; `peer`'s figure beside it, None where it is not installed or there is none.

    `goal`: as design/performance.md "Asked of Pitbook" says it, "" where nothing is asked; `met`: None where nothing is. `at_pace`: what the
    figure comes to on the page's machine, and `met_at_pace` whether that meets the goal; None where the goal is no absolute figure.
    """

    what: str
    figure: float
    unit: str
    peer: str = ""
    peer_figure: float | None = None
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None
    at_pace: float | None = None
    met_at_pace: bool | None = None

    def __str__(self) -> str:
        """Return the line as the page shows it."""
        beside = "" if not self.peer else f"{self.peer} {'not installed' if self.peer_figure is None else shown(self.peer_figure)}"
        ratio = "" if self.ratio is None else f"{self.ratio:.1f}×"
        met = "" if self.met is None else "met" if self.met else "NOT MET"
        if self.met is False and self.at_pace is not None:
            met = f"not met here; at the page's pace {shown(self.at_pace)}: {'met' if self.met_at_pace else 'NOT MET'}"
        return f"  {self.what:<50} {shown(self.figure):>11} {self.unit:<10} {beside:<34} {ratio:>8}  {self.goal:<28} {met}".rstrip()


def least(what: str, figure: float, unit: str, asked: float, goal: str, *, processes: int = 1) -> Line:
    """Return the line of a speed of which at least `asked` is asked on the page's machine, of what works in so many processes."""
    return _judged(what, figure, unit, goal, lambda reached: reached >= asked, lambda slower: figure * slower, processes)


def most(what: str, figure: float, unit: str, asked: float, goal: str, *, processes: int = 1, **known: Any) -> Line:
    """Return the line of a time of which less than `asked` is asked on the page's machine, of what works in so many processes.

    `known`: as `_judged` takes it.
    """
    return _judged(what, figure, unit, goal, lambda taken: taken < asked, lambda slower: figure / slower, processes, **known)


def _judged(
    what: str,
    figure: float,
    unit: str,
    goal: str,
    meets: Callable[[float], bool],
    there: Callable[[float], float],
    processes: int,
    *,
    slower: float | None = None,
    beside: tuple[str, float] = ("", 0.0),
) -> Line:
    """Return the line of `figure`, judged as it is and as it would be `there`.

    `slower`: how many times longer this machine takes for such work, by a yardstick of the page that is shown `beside`; by the peers'
    without one.
    """
    pace_here = pace(processes) if slower is None else slower
    reckoned = None if pace_here is None else there(pace_here)
    name, measured = beside
    met_there = reckoned is not None and meets(reckoned)
    return Line(what, figure, unit, name, measured if name else None, goal=goal, met=meets(figure), at_pace=reckoned, met_at_pace=met_there)


def shown(figure: float) -> str:
    """Return "12,345" or "1.23"."""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.3g}" if figure < 1 else f"{figure:.2f}"


def interleaved(works: Mapping[str, Work], *, times: int = 5, clock: Callable[[], float] = time.process_time) -> dict[str, float]:
    """Return the median seconds of each of `works`, all run in turn `times` times after one to warm up, so that drift meets them alike.

    Seconds of one processor, all threads together: what others do on the machine counts less.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(times + 1):
        for name, work in works.items():
            start = clock()
            work()
            if turn:
                taken[name].append(clock() - start)
    return {name: statistics.median(found) for name, found in taken.items()}


def page(title: str, lines: list[Line]) -> None:
    """Print a section."""
    sys.stdout.write("\n".join([title, *map(str, lines), "", ""]))
    sys.stdout.flush()
