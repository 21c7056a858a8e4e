"""A dealer's errors, fairly: how often in 1,000 rounds, with the exact interval, beside the house's; corrected ones count, flags do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext

from audit.binomial import Rate, rate
from audit.error_kinds import CORRECTED, ERRORS, error_kinds
from audit.models import Finding
from tables.models import Dealer, Round
from tables.selectors import counted

DAYS = 30


@dataclass(frozen=True)
class KindCount:
    """One kind of error: in how many rounds, how many of them put right at the table, the effect on the house in minor units."""

    kind: str
    words: str
    count: int
    corrected: int
    effect: int


@dataclass(frozen=True)
class DealerProfile:
    """A dealer's rounds of some days: `own` errors against those of `others`, with exact 95 % intervals. It names no cause and proves nothing."""

    dealer: Dealer
    first: date
    last: date
    own: Rate
    others: Rate
    kinds: Sequence[KindCount]

    @property
    def overlaps(self) -> bool:
        """Return whether both intervals have a rate in common: the dealer may well be like everybody else."""
        return self.own.low <= self.others.high and self.others.low <= self.own.high


def dealer_profile(dealer: Dealer, *, last: date, days: int = DAYS) -> DealerProfile:
    """Return the profile of `days` gaming days up to `last`. Three queries."""
    first = last - timedelta(days=days - 1)
    rounds = Round.objects.filter(counted(), session__table__property=dealer.property_id, gaming_day__range=(first, last)).aggregate(
        own=Count("pk", filter=Q(dealer=dealer)), every=Count("pk")
    )
    found = Finding.objects.filter(
        counted("round__"), shift__property=dealer.property_id, round__gaming_day__range=(first, last), kind__in=error_kinds()
    )
    wrong = found.aggregate(own=Count("round", distinct=True, filter=Q(dealer=dealer)), every=Count("round", distinct=True))
    own = rate(min(wrong["own"], rounds["own"]), rounds["own"])
    other_rounds = rounds["every"] - rounds["own"]
    others = rate(min(wrong["every"] - wrong["own"], other_rounds), other_rounds)
    return DealerProfile(dealer, first, last, own, others, _kinds(found.filter(dealer=dealer)))


def _kinds(found: object) -> list[KindCount]:
    rows = {row["kind"]: row for row in found.values("kind").annotate(n=Count("pk"), sum=Sum("effect")).order_by("kind")}  # type: ignore[attr-defined]
    kinds = []
    for kind, words in ERRORS.items():
        stayed, corrected = rows.get(kind), rows.get(kind + CORRECTED)
        count = (stayed["n"] if stayed else 0) + (corrected["n"] if corrected else 0)
        if count:
            kinds.append(KindCount(kind, gettext(words), count, corrected["n"] if corrected else 0, stayed["sum"] if stayed else 0))
    return sorted(kinds, key=lambda one: (-one.count, one.kind))
