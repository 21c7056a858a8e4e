"""Step-up: an approval asks whoever is signed in for their password again. Failures are kept, and too many of them lock approvals.

A door calls `confirm` before the one service of its verb, never inside the service's transaction: a failure must be kept although what was
asked for is refused. Source: spec/night.md, "Approvals ask for the password (or second factor) again".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from casino.errors import InvalidSlip, Refused
from casino.models import StepUpFailure, User
from casino.transactions import wait_turn

FIELD = "password"
MOST_FAILURES = 5
WINDOW = timedelta(minutes=15)
LOCKED_FOR = timedelta(minutes=15)
LONGEST = 4096
"""More is nobody's password, and dear to hash."""


def confirm(user: User, password: str, *, at: datetime) -> None:
    """Return where `password` is that of `user`, who is signed in. `at` is now, by the door's clock. Two queries, one hash.

    Raises Refused at the field `password`: `password_required`; `wrong_password`, which is kept; `too_many_attempts` from the fifth failure
    within 15 minutes on, for 15 minutes, whatever is typed: no guess is looked at meanwhile. Raises RuntimeError inside a transaction, which
    would take the failure back.
    """
    if not password:
        raise Refused("password_required", gettext("An approval asks for your password again."), where=FIELD)
    refusal = _refusal(user, password, at)
    if refusal is not None:
        raise refusal


def password_in(body: Mapping[str, Any]) -> str:
    """Return the field `password` of an API's body, "" where it is absent. Raises InvalidSlip (`bad_type`)."""
    password = body.get(FIELD, "")
    if not isinstance(password, str):
        raise InvalidSlip("bad_type", gettext("A password is a text."), where=FIELD)
    return password


def locked_until(user: User, at: datetime) -> datetime | None:
    """Return until when `user` approves nothing, None where nothing is locked at `at`. One query."""
    failures = list(StepUpFailure.objects.filter(user=user).order_by("-at", "-id").values_list("at", flat=True)[:MOST_FAILURES])
    if len(failures) < MOST_FAILURES or failures[0] - failures[-1] > WINDOW:
        return None
    until: datetime = failures[0] + LOCKED_FOR
    return until if at < until else None


def _refusal(user: User, password: str, at: datetime) -> Refused | None:
    """Return what to refuse with, the failure kept. One guess at a time: many sent at once are not more than five."""
    with transaction.atomic(durable=True):
        wait_turn(f"step up:{user.pk}")
        if (until := locked_until(user, at)) is not None:
            return _locked(until)
        if user.is_active and len(password) <= LONGEST and user.check_password(password):
            return None
        StepUpFailure.objects.create(user=user, at=at)
        until = locked_until(user, at)
    return _locked(until) if until is not None else Refused("wrong_password", gettext("This is not your password."), where=FIELD)


def _locked(until: datetime) -> Refused:
    when = until.isoformat(timespec="seconds")
    return Refused(
        "too_many_attempts",
        gettext("Too many wrong passwords: you approve nothing before %(until)s.") % {"until": f"{until:%H:%M:%S %Z}"},
        where=FIELD,
        until=when,
    )
