"""Reading the shape of a round: strict JSON, and fields of the right type that become values, or faults with their places. Pure.

Source: spec/rounds.md, "Common" and the shape step of "Errors".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

from casino.errors import InvalidSlip
from casino.money import CEILING, Minor
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


LONGEST_LINE = 2**18
"""Bytes. A round of eight seats with its own paytable takes some five thousand."""

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


# ---- JSON ----


def parse_line(line: bytes | str) -> dict[str, Any]:
    """Return the one JSON object on `line`, keys in their order. Raises InvalidSlip (`bad_json`).

    Refused are a key twice, NaN and Infinity, bad UTF-8 (also a lone surrogate by its escape), and lines beyond LONGEST_LINE. A byte-order
    mark is passed over. A number with a fraction or an exponent, and minus zero, come back as floats: no whole number that a field takes.
    """
    text = _decode(line)
    found = _decode_json(text, _PATIENT if _MINUS_ZERO.search(text) else _QUICK)
    if not isinstance(found, dict):
        _refuse(f"it is {shown(found)}, not an object")
    if _SURROGATE.search(text):
        _check_unicode(found)
    return found


def _decode(line: bytes | str) -> str:
    if len(line) > LONGEST_LINE:
        _refuse(f"it is longer than {LONGEST_LINE} bytes")
    try:
        text = line.decode() if isinstance(line, bytes) else line.encode().decode()
    except UnicodeError:
        _refuse("it is not UTF-8")
    return text.removeprefix("\ufeff")


def _decode_json(text: str, decoder: json.JSONDecoder) -> Any:
    try:
        return decoder.decode(text)
    except RecursionError:
        _refuse("it is nested too deeply")
    except json.JSONDecodeError as error:
        _refuse(f"{error.msg} at character {error.pos + 1}")
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        return _decode_json(text, _PATIENT)


def _refuse(reason: str) -> NoReturn:
    raise InvalidSlip("bad_json", f"The line is not one JSON object: {reason}.")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        _refuse(f"the key {shown(counted.most_common(1)[0][0])} stands there twice")
    return found


def _no_constant(name: str) -> NoReturn:
    _refuse(f"{name} is no number")


def _patient_whole(digits: str) -> int | float:
    """Return a whole number; of one beyond all amounts only the beginning, which Python would refuse to read or take long over."""
    return -0.0 if digits == "-0" else int(digits[:40])


def _check_unicode(found: dict[str, Any]) -> None:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (UnicodeError, RecursionError):
        _refuse("half of a surrogate pair is no character")


_QUICK = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)
_PATIENT = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_int=_patient_whole)
_MINUS_ZERO = re.compile(r"-0(?=[\s,\]}])")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


# ---- fields ----


def read_object(raw: Any, fields: Mapping[str, Reader], required: frozenset[str], path: Path, faults: Faults) -> dict[str, Any]:
    """Return what the fields of the JSON object `raw` mean, by name, and add to `faults` what is wrong with any of them.

    `fields` names every field that the object may have and `required` those that it must.
    """
    if isinstance(raw, Mapping):
        try:
            values = {name: fields[name](value) for name, value in raw.items()}
        except (KeyError, Misread):
            return _explain(raw, fields, required, path, faults)
        if required <= values.keys():
            return values
        return _explain(raw, fields, required, path, faults)
    faults.add("bad_type", path, f"An object is due here, not {shown(raw)}.")
    return {}


def read_shape(raw: Mapping[str, Any], shape: Shape) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the round's own fields and those of its seats as they stand on the line. Raises InvalidSlip with every fault of the shape."""
    faults = Faults(raw)
    found = read_object(raw, shape.round_fields, shape.round_required, (), faults)
    seats = [
        read_object(seat, shape.seat_fields, shape.seat_required, ("seats", place), faults)
        for place, seat in enumerate(found.get("seats", ()))
    ]
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


def amount(value: Any) -> Minor:
    """Read minor units, from 0."""
    if type(value) is int and 0 <= value < CEILING:
        return Minor(value)
    raise Misread("bad_amount", f"{shown(value)} is no amount: it is a whole number of minor units, from 0 and below 10^15.")


def stake(value: Any) -> Minor:
    """Read minor units, from 1."""
    if type(value) is int and 0 < value < CEILING:
        return Minor(value)
    raise Misread("bad_amount", f"{shown(value)} is no stake: it is a whole number of minor units, from 1 and below 10^15.")


def whole(value: Any) -> int:
    """Read a whole number of any size: what it numbers is checked later."""
    if type(value) is int:
        return value
    raise Misread("bad_type", f"A whole number is due here, not {shown(value)}.")


def count(value: Any) -> int:
    """Read a whole number from 0, below 10^15."""
    if 0 <= whole(value) < CEILING:
        return int(value)
    raise Misread("bad_type", f"{shown(value)} counts nothing: a whole number from 0 is due here.")


def counts(value: Any) -> tuple[int, ...]:
    """Read a list of whole numbers from 0."""
    return tuple(_each(value, count))


def flag(value: Any) -> bool:
    """Read true or false."""
    if value is True or value is False:
        return bool(value)
    raise Misread("bad_type", f"true or false is due here, not {shown(value)}.")


def text(value: Any) -> str:
    """Read a text of characters that can be kept: none is NUL or half of a surrogate pair."""
    if not isinstance(value, str):
        raise Misread("bad_type", f"A text is due here, not {shown(value)}.")
    if "\0" in value or not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise Misread("bad_type", "A character of this text cannot be kept.")
    return value


def label(value: Any) -> str:
    """Read a text of 1 to 64 characters."""
    if 1 <= len(text(value)) <= LONGEST_LABEL:
        return str(value)
    raise Misread("bad_type", f"A text of 1 to {LONGEST_LABEL} characters is due here.")


def objects(value: Any) -> list[Any]:
    """Read a list, whose items are read later."""
    if isinstance(value, list):
        return value
    raise Misread("bad_type", f"A list is due here, not {shown(value)}.")


def reference_or_version(value: Any) -> Any:
    """Let a paytable through: its reference or a whole version object; what it says is read elsewhere."""
    if isinstance(value, (str, Mapping)):
        return value
    raise Misread("bad_type", f"A paytable's reference or a whole version is due here, not {shown(value)}.")


def cards(value: Any) -> Cards:
    """Read a list of cards, or one text with cards one after the other."""
    try:
        if type(value) is list:
            return tuple([CODES[name] for name in value])
        if isinstance(value, str):
            return tuple([CODES[name] for name in split_cards(value)])
    except (KeyError, TypeError):
        return tuple(_each(split_cards(value) if isinstance(value, str) else value, card))
    raise Misread("bad_type", f"Cards are due here, not {shown(value)}.")


def card(value: Any) -> int:
    """Read one card in one of its spellings."""
    if not isinstance(value, str):
        raise Misread("bad_type", f"A card is due here, not {shown(value)}.")
    if value in CODES:
        return CODES[value]
    raise Misread(
        "bad_card", f"{shown(value)} is no card: a rank 2 to 9, T, J, Q, K, A and a suit c, d, h, s, as in “As”.", text=value[:40]
    )


def cards_or_count(value: Any) -> Cards | int:
    """Read cards, or how many they were where nobody saw them."""
    return count(value) if type(value) in (int, float) else cards(value)


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
