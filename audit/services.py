"""The audit's verbs: it looks, compares and keeps what it found. It moves no money."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from fractions import Fraction

from audit import selectors
from audit.compare import FindingDraft, WagerDone, compare_round
from audit.models import Finding, FindingEvent, SessionReconciliation, ShiftReconciliation
from audit.reconcile import ReconciliationDraft, count_findings, reconcile
from audit.second_opinion import second_opinion, wants_second_opinion
from casino.canonical import canonical_json
from casino.errors import BrokenBooks, Conflict
from casino.money import Minor
from casino.transactions import in_transaction
from ledger.selectors import held_before
from ledger.services import lock_shift
from tables.engine.game import Settlement, games
from tables.locks import lock_name
from tables.models import Round, Shift, ShiftEvent, TableSession, Wager
from tables.posting import tray
from tables.selectors import shift_state
from tables.services.paytables import paytable_of

Progress = Callable[[int, int, str], None]


def _quiet(done: int, total: int, what: str = "") -> None:
    """Say nothing."""


@in_transaction
def audit_payouts(shift: Shift, *, progress: Progress = _quiet) -> list[Finding]:
    """Return the findings that this look added: every round of `shift` recomputed from its cards, every wager's due against its done.

    Most rounds are recomputed together, and only those are looked at one by one in which something differs, that want a second opinion, or
    whose game has no such batch. A second look adds none: findings are unique by round, seat, wager and kind.
    """
    lock_name(f"audit:{shift.uuid}")
    major_over = shift.property.notify_over
    total = Round.objects.filter(session__shift=shift).count()
    added: list[Finding] = []
    seen = 0
    for count, keys in selectors.rounds_to_look_at(shift):
        seen += count - len(keys)
        for played, wagers in selectors.rounds_with_wagers(keys):
            added += _keep(_look(played, wagers, major_over), f"round:{played.uuid}", shift, played.session, played)
            seen += 1
            progress(seen, total, "payouts audited")
        progress(seen, total, "payouts audited")
    return added


def _look(played: Round, wagers: list[Wager], major_over: int) -> list[FindingDraft]:
    """Return what is to be found in one round."""
    if played.irregular:
        why = f"Against the rules, and yet it happened: {played.irregular}"
        return [FindingDraft("irregular", "major", 0, why, facts={"reason": played.irregular})]
    game, paytable = games()[played.game], paytable_of(played.paytable)
    facts = selectors.facts_of(played)
    settlement = game.settle(game.read(facts, paytable), paytable)
    done = [WagerDone(w.seat, w.kind, w.stake, w.collected, w.paid, w.mispaid, w.first_collected, w.first_paid, w.note) for w in wagers]
    odds = {wager.kind: game.rows(wager.kind, paytable) for wager in wagers}
    drafts = compare_round(settlement.dues, done, odds, is_pot_game=game.is_pot_game, major_over=major_over)
    drafts += _kept_due(settlement, wagers)
    if wants_second_opinion(played.uuid, settlement.dues):
        drafts += second_opinion(game.code, facts, paytable, settlement.dues)
    return drafts


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


def _keep(drafts: Iterable[FindingDraft], thing: str, shift: Shift, session: TableSession, played: Round | None) -> list[Finding]:
    """Keep the drafts that are not kept yet, each with its first event, and return them."""
    drafts = list(drafts)
    if not drafts:
        return []
    known = set(Finding.objects.filter(key__in=[draft.key(thing) for draft in drafts]).values_list("key", flat=True))
    added = [_finding(draft, thing, shift, session, played) for draft in drafts if draft.key(thing) not in known]
    Finding.objects.bulk_create(added)
    FindingEvent.objects.bulk_create([FindingEvent(finding=finding, sequence=1, state=FindingEvent.State.OPEN) for finding in added])
    return added


def _finding(draft: FindingDraft, thing: str, shift: Shift, session: TableSession, played: Round | None) -> Finding:
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
def reconcile_shift(shift: Shift, *, progress: Progress = _quiet) -> ShiftReconciliation:
    """Return the ended shift put together, a line a session; where no figure changed, the one that is kept already.

    Counts that are off become findings. Raises Conflict (`shift_open`), BrokenBooks where the identity of design/house.md does not hold.
    """
    lock_shift(shift.uuid, exclusive=True)
    if shift_state(shift) != ShiftEvent.State.ENDED:
        raise Conflict("shift_open", f"The {shift} has not ended.")
    sessions = list(shift.sessions.select_related("table__property").order_by("table__code", "sequence"))
    drafts = _drafts(shift, sessions)
    fingerprint = _fingerprint(sessions, drafts)
    kept = ShiftReconciliation.objects.filter(shift=shift, fingerprint=fingerprint).first()
    return kept or _keep_reconciliation(shift, sessions, drafts, fingerprint, progress)


def _drafts(shift: Shift, sessions: list[TableSession]) -> list[ReconciliationDraft]:
    movements = selectors.movements_of_shift(shift)
    trays, drops = selectors.tray_counts(shift), selectors.drop_counts(shift)
    drafts = []
    for session in sessions:
        counted = trays[session.pk]
        draft = reconcile(_minor(counted.get("opener")), movements[session.pk], _minor(counted.get("closer")), _minor(drops.get(session.pk)))
        if not draft.adds_up:
            raise BrokenBooks("identity", f"The figures of {session} do not add up.", session=str(session.uuid))
        drafts.append(draft)
    return drafts


def _minor(amount: int | None) -> Minor | None:
    return None if amount is None else Minor(amount)


def _fingerprint(sessions: list[TableSession], drafts: list[ReconciliationDraft]) -> bytes:
    figures = [[str(session.uuid), *_figures(draft).values()] for session, draft in zip(sessions, drafts, strict=True)]
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
    shift: Shift, sessions: list[TableSession], drafts: list[ReconciliationDraft], fingerprint: bytes, progress: Progress
) -> ShiftReconciliation:
    grade = ShiftReconciliation.Grade.COUNTED if all(draft.counted for draft in drafts) else ShiftReconciliation.Grade.ESTIMATE
    sequence = ShiftReconciliation.objects.filter(shift=shift).count() + 1
    kept = ShiftReconciliation.objects.create(shift=shift, sequence=sequence, grade=grade, fingerprint=fingerprint)
    for done, (session, draft) in enumerate(zip(sessions, drafts, strict=True), start=1):
        SessionReconciliation.objects.create(reconciliation=kept, session=session, **_figures(draft))
        _keep(_off(session, draft, shift), f"session:{session.uuid}", shift, session, None)
        progress(done, len(sessions), "tables reconciled")
    return kept


def _off(session: TableSession, draft: ReconciliationDraft, shift: Shift) -> Iterable[FindingDraft]:
    house = shift.property
    in_books = held_before(house.uuid, tray(session.table.code), session.recorded_at)
    return count_findings(draft, tray_in_books=in_books, explain_over=house.explain_over, major_over=house.notify_over, exponent=house.exponent)
