"""Canonical JSON (RFC 8785) of the values that Pitbook hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

_LARGEST = 2**53 - 1


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 bytes of `value`: objects, lists, text, whole numbers up to 2^53 - 1, true, false, null.

    Raises ValueError for anything else; there is no float in Pitbook's hashes. Source: RFC 8785, sections 3.2.2 and 3.2.3.
    """
    if _is_plain(value):
        return canonical_plain(value)
    return _slowly(value)


def canonical_plain(value: Any) -> bytes:
    """Return `canonical_json` of a value that its caller made of the very types of JSON alone, keys of ASCII: nobody looks whether it did."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER)
    except orjson.JSONEncodeError:  # a whole number that is too large, or half of a surrogate pair: said there
        return _slowly(value)


def _slowly(value: Any) -> bytes:
    return json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


_LEAVES = {str, int, bool, type(None)}


def _is_plain(value: Any) -> bool:
    """Return whether `value` is made of the very types of JSON alone, its keys of ASCII, which sort alike in every encoding."""
    kind = type(value)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or (type(item) not in _LEAVES and not _is_plain(item)):
                return False
        return True
    if kind is list or kind is tuple:
        for item in value:  # noqa: SIM110 - half the time of all(…)
            if type(item) not in _LEAVES and not _is_plain(item):
                return False
        return True
    return kind in _LEAVES


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("keys of canonical JSON are text")
        return {key: _ordered(value[key]) for key in sorted(value, key=lambda key: key.encode("utf-16-be"))}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int) and -_LARGEST <= value <= _LARGEST:
        return value
    raise ValueError(f"{value!r} has no canonical JSON here")
