"""What each bet of a paytable is worth, exactly. The values, and the two questions that any game can be asked.

A game answers by a module `tables.engine.edge_<code>` that fulfils `EdgeFace`; a game without one has no odds, and at most a rake. Edges are
those of the odds: rounding and caps, which hang on the stakes, are left out. Source: spec/rounds.md "Paytable versions".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol

from tables.engine.faces import face
from tables.engine.paytable import Paytable

Method = Literal["count", "linear", "solve"]
"""By class counts alone; by the counts of the best play that is known for these rules; by working the best play out."""

_DIGITS = 10


@dataclass(frozen=True)
class BetEdge:
    """One bet, or bets that are played together. All figures are of one `basis`: the stake of this name.

    `ev`: what the patron gains in the mean; `variance`: of that gain; `hit_frequency`: how often the bet wins; `mean_wager`: what is staked
    on all of the bets together. None where a figure says nothing of the bet.
    """

    basis: str
    method: Method
    ev: Fraction
    variance: Fraction
    hit_frequency: Fraction | None = None
    mean_wager: Fraction | None = None

    @property
    def edge(self) -> Fraction:
        """Return the house's part of the basis."""
        return -self.ev

    @property
    def sd(self) -> float:
        """Return the standard deviation of a patron's gain."""
        return math.sqrt(self.variance)

    @property
    def element_of_risk(self) -> Fraction | None:
        """Return the house's part of all that is staked."""
        return None if self.mean_wager is None else self.edge / self.mean_wager

    def as_json(self) -> dict[str, Any]:
        """Return the object of spec/rounds.md; fractions as text, figures for people to ten digits."""
        figures = {
            "edge_percent": self.edge * 100,
            "hit_frequency": self.hit_frequency,
            "element_of_risk_percent": None if self.element_of_risk is None else self.element_of_risk * 100,
            "mean_wager": self.mean_wager,
            "sd": self.sd,
        }
        shown = {name: round(float(figure), _DIGITS) for name, figure in figures.items() if figure is not None}
        return {"ev": str(self.ev), "basis": self.basis, **shown, "method": self.method, "exact": True}


@dataclass(frozen=True)
class Edges:
    """Every bet of a paytable by name. `unsolved`: those that only the full solve can tell. `rake`: the rules of it, where there is one."""

    paytable: Paytable
    bets: Mapping[str, BetEdge]
    unsolved: tuple[str, ...] = ()
    rake: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the object of spec/rounds.md; bets that are unsolved are absent, and named where there are any."""
        answer: dict[str, Any] = {"paytable": self.paytable.reference, "sha256": self.paytable.sha256}
        if self.rake:
            answer["rake"] = dict(self.rake)
        if self.unsolved:
            answer["unsolved"] = list(self.unsolved)
        return {**answer, "bets": {name: bet.as_json() for name, bet in self.bets.items()}}


class Progress(Protocol):
    """A solve on its way: `done` parts `of` so many; `as_json` is what a job keeps to go on from."""

    @property
    def done(self) -> int: ...

    @property
    def of(self) -> int: ...

    def as_json(self) -> dict[str, Any]: ...


class EdgeFace(Protocol):
    """What a module `tables.engine.edge_<code>` offers."""

    def edges(self, paytable: Paytable) -> Edges:
        """Return what is known at once."""

    def solve(
        self,
        paytable: Paytable,
        *,
        kept: Mapping[str, Any] | None,
        workers: int,
        report: Callable[[Progress], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Edges:
        """Return every bet, working out what is not known."""


def edges(paytable: Paytable) -> Edges:
    """Return what is known at once of `paytable`: all of it where the game's best play is known for these rules."""
    game: EdgeFace | None = face("edge", paytable.game)
    return _without_odds(paytable) if game is None else game.edges(paytable)


def solve(
    paytable: Paytable,
    *,
    kept: Mapping[str, Any] | None = None,
    workers: int = 2,
    report: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Edges:
    """Return every bet of `paytable`, working out what is not known, which proves what is: about a minute on two cores.

    `report` is given the progress several times a second; its JSON, `kept`, lets another call go on from there. `cancelled` is asked as
    often. Raises SolveCancelled, and ValueError for odds or multiples beyond exact sums, or where `kept` is of other rules.
    """
    game: EdgeFace | None = face("edge", paytable.game)
    if game is None:
        return _without_odds(paytable)
    return game.solve(paytable, kept=kept, workers=workers, report=report, cancelled=cancelled)


def _without_odds(paytable: Paytable) -> Edges:
    return Edges(paytable, {}, rake={rule: value for rule, value in paytable.rules.items() if rule.startswith("rake")})
