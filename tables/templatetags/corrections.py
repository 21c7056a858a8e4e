"""`{% load corrections %}`: how many proposals wait for the signed-in person."""

from __future__ import annotations

from typing import Any

from django import template
from django.db.models import Q

from casino import roles
from casino.models import User
from tables.corrections import APPROVES
from tables.selectors import open_sessions, proposals_for

register = template.Library()
MOST = 100


@register.simple_tag(takes_context=True)
def proposals_waiting(context: dict[str, Any]) -> int:
    """Return how many proposals of other people wait for who may approve them, in their pits, at most MOST. One query, none for others."""
    user = context.get("user")
    if not isinstance(user, User):
        return 0
    in_time, later = (roles.may(user.roles, APPROVES[phase]) for phase in ("open", "closed"))
    if not in_time and not later:
        return 0
    waiting = proposals_for(user).filter(state="proposed").exclude(proposed_by=user)  # type: ignore[misc]
    if not (in_time and later):
        still_open = Q(session__in=open_sessions().order_by().values("pk"))
        waiting = waiting.filter(still_open if in_time else ~still_open)
    return waiting.order_by()[:MOST].count()
