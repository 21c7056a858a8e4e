"""Statistical flags as findings: what stands out is looked at by a person. A flag is a reason to look, never proof, and says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from audit.error_kinds import FLAGS
from audit.holds import Hold, hold_of
from audit.models import Finding, FindingEvent, StatisticResult, StatisticRun
from audit.selectors import findings_with_state
from audit.spans import SPANS
from casino.money import Notation, format_amount
from tables.models import Dealer, Shift

NEVER_PROOF = "A reason to look, never proof."


def raise_flags(run: StatisticRun, results: Sequence[StatisticResult]) -> list[Finding]:
    """Return the findings that were added for flagged `results`: one a subject, of its shortest span, however many spans stand out.

    One that is open of the same subject is not raised again. Four queries, and two for each win that is added.
    """
    shift = Shift.objects.filter(property=run.property, gaming_day=run.gaming_day).order_by("-starts_at").first()
    if shift is None or not results:
        return []
    order = list(SPANS)
    things = {_thing(result): result for result in sorted(results, key=lambda result: -order.index(result.span))}
    raised: QuerySet[Any] = findings_with_state(Finding.objects.filter(flag=True, shift__property=run.property))
    open_things = {key.rpartition(":")[0] for key in raised.exclude(state=FindingEvent.State.CLOSED).values_list("key", flat=True)}
    dealers = {dealer.code: dealer for dealer in Dealer.objects.filter(property=run.property)}
    new = {thing: result for thing, result in things.items() if thing not in open_things}
    holds = {thing: hold_of(run, result) for thing, result in new.items() if result.rule == StatisticResult.Rule.WIN}
    added = [_finding(run, shift, thing, result, dealers, holds.get(thing)) for thing, result in new.items()]
    known = set(Finding.objects.filter(key__in=[finding.key for finding in added]).values_list("key", flat=True))
    return _open(finding for finding in added if finding.key not in known)


def _open(findings: Iterable[Finding]) -> list[Finding]:
    added = Finding.objects.bulk_create(findings)
    FindingEvent.objects.bulk_create([FindingEvent(finding=finding, sequence=1, state=FindingEvent.State.OPEN) for finding in added])
    return added


def _thing(result: StatisticResult) -> str:
    return f"statistic:{result.rule}:{result.scope}:{result.subject}"


def _finding(run: StatisticRun, shift: Shift, thing: str, result: StatisticResult, dealers: dict[str, Dealer], hold: Hold | None) -> Finding:
    effect = result.value - (result.expected or 0) if result.rule == StatisticResult.Rule.WIN else 0
    return Finding(
        key=f"{thing}:{run.gaming_day}",
        kind=FLAGS[result.rule],
        severity=Finding.Severity.MINOR,
        flag=True,
        shift=shift,
        dealer=dealers.get(result.subject.partition(" ")[0]) if result.scope == "dealer" else None,
        effect=effect,
        due=result.expected if result.rule == StatisticResult.Rule.WIN else None,
        done=result.value if result.rule == StatisticResult.Rule.WIN else None,
        why=" ".join(filter(None, (words_of(result, shift.property.notation), hold.words if hold else "", NEVER_PROOF))),
        facts={**_facts(run, result), **({"hold": hold.as_json()} if hold else {})},
    )


def _facts(run: StatisticRun, result: StatisticResult) -> dict[str, Any]:
    """Return the rule, what it was asked of, its threshold and the value, so that the flag can be understood without the run."""
    names = ("rule", "scope", "subject", "span", "rounds", "value", "expected", "low", "high", "adjusted", "threshold")
    return {**{name: getattr(result, name) for name in names}, "run": str(run.uuid)}


def words_of(result: StatisticResult, notation: Notation) -> str:
    """Return the result in a sentence: value, what was expected, the interval, how rare it is."""
    what = f"{result.scope.capitalize()} {result.subject}, {SPANS[result.span].lower()}, {result.rounds:,} rounds:"
    if result.rule == StatisticResult.Rule.WIN:
        low, high, value, expected = (format_amount(amount or 0, notation) for amount in (result.low, result.high, result.value, result.expected))
        return f"{what} won {value}, {expected} expected; 95 of 100 lie from {low} to {high}.{_rare(result)}"
    if result.rule == StatisticResult.Rule.ERRORS:
        own, house, low, high = (per_thousand(share or 0) for share in (result.value, result.expected, result.low, result.high))
        return f"{what} {own} errors in 1,000 rounds ({low} to {high}), the house {house}.{_rare(result)}"
    low, high, value = (f"{(amount or 0) / 100:.0f}" for amount in (result.low, result.high, result.value))
    return f"{what} {value} rounds an hour; {low} to {high} are usual."


def per_thousand(share: int) -> str:
    """Return millionths as "3.25" per thousand."""
    return f"{share / 1000:.2f}"


def _rare(result: StatisticResult) -> str:
    if result.adjusted is None:
        return ""
    return f" Adjusted for every comparison of the day, p = {result.adjusted / 1_000_000:.6f}, below {result.threshold / 1_000_000:.2f}."
