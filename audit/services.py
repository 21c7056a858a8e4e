"""The audit's verbs: it looks, compares and keeps what it found. It moves no money."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from audit import selectors
from audit.compare import FindingDraft, WagerDone, compare_round, compare_ruled
from audit.floor_findings import Counted, gap_finding, opener_findings, recount_finding, seal_findings
from audit.limits import Limit, over_limits
from audit.models import Finding, FindingEvent, SessionReconciliation, ShiftReconciliation, TableDayReconciliation
from audit.reconcile import DayDraft, ReconciliationDraft, count_findings, drop_finding, reconcile, reconcile_day
from audit.second_opinion import second_opinion, wants_second_opinion
from casino import jobs, roles
from casino.canonical import canonical_json
from casino.errors import BrokenBooks, Conflict
from casino.models import Job, User
from casino.money import Minor
from casino.transactions import in_transaction
from ledger.archived import refuse_archived
from ledger.selectors import amount_of
from ledger.services import lock_shift
from tables.engine.game import Settlement, games
from tables.house_settings import HouseSettings, settings_of
from tables.locks import lock_name
from tables.models import DropCount, Round, Shift, ShiftEvent, TableSession, TrayCount, Wager
from tables.selectors import shift_state, slip_gaps, standing
from tables.services.chips import bankroll
from tables.services.paytables import paytable_of

Progress = Callable[[int, int, str], None]


def _quiet(done: int, total: int, what: str = "") -> None:
    """Say nothing."""


@in_transaction
def audit_payouts(shift: Shift, *, progress: Progress = _quiet) -> list[Finding]:
    """Return the findings that this look added: every round of `shift` recomputed from its cards, every wager's due against its done.

    Most rounds are recomputed together, and only those are looked at one by one in which something differs, that want a second opinion, or
    whose game has no such batch. A second look adds none: findings are unique by round, seat, wager and kind.
    Raises Conflict (`archived`): what was done is not in the database now.
    """
    refuse_archived(shift.gaming_day)
    lock_name(f"audit:{shift.uuid}")
    limits, major_over = selectors.limits_of(shift), settings_of(shift).notify_over
    total = Round.objects.filter(standing(), session__shift=shift).count()
    added: list[Finding] = []
    seen = 0
    for count, keys in selectors.rounds_to_look_at(shift, limits):
        seen += count - len(keys)
        for played, wagers in selectors.rounds_with_wagers(keys):
            added += _keep_look(played, wagers, shift, limits.get(played.session.table_id, ()), major_over)
            seen += 1
            progress(seen, total, "payouts audited")
        progress(seen, total, "payouts audited")
    return added + _slip_gaps(shift)


def _done(wagers: Iterable[Wager]) -> list[WagerDone]:
    return [WagerDone(w.seat, w.kind, w.stake, w.collected, w.paid, w.mispaid, w.first_collected, w.first_paid, w.note) for w in wagers]


def _slip_gaps(shift: Shift) -> list[Finding]:
    """Keep a finding for every slip's number of the property that is nowhere: numbers are given without gaps, so a slip is gone."""
    house, added = shift.property, []
    for gap in slip_gaps(house):
        added += _keep([gap_finding(gap.kind, gap.number)], f"slip:{house.code}:{gap.number}", shift, None, None)
    return added


@in_transaction
def audit_round(played: Round) -> list[Finding]:
    """Return the findings that a look at this one round added, if it still stands: as `audit_payouts` would, and no second time."""
    shift = played.session.shift
    lock_name(f"audit:{shift.uuid}")
    limits, major_over = selectors.limits_of(shift).get(played.session.table_id, ()), settings_of(shift).notify_over
    standing_still = list(Round.objects.filter(standing(), pk=played.pk).values_list("pk", flat=True))
    return [found for kept, wagers in selectors.rounds_with_wagers(standing_still) for found in _keep_look(kept, wagers, shift, limits, major_over)]


def _keep_look(played: Round, wagers: list[Wager], shift: Shift, limits: Sequence[Limit], major_over: int) -> list[Finding]:
    drafts = _look(played, wagers, major_over)
    drafts += over_limits(_done(wagers), limits, played.occurred_at, games()[played.game].bet_of)
    return _keep(drafts, f"round:{played.uuid}", shift, played.session, played)


def _look(played: Round, wagers: list[Wager], major_over: int) -> list[FindingDraft]:
    """Return what is to be found in one round."""
    drafts = [FindingDraft("late", "note", 0, "Entered after its shift was sealed.", done=-played.house_net)] if played.late else []
    if played.irregular:
        why = f"Against the rules, and yet it happened: {played.irregular}"
        drafts.append(FindingDraft("irregular", "major", 0, why, facts={"reason": played.irregular}))
        return drafts + _as_ruled(played, wagers, major_over)
    game, paytable = games()[played.game], paytable_of(played.paytable)
    facts = selectors.facts_of(played)
    settlement = game.settle(game.read(facts, paytable), paytable)
    done = _done(wagers)
    odds = {wager.kind: game.rows(wager.kind, paytable) for wager in wagers}
    drafts += compare_round(settlement.dues, done, odds, is_pot_game=game.is_pot_game, major_over=major_over)
    drafts += _kept_due(settlement, wagers)
    if wants_second_opinion(played.uuid, settlement.dues):
        drafts += second_opinion(game.code, facts, paytable, settlement.dues)
    return drafts


def _as_ruled(played: Round, wagers: Iterable[Wager], major_over: int) -> list[FindingDraft]:
    """Return a draft for each wager of an irregular round on which done is not what an auditor ruled to be due. One query."""
    ruling = played.rulings.order_by("-sequence").first()
    if ruling is None or ruling.stands:
        return []
    due = {(line["seat"], line["wager"]): (line["collect"], line["pay"]) for line in ruling.due}
    return compare_ruled(_done(wagers), due, reason=ruling.reason, major_over=major_over)


def _kept_due(settlement: Settlement, wagers: Iterable[Wager]) -> list[FindingDraft]:
    """Return a draft for each wager whose kept due is not what its cards say: an alarm, not a dealer's error."""
    due_of = {(due.seat, due.kind): due for due in settlement.dues}
    drafts = []
    for wager in wagers:
        due = due_of.get((wager.seat, wager.kind))
        expected = (due.collect, due.pay) if due else (0, 0)
        if (wager.collect, wager.pay) != expected:
            why = f"The kept due is {wager.collect}/{wager.pay}; the cards say {expected[0]}/{expected[1]}."
            drafts.append(FindingDraft("due_differs", "major", 0, why, seat=wager.seat, wager=wager.kind))
    return drafts


def _keep(drafts: Iterable[FindingDraft], thing: str, shift: Shift, session: TableSession | None, played: Round | None) -> list[Finding]:
    """Keep the drafts that are not kept yet, each with its first event, and return them."""
    drafts = list(drafts)
    if not drafts:
        return []
    known = set(Finding.objects.filter(key__in=[draft.key(thing) for draft in drafts]).values_list("key", flat=True))
    added = [_finding(draft, thing, shift, session, played) for draft in drafts if draft.key(thing) not in known]
    Finding.objects.bulk_create(added)
    FindingEvent.objects.bulk_create([FindingEvent(finding=finding, sequence=1, state=FindingEvent.State.OPEN) for finding in added])
    return added


def _finding(draft: FindingDraft, thing: str, shift: Shift, session: TableSession | None, played: Round | None) -> Finding:
    return Finding(
        key=draft.key(thing),
        kind=draft.kind,
        severity=draft.severity,
        flag=draft.flag,
        shift=shift,
        session=session,
        round=played,
        dealer=played.dealer if played else None,
        seat=draft.seat,
        wager=draft.wager,
        effect=draft.effect,
        due=draft.due,
        done=draft.done,
        why=draft.why,
        facts=dict(draft.facts),
    )


@in_transaction
def ask_reconciliation(shift: Shift, *, by: User) -> Job:
    """Return the job that audits and reconciles the ended `shift` once more: the one that is under way, else a new one.

    Raises Refused, Conflict (`shift_open`).
    """
    roles.require(by, "reconcile")
    lock_name(f"reconcile again:{shift.uuid}")
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", gettext("The %(shift)s has not ended.") % {"shift": shift})
    known = Job.objects.filter(kind="close_shift", args__shift=str(shift.uuid))
    if (under_way := known.filter(state__in=jobs.OPEN).order_by("id").first()) is not None:
        return under_way
    return jobs.announce("close_shift", f"close_shift:{shift.uuid}:{known.count()}", {"shift": str(shift.uuid)}, by=by)


@in_transaction
def reconcile_shift(shift: Shift, *, progress: Progress = _quiet) -> ShiftReconciliation:
    """Return the ended shift put together, a line a session; where no figure changed, the one that is kept already.

    Counts that are off become findings. Raises Conflict (`shift_open`), BrokenBooks where the identity of design/house.md does not hold.
    """
    lock_shift(shift.uuid, exclusive=True)
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", gettext("The %(shift)s has not ended.") % {"shift": shift})
    sessions = _sessions(shift)
    drafts = _drafts(shift, sessions)
    days = _days(shift, sessions, drafts)
    fingerprint = _fingerprint(sessions, drafts, days)
    kept = selectors.latest_reconciliation(shift)
    if kept is not None and bytes(kept.fingerprint) == fingerprint:
        return kept
    if selectors.is_signed(shift):
        raise BrokenBooks("signed_figures_changed", f"The {shift} is signed, and its figures are others now.", shift=str(shift.uuid))
    _look_at_the_floor(shift)
    return _keep_reconciliation(shift, sessions, drafts, days, fingerprint, progress)


def fingerprint_now(shift: Shift) -> bytes:
    """Return the fingerprint of the shift's figures as they are at this moment; nothing is kept. Raises BrokenBooks."""
    sessions = _sessions(shift)
    drafts = _drafts(shift, sessions)
    return _fingerprint(sessions, drafts, _days(shift, sessions, drafts))


def _sessions(shift: Shift) -> list[TableSession]:
    return list(shift.sessions.select_related("table__property").order_by("table__code", "sequence"))


def _look_at_the_floor(shift: Shift) -> None:
    """Keep what is odd about the shift's counts and the house's slips, apart from their sums."""
    house, major_over = shift.property, settings_of(shift).notify_over
    for opener in selectors.openers(shift):
        stocked = amount_of(bankroll(opener.session.table)) if opener.made_from is None else None
        drafts = opener_findings(
            _counted(opener),
            _counted(opener.made_from) if opener.made_from else None,
            stocked,
            major_over=major_over,
            notation=house.notation,
        )
        _keep(drafts, f"session:{opener.session.uuid}", shift, opener.session, None)
    boxes = selectors.sealed_counts(shift)
    for count in boxes:
        if count.pull is not None:
            found = seal_findings((count.pull.box, count.pull.seal), (count.box, count.seal), count.note)
            _keep(found, f"session:{count.session.uuid}", shift, count.session, None)
    counted: list[TrayCount | DropCount] = [*selectors.recounts(shift), *boxes]
    for before, after in pairwise(counted):
        if after.reopening is not None:
            draft = recount_finding(after.reopening.count, before.total, after.total, after.reopening.reason, notation=house.notation)
            _keep([draft], f"session:{after.session.uuid}:{after.sequence}", shift, after.session, None)
    _slip_gaps(shift)


def _counted(count: TrayCount) -> Counted:
    return Counted(count.total, count.denominations, count.note)


def _days(shift: Shift, sessions: list[TableSession], drafts: list[ReconciliationDraft]) -> dict[int, DayDraft]:
    """Return the gaming day of each table whose box was pulled for the day in this shift, by the key of the session that it was pulled from."""
    pulled = selectors.day_boxes(shift)
    if not pulled:
        return {}
    of_session = {session.pk: draft for session, draft in zip(sessions, drafts, strict=True)}
    for other in selectors.other_shifts_of_day(shift):
        theirs = list(other.sessions.select_related("table__property").order_by("table__code", "sequence"))
        sessions, of_session = sessions + theirs, of_session | dict(zip([s.pk for s in theirs], _drafts(other, theirs), strict=True))
    drops = selectors.drop_counts(shift)
    days = {}
    for box in pulled:
        day = reconcile_day([of_session[s.pk] for s in sessions if s.table_id == box.table_id], drops.get(box.session_id))
        if not day.adds_up:
            raise BrokenBooks("identity", f"The figures of {box.table} on {box.gaming_day} do not add up.", table=box.table.code)
        days[box.session_id] = day
    return days


def _drafts(shift: Shift, sessions: list[TableSession]) -> list[ReconciliationDraft]:
    movements = selectors.movements_of_shift(shift)
    own_drop = settings_of(shift).own_drop
    trays, drops = selectors.tray_counts(shift), selectors.drop_counts(shift) if own_drop else {}
    drafts = []
    for session in sessions:
        counted = trays[session.pk]
        opener, closer, drop = _minor(counted.get("opener")), _minor(counted.get("closer")), _minor(drops.get(session.pk))
        draft = reconcile(opener, movements[session.pk], closer, drop, own_drop=own_drop)
        if not draft.adds_up:
            raise BrokenBooks("identity", f"The figures of {session} do not add up.", session=str(session.uuid))
        drafts.append(draft)
    return drafts


def _minor(amount: int | None) -> Minor | None:
    return None if amount is None else Minor(amount)


def _fingerprint(sessions: list[TableSession], drafts: list[ReconciliationDraft], days: Mapping[int, DayDraft]) -> bytes:
    figures: list[Any] = [[str(session.uuid), *_figures(draft).values()] for session, draft in zip(sessions, drafts, strict=True)]
    figures += [["day", str(session.uuid), *asdict(days[session.pk]).values()] for session in sessions if session.pk in days]
    return hashlib.sha256(canonical_json(figures)).digest()


def _figures(draft: ReconciliationDraft) -> dict[str, int | str | None]:
    """Return the line's figures as they are kept."""
    moved = draft.movements
    return {
        "rounds": moved.rounds,
        "irregular": moved.irregular,
        "opener": draft.opener,
        "closer": draft.closer,
        "expected_closer": draft.expected_closer,
        "fills": moved.fills,
        "chip_credits": moved.chip_credits,
        "buy_ins": moved.buy_ins,
        "markers_issued": moved.markers_issued,
        "markers_redeemed": moved.markers_redeemed,
        "cash_collected": moved.cash_collected,
        "coupons": moved.coupons,
        "promo_paid": moved.promo_paid,
        "rake_dropped": moved.rake_dropped,
        "expected_drop": moved.expected_drop,
        "drop": draft.drop,
        "handle": moved.handle,
        "collected": moved.collected,
        "paid": moved.paid,
        "win_by_play": draft.win_by_play,
        "win_by_count": draft.win_by_count,
        "tray_variance": draft.tray_variance,
        "drop_variance": draft.drop_variance,
        "payout_variance": moved.payout_variance,
        "book_variance": draft.book_variance,
        "rake": moved.rake,
        "theoretical_win": _nearest(moved.theoretical_win),
        "breakage": str(moved.breakage) if moved.breakage else "",
    }


def _nearest(amount: Fraction | None) -> int | None:
    """Return the expectation in whole minor units, halves away from zero: it is an expectation, no money moves by it."""
    if amount is None:
        return None
    whole = (2 * abs(amount.numerator) + amount.denominator) // (2 * amount.denominator)
    return whole if amount >= 0 else -whole


def _keep_reconciliation(
    shift: Shift,
    sessions: list[TableSession],
    drafts: list[ReconciliationDraft],
    days: Mapping[int, DayDraft],
    fingerprint: bytes,
    progress: Progress,
) -> ShiftReconciliation:
    counted = all(draft.counted for draft in drafts) and all(day.drop is not None for day in days.values())
    grade = ShiftReconciliation.Grade.COUNTED if counted else ShiftReconciliation.Grade.ESTIMATE
    sequence, held = ShiftReconciliation.objects.filter(shift=shift).count() + 1, settings_of(shift)
    kept = ShiftReconciliation.objects.create(shift=shift, sequence=sequence, grade=grade, fingerprint=fingerprint)
    for done, (session, draft) in enumerate(zip(sessions, drafts, strict=True), start=1):
        SessionReconciliation.objects.create(reconciliation=kept, session=session, **_figures(draft))
        _keep(_off(draft, shift, held), f"session:{session.uuid}", shift, session, None)
        if (day := days.get(session.pk)) is not None:
            _keep_day(kept, session, day, held)
        progress(done, len(sessions), "tables reconciled")
    return kept


def _off(draft: ReconciliationDraft, shift: Shift, held: HouseSettings) -> Iterable[FindingDraft]:
    return count_findings(draft, explain_over=held.explain_over, major_over=held.notify_over, notation=shift.property.notation)


def _keep_day(kept: ShiftReconciliation, session: TableSession, day: DayDraft, held: HouseSettings) -> None:
    TableDayReconciliation.objects.create(reconciliation=kept, table=session.table, session=session, gaming_day=kept.shift.gaming_day, **asdict(day))
    found = drop_finding(day, explain_over=held.explain_over, major_over=held.notify_over, notation=kept.shift.property.notation)
    _keep(found, f"session:{session.uuid}", kept.shift, session, None)
