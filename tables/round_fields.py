"""The fields of a round in hand: what they are called, what a table tells them, what may be wrong at one. Pure.

Fields are named `r_community` (of the round), `s2_cards` (of seat 2), `d2_trips` (what the dealer did on seat 2's trips), `w2_trips` (what
was due on it when the person looked), `m2_trips` and `n2_trips` (what became of a difference, and a note), `f2_trips` (what was put down:
chips where it is empty) and `t2_trips` (ticked where it lies for the dealer).
"""

from __future__ import annotations

from dataclasses import dataclass

from casino.money import Notation
from tables.engine.game import Game

GENERAL = ""
"""The name under which errors stand that belong to no field."""


@dataclass(frozen=True)
class TableFacts:
    """What the form needs to know of a table: its code and game, how the house writes money, the zone of its clock."""

    code: str
    game: Game
    notation: Notation
    zone: str


@dataclass(frozen=True)
class FieldError:
    """What is wrong at a field; `waits` where it is only not typed yet."""

    message: str
    code: str = ""
    waits: bool = False


def round_name(field: str) -> str:
    """Return the name of a round's field."""
    return f"r_{field}"


def seat_name(seat: int, field: str) -> str:
    """Return the name of a seat's field."""
    return f"s{seat}_{field}"


def done_name(seat: int, kind: str) -> str:
    """Return the name of the field that says what was done on a wager."""
    return f"d{seat}_{kind}"


def seen_name(seat: int, kind: str) -> str:
    """Return the name of the hidden field that keeps what was shown as due."""
    return f"w{seat}_{kind}"


def status_name(seat: int, kind: str) -> str:
    """Return the name of the field that says what became of a difference."""
    return f"m{seat}_{kind}"


def note_name(seat: int, kind: str) -> str:
    """Return the name of the field for a note on a difference."""
    return f"n{seat}_{kind}"


def fund_name(seat: int, kind: str) -> str:
    """Return the name of the field that says what was put down: chips, cash or promotional."""
    return f"f{seat}_{kind}"


def for_dealer_name(seat: int, kind: str) -> str:
    """Return the name of the field that says that the wager is for the dealer."""
    return f"t{seat}_{kind}"
