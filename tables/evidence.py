"""The floor's evidence that is sealed with a shift: one entry a model. See ledger/evidence.py for how fields are named."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Q

from ledger.evidence import Kind, digest, kind, listed, secret
from ledger.models import Entry
from tables.models import ChipMovement, DealerTurn, DropCount, Round, SessionEvent, Shift, ShiftEvent, TableSession, TrayCount

WAGERS = listed(
    "wagers",
    "line,seat,kind,patron,stake,collect,pay,row,breakage,uncapped,collected,paid,mispaid,first_collected,first_paid",
    """(SELECT '[' || coalesce(string_agg(concat('[', w.line, ',', w.seat, ',"', w.kind, '",', to_json(w.patron), ',', w.stake, ',',
        coalesce(w.collect::text, 'null'), ',', coalesce(w.pay::text, 'null'), ',"', w."row", '","', w.breakage, '",',
        coalesce(w.uncapped::text, 'null'), ',', w.collected, ',', w.paid, ',"', w.mispaid, '",',
        coalesce(w.first_collected::text, 'null'), ',', coalesce(w.first_paid::text, 'null'), ']'), ',' ORDER BY w.line), '') || ']'
        FROM tables_wager w WHERE w.round_id = tables_round.id AND w.gaming_day = tables_round.gaming_day)""",
)
NOTES = listed(
    "wager_notes",
    "line,note",
    """(SELECT coalesce('[' || string_agg(concat('[', w.line, ',', to_json(w.note), ']'), ',' ORDER BY w.line) || ']', '')
        FROM tables_wager w WHERE w.round_id = tables_round.id AND w.gaming_day = tables_round.gaming_day AND w.note <> '')""",
)


def _rounds(shift: UUID) -> Q:
    """Return what says that a round is the shift's: a late one is sealed with its entry, in the shift in which it was posted.

    Two ways in one union, not an OR: each has its index.
    """
    posted = Entry.objects.filter(shift=shift, kind="round", late=True).order_by().values("round")
    own = Round.objects.filter(session__shift__uuid=shift, late=False).order_by().values("pk")
    return Q(pk__in=own.union(Round.objects.filter(late=True, uuid__in=posted).order_by().values("pk"), all=True))


ROUND = kind(
    "round",
    Round,
    "uuid",
    "session__uuid",
    "table=session__table__code",
    "number",
    "label",
    "game",
    "gaming_day",
    "occurred_at",
    "recorded_at",
    "recorded_by__username",
    "dealer__code",
    "paytable=paytable__name",
    "paytable_version=paytable__version",
    "paytable_sha256=paytable__sha256",
    "engine_version",
    "deal",
    digest("settlement"),
    "fingerprint",
    secret("irregular"),
    "late",
    "replaces__uuid",
    "wager_count",
    "handle",
    "collect",
    "pay",
    "rake",
    "collected",
    "paid",
    WAGERS,
    secret(NOTES),
    shift="session__shift__uuid",
    property="session__table__property__uuid",
    mine=_rounds,
    late=False,
    without={"cards": "the deal's cards again, in a fixed width", "made_in": "the number of a transaction"},
)

KINDS: tuple[Kind, ...] = (
    kind(
        "shift",
        Shift,
        "uuid",
        "kind",
        "gaming_day",
        "starts_at",
        "ends_at",
        "recorded_at",
        "opened_by__username",
        shift="uuid",
        property="property__uuid",
        without={"property": "in the segment's head"},
    ),
    kind(
        "shift_event",
        ShiftEvent,
        "shift__uuid",
        "sequence",
        "state",
        "occurred_at",
        "recorded_at",
        "by__username",
        secret("note"),
        shift="shift__uuid",
        property="shift__property__uuid",
    ),
    kind(
        "session",
        TableSession,
        "uuid",
        "shift__uuid",
        "table__code",
        "game=table__game",
        "sequence",
        "recorded_at",
        shift="shift__uuid",
        property="shift__property__uuid",
    ),
    kind(
        "session_event",
        SessionEvent,
        "session__uuid",
        "sequence",
        "state",
        "occurred_at",
        "recorded_at",
        "by__username",
        secret("note"),
        shift="session__shift__uuid",
        property="session__shift__property__uuid",
    ),
    kind(
        "dealer_turn",
        DealerTurn,
        "session__uuid",
        "dealer__code",
        "from_at",
        "recorded_at",
        "by__username",
        shift="session__shift__uuid",
        property="session__shift__property__uuid",
    ),
    kind(
        "chip_movement",
        ChipMovement,
        "uuid",
        "session__uuid",
        "kind",
        "number",
        "amount",
        "denominations",
        "patron",
        "gaming_day",
        "occurred_at",
        "recorded_at",
        "requested_by__username",
        "issued_by__username",
        "received_by__username",
        shift="session__shift__uuid",
        property="property__uuid",
        without={"property": "in the segment's head"},
    ),
    kind(
        "tray_count",
        TrayCount,
        "session__uuid",
        "kind",
        "sequence",
        "total",
        "denominations",
        "occurred_at",
        "recorded_at",
        "counted_by__username",
        "witness__username",
        secret("note"),
        shift="session__shift__uuid",
        property="session__shift__property__uuid",
    ),
    kind(
        "drop_count",
        DropCount,
        "session__uuid",
        "sequence",
        "box",
        "seal",
        "total",
        "denominations",
        "occurred_at",
        "recorded_at",
        "counted_by__username",
        "witness__username",
        secret("note"),
        shift="session__shift__uuid",
        property="session__shift__property__uuid",
    ),
    ROUND,
)

LEFT_OUT: Mapping[str, str] = {
    "tables.Wager": "in its round's leaf",
}
"""Append-only rows about a shift, session or round that are no leaves, and why."""
