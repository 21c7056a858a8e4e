"""Payouts by the million: `payouts.pay` and `payouts.cap` in NumPy, equal to them wager by wager.

All amounts are whole minor units. Source: spec/rounds.md, "Rounding", "rules.caps".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.money import CEILING

Amounts = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LARGEST = 2**63 - 1


class Prices(NamedTuple):
    """Odds to one by row, each numerator / denominator; `listed`: which rows there are."""

    numerators: Amounts
    denominators: Amounts
    listed: Flags

    @classmethod
    def of(cls, odds: Sequence[Fraction | None]) -> Prices:
        """Return the prices of `odds`, None where a row is not listed."""
        ratios = [(row or Fraction(0)).as_integer_ratio() for row in odds]
        numerators, denominators = np.array(ratios, np.int64).T
        return cls(numerators, denominators, np.array([row is not None for row in odds]))


EVEN_MONEY = Prices.of([Fraction(1)])


def pay(stakes: Amounts, rows: NDArray[np.uint8], prices: Prices, *, unit: int, rounding: str) -> tuple[Amounts, Flags]:
    """Return what each of `stakes` wins at the price of its row, and which payouts the paytable refuses (given as 0). All of shape (wagers,).

    As `payouts.pay`: whole `unit`s, rounded "down" or "up"; refused are what "exact_only" does not round, and 10^15 or more.
    """
    numerators, steps = prices.numerators, prices.denominators
    if int(stakes.max(initial=0)) * int(numerators.max()) + unit > _LARGEST or int(steps.max()) * unit > _LARGEST:
        # Rare: huge stakes at huge odds. Python's own whole numbers have no end.
        stakes, numerators, steps = stakes.astype(object), numerators.astype(object), steps.astype(object)
    exact, step = stakes * numerators[rows], (steps * unit)[rows]
    units = exact // step
    uneven = units * step != exact
    if rounding == "up":
        units = units + uneven
    pays = units * unit
    refused = (pays >= CEILING) | uneven if rounding == "exact_only" else pays >= CEILING
    return np.where(refused, 0, pays).astype(np.int64), refused.astype(np.bool_)


def cap(pays: Amounts, kinds: Sequence[str], caps: Mapping[str, Any], *, unit: int) -> Amounts:
    """Return `pays`, shape (kinds, ...), as `caps` bound them: `payouts.cap` of each seat, whose wagers stand in the game's order."""
    left = pays.copy()
    for place, kind in enumerate(kinds):
        if kind in caps["wager"]:
            np.minimum(left[place], caps["wager"][kind] // unit * unit, out=left[place])
    if caps["seat"] is None:
        return left
    # The largest first, of equal ones the first: the order in which they stand before any is cut.
    order = np.argsort(-left, axis=0, kind="stable")
    for place in order:
        amount = np.take_along_axis(left, place[None], axis=0)
        too_much = left.sum(axis=0) - caps["seat"]
        cut = np.where(too_much > 0, np.maximum(0, amount - too_much) // unit * unit, amount)
        np.put_along_axis(left, place[None], cut, axis=0)
    return left
