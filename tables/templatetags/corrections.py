"""`{% load corrections %}`: how many proposals wait for the signed-in person."""

from __future__ import annotations

from typing import Any

from django import template

from casino import roles
from casino.models import User
from tables.corrections import APPROVES
from tables.selectors import proposals_for

register = template.Library()
MOST = 100


@register.simple_tag(takes_context=True)
def proposals_waiting(context: dict[str, Any]) -> int:
    """Return how many open proposals of other people there are in the pits of who may approve some, at most MOST. One query, none for others."""
    user = context.get("user")
    if not isinstance(user, User) or not any(roles.may(user.roles, action) for action in APPROVES.values()):
        return 0
    waiting = proposals_for(user).filter(state="proposed").exclude(proposed_by=user)  # type: ignore[misc]
    return waiting.order_by()[:MOST].count()
