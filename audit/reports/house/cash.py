"""Cash near the reporting limit, by patron and gaming day: cash in and cash out summed apart, and who was asked and declined.

Cash in: buy-ins, and cash that was wagered and taken (money plays). Cash out: chips changed into cash at the cage. Markers are credit, and
promotional chips are no cash. Source: spec/night.md, "Reports"; the lines are those of 31 CFR 1021.311 (more than 10,000 in a gaming day).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain

from django.urls import reverse

from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Emphasis, Row, Section
from audit.reports.scope import Scope
from tables.house_settings import History, history
from tables.models import CashOut, ChipMovement, Wager
from tables.selectors import counted

ALMOST = 9
"""Tenths of the line from which on a day that stays below it says so: where somebody who knows the line would stop."""

PATRONS = (
    Column("gaming_day", "Gaming day", "day"),
    Column("patron", "Patron", "text"),
    Column("times_in", "Times in", "integer", total=True),
    Column("cash_in", "Cash in", "amount", total=True),
    Column("times_out", "Times out", "integer", total=True),
    Column("cash_out", "Cash out", "amount", total=True),
    Column("largest", "Largest of them", "amount"),
    Column("to_form", "To the form", "amount"),
    Column("says", "What it comes to", "text"),
)
DECLINED = (
    Column("gaming_day", "Gaming day", "day"),
    Column("at", "At", "moment"),
    Column("what", "What", "text"),
    Column("table", "Where", "text"),
    Column("amount", "Amount", "amount", total=True),
    Column("by", "Asked by", "text"),
)
UNNAMED = (
    Column("gaming_day", "Gaming day", "day"),
    Column("way", "Way", "text"),
    Column("times", "Times", "integer", total=True),
    Column("amount", "Amount", "amount", total=True),
    Column("largest", "Largest of them", "amount"),
)


@dataclass(frozen=True, slots=True)
class Cash:
    """Cash that a patron brought (`is_in`) or took: `where` is the table, or the cage."""

    gaming_day: date
    patron: str
    is_in: bool
    amount: int
    what: str
    where: str
    at: datetime
    by: str
    declined: bool
    link: str


@dataclass(slots=True)
class Sums:
    """How often, how much, and the largest: cash in and cash out apart."""

    times_in: int = 0
    cash_in: int = 0
    times_out: int = 0
    cash_out: int = 0
    largest: int = 0

    @property
    def most(self) -> int:
        """Return the larger of the two sums: the one that the lines are about."""
        return max(self.cash_in, self.cash_out)

    def add(self, one: Cash) -> None:
        """Take one in."""
        if one.is_in:
            self.times_in, self.cash_in = self.times_in + 1, self.cash_in + one.amount
        else:
            self.times_out, self.cash_out = self.times_out + 1, self.cash_out + one.amount
        self.largest = max(self.largest, one.amount)


Named = Mapping[tuple[date, str], Sums]


def build(scope: Scope) -> Sequence[Section]:
    """Return the patrons' days from the alert on, the largest first, who declined, and what nobody's name stands at. Four queries, one pass."""
    named: dict[tuple[date, str], Sums] = defaultdict(Sums)
    nameless: dict[tuple[date, bool], Sums] = defaultdict(Sums)
    declined: list[Cash] = []
    for one in chain(_buy_ins(scope), _money_plays(scope), _cash_outs(scope)):
        if one.patron:
            named[one.gaming_day, one.patron].add(one)
        else:
            nameless[one.gaming_day, one.is_in].add(one)
        if one.declined:
            declined.append(one)
    note = "Cash in and cash out are two sums, and never set off against each other. A figure is a reason to look, never proof."
    if scope.pits is not None:
        note += " Of one's pits only: the cage's cash-outs are left out."
    rows = tuple(_declined(one) for one in sorted(declined, key=lambda one: (one.at, one.where)))
    nobody = "Nobody's cash of a gaming day came near the line."
    return [
        Section("patrons", "Patrons", PATRONS, tuple(_patrons(named, history(scope.house))), note=note, empty=nobody),
        Section("declined", "Asked, and declined to say", DECLINED, rows, empty="Nobody declined."),
        Section("unnamed", "Without a patron", UNNAMED, tuple(_unnamed(nameless)), empty="A patron stands at every one."),
    ]


def _buy_ins(scope: Scope) -> Iterator[Cash]:
    found = ChipMovement.objects.filter(session__in=scope.all_sessions().values("pk"), kind=ChipMovement.Kind.BUY_IN)
    for one in found.select_related("session__table", "requested_by").order_by("id").iterator():
        where, link = one.session.table.code, reverse("admin:tables_chipmovement_change", args=[one.pk])
        yield Cash(one.gaming_day, one.patron, True, one.amount, "buy-in", where, one.occurred_at, one.requested_by.username, one.declined, link)


def _money_plays(scope: Scope) -> Iterator[Cash]:
    """Yield cash that was wagered and lost: what was won or pushed went back. Of an open table only to who may see what it took."""
    wagers = Wager.objects.filter(counted("round__"), round__session__in=scope.sessions().values("pk"), fund=Wager.Fund.CASH, collected__gt=0)
    wagers = wagers.filter(gaming_day__range=(scope.first, scope.last)).select_related("round__session__table", "round__recorded_by")
    for one in wagers.order_by("id").iterator():
        played, link = one.round, reverse("admin:tables_round_change", args=[one.round_id])
        where, by = played.session.table.code, played.recorded_by.username
        yield Cash(one.gaming_day, one.patron, True, one.collected, "money play", where, played.occurred_at, by, False, link)


def _cash_outs(scope: Scope) -> Iterator[Cash]:
    if scope.pits is not None:
        return
    found = CashOut.objects.filter(property=scope.house, gaming_day__range=(scope.first, scope.last)).select_related("by")
    for one in found.order_by("id").iterator():
        link = reverse("admin:tables_cashout_change", args=[one.pk])
        yield Cash(one.gaming_day, one.patron, False, one.amount, "cash-out", "cage", one.occurred_at, one.by.username, one.declined, link)


def _patrons(named: Named, settings: History) -> Iterator[Row]:
    """Yield the patrons' days by the lines of each day: the alert is the property's `ask_patron_from`, the form its `form_above`."""
    for (day, patron), sums in sorted(named.items(), key=lambda each: (-each[1].most, each[0])):
        held = settings.on(day)
        if sums.most >= held.ask_patron_from:
            says, tone = _says(sums, held.ask_patron_from, held.form_above)
            figures = (sums.times_in, sums.cash_in, sums.times_out, sums.cash_out, sums.largest, max(0, held.form_above + 1 - sums.most))
            yield Row((day, patron, *figures, says), emphasis=tone, on=("says",))


def _says(sums: Sums, alert: int, form: int) -> tuple[str, Emphasis]:
    """Return what a day's larger sum comes to, and how loud that is."""
    if sums.most > form:
        return "form", "bad"
    if sums.most * 10 >= form * ALMOST:
        return "alert: just below the form", "warn"
    return ("alert: in parts, each below it", "warn") if sums.largest < alert else ("alert", "")


def _declined(one: Cash) -> Row:
    return Row((one.gaming_day, one.at, one.what, one.where, one.amount, one.by), emphasis="warn", on=("amount",), links=(("what", one.link),))


def _unnamed(nameless: Mapping[tuple[date, bool], Sums]) -> Iterator[Row]:
    for (day, is_in), sums in sorted(nameless.items(), key=lambda each: (each[0][0], not each[0][1])):
        yield Row((day, "cash in" if is_in else "cash out", sums.times_in + sums.times_out, sums.most, sums.largest))


REPORT = Catalogued(
    "cash",
    "Cash near the reporting limit",
    "A patron's cash in and cash out of a gaming day: alert from the asking line on, form above the property's limit, 10,000 unless set.",
    build,
    action="read_cash_outs",
    filters=("day_from", "day_to"),
)
