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


class Texts:
    """What came of comparing a bundle's texts with its leaves, both read once from front to end."""

    def __init__(self, bundle: Bundle, kinds: dict[int, dict[str, Any]], due: Mapping[int, Collection[int]]) -> None:
        """Take the bundle, its kinds by segment, and where its leaves have hashes of texts, by segment as `text_at` counts."""
        self.bundle, self.kinds, self.due = bundle, kinds, due
        self.seen: dict[int, array[int]] = {}
        self.compared = 0
        self.erased: list[str] = []
        self.wrong: list[tuple[int, int, int, str]] = []

    def compare(self) -> None:
        """Compare all. `wrong` has what is wrong as (segment, index, exit code, words)."""
        if not (self.bundle.folder / "names.ndjson").exists():
            if self.bundle.manifest.get("with_names"):
                self.wrong.append((self.bundle.size, -1, INCOMPLETE, "names.ndjson is missing"))
            return
        texts = self.texts()
        place, said = next(texts, (None, {}))
        with (self.bundle.folder / "leaves.ndjson").open("rb") as file:
            for number, line in enumerate(file, start=1):
                if place is None or (not line.endswith(b"\n") and not bytes_of(line)):
                    break
                here = place_of(line, number)
                while place == here:
                    self.one(here, line, said)
                    place, said = next(texts, (None, {}))
        while place is not None:
            self.wrong.append((*place, TAMPERED, "names.ndjson has a text of a leaf that is not here, or out of its place"))
            place, said = next(texts, (None, {}))
        self.miss()

    def miss(self) -> None:
        """Find the hashes for which there is neither a text nor an erasure."""
        for segment, due in self.due.items():
            fields = secret_fields(self.kinds.get(segment, {}))
            for at in sorted(set(due).difference(self.seen.get(segment, ()))):
                kind, field = fields[at & 0xFFFF]
                words = f"{kind}, field {field}: names.ndjson has neither the text of this hash nor its erasure"
                self.wrong.append((segment, at >> 16, INCOMPLETE, words))

    def texts(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield each text with the place of its leaf, in the order of the file."""
        for said in self.bundle.objects("names.ndjson"):
            try:
                yield (int(said["segment"]), int(said["index"])), said
            except (KeyError, ValueError, TypeError) as error:
                raise Broken(TAMPERED, f"names.ndjson: a text is of no leaf ({error})") from error

    def one(self, place: tuple[int, int], line: bytes, said: dict[str, Any]) -> None:
        """Compare one text with the hash that stands for it; of an erased one, say who erased it and why."""
        try:
            fields = fields_of(bytes_of(line))
            kind = (fields[0] or b"").decode()
            kinds = self.kinds[place[0]]
            hashed = named(kinds[kind], fields)[said["field"]]
            number = secret_fields(kinds).index((kind, said["field"]))
            self.seen.setdefault(place[0], array("Q")).append(text_at(place[1], number))
            if "erased" in said:
                of = said["erased"]
                where = f"segment {place[0]}, leaf {place[1]}: {kind}, field {said['field']}"
                self.erased.append(f"{where}: erased on {of['on']} by {of['by']} ({of['why']})")
                well = bool(hashed)
            else:
                self.compared += 1
                well = hashlib.sha256(base64.b64decode(said["salt"]) + said["text"].encode()).digest() == hashed
        except (ValueError, KeyError, TypeError, AttributeError):
            kind, well = "?", False
        if not well:
            self.wrong.append((*place, TAMPERED, f"{kind}, field {said.get('field')}: the text is not the one that was sealed"))
