"""How sure each figure is, and since when: estimate, counted, final. Pure. Source: spec/night.md, "Life of a table", 6.

A figure is counted when every count that it is made from is in; what is played is, once the closer is counted and nothing more is dealt.
All of them are final with the second signature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from casino.words import gettext_noop

Grade = Literal["estimate", "counted", "final"]

SOURCES: Mapping[str, tuple[str, ...]] = {
    "opener": ("opener",),
    "played": ("closer",),
    "expected_closer": ("opener", "closer"),
    "closer": ("closer",),
    "tray_variance": ("opener", "closer"),
    "drop": ("drop",),
    "drop_variance": ("drop", "closer"),
    "win_by_count": ("opener", "closer", "drop"),
}
"""The counts that a figure waits for. "played": rounds, handle, collected, paid, win by play, payout variance, theoretical win."""
LABELS: Mapping[str, str] = {
    "opener": gettext_noop("Opener"),
    "played": gettext_noop("Play"),
    "expected_closer": gettext_noop("Expected closer"),
    "closer": gettext_noop("Closer"),
    "tray_variance": gettext_noop("Tray variance"),
    "drop": gettext_noop("Drop"),
    "drop_variance": gettext_noop("Drop variance"),
    "win_by_count": gettext_noop("Win by count"),
}


@dataclass(frozen=True)
class Graded:
    """A figure's grade, and the moment it is as of: of the last count that it is made from, or of the reconciliation while one is missing."""

    figure: str
    grade: Grade
    as_of: datetime

    @property
    def label(self) -> str:
        """Return what the figure is called."""
        return LABELS[self.figure]


def grade_figures(counted_at: Mapping[str, datetime], *, reconciled_at: datetime, signed_at: datetime | None) -> list[Graded]:
    """Return the grade of every figure of a session; `counted_at`: when "opener", "closer" and "drop" were counted, as far as they were."""
    return [_grade(figure, sources, counted_at, reconciled_at, signed_at) for figure, sources in SOURCES.items()]


def _grade(figure: str, sources: tuple[str, ...], counted_at: Mapping[str, datetime], reconciled_at: datetime, signed_at: datetime | None) -> Graded:
    if signed_at is not None:
        return Graded(figure, "final", signed_at)
    moments = [counted_at[source] for source in sources if source in counted_at]
    if len(moments) < len(sources):
        return Graded(figure, "estimate", reconciled_at)
    return Graded(figure, "counted", max(moments))


def weakest(graded: list[Graded]) -> Grade:
    """Return the grade of them all together: the weakest one."""
    order: tuple[Grade, ...] = ("estimate", "counted", "final")
    return min((one.grade for one in graded), key=order.index, default="estimate")
