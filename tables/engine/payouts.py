"""The one place that pays: a wager at its odds, what caps leave of a seat's payouts, a pot among equal hands. Pure.

All amounts are whole minor units. Source: spec/rounds.md, "Rounding", "rules.caps", "Pot".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from casino.money import CEILING, Minor


class Payout(NamedTuple):
    """What the house pays beyond the returned stake.

    `breakage`: the part of a minor unit or of a chip that rounding kept back (negative: gave), None where nothing was rounded.
    `uncapped`: what would be paid without caps, None where no cap cut it; a cut payout names no breakage.
    """

    pay: Minor
    breakage: Fraction | None = None
    uncapped: Minor | None = None


NOTHING = Payout(Minor(0))


class Unpayable(Exception):
    """The paytable cannot pay this: `code` is `inexact_payout` or `bad_amount`, `exact` the payout before rounding."""

    def __init__(self, code: str, message: str, exact: Fraction) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.exact = exact


def pay(stake: Minor, odds: Fraction, *, unit: Minor, rounding: str) -> Payout:
    """Return what `stake` wins at `odds` to one, as a whole number of `unit`s.

    What does not come out even is rounded by `rounding`: "down", "up", or "exact_only". Raises Unpayable where that refuses the payout
    (`inexact_payout`), and for 10^15 or more (`bad_amount`).
    """
    numerator, denominator = odds.as_integer_ratio()
    units, rest = divmod(stake * numerator, denominator * unit)
    if rest and rounding == "exact_only":
        exact = stake * odds
        raise Unpayable("inexact_payout", f"{exact} is not a whole number of {unit}, and this paytable does not round.", exact)
    if rest and rounding == "up":
        units, rest = units + 1, rest - denominator * unit
    if units * unit >= CEILING:
        raise Unpayable("bad_amount", "The payout of this stake is 10^15 or more.", stake * odds)
    return Payout(Minor(units * unit), Fraction(rest, denominator) if rest else None)


def cap(payouts: Sequence[Payout], kinds: Sequence[str], caps: Mapping[str, Any], *, unit: Minor) -> list[Payout]:
    """Return one seat's `payouts` as `caps` bound them; `kinds` names each, in the game's order of wagers.

    First each wager's own cap; then, for the seat's, the largest payout is cut first, as far as needed, and of equal ones the first. A cut
    payout is rounded down to a `unit`.
    """
    left = [min(payout.pay, _units(caps["wager"].get(kind, payout.pay), unit)) for payout, kind in zip(payouts, kinds, strict=True)]
    if caps["seat"] is not None:
        for place in sorted(range(len(left)), key=lambda place: -left[place]):
            too_much = sum(left) - caps["seat"]
            if too_much > 0:
                left[place] = _units(max(0, left[place] - too_much), unit)
    return [payout if amount == payout.pay else Payout(Minor(amount), uncapped=payout.pay) for payout, amount in zip(payouts, left, strict=True)]


def _units(amount: int, unit: int) -> int:
    return amount // unit * unit


def share(amount: Minor, shares: int, *, unit: Minor) -> list[Minor]:
    """Return `amount` in `shares` parts: as many `unit`s each as go evenly, then one each from the first on, and the rest to the first."""
    if shares == 1:
        return [amount]
    units, rest = divmod(amount, unit)
    each, odd = divmod(units, shares)
    parts = [(each + (place < odd)) * unit for place in range(shares)]
    parts[0] += rest
    return [Minor(part) for part in parts]


def rake(amount: Minor, *, basis_points: int, most: Minor | None, unit: Minor) -> Minor:
    """Return the house's part of `amount`: `basis_points` of it, at most `most`, rounded down to a `unit`."""
    part = amount * basis_points // 10_000
    return Minor(_units(part if most is None else min(part, most), unit))
