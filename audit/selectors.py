"""Reading what the audit compares, in a known number of queries."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils.translation import gettext

from audit.kept_columns import kept_rounds
from audit.limits import Limit
from audit.models import Finding, FindingEvent, ShiftReconciliation, Signature
from audit.reconcile import Movements
from audit.sieve import to_look_at
from casino import roles
from casino.errors import NotFound
from casino.models import User
from ledger.selectors import Moved, moved_in_shift
from tables.edges import theoretical_win
from tables.engine.faces import face
from tables.engine.paytable import Paytable
from tables.fault_words import in_money
from tables.models import (
    BoxPull,
    DropCount,
    PaytableVersion,
    Round,
    Shift,
    TableLimit,
    TableSession,
    TrayCount,
    Wager,
)
from tables.posting import PATRONS_CASH, drop_box, promo, tray
from tables.selectors import counted, shifts_for, standing
from tables.services.paytables import paytable_of
from tables.solved_edges import known_edges

CHUNK = 500


def rounds_to_look_at(shift: Shift, limits: Mapping[int, Sequence[Limit]]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield, a part of the shift's standing rounds after the other, how many these are and the keys of those that are to be looked at one by one.

    Rounds of a game with a batch that settles by cards and stakes are sifted, three statements a chunk of 20,000; those of others are all to be
    looked at, two queries a game. `limits` of tables: a query for each table that has some. Flat memory but for the keys.
    """
    beyond = _beyond(shift, limits)
    rounds = Round.objects.filter(standing(), session__shift=shift)
    for game in rounds.order_by("game").values_list("game", flat=True).distinct():
        batch = face("batch", game)
        if not hasattr(batch, "PACKED"):
            keys = list(rounds.filter(game=game).order_by("pk").values_list("pk", flat=True))
            yield len(keys), keys
            continue
        paytables: dict[int, Paytable] = {}
        for kept in kept_rounds([shift.pk], game, batch.KINDS, seats=batch.SEATS, packed=batch.PACKED):
            for version in PaytableVersion.objects.filter(pk__in=set(kept.paytable[~kept.odd].tolist()) - paytables.keys()):
                paytables[version.pk] = paytable_of(version)
            wanted = to_look_at(kept, paytables, batch) | np.isin(kept.key, beyond)
            yield len(kept.key), np.sort(kept.key[wanted]).tolist()


def _beyond(shift: Shift, limits: Mapping[int, Sequence[Limit]]) -> list[int]:
    """Return the rounds with a stake that some limit of its table, of whatever bet and moment, does not allow: no fewer than are over one."""
    keys: list[int] = []
    for table, bounds in limits.items():
        outside = Q(stake__gt=min(limit.most for limit in bounds)) | Q(stake__lt=max(limit.least for limit in bounds))
        wagers = Wager.objects.filter(outside, gaming_day=shift.gaming_day, round__session__shift=shift, round__session__table=table, stake__gt=0)
        keys += wagers.values_list("round_id", flat=True).distinct()
    return keys


def rounds_with_wagers(keys: Sequence[int]) -> Iterator[tuple[Round, list[Wager]]]:
    """Yield the rounds of these keys with their wagers in order, `CHUNK` at a time: two queries a chunk, flat memory."""
    for start in range(0, len(keys), CHUNK):
        chosen = Round.objects.filter(pk__in=keys[start : start + CHUNK])
        rounds = list(chosen.select_related("session__table", "paytable", "dealer").order_by("pk"))
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


def facts_of(played: Round) -> dict[str, Any]:
    """Return the round's facts as they were typed, in canonical shape."""
    facts: dict[str, Any] = json.loads(bytes(played.deal))
    return facts


def movements_of_shift(shift: Shift) -> Mapping[int, Movements]:
    """Return what moved in each session of the shift, by its key. Six queries."""
    sessions = {session.pk: session for session in shift.sessions.select_related("table")}
    books: dict[UUID, list[Moved]] = defaultdict(list)
    for moved in moved_in_shift(shift.uuid):
        books[moved.session].append(moved)
    rounds = _sums_of_rounds(shift)
    breakage = _breakage(shift)
    expected = _theoretical(shift)
    promotions = _promo_paid(shift)
    return {
        key: _movements(session, books[session.uuid], rounds.get(key, {}), breakage.get(key, Fraction(0)), expected.get(key), promotions.get(key, 0))
        for key, session in sessions.items()
    }


def _movements(
    session: TableSession, books: list[Moved], sums: Mapping[str, Any], breakage: Fraction, expected: Fraction | None, promo_paid: int
) -> Movements:
    code = session.table.code
    by = {(moved.kind, moved.account): moved for moved in books}
    nothing = Moved(session.uuid, "", "", 0, 0)
    fills = by.get(("fill", tray(code)), nothing)
    credits = by.get(("chip_credit", tray(code)), nothing)
    boxes = by.get(("buy_in", drop_box(code)), nothing)
    markers = by.get(("marker", drop_box(code)), nothing)
    redeemed = by.get(("redemption", tray(code)), nothing)
    rounds = by.get(("round", tray(code)), nothing)
    cash = by.get(("round", PATRONS_CASH), nothing)
    coupons = by.get(("round", promo(code)), nothing)
    dropped = by.get(("round", drop_box(code)), nothing)
    cash_collected, taken = cash.left - cash.arrived, coupons.left - coupons.arrived
    rake_dropped = dropped.arrived - dropped.left - cash_collected - taken
    return Movements(
        rounds=sums.get("rounds", 0),
        irregular=sums.get("irregulars", 0),
        fills=fills.arrived - fills.left,
        chip_credits=credits.left - credits.arrived,
        buy_ins=boxes.arrived - boxes.left,
        markers_issued=markers.arrived - markers.left,
        markers_redeemed=redeemed.arrived - redeemed.left,
        cash_collected=cash_collected,
        coupons=taken,
        promo_paid=promo_paid,
        rake_dropped=rake_dropped,
        book_win=rounds.arrived - rounds.left + cash_collected + rake_dropped,
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
        Round.objects.filter(counted(), session__shift=shift)
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
    wagers = Wager.objects.filter(counted("round__"), gaming_day=shift.gaming_day, round__session__shift=shift).exclude(breakage="")
    for session, text in wagers.values_list("round__session", "breakage"):
        broken[session] += Fraction(text)
    return broken


def _promo_paid(shift: Shift) -> dict[int, int]:
    """Return what promotional stakes were paid in chips, by session."""
    rows = Wager.objects.filter(counted("round__"), gaming_day=shift.gaming_day, round__session__shift=shift, fund=Wager.Fund.PROMO)
    return dict(rows.values_list("round__session").annotate(sum=Sum("paid")).order_by())


def _theoretical(shift: Shift) -> dict[int, Fraction]:
    """Return the exact expectation of the house given the wagers that were really made, by session; irregular rounds left out."""
    stakes = (
        Wager.objects.filter(counted("round__"), gaming_day=shift.gaming_day, round__session__shift=shift, round__irregular="")
        .exclude(fund=Wager.Fund.PROMO)  # no handle, so nothing to expect of it
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


def openers(shift: Shift) -> list[TrayCount]:
    """Return the shift's first openers, each with the closer that it was made from, its session and table. One query."""
    counts = TrayCount.objects.filter(session__shift=shift, kind=TrayCount.Kind.OPENER, sequence=1)
    return list(counts.select_related("made_from", "session__table__property").order_by("pk"))


def sealed_counts(shift: Shift) -> list[DropCount]:
    """Return the shift's counts of boxes, each with the pull, in their order. One query."""
    return list(DropCount.objects.filter(session__shift=shift).select_related("pull", "session__table", "reopening").order_by("session", "sequence"))


def recounts(shift: Shift) -> list[TrayCount]:
    """Return the shift's counts of trays that have one after them or before them, in their order. One query."""
    again = TrayCount.objects.filter(session=OuterRef("session"), kind=OuterRef("kind"), sequence=2)
    counts = TrayCount.objects.filter(Exists(again), session__shift=shift).select_related("session", "reopening")
    return list(counts.order_by("session", "kind", "sequence"))


def drop_counts(shift: Shift) -> dict[int, int]:
    """Return the last counted drop of each session. One query."""
    rows = DropCount.objects.filter(session__shift=shift).order_by("sequence").values_list("session", "total")
    return dict(rows)


def latest_reconciliation(shift: Shift) -> ShiftReconciliation | None:
    """Return the shift's newest reconciliation, which knows this very `shift`. One query."""
    kept: ShiftReconciliation | None = shift.reconciliations.order_by("-sequence").first()
    return kept


def findings_with_state(findings: QuerySet[Finding], until: datetime | None = None) -> QuerySet[Finding]:
    """Return `findings` with `state`, the state of each one's last event (recorded at `until` or before). No query of its own."""
    events = FindingEvent.objects.filter(finding=OuterRef("pk"))
    if until is not None:
        events = events.filter(recorded_at__lte=until)
    return findings.annotate(state=Subquery(events.order_by("-sequence").values("state")[:1]))


def reason_of(finding: Finding) -> str:
    """Return the reason sheet as a person reads it: a round's speaks of minor units, the others were written for people already.

    What somebody wrote about an irregular round stays as it was written.
    """
    if not finding.round_id:
        return finding.why
    own = finding.facts.get("reason") or ""
    ours = finding.why.removesuffix(own)
    return in_money(ours, finding.shift.property.notation) + finding.why[len(ours) :]


def findings_for(user: User) -> QuerySet[Finding]:
    """Return the findings that `user` may see: those of their pits, with their state."""
    findings = findings_with_state(Finding.objects.select_related("shift__property", "session__table__property", "round", "dealer"))
    pits = roles.pits_for(user, "see_findings")
    return findings if pits is None else findings.filter(session__table__pit__code__in=pits)


def shift_for(user: User, uuid: UUID) -> Shift:
    """Return the shift of `uuid` that `user` may see. Raises NotFound (`no_shift`): what is not theirs is not there."""
    shift = shifts_for(user).filter(uuid=uuid).first()
    if shift is None:
        raise NotFound("no_shift", gettext("There is no such shift."))
    return shift


def is_signed(shift: Shift) -> bool:
    """Return whether both signatures stand under the shift's reconciliation: for ever. One query."""
    return Signature.objects.filter(shift_uuid=shift.uuid, is_final=True).exists()


def day_boxes(shift: Shift) -> list[BoxPull]:
    """Return the boxes of a whole gaming day that were pulled in this shift. One query."""
    return list(BoxPull.objects.filter(session__shift=shift, per_day=True).select_related("table"))


def other_shifts_of_day(shift: Shift) -> list[Shift]:
    """Return the other shifts of the same gaming day and house. One query."""
    shifts = Shift.objects.filter(property=shift.property_id, gaming_day=shift.gaming_day).exclude(pk=shift.pk)
    return list(shifts.select_related("property"))
