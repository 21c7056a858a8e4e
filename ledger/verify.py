"""The stranger's check of a Pitbook bundle: one file, Python 3.9 or later, nothing but the standard library.

    python verify.py BUNDLE [--checkpoint KNOWN] [--key KEY] [--jobs N]      check a whole bundle
    python verify.py --proof FILE [--checkpoint KNOWN] [--key KEY]           check that one round is in the signed book

KEY is a public key as Pitbook prints it ("pitbook/…+hash+base64"), or a file with one. KNOWN is a file with a checkpoint that you were given
earlier, or its first three lines. Without KEY the bundle's own first key is believed: compare its fingerprint with the one you were given.

Exit code: 0 clean · 2 tampered (the first bad leaf, its shift and field are named) · 3 incomplete, or older than the known checkpoint ·
1 could not run. It shares no code with the program that made the bundle; README.md beside it says what each file is.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import json
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

CLEAN, COULD_NOT, TAMPERED, INCOMPLETE = 0, 1, 2, 3
CEILING = 10**15
BATCH = 1_000
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
SETTLERS: dict[str, Any] = {}
"""A game's two functions by its code: (round, paytable) -> {(seat, wager): (collect, pay)}, and -> the house's rake."""


class CouldNot(Exception):
    """The check could not be run at all."""


class Broken(Exception):
    """Something is not what it says: the exit code, and words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


# ---- Ed25519 (RFC 8032), verifying only ----

ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_D = -121665 * pow(121666, ED_P - 2, ED_P) % ED_P
ED_I = pow(2, (ED_P - 1) // 4, ED_P)


def ed_x(y: int, sign: int) -> int:
    """Return x of a point by its y. Raises ValueError where there is none."""
    if y >= ED_P:
        raise ValueError("no point")
    square = (y * y - 1) * pow(ED_D * y * y + 1, ED_P - 2, ED_P) % ED_P
    x = pow(square, (ED_P + 3) // 8, ED_P)
    if (x * x - square) % ED_P:
        x = x * ED_I % ED_P
    if (x * x - square) % ED_P or (x == 0 and sign):
        raise ValueError("no point")
    return ED_P - x if x & 1 != sign else x


def ed_point(content: bytes) -> tuple[int, int, int, int]:
    """Return the point of 32 bytes in extended coordinates."""
    number = int.from_bytes(content, "little")
    y = number & ((1 << 255) - 1)
    x = ed_x(y, number >> 255)
    return (x, y, 1, x * y % ED_P)


def ed_add(p: tuple[int, int, int, int], q: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return p + q."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % ED_P
    b = (p[1] + p[0]) * (q[1] + q[0]) % ED_P
    c = 2 * p[3] * q[3] * ED_D % ED_P
    d = 2 * p[2] * q[2] % ED_P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % ED_P, g * h % ED_P, f * g % ED_P, e * h % ED_P)


def ed_times(n: int, p: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return n times p."""
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = ed_add(q, p)
        p = ed_add(p, p)
        n >>= 1
    return q


ED_BASE_Y = 4 * pow(5, ED_P - 2, ED_P) % ED_P
ED_BASE = (ed_x(ED_BASE_Y, 0), ED_BASE_Y, 1, ed_x(ED_BASE_Y, 0) * ED_BASE_Y % ED_P)


def ed_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` (64 bytes) is `public`'s (32 bytes) of `message`."""
    if len(public) != 32 or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= ED_L:
        return False
    try:
        r, a = ed_point(signature[:32]), ed_point(public)
    except ValueError:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ED_L
    left, right = ed_times(s, ED_BASE), ed_add(r, ed_times(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % ED_P == 0 and (left[1] * right[2] - right[1] * left[2]) % ED_P == 0


# ---- notes and keys ----


class Key:
    """A public key: its log's name, its 32 bytes."""

    def __init__(self, text: str) -> None:
        parts = text.strip().split("+", 2)
        try:
            content = base64.b64decode(parts[2], validate=True)
        except (IndexError, binascii.Error) as error:
            raise CouldNot(f"no public key: {text.strip()[:80]!r}") from error
        self.name, self.public, self.text = parts[0], content[1:], text.strip()
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
            except binascii.Error:
                continue
    return text + "\n", signatures


def signed_by(note: str, keys: Iterable[Key]) -> Key | None:
    """Return the key among `keys` that signed the note, None where none did."""
    text, signatures = parted(note)
    for key in keys:
        for name, content in signatures:
            if name == key.name and content[:4] == key.mark and ed_verify(key.public, text.encode(), content[4:]):
                return key
    return None


class Checkpoint:
    """What a checkpoint says: the log's name, the outer tree's size and root; of a whole one also its shift and totals."""

    def __init__(self, note: str) -> None:
        self.note = note
        text, _ = parted(note)
        lines = text.splitlines()
        try:
            self.origin, self.size = lines[0], int(lines[1])
            self.root = base64.b64decode(lines[2], validate=True)
            self.said = dict(line.split(" ", 1) for line in lines[3:] if " " in line and not line.startswith("total "))
            self.totals = {}
            for line in lines[3:]:
                if line.startswith("total "):
                    _, currency, account, arrived, left = line.split(" ")
                    self.totals[currency, account] = (int(arrived), -int(left))
        except (IndexError, ValueError) as error:
            raise ValueError("no checkpoint") from error

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


# ---- leaves and trees ----


def fields_of(content: bytes) -> list[bytes | None]:
    """Return a leaf's fields as they stand, the kind's name first, None for NULL. Raises ValueError for bytes that are no leaf."""
    if content[:1] != b"\x01":
        raise ValueError("no leaf of a known version")
    fields: list[bytes | None] = []
    at, end = 1, len(content)
    while at < end:
        length = int.from_bytes(content[at : at + 4], "big")
        at += 4
        if length == 0xFFFFFFFF:
            fields.append(None)
            continue
        if at + length > end:
            raise ValueError("a field is longer than its leaf")
        fields.append(content[at : at + length])
        at += length
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
        import datetime

        return datetime.date.fromordinal(int.from_bytes(content, "big", signed=True) + 719_163).isoformat()
    if kind.startswith("json"):
        return json.loads(content)
    return content


def named(schema: list[list[str]], fields: list[bytes | None]) -> dict[str, Any]:
    """Return the values of a leaf by their names. Raises ValueError where it has another number of fields than its kind."""
    if len(schema) != len(fields) - 1:
        raise ValueError("another number of fields than its kind has")
    return {name: value_of(kind, field) for (name, kind), field in zip(schema, fields[1:])}  # noqa: B905 - Python 3.9 has no strict


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


# ---- what a fact must fulfil by itself ----


def check_entry(entry: dict[str, Any], currencies: dict[str, str] | None) -> str:
    """Return "field: what is wrong" of an entry, "" where it balances: every transfer takes from one account what it gives to another."""
    transfers = entry["transfers"]
    if len(transfers) != entry["transfer_count"]:
        return f"transfer_count: says {entry['transfer_count']}, there are {len(transfers)}"
    for line, (number, credit, debit, currency, amount) in enumerate(transfers, start=1):
        if number != line:
            return f"transfers: line {number} stands in place {line}"
        if type(amount) is not int or not 0 < amount < CEILING:
            return f"transfers: line {line} moves {amount}"
        if credit == debit:
            return f"transfers: line {line} moves from {credit} to itself"
        if currencies is not None:
            for account in (credit, debit):
                if currencies.get(f"{entry['property']} {account}") != currency:
                    return f"transfers: line {line} is in {currency}, {account} is not"
    return ""


def check_round(played: dict[str, Any], columns: list[str], paytables: dict[str, Any]) -> str:
    """Return "field: what is wrong" of a round, "" where its sums agree and its cards, settled once more, say what was due."""
    wagers = [dict(zip(columns, row)) for row in played["wagers"]]  # noqa: B905
    if len(wagers) != played["wager_count"]:
        return f"wager_count: says {played['wager_count']}, there are {len(wagers)}"
    for name, column in (("handle", "stake"), ("collected", "collected"), ("paid", "paid")):
        if played[name] != sum(wager[column] for wager in wagers):
            return f"{name}: {played[name]}, the wagers add up to {sum(wager[column] for wager in wagers)}"
    if played["irregular"]:
        return ""
    paytable, settler = paytables.get(played["paytable_sha256"]), SETTLERS.get(played["game"])
    if paytable is None:
        return f"paytable_sha256: no paytable {played['paytable_sha256'][:12]}… in the bundle"
    if settler is None:
        return f"game: no settler for {played['game']}"
    try:
        dealt = json.loads(played["deal"])
        due, rake = settler[0](dealt, paytable), settler[1](dealt, paytable)
    except Exception as error:
        return f"deal: cannot be settled ({type(error).__name__}: {error})"
    for wager in wagers:
        collect, pay = due.pop((wager["seat"], wager["kind"]), (0, 0))
        if (wager["collect"], wager["pay"]) != (collect, pay):
            said = f"{wager['collect']}/{wager['pay']}"
            return f"wagers: seat {wager['seat']} {wager['kind']} says due {said}, its cards say {collect}/{pay}"
    if played["rake"] != rake:
        return f"rake: {played['rake']}, its cards say {rake}"
    left_over = [place for place, (collect, pay) in due.items() if collect or pay]
    if left_over:
        return f"wagers: seat {left_over[0][0]} {left_over[0][1]} is due and missing"
    return ""


# ---- workers ----

SHARED: dict[str, Any] = {}


def begin_worker(accounts: dict[str, str] | None, paytables: dict[str, Any]) -> None:
    """Keep what every batch is checked against."""
    SHARED["accounts"], SHARED["paytables"] = accounts, paytables


def bytes_of(line: bytes) -> bytes:
    """Return the leaf's bytes of a line of leaves.ndjson, none where it has none."""
    try:
        return base64.b64decode(json.loads(line)["bytes"], validate=True)
    except (ValueError, KeyError, TypeError):
        return b""


def check_batch(
    work: tuple[int, dict[str, Any], list[tuple[int, bytes]]],
) -> tuple[int, bytes, list[tuple[int, str, str]], dict[str, list[int]], int]:
    """Return of a batch of one segment's lines: segment, leaves' hashes, what is wrong as (index, kind, words), totals, rounds settled."""
    segment, kinds, lines = work
    hashes, wrong, totals, rounds = [], [], {}, 0  # type: ignore[var-annotated]
    for index, line in lines:
        kind, words = "?", ""
        content = bytes_of(line)
        hashes.append(leaf_hash(content))
        try:
            fields = fields_of(content)
            kind = fields[0].decode()  # type: ignore[union-attr]
            if kind == "entry":
                entry = named(kinds[kind], fields)
                words = check_entry(entry, SHARED["accounts"])
                for _, credit, debit, currency, amount in entry["transfers"]:
                    totals.setdefault(f"{currency} {credit}", [0, 0])[1] += amount
                    totals.setdefault(f"{currency} {debit}", [0, 0])[0] += amount
            elif kind == "round":
                played = named(kinds[kind], fields)
                rounds += not played["irregular"]
                columns = next(kind for name, kind in kinds["round"] if name == "wagers").partition(":")[2].split(",")
                words = check_round(played, columns, SHARED["paytables"])
        except (ValueError, KeyError, TypeError, IndexError) as error:
            words = f"bytes: no fact can be read ({error})"
        if words:
            wrong.append((index, kind, words))
    return segment, b"".join(hashes), wrong, totals, rounds


# ---- a bundle ----


class Bundle:
    """A folder that `export_bundle` wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.manifest = json.loads((folder / "manifest.json").read_text())
            self.segments = sorted(int(number) for number in self.manifest["segments"])
            self.size = int(self.manifest["size"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CouldNot(f"{folder} is no bundle: manifest.json cannot be read ({error})") from error

    def text(self, name: str) -> str:
        """Return a file's text. Raises Broken (incomplete) where it is missing."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise Broken(INCOMPLETE, f"{name} is missing") from error
        except (OSError, ValueError) as error:
            raise CouldNot(f"{name} cannot be read ({error})") from error

    def objects(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a file of JSON lines."""
        for number, line in enumerate(self.text(name).splitlines(), start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise Broken(TAMPERED, f"{name}, line {number} is no JSON") from error

    def keys(self, trusted: Key | None) -> list[Key]:
        """Return the keys that count: the trusted one (the bundle's first where none is given), and those that follow by announcement."""
        first = trusted or Key(self.text("keys/1.pub"))
        chain, number = [first], 2
        while (self.folder / f"keys/{number}.note").exists():
            note = self.text(f"keys/{number}.note")
            announced = Key(parted(note)[0].splitlines()[1].partition(" ")[2])
            if signed_by(note, chain) is not None:
                chain.append(announced)
            elif announced.public != first.public and trusted is None:
                raise Broken(TAMPERED, f"keys/{number}.note: the new key is not announced by the one before")
            number += 1
        return chain

    def paytables(self) -> dict[str, Any]:
        """Return the paytables by their SHA-256."""
        found = {}
        for path in sorted((self.folder / "paytables").glob("*.json")):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != path.stem:
                raise Broken(TAMPERED, f"paytables/{path.name}: its content is another one's")
            found[path.stem] = json.loads(content)
        return found

    def accounts(self) -> dict[str, str]:
        """Return each account's currency by "property code"."""
        return {f"{account['property']} {account['code']}": account["currency"] for account in json.loads(self.text("accounts.json"))}


LINE = re.compile(rb'\s*\{\s*"segment"\s*:\s*(\d{1,9})\s*,\s*"index"\s*:\s*(\d{1,9})\s*,')


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


class Check:
    """One run over a bundle; what is wrong is gathered, and the first in the book's order is told."""

    def __init__(self, bundle: Bundle, keys: list[Key], known: Checkpoint | None, jobs: int) -> None:
        self.bundle, self.trusted, self.known, self.jobs = bundle, keys, known, jobs
        self.wrong: list[tuple[int, int, int, str]] = []
        self.leaves = self.rounds = 0

    def fault(self, code: int, segment: int, index: int, words: str) -> None:
        """Keep that something is wrong at a leaf; index -1: with the segment as a whole."""
        self.wrong.append((segment, index, code, words))

    def run(self) -> None:
        """Check everything."""
        self.read_outer()
        self.read_checkpoints()
        self.hold_against_known()
        self.read_leaves()
        self.read_names()

    def read_outer(self) -> None:
        """Read every shift's leaf in the outer tree: numbered without gaps, and as many as the newest checkpoint counts."""
        self.outer: dict[int, dict[str, Any]] = {}
        self.roots = [Tree().root()]
        tree = Tree()
        for line in self.bundle.objects("segments.ndjson"):
            number = tree.size + 1
            try:
                content = base64.b64decode(line["bytes"], validate=True)
                fields = fields_of(content)
                outer = named(SEGMENT, fields)
            except (ValueError, KeyError, TypeError) as error:
                raise Broken(TAMPERED, f"segments.ndjson: segment {number} cannot be read ({error})") from error
            if outer["number"] != number or line.get("segment") != number:
                raise Broken(INCOMPLETE, f"segments.ndjson: segment {number} is missing")
            self.outer[number] = outer
            tree.add(leaf_hash(content))
            self.roots.append(tree.root())

    def read_checkpoints(self) -> None:
        """Check each checkpoint's signature, its shift and the outer root that it signs."""
        self.checkpoints: dict[int, Checkpoint] = {}
        for number in sorted({*self.bundle.segments, self.bundle.size}):
            name = f"checkpoints/{number:06d}.txt"
            if number not in self.outer:
                raise Broken(INCOMPLETE, f"segment {number} is not in segments.ndjson")
            try:
                checkpoint = Checkpoint(self.bundle.text(name))
            except ValueError:
                self.fault(TAMPERED, number, -1, f"{name} is no checkpoint")
                continue
            if signed_by(checkpoint.note, self.trusted) is None:
                self.fault(
                    TAMPERED, number, -1, f"{name}: its signature is not by the key {self.trusted[0].fingerprint[:16]}… nor one that it announced"
                )
            elif checkpoint.size != number or checkpoint.root != self.roots[number]:
                self.fault(TAMPERED, number, -1, f"{name}: it signs another list of shifts than segments.ndjson")
            elif not checkpoint.is_of(self.outer[number]):
                self.fault(TAMPERED, number, -1, f"{name}: it signs another shift than segments.ndjson says")
            self.checkpoints[number] = checkpoint
        if len(self.outer) != self.bundle.size:
            raise Broken(TAMPERED, f"segments.ndjson lists {len(self.outer)} shifts, manifest.json says {self.bundle.size}")

    def hold_against_known(self) -> None:
        """Hold the list of shifts against a checkpoint that the reader was given earlier."""
        if self.known is None:
            return
        if self.known.origin != self.trusted[0].name:
            raise Broken(TAMPERED, f"the known checkpoint is of the log {self.known.origin}, the bundle of {self.trusted[0].name}")
        if self.known.size > self.bundle.size:
            self.fault(
                INCOMPLETE,
                self.bundle.size + 1,
                -1,
                f"the known checkpoint counts {self.known.size} shifts, the bundle {self.bundle.size}: "
                f"shifts {self.bundle.size + 1} to {self.known.size} are missing, from their first leaf on",
            )
        elif self.roots[self.known.size] != self.known.root:
            raise Broken(TAMPERED, f"the list of shifts is not the one that the known checkpoint signed at {self.known.size} shifts")

    def batches(self, heads: dict[int, Any]) -> Iterator[tuple[int, dict[str, Any], list[tuple[int, bytes]]]]:
        """Yield the lines of leaves.ndjson, a thousand of one segment at a time; what stands out of its place is a fault."""
        path = self.bundle.folder / "leaves.ndjson"
        if not path.exists():
            raise Broken(INCOMPLETE, "leaves.ndjson is missing")
        now, expected, lines = 0, 0, []  # type: ignore[var-annotated]
        self.counts: dict[int, int] = {}
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and not bytes_of(line):
                    break  # the file was cut off within this line: what is missing is said where the segment is closed
                segment, index = place_of(line, number)
                if segment != now:
                    if lines:
                        yield now, heads.get(now, {}), lines
                    if segment < now or segment in self.counts:
                        self.fault(TAMPERED, segment, index, "stands out of its place in leaves.ndjson")
                    now, expected, lines = segment, 0, []
                if index != expected:
                    words = "is missing" if index > expected else "stands twice, or out of its place"
                    at = expected if index > expected else index
                    self.fault(TAMPERED, segment, at, f"{words}: leaf {index} stands where leaf {expected} belongs")
                expected = index + 1
                if index == 0:
                    heads[segment] = self.read_head(segment, line)
                self.counts[segment] = self.counts.get(segment, 0) + 1
                lines.append((index, line))
                if len(lines) == BATCH:
                    yield now, heads.get(now, {}), lines
                    lines = []
        if lines:
            yield now, heads.get(now, {}), lines

    def read_head(self, segment: int, line: bytes) -> dict[str, Any]:
        """Return what a segment's first leaf says of the fields of each kind."""
        try:
            fields = fields_of(bytes_of(line))
            head = named(HEAD, fields)
            outer = self.outer.get(segment)
            if fields[0] != b"head" or (outer and (head["shift"], head["gaming_day"]) != (outer["shift"], outer["gaming_day"])):
                raise ValueError("it is another shift's")
            kinds: dict[str, Any] = head["kinds"]
            return kinds
        except (ValueError, KeyError, TypeError) as error:
            self.fault(TAMPERED, segment, 0, f"head: the segment's first leaf cannot be read ({error})")
            return {}

    def read_leaves(self) -> None:
        """Hash every leaf, check every fact, and compare each segment's root and totals with what was signed."""
        heads: dict[int, Any] = {}
        hashes: dict[int, list[bytes]] = {}
        totals: dict[int, dict[str, list[int]]] = {}
        shared = (self.bundle.accounts(), self.bundle.paytables())
        for segment, part, wrong, sums, rounds in self.results(heads, shared):
            hashes.setdefault(segment, []).append(part)
            self.leaves += len(part) // 32
            self.rounds += rounds
            for index, kind, words in wrong:
                field, _, what = words.partition(": ")
                self.fault(TAMPERED, segment, index, f"{kind}, field {field}: {what}")
            kept = totals.setdefault(segment, {})
            for account, (arrived, left) in sums.items():
                held = kept.setdefault(account, [0, 0])
                held[0] += arrived
                held[1] += left
        for number in self.bundle.segments:
            self.close_segment(number, b"".join(hashes.get(number, [])), totals.get(number, {}))
        for number in sorted(set(hashes) - set(self.bundle.segments)):
            self.fault(TAMPERED, number, 0, "leaves of a segment that manifest.json does not name")

    def results(self, heads: dict[int, Any], shared: tuple[Any, Any]) -> Iterator[Any]:
        """Yield every batch's result in order: here, or from as many processes as were asked for."""
        if self.jobs < 2:
            begin_worker(*shared)
            yield from map(check_batch, self.batches(heads))
            return
        with get_context("fork" if hasattr(os, "fork") else "spawn").Pool(self.jobs, begin_worker, shared) as pool:
            waiting = []
            for batch in self.batches(heads):
                waiting.append(pool.apply_async(check_batch, (batch,)))
                if len(waiting) > 4 * self.jobs:
                    yield waiting.pop(0).get()
            for result in waiting:
                yield result.get()

    def close_segment(self, number: int, hashes: bytes, totals: dict[str, list[int]]) -> None:
        """Compare a segment's root and totals with its checkpoint's, and find what differs."""
        outer, checkpoint = self.outer[number], self.checkpoints.get(number)
        count = len(hashes) // 32
        if count == 0:
            self.fault(INCOMPLETE, number, 0, "the whole shift is missing, from its first leaf on")
            return
        tree = Tree()
        for at in range(0, len(hashes), 32):
            tree.add(hashes[at : at + 32])
        if count == outer["leaves"] and tree.root() == outer["root"]:
            self.compare_totals(number, checkpoint, totals)
            if not self.sealed_checks(number):
                self.fault(TAMPERED, number, -1, f"checks/{number:06d}.bin is not the one that was signed")
            return
        self.find(number, hashes)

    def compare_totals(self, number: int, checkpoint: Checkpoint | None, totals: dict[str, list[int]]) -> None:
        """Compare what the entries moved with the signed totals."""
        if checkpoint is None:
            return
        signed = {f"{currency} {account}": [arrived, left] for (currency, account), (arrived, left) in checkpoint.totals.items()}
        for account in sorted({*signed, *totals}):
            if signed.get(account) != totals.get(account):
                words = f"total of {account}: signed {signed.get(account)}, the entries say {totals.get(account)}"
                self.fault(TAMPERED, number, -1, words)

    def sealed_checks(self, number: int) -> list[tuple[bytes, list[int]]]:
        """Return each leaf's hash and its fields' checks, where the file is the one that was signed; else nothing."""
        try:
            content = (self.bundle.folder / f"checks/{number:06d}.bin").read_bytes()
        except OSError:
            return []
        if hashlib.sha256(content).digest() != self.outer[number]["checks"]:
            return []
        found, at = [], 0
        while at < len(content):
            fields = int.from_bytes(content[at + 32 : at + 34], "big")
            sums = [int.from_bytes(content[at + 34 + 4 * i : at + 38 + 4 * i], "big") for i in range(fields)]
            found.append((content[at : at + 32], sums))
            at += 34 + 4 * fields
        return found

    def find(self, number: int, hashes: bytes) -> None:
        """Find the first leaf that is not the sealed one, and its field."""
        count, outer = len(hashes) // 32, self.outer[number]
        sealed = self.sealed_checks(number)
        here = [hashes[at : at + 32] for at in range(0, len(hashes), 32)]
        if not sealed:
            told = any(segment == number and index >= 0 for segment, index, _, _ in self.wrong)
            words = f"{count} of {outer['leaves']} leaves" if count != outer["leaves"] else "a leaf was changed"
            if not told:
                self.fault(TAMPERED, number, -1, f"its root is not the signed one ({words}); without the signed checks the leaf cannot be named")
            return
        of = {hashed: index for index, (hashed, _) in enumerate(sealed)}
        first = next((i for i, hashed in enumerate(here) if i >= len(sealed) or hashed != sealed[i][0]), count)
        if first == count:
            self.fault(INCOMPLETE, number, first, f"is missing, and all after it: {count} of {outer['leaves']} leaves are here")
        elif first >= len(sealed):
            self.fault(TAMPERED, number, first, "was added: the shift was sealed without it")
        elif here[first] in of:
            was = of[here[first]]
            words = "stands a second time" if was < first else f"is not here; leaf {was} stands in its place: leaves were removed or reordered"
            self.fault(TAMPERED, number, first, f"leaf {was} {words}" if was < first else words)
        else:
            self.fault(TAMPERED, number, first, self.field_of(number, first, sealed[first][1]))

    def field_of(self, number: int, index: int, sums: list[int]) -> str:
        """Return which fields of a leaf are not the sealed ones."""
        content = self.line_at(number, index)
        try:
            fields = fields_of(content)
            kind = fields[0].decode()  # type: ignore[union-attr]
        except ValueError as error:
            return f"bytes: no fact can be read ({error})"
        schema = HEAD if index == 0 else self.kinds_of(number).get(kind)
        if schema is None or len(schema) != len(fields) - 1 or len(sums) != len(schema):
            return f"{kind}: it has other fields than were sealed"
        bad = [
            name
            for (name, _), field, was in zip(schema, fields[1:], sums)  # noqa: B905
            if (zlib.crc32(b"\x00") if field is None else zlib.crc32(b"\x01" + field)) != was
        ]
        if not bad:
            return f"{kind}, field kind: its kind is not the sealed one"
        try:
            values = named(schema, fields)
        except ValueError:
            values = {}
        label = next((f" {values[name]}" for name in ("reference", "label", "key", "uuid", "session") if values.get(name)), "")
        return f"{kind}{label}, field {', '.join(bad)}: not what was sealed"

    def kinds_of(self, number: int) -> dict[str, Any]:
        """Return the kinds of a segment from its first leaf."""
        try:
            kinds: dict[str, Any] = named(HEAD, fields_of(self.line_at(number, 0)))["kinds"]
            return kinds
        except (ValueError, KeyError):
            return {}

    def line_at(self, number: int, index: int) -> bytes:
        """Return the bytes of the leaf that stands at a place of its segment."""
        at = 0
        with (self.bundle.folder / "leaves.ndjson").open("rb") as file:
            for line_number, line in enumerate(file, start=1):
                if line.endswith(b"\n") and place_of(line, line_number)[0] == number:
                    if at == index:
                        return bytes_of(line)
                    at += 1
        return b""

    def read_names(self) -> None:
        """Compare the texts that travel beside the leaves with their salted hashes."""
        self.texts = 0
        if not (self.bundle.folder / "names.ndjson").exists():
            if self.bundle.manifest.get("with_names"):
                self.fault(INCOMPLETE, self.bundle.size, -1, "names.ndjson is missing")
            return
        wanted: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for named_text in self.bundle.objects("names.ndjson"):
            try:
                wanted.setdefault((int(named_text["segment"]), int(named_text["index"])), []).append(named_text)
            except (KeyError, ValueError, TypeError) as error:
                raise Broken(TAMPERED, f"names.ndjson: a text is of no leaf ({error})") from error
            self.texts += 1
        kinds: dict[int, Any] = {}
        with (self.bundle.folder / "leaves.ndjson").open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and not bytes_of(line):
                    break
                place = place_of(line, number)
                if place[1] == 0:
                    kinds[place[0]] = self.kinds_of(place[0])
                for said in wanted.pop(place, []):
                    self.compare_text(place, line, kinds.get(place[0], {}), said)
        for segment, index in wanted:
            self.fault(TAMPERED, segment, index, "names.ndjson has a text of a leaf that is not here")

    def compare_text(self, place: tuple[int, int], line: bytes, kinds: dict[str, Any], said: dict[str, Any]) -> None:
        """Compare one text with the hash that stands for it."""
        try:
            fields = fields_of(bytes_of(line))
            kind = fields[0].decode()  # type: ignore[union-attr]
            hashed = named(kinds[kind], fields)[said["field"]]
            well = hashlib.sha256(base64.b64decode(said["salt"]) + said["text"].encode()).digest() == hashed
        except (ValueError, KeyError, TypeError):
            kind, well = "?", False
        if not well:
            self.fault(TAMPERED, *place, f"{kind}, field {said.get('field')}: the text is not the one that was sealed")

    def told(self) -> tuple[int, str]:
        """Return the exit code and the words of what is wrong, the first in the book's order; tampering before gaps."""
        if not self.wrong:
            return CLEAN, ""
        code = TAMPERED if any(code == TAMPERED for _, _, code, _ in self.wrong) else INCOMPLETE
        at_leaf = [one for one in self.wrong if one[2] == code and one[1] >= 0]
        segment, index, _, words = min(at_leaf or [one for one in self.wrong if one[2] == code])
        outer = self.outer.get(segment)
        shift = f", shift {outer['shift']} of {outer['gaming_day']}" if outer else ""
        leaf = f", leaf {index}" if index >= 0 else ""
        more = f"\n({len(self.wrong) - 1} more found)" if len(self.wrong) > 1 else ""
        return code, f"segment {segment}{shift}{leaf}: {words}{more}"


# ---- a proof ----


def check_proof(path: Path, trusted: Key | None, known: Checkpoint | None) -> str:
    """Return words that say what a round's proof shows. Raises Broken, CouldNot."""
    try:
        proof = json.loads(path.read_text(encoding="utf-8"))
        leaf, head = base64.b64decode(proof["leaf"]), base64.b64decode(proof["head"])
        paths = [[base64.b64decode(step) for step in proof[name]] for name in ("path", "head_path")]
        outer_path = [base64.b64decode(step) for step in proof["outer_path"]]
        own, newest = Checkpoint(proof["checkpoint"]), Checkpoint(proof["newest"])
        keys = [trusted or Key(proof["keys"][0])]
        notes = proof["announcements"]
        index, count, outer_bytes = int(proof["index"]), int(proof["leaves"]), base64.b64decode(proof["outer_leaf"])
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise CouldNot(f"{path} is no proof ({error})") from error
    for note in notes:
        if signed_by(note, keys) is not None:
            keys.append(Key(parted(note)[0].splitlines()[1].partition(" ")[2]))
    for name, checkpoint in (("checkpoint", own), ("newest", newest)):
        if signed_by(checkpoint.note, keys) is None:
            raise Broken(TAMPERED, f"{name}: its signature is not by the key {keys[0].fingerprint[:16]}…")
    outer = named(SEGMENT, fields_of(outer_bytes))
    if not own.is_of(outer) or outer["leaves"] != count:
        raise Broken(TAMPERED, "outer_leaf: it is not the shift that the checkpoint signs")
    for what, content, at, steps in (("leaf", leaf, index, paths[0]), ("head", head, 0, paths[1])):
        if root_by_path(leaf_hash(content), at, count, steps) != outer["root"]:
            raise Broken(TAMPERED, f"segment {outer['number']}, shift {outer['shift']}, leaf {at}: {what} is not under the signed root")
    if root_by_path(leaf_hash(outer_bytes), outer["number"] - 1, newest.size, outer_path) != newest.root:
        raise Broken(TAMPERED, f"segment {outer['number']}: the shift is not under the newest checkpoint's root")
    if known is not None and known.size > newest.size:
        raise Broken(INCOMPLETE, f"the known checkpoint counts {known.size} shifts, the proof's newest {newest.size}")
    if known is not None and known.size == newest.size and known.root != newest.root:
        raise Broken(TAMPERED, "the proof's newest checkpoint is not the known one")
    kinds = named(HEAD, fields_of(head))["kinds"]
    fields = fields_of(leaf)
    played = named(kinds[fields[0].decode()], fields)  # type: ignore[union-attr]
    columns = next(kind for name, kind in kinds["round"] if name == "wagers").partition(":")[2].split(",")
    paytable = {hashlib.sha256(proof["paytable"].encode()).hexdigest(): json.loads(proof["paytable"])}
    words = check_round(played, columns, paytable)
    if words:
        raise Broken(TAMPERED, f"segment {outer['number']}, shift {outer['shift']}, leaf {index}: round, field {words}")
    hashes = len(paths[0]) + len(outer_path)
    return (
        f"Round {played['label']} ({played['uuid']}) is leaf {index} of {count} in segment {outer['number']}, shift {outer['shift']} of"
        f" {outer['gaming_day']}; {hashes} hashes lead to the checkpoint of {newest.size} shifts.\nCards: {played['deal'].decode()}\n"
        f"Due by its cards, and kept: collected {played['collected']}, paid {played['paid']}.\n{key_words(keys, trusted)}"
    )


# ---- the command ----


def key_words(keys: list[Key], trusted: Key | None) -> str:
    """Return which key was believed, and why."""
    whose = "as you gave it" if trusted else "the bundle's own: compare it with the one you were given"
    return f"Key {keys[0].name}, SHA-256 {keys[0].fingerprint} ({whose})."


def read_key(said: str | None) -> Key | None:
    """Return the key of the command line: text, or a file with it."""
    if said is None:
        return None
    path = Path(said)
    try:
        return Key(path.read_text() if "+" not in said or path.exists() else said)
    except (OSError, ValueError) as error:
        raise CouldNot(f"--key: {error}") from error


def read_known(said: str | None) -> Checkpoint | None:
    """Return the known checkpoint of the command line."""
    if said is None:
        return None
    try:
        return Checkpoint(Path(said).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CouldNot(f"--checkpoint: {said} cannot be read ({error})") from error


def check_bundle(folder: Path, trusted: Key | None, known: Checkpoint | None, jobs: int) -> tuple[int, str]:
    """Return the exit code and words for a bundle."""
    bundle = Bundle(folder)
    keys = bundle.keys(trusted)
    check = Check(bundle, keys, known, jobs)
    check.run()
    code, words = check.told()
    if code:
        return code, words
    missing = bundle.size - len(bundle.segments)
    part = f" of {bundle.size}; the others are not in this bundle" if missing else ""
    return CLEAN, (
        f"{len(bundle.segments)} shifts{part}, {check.leaves} leaves, {check.rounds} rounds settled again, {check.texts} texts compared:"
        f" all as they were sealed.\n{key_words(keys, trusted)}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Check what the command line names, say what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a Pitbook bundle, or the proof of one round.")
    parser.add_argument("bundle", nargs="?", help="the bundle's folder")
    parser.add_argument("--checkpoint", metavar="KNOWN", help="a checkpoint that you were given earlier")
    parser.add_argument("--key", help="the public key, or a file with it")
    parser.add_argument("--proof", metavar="FILE", help="check the proof of one round instead")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes (2)")
    try:
        said = parser.parse_args(arguments)
    except SystemExit as end:
        return COULD_NOT if end.code else CLEAN
    try:
        trusted, known = read_key(said.key), read_known(said.checkpoint)
        if said.proof:
            code, words = CLEAN, check_proof(Path(said.proof), trusted, known)
        elif said.bundle:
            code, words = check_bundle(Path(said.bundle), trusted, known, said.jobs)
        else:
            raise CouldNot("name a bundle, or --proof FILE")
    except Broken as broken:
        code, words = broken.code, str(broken)
    except (CouldNot, OSError, MemoryError) as error:
        code, words = COULD_NOT, str(error)
    print({CLEAN: "CLEAN", COULD_NOT: "COULD NOT RUN", TAMPERED: "TAMPERED", INCOMPLETE: "INCOMPLETE"}[code] + ": " + words)
    return code


# ---- the settlers of the games are put in here ----

if __name__ == "__main__":
    sys.exit(main())
