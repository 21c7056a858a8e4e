"""What stands on the page of a round in hand, as values: a typed field, a seat's line, a wager's spot, a difference. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tables.due_and_done import KeptWager
from tables.engine.game import Field, Settlement
from tables.round_fields import FieldError


@dataclass(frozen=True)
class Typed:
    """One field as it stands on the page; `times`: the multiples that one key types; `key`: the letter that ticks it."""

    name: str
    label: str
    field: Field
    value: str
    errors: Sequence[FieldError] = ()
    cards: Sequence[str] = ()
    times: Sequence[int] = ()
    key: str = ""


@dataclass(frozen=True)
class Spot:
    """One wager on the page: what was due (empty where nothing lies there), what stands as done, how far that is off, what was put down for whom."""

    seat: int
    kind: str
    name: str
    seen_name: str
    due: str = ""
    done: str = ""
    off: int = 0
    why: str = ""
    errors: Sequence[FieldError] = ()
    fund_name: str = ""
    fund: str = ""
    for_dealer_name: str = ""
    for_dealer: bool = False


@dataclass(frozen=True)
class SeatLine:
    """One seat: its fields, its hand, its wagers and their sums (the patron's, minor units; None where nothing is known)."""

    number: int
    fields: Sequence[Typed]
    spots: Sequence[Spot]
    hand: str = ""
    due: int | None = None
    done: int | None = None
    off: int = 0


@dataclass(frozen=True)
class Difference:
    """One wager on which the dealer did otherwise than due, in words, with what became of it."""

    seat: int
    kind: str
    words: str
    why: str
    status_name: str
    status: str
    note_name: str
    note: str
    missing: bool = False


@dataclass(frozen=True)
class Ruling:
    """What the rules say of what was typed; `settlement` is None where the round is irregular."""

    settlement: Settlement | None
    wagers: Sequence[KeptWager]
