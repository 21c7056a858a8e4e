"""`{% load audit %}`: tonight's shift for the bar at the top, and the findings of a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template

from audit.board import newest_shift, waiting
from audit.finding_words import note_in_words
from audit.models import Finding
from audit.selectors import findings_for
from casino.alarms import unacknowledged
from casino.models import User
from tables.models import Round, Shift

register = template.Library()


@dataclass(frozen=True)
class Bar:
    """The newest shift of one's pits, and how many of its findings wait for somebody."""

    shift: Shift
    findings: int


@register.simple_tag(takes_context=True)
def alarms_waiting(context: dict[str, Any]) -> int:
    """Return how many alarms nobody has acknowledged yet, of those that the signed-in person may see. One query."""
    user = context.get("user")
    return unacknowledged(user).count() if isinstance(user, User) and user.is_active else 0


@register.simple_tag(takes_context=True)
def tonight_bar(context: dict[str, Any]) -> Bar | None:
    """Return what the bar at the top shows, None where there is no shift to be seen. Two queries."""
    user = context.get("user")
    if not isinstance(user, User) or not user.has_perm("tables.view_shift"):
        return None
    shift = newest_shift(user)
    if shift is None:
        return None
    return Bar(shift, waiting(findings_for(user).filter(shift=shift)).count())


@register.simple_tag(takes_context=True)
def findings_of(context: dict[str, Any], played: Round) -> list[Finding]:
    """Return the findings of a round that the signed-in person may see. One query."""
    user = context.get("user")
    if not isinstance(user, User) or not user.has_perm("audit.view_finding"):
        return []
    return list(findings_for(user).filter(round=played).order_by("id"))


@register.filter
def audit_note(note: str) -> str:
    """Return the note of a finding's event: the audit's own in the reader's language."""
    return note_in_words(note)


@register.filter
def per_thousand(share: float) -> str:
    """Return a share as "3.25", of a thousand."""
    return f"{share * 1000:.2f}"
