"""Whole minor units: the only kind of money there is in Pitbook. Standard library only."""

from __future__ import annotations

from typing import NamedTuple, NewType

from casino.words import gettext

Minor = NewType("Minor", int)
"""An amount in the currency's minor unit (cents; whole yen; a thousandth of a dinar)."""

CEILING = 10**15
"""Every amount is below this: a sum of nine thousand of them still fits a signed 64-bit column."""


class Notation(NamedTuple):
    """How a house writes figures: the decimals of its currency, the sign that splits them off, and the one that groups thousands."""

    exponent: int
    decimal: str = "."
    group: str = ","


def parse_amount(text: str, notation: Notation) -> Minor:
    """Return the minor units that a person typed as `text` in the house's `notation`.

    Digits may be grouped in threes by the group sign or a space; the decimal sign splits off at most as many digits as the currency has.
    Anything that could be read in two ways is refused: with a decimal comma, `1.000` is a thousand only where `.` is the group sign.

    Raises ValueError naming what is wrong. Source: spec/rounds.md "Money"; design/house.md "Money, time, ids".
    """
    exponent, decimal, group = notation
    typed = text.strip().replace(" ", "").replace("\u00a0", "").replace("\u202f", "")
    whole, point, fraction = typed.partition(decimal)
    groups = whole.split(group) if group else [whole]
    if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(part) != 3 for part in groups[1:])):
        raise ValueError(gettext("“%(text)s” is not an amount: digits are grouped in threes") % {"text": text})
    digits = "".join(groups)
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(gettext("“%(text)s” is not an amount") % {"text": text})
    if point and not (fraction.isascii() and fraction.isdigit()):
        raise ValueError(gettext("“%(text)s” is not an amount") % {"text": text})
    if len(fraction) > exponent:
        raise ValueError(gettext("“%(text)s” has more than %(exponent)s decimals") % {"text": text, "exponent": exponent})
    if len(digits.lstrip("0")) > len(str(CEILING)):
        raise ValueError(gettext("“%(text)s” is too large") % {"text": text[:40]})
    value = int(digits) * 10**exponent + int((fraction or "0").ljust(exponent, "0") if exponent else 0)
    if value >= CEILING:
        raise ValueError(gettext("“%(text)s” is too large") % {"text": text})
    return Minor(value)


def format_amount(amount: int, notation: Notation) -> str:
    """Return `amount` minor units as a person reads them: grouped, with a real minus sign (U+2212)."""
    exponent, decimal, group = notation
    whole, fraction = divmod(abs(amount), 10**exponent)
    text = f"{whole:,}".replace(",", group)
    if exponent:
        text += f"{decimal}{fraction:0{exponent}d}"
    return f"\u2212{text}" if amount < 0 else text
