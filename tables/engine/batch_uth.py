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
from tables.engine.batch_payouts import EVEN_MONEY, Amounts, Breakage, Flags, Prices, cap, pay
from tables.engine.cards import NO_CARD
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASS_STARTS, CLASSES

SEATS = 7
KINDS = ("ante", "blind", "play", "trips")
PACKED = 7 + 2 * SEATS
"""Bytes of a round's cards as the game packs them: with the stakes they are all that its settlement needs."""

CHUNK = 1 << 13
"""Rounds at a time: what is in the works stays in the processor's cache."""

NO_ROW = 255
UNCUT = -1
UNSEEN = -1

_ANTE, _BLIND, _PLAY, _TRIPS = range(4)


class Dues(NamedTuple):
    """What is due, by kind of wager (KINDS), seat and round: shape (4, 7, rounds).

    `collect` and `pay` in minor units, 0 where there is no stake; `result` 1 won, 0 returned, -1 lost (0 too where there is no stake).
    `row`: the class of hand whose odds decided, NO_ROW where none did; `breakage` by rounding; `uncapped`: what would be paid without
    caps, UNCUT where none cut it. `hand`, shape (7, rounds), and `dealer`, shape (rounds,): strengths, UNSEEN where the cards were not
    recorded; `qualifies`: the dealer does. `refused`: rounds that the paytable cannot pay (inexact_payout, bad_amount), whose figures say
    nothing.
    """

    collect: Amounts
    pay: Amounts
    result: NDArray[np.int8]
    row: NDArray[np.uint8]
    breakage: Breakage
    uncapped: Amounts
    hand: Strengths
    dealer: Strengths
    qualifies: Flags
    refused: Flags

    @classmethod
    def empty(cls, rounds: int) -> Dues:
        """Return room for the dues of so many rounds."""
        wagers = (len(KINDS), SEATS, rounds)
        figures = (np.empty(wagers, np.int64), np.empty(wagers, np.int64), np.empty(wagers, np.int8), np.full(wagers, NO_ROW, np.uint8))
        hands = (np.empty((SEATS, rounds), np.int16), np.empty(rounds, np.int16))
        flags = (np.empty(rounds, np.bool_), np.zeros(rounds, np.bool_))
        return cls(*figures, Breakage.none(wagers), np.full(wagers, UNCUT), *hands, *flags)

    def part(self, rounds: slice) -> Dues:
        """Return a view of some `rounds`."""
        views = {name: array[..., rounds] for name, array in self._asdict().items() if name != "breakage"}
        return Dues(**views, breakage=Breakage(*(array[..., rounds] for array in self.breakage)))


def settle(cards: Cards, stakes: Amounts, paytable: Paytable) -> Dues:
    """Return what is due in rounds with these `cards` and `stakes` under `paytable`.

    `cards`: shape (21, rounds), the board's five, the dealer's two, two for each of seven seats, rank * 4 + suit, 255 for none, as the
    game packs them. `stakes`: shape (4, 7, rounds), minor units, 0 for none; a seat that has an ante and no play has folded.
    """
    rounds, house = cards.shape[1], _house(paytable)
    dues = Dues.empty(rounds)
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
    rows, seen = class_of_strength().take(hand), (cards[7::2] != NO_CARD) & (cards[0] != NO_CARD)
    lost, won = _verdicts(stakes, dealer, hand, rows, seen, house)
    np.multiply(stakes, lost, out=dues.collect)
    np.subtract(won.view(np.int8), lost.view(np.int8), out=dues.result)
    for kind in (_BLIND, _TRIPS):
        np.copyto(dues.row[kind], rows, where=won[kind])
    _pay(stakes, won, rows, house, dues)
    if house.caps is not None:
        _cut(cap(dues.pay, KINDS, house.caps, unit=house.unit), dues)
    met = (cards[0] != NO_CARD) & (cards[5] != NO_CARD)
    dues.hand[:], dues.dealer[:] = np.where(seen, hand, UNSEEN), np.where(met, dealer, UNSEEN)
    dues.qualifies[:] = met & (dealer >= house.qualifying)


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
        paid = pay(stakes[kind, seats, rounds], which, prices, unit=house.unit, rounding=house.rounding)
        dues.pay[kind, seats, rounds] = paid.pay
        dues.refused[rounds[paid.refused]] = True
        _note_breakage(paid.breakage, kind, seats, rounds, dues)


def _note_breakage(found: Breakage, kind: int, seats: NDArray[np.intp], rounds: NDArray[np.intp], dues: Dues) -> None:
    """Write the breakage where there is any: most payouts come out even, and what is not written costs nothing."""
    broken = np.flatnonzero(found.of)
    for kept, amounts in zip(dues.breakage, found, strict=True):
        kept[kind, seats[broken], rounds[broken]] = amounts[broken]


def _cut(capped: Amounts, dues: Dues) -> None:
    """Write the payouts that caps leave; a cut one says what it would be without, instead of its breakage."""
    cut = capped != dues.pay
    np.copyto(dues.uncapped, dues.pay, where=cut)
    dues.pay[:] = capped
    for amounts in dues.breakage:
        amounts[cut] = 0
