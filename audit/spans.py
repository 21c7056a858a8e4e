"""Over which times figures are looked at. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from casino.words import gettext_noop

SPANS: Mapping[str, str] = {
    "day": gettext_noop("Gaming day"),
    "7d": gettext_noop("7 days"),
    "30d": gettext_noop("30 days"),
    "mtd": gettext_noop("Month to date"),
    "ytd": gettext_noop("Year to date"),
}


def first_day(span: str, last: date) -> date:
    """Return the first gaming day of `span` that ends with `last`. Raises KeyError for what is no span."""
    return {
        "day": last,
        "7d": last - timedelta(days=6),
        "30d": last - timedelta(days=29),
        "mtd": last.replace(day=1),
        "ytd": last.replace(month=1, day=1),
    }[span]


def earliest(last: date) -> date:
    """Return the earliest day that any span needs."""
    return min(first_day(span, last) for span in SPANS)
