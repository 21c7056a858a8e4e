"""What a person types into the fields of a round, as values. Each reader raises ValueError, naming what is wrong. Pure.

What was done is one signed amount, the patron's: `+15.00` was paid, `−5.00` was taken, `0` was returned, `−5.00 +15.00` was taken and paid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from casino.money import Minor, Notation, parse_amount
from casino.words import gettext
from tables.engine.game import Field
from tables.slips import Done

TIMES = re.compile(r"\s*(\d{1,2})\s*[x×]\s*", re.IGNORECASE)
"""An amount as a multiple of another: "4x"."""

_MINUSES = "-−–"
_PLUS_AND_MINUS = re.compile(r"[-−–](?P<taken>[^+−–-]+)\+(?P<paid>[^+−–-]+)")


def read_value(field: Field, text: str, amounts: Mapping[str, Any], notation: Notation) -> Any:
    """Return the JSON value of `text`, None where the field was left empty; `amounts` are those that it may be a multiple of."""
    if field.kind == "numbers":
        return [_whole(piece) for piece in re.split(r"[\s,]+", text) if piece]
    if field.kind == "cards" and field.count == 0:
        return _whole(text) if text.isdigit() else text if text else []
    if not text:
        return None
    if field.kind == "amount":
        return _amount(field, text, amounts, notation)
    if field.kind == "flag":
        return True
    if field.kind == "wagers":
        return _wagers(text, notation)
    return _whole(text) if field.kind == "number" else text


def _amount(field: Field, text: str, amounts: Mapping[str, Any], notation: Notation) -> Minor:
    times = TIMES.fullmatch(text) if field.times_of else None
    if times is None:
        return parse_amount(text, notation)
    if field.times_of not in amounts:
        raise ValueError(gettext("“%(text)s” of what? The %(times_of)s is not typed yet") % {"text": text, "times_of": field.times_of})
    return Minor(int(times[1]) * amounts[field.times_of])


def _wagers(text: str, notation: Notation) -> dict[str, Minor]:
    """Return the stake of each wager in "red 10, dozen_1 5", as they are named there."""
    pieces = [piece for piece in (piece.strip(",;") for piece in text.split()) if piece]
    kinds, stakes = pieces[::2], pieces[1::2]
    if len(kinds) != len(stakes):
        raise ValueError(gettext("“%(kinds)s” has no stake: each wager is followed by its own") % {"kinds": kinds[-1]})
    if twice := [kind for kind in kinds if kinds.count(kind) > 1]:
        raise ValueError(gettext("“%(twice)s” stands there twice") % {"twice": twice[0]})
    return {kind: parse_amount(stake, notation) for kind, stake in zip(kinds, stakes, strict=True)}


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(gettext("“%(text)s” is no whole number") % {"text": text})
    return int(text)


def read_done(text: str, notation: Notation) -> Done:
    """Return what was done, as it is typed in one signed amount."""
    bare = text.replace(" ", "")
    if both := _PLUS_AND_MINUS.fullmatch(bare):
        return Done(parse_amount(both["taken"], notation), parse_amount(both["paid"], notation))
    unsigned = bare.lstrip(f"+{_MINUSES}")
    amount = parse_amount(unsigned, notation)
    if len(bare) - len(unsigned) > 1:
        raise ValueError(gettext("“%(text)s” has more than one sign") % {"text": text})
    return Done(amount, Minor(0)) if bare[0] in _MINUSES else Done(Minor(0), amount)
