"""A month as one types it."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from datetime import date


def month_of(text: str) -> date:
    """Return the first day of the month that "2026-03" names. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", text)
    if found is None or int(found[1]) < 1970:
        raise ArgumentTypeError(f"{text} is no month: write it as 2026-03")
    return date(int(found[1]), int(found[2]), 1)
