"""Two versions of a game's paytable side by side: odds, rules, edges, and what that is worth for given stakes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from casino.errors import InvalidSlip
from casino.odds import format_odds
from casino.words import gettext
from tables.edge_record import per_total_wagered, percent
from tables.engine.edge import BetEdge, Edges
from tables.engine.paytable import Paytable


@dataclass(frozen=True)
class OddsChange:
    """One row of the odds that differs: what it pays to one, None where the wager does not list it."""

    wager: str
    row: str
    before: Fraction | None
    after: Fraction | None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON, odds as texts."""
        return {"wager": self.wager, "row": self.row, "before": _odds(self.before), "after": _odds(self.after)}


@dataclass(frozen=True)
class RuleChange:
    """One rule that differs, by its path ("play_multiples.preflop")."""

    rule: str
    before: Any
    after: Any

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"rule": self.rule, "before": self.before, "after": self.after}


@dataclass(frozen=True)
class EdgeChange:
    """The house's edge on one bet, per base bet (its `basis`) and per total wagered; None where the bet is not there or not worked out."""

    bet: str
    basis: str
    before: BetEdge | None
    after: BetEdge | None

    def as_json(self) -> dict[str, Any]:
        """Return both edges as fractions and in percent, and by how much they differ."""
        both = (self.before, self.after)
        per_base = _change(*(None if bet is None else bet.edge for bet in both))
        per_total = _change(*(None if bet is None else per_total_wagered(bet) for bet in both))
        return {"bet": self.bet, "basis": self.basis, "per_base_bet": per_base, "per_total_wagered": per_total}


@dataclass(frozen=True)
class WinChange:
    """What the house expects to win on one bet of the base stakes that were given, in minor units, exact."""

    bet: str
    stake: int
    before: Fraction | None
    after: Fraction | None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON, fractions as texts."""
        difference = None if self.before is None or self.after is None else str(self.after - self.before)
        return {"bet": self.bet, "stake": self.stake, "before": _text(self.before), "after": _text(self.after), "difference": difference}


@dataclass(frozen=True)
class PaytableDiff:
    """What differs between two versions of one game; `wins` is empty where no stakes were given."""

    before: Paytable
    after: Paytable
    odds: tuple[OddsChange, ...]
    rules: tuple[RuleChange, ...]
    edges: tuple[EdgeChange, ...]
    wins: tuple[WinChange, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        return {
            "before": _identity(self.before),
            "after": _identity(self.after),
            **{part: [change.as_json() for change in getattr(self, part)] for part in ("odds", "rules", "edges")},
            "theoretical_win": [change.as_json() for change in self.wins],
        }


def diff(before: Edges, after: Edges, stakes: Mapping[str, int] | None = None) -> PaytableDiff:
    """Return what differs between the versions of two `Edges`; `stakes`: minor units by bet, as the edges name their basis.

    Raises InvalidSlip (`bad_paytable`) for versions of different games.
    """
    old, new = before.paytable, after.paytable
    if old.game != new.game:
        raise InvalidSlip(
            "bad_paytable",
            gettext("%(reference)s and %(reference2)s are of different games.") % {"reference": old.reference, "reference2": new.reference},
            where="after",
        )
    edges = tuple(_edge_changes(before, after))
    wins = () if stakes is None else tuple(_win(change, stakes) for change in edges)
    return PaytableDiff(old, new, tuple(_odds_changes(old, new)), tuple(_rule_changes("", old.rules, new.rules)), edges, wins)


def _odds_changes(old: Paytable, new: Paytable) -> Iterator[OddsChange]:
    for wager in dict.fromkeys((*old.odds, *new.odds)):
        before, after = old.odds.get(wager, {}), new.odds.get(wager, {})
        for row in dict.fromkeys((*before, *after)):
            if before.get(row) != after.get(row):
                yield OddsChange(wager, row, before.get(row), after.get(row))


def _rule_changes(path: str, old: Any, new: Any) -> Iterator[RuleChange]:
    """Yield the leaves that differ; a rule that became an object, or ceased to be one, differs as a whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys((*old, *new)):
            yield from _rule_changes(f"{path}.{name}".removeprefix("."), old.get(name), new.get(name))
    elif old != new:
        yield RuleChange(path, old, new)


def _edge_changes(before: Edges, after: Edges) -> Iterator[EdgeChange]:
    for bet in dict.fromkeys((*before.bets, *after.bets, *before.unsolved, *after.unsolved)):
        old, new = before.bets.get(bet), after.bets.get(bet)
        known = old or new
        yield EdgeChange(bet, known.basis if known else bet, old, new)


def _win(change: EdgeChange, stakes: Mapping[str, int]) -> WinChange:
    stake = stakes.get(change.basis, 0)
    before, after = (None if bet is None else bet.edge * stake for bet in (change.before, change.after))
    return WinChange(change.bet, stake, before, after)


def _change(before: Fraction | None, after: Fraction | None) -> dict[str, Any]:
    difference = None if before is None or after is None else after - before
    return {"before": _share(before), "after": _share(after), "difference": _share(difference)}


def _share(share: Fraction | None) -> dict[str, str] | None:
    return None if share is None else {"fraction": str(share), "percent": percent(share, 8)}


def _identity(paytable: Paytable) -> dict[str, str]:
    return {"paytable": paytable.reference, "sha256": paytable.sha256}


def _odds(odds: Fraction | None) -> str | None:
    return None if odds is None else format_odds(odds)


def _text(amount: Fraction | None) -> str | None:
    return None if amount is None else str(amount)
