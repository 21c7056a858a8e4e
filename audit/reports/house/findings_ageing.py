"""Findings that wait, by age: how long each has been open on the report's last day, and a table of ages by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from django.urls import reverse

from audit.models import Finding, FindingEvent
from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from audit.reports.standing import findings_of_scope

AGES = (("to_1", "0 – 1 day", 1), ("to_7", "2 – 7 days", 7), ("to_30", "8 – 30 days", 30), ("older", "older", 10**6))
WAITING = (
    Column("finding", "Finding", "text"),
    Column("severity", "Severity", "text"),
    Column("state", "State", "text"),
    Column("gaming_day", "Gaming day", "day"),
    Column("days", "Days open", "integer"),
    Column("table", "Table", "text"),
    Column("round", "Round", "text"),
    Column("dealer", "Dealer", "text"),
    Column("effect", "Effect", "amount", total=True),
)
BY_KIND = (
    Column("kind", "Kind", "text"),
    *(Column(key, label, "integer", total=True) for key, label, _ in AGES),
    Column("all", "All", "integer", total=True),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the ages by kind, and every finding that is not closed, the oldest first. One query."""
    found = findings_of_scope(scope).exclude(state=FindingEvent.State.CLOSED).order_by("shift__gaming_day", "id")  # type: ignore[misc]
    waiting = list(found)
    return [
        Section("ages", "By kind and age", BY_KIND, tuple(_ages(waiting, scope.last)), empty="No finding waits."),
        Section("waiting", "Waiting", WAITING, tuple(_row(finding, scope.last) for finding in waiting), empty="No finding waits."),
    ]


def _days(finding: Finding, last: date) -> int:
    return (last - finding.shift.gaming_day).days


def _ages(waiting: Sequence[Finding], last: date) -> list[Row]:
    counts = Counter((finding.kind, next(key for key, _, most in AGES if _days(finding, last) <= most)) for finding in waiting)
    kinds = sorted({kind for kind, _ in counts})
    rows = []
    for kind in kinds:
        by_age = [counts[kind, key] for key, _, _ in AGES]
        rows.append(Row((kind.replace("_", " "), *by_age, sum(by_age))))
    return rows


def _row(finding: Finding, last: date) -> Row:
    days = _days(finding, last)
    return Row(
        (
            finding.kind.replace("_", " "),
            finding.severity,
            str(getattr(finding, "state", "")),
            finding.shift.gaming_day,
            days,
            finding.session.table.code if finding.session else None,
            str(finding.round.number) if finding.round else None,
            finding.dealer.code if finding.dealer else None,
            finding.effect,
        ),
        emphasis="warn" if days > 7 else "",
        on=("days",),
        link=reverse("admin:audit_finding_change", args=[finding.pk]),
    )


REPORT = Catalogued("findings-ageing", "Findings and ageing", "What waits for an answer or a review, and for how long.", build, action="see_findings")
