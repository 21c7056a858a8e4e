"""The texts behind the hashes: each is the one that was sealed, or was erased, and then it is said who did it and why."""

from __future__ import annotations

import base64
import hashlib
from array import array
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ledger.stranger.bundle import Bundle
from ledger.stranger.leaves import fields_of, named
from ledger.stranger.outcome import INCOMPLETE, TAMPERED, Broken
from ledger.stranger.work import bytes_of, place_of, secret_fields, text_at

KEPT = {"segment", "index", "field", "salt", "text"}
GONE = {"segment", "index", "field", "erased"}
SAID = {"on", "by", "why"}


class Texts:
    """What came of comparing a bundle's texts with its leaves, both read once from front to end.

    `due`: where its leaves have hashes of texts, by segment as `text_at` counts. `erasures`: what its leaves say of erased texts, by (segment,
    index, field) who and on which day. `sizes`: how many leaves each segment was sealed with.
    """

    def __init__(
        self,
        bundle: Bundle,
        kinds: dict[int, dict[str, Any]],
        due: Mapping[int, Collection[int]],
        erasures: Mapping[tuple[int, int, str], tuple[str, str]],
        sizes: Mapping[int, int],
    ) -> None:
        self.bundle, self.kinds, self.due, self.erasures, self.sizes = bundle, kinds, due, erasures, sizes
        self.seen: dict[int, array[int]] = {}
        self.hidden = {segment: secret_fields(one) for segment, one in kinds.items()}
        self.compared = 0
        self.erased: list[str] = []
        self.wrong: list[tuple[int, int, int, str]] = []

    def compare(self) -> None:
        """Compare all. `wrong` has what is wrong as (segment, index, exit code, words)."""
        if not self.bundle.has_names:
            return
        try:
            self.read()
        except Broken as broken:
            self.wrong.append((self.bundle.segments[0], -1, broken.code, str(broken)))
        self.miss()

    def read(self) -> None:
        """Compare each text of the file with its leaf."""
        texts = self.texts()
        place, said = next(texts, (None, {}))
        with self.bundle.opened("leaves.ndjson") as file:
            for line in file:
                if place is None:
                    break
                here = place_of(line)
                while here is not None and place is not None and place < here:
                    self.of_no_leaf(place)
                    place, said = next(texts, (None, {}))
                while place is not None and place == here:
                    self.one(place, line, said)
                    place, said = next(texts, (None, {}))
        while place is not None:
            self.of_no_leaf(place)
            place, said = next(texts, (None, {}))

    def of_no_leaf(self, place: tuple[int, int]) -> None:
        """Note a text whose leaf is not here: it was taken out, or there never was one."""
        code = INCOMPLETE if place[1] < self.sizes.get(place[0], 0) else TAMPERED
        self.wrong.append((*place, code, "names.ndjson has a text of a leaf that is not here"))

    def miss(self) -> None:
        """Find the hashes for which there is neither a text nor an erasure."""
        for segment, due in self.due.items():
            fields = self.hidden.get(segment, [])
            for at in sorted(set(due).difference(self.seen.get(segment, ()))):
                kind, field = fields[at & 0xFFFF]
                words = f"{kind}, field {field}: names.ndjson has neither the text of this hash nor its erasure"
                self.wrong.append((segment, at >> 16, INCOMPLETE, words))

    def texts(self) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
        """Yield each text with the place of its leaf; they stand in the order of their leaves and fields, and each once."""
        before: tuple[int, int, str] = (0, 0, "")
        for number, said in enumerate(self.bundle.objects("names.ndjson"), start=1):
            if not is_well_formed(said):
                raise Broken(TAMPERED, f"names.ndjson, line {number} is no text as it was written")
            here = (said["segment"], said["index"], said["field"])
            if here <= before:
                raise Broken(TAMPERED, f"names.ndjson, line {number}: the text stands twice, or out of its place")
            before = here
            yield here[:2], said

    def one(self, place: tuple[int, int], line: bytes, said: dict[str, Any]) -> None:
        """Compare one text with the hash that stands for it; of an erased one, say who erased it and why."""
        field, words = said["field"], "the text is not the one that was sealed"
        try:
            fields = fields_of(bytes_of(line))
            kind = (fields[0] or b"").decode()
            kinds = self.kinds[place[0]]
            hashed = named(kinds[kind], fields)[field]
            number = self.hidden[place[0]].index((kind, field))
            self.seen.setdefault(place[0], array("Q")).append(text_at(place[1], number))
            if "erased" in said:
                words = self.say_erased(place, kind, field, said["erased"]) if hashed else "a field without a text is said to be erased"
                well = not words
            else:
                self.compared += 1
                well = hashlib.sha256(base64.b64decode(said["salt"], validate=True) + said["text"].encode()).digest() == hashed
        except Exception:  # whatever a forger wrote
            kind, well = "?", False
        if not well:
            self.wrong.append((*place, TAMPERED, f"{kind}, field {field}: {words}"))

    def say_erased(self, place: tuple[int, int], kind: str, field: str, said: dict[str, str]) -> str:
        """Keep who erased a text; return what is wrong where a sealed leaf says otherwise. Without such a leaf the bundle is not whole."""
        shown = self.erasures.get((*place, field))
        if shown is None:
            words = f"{kind}, field {field}: said to be erased on {said['on']} by {said['by']}; no leaf of this bundle shows it"
            self.wrong.append((*place, INCOMPLETE, words))
        elif shown != (said["by"], said["on"]):
            return f"erased on {shown[1]} by {shown[0]} as was sealed, not on {said['on']} by {said['by']}"
        where = f"segment {place[0]}, leaf {place[1]}: {kind}, field {field}"
        self.erased.append(f"{where}: erased on {said['on']} by {said['by']} ({said['why']})")
        return ""


def is_well_formed(said: dict[str, Any]) -> bool:
    """Return whether a line says a text or an erasure, in the one form in which export_bundle writes it."""
    if said.keys() != (GONE if "erased" in said else KEPT):
        return False
    texts = [said["field"], *([said["salt"], said["text"]] if "text" in said else [])]
    if "erased" in said:
        if not isinstance(said["erased"], dict) or said["erased"].keys() != SAID:
            return False
        texts += said["erased"].values()
    return type(said["segment"]) is int and type(said["index"]) is int and all(isinstance(text, str) for text in texts)
