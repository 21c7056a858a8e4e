"""Replay: a shift, or a month's rounds of a game, settled again under another paytable or rule, as a job in parts (`replay_parts`).

It reads, and writes nothing but its own result. Only shifts that have ended: what an open session won is for nobody who may count it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.db.models import Count, Max, QuerySet
from django.utils.translation import gettext

from casino import jobs, roles
from casino.canonical import canonical_json
from casino.errors import Conflict, InvalidSlip
from casino.models import Job, User
from casino.transactions import in_transaction
from ledger.archived import refuse_archived
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion, Property, Round, Shift, ShiftEvent
from tables.replay import Replay, Under, replay, with_rules
from tables.selectors import shift_state, standing
from tables.services.paytables import paytable_of
from tables.services.replay_rounds import kept_rounds, named, rounds_of_month, stakes_by_bet, under_of

__all__ = ["KIND", "KINDS", "MONTH_KIND", "ask_month", "ask_replay", "replay_now", "replay_shift", "rounds_of_month", "stakes_by_bet"]
KIND = "replay_shift"
MONTH_KIND = "replay_month"
KINDS = (KIND, MONTH_KIND)


# ---- asking ----


@in_transaction
def ask_replay(shift: Shift, *, by: User, paytable: Paytable | None = None, rules: Mapping[str, Any] | None = None) -> Job:
    """Return the job that settles `shift` again: by `paytable` (its game's rounds), or each round by its own version with `rules` replaced.

    Neither: by its own version, where the difference is zero. Asked again of the same rounds it is the same job. A version need not be
    published. Raises Refused, Conflict (`shift_open`, `archived`), InvalidSlip (`bad_paytable`: both were given, or no version of the shift
    takes these rules).
    """
    rounds, under = _asked(shift, by, paytable, rules)
    return _announce(KIND, {"shift": str(shift.uuid), **under}, rounds, by)


@in_transaction
def ask_month(house: Property, month: date, paytable: Paytable, *, by: User) -> Job:
    """Return the job that settles the rounds of the paytable's game at `house` again that were dealt in the month of `month`.

    Raises Refused, Conflict (`archived`).
    """
    roles.require(by, "replay")
    refuse_archived(month)
    args = {"property": house.code, "month": month.isoformat()[:7], "paytable": dict(paytable.content)}
    return _announce(MONTH_KIND, args, rounds_of_month(house, month, paytable.game), by)


def replay_now(shift: Shift, *, by: User, paytable: Paytable | None = None, rules: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return at once what the job would: nothing is written. Raises as `ask_replay`."""
    rounds, under = _asked(shift, by, paytable, rules)
    return {"under": named(under), **replay(kept_rounds(rounds), under_of(under)).as_json()}


def _asked(shift: Shift, by: User, paytable: Paytable | None, rules: Mapping[str, Any] | None) -> tuple[QuerySet[Round], dict[str, Any]]:
    """Return the rounds, and what to settle them by, of somebody who may ask. Raises as `ask_replay`."""
    roles.require(by, "replay")
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", gettext("The %(shift)s has not ended.") % {"shift": shift}, where="shift")
    refuse_archived(shift.gaming_day)
    rounds = Round.objects.filter(standing(), session__shift=shift)
    return rounds, _checked(rounds, paytable, rules)


def _announce(kind: str, args: Mapping[str, Any], rounds: QuerySet[Round], by: User) -> Job:
    """Announce it under a key of what is asked of which rounds: the last one and how many still stand say which they are."""
    which = rounds.aggregate(last=Max("pk"), number=Count("pk"))
    last = which["last"] or 0
    try:
        asked = hashlib.sha256(canonical_json(args)).hexdigest()
    except ValueError as error:
        raise InvalidSlip("bad_paytable", f"{error}.", where="rules") from error
    return jobs.announce(kind, f"{kind}:{asked}:{last}-{which['number']}:{by.pk}", {**args, "last": last}, by=by)


def _checked(rounds: QuerySet[Round], paytable: Paytable | None, rules: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the job is to settle by, tried on each version of the rounds so that a wrong rule is refused now and not in the job."""
    if paytable is not None and rules is not None:
        raise InvalidSlip("bad_paytable", gettext("Another version, or other rules: not both."), where="rules")
    if rules is None:
        return {} if paytable is None else {"paytable": dict(paytable.content)}
    faults: list[InvalidSlip] = []
    versions = list(PaytableVersion.objects.filter(pk__in=rounds.order_by().values("paytable")))
    for version in versions:
        try:
            with_rules(paytable_of(version), rules)
        except InvalidSlip as error:
            faults.append(error)
    if versions and len(faults) == len(versions):
        raise faults[0]
    return {"rules": dict(rules)}


def replay_shift(shift: Shift, under: Under, *, progress: Callable[[int], object] | None = None) -> Replay:
    """Return the shift's rounds settled again by what `under` says. Two queries a chunk of 500 rounds, flat memory, nothing written."""
    return replay(kept_rounds(Round.objects.filter(standing(), session__shift=shift)), under, progress=progress)
