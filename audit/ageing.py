"""By when a finding is to be closed, and how old it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

DUE_AFTER: Mapping[str, timedelta] = {"major": timedelta(days=3), "minor": timedelta(days=14), "note": timedelta(days=60)}
"""From when it was found, by severity: while the recordings are still there (seven days at many houses) for what is grave, a fortnight for
what is small, two months for what was put right at the table and counts in an error rate only."""


def due_at(found_at: datetime, severity: str) -> datetime:
    """Return the moment by which a finding of `severity` that was found at `found_at` is to be closed."""
    return found_at + DUE_AFTER[severity]


def is_overdue(found_at: datetime, severity: str, *, at: datetime) -> bool:
    """Return whether a finding that is not closed is overdue at moment `at`."""
    return at > due_at(found_at, severity)


def found_before(at: datetime) -> Mapping[str, datetime]:
    """Return for each severity the moment before which a finding must have been found to be overdue at `at`: what a query asks by."""
    return {severity: at - after for severity, after in DUE_AFTER.items()}


def in_days(age: timedelta) -> str:
    """Return "5 h" or "12 d", as one glances at it; "0 h" for less than nothing."""
    hours = max(0, int(age.total_seconds() // 3600))
    return f"{hours} h" if hours < 48 else f"{hours // 24} d"
