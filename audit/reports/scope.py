"""What a report is narrowed by: days, pits, a table, a game, a dealer. Read once, at the door; what it says is in the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext

from audit.models import SessionReconciliation, ShiftReconciliation
from casino import roles
from casino.errors import Fault, InvalidSlip, NotFound
from casino.gaming_day import gaming_day
from casino.models import User
from tables.engine.game import games
from tables.models import Property, Round, SessionEvent, TableSession
from tables.selectors import counted, sessions_in

LONGEST = timedelta(days=366)
"""A report covers a year and a day at most."""
FIELDS = ("property", "day_from", "day_to", "pit", "table", "game", "dealer")


@dataclass(frozen=True)
class Scope:
    """Gaming days `first` to `last` of `house`; `pits` are the codes that the reader may see and asked for, None for all.

    `sees_open`: rounds of open sessions may be shown, because the reader does not count trays (spec/night.md, "Life of a table").
    `counter`: only the counts that this person took part in, for a reader who counts and reads no other report.
    """

    house: Property
    first: date
    last: date
    pits: tuple[str, ...] | None = None
    table: str = ""
    game: str = ""
    dealer: str = ""
    sees_open: bool = False
    counter: str = ""

    @property
    def identity(self) -> str:
        """Return "CASINO/2026-11-01/2026-11-30" and what else narrows it."""
        narrowed = [f"{name}-{value}" for name, value in self._narrowed if value]
        pits = ["+".join(self.pits)] if self.pits is not None else []
        return "/".join([self.house.code, self.first.isoformat(), self.last.isoformat(), *pits, *narrowed])

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return what is printed above the report: the property, the days and every filter."""
        said = [("Property", self.house.name), ("From", self.first.isoformat()), ("To", self.last.isoformat())]
        if self.pits is not None:
            said.append(("Pits", ", ".join(self.pits) or "none"))
        said += [(name.capitalize(), value) for name, value in self._narrowed if value]
        return tuple(said)

    @property
    def _narrowed(self) -> tuple[tuple[str, str], ...]:
        return (("table", self.table), ("game", self.game), ("dealer", self.dealer), ("counter", self.counter))

    def covers(self, moment: datetime) -> bool:
        """Return whether `moment` falls into one of the gaming days, by the property's clock and rollover."""
        return self.first <= gaming_day(moment, self.house.zone, self.house.rollover) <= self.last

    def all_sessions(self) -> QuerySet[TableSession]:
        """Return the sessions that the scope covers, open ones too: for what is no secret of a running table, as its slips."""
        rows = TableSession.objects.filter(shift__property=self.house, shift__gaming_day__range=(self.first, self.last))
        if self.pits is not None:
            rows = rows.filter(table__pit__code__in=self.pits)
        if self.table:
            rows = rows.filter(table__code=self.table)
        if self.game:
            rows = rows.filter(table__game=self.game)
        return rows

    def sessions(self) -> QuerySet[TableSession]:
        """Return the sessions that the scope covers; open ones only where the reader may see what they won."""
        rows = self.all_sessions()
        return rows if self.sees_open else sessions_in(SessionEvent.State.CLOSED, rows)

    def rounds(self) -> QuerySet[Round]:
        """Return the rounds of those sessions that count, of the scope's dealer where one is named: as `tables.selectors.counted`."""
        rows = Round.objects.filter(counted(), session__in=self.sessions().values("pk"), gaming_day__range=(self.first, self.last))
        return rows.filter(dealer__code=self.dealer) if self.dealer else rows

    def dealt_by(self) -> QuerySet[Round]:
        """Return every round that the scope's dealer dealt, counted or not."""
        return Round.objects.filter(dealer__property=self.house, dealer__code=self.dealer)

    def lines(self) -> QuerySet[SessionReconciliation]:
        """Return the newest reconciliation's line of each of those sessions, with session, table, pit and shift."""
        newest = ShiftReconciliation.objects.filter(shift=OuterRef("session__shift")).order_by("-sequence").values("pk")[:1]
        rows = SessionReconciliation.objects.filter(session__in=self.sessions().values("pk"), reconciliation=Subquery(newest))
        return rows.select_related("session__table__pit", "session__shift", "reconciliation").order_by(
            "session__shift__gaming_day", "session__shift__starts_at", "session__table__code", "session__sequence"
        )


def read_scope(params: Mapping[str, Any], user: User, today: date, action: str = "read_reports") -> Scope:
    """Return the scope that `params` (the address) name for `user`; by default today's gaming day of the first property.

    Raises InvalidSlip whose `errors` name each field that is wrong, NotFound (`no_property`).
    """
    said = {name: str(params.get(name, "") or "").strip() for name in FIELDS}
    faults: list[Fault] = []
    house = _house(said["property"])
    first = _day(said, "day_from", today, faults)
    last = _day(said, "day_to", max(first, today), faults)
    if not faults and first > last:
        faults.append(Fault("bad_filter", gettext("The last day lies before the first."), "day_to"))
    elif last - first > LONGEST:
        faults.append(Fault("bad_filter", gettext("A report covers a year and a day at most."), "day_to"))
    if said["game"] and said["game"] not in games():
        faults.append(Fault("bad_filter", gettext("“%(said)s” is no game.") % {"said": said["game"][:40]}, "game"))
    if faults:
        raise InvalidSlip.of(faults)
    sees = roles.may(user.roles, "see_expected")
    counter = "" if roles.may(user.roles, "read_reports") else user.username
    return Scope(house, first, last, _pits(user, said["pit"], action), said["table"][:20], said["game"], said["dealer"][:20], sees, counter)


def _house(code: str) -> Property:
    houses = Property.objects.order_by("code")
    found = houses.filter(code=code).first() if code else houses.first()
    if found is None:
        raise NotFound("no_property", gettext("There is no such property."), where="property")
    return found


def _day(said: Mapping[str, str], name: str, default: date, faults: list[Fault]) -> date:
    text = said[name]
    if not text:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        faults.append(Fault("bad_filter", gettext("“%(text)s” is no day: write it as 2026-11-30.") % {"text": text[:40]}, name))
        return default


def _pits(user: User, pit: str, action: str) -> tuple[str, ...] | None:
    mine = roles.pits_for(user, action)
    if not pit:
        return mine
    return (pit,) if mine is None or pit in mine else ()
