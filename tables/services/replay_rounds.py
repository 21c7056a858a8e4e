"""What a replay reads: the rounds of an ended shift or of a month, as values with what was kept as due, and what to settle them by."""

from __future__ import annotations

import json
from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.utils.translation import gettext

from casino.errors import InvalidSlip, NotFound
from tables.engine.game import games
from tables.engine.paytable import Paytable
from tables.models import Property, Round, Shift, ShiftEvent, Wager
from tables.replay import KeptDue, KeptRound, Under, with_rules
from tables.selectors import shifts_in, standing
from tables.services.paytables import paytable_of, read_paytable

CHUNK = 500


def rounds_of(args: Mapping[str, Any]) -> QuerySet[Round]:
    """Return the rounds that a replay's job is of: those that were there when it was asked for. Raises NotFound (`no_shift`)."""
    if "month" in args:
        house, month = Property.objects.get(code=args["property"]), date.fromisoformat(f"{args['month']}-01")
        rounds = rounds_of_month(house, month, args["paytable"]["game"])
    else:
        shift = Shift.objects.filter(uuid=UUID(args["shift"])).first()
        if shift is None:
            raise NotFound("no_shift", gettext("There is no such shift."))
        rounds = Round.objects.filter(standing(), session__shift=shift)
    return rounds.filter(pk__lte=args["last"])


def rounds_of_month(house: Property, month: date, game: str) -> QuerySet[Round]:
    """Return the rounds of `game` in the shifts of `house` that have ended and whose gaming day is in the month of `month`."""
    last = month.replace(day=monthrange(month.year, month.month)[1])
    days = {"gaming_day__gte": month.replace(day=1), "gaming_day__lte": last}
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


def named(args: Mapping[str, Any]) -> dict[str, Any]:
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


def kept_rounds(rounds: QuerySet[Round]) -> Iterator[KeptRound]:
    """Yield `rounds` as values with what was kept as due, `CHUNK` at a time: two queries a chunk."""
    last = 0
    while chunk := list(rounds.filter(pk__gt=last).select_related("session__table", "paytable").order_by("pk")[:CHUNK]):
        last = chunk[-1].pk
        yield from kept_chunk(chunk)


def kept_chunk(rounds: list[Round]) -> Iterator[KeptRound]:
    """Yield `rounds`, with session, table and paytable at hand, as values with what was kept as due. One query."""
    dues = _dues(rounds)
    for played in rounds:
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
