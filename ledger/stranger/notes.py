"""Signed notes: public keys, signatures, and what a checkpoint says."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from typing import Any

from ledger.stranger.ed25519 import ed_verify
from ledger.stranger.leaves import SEGMENT
from ledger.stranger.outcome import CouldNot

NAME = re.compile("[A-Za-z0-9._/-]{1,80}")
"""A log's name, which stands beside its key's fingerprint wherever people compare it: so it has nothing in it that looks like one."""


class Key:
    """A public key: its log's name, its 32 bytes."""

    def __init__(self, text: str) -> None:
        parts = text.strip().split("+", 2)
        try:
            content = base64.b64decode(parts[2], validate=True)
        except (IndexError, ValueError) as error:
            raise CouldNot(f"no public key: {text.strip()[:80]!r}") from error
        self.name, self.public, self.text = parts[0], content[1:], text.strip()
        if not NAME.fullmatch(self.name):
            raise CouldNot(f"a key of this name would be no log's: {self.name[:80]!r}")
        digest = hashlib.sha256(self.name.encode() + b"\n" + content).digest()
        if content[:1] != b"\x01" or len(self.public) != 32 or digest[:4].hex() != parts[1]:
            raise CouldNot(f"no Ed25519 key, or a damaged one: {text.strip()[:80]!r}")
        self.mark = digest[:4]

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the key, as people compare it."""
        return hashlib.sha256(self.public).hexdigest()


def parted(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return a note's signed text, and its signatures as (name, four bytes of the key's hash and 64 of signature)."""
    text, _, rest = note.partition("\n\n")
    signatures = []
    for line in rest.splitlines():
        words = line.split(" ")
        if len(words) == 3 and words[0] == "—":
            try:
                signatures.append((words[1], base64.b64decode(words[2], validate=True)))
            except ValueError:
                continue
    return text + "\n", signatures


def announced_key(note: str) -> Key:
    """Return the key that a note announces, whoever signed it. Raises CouldNot where there is none."""
    lines = parted(note)[0].splitlines()
    return Key(lines[1].partition(" ")[2] if len(lines) > 1 else "")


def signed_by(note: str, keys: Iterable[Key]) -> Key | None:
    """Return the key among `keys` that signed the note, None where none did."""
    text, signatures = parted(note)
    for key in keys:
        for name, content in signatures:
            if name == key.name and content[:4] == key.mark and ed_verify(key.public, text.encode(), content[4:]):
                return key
    return None


def whole(text: str) -> int:
    """Return the whole number from 0 that a text is. Raises ValueError."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError("no whole number")
    return int(text)


class Checkpoint:
    """What a checkpoint says: the log's name, the outer tree's size and root; of a whole one also its shift and totals."""

    def __init__(self, note: str) -> None:
        self.note = note
        text, _ = parted(note)
        lines = text.splitlines()
        try:
            self.origin, self.size = lines[0], whole(lines[1])
            self.root = base64.b64decode(lines[2], validate=True)
            self.said = dict(line.split(" ", 1) for line in lines[3:] if " " in line and not line.startswith("total "))
            self.totals = {}
            for line in lines[3:]:
                if line.startswith("total "):
                    _, currency, account, arrived, left = line.split(" ")
                    self.totals[currency, account] = (int(arrived), -int(left))
        except (IndexError, ValueError) as error:
            raise ValueError("it is no checkpoint") from error

    def is_of(self, outer: dict[str, Any]) -> bool:
        """Return whether its shift is the one of an outer leaf, in every field."""
        try:
            said = (
                int(self.said["segment"]),
                self.said["property"],
                self.said["shift"],
                self.said["day"],
                int(self.said["leaves"]),
                base64.b64decode(self.said["root"]),
                base64.b64decode(self.said["checks"]),
            )
        except (KeyError, ValueError):
            return False
        return said == tuple(outer[name] for name, _ in SEGMENT)


def key_words(keys: list[Key], trusted: Key | str | None) -> str:
    """Return which key was believed, and why."""
    whose = "as you gave it" if trusted else "the bundle's own: compare it with the one you were given"
    return f"Key {keys[0].name}, SHA-256 {keys[0].fingerprint} ({whose})."
