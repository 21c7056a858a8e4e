"""Alarms: raised once a cause, and there until somebody acknowledges them by name. Source: spec/night.md, "Who may do what"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict, NotFound
from casino.models import Alarm, AlarmAcknowledgement, User
from casino.transactions import in_transaction, wait_turn

CAGE_KINDS = frozenset({"slip_waits", "cash_report"})
"""What the cage sees: the alarms of its own work."""


def raise_alarm(kind: str, key: str, message: str, *, pit: str = "", facts: Mapping[str, Any] | None = None) -> Alarm:
    """Return the alarm of `key`, raised now unless it was before: one a cause, in the caller's transaction."""
    Alarm.objects.bulk_create([Alarm(kind=kind, key=key[:200], message=message[:500], pit=pit, facts=dict(facts or {}))], ignore_conflicts=True)
    return Alarm.objects.get(key=key[:200])


def alarms_for(user: User) -> QuerySet[Alarm]:
    """Return the alarms that `user` may see, newest first: those of their pits and of the house; the cage, those of its own work."""
    alarms = Alarm.objects.select_related("acknowledgement__by").order_by("-id")
    if not roles.may(user.roles, "acknowledge_alarms"):
        return alarms.none()
    if user.roles.keys() & roles.ACTIONS["acknowledge_alarms"] <= {"cage"}:
        return alarms.filter(kind__in=CAGE_KINDS)
    pits = roles.pits_for(user, "acknowledge_alarms")
    return alarms if pits is None else alarms.filter(Q(pit="") | Q(pit__in=pits))


def unacknowledged(user: User) -> QuerySet[Alarm]:
    """Return the alarms of `alarms_for` that nobody has taken yet."""
    return alarms_for(user).filter(acknowledgement__isnull=True)


@in_transaction
def acknowledge(alarm: UUID, *, by: User, note: str = "") -> AlarmAcknowledgement:
    """Return the acknowledgement of `alarm` by `by`, written now; by the same person again, the one there is.

    Raises Refused (`not_allowed`), NotFound (`no_alarm`), Conflict (`acknowledged`: somebody else was first).
    """
    roles.require(by, "acknowledge_alarms")
    found = alarms_for(by).filter(uuid=alarm).first()
    if found is None:
        raise NotFound("no_alarm", gettext("There is no such alarm."))
    wait_turn(f"alarm:{found.pk}")
    kept = AlarmAcknowledgement.objects.select_related("by").filter(alarm=found).first()
    if kept is None:
        return AlarmAcknowledgement.objects.create(alarm=found, by=by, note=note[:300])
    if kept.by_id != by.pk:
        raise Conflict("acknowledged", gettext("%(by)s acknowledged it already.") % {"by": kept.by}, by=str(kept.by))
    return kept
