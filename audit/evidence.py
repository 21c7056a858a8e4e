"""Everything that is sealed with a shift, in the order of its leaves: the books', the floor's and the audit's own."""

from __future__ import annotations

from collections.abc import Mapping

from audit.models import Finding, FindingEvent, SessionReconciliation, ShiftReconciliation
from ledger.evidence import ENTRY, Kind, kind, secret
from tables import evidence as floor

OWN: tuple[Kind, ...] = (
    kind(
        "reconciliation",
        ShiftReconciliation,
        "uuid",
        "shift__uuid",
        "sequence",
        "grade",
        "fingerprint",
        "recorded_at",
        shift="shift__uuid",
        property="shift__property__uuid",
    ),
    kind(
        "reconciliation_line",
        SessionReconciliation,
        "reconciliation__uuid",
        "session__uuid",
        "rounds",
        "irregular",
        "opener",
        "closer",
        "expected_closer",
        "fills",
        "chip_credits",
        "buy_ins",
        "drop",
        "handle",
        "collected",
        "paid",
        "win_by_play",
        "win_by_count",
        "tray_variance",
        "drop_variance",
        "payout_variance",
        "book_variance",
        "rake",
        "theoretical_win",
        "breakage",
        "recorded_at",
        shift="reconciliation__shift__uuid",
        property="reconciliation__shift__property__uuid",
    ),
    kind(
        "finding",
        Finding,
        "uuid",
        "key",
        "kind",
        "severity",
        "flag",
        "shift__uuid",
        "session__uuid",
        "round__uuid",
        "dealer__code",
        "seat",
        "wager",
        "effect",
        "due",
        "done",
        secret("why"),
        secret("facts"),
        "recorded_at",
        shift="shift__uuid",
        property="shift__property__uuid",
    ),
    kind(
        "finding_event",
        FindingEvent,
        "finding__uuid",
        "sequence",
        "state",
        "by__username",
        secret("note"),
        "recorded_at",
        shift="finding__shift__uuid",
        property="finding__shift__property__uuid",
    ),
)

KINDS: tuple[Kind, ...] = (*floor.KINDS, ENTRY, *OWN)

LEFT_OUT: Mapping[str, str] = {
    **floor.LEFT_OUT,
    "ledger.Transfer": "in its entry's leaf",
    "audit.ReportFile": "a file made from what is sealed, and made again whenever it is asked for",
}
"""Append-only rows about a shift, session, round or finding that are no leaves, and why."""
