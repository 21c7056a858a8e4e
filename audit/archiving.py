"""Whether a month may be taken out of the database: everything of it signed, and its rows what was sealed. Source: spec/books.md, "Size"."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from audit.books_check import leaves_and_rows, lend_settlers
from casino.errors import Conflict
from ledger.archived import archived_now
from ledger.models import Entry, Leaf, Segment
from ledger.months import after
from tables.models import Round


def require_verified(month: date) -> None:
    """Return where every entry and round of `month` (its first day) is in a leaf of a signed segment, and is what was sealed there.

    Late rounds and entries without a shift are in segments of other months as well. Raises Conflict (`rows_wait`: some are in no leaf yet;
    `not_signed`; `rows_differ`, with the first difference).
    """
    entries, rounds = (_of(model.objects.all(), month) for model in (Entry, Round))
    waiting = _without_leaf(entries, "entry") + _without_leaf(rounds, "round")
    if waiting:
        raise Conflict(
            "rows_wait",
            gettext("%(waiting)s entries and rounds of %(month)s are not sealed yet: the next shift that is sealed takes them.")
            % {"waiting": waiting, "month": f"{month:%Y-%m}"},
            waiting=waiting,
        )
    segments = _segments(month, entries, rounds)
    if unsigned := [segment.number for segment in segments if not hasattr(segment, "signed")]:
        raise Conflict(
            "not_signed",
            gettext("The sealed shifts %(unsigned)s have no signature yet.") % {"unsigned": ", ".join(map(str, unsigned))},
            segments=unsigned,
        )
    _as_sealed(month, segments)


def _of(rows: QuerySet[Any], month: date) -> QuerySet[Any]:
    return rows.filter(gaming_day__gte=month, gaming_day__lt=after(month)).order_by()


def _without_leaf(rows: QuerySet[Any], kind: str) -> int:
    return rows.filter(~Exists(Leaf.objects.filter(kind=kind, row=OuterRef("pk")))).count()


def _segments(month: date, entries: QuerySet[Any], rounds: QuerySet[Any]) -> list[Segment]:
    """Return the month's segments, and those that hold something else of it, in their order."""
    holding = Leaf.objects.filter(Q(kind="entry", row__in=entries.values("pk")) | Q(kind="round", row__in=rounds.values("pk")))
    own = Q(gaming_day__gte=month, gaming_day__lt=after(month))
    found = Segment.objects.filter(own | Q(pk__in=holding.order_by().values("segment")))
    return list(found.select_related("signed__key").order_by("number"))


def _as_sealed(month: date, segments: list[Segment]) -> None:
    lend_settlers()
    out = archived_now()
    for segment in segments:
        problems, _ = leaves_and_rows(segment, out)
        if problems:
            raise Conflict(
                "rows_differ",
                gettext("%(month)s is not what was sealed: %(words)s. verify_books says all.")
                % {"month": f"{month:%Y-%m}", "words": problems[0].words},
                problems=len(problems),
            )
