"""A pot among the seats that paid into it: layers, rake, shares. For games in which patrons play against each other. Pure.

All amounts are whole minor units. Source: spec/rounds.md "Payroll", Pot and the paragraphs after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from casino.money import CEILING, Minor
from tables.engine.payouts import rake, share


class Holder(NamedTuple):
    """What one seat paid in, and the worth of its hand: the higher `key` wins, None is a seat that folded."""

    seat: int
    antes: Minor
    bet: Minor
    key: int | None


class Layer(NamedTuple):
    """One layer. `reaching`: the live seats that it can go to, in the order given; `returned`: only one seat paid into it."""

    amount: Minor
    reaching: Sequence[Holder]
    returned: bool


class Share(NamedTuple):
    """What a seat won of one layer, one of `among` equal hands, the best of `reached` that it could go to.

    `of`: what was shared, the rake gone; `odd`: how much of `amount` is beyond an even share.
    """

    seat: int
    amount: Minor
    of: Minor
    odd: Minor
    among: int
    reached: int
    returned: bool


class Pot(NamedTuple):
    """A settled pot: the shares and the rake are all of the amount."""

    amount: Minor
    rake: Minor
    shares: Sequence[Share]


def settle_pot(holders: Sequence[Holder], *, rake_bps: int, rake_cap: Minor | None, unit: Minor) -> Pot:
    """Return who wins what; `holders` from the button's left, at least one of them live.

    The rake leaves the first layer first, and never a layer that is returned.
    """
    layers = pot_layers(holders)
    raked = rake(Minor(sum([layer.amount for layer in layers if not layer.returned])), basis_points=rake_bps, most=rake_cap, unit=unit)
    shares: list[Share] = []
    left = raked
    for layer in layers:
        taken = Minor(0) if layer.returned else min(left, layer.amount)
        left = Minor(left - taken)
        shares += _shares(layer, Minor(layer.amount - taken), unit)
    return Pot(Minor(sum([layer.amount for layer in layers])), raked, shares)


def pot_layers(holders: Sequence[Holder]) -> list[Layer]:
    """Return the layers from below, cut at the live seats' bets; antes are in the first, and the last has no ceiling."""
    live = [holder for holder in holders if holder.key is not None]
    cuts = sorted({holder.bet for holder in live})
    layers: list[Layer] = []
    for below, cut in zip([0, *cuts], cuts, strict=False):
        top = cut if cut < cuts[-1] else CEILING
        paid = [min(holder.bet, top) - below for holder in holders if holder.bet > below]
        antes = 0 if layers else sum([holder.antes for holder in holders])
        returned = len(paid) == 1 and not antes
        layers.append(Layer(Minor(sum(paid) + antes), [holder for holder in live if holder.bet >= cut], returned))
    return layers


def _shares(layer: Layer, amount: Minor, unit: Minor) -> list[Share]:
    reaching = layer.reaching
    highest = max([holder.key or 0 for holder in reaching])
    best = [holder.seat for holder in reaching if holder.key == highest]
    parts = share(amount, len(best), unit=unit)
    even = parts[-1]
    return [Share(seat, part, amount, Minor(part - even), len(best), len(reaching), layer.returned) for seat, part in zip(best, parts, strict=True)]
