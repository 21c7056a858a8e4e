"""One run over a bundle: signatures, the list of shifts, every leaf, totals, texts."""

from __future__ import annotations

import base64
import os
from array import array
from collections import deque
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

from ledger.stranger.bundle import Bundle
from ledger.stranger.changed import first_change, look_at_checks
from ledger.stranger.leaves import HEAD, SEGMENT, Tree, fields_of, leaf_hash, named
from ledger.stranger.notes import Checkpoint, Key, parted, signed_by
from ledger.stranger.outcome import CLEAN, INCOMPLETE, TAMPERED, Broken, CouldNot
from ledger.stranger.texts import Texts
from ledger.stranger.work import Facts, Found, begin_worker, bytes_of, check_batch, place_of

BATCH = 1_000


class Held:
    """What is held of the segment that is being read: its leaves' hashes, and what its entries moved."""

    def __init__(self, segment: int) -> None:
        self.segment = segment
        self.parts: list[bytes] = []
        self.texts = array("Q")
        self.totals: dict[tuple[str, str], list[int]] = {}

    def take(self, found: Found) -> None:
        """Take in a batch."""
        self.parts.append(found.hashes)
        self.texts.extend(found.texts)
        for account, (arrived, left) in found.totals.items():
            held = self.totals.setdefault(account, [0, 0])
            held[0] += arrived
            held[1] += left

    def hashes(self) -> list[bytes]:
        """Return the hashes of its leaves in order."""
        whole = b"".join(self.parts)
        return [whole[at : at + 32] for at in range(0, len(whole), 32)]


class Check:
    """One run over a bundle; what is wrong is gathered, and the first in the book's order is told."""

    def __init__(self, bundle: Bundle, keys: list[Key], known: Checkpoint | None, jobs: int) -> None:
        self.bundle, self.trusted, self.known, self.jobs = bundle, keys, known, jobs
        self.wrong: list[tuple[int, int, int, str]] = []
        self.kinds: dict[int, dict[str, Any]] = {}
        self.counts: dict[int, int] = {}
        self.due_texts: dict[int, array[int]] = {}
        self.erasures: dict[tuple[int, int, str], tuple[str, str]] = {}
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
        self.texts = Texts(self.bundle, self.kinds, self.due_texts, self.erasures, {number: one["leaves"] for number, one in self.outer.items()})
        self.texts.compare()
        self.wrong += self.texts.wrong

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
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                raise Broken(TAMPERED, f"segments.ndjson: segment {number} cannot be read ({error})") from error
            if outer["number"] != number or line != {"segment": number, "bytes": line["bytes"]}:
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
            except (ValueError, KeyError):
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
        if parted(self.known.note)[1] and signed_by(self.known.note, self.trusted) is None:
            raise CouldNot("--checkpoint: its signature is not by the key that this bundle is checked with")
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

    def batches(self) -> Iterator[tuple[int, dict[str, Any], list[tuple[int, bytes]]]]:
        """Yield the lines of leaves.ndjson, a thousand of one segment at a time; what stands out of its place is a fault."""
        now, expected, lines = self.bundle.segments[0], 0, []  # type: ignore[var-annotated]
        shifts = set(self.bundle.segments)
        with self.bundle.opened("leaves.ndjson") as file:
            for number, line in enumerate(file, start=1):
                place = place_of(line)
                if not line.endswith(b"\n"):
                    self.fault(INCOMPLETE, now, expected, "leaves.ndjson is cut off within this leaf")
                    break
                if place is None or place[0] not in shifts:
                    words = "is no leaf as it was written" if place is None else f"is a leaf of segment {place[0]}, which manifest.json does not name"
                    self.fault(TAMPERED, now, expected, f"line {number} of leaves.ndjson {words}")
                    continue
                segment, index = place
                if segment != now:
                    if lines:
                        yield now, self.kinds.get(now, {}), lines
                    if segment < now or segment in self.counts:
                        self.fault(TAMPERED, segment, index, "stands out of its place in leaves.ndjson")
                    now, expected, lines = segment, 0, []
                if index != expected:
                    words = "is missing" if index > expected else "stands twice, or out of its place"
                    at = expected if index > expected else index
                    self.fault(TAMPERED, segment, at, f"{words}: leaf {index} stands where leaf {expected} belongs")
                expected = index + 1
                if index == 0:
                    self.kinds[segment] = self.read_head(segment, line)
                self.counts[segment] = self.counts.get(segment, 0) + 1
                lines.append((index, line))
                if len(lines) == BATCH:
                    yield now, self.kinds.get(now, {}), lines
                    lines = []
        if lines:
            yield now, self.kinds.get(now, {}), lines

    def read_head(self, segment: int, line: bytes) -> dict[str, Any]:
        """Return what a segment's first leaf says of the fields of each kind."""
        try:
            fields = fields_of(bytes_of(line))
            head = named(HEAD, fields)
            outer = self.outer.get(segment)
            if fields[0] != b"head" or (outer and any(head[name] != outer[name] for name in ("property", "shift", "gaming_day"))):
                raise ValueError("it is another shift's")
            kinds: dict[str, Any] = head["kinds"]
            Facts(kinds, Found(segment))
            return kinds
        except Exception as error:  # whatever a forger wrote
            self.fault(TAMPERED, segment, 0, f"head: the segment's first leaf cannot be read ({error})")
            return {}

    def read_leaves(self) -> None:
        """Hash every leaf, check every fact, and compare each segment's root and totals with what was signed, one after the other."""
        now: Held | None = None
        for found in self.results():
            if now is None or found.segment != now.segment:
                self.close_segment(now)
                now = Held(found.segment)
            self.leaves += len(found.hashes) // 32
            self.rounds += found.rounds
            self.erasures.update(found.erasures)
            for code, index, words in found.wrong:
                self.fault(code, found.segment, index, words)
            now.take(found)
        self.close_segment(now)
        for number in self.bundle.segments:
            if number not in self.counts:
                self.fault(INCOMPLETE, number, 0, "the whole shift is missing, from its first leaf on")

    def results(self) -> Iterator[Found]:
        """Yield what came of every batch in order: here, or from as many processes as were asked for."""
        shared = (self.bundle.accounts(), self.bundle.paytables(), self.bundle.has_names)
        if self.jobs < 2:
            begin_worker(*shared)
            yield from map(check_batch, self.batches())
            return
        with get_context("fork" if hasattr(os, "fork") else "spawn").Pool(self.jobs, begin_worker, shared) as pool:
            waiting: deque[Any] = deque()
            for batch in self.batches():
                waiting.append(pool.apply_async(check_batch, (batch,)))
                if len(waiting) > 4 * self.jobs:
                    yield waiting.popleft().get()
            while waiting:
                yield waiting.popleft().get()

    def close_segment(self, held: Held | None) -> None:
        """Compare a segment's root and totals with its checkpoint's, and find what differs; before the first one there is nothing to close."""
        if held is None:
            return
        number = held.segment
        self.due_texts[number] = held.texts
        here, outer, tree = held.hashes(), self.outer[number], Tree()
        for hashed in here:
            tree.add(hashed)
        if len(here) == outer["leaves"] and tree.root() == outer["root"]:
            self.compare_totals(number, self.checkpoints.get(number), held.totals)
            try:
                look_at_checks(self.bundle, number, outer["checks"])
            except Broken as broken:
                self.fault(broken.code, number, -1, str(broken))
            return
        code, index, words = first_change(self.bundle, number, here, outer, self.kinds.get(number, {}))
        told = any(segment == number and at >= 0 for segment, at, _, _ in self.wrong)
        if index >= 0 or not told:
            self.fault(code, number, index, words)

    def compare_totals(self, number: int, checkpoint: Checkpoint | None, totals: dict[tuple[str, str], list[int]]) -> None:
        """Compare what the entries moved with the signed totals."""
        if checkpoint is None:
            return
        signed = {account: [*moved] for account, moved in checkpoint.totals.items()}
        for account in sorted({*signed, *totals}):
            if signed.get(account) != totals.get(account):
                words = f"total of {' '.join(account)}: signed {signed.get(account)}, the entries say {totals.get(account)}"
                self.fault(TAMPERED, number, -1, words)

    def told(self) -> tuple[int, list[str]]:
        """Return the exit code and what is wrong, the first in the book's order, a line each; tampering before gaps."""
        if not self.wrong:
            return CLEAN, []
        code = TAMPERED if any(code == TAMPERED for _, _, code, _ in self.wrong) else INCOMPLETE
        at_leaf = [one for one in self.wrong if one[2] == code and one[1] >= 0]
        segment, index, _, words = min(at_leaf or [one for one in self.wrong if one[2] == code])
        leaf = f", leaf {index}" if index >= 0 else ""
        more = [f"({len(self.wrong) - 1} more found)"] if len(self.wrong) > 1 else []
        return code, [f"{self.shift_words(segment)}{leaf}: {words}", *more]

    def shift_words(self, segment: int) -> str:
        """Return "segment 2, shift … of 2026-03-14"."""
        outer = self.outer.get(segment)
        return f"segment {segment}" + (f", shift {outer['shift']} of {outer['gaming_day']}" if outer else "")
