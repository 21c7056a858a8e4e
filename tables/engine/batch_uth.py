"""Ultimate Texas Hold'em by the million: what is due in whole rounds, equal to the game's own settlement wager by wager. NumPy.

Arrays are columns: a place or a seat a row, a round a column, so that each step runs through memory in order. Rounds are regular ones, that
the game has read: cards differ, blind equals ante, a seat that is there has an ante, and a live one a play. Nothing of that is checked.
Source: spec/rounds.md "Ultimate Texas Hold'em".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tables.engine.batch import Cards, Strengths, card_keys, class_of_strength, strengths_by_key
from tables.engine.batch_payouts import EVEN_MONEY, Amounts, Flags, Prices, cap, pay
from tables.engine.cards import NO_CARD
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASS_STARTS, CLASSES

SEATS = 7
KINDS = ("ante", "blind", "play", "trips")
CHUNK = 1 << 13
"""Rounds at a time: what is in the works stays in the processor's cache."""

_ANTE, _PLAY = 0, 2


class Dues(NamedTuple):
    """What is due, by kind of wager (KINDS), seat and round: shape (4, 7, rounds).

    `collect` and `pay` in minor units, 0 where there is no stake; `result` 1 won, 0 returned, -1 lost (0 too where there is no stake).
    `refused`, shape (rounds,): rounds that the paytable cannot pay (inexact_payout, bad_amount), whose figures say nothing.
    """

    collect: Amounts
    pay: Amounts
    result: NDArray[np.int8]
    refused: Flags

    def part(self, rounds: slice) -> Dues:
        """Return a view of some `rounds`."""
        return Dues(self.collect[..., rounds], self.pay[..., rounds], self.result[..., rounds], self.refused[rounds])


def settle(cards: Cards, stakes: Amounts, paytable: Paytable) -> Dues:
    """Return what is due in rounds with these `cards` and `stakes` under `paytable`.

    `cards`: shape (21, rounds), the board's five, the dealer's two, two for each of seven seats, rank * 4 + suit, 255 for none, as the
    game packs them. `stakes`: shape (4, 7, rounds), minor units, 0 for none; a seat that has an ante and no play has folded.
    """
    rounds, house = cards.shape[1], _house(paytable)
    collect, pay = (np.empty((len(KINDS), SEATS, rounds), np.int64) for _ in range(2))
    dues = Dues(collect, pay, np.empty(collect.shape, np.int8), np.zeros(rounds, np.bool_))
    for start in range(0, rounds, CHUNK):
        part = slice(start, start + CHUNK)
        _settle(np.ascontiguousarray(cards[:, part]), stakes[..., part], house, dues.part(part))
    return dues


class _House(NamedTuple):
    """A paytable made ready: the lowest strength with which a dealer qualifies, and what each class of hand wins on blind and trips."""

    qualifying: int
    blind: Prices
    trips: Prices
    forfeits: bool
    pushes: bool
    unit: int
    rounding: str
    caps: Mapping[str, Any] | None


@lru_cache(maxsize=64)
def _house(paytable: Paytable) -> _House:
    rules = paytable.rules
    return _House(
        qualifying=CLASS_STARTS[CLASSES.index(rules["dealer_qualifies"])],
        blind=Prices.of([paytable.odds["blind"].get(name) for name in CLASSES]),
        trips=Prices.of([paytable.odds["trips"].get(name) for name in CLASSES]),
        forfeits=rules["trips_on_fold"] == "forfeits",
        pushes=rules["trips_when_beaten"] == "pushes",
        unit=paytable.payout_unit,
        rounding=paytable.rounding,
        caps=rules["caps"],
    )


def _settle(cards: Cards, stakes: Amounts, house: _House, dues: Dues) -> None:
    """Write into `dues` what is due in one chunk of rounds."""
    dealer, hand = _strengths(cards)
    rows = class_of_strength().take(hand)
    lost, won = _verdicts(stakes, dealer, hand, rows, cards[7::2] != NO_CARD, house)
    np.multiply(stakes, lost, out=dues.collect)
    np.subtract(won.view(np.int8), lost.view(np.int8), out=dues.result)
    _pay(stakes, won, rows, house, dues)
    if house.caps is not None:
        dues.pay[:] = cap(dues.pay, KINDS, house.caps, unit=house.unit)


def _strengths(cards: Cards) -> tuple[Strengths, Strengths]:
    """Return the dealer's strengths, shape (rounds,), and the seats', shape (7, rounds); without meaning where there are no cards."""
    board, own = cards[:5], cards[5:]
    keys = card_keys(*board) + card_keys(own[::2], own[1::2])
    every = strengths_by_key(keys, (*board, own[::2], own[1::2]))
    return every[0], every[1:]


def _verdicts(stakes: Amounts, dealer: Strengths, hand: Strengths, rows: NDArray[np.uint8], seen: Flags, house: _House) -> tuple[Flags, Flags]:
    """Return which wagers are lost and which won, shape (4, 7, rounds); the others are returned, or not there."""
    there = stakes > 0
    live = there[_PLAY]
    beats, beaten, folded = live & (hand > dealer), live & (hand < dealer), there[_ANTE] & ~live
    qualifies = dealer >= house.qualifying
    listed = seen & house.trips.listed.take(rows)
    forfeit = folded if house.forfeits else np.False_
    pushed = beaten if house.pushes else np.False_
    lost = np.stack([folded | beaten & qualifies, folded | beaten, beaten, ~listed | forfeit])
    won = np.stack([beats & qualifies, beats & house.blind.listed.take(rows), beats, listed & ~(forfeit | pushed)])
    return lost & there, won & there


def _pay(stakes: Amounts, won: Flags, rows: NDArray[np.uint8], house: _House, dues: Dues) -> None:
    """Write the payouts without caps, and note the rounds in which one is refused."""
    np.multiply(stakes, won, out=dues.pay)
    for kind, prices in enumerate((EVEN_MONEY, house.blind, EVEN_MONEY, house.trips)):
        if prices is EVEN_MONEY and house.unit == 1:
            continue
        winners = np.flatnonzero(won[kind])
        seats, rounds = np.divmod(winners, won.shape[2])
        which = np.zeros(len(winners), np.uint8) if prices is EVEN_MONEY else rows.take(winners)
        paid, refused = pay(stakes[kind, seats, rounds], which, prices, unit=house.unit, rounding=house.rounding)
        dues.pay[kind, seats, rounds] = paid
        dues.refused[rounds[refused]] = True
