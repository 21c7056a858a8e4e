"""People, their roles in effect and waiting, their pits and when they last signed in: the list of the quarterly review."""

from __future__ import annotations

from collections.abc import Sequence

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from casino import roles
from casino.models import User

PEOPLE = (
    Column("person", "Person", "text"),
    Column("name", "Name", "text"),
    Column("works_here", "Works here", "text"),
    Column("role", "Role", "text"),
    Column("pits", "Pits", "text"),
    Column("standing", "Standing", "text"),
    Column("granted_by", "Granted by", "text"),
    Column("granted_at", "Granted at", "moment"),
    Column("last_use", "Last signed in", "moment"),
)
CHANGES = (
    Column("at", "At", "moment"),
    Column("person", "Person", "text"),
    Column("role", "Role", "text"),
    Column("action", "What", "text"),
    Column("pits", "Pits", "text"),
    Column("by", "By", "text"),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return every role that somebody holds or waits for, and the changes of the scope's days. Two queries."""
    people = list(User.objects.prefetch_related("role_events__by").order_by("username"))
    changes = sorted((event for user in people for event in user.role_events.all()), key=lambda event: event.pk)
    between = [event for event in changes if scope.covers(event.recorded_at)]
    rows = [row for user in people for row in _held(user)]
    return [
        Section("people", "People and roles", PEOPLE, tuple(rows)),
        Section(
            "changes",
            "Changes",
            CHANGES,
            tuple(
                Row((e.recorded_at, e.user.username, _word(e.role), e.get_action_display(), _pits(e.pits), e.by.username if e.by else "set-up"))
                for e in between
            ),
            empty="No role was granted, reviewed or withdrawn on these days.",
        ),
    ]


def _held(user: User) -> list[Row]:
    events = sorted(user.role_events.all(), key=lambda event: event.sequence)
    held = roles.in_effect((e.role, e.action, tuple(e.pits) if e.pits else None) for e in events)
    granted = {e.role: e for e in events if e.action == "grant"}
    for event in events:
        if event.action == "withdraw":
            granted.pop(event.role, None)
    head = (user.username, user.name or None, "yes" if user.is_active else "left")
    if not granted:
        return [Row((*head, None, None, None, None, None, user.last_login))]
    return [
        Row(
            (
                *head,
                _word(role),
                _pits(e.pits),
                "in effect" if role in held else "waits for review",
                e.by.username if e.by else "set-up",
                e.recorded_at,
                user.last_login,
            ),
            emphasis="" if role in held else "warn",
            on=("standing",),
        )
        for role, e in sorted(granted.items())
    ]


def _word(role: str) -> str:
    return role.replace("_", " ")


def _pits(pits: Sequence[str] | None) -> str:
    return " ".join(pits) if pits else "all"


REPORT = Catalogued(
    "user-rights",
    "People and rights",
    "Users, roles, pits and last use, and what changed.",
    build,
    action="review_users",
    filters=("day_from", "day_to"),
)
