"""Leaves and trees: a leaf's bytes taken apart, its hash, and the Merkle tree over all of them (RFC 9162)."""

from __future__ import annotations

import datetime
import hashlib
import struct
from collections.abc import Collection, Sequence
from typing import Any

from ledger.stranger.outcome import parsed

HEAD = [["property", "uuid"], ["shift", "uuid"], ["gaming_day", "date"], ["kinds", "json"]]
SEGMENT = [
    ["number", "int"],
    ["property", "uuid"],
    ["shift", "uuid"],
    ["gaming_day", "date"],
    ["leaves", "int"],
    ["root", "bytes"],
    ["checks", "bytes"],
]
IS_NULL = 0xFFFFFFFF
length_at = struct.Struct(">I").unpack_from


def fields_of(content: bytes) -> list[bytes | None]:
    """Return a leaf's fields as they stand, the kind's name first, None for NULL. Raises ValueError for bytes that are no leaf."""
    if content[:1] != b"\x01":
        raise ValueError("no leaf of a known version")
    fields: list[bytes | None] = []
    ends, whole = 1, len(content)
    try:
        while ends < whole:
            (length,) = length_at(content, ends)
            begins = ends + 4
            if length == IS_NULL:
                ends = begins
                fields.append(None)
            else:
                ends = begins + length
                fields.append(content[begins:ends])
    except struct.error as error:
        raise ValueError("a field's length is cut off") from error
    if ends > whole:
        raise ValueError("a field is longer than its leaf")
    if not fields or fields[0] is None:
        raise ValueError("a leaf without a kind")
    return fields


def value_of(kind: str, content: bytes | None) -> Any:
    """Return a field's value by its type: whole numbers, text, JSON; times as microseconds, dates and UUIDs as text. None for NULL."""
    if content is None:
        return None
    if kind in ("int", "time"):
        if len(content) != 8:
            raise ValueError("a number is not eight bytes long")
        return int.from_bytes(content, "big", signed=True)
    if kind == "uuid":
        text = content.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
    if kind == "text":
        return content.decode()
    if kind == "bool":
        return content == b"\x01"
    if kind == "date":
        return datetime.date.fromordinal(int.from_bytes(content, "big", signed=True) + 719_163).isoformat()
    if kind.startswith("json"):
        return parsed(content)
    return content


class Reader:
    """What reads some fields of leaves of one kind: `names`, or all of them. A check looks at a third of what a leaf says."""

    def __init__(self, schema: Sequence[Sequence[str]], names: Collection[str] | None = None) -> None:
        self.fields = len(schema) + 1
        self.places = [(place, name, kind) for place, (name, kind) in enumerate(schema, start=1) if names is None or name in names]

    def read(self, fields: list[bytes | None]) -> dict[str, Any]:
        """Return the values by their names. Raises ValueError where the leaf has another number of fields than its kind."""
        if len(fields) != self.fields:
            raise ValueError("another number of fields than its kind has")
        return {name: value_of(kind, fields[place]) for place, name, kind in self.places}


def named(schema: Sequence[Sequence[str]], fields: list[bytes | None]) -> dict[str, Any]:
    """Return all values of a leaf by their names. Raises ValueError as `Reader.read` does."""
    return Reader(schema).read(fields)


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A Merkle tree (RFC 9162) that grows leaf by leaf."""

    def __init__(self) -> None:
        self.size = 0
        self.full: list[bytes] = []

    def add(self, hashed: bytes) -> None:
        """Put a leaf's hash at the end."""
        self.full.append(hashed)
        self.size += 1
        size = self.size
        while size % 2 == 0:
            right = self.full.pop()
            self.full.append(node_hash(self.full.pop(), right))
            size //= 2

    def root(self) -> bytes:
        """Return the root."""
        if not self.full:
            return hashlib.sha256(b"").digest()
        root = self.full[-1]
        for left in reversed(self.full[:-1]):
            root = node_hash(left, root)
        return root


def root_by_path(hashed: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to (RFC 9162, 2.1.3.2), None where it is none."""
    if not 0 <= index < size:
        return None
    at, last, root = index, size - 1, hashed
    for step in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            root = node_hash(step, root)
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            root = node_hash(root, step)
        at, last = at // 2, last // 2
    return root if last == 0 else None
