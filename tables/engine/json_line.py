"""One line, one JSON object: read strictly, refused with its reason; or read quickly where it plainly is one. Pure.

Source: spec/rounds.md, "Common" and `bad_json`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NoReturn

import orjson

from casino.errors import InvalidSlip
from tables.engine.faults import shown

LONGEST_LINE = 2**18
"""Bytes. A round of eight seats with its own paytable takes some five thousand."""


def parse_line(line: bytes | str) -> dict[str, Any]:
    """Return the one JSON object on `line`, keys in their order. Raises InvalidSlip (`bad_json`).

    Refused are a key twice, NaN and Infinity, bad UTF-8 (also a lone surrogate by its escape), and lines beyond LONGEST_LINE. A byte-order
    mark is passed over. A number with a fraction or an exponent, and minus zero, come back as floats: no whole number that a field takes.
    """
    text = _decode(line)
    found = _decode_json(text, _PATIENT if _MINUS_ZERO.search(text) else _QUICK)
    if not isinstance(found, dict):
        _refuse(f"it is {shown(found)}, not an object")
    if _count_keys(found) != text.count(":"):
        _decode_json(text, _DOUBLES)
    if _SURROGATE.search(text):
        _check_unicode(found)
    return found


def plain_object(line: bytes | str) -> dict[str, Any] | None:
    """Return the object on a line that plainly is one, three times as fast as `parse_line`; None where that has to look.

    It is what `parse_line` returns, but for numbers with a fraction, an exponent or more than 64 bits: they are floats here, near their
    value. So whoever finds a fault in the object reads the line again with `parse_line`, and says what is wrong with what stands there.
    """
    if type(line) is not bytes or len(line) > LONGEST_LINE:
        return None
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    # With as many colons as keys no key stands twice (see `_count_keys`); minus zero would come as a plain zero.
    if type(found) is not dict or _count_keys(found) != line.count(b":") or (b"-0" in line and _MINUS_ZERO_BYTES.search(line)):
        return None
    return found


def plain_nested(line: bytes) -> dict[str, Any] | None:
    """Return what `parse_line` would, of a line that plainly is one object with others in it at any depth; None where that has to look.

    A fraction, an exponent or a number of more than 64 bits makes it look, so numbers come out the same here.
    """
    if len(line) > LONGEST_LINE or b" :" in line or b"\t:" in line or b"\n:" in line or b"\r:" in line or _MINUS_ZERO_BYTES.search(line):
        return None
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    # A key ends in a quote and a colon, and nothing else does but a text with an escaped quote: as many as keys means no key twice.
    return found if type(found) is dict and _count_all_keys(found.values()) + len(found) == line.count(b'":') else None


_TEXTS_ALONE = {str}
_NOT_THESE = -(2**20)
"""More than there are keys on the longest line."""


def _count_all_keys(values: Iterable[Any]) -> int:
    """Return how many keys the objects among `values` and in them have; less than none where there is a float."""
    keys = 0
    for value in values:
        kind = type(value)
        if kind is dict:
            keys += len(value) + _count_all_keys(value.values())
        elif kind is list:
            if set(map(type, value)) != _TEXTS_ALONE:  # cards, mostly
                keys += _count_all_keys(value)
        elif kind is float:
            keys += _NOT_THESE
    return keys


def _decode(line: bytes | str) -> str:
    if len(line) > LONGEST_LINE:
        _refuse(f"it is longer than {LONGEST_LINE} bytes")
    try:
        text = line.decode() if isinstance(line, bytes) else line.encode().decode()
    except UnicodeError:
        _refuse("it is not UTF-8")
    return text.removeprefix("\ufeff")


def _count_keys(found: dict[str, Any]) -> int:
    """Return how many keys the object has, with those of the objects in its lists.

    Each key on a line brings a colon. So a line with as many colons as this has no key twice; one with more may have, or colons in texts
    or in objects further in, and is read again by a decoder that looks, and costs a third more.
    """
    keys = len(found)
    for value in found.values():
        if type(value) is list and value and type(value[0]) is dict:
            keys += sum([len(item) for item in value if type(item) is dict])
    return keys


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


def _unique_keys(pairs: list[tuple[str, Any]]) -> None:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        _refuse(f"the key {shown(Counter(keys).most_common(1)[0][0])} stands there twice")


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


_QUICK = json.JSONDecoder(parse_constant=_no_constant)
_PATIENT = json.JSONDecoder(parse_constant=_no_constant, parse_int=_patient_whole)
_DOUBLES = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_int=_patient_whole)
_MINUS_ZERO = re.compile(r"-0(?=[\s,\]}])")
_MINUS_ZERO_BYTES = re.compile(rb"-0(?=[\s,\]}])")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
