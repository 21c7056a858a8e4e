"""What the reports read of findings: those of a scope's sessions, with their state."""

from __future__ import annotations

from django.db.models import QuerySet

from audit.models import Finding
from audit.reports.scope import Scope
from audit.selectors import findings_with_state


def findings_of_scope(scope: Scope) -> QuerySet[Finding]:
    """Return the findings of the scope's days, pits, table, game and dealer, with state, shift, table, round and dealer."""
    rows = findings_with_state(Finding.objects.select_related("shift__property", "session__table__pit", "round__reversal", "dealer"))
    rows = rows.filter(shift__property=scope.house, shift__gaming_day__range=(scope.first, scope.last))
    if scope.pits is not None:
        rows = rows.filter(session__table__pit__code__in=scope.pits)
    if scope.table:
        rows = rows.filter(session__table__code=scope.table)
    if scope.game:
        rows = rows.filter(session__table__game=scope.game)
    return rows.filter(dealer__code=scope.dealer) if scope.dealer else rows
