"""Which variances want an explanation, and how far each one goes. Pure. Source: spec/night.md, "Life of a table", 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from casino.words import gettext_noop

Level = Literal["explain", "report", "notify"]
FIGURES: Mapping[str, str] = {"tray": "tray_variance", "drop": "drop_variance", "books": "book_variance"}
"""The variances of a session, each with its figure in the reconciliation's line."""
NO_DAYS: Mapping[int, int | None] = {}
WORDS: Mapping[Level, str] = {
    "explain": gettext_noop("to be explained"),
    "report": gettext_noop("in the signed report"),
    "notify": gettext_noop("goes to the regulator"),
}


class Tolerances(Protocol):
    """From how many minor units on a variance is explained, stands in a signed report, goes to the regulator. A property is one."""

    @property
    def explain_over(self) -> int:
        """Return from how many minor units on a variance is explained."""

    @property
    def report_over(self) -> int:
        """Return from how many on it stands in a signed report."""

    @property
    def notify_over(self) -> int:
        """Return from how many on it goes to the regulator."""


class Line(Protocol):
    """A session's line of a reconciliation."""

    session_id: int
    tray_variance: int | None
    drop_variance: int | None
    book_variance: int


@dataclass(frozen=True)
class Variance:
    """One variance beyond tolerance: of which session (its key), which figure, minor units from the house's side, and how far it goes."""

    session: int
    figure: str
    amount: int
    level: Level


def level_of(amount: int, tolerances: Tolerances) -> Level | None:
    """Return how far a variance of `amount` minor units goes, None within tolerance; a variance of zero is none."""
    if not amount or abs(amount) < tolerances.explain_over:
        return None
    if abs(amount) >= tolerances.notify_over:
        return "notify"
    return "report" if abs(amount) >= tolerances.report_over else "explain"


def figure_of(line: Line, figure: str, days: Mapping[int, int | None]) -> int | None:
    """Return the variance `figure` of `line`; that of a box which is pulled once a gaming day (`days`, by session) is its session's."""
    if figure == "drop" and line.session_id in days:
        return days[line.session_id]
    found: int | None = getattr(line, FIGURES[figure])
    return found


def beyond_tolerance(lines: Iterable[Line], tolerances: Tolerances, days: Mapping[int, int | None] = NO_DAYS) -> list[Variance]:
    """Return every variance of `lines` that wants an explanation, in their order. `days`: the drop variance of a gaming day's box, by session."""
    found = []
    for line in lines:
        for figure in FIGURES:
            amount = figure_of(line, figure, days) or 0
            if (level := level_of(amount, tolerances)) is not None:
                found.append(Variance(line.session_id, figure, amount, level))
    return found
