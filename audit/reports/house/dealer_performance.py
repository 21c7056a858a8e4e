"""Dealers: rounds dealt, how fast, and how often a wager was settled otherwise than due. A figure to look at, never proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

from django.db.models import Count, F, Max, Min, Q, Sum

from audit.binomial import Rate, rate
from audit.reports.catalogue import Catalogued
from audit.reports.chart import Bar, Chart
from audit.reports.links import rounds_of
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from audit.reports.shown import ratio_text
from casino.money import Notation
from tables.models import Wager

COLUMNS = (
    Column("dealer", "Dealer", "text"),
    Column("name", "Name", "text"),
    Column("rounds", "Rounds", "integer", total=True),
    Column("dealt", "Time dealing", "duration", total=True),
    Column("per_hour", "Rounds an hour", "integer"),
    Column("wagers", "Wagers", "integer", total=True),
    Column("errors", "Errors", "integer", total=True),
    Column("wrong_rounds", "Rounds with one", "integer", total=True),
    Column("corrected", "of which corrected", "integer", total=True),
    Column("per_1000", "Per 1,000 rounds", "text"),
    Column("low", "95 % from", "text"),
    Column("high", "to", "text"),
    Column("variance", "Payout variance", "amount", total=True),
)

NOTE = (
    "An error is a wager that was not done as due, and one that was corrected at the table. The rate is of rounds with an error, its interval"
    " exact (Clopper and Pearson). It is a reason to look, never proof."
)


def build(scope: Scope) -> Sequence[Section]:
    """Return a row a dealer, with the exact interval of the error rate. Two queries.

    Time dealing is from the first to the last round of each session, gaps included.
    """
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
    rates = {code: _rate(dealer, mistakes.get(code, {})) for code, dealer in sorted(dealers.items())}
    return [Section("dealers", "Dealers", COLUMNS, rows, note=NOTE, empty="Nobody dealt on these days.", chart=_chart(rates, scope.house.notation))]


def _rate(dealer: Mapping[str, Any], mistakes: Mapping[str, Any]) -> Rate:
    return rate(mistakes.get("wrong_rounds", 0), dealer["rounds"])


def _per_1000(share: float) -> str:
    return ratio_text(Fraction(share) * 1000, 2)


def _chart(rates: Mapping[str, Rate], notation: Notation) -> Chart | None:
    """Return the dealers' rates, the house's as what is expected; loud where even the least of the interval is above it."""
    rounds = sum(one.trials for one in rates.values())
    if not rounds:
        return None
    every = sum(one.events for one in rates.values()) / rounds
    bars = tuple(
        Bar(code, _hundredths(one.value), _hundredths(one.low), _hundredths(one.high), _hundredths(every), one.low > every)
        for code, one in rates.items()
    )
    said = f"{len(bars)} dealers; {sum(bar.loud for bar in bars)} with an interval wholly above the house's rate."
    return Chart(
        "Errors per 1,000 rounds",
        bars,
        notation._replace(exponent=2),
        said,
        value_word="errors per 1,000",
        expected_word="the house's rate",
    )


def _hundredths(share: float) -> int:
    return round(share * 100_000)


def _mistakes(scope: Scope) -> Mapping[str, Mapping[str, Any]]:
    due = Q(collect__isnull=False)
    off = due & ~Q(collected=F("collect"), paid=F("pay"))
    wagers = Wager.objects.filter(gaming_day__range=(scope.first, scope.last), round__in=scope.rounds().values("pk"))
    sums = wagers.values("round__dealer__code").annotate(
        n=Count("pk"),
        errors=Count("pk", filter=off | ~Q(mispaid="")),
        wrong_rounds=Count("round", distinct=True, filter=off | ~Q(mispaid="")),
        corrected=Count("pk", filter=Q(mispaid=Wager.Mispaid.CORRECTED)),
        variance=Sum(F("collected") - F("paid") - F("collect") + F("pay"), filter=due, default=0),
    )
    return {row["round__dealer__code"]: row for row in sums.order_by()}


def _row(code: str, dealer: Mapping[str, Any], mistakes: Mapping[str, Any], scope: Scope) -> Row:
    rounds, dealt, errors = dealer["rounds"], dealer["dealt"], mistakes.get("errors", 0)
    per_hour = int(rounds * 3600 / dealt.total_seconds()) if dealt else None
    values = (code, dealer["name"] or None, rounds, dealt, per_hour, mistakes.get("n", 0), errors)
    own = _rate(dealer, mistakes)
    rates = (ratio_text(Fraction(1000 * own.events, rounds), 2), _per_1000(own.low), _per_1000(own.high))
    return Row(
        (*values, own.events, mistakes.get("corrected", 0), *rates, mistakes.get("variance", 0)),
        emphasis="warn" if errors else "",
        on=("errors",),
        links=(("dealer", rounds_of(q=code, day_from=scope.first, day_to=scope.last)),),
    )


REPORT = Catalogued("dealers", "Dealer errors and pace", "Rounds, pace, errors per 1,000 rounds and their effect, by dealer.", build)
