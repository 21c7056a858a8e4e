"""Dealers: rounds dealt, how fast, and how often a wager was settled otherwise than due. A figure to look at, never proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

from django.db.models import Count, F, Max, Min, Q, Sum

from audit.reports.catalogue import Catalogued
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from audit.reports.shown import ratio_text
from tables.models import Wager

COLUMNS = (
    Column("dealer", "Dealer", "text"),
    Column("name", "Name", "text"),
    Column("rounds", "Rounds", "integer", total=True),
    Column("dealt", "Time dealing", "duration", total=True),
    Column("per_hour", "Rounds an hour", "integer"),
    Column("wagers", "Wagers", "integer", total=True),
    Column("errors", "Errors", "integer", total=True),
    Column("corrected", "of which corrected", "integer", total=True),
    Column("per_1000", "Errors per 1,000 rounds", "text"),
    Column("variance", "Payout variance", "amount", total=True),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return a row a dealer. Two queries. Time dealing is from the first to the last round of each session, gaps included."""
    sessions = (
        scope.rounds().values("dealer__code", "dealer__name", "session").annotate(n=Count("pk"), first=Min("occurred_at"), last=Max("occurred_at"))
    )
    dealers: dict[str, dict[str, Any]] = {}
    for row in sessions.order_by("dealer__code"):
        dealer = dealers.setdefault(row["dealer__code"], {"name": row["dealer__name"], "rounds": 0, "dealt": timedelta(0)})
        dealer["rounds"] += row["n"]
        dealer["dealt"] += row["last"] - row["first"]
    mistakes = _mistakes(scope)
    rows = tuple(_row(code, dealer, mistakes.get(code, {}), scope) for code, dealer in sorted(dealers.items()))
    note = "An error is a wager that was not done as due, and one that was corrected at the table. It is a reason to look, never proof."
    return [Section("dealers", "Dealers", COLUMNS, rows, note=note, empty="Nobody dealt on these days.")]


def _mistakes(scope: Scope) -> Mapping[str, Mapping[str, Any]]:
    due = Q(collect__isnull=False)
    off = due & ~Q(collected=F("collect"), paid=F("pay"))
    wagers = Wager.objects.filter(gaming_day__range=(scope.first, scope.last), round__in=scope.rounds().values("pk"))
    sums = wagers.values("round__dealer__code").annotate(
        n=Count("pk"),
        errors=Count("pk", filter=off | ~Q(mispaid="")),
        corrected=Count("pk", filter=Q(mispaid=Wager.Mispaid.CORRECTED)),
        variance=Sum(F("collected") - F("paid") - F("collect") + F("pay"), filter=due, default=0),
    )
    return {row["round__dealer__code"]: row for row in sums.order_by()}


def _row(code: str, dealer: Mapping[str, Any], mistakes: Mapping[str, Any], scope: Scope) -> Row:
    rounds, dealt, errors = dealer["rounds"], dealer["dealt"], mistakes.get("errors", 0)
    per_hour = int(rounds * 3600 / dealt.total_seconds()) if dealt else None
    values = (code, dealer["name"] or None, rounds, dealt, per_hour, mistakes.get("n", 0), errors, mistakes.get("corrected", 0))
    rate = ratio_text(Fraction(1000 * errors, rounds), 2)
    return Row(
        (*values, rate, mistakes.get("variance", 0)),
        emphasis="warn" if errors else "",
        on=("errors",),
        links=(("dealer", rounds_of(q=code, day_from=scope.first, day_to=scope.last)),),
    )


REPORT = Catalogued("dealers", "Dealer errors and pace", "Rounds, pace, errors per 1,000 rounds and their effect, by dealer.", build)
