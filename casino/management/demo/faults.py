"""Dealers' errors to be planted in a demo's rounds, one difference a round, and what the audit must find of each. Pure.

Source: spec/night.md, "Payout audit"; audit/compare.py names the kinds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from casino.management.demo.players import Bettor, deal_payroll, deal_uth
from tables.engine.cards import CODES
from tables.engine.game import WagerDue, games
from tables.engine.payroll_key import payroll_key
from tables.engine.paytable import Paytable
from tables.engine.poker import CLASSES, hand_class, strength

MOST_TRIES = 20_000
"""How many rounds are dealt before a chance is given up."""

Done = dict[str, dict[str, dict[str, int]]]
"""What was done, as in a slip: by seat, then wager, {"collected": …, "paid": …} in minor units."""


@dataclass(frozen=True)
class Fault:
    """An error that a dealer made: what he did, and what the audit must find. `seat` is None where the finding is of the round."""

    name: str
    finding_kind: str
    seat: int | None
    wager: str
    done: Done


class NoChance(LookupError):
    """No round that was dealt offered the chance for the error."""


@dataclass(frozen=True)
class _Settled:
    """A round with what is due on it, as planters look at it."""

    raw: Mapping[str, Any]
    dues: Sequence[WagerDue]
    paytable: Paytable

    def seats(self) -> list[dict[str, WagerDue]]:
        """Return each seat's wagers by kind."""
        seats: dict[int, dict[str, WagerDue]] = {}
        for due in self.dues:
            seats.setdefault(due.seat, {})[due.kind] = due
        return list(seats.values())

    def played(self, result: str) -> list[dict[str, WagerDue]]:
        """Return the wagers of each seat whose play has this result."""
        return [wagers for wagers in self.seats() if "play" in wagers and wagers["play"].result == result]

    def hand(self, seat: int) -> str:
        """Return the class of the seat's hand of Ultimate Texas Hold'em."""
        cards = next(line["cards"] for line in self.raw["seats"] if line["seat"] == seat)
        return hand_class(strength([CODES[card] for card in (*cards, *self.raw["community"])]))


_Differences = Iterator[tuple[WagerDue, int, int]]
"""A wager, what was collected of it, what was paid on it."""


# ---- Ultimate Texas Hold'em: each yields the wagers that it can be planted on ----


def _push_paid(settled: _Settled) -> _Differences:
    """The ante is paid although the dealer does not qualify, or the blind although the hand is below its odds."""
    for kind in ("ante", "blind"):
        for wagers in settled.played("win"):
            if wagers[kind].result == "push":
                yield wagers[kind], 0, wagers[kind].stake


def _beaten_blind_paid(settled: _Settled) -> _Differences:
    """The blind is paid to a flush or better that the dealer beats."""
    odds = settled.paytable.odds["blind"]
    for wagers in settled.played("lose"):
        blind = wagers["blind"]
        hand = settled.hand(blind.seat)
        if hand in odds and CLASSES.index(hand) > CLASSES.index("straight"):
            yield blind, 0, int(blind.stake * odds[hand])


def _beaten_trips_taken(settled: _Settled) -> _Differences:
    """The trips are taken with the other wagers, because the dealer won."""
    for wagers in settled.played("lose"):
        if "trips" in wagers and wagers["trips"].result == "win":
            yield wagers["trips"], wagers["trips"].stake, 0


def _unqualified_ante_taken(settled: _Settled) -> _Differences:
    """The ante is taken by a dealer who wins, and does not qualify."""
    for wagers in settled.played("lose"):
        if wagers["ante"].result == "push":
            yield wagers["ante"], wagers["ante"].stake, 0


def _flush_blind_overpaid(settled: _Settled) -> _Differences:
    """The blind's 3:2 on a flush is paid as 2:1."""
    for wagers in settled.played("win"):
        blind = wagers["blind"]
        if blind.row == "flush" and blind.odds is not None:
            whole = blind.odds // 1 + 1
            if whole not in settled.paytable.odds["blind"].values():
                yield blind, 0, int(blind.stake * whole)


def _trips_misread(settled: _Settled) -> _Differences:
    """The trips are paid by the next row of the table: the one below, for the lowest row the one above."""
    for wagers in settled.seats():
        trips = wagers.get("trips")
        if trips is not None and trips.odds is not None:
            paid = trips.stake * _next_odds(trips.odds, settled.paytable.odds["trips"].values())
            if paid.denominator == 1:
                yield trips, 0, int(paid)


def _next_odds(odds: Fraction, rows: Iterable[Fraction]) -> Fraction:
    """Return the odds of the row below `odds`, or above where it is the lowest; `odds` itself where there is no other."""
    others = sorted(set(rows) - {odds})
    below = [other for other in others if other < odds]
    return below[-1] if below else others[0] if others else odds


def _loser_paid(settled: _Settled) -> _Differences:
    """The play of a beaten hand is paid."""
    for wagers in settled.played("lose"):
        yield wagers["play"], 0, wagers["play"].stake


_UTH: Mapping[str, tuple[str, Callable[[_Settled], _Differences]]] = {
    "push_paid": ("push_paid", _push_paid),
    "beaten_blind_paid": ("paid_a_loser", _beaten_blind_paid),
    "beaten_trips_taken": ("took_a_winner", _beaten_trips_taken),
    "unqualified_ante_taken": ("push_taken", _unqualified_ante_taken),
    "flush_blind_overpaid": ("overpaid", _flush_blind_overpaid),
    "trips_misread": ("wrong_odds", _trips_misread),
    "loser_paid": ("paid_a_loser", _loser_paid),
}
UTH_FAULTS = tuple(_UTH)


# ---- Payroll ----

PAYROLL_FAULTS = ("pot_misshared",)


def _pot_misshared(settled: _Settled) -> dict[int, int]:
    """Return what each seat was paid from the pot: all of a shared pot to one, or half of one's pot to the next best hand; {} for no chance."""
    shares = {due.seat: int(due.pay) for due in settled.dues if due.kind == "pot" and due.pay}
    first, pot = next(iter(shares)), sum(shares.values())
    if len(shares) > 1:
        return {**dict.fromkeys(shares, 0), first: pot}
    second = _next_best(settled.raw["seats"], winner=first)
    unit = settled.paytable.payout_unit
    half = pot // 2 // unit * unit
    return {first: pot - half, second: half} if second is not None and half else {}


def _next_best(lines: Sequence[Mapping[str, Any]], *, winner: int) -> int | None:
    """Return the seat with the best hand of those who lost the showdown."""
    others = [line for line in lines if line["seat"] != winner and not line.get("folded")]
    best = max(others, key=lambda line: payroll_key([CODES[card] for card in line["kept"]]), default=None)
    return None if best is None else int(best["seat"])


# ---- planting ----


def plant(name: str, raw_round: Mapping[str, Any], dues: Sequence[WagerDue], paytable: Paytable) -> Fault | None:
    """Return the error in this round: exactly one finding for the audit. None where the round does not offer the chance.

    `name` is one of UTH_FAULTS or PAYROLL_FAULTS and of the round's game, else KeyError. `raw_round` as `players` deals it.
    """
    settled = _Settled(raw_round, dues, paytable)
    if name in PAYROLL_FAULTS:
        paid = _pot_misshared(settled)
        return Fault(name, "pot_split", None, "pot", {str(seat): _done("pot", 0, share) for seat, share in paid.items()}) if paid else None
    kind, differences = _UTH[name]
    for due, collected, paid_out in differences(settled):
        if (collected, paid_out) != (due.collect, due.pay):
            return Fault(name, kind, due.seat, due.kind, {str(due.seat): _done(due.kind, collected, paid_out)})
    return None


def _done(kind: str, collected: int, paid: int) -> dict[str, dict[str, int]]:
    return {kind: {"collected": collected, "paid": paid}}


def fault_in(name: str, raw_round: Mapping[str, Any], paytable: Paytable) -> Fault | None:
    """Return the error in a round that is yet to be settled, or None. Raises InvalidSlip for a round that the game refuses."""
    game = games()[paytable.game]
    settlement = game.settle(game.read(raw_round, paytable), paytable)
    return plant(name, raw_round, settlement.dues, paytable)


# ---- dealing for a chance ----


def deal_for(name: str, rng: random.Random, bettors: Sequence[Bettor], label: str, paytable: Paytable) -> dict[str, Any]:
    """Return a round of Ultimate Texas Hold'em that offers the chance for this error, as dealt. Raises NoChance."""
    return _first(name, lambda: deal_uth(rng, bettors, label), paytable)


def deal_payroll_for(name: str, rng: random.Random, seats: Sequence[int], button: int, label: str, paytable: Paytable) -> dict[str, Any]:
    """Return a round of Payroll, for the paytable's ante, that offers the chance for this error, as dealt. Raises NoChance."""
    return _first(name, lambda: deal_payroll(rng, seats, button, paytable.rules["ante"], label), paytable)


def _first(name: str, deal: Callable[[], dict[str, Any]], paytable: Paytable) -> dict[str, Any]:
    """Return the first round dealt that offers the chance."""
    for _ in range(MOST_TRIES):
        raw_round = deal()
        if fault_in(name, raw_round, paytable) is not None:
            return raw_round
    raise NoChance(f"None of {MOST_TRIES} rounds offered the chance for “{name}”: do these patrons make the wager that it takes?")
