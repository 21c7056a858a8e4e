"""The error codes of a round in their order, and the collector that lists every fault of a step as it stands on the line. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casino.errors import Fault, InvalidSlip

Path = tuple[str | int, ...]
"""Where something stands: keys and positions from the outside in, as ("seats", 1, "cards", 0)."""

SHAPE = (
    "bad_json",
    "unknown_game",
    "unknown_paytable",
    "bad_paytable",
    "missing_field",
    "unknown_field",
    "bad_type",
    "bad_card",
    "bad_amount",
)
FACTS = ("too_many_seats", "too_few_seats", "bad_seat", "duplicate_seat", "wrong_card_count", "duplicate_card", "cards_required")
RULES = (
    "blind_not_equal_ante",
    "play_after_fold",
    "missing_play",
    "bad_street",
    "bad_play_multiple",
    "bad_ante",
    "bad_roll",
    "cards_do_not_match_rolls",
    "too_many_kept",
    "too_few_kept",
    "card_in_two_places",
    "unmatched_bet",
    "no_live_seat",
    "inexact_payout",
)
MAY_BE_IRREGULAR = frozenset(RULES) - {"too_few_kept", "card_in_two_places", "no_live_seat"}
"""The starred codes of spec/rounds.md "Errors": against the rules, yet it may have happened."""

_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_PLACES = {code: place for place, code in enumerate((*SHAPE, *FACTS, *RULES))}
_LAST = len(_PLACES)
"""Where a code of one game's own stands: after those that all games share."""


@dataclass(frozen=True)
class PlacedFault(Fault):
    """A fault that also knows the steps of its `where`, so that faults can be brought into the order of the line."""

    path: Path = ()


def as_where(path: Path) -> str:
    """Return "seats[1].cards[0]" for ("seats", 1, "cards", 0)."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def shown(value: object) -> str:
    """Return `value` as a message may quote it: never longer than forty characters, however long it was."""
    if isinstance(value, (list, Mapping)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than thirty digits"
    text = value if isinstance(value, str) else _CONSTANTS.get(repr(value), repr(value))
    return f"“{text}”" if len(text) <= 40 else f"“{text[:39]}…”"


def counted(number: int, noun: str) -> str:
    """Return "1 card", "2 cards"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class LineOrder:
    """Where fields stand on a line as it was written: JSON objects keep the order of their keys."""

    def __init__(self, line: Mapping[str, Any]) -> None:
        self._line = line
        self._places: dict[int, dict[str, int]] = {}

    def place(self, path: Path) -> tuple[int, ...]:
        """Return a tuple that compares as `path` stands on the line; the first step that is not there counts as -1."""
        places: list[int] = []
        inside: Any = self._line
        for step in path:
            if isinstance(step, int):
                places.append(step)
                inside = inside[step] if isinstance(inside, list) and step < len(inside) else None
            elif isinstance(inside, Mapping) and step in inside:
                places.append(self._keys(inside)[step])
                inside = inside[step]
            else:
                return (*places, -1)
        return tuple(places)

    def _keys(self, inside: Mapping[str, Any]) -> dict[str, int]:
        """Return the place of each key of `inside`; kept, so that a line of many faults stays cheap."""
        if id(inside) not in self._places:
            self._places[id(inside)] = {key: place for place, key in enumerate(inside)}
        return self._places[id(inside)]


class Faults:
    """What is wrong in one step of reading a round, added in any order, listed in the order of the codes, then of the line."""

    def __init__(self, line: Mapping[str, Any]) -> None:
        self._line = line
        self.found: list[PlacedFault] = []

    @cached_property
    def order(self) -> LineOrder:
        """Return where fields stand on the line."""
        return LineOrder(self._line)

    def add(self, code: str, path: Path, message: str, **facts: Any) -> None:
        """Note one fault at `path`."""
        self.found.append(PlacedFault(code, message, as_where(path), facts, path))

    def raise_any(self, *, but: frozenset[str] = frozenset()) -> None:
        """Raise InvalidSlip with every fault but those of the codes `but`, in order; return where there is none."""
        if self.found and (left := [fault for fault in self.found if fault.code not in but]):
            left.sort(key=lambda fault: (_PLACES.get(fault.code, _LAST), self.order.place(fault.path)))
            raise InvalidSlip.of(left)
