"""What one process does of a check: a batch of one segment's lines, hashed, and each fact checked for itself."""

from __future__ import annotations

import base64
import json
import re
from array import array
from collections.abc import Mapping
from typing import Any

from ledger.stranger.facts import OF_ENTRY, OF_ROUND, check_entry, check_round, columns_of
from ledger.stranger.leaves import Reader, fields_of, leaf_hash
from ledger.stranger.outcome import TAMPERED, Broken

SHARED: dict[str, Any] = {}
LINE = re.compile(rb'\s*\{\s*"segment"\s*:\s*(\d{1,9})\s*,\s*"index"\s*:\s*(\d{1,9})\s*,\s*("bytes":")?')


def begin_worker(accounts: dict[str, str] | None, paytables: dict[str, Any], with_names: bool = False) -> None:
    """Keep what every batch is checked against; `with_names`: note also where a text is due."""
    SHARED["accounts"], SHARED["paytables"], SHARED["with_names"] = accounts, paytables, with_names


def place_of(line: bytes, number: int) -> tuple[int, int]:
    """Return (segment, index) of a line of leaves.ndjson."""
    found = LINE.match(line)
    if found:
        return int(found[1]), int(found[2])
    try:
        said = json.loads(line)
        return int(said["segment"]), int(said["index"])
    except (ValueError, KeyError, TypeError) as error:
        raise Broken(TAMPERED, f"leaves.ndjson, line {number} is no leaf") from error


def bytes_of(line: bytes) -> bytes:
    """Return the leaf's bytes of a line of leaves.ndjson, none where it has none."""
    try:
        found = LINE.match(line)
        if found and found[3] and line.endswith(b'"}\n'):  # as export_bundle writes it: no need of a reader of JSON
            return base64.b64decode(line[found.end() : -3], validate=True)
    except ValueError:
        pass
    try:
        return base64.b64decode(json.loads(line)["bytes"], validate=True)
    except (ValueError, KeyError, TypeError):
        return b""


def secret_fields(kinds: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the (kind, field) that are hashes of texts, in the order of the segment's head."""
    return [(kind, name) for kind, schema in kinds.items() for name, type in schema if type == "secret"]


def text_at(index: int, number: int) -> int:
    """Return one number for a text: its leaf's index, and the place of its field in `secret_fields`."""
    return index << 16 | number


class Found:
    """What came of a batch: its segment, its leaves' hashes one after the other, what is wrong as (index, kind, words), totals, rounds settled.

    `texts`: where a hash stands for a text, as `text_at` counts it.
    """

    def __init__(self, segment: int) -> None:
        self.segment, self.hashes, self.rounds = segment, b"", 0
        self.texts = array("Q")
        self.wrong: list[tuple[int, str, str]] = []
        self.totals: dict[tuple[str, str], list[int]] = {}

    def add_up(self, transfers: list[Any]) -> None:
        """Take in what an entry moved: of each (currency, account) what arrived and what left."""
        for _, credit, debit, currency, amount in transfers:
            self.totals.setdefault((currency, credit), [0, 0])[1] += amount
            self.totals.setdefault((currency, debit), [0, 0])[0] += amount


class Facts:
    """The checks of one segment's facts, each by itself; `kinds` is what the segment's head says of its kinds."""

    def __init__(self, kinds: Mapping[str, Any], found: Found) -> None:
        self.found = found
        self.entries, self.rounds = Reader(kinds.get("entry", []), OF_ENTRY), Reader(kinds.get("round", []), OF_ROUND)
        self.columns = columns_of(kinds) if "round" in kinds else []
        self.secrets = self.places_of_secrets(kinds) if SHARED.get("with_names") else {}

    def places_of_secrets(self, kinds: Mapping[str, Any]) -> dict[bytes, list[tuple[int, int]]]:
        """Return of each kind with hidden texts where they stand in its leaves, with their numbers in `secret_fields`."""
        places: dict[bytes, list[tuple[int, int]]] = {}
        for number, (kind, field) in enumerate(secret_fields(kinds)):
            places.setdefault(kind.encode(), []).append((1 + [name for name, _ in kinds[kind]].index(field), number))
        return places

    def note_texts(self, index: int, fields: list[bytes | None]) -> None:
        """Note where a leaf has the hash of a text; an empty field hides none."""
        for place, number in self.secrets.get(fields[0] or b"", ()):
            if fields[place]:
                self.found.texts.append(text_at(index, number))

    def check(self, fields: list[bytes | None]) -> str:
        """Return what is wrong with a fact, "" for nothing. Raises ValueError, KeyError, TypeError, IndexError for one that cannot be read."""
        if fields[0] == b"entry":
            entry = self.entries.read(fields)
            self.found.add_up(entry["transfers"])
            return check_entry(entry, SHARED["accounts"])
        if fields[0] == b"round":
            played = self.rounds.read(fields)
            self.found.rounds += not played["irregular"]
            return check_round(played, self.columns, SHARED["paytables"])
        return ""


def check_batch(work: tuple[int, dict[str, Any], list[tuple[int, bytes]]]) -> Found:
    """Return what came of a batch: a segment's number, its kinds, and (index, line) of some of its leaves."""
    segment, kinds, lines = work
    found, hashes = Found(segment), []
    facts = Facts(kinds, found)
    for index, line in lines:
        kind, content = "?", bytes_of(line)
        hashes.append(leaf_hash(content))
        try:
            fields = fields_of(content)
            kind = (fields[0] or b"").decode()
            facts.note_texts(index, fields)
            words = facts.check(fields)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            words = f"bytes: no fact can be read ({error})"
        if words:
            found.wrong.append((index, kind, words))
    found.hashes = b"".join(hashes)
    return found
