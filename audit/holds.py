"""The hold of what stands out, in percent with its interval: win ÷ drop where a box was counted, win ÷ handle for a dealer, who has no box.

Source: spec/night.md, "Statistics"; design/house.md, the words "hold" and "handle".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from django.db.models import Max, QuerySet, Sum

from audit.models import SessionReconciliation, ShiftReconciliation, StatisticResult, StatisticRun, TableDayReconciliation
from audit.spans import first_day
from tables.models import Property, Round
from tables.selectors import counted

PPM = 1_000_000
_PATHS = {"table": "table__code", "game": "table__game", "house": "table__property__code"}


@dataclass(frozen=True)
class Hold:
    """A win and its interval as parts of `base`, minor units of what `of` names: drop or handle."""

    of: str
    base: int
    value: Fraction
    expected: Fraction
    low: Fraction
    high: Fraction

    @property
    def words(self) -> str:
        """Return "Hold 31.25 % of the drop, 9.02 % expected; 95 of 100 lie from −4.10 % to 22.15 %."."""
        value, expected, low, high = (percent(part) for part in (self.value, self.expected, self.low, self.high))
        return f"Hold {value} % of the {self.of}, {expected} % expected; 95 of 100 lie from {low} % to {high} %."

    def as_json(self) -> Mapping[str, Any]:
        """Return it as a finding keeps it: whole minor units and millionths."""
        parts = {name: round(getattr(self, name) * PPM) for name in ("value", "expected", "low", "high")}
        return {"of": self.of, "base": self.base, **{f"{name}_ppm": part for name, part in parts.items()}}


def percent(part: Fraction) -> str:
    """Return a part as a person reads it, "−4.10", halves to even."""
    hundredths = round(part * 10_000)
    whole, rest = divmod(abs(hundredths), 100)
    return f"{'−' if hundredths < 0 else ''}{whole}.{rest:02d}"


def hold_of(run: StatisticRun, result: StatisticResult) -> Hold | None:
    """Return the hold that a win of `run` comes to, None where nothing was dropped or staked. Three queries at most."""
    first, last = first_day(result.span, run.gaming_day), run.gaming_day
    is_dealer = result.scope == "dealer"
    base = _handle(run.property, result.subject, first, last) if is_dealer else _drop(run.property, result, first, last)
    if base <= 0:
        return None
    amounts = (result.value, result.expected or 0, result.low or 0, result.high or 0)
    return Hold("handle" if is_dealer else "drop", base, *(Fraction(amount, base) for amount in amounts))


def _handle(house: Property, dealer: str, first: date, last: date) -> int:
    rounds = Round.objects.filter(counted(), dealer__property=house, dealer__code=dealer, gaming_day__range=(first, last))
    return int(rounds.aggregate(sum=Sum("handle", default=0))["sum"])


def _drop(house: Property, result: StatisticResult, first: date, last: date) -> int:
    """Return what was counted in the boxes of the subject, of each shift's newest reconciliation: after sessions, and of gaming days."""
    shifts = ShiftReconciliation.objects.filter(shift__property=house, shift__gaming_day__range=(first, last))
    if result.scope == "shift":
        shifts = shifts.filter(shift__kind=result.subject)
    newest = list(shifts.values("shift").annotate(last=Max("pk")).values_list("last", flat=True))
    lines = SessionReconciliation.objects.filter(reconciliation__in=newest)
    days = TableDayReconciliation.objects.filter(reconciliation__in=newest)
    path = _PATHS.get(result.scope)
    if path is not None:
        lines, days = lines.filter(**{f"session__{path}": result.subject}), days.filter(**{path: result.subject})
    return _sum(lines) + _sum(days)


def _sum(rows: QuerySet[Any]) -> int:
    return int(rows.aggregate(sum=Sum("drop", default=0))["sum"])
