"""Payroll by the million: who wins what of each pot, equal to the game's own settlement seat by seat. NumPy.

Arrays are columns: a seat a row, a round a column. Rounds are regular ones, that the game has read. Nothing of that is checked.
Source: spec/rounds.md "Payroll"; `pot` settles one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from casino.money import CEILING
from tables.engine.batch import Cards, payroll_keys
from tables.engine.batch_payouts import Amounts, Flags
from tables.engine.cards import NO_CARD
from tables.engine.paytable import Paytable

SEATS = 8
KINDS = ("ante", "reroll_ante", "bet")
CHUNK = 1 << 13
"""Rounds at a time: what is in the works stays in the processor's cache."""

NO_KEY = -1

Keys = NDArray[np.int32]
_LARGEST = 2**63 - 1


class Rounds(NamedTuple):
    """Rounds as they were dealt and wagered.

    `cards`: shape (48, rounds), for each seat its up card and the five places of those kept, 255 for none, as the game packs them;
    `stakes`: shape (3, 8, rounds), KINDS, minor units, 0 for none; `folded`: shape (8, rounds); `button`: shape (rounds,), a seat's number.
    A seat without an ante is empty.
    """

    cards: Cards
    stakes: Amounts
    folded: Flags
    button: NDArray[np.int64]

    def part(self, rounds: slice) -> Rounds:
        """Return a view of some `rounds`."""
        return Rounds(self.cards[:, rounds], self.stakes[..., rounds], self.folded[:, rounds], self.button[rounds])


class Dues(NamedTuple):
    """What is due. Each stake is collected, and wins nothing itself: `collect` is the stakes, shape (3, 8, rounds).

    By seat, shape (8, rounds): `won`, its wager "pot"; `winners`, as the answer names them; `key` of the hand, NO_KEY where it was not
    compared. By round: `pot`, `rake`, and `refused`: a seat would win 10^15 or more.
    """

    collect: Amounts
    won: Amounts
    winners: Flags
    key: Keys
    pot: Amounts
    rake: Amounts
    refused: Flags


def settle(rounds: Rounds, paytable: Paytable) -> Dues:
    """Return what is due in `rounds` under `paytable`."""
    starts = range(0, len(rounds.button), CHUNK) or [0]
    parts = [_settle(rounds.part(slice(start, start + CHUNK)), paytable) for start in starts]
    return Dues(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))


class _Table(NamedTuple):
    """The seats of each round in their order of turns, from the button's left: what they put in, and their hands, 0 for a folded one."""

    antes: Amounts
    bets: Amounts
    key: Keys
    live: Flags


class _Layer(NamedTuple):
    """One layer of each round: its `amount`, the live seats `reaching` it, whether it is `returned`."""

    amount: Amounts
    reaching: Flags
    returned: Flags


def _settle(rounds: Rounds, paytable: Paytable) -> Dues:
    """Return what is due in one chunk of rounds."""
    turns = (np.arange(SEATS)[:, None] + rounds.button) % SEATS
    table = _in_turn(rounds, turns)
    layers = _layers(table)
    pot = table.antes.sum(axis=0) + table.bets.sum(axis=0)
    rake = _rake(sum((np.where(layer.returned, 0, layer.amount) for layer in layers), np.zeros_like(pot)), paytable)
    won, shared, contested = _share_out(table, layers, rake, paytable.payout_unit)
    winners = np.where(contested.any(axis=0), contested, shared)
    compared = table.live & (table.live.sum(axis=0) > 1)
    seats = np.argsort(turns, axis=0)
    too_much: Flags = np.any(won >= CEILING, axis=0)
    return Dues(
        collect=rounds.stakes,
        won=np.take_along_axis(won, seats, axis=0),
        winners=np.take_along_axis(winners, seats, axis=0),
        key=np.take_along_axis(np.where(compared, table.key, NO_KEY), seats, axis=0),
        pot=pot,
        rake=rake,
        refused=too_much,
    )


def _in_turn(rounds: Rounds, turns: NDArray[np.int64]) -> _Table:
    """Return the seats in their order; `turns`: which seat (from 0) acts at each place, shape (8, rounds)."""
    stakes = rounds.stakes
    kept = rounds.cards.reshape(SEATS, 6, -1)[:, 1:].transpose(0, 2, 1)
    live = (stakes[0] > 0) & ~rounds.folded
    hands = np.where(live[..., None], kept, NO_CARD).reshape(-1, 5)
    key = payroll_keys(hands).reshape(live.shape)
    ordered = (np.take_along_axis(array, turns, axis=0) for array in (stakes[0] + stakes[1], stakes[2], key, live))
    return _Table(*ordered)


def _layers(table: _Table) -> list[_Layer]:
    """Return the layers from below, cut at the live seats' bets; those that a round has not are of nothing, and reached by nobody."""
    cuts = np.sort(np.where(table.live, table.bets, CEILING), axis=0)
    highest = np.where(table.live, table.bets, 0).max(axis=0)
    layers, below = [], np.zeros_like(highest)
    for number, cut in enumerate(cuts):
        there = (cut < CEILING) & ((cut > below) | (number == 0))
        top = np.where(cut == highest, CEILING, cut)
        paying = there & (table.bets > below)
        amount = np.where(paying, np.minimum(table.bets, top) - below, 0).sum(axis=0)
        if number == 0:
            amount = amount + table.antes.sum(axis=0)
        returned = there & (paying.sum(axis=0) == 1) & (number > 0)
        layers.append(_Layer(amount, there & table.live & (table.bets >= cut), returned))
        below = np.where(there, cut, below)
    return layers


def _rake(amount: Amounts, paytable: Paytable) -> Amounts:
    """Return the house's part of each `amount`: `payouts.rake`."""
    rules, unit = paytable.rules, paytable.payout_unit
    whole = amount.astype(object) if int(amount.max(initial=0)) * rules["rake_bps"] > _LARGEST else amount
    part: Amounts = (whole * rules["rake_bps"] // 10_000).astype(np.int64)
    if rules["rake_cap"] is not None:
        part = np.minimum(part, rules["rake_cap"])
    raked: Amounts = part // unit * unit
    return raked


def _share_out(table: _Table, layers: list[_Layer], rake: Amounts, unit: int) -> tuple[Amounts, Flags, Flags]:
    """Return what each seat won, who has a share of anything, and who of a layer that more than one hand reached. The rake leaves first."""
    won, left = np.zeros_like(table.bets), rake
    shared, contested = np.zeros(won.shape, np.bool_), np.zeros(won.shape, np.bool_)
    for layer in layers:
        taken = np.where(layer.returned, 0, np.minimum(left, layer.amount))
        left = left - taken
        best = layer.reaching & (table.key == np.where(layer.reaching, table.key, NO_KEY).max(axis=0))
        won += _parts(layer.amount - taken, best, unit)
        shared |= best
        contested |= best & (layer.reaching.sum(axis=0) > 1)
    return won, shared, contested


def _parts(amount: Amounts, best: Flags, unit: int) -> Amounts:
    """Return `amount` among those who are `best`, in turn: `payouts.share`."""
    units, rest = np.divmod(amount, unit)
    each, odd = np.divmod(units, np.maximum(best.sum(axis=0), 1))
    place = best.cumsum(axis=0) - 1
    parts = (each + (place < odd)) * unit + np.where(place == 0, rest, 0)
    return np.where(best, parts, 0)
