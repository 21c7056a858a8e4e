"""Intervals beside what happened, a line a subject: drawn as plain lines of an SVG, and said in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from audit.models import StatisticResult

WIDTH, ROW, LEFT, RIGHT, TOP = 900, 24, 190, 40, 22


@dataclass(frozen=True)
class Bar:
    """One subject: where its interval lies, what was expected, and what happened; places in the SVG."""

    label: str
    y: int
    low: float
    high: float
    expected: float | None
    dot: float
    flagged: bool
    said: str


@dataclass(frozen=True)
class IntervalChart:
    """The bars on one axis from `least` to `most`; `zero` is its place where it is among them."""

    bars: Sequence[Bar]
    height: int
    zero: float | None
    least: str
    most: str
    said: str


def interval_chart(results: Sequence[StatisticResult], write: Callable[[int], str], label: Callable[[StatisticResult], str]) -> IntervalChart | None:
    """Return the chart of `results` that have an interval, None where there is none; `write` says a value for a person."""
    shown = [result for result in results if result.low is not None and result.high is not None]
    if not shown:
        return None
    values = [value for result in shown for value in (result.low or 0, result.high or 0, result.value)]
    least, most = min(values), max(values)

    def across(value: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (value - least) / ((most - least) or 1), 1)

    bars = [_bar(result, TOP + ROW * index + ROW // 2, across, write, label(result)) for index, result in enumerate(shown)]
    flagged = sum(result.flagged for result in shown)
    zero = across(0) if least <= 0 <= most else None
    return IntervalChart(bars, TOP + ROW * len(bars) + 8, zero, write(least), write(most), f"{len(bars)} compared, {flagged} flagged.")


def _bar(result: StatisticResult, y: int, across: Callable[[int], float], write: Callable[[int], str], label: str) -> Bar:
    low, high = result.low or 0, result.high or 0
    said = f"{label}: {write(result.value)}; from {write(low)} to {write(high)}"
    expected = None if result.expected is None else across(result.expected)
    return Bar(label, y, across(low), across(high), expected, across(result.value), result.flagged, said)
