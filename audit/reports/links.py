"""Where a report's figures lead: to the lists of the rows that they are made of."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse


def rounds_of(**which: Any) -> str:
    """Return the address of the list of rounds that `which` narrows (shift, table, day_from, day_to, q, …)."""
    return _list("admin:tables_round_changelist", which)


def findings_of(**which: Any) -> str:
    """Return the address of the list of findings that `which` narrows."""
    return _list("admin:audit_finding_changelist", which)


def _list(name: str, which: dict[str, Any]) -> str:
    return f"{reverse(name)}?{urlencode(which)}"
