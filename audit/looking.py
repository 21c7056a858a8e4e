"""One look at everything up to a gaming day: win, errors and pace of every table, game, dealer and shift, each against its rule.

What is found is kept with rule, threshold and value; what stands out becomes a flag, which is a reason to look and never proof.
Source: spec/night.md, "Statistics".
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from django.db.models import Max

from audit.binomial import rate
from audit.error_kinds import error_kinds
from audit.flags import raise_flags
from audit.models import Finding, SessionMoments, ShiftReconciliation, StatisticResult, StatisticRun
from audit.spans import SPANS, earliest, first_day
from audit.statistics import (
    ALPHA,
    FEWEST_ROUNDS,
    PACE,
    Moments,
    check_errors,
    check_win,
    holm,
    is_off_pace,
    millionths,
    pace_of,
)
from casino.canonical import canonical_json
from casino.transactions import in_transaction, wait_turn
from tables.models import Property
from tables.selectors import counted

Subject = tuple[str, str]
"""Scope and what it is: ("table", "UTH-01"), ("dealer", "D-1187")."""
ERROR_SPANS = ("30d", "ytd")
PACE_SPANS = ("day",)


@dataclass(frozen=True)
class Dealt:
    """What a dealer dealt in one session, with what it is added up by."""

    day: date
    game: str
    subjects: tuple[Subject, ...]
    moments: Moments
    gaps: int
    seconds: int


@in_transaction
def look(house: Property, day: date) -> StatisticRun:
    """Return the run of everything up to gaming day `day`; the same figures as in a run that is kept are that run. Flags are raised with it."""
    wait_turn(f"statistics:{house.uuid}")
    dealt = _dealt(house, day)
    results = [*_wins(dealt, day), *_errors(house, dealt, day), *_paces(dealt, day)]
    print_ = _fingerprint(results)
    known = StatisticRun.objects.filter(property=house, gaming_day=day, fingerprint=print_).first()
    return known or _keep(house, day, results, print_, sum(one.moments.left_out for one in dealt if one.day == day))


def _keep(house: Property, day: date, results: list[StatisticResult], print_: str, left_out: int) -> StatisticRun:
    run = StatisticRun.objects.create(property=house, gaming_day=day, fingerprint=print_, correction="holm", left_out=left_out)
    for result in results:
        result.run = run
    StatisticResult.objects.bulk_create(results)
    raise_flags(run, [result for result in results if result.flagged])
    return run


def _dealt(house: Property, day: date) -> list[Dealt]:
    """Return what was dealt since the earliest day that a span needs, of each shift's newest reconciliation. Two queries."""
    shifts = ShiftReconciliation.objects.filter(shift__property=house, shift__gaming_day__range=(earliest(day), day))
    newest = shifts.values("shift").annotate(last=Max("pk")).values_list("last", flat=True)
    rows = SessionMoments.objects.filter(reconciliation__in=list(newest)).select_related("session__table", "session__shift", "dealer")
    return [_of_row(row, house) for row in rows]


def _of_row(row: SessionMoments, house: Property) -> Dealt:
    table = row.session.table
    subjects = (
        ("table", table.code),
        ("game", table.game),
        ("dealer", row.dealer.code),
        ("shift", row.session.shift.kind),
        ("house", house.code),
    )
    moments = Moments(row.rounds, row.left_out, row.win, row.taken_out, Fraction(row.expected), float(row.variance))
    return Dealt(row.gaming_day, table.game, subjects, moments, row.gaps, row.seconds)


def _in_spans(dealt: Iterable[Dealt], day: date, spans: Iterable[str]) -> Iterable[tuple[str, Dealt]]:
    firsts = {span: first_day(span, day) for span in spans}
    for one in dealt:
        yield from ((span, one) for span, first in firsts.items() if first <= one.day)


def _wins(dealt: Sequence[Dealt], day: date) -> list[StatisticResult]:
    sums: dict[tuple[Subject, str], Moments] = defaultdict(Moments)
    for span, one in _in_spans(dealt, day, SPANS):
        for subject in one.subjects:
            sums[subject, span] += one.moments
    results = [_win(subject, span, moments) for (subject, span), moments in sorted(sums.items()) if moments.rounds]
    return _adjusted(results)


def _win(subject: Subject, span: str, moments: Moments) -> StatisticResult:
    check = check_win(moments)
    return StatisticResult(
        rule=StatisticResult.Rule.WIN,
        scope=subject[0],
        subject=subject[1],
        span=span,
        rounds=moments.rounds,
        value=moments.win,
        expected=_nearest(moments.expected),
        low=check.low,
        high=check.high,
        taken_out=moments.taken_out,
        p=millionths(check.p) if moments.rounds >= FEWEST_ROUNDS else None,
    )


def _nearest(amount: Fraction) -> int:
    whole = (2 * abs(amount.numerator) + amount.denominator) // (2 * amount.denominator)
    return whole if amount >= 0 else -whole


def _errors(house: Property, dealt: Sequence[Dealt], day: date) -> list[StatisticResult]:
    rounds: dict[tuple[str, str], int] = defaultdict(int)
    for span, one in _in_spans(dealt, day, ERROR_SPANS):
        dealer = dict(one.subjects)["dealer"]
        rounds[span, dealer] += one.moments.rounds + one.moments.left_out
    wrong = {span: errors_by_dealer(house, first_day(span, day), day) for span in ERROR_SPANS}
    results = []
    for (span, dealer), dealt_rounds in sorted(rounds.items()):
        events = min(wrong[span].get(dealer, 0), dealt_rounds)
        every = sum(n for (other, _), n in rounds.items() if other == span)
        others = sum(wrong[span].values()) - events
        results.append(_error(dealer, span, events, dealt_rounds, others, every - dealt_rounds))
    return _adjusted(results)


def errors_by_dealer(house: Property, first: date, last: date) -> Mapping[str, int]:
    """Return in how many rounds each dealer erred, corrected or not, by staff number. One query."""
    found = Finding.objects.filter(counted("round__"), shift__property=house, round__gaming_day__range=(first, last), kind__in=error_kinds())
    by: dict[str, int] = defaultdict(int)
    for dealer, _ in found.values_list("dealer__code", "round").distinct():
        by[dealer] += 1
    return by


def _error(dealer: str, span: str, events: int, rounds: int, others: int, other_rounds: int) -> StatisticResult:
    own = rate(events, rounds)
    p = check_errors(events, rounds, others, other_rounds)
    return StatisticResult(
        rule=StatisticResult.Rule.ERRORS,
        scope="dealer",
        subject=dealer,
        span=span,
        rounds=rounds,
        value=millionths(own.value),
        expected=millionths((others + events) / (rounds + other_rounds)),
        low=millionths(own.low),
        high=millionths(own.high),
        p=millionths(p) if rounds >= FEWEST_ROUNDS else None,
    )


def _adjusted(results: list[StatisticResult]) -> list[StatisticResult]:
    """Return `results` with their p adjusted for all comparisons of the rule, and the flags."""
    compared = [result for result in results if result.p is not None]
    for result, p in zip(compared, holm([(result.p or 0) / 1_000_000 for result in compared]), strict=True):
        result.adjusted = millionths(p)
    for result in results:
        result.threshold = millionths(ALPHA)
        result.flagged = result.adjusted is not None and result.adjusted < result.threshold
    return results


def _paces(dealt: Sequence[Dealt], day: date) -> list[StatisticResult]:
    sums: dict[tuple[Subject, str], Dealt] = {}
    for _, one in _in_spans(dealt, day, PACE_SPANS):
        for subject in one.subjects:
            if subject[0] in ("table", "dealer"):
                before = sums.get((subject, one.game))
                sums[subject, one.game] = one if before is None else _together(before, one)
    return [_pace(subject, game, one) for (subject, game), one in sorted(sums.items()) if one.seconds]


def _together(one: Dealt, other: Dealt) -> Dealt:
    return replace(one, gaps=one.gaps + other.gaps, seconds=one.seconds + other.seconds)


def _pace(subject: Subject, game: str, one: Dealt) -> StatisticResult:
    value = pace_of(one.gaps, one.seconds)
    low, high = PACE.get(game, (None, None))
    return StatisticResult(
        rule=StatisticResult.Rule.PACE,
        scope=subject[0],
        subject=f"{subject[1]} {game}" if subject[0] == "dealer" else subject[1],
        span="day",
        rounds=one.gaps,
        value=value,
        low=None if low is None else low * 100,
        high=None if high is None else high * 100,
        threshold=0,
        flagged=is_off_pace(game, value, one.gaps),
    )


_KEPT = ("rule", "scope", "subject", "span", "rounds", "value", "expected", "low", "high", "taken_out", "p", "adjusted", "threshold", "flagged")


def _fingerprint(results: Iterable[StatisticResult]) -> str:
    return hashlib.sha256(canonical_json([[getattr(result, name) for name in _KEPT] for result in results])).hexdigest()
