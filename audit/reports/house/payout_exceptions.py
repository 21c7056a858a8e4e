"""Payout exceptions: every wager where the dealer did otherwise than was due, with what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse

from audit.models import Finding
from audit.reports.catalogue import Catalogued
from audit.reports.report import Column, Row, Section
from audit.reports.scope import Scope
from audit.reports.standing import findings_of_scope
from tables.fault_words import in_money
from tables.models import Round

COLUMNS = (
    Column("gaming_day", "Gaming day", "day"),
    Column("table", "Table", "text"),
    Column("round", "Round", "text"),
    Column("round_is", "Which", "text"),
    Column("seat", "Seat", "integer"),
    Column("wager", "Wager", "text"),
    Column("dealer", "Dealer", "text"),
    Column("kind", "Finding", "text"),
    Column("severity", "Severity", "text"),
    Column("state", "State", "text"),
    Column("due", "Due", "amount"),
    Column("done", "Done", "amount"),
    Column("effect", "Effect", "amount", total=True),
    Column("why", "Reason", "text"),
)


def build(scope: Scope) -> Sequence[Section]:
    """Return the findings about wagers. One query."""
    found = (
        findings_of_scope(scope).filter(round__isnull=False, flag=False).order_by("shift__gaming_day", "session__table__code", "round__number", "key")
    )
    return [Section("exceptions", "Exceptions", COLUMNS, tuple(_row(finding) for finding in found), empty="Every payout of these days was as due.")]


def _row(finding: Finding) -> Row:
    assert finding.round is not None
    assert finding.session is not None
    return Row(
        (
            finding.shift.gaming_day,
            finding.session.table.code,
            str(finding.round.number),
            _is(finding.round),
            finding.seat,
            finding.wager or None,
            finding.dealer.code if finding.dealer else None,
            finding.kind.replace("_", " "),
            finding.severity,
            str(getattr(finding, "state", "")),
            finding.due,
            finding.done,
            finding.effect,
            in_money(finding.why, finding.shift.property.notation),
        ),
        emphasis="bad" if finding.severity == Finding.Severity.MAJOR else "",
        on=("effect",),
        link=reverse("admin:audit_finding_change", args=[finding.pk]),
        links=(("round", reverse("admin:tables_round_change", args=[finding.round_id])),),
    )


def _is(played: Round) -> str:
    """Return whether the round still stands: what was done at a voided or replaced one is an exception all the same."""
    change = getattr(played, "reversal", None)
    return "stands" if change is None else "voided" if change.made_id is None else "replaced"


REPORT = Catalogued("payout-exceptions", "Payout exceptions", "Every wager that was paid or taken otherwise than due.", build, action="see_findings")
