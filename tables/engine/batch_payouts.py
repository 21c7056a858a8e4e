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


class Breakage(NamedTuple):
    """What rounding kept back of each payout, exactly: `whole` + `part` / `of` minor units, negative where it gave; `of` 0: nothing was rounded."""

    whole: Amounts
    part: Amounts
    of: Amounts

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Breakage:
        """Return that of payouts that came out even."""
        return cls(*(np.zeros(shape, np.int64) for _ in cls._fields))

    def at(self, place: tuple[int, ...]) -> Fraction | None:
        """Return that of one payout, as `payouts.Payout` says it."""
        of = int(self.of[place])
        return int(self.whole[place]) + Fraction(int(self.part[place]), of) if of else None


class Payouts(NamedTuple):
    """What is paid for each of some wagers, shape (wagers,); `refused`: what the paytable cannot pay, given as 0 without breakage."""

    pay: Amounts
    breakage: Breakage
    refused: Flags


def pay(stakes: Amounts, rows: NDArray[np.uint8], prices: Prices, *, unit: int, rounding: str) -> Payouts:
    """Return what each of `stakes` wins at the price of its row, shape (wagers,).

    As `payouts.pay`: whole `unit`s, rounded "down" or "up"; refused are what "exact_only" does not round, and 10^15 or more.
    """
    numerators, steps = prices.numerators, prices.denominators
    if int(stakes.max(initial=0)) * int(numerators.max()) + unit > _LARGEST or int(steps.max()) * unit > _LARGEST:
        # Rare: huge stakes at huge odds. Python's own whole numbers have no end.
        stakes, numerators, steps = stakes.astype(object), numerators.astype(object), steps.astype(object)
    exact, step = stakes * numerators[rows], (steps * unit)[rows]
    units = exact // step
    rest = exact - units * step
    uneven = rest != 0
    if rounding == "up":
        units, rest = units + uneven, rest - step * uneven
    pays = units * unit
    refused = (pays >= CEILING) | uneven if rounding == "exact_only" else pays >= CEILING
    of = np.where(uneven & ~refused, steps[rows], 0)
    whole, part = rest // steps[rows], rest % steps[rows]
    breakage = Breakage(*(np.where(of != 0, amount, 0).astype(np.int64) for amount in (whole, part, of)))
    return Payouts(np.where(refused, 0, pays).astype(np.int64), breakage, refused.astype(np.bool_))


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
