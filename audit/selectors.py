"""Reading what the audit compares, in a known number of queries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum

from audit.limits import Limit
from audit.models import Finding, FindingEvent, ShiftReconciliation, Signature
from audit.reconcile import Movements
from casino import roles
from casino.errors import NotFound
from casino.models import User
from ledger.selectors import Moved, moved_in_shift
from tables.edges import theoretical_win
from tables.fault_words import in_money
from tables.models import (
    ChipMovement,
    DropCount,
    PaytableVersion,
    Property,
    Round,
    Shift,
    SlipCounter,
    TableLimit,
    TableSession,
    TrayCount,
    Wager,
)
from tables.posting import drop_box, tray
from tables.selectors import shifts_for
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges

CHUNK = 500


def rounds_of_shift(shift: Shift) -> Iterator[tuple[Round, list[Wager]]]:
    """Yield the shift's rounds with their wagers in order, `CHUNK` at a time: two queries a chunk, flat memory."""
    last = 0
    while True:
        rounds = list(
            Round.objects.filter(session__shift=shift, pk__gt=last).select_related("session__table", "paytable", "dealer").order_by("pk")[:CHUNK]
        )
        if not rounds:
            return
        last = rounds[-1].pk
        wagers: dict[int, list[Wager]] = defaultdict(list)
        days = {played.gaming_day for played in rounds}
        for wager in Wager.objects.filter(round__in=rounds, gaming_day__in=days).order_by("round_id", "line"):
            wagers[wager.round_id].append(wager)
        for played in rounds:
            yield played, wagers[played.pk]


def limits_of(shift: Shift) -> Mapping[int, list[Limit]]:
    """Return the limits of the property's tables, by the table's key, none for those that have none. One query."""
    limits: dict[int, list[Limit]] = defaultdict(list)
    for row in TableLimit.objects.filter(table__property=shift.property_id):
        limits[row.table_id].append(Limit(row.bet, row.least, row.most, row.from_at))
    return limits


def slip_gaps(house: Property) -> list[tuple[str, int]]:
    """Return (kind, number) of every slip's number that was given and is nowhere. Two queries."""
    given = {counter.kind: counter.last for counter in SlipCounter.objects.filter(property=house)}
    there: dict[str, set[int]] = defaultdict(set)
    for kind, number in ChipMovement.objects.filter(property=house, number__isnull=False).values_list("kind", "number"):
        there[kind].add(number or 0)
    last = {kind: max([given.get(kind, 0), *there[kind]]) for kind in {*given, *there}}
    return [(kind, number) for kind in sorted(last) for number in range(1, last[kind] + 1) if number not in there[kind]]


def facts_of(played: Round) -> dict[str, Any]:
    """Return the round's facts as they were typed, in canonical shape."""
    facts: dict[str, Any] = json.loads(bytes(played.deal))
    return facts


def movements_of_shift(shift: Shift) -> Mapping[int, Movements]:
    """Return what moved in each session of the shift, by its key. Five queries."""
    sessions = {session.pk: session for session in shift.sessions.select_related("table")}
    books: dict[UUID, list[Moved]] = defaultdict(list)
    for moved in moved_in_shift(shift.uuid):
        books[moved.session].append(moved)
    rounds = _sums_of_rounds(shift)
    breakage = _breakage(shift)
    expected = _theoretical(shift)
    return {
        key: _movements(session, books[session.uuid], rounds.get(key, {}), breakage.get(key, Fraction(0)), expected.get(key))
        for key, session in sessions.items()
    }


def _movements(session: TableSession, books: list[Moved], sums: Mapping[str, Any], breakage: Fraction, expected: Fraction | None) -> Movements:
    code = session.table.code
    by = {(moved.kind, moved.account): moved for moved in books}
    nothing = Moved(session.uuid, "", "", 0, 0)
    fills = by.get(("fill", tray(code)), nothing)
    credits = by.get(("chip_credit", tray(code)), nothing)
    boxes = by.get(("buy_in", drop_box(code)), nothing)
    rounds = by.get(("round", tray(code)), nothing)
    return Movements(
        rounds=sums.get("rounds", 0),
        irregular=sums.get("irregulars", 0),
        fills=fills.arrived - fills.left,
        chip_credits=credits.left - credits.arrived,
        buy_ins=boxes.arrived - boxes.left,
        book_win=rounds.arrived - rounds.left,
        handle=sums.get("handle_sum", 0),
        collected=sums.get("collected_sum", 0),
        paid=sums.get("paid_sum", 0),
        payout_variance=sums.get("done_sum", 0) - sums.get("due_sum", 0),
        rake=sums.get("rake_sum", 0),
        breakage=breakage,
        theoretical_win=expected,
    )


def _sums_of_rounds(shift: Shift) -> dict[int, dict[str, Any]]:
    regular = Q(irregular="")
    rows = (
        Round.objects.filter(session__shift=shift, late=False)
        .values("session")
        .annotate(
            rounds=Count("pk"),
            irregulars=Count("pk", filter=~regular),
            handle_sum=Sum("handle"),
            collected_sum=Sum("collected"),
            paid_sum=Sum("paid"),
            rake_sum=Sum("rake"),
            done_sum=Sum(F("collected") - F("paid"), filter=regular, default=0),
            due_sum=Sum(F("collect") - F("pay"), filter=regular, default=0),
        )
        .order_by()
    )
    return {row["session"]: dict(row) for row in rows}


def _breakage(shift: Shift) -> dict[int, Fraction]:
    broken: dict[int, Fraction] = defaultdict(Fraction)
    wagers = Wager.objects.filter(gaming_day=shift.gaming_day, round__session__shift=shift).exclude(breakage="")
    for session, text in wagers.values_list("round__session", "breakage"):
        broken[session] += Fraction(text)
    return broken


def _theoretical(shift: Shift) -> dict[int, Fraction]:
    """Return the exact expectation of the house given the wagers that were really made, by session; irregular rounds left out."""
    stakes = (
        Wager.objects.filter(gaming_day=shift.gaming_day, round__session__shift=shift, round__irregular="", round__late=False)
        .values("round__session", "round__paytable", "kind")
        .annotate(sum=Sum("stake"))
        .order_by()
    )
    by: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for row in stakes:
        by[row["round__session"], row["round__paytable"]][row["kind"]] = row["sum"]
    versions = PaytableVersion.objects.in_bulk({version for _, version in by})
    expected: dict[int, Fraction] = {}
    for (session, version), sums in by.items():
        win = theoretical_win(known_edges(paytable_of(versions[version])), sums)
        if win is not None:
            expected[session] = expected.get(session, Fraction(0)) + win
    return expected


def tray_counts(shift: Shift) -> dict[int, dict[str, int]]:
    """Return the last counted opener and closer of each session. One query."""
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for count in TrayCount.objects.filter(session__shift=shift).order_by("sequence"):
        counts[count.session_id][count.kind] = count.total
    return counts


def drop_counts(shift: Shift) -> dict[int, int]:
    """Return the last counted drop of each session. One query."""
    rows = DropCount.objects.filter(session__shift=shift).order_by("sequence").values_list("session", "total")
    return dict(rows)


def latest_reconciliation(shift: Shift) -> ShiftReconciliation | None:
    """Return the shift's newest reconciliation. One query."""
    return ShiftReconciliation.objects.filter(shift=shift).order_by("-sequence").first()


def findings_with_state(findings: QuerySet[Finding]) -> QuerySet[Finding]:
    """Return `findings` with `state`, the state of each one's last event. No query of its own."""
    last = FindingEvent.objects.filter(finding=OuterRef("pk")).order_by("-sequence").values("state")[:1]
    return findings.annotate(state=Subquery(last))


def reason_of(finding: Finding) -> str:
    """Return the reason sheet as a person reads it: a round's speaks of minor units, the others were written for people already."""
    return in_money(finding.why, finding.shift.property.exponent) if finding.round_id else finding.why


def findings_for(user: User) -> QuerySet[Finding]:
    """Return the findings that `user` may see: those of their pits, with their state."""
    findings = findings_with_state(Finding.objects.select_related("shift__property", "session__table__property", "round", "dealer"))
    pits = roles.pits_for(user, "see_findings")
    return findings if pits is None else findings.filter(session__table__pit__code__in=pits)


def shift_for(user: User, uuid: UUID) -> Shift:
    """Return the shift of `uuid` that `user` may see. Raises NotFound (`no_shift`): what is not theirs is not there."""
    shift = shifts_for(user).filter(uuid=uuid).first()
    if shift is None:
        raise NotFound("no_shift", "There is no such shift.")
    return shift


def is_signed(shift: Shift) -> bool:
    """Return whether both signatures stand under the shift's reconciliation: for ever. One query."""
    return Signature.objects.filter(shift_uuid=shift.uuid, is_final=True).exists()
