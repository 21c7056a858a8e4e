"""Reading the shape of a round: fields of the right type become values, others faults with their places. Pure.

Source: spec/rounds.md, "Common" and the shape step of "Errors".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from casino.money import CEILING
from tables.engine.cards import CODES, split_cards
from tables.engine.faults import Faults, Path, shown

Reader = Callable[[Any], Any]
"""Takes a JSON value and returns what it means, or raises Misread."""

Cards = tuple[int, ...]


class Shape(NamedTuple):
    """The fields that a round and each of its seats may have, and those that they must have."""

    round_fields: Mapping[str, Reader]
    round_required: frozenset[str]
    seat_fields: Mapping[str, Reader]
    seat_required: frozenset[str]

    @classmethod
    def of(cls, round_fields: Mapping[str, Reader], seat_fields: Mapping[str, Reader], required: str) -> Shape:
        """Return the shape of a game: the fields that all rounds have and these, of which those named in `required` must be there."""
        every_round = {"game": text, "id": label, "paytable": reference_or_version, "seats": objects}
        names = frozenset(required.split())
        of_round = every_round | dict(round_fields)
        of_seat = {"seat": whole} | dict(seat_fields)
        return cls(of_round, names & of_round.keys() | {"game", "id", "seats"}, of_seat, names & of_seat.keys() | {"seat"})


LONGEST_LABEL = 64


class Misread(Exception):
    """A field does not hold what it should: one or more of (code, path inside the field, message, facts)."""

    def __init__(self, code: str, message: str, path: Path = (), **facts: Any) -> None:
        super().__init__(message)
        self.faults = [(code, path, message, facts)]

    @classmethod
    def several(cls, wrong: list[Misread]) -> Misread:
        """Return one that holds the faults of all of `wrong`."""
        first = wrong[0]
        first.faults = [fault for misread in wrong for fault in misread.faults]
        return first


def read_object(raw: Any, fields: Mapping[str, Reader], required: frozenset[str], path: Path, faults: Faults) -> dict[str, Any]:
    """Return what the fields of the JSON object `raw` mean, by name, and add to `faults` what is wrong with any of them.

    `fields` names every field that the object may have and `required` those that it must.
    """
    if type(raw) is dict or isinstance(raw, Mapping):
        try:
            values = {name: fields[name](value) for name, value in raw.items()}
        except (KeyError, Misread):
            return _explain(raw, fields, required, path, faults)
        if required.issubset(values):
            return values
        return _explain(raw, fields, required, path, faults)
    faults.add("bad_type", path, f"An object is due here, not {shown(raw)}.", needs="object")
    return {}


def read_shape(raw: Mapping[str, Any], shape: Shape) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the round's own fields and those of its seats as they stand on the line. Raises InvalidSlip with every fault of the shape."""
    faults = Faults(raw)
    found = read_object(raw, shape.round_fields, shape.round_required, (), faults)
    seats = [read_object(seat, shape.seat_fields, shape.seat_required, ("seats", place), faults) for place, seat in enumerate(found.get("seats", ()))]
    faults.raise_any()
    return found, seats


def _explain(raw: Mapping[str, Any], fields: Mapping[str, Reader], required: frozenset[str], path: Path, faults: Faults) -> dict[str, Any]:
    """Read field by field, and say of each what is wrong with it."""
    values = {}
    for name in fields:
        if name in required and name not in raw:
            faults.add("missing_field", (*path, name), f"{shown(name)} is missing.")
    for name, value in raw.items():
        if name not in fields:
            faults.add("unknown_field", (*path, name), f"{shown(name)} is no field that is known here.")
            continue
        try:
            values[name] = fields[name](value)
        except Misread as wrong:
            for code, inside, message, facts in wrong.faults:
                faults.add(code, (*path, name, *inside), message, **facts)
    return values


def nested(fields: Mapping[str, Reader], required: frozenset[str] = frozenset()) -> Reader:
    """Return a reader of a JSON object with these fields."""

    def read(value: Any) -> dict[str, Any]:
        faults = Faults({})
        values = read_object(value, fields, required, (), faults)
        if faults.found:
            raise Misread.several([Misread(fault.code, fault.message, fault.path, **fault.facts) for fault in faults.found])
        return values

    return read


def amount(value: Any) -> int:
    """Read minor units, from 0."""
    if type(value) is int and 0 <= value < CEILING:
        return value
    raise Misread("bad_amount", f"{shown(value)} is no amount: it is a whole number of minor units, from 0 and below 10^15.", needs="amount")


def stake(value: Any) -> int:
    """Read minor units, from 1."""
    if type(value) is int and 0 < value < CEILING:
        return value
    raise Misread("bad_amount", f"{shown(value)} is no stake: it is a whole number of minor units, from 1 and below 10^15.", needs="stake")


def whole(value: Any) -> int:
    """Read a whole number of any size: what it numbers is checked later."""
    if type(value) is int:
        return value
    raise Misread("bad_type", f"A whole number is due here, not {shown(value)}.", needs="whole number")


def count(value: Any) -> int:
    """Read a whole number from 0, below 10^15."""
    if 0 <= whole(value) < CEILING:
        return int(value)
    raise Misread("bad_type", f"{shown(value)} counts nothing: a whole number from 0 is due here.", needs="count")


def counts(value: Any) -> tuple[int, ...]:
    """Read a list of whole numbers from 0, below 10^15."""
    if type(value) is list and not [item for item in value if type(item) is not int or not 0 <= item < CEILING]:
        return tuple(value)
    return tuple(_each(value, count))


def flag(value: Any) -> bool:
    """Read true or false."""
    if value is True or value is False:
        return bool(value)
    raise Misread("bad_type", f"true or false is due here, not {shown(value)}.", needs="flag")


def text(value: Any) -> str:
    """Read a text of characters that can be kept: none is NUL or half of a surrogate pair."""
    if not isinstance(value, str):
        raise Misread("bad_type", f"A text is due here, not {shown(value)}.", needs="text")
    if "\0" in value or (not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value)):
        raise Misread("bad_type", "A character of this text cannot be kept.", needs="characters")
    return value


def label(value: Any) -> str:
    """Read a text of 1 to 64 characters."""
    if 1 <= len(text(value)) <= LONGEST_LABEL:
        return str(value)
    raise Misread("bad_type", f"A text of 1 to {LONGEST_LABEL} characters is due here.", needs="label", most=LONGEST_LABEL)


def objects(value: Any) -> list[Any]:
    """Read a list, whose items are read later."""
    if isinstance(value, list):
        return value
    raise Misread("bad_type", f"A list is due here, not {shown(value)}.", needs="list")


def reference_or_version(value: Any) -> Any:
    """Let a paytable through: its reference or a whole version object; what it says is read elsewhere."""
    if isinstance(value, (str, Mapping)):
        return value
    raise Misread("bad_type", f"A paytable's reference or a whole version is due here, not {shown(value)}.", needs="paytable")


def cards(value: Any) -> Cards:
    """Read a list of cards, or one text with cards one after the other."""
    try:
        if type(value) is list:
            return tuple([CODES[name] for name in value])
        if isinstance(value, str):
            return tuple([CODES[name] for name in split_cards(value)])
    except (KeyError, TypeError):
        return tuple(_each(split_cards(value) if isinstance(value, str) else value, card))
    raise Misread("bad_type", f"Cards are due here, not {shown(value)}.", needs="cards")


def card(value: Any) -> int:
    """Read one card in one of its spellings."""
    if not isinstance(value, str):
        raise Misread("bad_type", f"A card is due here, not {shown(value)}.", needs="card")
    if value in CODES:
        return CODES[value]
    raise Misread("bad_card", f"{shown(value)} is no card: a rank 2 to 9, T, J, Q, K, A and a suit c, d, h, s, as in “As”.", text=value[:40])


def lone_card(value: Any) -> Cards:
    """Read a text that is one card; one of several cards, or of none, is left to be counted."""
    if isinstance(value, str) and value in CODES:
        return (CODES[value],)
    pieces = split_cards(value) if isinstance(value, str) else [value]
    return cards(value) if all(isinstance(piece, str) and piece in CODES for piece in pieces) else (card(value),)


def cards_or_count(value: Any) -> Cards | int:
    """Read cards, or how many they were where nobody saw them."""
    return count(value) if isinstance(value, (int, float)) else cards(value)


def _each(value: Any, reader: Reader) -> list[Any]:
    """Read every item of a list, and raise Misread with all that is wrong with any."""
    found, wrong = [], []
    for place, item in enumerate(objects(value)):
        try:
            found.append(reader(item))
        except Misread as misread:
            misread.faults = [(code, (place, *path), message, facts) for code, path, message, facts in misread.faults]
            wrong.append(misread)
    if wrong:
        raise Misread.several(wrong)
    return found
