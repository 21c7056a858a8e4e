"""Sentences that were kept in English, told in the reader's language: a list of templates says which there are. Pure.

A template is what a catalogue translates, "Box %(box)s was counted.": what stands for a hole is read by the hole's own pattern, said in the
reader's language, and put into the template's translation. What no template says is not known, and stays as it was kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from casino.words import gettext, is_english

Say = Callable[[str], str | None]
"""Says a part in the reader's language; None where it is none that it knows."""

_HOLE = re.compile(r"%\((\w+)\)s")


class Hole(NamedTuple):
    """What may stand in a place of a template, as a regular expression without groups, and how that is said."""

    pattern: str
    say: Say = str


AMOUNT = Hole(r"(?:[−-]?\d[\d.,’]*(?: \d+/\d+)?|—)")
"""An amount in minor units or in a house's notation, with a fraction of a unit or none. It keeps its form."""

TEXT = Hole(r".+")
"""What a person wrote, a name, a code: it stays."""


class Sentences:
    """Templates, the first that fits first, and the holes in them; names of holes may end in a figure: `rank2` is a `rank`."""

    def __init__(self, templates: Iterable[str], holes: Mapping[str, Hole]) -> None:
        self._holes = holes
        self._known = [(template, re.compile(self._pattern(template), re.DOTALL)) for template in templates]

    def _hole(self, name: str) -> Hole:
        return self._holes[name.rstrip("0123456789")]

    def _pattern(self, template: str) -> str:
        parts = _HOLE.split(template)
        names = [f"(?P<{name}>{self._hole(name).pattern})" for name in parts[1::2]]
        return "".join(text for pair in zip(map(re.escape, parts[::2]), [*names, ""], strict=True) for text in pair)

    def say(self, text: str) -> str | None:
        """Return `text` in the reader's language, None where no template says it."""
        for template, pattern in self._known:
            match = pattern.fullmatch(text)
            said = match and {name: self._hole(name).say(part) for name, part in match.groupdict().items()}
            if said is not None and None not in said.values():
                return gettext(template) % said
        return None


_NEXT = re.compile(r"(?<=\.) (?=\S)")


def told(text: str, say: Say) -> str | None:
    """Return `text` as `say` says it, as a whole or a sentence at a time; in English as it is; None where a part of it is not known."""
    if is_english():
        return text
    if (whole := say(text)) is not None:
        return whole
    said = [say(sentence) for sentence in _NEXT.split(text)]
    return " ".join(filter(None, said)) if None not in said else None
