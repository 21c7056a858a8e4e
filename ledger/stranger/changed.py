"""Where a shift is not the sealed one: the first leaf that differs, and which of its fields."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

from ledger.stranger.bundle import Bundle
from ledger.stranger.leaves import HEAD, fields_of, named
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken
from ledger.stranger.work import bytes_of, place_of

LABELS = ("reference", "label", "key", "uuid", "session")


def look_at_checks(bundle: Bundle, number: int, sealed: bytes) -> None:
    """Raise Broken where a segment's file of checks is not the one that was signed, or is missing. `sealed` is its SHA-256."""
    digest = hashlib.sha256()
    name = f"checks/{number:06d}.bin"
    with bundle.opened(name) as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    if digest.digest() != sealed:
        raise Broken(TAMPERED, f"{name} is not the one that was signed")


def sealed_checks(bundle: Bundle, number: int, sealed: bytes) -> list[tuple[bytes, list[int]]]:
    """Return each leaf's hash and its fields' checks, where the file is the one that was signed; else nothing."""
    try:
        look_at_checks(bundle, number, sealed)
    except Broken:
        return []
    with bundle.opened(f"checks/{number:06d}.bin") as file:
        content = file.read()
    found, at = [], 0
    while at < len(content):
        fields = int.from_bytes(content[at + 32 : at + 34], "big")
        sums = [int.from_bytes(content[at + 34 + 4 * i : at + 38 + 4 * i], "big") for i in range(fields)]
        found.append((content[at : at + 32], sums))
        at += 34 + 4 * fields
    return found


def first_change(bundle: Bundle, number: int, here: list[bytes], outer: dict[str, Any], kinds: dict[str, Any]) -> tuple[int, int, str]:
    """Return (exit code, index, words) of the first leaf of a segment that is not the sealed one; index -1 where it cannot be named.

    `here` are the hashes of the leaves as they stand, `outer` what is signed of the segment, `kinds` what its head says.
    """
    sealed = sealed_checks(bundle, number, outer["checks"])
    count = len(here)
    if not sealed:
        words = f"{count} of {outer['leaves']} leaves" if count != outer["leaves"] else "a leaf was changed"
        return TAMPERED, -1, f"its root is not the signed one ({words}); without the signed checks the leaf cannot be named"
    first = next((i for i, hashed in enumerate(here) if i >= len(sealed) or hashed != sealed[i][0]), count)
    if first == count:
        return INCOMPLETE, first, f"is missing, and all after it: {count} of {outer['leaves']} leaves are here"
    if first >= len(sealed):
        return TAMPERED, first, "was added: the shift was sealed without it"
    was = next((index for index, (hashed, _) in enumerate(sealed) if hashed == here[first]), None)
    if was is None:
        return TAMPERED, first, changed_fields(leaf_at(bundle, number, first), first, sealed[first][1], kinds)
    if was < first:
        return TAMPERED, first, f"leaf {was} stands a second time"
    return TAMPERED, first, f"is not here; leaf {was} stands in its place: leaves were removed or reordered"


def changed_fields(content: bytes, index: int, sums: list[int], kinds: dict[str, Any]) -> str:
    """Return which fields of a leaf are not the sealed ones, by their checks `sums`."""
    try:
        fields = fields_of(content)
        kind = (fields[0] or b"").decode()
    except ValueError as error:
        return f"?, field bytes: no fact can be read ({error})"
    schema = HEAD if index == 0 else kinds.get(kind)
    if schema is None or len(schema) != len(fields) - 1 or len(sums) != len(schema):
        return f"{kind}: it has other fields than were sealed"
    bad = [
        name
        for (name, _), field, was in zip(schema, fields[1:], sums)  # noqa: B905
        if (zlib.crc32(b"\x00") if field is None else zlib.crc32(b"\x01" + field)) != was
    ]
    if not bad:
        return f"{kind}, field kind, or another whose 32-bit check still agrees: not what was sealed"
    try:
        values = named(schema, fields)
    except Exception:  # whatever a forger wrote
        values = {}
    label = next((f" {values[name]}" for name in LABELS if values.get(name)), "")
    return f"{kind}{label}, field {', '.join(bad)}: not what was sealed"


def leaf_at(bundle: Bundle, number: int, index: int) -> bytes:
    """Return the bytes of the leaf that stands at a place of its segment."""
    at = 0
    with bundle.opened("leaves.ndjson") as file:
        for line in file:
            if (place := place_of(line)) is not None and place[0] == number:
                if at == index:
                    return bytes_of(line)
                at += 1
    return b""
