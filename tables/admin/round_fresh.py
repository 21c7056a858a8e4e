"""What stands in the fields of a fresh page for a round: the time, the number, who deals, and what is mostly as in the round before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import uuid4

from django.db.models import Max, QuerySet
from django.utils import timezone

from casino import shown
from casino.errors import Conflict
from casino.models import User
from casino.money import format_amount
from casino.wall_clock import offset_text
from tables.engine.game import Field, games
from tables.models import Dealer, PaytableVersion, Round, Table, TableSession
from tables.round_fields import TableFacts, round_name, seat_name
from tables.round_keys import next_button
from tables.selectors import dealer_now, rounds_for, standing, version_in_force
from tables.services.paytables import paytable_of

LAST_SHOWN = 4


@dataclass(frozen=True)
class Beside:
    """What stands beside a round in hand: the open session, its last rounds as the person may read them, newest first."""

    user: User
    session: TableSession

    @cached_property
    def last_rounds(self) -> list[Round]:
        """Return the last few rounds. One query."""
        return list(rounds_of(self.user, self.session)[:LAST_SHOWN])

    @cached_property
    def dealers(self) -> list[Dealer]:
        """Return who dealt in this session, the latest first, each once. One query."""
        turns = self.session.turns.select_related("dealer").order_by("-from_at")[:8]
        return list(dict.fromkeys(turn.dealer for turn in turns))

    @cached_property
    def last_facts(self) -> Mapping[str, Any]:
        """Return the facts of the table's last round of the gaming day, also of an earlier session: who sat there mostly sits there still.

        Of the first one there are none, but for empty `seats`. At most one query.
        """
        facts: dict[str, Any] = json.loads(bytes(last.deal)) if (last := self._last()) else {"seats": []}
        return facts

    def _last(self) -> Round | None:
        if self.last_rounds:
            return self.last_rounds[0]
        earlier = rounds_for(self.user).filter(session__table=self.session.table, gaming_day=self.session.shift.gaming_day)
        return earlier.order_by("-id").first()

    @property
    def seats(self) -> list[int]:
        """Return the seats that played the last round."""
        return [seat["seat"] for seat in self.last_facts["seats"]]

    @property
    def typed(self) -> dict[str, str]:
        """Return the fields of a fresh page."""
        table = self.session.table
        return {
            **now_at(table),
            "uuid": str(uuid4()),
            "number": str(next_number(self.session)),
            "who_dealt": self._dealer,
            **self._again(),
            **{round_name(name): text for name, text in (next_button(games()[table.game].layout, self.last_facts) if self.seats else {}).items()},
        }

    @property
    def bets(self) -> dict[str, str]:
        """Return, by field, the bets of the last round, where a seat lays any of many: to be repeated by a key."""
        fields = games()[self.session.table.game].layout.seat_fields
        notation = self.session.table.property.notation
        return {
            seat_name(seat["seat"], field.name): ", ".join(f"{kind} {format_amount(put, notation)}" for kind, put in seat[field.name].items())
            for seat in self.last_facts["seats"]
            for field in fields
            if field.kind == "wagers" and seat.get(field.name)
        }

    @property
    def _dealer(self) -> str:
        dealer = dealer_now(self.session)
        return dealer.code if dealer else self.last_rounds[0].dealer.code if self.last_rounds else ""

    def _again(self) -> dict[str, str]:
        """Return the fields that are mostly as in the round before: who sits where with which ante and side bet."""
        layout = games()[self.session.table.game].layout
        notation = self.session.table.property.notation

        def of(facts: Mapping[str, Any], fields: tuple[Field, ...]) -> list[tuple[str, int]]:
            return [(field.name, facts[field.name]) for field in fields if field.habit == "again" and facts.get(field.name) is not None]

        typed = {round_name(name): amount for name, amount in of(self.last_facts, layout.round_fields)}
        for seat in self.last_facts["seats"]:
            typed |= {seat_name(seat["seat"], name): amount for name, amount in of(seat, layout.seat_fields)}
        return {name: format_amount(amount, notation) for name, amount in typed.items()}


def rounds_of(user: User, session: TableSession) -> QuerySet[Round]:
    """Return the session's rounds that `user` may read, the latest entered first."""
    return rounds_for(user).filter(standing(), session=session).order_by("-id")


def next_number(session: TableSession) -> int:
    """Return the number that the session's next round gets. One query."""
    highest: int | None = Round.objects.filter(session=session).aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def now_at(table: Table) -> dict[str, str]:
    """Return the fields of the time, as it is now by the house's clock."""
    local = shown.local(timezone.now(), table.property).replace(microsecond=0)
    return {"occurred_at": local.replace(tzinfo=None).isoformat(), "utc_offset": offset_text(local)}


def facts_of(table: Table) -> TableFacts:
    """Return what the form needs to know of a table."""
    return TableFacts(table.code, games()[table.game], table.property.notation, table.property.zone)


def version_at(table: Table, at: datetime) -> PaytableVersion | None:
    """Return the version in force at `table` then, None where there is none. One query."""
    try:
        return version_in_force(table, at)
    except Conflict:
        return None


def rules_now(table: Table) -> dict[str, Any]:
    """Return the rules of the paytable in force now; none where there is none. One query."""
    version = version_at(table, timezone.now())
    return dict(paytable_of(version).rules) if version else {}
