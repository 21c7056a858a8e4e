"""Edges as they are kept and shown: exact fractions as text that read back as they were, and figures with their basis named. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tables.engine.edge import BetEdge, Edges
from tables.engine.paytable import Paytable

_EXACT = ("ev", "variance", "hit_frequency", "mean_wager")


def as_kept(edges: Edges) -> dict[str, Any]:
    """Return the bets of `edges` as JSON that loses nothing."""
    return {name: {"basis": bet.basis, "method": bet.method, **_texts(bet)} for name, bet in edges.bets.items()}


def from_kept(paytable: Paytable, kept: Mapping[str, Mapping[str, Any]]) -> Edges:
    """Return the edges that `as_kept` gave. Raises KeyError, ValueError for anything else."""
    return Edges(paytable, {name: _bet(bet) for name, bet in kept.items()})


def per_total_wagered(bet: BetEdge) -> Fraction:
    """Return the house's part of all that is staked: of a bet of one stake it is the edge itself."""
    return bet.edge if bet.element_of_risk is None else bet.element_of_risk


def shown_edges(edges: Edges) -> dict[str, Any]:
    """Return the object of spec/rounds.md, each bet also with its edge per base bet and per total wagered, as fractions and in percent."""
    answer = edges.as_json()
    for name, bet in edges.bets.items():
        answer["bets"][name] |= {
            "per_base_bet": _share(bet.edge, bet.basis),
            "per_total_wagered": _share(per_total_wagered(bet), "all that is staked"),
        }
    return answer


def percent(share: Fraction, digits: int = 4) -> str:
    """Return "2.1850" of 0.021849…, exactly rounded, halves away from zero; a real minus sign."""
    scaled = abs(share) * 100 * 10**digits
    whole, part = divmod((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator), 10**digits)
    return f"{'−' if share < 0 and (whole or part) else ''}{whole}.{part:0{digits}d}"


def _share(share: Fraction, basis: str) -> dict[str, str]:
    return {"of": basis, "fraction": str(share), "percent": percent(share, 8)}


def _texts(bet: BetEdge) -> dict[str, str | None]:
    return {name: None if (figure := getattr(bet, name)) is None else str(figure) for name in _EXACT}


def _bet(kept: Mapping[str, Any]) -> BetEdge:
    exact = {name: None if kept[name] is None else Fraction(kept[name]) for name in _EXACT}
    return BetEdge(basis=kept["basis"], method=kept["method"], **exact)  # type: ignore[arg-type]
