"""What one process does of a check: a batch of one segment's lines, hashed, and each fact checked for itself."""

from __future__ import annotations

import binascii
import datetime
import re
from array import array
from collections.abc import Mapping
from typing import Any

from ledger.stranger.facts import OF_ENTRY, OF_ROUND, check_entry, check_round, columns_of
from ledger.stranger.leaves import Reader, fields_of, leaf_hash
from ledger.stranger.outcome import TAMPERED, Broken

SHARED: dict[str, Any] = {}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)  # noqa: UP017 - Python 3.9
OF_ERASURE = ("segment", "index", "field", "by", "recorded_at")
PLACE = re.compile(rb'\{"segment":([1-9]\d{0,8}),"index":(0|[1-9]\d{0,8}),"bytes":"')
LEAF = re.compile(PLACE.pattern + rb'([A-Za-z0-9+/]*={0,2})"\}\n')
"""A line of leaves.ndjson, in the one form in which export_bundle writes it: what could be read in two ways is no leaf."""


def begin_worker(accounts: dict[str, str] | None, paytables: dict[str, Any], with_names: bool = False) -> None:
    """Keep what every batch is checked against; `with_names`: note also where a text is due."""
    SHARED["accounts"], SHARED["paytables"], SHARED["with_names"] = accounts, paytables, with_names


def place_of(line: bytes) -> tuple[int, int] | None:
    """Return (segment, index) of a line of leaves.ndjson, None where it is none."""
    found = PLACE.match(line)
    return (int(found[1]), int(found[2])) if found else None


def bytes_of(line: bytes) -> bytes:
    """Return the leaf's bytes of a line of leaves.ndjson, none where it is not as it was written."""
    found = LEAF.fullmatch(line)
    try:
        return binascii.a2b_base64(found[3]) if found else b""
    except ValueError:
        return b""


def secret_fields(kinds: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the (kind, field) that are hashes of texts, in the order of the segment's head."""
    return [(kind, name) for kind, schema in kinds.items() for name, type in schema if type == "secret"]


def text_at(index: int, number: int) -> int:
    """Return one number for a text: its leaf's index, and the place of its field in `secret_fields`."""
    return index << 16 | number


class Found:
    """What came of a batch: its segment, its leaves' hashes one after the other, what is wrong as (exit code, index, words), totals, rounds settled.

    `texts`: where a hash stands for a text, as `text_at` counts it. `erasures`: of (segment, index, field) who erased the text and on which day.
    """

    def __init__(self, segment: int) -> None:
        self.segment, self.hashes, self.rounds = segment, b"", 0
        self.texts = array("Q")
        self.erasures: dict[tuple[int, int, str], tuple[str, str]] = {}
        self.wrong: list[tuple[int, int, str]] = []
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
        self.erasures = Reader(kinds.get("text_erasure", []), OF_ERASURE)
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
        """Return what is wrong with a fact, "" for nothing. Raises Broken, or whatever a fact that cannot be read leads to."""
        if fields[0] == b"entry":
            entry = self.entries.read(fields)
            self.found.add_up(entry["transfers"])
            return check_entry(entry, SHARED["accounts"])
        if fields[0] == b"round":
            played = self.rounds.read(fields)
            self.found.rounds += not played["irregular"]
            return check_round(played, self.columns, SHARED["paytables"])
        if fields[0] == b"text_erasure":
            said = self.erasures.read(fields)
            day = (EPOCH + datetime.timedelta(microseconds=said["recorded_at"])).date().isoformat()
            self.found.erasures[said["segment"], said["index"], said["field"]] = (said["by"], day)
        return ""


def check_batch(work: tuple[int, dict[str, Any], list[tuple[int, bytes]]]) -> Found:
    """Return what came of a batch: a segment's number, its kinds, and (index, line) of some of its leaves."""
    segment, kinds, lines = work
    found, hashes = Found(segment), []
    facts = Facts(kinds, found)
    for index, line in lines:
        kind, code, content = "?", TAMPERED, bytes_of(line)
        hashes.append(leaf_hash(content))
        try:
            fields = fields_of(content)
            kind = (fields[0] or b"").decode()
            facts.note_texts(index, fields)
            words = facts.check(fields)
        except Broken as broken:
            code, words = broken.code, str(broken)
        except Exception as error:  # whatever a forger wrote: it is no fact
            words = f"bytes: no fact can be read ({type(error).__name__}: {error})"
        if words:
            found.wrong.append((code, index, f"{kind}, field {words}"))
    found.hashes = b"".join(hashes)
    return found
