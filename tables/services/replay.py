"""Replay: a shift, or a month's rounds of a game, settled again under another paytable or rule, as a job.

It reads, and the job's result is all that it writes. Only shifts that have ended: what an open session won is for nobody who may count it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, QuerySet, Sum

from casino import jobs, roles
from casino.canonical import canonical_json
from casino.errors import Conflict, InvalidSlip, NotFound
from casino.models import Job, User
from casino.transactions import in_transaction
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import PaytableVersion, Property, Round, Shift, ShiftEvent, Wager
from tables.replay import KeptDue, KeptRound, Replay, Under, replay, with_rules
from tables.selectors import shift_state, shifts_in, standing
from tables.services.paytables import paytable_of, read_paytable

KIND = "replay_shift"
MONTH_KIND = "replay_month"
CHUNK = 500


# ---- asking ----


@in_transaction
def ask_replay(shift: Shift, *, by: User, paytable: Paytable | None = None, rules: Mapping[str, Any] | None = None) -> Job:
    """Return the job that settles `shift` again: by `paytable` (its game's rounds), or each round by its own version with `rules` replaced.

    Neither: by its own version, where the difference is zero. Asked again of the same rounds it is the same job. A version need not be
    published. Raises Refused, Conflict (`shift_open`), InvalidSlip (`bad_paytable`: both were given, or no version of the shift takes these
    rules).
    """
    rounds, under = _asked(shift, by, paytable, rules)
    return _announce(KIND, {"shift": str(shift.uuid), **under}, rounds, by)


@in_transaction
def ask_month(house: Property, month: date, paytable: Paytable, *, by: User) -> Job:
    """Return the job that settles the rounds of the paytable's game at `house` again that were dealt in the month of `month`."""
    roles.require(by, "replay")
    args = {"property": house.code, "month": month.strftime("%Y-%m"), "paytable": dict(paytable.content)}
    return _announce(MONTH_KIND, args, rounds_of_month(house, month, paytable.game), by)


def replay_now(shift: Shift, *, by: User, paytable: Paytable | None = None, rules: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return at once what the job would: nothing is written. Raises as `ask_replay`."""
    rounds, under = _asked(shift, by, paytable, rules)
    return {"under": _named(under), **replay(kept_rounds(rounds), under_of(under)).as_json()}


def _asked(shift: Shift, by: User, paytable: Paytable | None, rules: Mapping[str, Any] | None) -> tuple[QuerySet[Round], dict[str, Any]]:
    """Return the rounds, and what to settle them by, of somebody who may ask. Raises as `ask_replay`."""
    roles.require(by, "replay")
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", f"The {shift} has not ended.", where="shift")
    rounds = Round.objects.filter(standing(), session__shift=shift)
    return rounds, _checked(rounds, paytable, rules)


def _announce(kind: str, args: Mapping[str, Any], rounds: QuerySet[Round], by: User) -> Job:
    """Announce it under a key of what is asked of which rounds: the last one and how many still stand say which they are."""
    which = rounds.aggregate(last=Max("pk"), number=Count("pk"))
    try:
        asked = hashlib.sha256(canonical_json(args)).hexdigest()
    except ValueError as error:
        raise InvalidSlip("bad_paytable", f"{error}.", where="rules") from error
    return jobs.announce(kind, f"{kind}:{asked}:{which['last'] or 0}-{which['number']}:{by.pk}", args, by=by)


def _checked(rounds: QuerySet[Round], paytable: Paytable | None, rules: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what the job is to settle by, tried on each version of the rounds so that a wrong rule is refused now and not in the job."""
    if paytable is not None and rules is not None:
        raise InvalidSlip("bad_paytable", "Another version, or other rules: not both.", where="rules")
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


# ---- doing ----


def replay_shift(shift: Shift, under: Under, *, progress: Callable[[int], object] | None = None) -> Replay:
    """Return the shift's rounds settled again by what `under` says. Two queries a chunk of 500 rounds, flat memory, nothing written."""
    return replay(kept_rounds(Round.objects.filter(standing(), session__shift=shift)), under, progress=progress)


def run_shift(job: Job, progress: jobs.Report) -> dict[str, Any]:
    """Return the result of a job that `ask_replay` announced. Raises NotFound (`no_shift`)."""
    shift = Shift.objects.filter(uuid=UUID(job.args["shift"])).first()
    if shift is None:
        raise NotFound("no_shift", "There is no such shift.")
    return _run(job, Round.objects.filter(standing(), session__shift=shift), progress)


def run_month(job: Job, progress: jobs.Report) -> dict[str, Any]:
    """Return the result of a job that `ask_month` announced."""
    house, month = Property.objects.get(code=job.args["property"]), date.fromisoformat(f"{job.args['month']}-01")
    return _run(job, rounds_of_month(house, month, job.args["paytable"]["game"]), progress)


def under_of(args: Mapping[str, Any]) -> Under:
    """Return what the arguments of a job say to settle by; rules that a version does not take leave its rounds out."""
    if "paytable" in args:
        other = read_paytable(args["paytable"])
        return lambda own: other if own.game == other.game else None
    if "rules" not in args:
        return lambda own: own
    made: dict[str, Paytable | None] = {}

    def under(own: Paytable) -> Paytable | None:
        if own.sha256 not in made:
            made[own.sha256] = _with_rules(own, args["rules"])
        return made[own.sha256]

    return under


def kept_rounds(rounds: QuerySet[Round]) -> Iterator[KeptRound]:
    """Yield `rounds` as values with what was kept as due, `CHUNK` at a time: two queries a chunk."""
    last = 0
    while chunk := list(rounds.filter(pk__gt=last).select_related("session__table", "paytable").order_by("pk")[:CHUNK]):
        last = chunk[-1].pk
        dues = _dues(chunk)
        for played in chunk:
            facts = json.loads(bytes(played.deal))
            table, paytable = played.session.table.code, paytable_of(played.paytable)
            yield KeptRound(str(played.uuid), table, facts, paytable, dues[played.pk], irregular=bool(played.irregular))


def _dues(rounds: list[Round]) -> Mapping[int, list[KeptDue]]:
    found: dict[int, list[KeptDue]] = defaultdict(list)
    days = {played.gaming_day for played in rounds}
    wagers = Wager.objects.filter(round__in=rounds, gaming_day__in=days).order_by("round_id", "line")
    for key, seat, kind, stake, collect, pay in wagers.values_list("round_id", "seat", "kind", "stake", "collect", "pay"):
        found[key].append(KeptDue(seat, kind, stake, collect or 0, pay or 0))
    return found


def _run(job: Job, rounds: QuerySet[Round], progress: jobs.Report) -> dict[str, Any]:
    total = rounds.count()
    found = replay(kept_rounds(rounds), under_of(job.args), progress=lambda done: progress(done, total, "rounds settled again"))
    return {"under": _named(job.args), **found.as_json()}


def _named(args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the rounds were settled by, for a person: a version with its hash, rules, or each round's own version."""
    if "paytable" in args:
        other = read_paytable(args["paytable"])
        return {"paytable": other.reference, "sha256": other.sha256}
    return {"rules": args["rules"]} if "rules" in args else {"own": True}


def _with_rules(own: Paytable, rules: Mapping[str, Any]) -> Paytable | None:
    try:
        return with_rules(own, rules)
    except InvalidSlip:
        return None


def rounds_of_month(house: Property, month: date, game: str) -> QuerySet[Round]:
    """Return the rounds of `game` in the shifts of `house` that have ended and whose gaming day is in the month of `month`."""
    first = month.replace(day=1)
    after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    days = {"gaming_day__gte": first, "gaming_day__lt": after}
    ended = shifts_in(ShiftEvent.State.ENDED, Shift.objects.filter(property=house, **days))
    return Round.objects.filter(standing(), session__shift__in=ended.values("pk"), game=game)


def stakes_by_bet(rounds: QuerySet[Round], game: str) -> dict[str, int]:
    """Return what was staked in `rounds` of `game`, irregular ones left out, in minor units by bet, as edges name their basis. One query."""
    bet_of = games()[game].bet_of
    sums = Wager.objects.filter(round__in=rounds.filter(irregular=""), round__game=game).order_by().values_list("kind").annotate(Sum("stake"))
    found: dict[str, int] = defaultdict(int)
    for kind, stake in sums:
        found[bet_of(kind)] += int(stake)
    return dict(found)
