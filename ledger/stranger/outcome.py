"""How a check ends, and how it reads and writes: JSON without double keys, words without anything that a screen would obey."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

CLEAN, COULD_NOT, TAMPERED, INCOMPLETE = 0, 1, 2, 3


class CouldNot(Exception):
    """The check could not be run at all."""


class Broken(Exception):
    """Something is not what it says: the exit code, and words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def parsed(content: bytes | str) -> Any:
    """Return the JSON that `content` is. Raises ValueError for what two readers could read in two ways: a key twice, NaN, bytes that are no UTF-8."""
    try:
        text = content.decode() if isinstance(content, bytes) else content
        return json.loads(text, object_pairs_hook=_once, parse_constant=_number, parse_float=_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _number(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is no number")
    return number


def plain(words: str) -> str:
    """Return `words` as they can be printed: what is no letter, figure, sign or blank is written out, so that no text acts on a screen."""
    shown = "".join([one if one == " " or one.isprintable() else one.encode("unicode_escape").decode() for one in words])
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
