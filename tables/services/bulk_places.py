"""The tables that a file of slips is about: all that its slips are checked against, read once under the locks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.utils.translation import gettext

from casino import roles
from casino.errors import Conflict
from casino.models import User
from ledger.services import lock_shift
from tables import selectors
from tables.engine.game import Game, games
from tables.engine.paytable import Paytable
from tables.house_settings import settings_on
from tables.locks import lock_session
from tables.models import Dealer, PaytableVersion, Round, Table, TablePaytable, TableSession
from tables.services.paytables import paytable_of
from tables.slips import RoundSlip


@dataclass
class Place:
    """A table's open session as it is now; `numbers`: those that its rounds have, `top` the highest; `day`: the gaming day as text."""

    table: Table
    session: TableSession
    game: Game
    known: dict[str, selectors.SessionNow]
    nobody: selectors.SessionNow
    versions: list[tuple[datetime, PaytableVersion, Paytable]]
    numbers: set[int]
    top: int
    rake_in_box: bool
    may_be_irregular: bool
    day: str

    def now(self, dealer: str) -> selectors.SessionNow:
        """Return what the session is now, and who `dealer` is."""
        return self.known.get(dealer, self.nobody)

    def version(self, at: datetime) -> tuple[PaytableVersion, Paytable]:
        """Return the version in force at `at`. Raises Conflict (`no_paytable`)."""
        for begun, version, paytable in self.versions:
            if begun <= at:
                return version, paytable
        raise selectors.no_paytable(self.table)

    def number(self, slip: RoundSlip) -> int:
        """Return the number that the slip's round gets. Raises Conflict (`number_taken`)."""
        number = slip.number or self.top + 1
        if number in self.numbers:
            raise Conflict(
                "number_taken", gettext("Round %(number)s of this session is recorded already.") % {"number": number}, where="number", number=number
            )
        self.numbers.add(number)
        self.top = max(self.top, number)
        return number


def places_of(found: Iterable[tuple[Table, TableSession]], by: User) -> dict[str, Place]:
    """Return the places by the tables' codes, locked in one order: shifts, then sessions."""
    found = list(found)
    for shift in sorted({session.shift.uuid for _, session in found}):
        lock_shift(shift)
    for one in sorted(session.uuid for _, session in found):
        lock_session(one)
    return {table.code: _place(table, session, by) for table, session in found}


def _place(table: Table, session: TableSession, by: User) -> Place:
    """Return what the session's slips are checked against, asked after the lock was waited for. Five queries."""
    nobody = selectors.session_now(session, "")
    known = {code: replace(nobody, dealer=pk) for code, pk in Dealer.objects.filter(property=table.property_id).values_list("code", "pk")}
    rows = TablePaytable.objects.filter(table=table).select_related("version").order_by("-from_at")
    return Place(
        table=table,
        session=session,
        game=games()[table.game],
        known=known,
        nobody=nobody,
        versions=[(row.from_at.astimezone(UTC), row.version, paytable_of(row.version)) for row in rows],
        numbers=set(Round.objects.filter(session=session).values_list("number", flat=True)),
        top=nobody.next_number - 1,
        rake_in_box=settings_on(table.property, session.shift.gaming_day).rake_in_box,
        day=session.shift.gaming_day.isoformat(),
        may_be_irregular=roles.may(by.roles, "record_irregular", table.pit.code),
    )
