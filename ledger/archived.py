"""What of the books is archived now: out of the database, in files. Source: spec/books.md, "Size"."""

from __future__ import annotations

from datetime import date

from django.utils.translation import gettext

from casino.errors import Conflict
from ledger.models import Archive

TRANSFERS, WAGERS = "ledger_transfer", "tables_wager"
TABLES = (TRANSFERS, WAGERS)
"""What is taken out; leaves stay, so that whatever was sealed can be verified in its place."""


def archived_now(*tables: str, first: date | None = None, last: date | None = None) -> list[Archive]:
    """Return the records of all that is out of the database now, by month and table. One query.

    Of `tables` alone where some are named, and of the months of the days from `first` to `last`, both with them; None is without bound.
    """
    rows = Archive.objects.filter(table__in=tables or TABLES).order_by("sequence")
    if first is not None:
        rows = rows.filter(month__gte=first.replace(day=1))
    if last is not None:
        rows = rows.filter(month__lte=last)
    newest = {(one.month, one.table): one for one in rows}
    return [one for _, one in sorted(newest.items()) if one.action == Archive.Action.ARCHIVE]


def archived(month: date) -> list[Archive]:
    """Return the records of what is out of the database of `month` (its first day) now, by table. One query."""
    return archived_now(first=month, last=month)


def months_out(*tables: str, first: date | None = None, last: date | None = None) -> list[date]:
    """Return the months (first days) that are out of `tables`, of any table where none is named, of the days from `first` to `last`. One query."""
    return sorted({one.month for one in archived_now(*tables, first=first, last=last)})


def refuse_archived(day: date) -> None:
    """Raise Conflict (`archived`) where transfers or wagers of the gaming day's month are out of the database: nothing of them can be changed."""
    month = day.replace(day=1)
    if archived(month):
        raise Conflict(
            "archived",
            gettext("The books of %(month)s are archived: the owner brings them back first, with restore_month.") % {"month": f"{month:%Y-%m}"},
            month=f"{month:%Y-%m}",
        )
