"""Rounds as they fall from shuffled decks among sensible patrons, in the JSON shape of a recorded round. Pure: chance is handed in.

Source: spec/rounds.md, "Ultimate Texas Hold'em" and "Payroll".
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from casino.management.demo.payroll_table import PayrollTable
from casino.management.demo.uth_strategy import calls_on_river, raises_before_flop, raises_on_flop
from tables.engine.cards import NAMES, card_names

_DECK = range(len(NAMES))


@dataclass(frozen=True)
class Bettor:
    """A patron of Ultimate Texas Hold'em: seat, wagers in minor units (`trips` 0: none), and how well he keeps to the strategy.

    `discipline` is the share of decisions made by the book, 0 to 1; the others raise too little, wait on the flop, or chase on the river.
    """

    seat: int
    ante: int
    trips: int = 0
    discipline: float = 1.0


def deal_uth(rng: random.Random, bettors: Sequence[Bettor], label: str) -> dict[str, Any]:
    """Return a round of Ultimate Texas Hold'em: seats ascending, every card different. A hand folded without trips was seen by nobody."""
    cards = rng.sample(_DECK, 7 + 2 * len(bettors))
    board, dealer, holes = cards[:5], cards[5:7], cards[7:]
    seated = sorted(bettors, key=attrgetter("seat"))
    seats = [_play_uth(rng, bettor, holes[2 * place : 2 * place + 2], board) for place, bettor in enumerate(seated)]
    return {"game": "uth", "id": label, "community": card_names(board), "dealer": card_names(dealer), "seats": seats}


def _play_uth(rng: random.Random, bettor: Bettor, hole: list[int], board: list[int]) -> dict[str, Any]:
    """Return the seat's line of the round."""
    street, times = _decide(rng, bettor.discipline, hole, board)
    shown = {"cards": card_names(hole)} if times or bettor.trips else {}
    trips = {"trips": bettor.trips} if bettor.trips else {}
    played = {"play": times * bettor.ante, "street": street} if times else {"folded": True}
    return {"seat": bettor.seat, **shown, "ante": bettor.ante, "blind": bettor.ante, **trips, **played}


def _decide(rng: random.Random, discipline: float, hole: list[int], board: list[int]) -> tuple[str, int]:
    """Return on which street the hand is played and for how many antes; 0 antes is a fold on the river."""
    if raises_before_flop(hole):
        return "preflop", 3 if _strays(rng, discipline) else 4
    if raises_on_flop(hole, board[:3]) and not _strays(rng, discipline):
        return "flop", 2
    return "river", int(calls_on_river(hole, board) or _strays(rng, discipline))


def _strays(rng: random.Random, discipline: float) -> bool:
    return rng.random() >= discipline


def deal_payroll(rng: random.Random, seats: Sequence[int], button: int, ante: int, label: str) -> dict[str, Any]:
    """Return a round of Payroll with these patrons' `seats`, one of them the `button`'s: seats ascending, `ante` in minor units."""
    table = PayrollTable(rng, seats, button, ante)
    table.play()
    return {"game": "payroll", "id": label, "button": button, "ante": ante, "seats": table.lines()}
