"""A month, by its first day."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from datetime import date


def after(month: date) -> date:
    """Return the first day of the month after `month`, a first day."""
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def month_of(text: str) -> date:
    """Return the first day of the month that "2026-03" names. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", text)
    if found is None or int(found[1]) < 1970:
        raise ArgumentTypeError(f"{text} is no month: write it as 2026-03")
    return date(int(found[1]), int(found[2]), 1)
