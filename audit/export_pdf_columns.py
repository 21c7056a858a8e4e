"""How wide each column of a printed table is, and which cells then need more than one line. Pure. See audit/export_pdf.py.

A column has what it needs (its widest figure, its longest word) and, as far as the page allows, what it would like (its longest text, its
whole head on one line). Names and heads are met first, so that one long note does not break every name. Where even the needs are too much
for the page, the type is smaller, down to seven tenths; beyond that the table is cut into bands, each with the first column again, and
only a single word or figure that is wider than a page can give it is broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.reports.glyphs import width

ROOM = 773.8
"""Points between the margins of A4 landscape."""
BASE, HEAD, GAP, AIR = 8.0, 0.88, 10.0, 26.0
SMALLEST = 0.7
BOLD, SLACK = 1.06, 1.01
LONGEST_WORD = 0.3
NAME = 150.0
"""A column that would like no more points than this holds names, not sentences."""
LOOSE = 1.1
"""No character is wider, in ems."""


@dataclass(slots=True)
class Extent:
    """What one column holds, in ems: its longest line and word so far, its head and its head's longest word. Figures never break."""

    label: float
    label_word: float
    breaks: bool
    line: float = 0.0
    word: float = 0.0

    @classmethod
    def of(cls, label: str, breaks: bool) -> Extent:
        """Return the extent of an empty column with this head."""
        return cls(width(label) * HEAD * BOLD, max(map(width, label.split()), default=0.0) * HEAD * BOLD, breaks)

    def see(self, words: str) -> None:
        """Take the cell `words` into account."""
        if len(words) * LOOSE <= self.line and len(words) * LOOSE <= self.word:
            return
        line = width(words) if "\n" not in words else max(map(width, words.split("\n")))
        if line > self.line:
            self.line = line
        if line > self.word:
            self.word = max(self.word, max(map(width, words.split()), default=0.0) if self.breaks else line)


@dataclass(frozen=True, slots=True)
class Plan:
    """The type size and the width of each column, in points."""

    size: float
    widths: tuple[float, ...]

    def fits(self, index: int, words: str) -> bool:
        """Return whether `words` stand on one line of column `index`, in any weight."""
        room = self.widths[index] / self.size
        return len(words) * LOOSE <= room or ("\n" not in words and width(words) * BOLD <= room)

    def broken(self, index: int, words: str) -> str:
        """Return `words` with a place to break (U+200B) in each word that is wider than column `index`."""
        room = self.widths[index] / self.size / BOLD
        return re.sub(r"\S+", lambda match: "\u200b".join(_pieces(match[0], room)), words) if width(words) > room else words


def _pieces(word: str, room: float) -> Iterator[str]:
    piece, taken = "", 0.0
    for character in word:
        wide = width(character)
        if taken + wide > room and piece:
            yield piece
            piece, taken = "", 0.0
        piece, taken = piece + character, taken + wide
    yield piece


def plan(extents: Sequence[Extent], room: float = ROOM) -> Plan:
    """Return the plan for columns of these extents between margins `room` points apart."""
    free = room - GAP * (len(extents) - 1)
    needs = [_need(extent, free) for extent in extents]
    scale = min(1.0, max(SMALLEST, free / sum(needs)))
    least = [need * scale for need in needs]
    if sum(least) > free:
        least = [need * free / sum(least) for need in least]
    likes = [scale * BASE * BOLD * SLACK * max(extent.line, extent.label) for extent in extents]
    wishes = [max(0.0, like - have) for like, have in zip(likes, least, strict=True)]
    widths = [have + more for have, more in zip(least, _granted(wishes, likes, free - sum(least)), strict=True)]
    air = min(max(free - sum(widths), 0.0) / len(extents), AIR)
    return Plan(round(BASE * scale, 3), tuple(round(wide + air, 3) for wide in widths))


def bands(extents: Sequence[Extent], room: float = ROOM) -> list[list[int]]:
    """Return the column positions of each band that the page takes at the smallest type; the first column leads each."""
    found: list[list[int]] = [[0]]
    for index in range(1, len(extents)):
        band = [*found[-1], index]
        if len(band) > 2 and _least(extents, band, room) > room:
            found.append([0, index])
        else:
            found[-1] = band
    return found


def _least(extents: Sequence[Extent], band: list[int], room: float) -> float:
    return sum(_need(extents[index], room) for index in band) * SMALLEST + GAP * (len(band) - 1)


def _need(extent: Extent, free: float) -> float:
    word = extent.word * BASE * BOLD * SLACK
    return max(1.0, min(word, free * LONGEST_WORD) if extent.breaks else word, extent.label_word * BASE * SLACK)


def _granted(wishes: list[float], likes: list[float], spare: float) -> list[float]:
    """Return what each wish is given out of `spare`: names first, the smallest first; of what is left, each text an equal share or less."""
    grants = [0.0] * len(wishes)
    waiting = len(wishes)
    for index in sorted(range(len(wishes)), key=lambda index: (likes[index] > NAME, wishes[index])):
        share = spare if likes[index] <= NAME else spare / waiting
        grants[index] = min(wishes[index], max(share, 0.0))
        spare -= grants[index]
        waiting -= 1
    return grants
