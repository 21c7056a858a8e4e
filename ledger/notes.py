"""Checkpoints as text: the signed-note form of transparency logs, written and read. Pure; signing is ledger/seal_key.py's.

A note is lines of text, an empty line, and a line a signature: "— name base64(key's four-byte hash and signature)".
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

ED25519 = b"\x01"

Totals = Mapping[tuple[str, str], tuple[int, int]]
"""(arrived, left) in minor units by (currency, account)."""


def b64(content: bytes) -> str:
    """Return base64 text."""
    return base64.b64encode(content).decode()


def stamp(moment: datetime) -> str:
    """Return "2026-03-15T06:00:00.000000Z"."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass(frozen=True)
class Sealed:
    """What a checkpoint says of its shift: the fields of the shift's leaf in the outer tree."""

    number: int
    property: UUID
    shift: UUID
    gaming_day: date
    leaves: int
    root: bytes
    checks: bytes


def checkpoint(origin: str, size: int, outer_root: bytes, sealed: Sealed, totals: Totals, at: datetime) -> str:
    """Return the text that is signed: origin, outer size and root, then the shift, its root and totals, and the time."""
    lines = [
        origin,
        str(size),
        b64(outer_root),
        f"segment {sealed.number}",
        f"property {sealed.property}",
        f"shift {sealed.shift}",
        f"day {sealed.gaming_day.isoformat()}",
        f"leaves {sealed.leaves}",
        f"root {b64(sealed.root)}",
        f"checks {b64(sealed.checks)}",
        *[f"total {currency} {account} +{arrived} -{left}" for (currency, account), (arrived, left) in sorted(totals.items())],
        f"time {stamp(at)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def read_checkpoint(text: str) -> tuple[int, bytes, Sealed]:
    """Return outer size, outer root and what is sealed, of a checkpoint's text, signed or not. Raises ValueError for another text."""
    lines = text.partition("\n\n")[0].splitlines()
    said = dict(line.split(" ", 1) for line in lines[3:] if " " in line and not line.startswith("total "))
    try:
        sealed = Sealed(
            int(said["segment"]),
            UUID(said["property"]),
            UUID(said["shift"]),
            date.fromisoformat(said["day"]),
            int(said["leaves"]),
            base64.b64decode(said["root"], validate=True),
            base64.b64decode(said["checks"], validate=True),
        )
        return int(lines[1]), base64.b64decode(lines[2], validate=True), sealed
    except (KeyError, IndexError) as error:
        raise ValueError(f"no checkpoint: {error} is missing") from error


def short(text: str) -> str:
    """Return a checkpoint's first three lines: enough to hold a later bundle against, and short enough for a QR code."""
    return "".join(f"{line}\n" for line in text.splitlines()[:3])


def rotation(origin: str, public: bytes, at: datetime) -> str:
    """Return the text by which an old key announces a new one."""
    return f"{origin}\nkey {verifier_key(origin, public)}\ntime {stamp(at)}\n"


def read_rotation(note: str) -> tuple[str, bytes]:
    """Return origin and public key of a new key's announcement, signed or not. Raises ValueError for another text."""
    lines = note.partition("\n\n")[0].splitlines()
    if len(lines) < 2 or not lines[1].startswith(f"key {lines[0]}+"):
        raise ValueError("no announcement of a key")
    said = lines[1].removeprefix(f"key {lines[0]}+").partition("+")[2]  # base64 may have a + too
    public = base64.b64decode(said, validate=True)[1:]
    if lines[1] != f"key {verifier_key(lines[0], public)}" or len(public) != 32:
        raise ValueError("the announced key cannot be read")
    return lines[0], public


def key_hash(name: str, public: bytes) -> bytes:
    """Return the four bytes by which a signature names its key."""
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public).digest()[:4]


def fingerprint(public: bytes) -> str:
    """Return the SHA-256 of a public key, 64 hex digits: what people compare."""
    return hashlib.sha256(public).hexdigest()


def verifier_key(name: str, public: bytes) -> str:
    """Return the public key as transparency logs write it: name, hash and key in one line."""
    return f"{name}+{key_hash(name, public).hex()}+{b64(ED25519 + public)}"


def signed(text: str, signatures: Iterable[tuple[str, bytes, bytes]]) -> str:
    """Return the signed note of `text`; each signature is (name, public key, 64 bytes)."""
    lines = [f"— {name} {b64(key_hash(name, public) + signature)}\n" for name, public, signature in signatures]
    return text + "\n" + "".join(lines)


def signature_of(note: str, name: str, public: bytes) -> bytes | None:
    """Return the note's signature by that key, None where there is none."""
    for line in note.partition("\n\n")[2].splitlines():
        words = line.split(" ")
        if len(words) == 3 and words[0] == "—" and words[1] == name:
            try:
                content = base64.b64decode(words[2])
            except ValueError:
                continue
            if content[:4] == key_hash(name, public):
                return content[4:]
    return None
