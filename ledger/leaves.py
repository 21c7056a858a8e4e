"""The bytes of a sealed fact: exact, in a fixed order, the same tomorrow. Pure.

A leaf is a version byte, then fields, each after its length (four bytes, big-endian): first the kind's name, then the kind's fields in the
order that the segment's first leaf, its head, names them. NULL is the length 0xFFFFFFFF and nothing after it; empty is the length 0.

    int     8 bytes, signed        time  8 bytes, signed microseconds since 1970 UTC      date   4 bytes, signed days since 1970
    bool    1 byte                 uuid  16 bytes                                         bytes  as they are
    text, json   UTF-8             secret  SHA-256 of salt and text; empty where the text is empty      digest  SHA-256 of the text

Beside its leaf every fact has a check: the leaf's hash and a CRC-32 of each field. The checks' SHA-256 is signed too, so that whoever
finds a leaf changed can say in which field. Source: spec/books.md, "Sealing a shift".
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID
from zlib import crc32

VERSION = b"\x01"
NULL = b"\xff\xff\xff\xff"
HEAD = (("property", "uuid"), ("shift", "uuid"), ("gaming_day", "date"), ("kinds", "json"))
"""The fields of a segment's first leaf; `kinds` says what the other leaves' fields are: {kind: [[name, type], …]}."""
SEGMENT = (
    ("number", "int"),
    ("property", "uuid"),
    ("shift", "uuid"),
    ("gaming_day", "date"),
    ("leaves", "int"),
    ("root", "bytes"),
    ("checks", "bytes"),
)
"""The fields of a shift's leaf in the outer tree."""
SALT_BYTES = 16

Parts = Sequence[bytes | None]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_ONE = date(1970, 1, 1).toordinal()
_LENGTH = struct.Struct(">I").pack
_EIGHT = struct.Struct(">q").pack
_FOUR = struct.Struct(">i").pack


def micros(moment: datetime) -> int:
    """Return an aware moment as whole microseconds since 1970 UTC: all that the database keeps of it."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _time(value: datetime) -> bytes:
    return _EIGHT(micros(value))


def _date(value: date) -> bytes:
    return _FOUR(value.toordinal() - _DAY_ONE)


def _bool(value: bool) -> bytes:
    return b"\x01" if value else b"\x00"


def _uuid(value: UUID) -> bytes:
    return value.bytes


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode()).digest()


ENCODERS: Mapping[str, Callable[[Any], bytes]] = {
    "int": _EIGHT,
    "time": _time,
    "date": _date,
    "bool": _bool,
    "uuid": _uuid,
    "bytes": bytes,
    "text": str.encode,
    "json": str.encode,
    "secret": bytes,
    "digest": _digest,
}
"""What makes a field's bytes of a value; a `secret`'s value is its hash (`hide`) already."""


def hide(text: str, salt: bytes) -> bytes:
    """Return what stands in a leaf for a free text: nothing for none, else the SHA-256 of salt and text."""
    return hashlib.sha256(salt + text.encode()).digest() if text else b""


def parts_of(types: Sequence[str], values: Sequence[Any]) -> list[bytes | None]:
    """Return the fields' bytes, None for NULL. Raises struct.error, TypeError for a value that its type cannot hold."""
    return [None if value is None else ENCODERS[kind](value) for kind, value in zip(types, values, strict=True)]


def leaf_of(kind: str, parts: Parts) -> bytes:
    """Return the leaf's bytes."""
    name = kind.encode()
    out = [VERSION, _LENGTH(len(name)), name]
    for part in parts:
        if part is None:
            out.append(NULL)
        else:
            out.append(_LENGTH(len(part)))
            out.append(part)
    return b"".join(out)


def check_of(leaf_hash: bytes, parts: Parts) -> bytes:
    """Return the leaf's check: its hash, the number of its fields in two bytes, each field's CRC-32 in four."""
    sums = [crc32(b"\x00") if part is None else crc32(b"\x01" + part) for part in parts]
    return leaf_hash + struct.pack(f">H{len(sums)}I", len(sums), *sums)


def head(property: UUID, shift: UUID, day: date, kinds: Mapping[str, Sequence[tuple[str, str]]]) -> list[bytes | None]:
    """Return the fields of a segment's first leaf."""
    named = json.dumps({name: [list(field) for field in kinds[name]] for name in sorted(kinds)}, separators=(",", ":"))
    return parts_of([kind for _, kind in HEAD], [property, shift, day, named])


def read(content: bytes) -> tuple[str, list[bytes | None]]:
    """Return a leaf's kind and fields. Raises ValueError for bytes that are no leaf."""
    if content[:1] != VERSION:
        raise ValueError("no leaf of a known version")
    fields: list[bytes | None] = []
    at = 1
    while at < len(content):
        prefix, at = content[at : at + 4], at + 4
        if prefix == NULL:
            fields.append(None)
            continue
        length = int.from_bytes(prefix, "big")
        if len(prefix) < 4 or at + length > len(content):
            raise ValueError("a field is longer than its leaf")
        fields.append(content[at : at + length])
        at += length
    if not fields or fields[0] is None:
        raise ValueError("a leaf without a kind")
    return fields[0].decode(), fields[1:]
