"""What the reports of the books share: whose they are, for which days, and how they are named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext

from audit.reports.report import Row
from casino import roles
from casino.canonical import canonical_json
from casino.errors import Conflict, InvalidSlip
from casino.models import User
from ledger.archived import TRANSFERS, archived_now
from ledger.models import Archive, Book, BookClosing
from tables.models import Property


@dataclass(frozen=True)
class Days:
    """The gaming days of a report, both with it. Raises InvalidSlip (`bad_day`) where the last lies before the first."""

    first: date
    last: date

    def __post_init__(self) -> None:
        """Refuse days in the wrong order."""
        if self.last < self.first:
            raise InvalidSlip("bad_day", gettext("The last day lies before the first."), where="to")

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"


class Rows:
    """Rows that are read anew each time they are asked for: a long report stays flat in memory."""

    def __init__(self, read: Callable[[], Iterator[Row]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Row]:
        return self._read()


def require_ledger(user: User | None) -> None:
    """Raise Refused unless `user` may read all the books; None is the house itself."""
    if user is not None:
        roles.require(user, "read_ledger")


def archived_in(days: Days) -> list[Archive]:
    """Return the records of the months of these days whose transfers are archived: their lines are in a file. One query."""
    return archived_now(TRANSFERS, first=days.first, last=days.last)


def left_out(days: Days) -> tuple[tuple[str, str], ...]:
    """Return the facts that name the months of these days whose lines are archived, each with its file; none is none."""
    return tuple(("Archived", f"{one.month:%Y-%m}: its lines are in {one.file}, SHA-256 {one.file_sha256}") for one in archived_in(days))


def refuse_left_out(days: Days) -> None:
    """Raise Conflict (`archived`) where a month of these days is archived: of a report that adds up lines, its figures would be missing."""
    months = [f"{one.month:%Y-%m}" for one in archived_in(days)]
    if months:
        raise Conflict(
            "archived",
            gettext("The lines of %(months)s are archived: choose other days, or have the owner bring them back with restore_month.")
            % {"months": ", ".join(months)},
            months=months,
        )


def facts(house: Property, days: Days) -> tuple[tuple[str, str], ...]:
    """Return what stands at the head: property, days, and whether all books of those days are closed."""
    open_books = Book.objects.filter(property=house.uuid, gaming_day__range=(days.first, days.last), closing=None).count()
    state = "every book of these days is closed" if not open_books else f"{open_books} books of these days are open: figures may still change"
    return (("Property", house.name), ("Gaming days", str(days)), ("State", state))


def made_from(house: Property, days: Days) -> str:
    """Return the hash of what the report was read from: how far the house's books were closed, and for which days it is."""
    last = BookClosing.objects.filter(book__property=house.uuid).order_by("-sequence").values_list("sequence", flat=True).first()
    return hashlib.sha256(canonical_json([str(house.uuid), last or 0, str(days.first), str(days.last)])).hexdigest()
