"""Counted against expected, session by session. Pure. Source: spec/night.md, "What adds up"; design/house.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.compare import FindingDraft
from casino.money import Minor, Notation, format_amount


@dataclass(frozen=True)
class Movements:
    """What the books say moved in a session, and what its rounds say; minor units.

    `book_win` is what rounds' entries brought the house: to the tray, and to the box as cash that was lost (`cash_collected`, money plays) or as
    rake (`rake_dropped`). `collected`, `paid`, `handle` are the rounds' own sums, without promotional stakes; what those were paid is in `paid`
    and again in `promo_paid`, their cost; `coupons` is the face of those that were taken into the box. `theoretical_win` is the exact
    expectation given the wagers made, None where the game has no odds to expect by.
    """

    rounds: int = 0
    irregular: int = 0
    fills: int = 0
    chip_credits: int = 0
    buy_ins: int = 0
    markers_issued: int = 0
    markers_redeemed: int = 0
    cash_collected: int = 0
    coupons: int = 0
    promo_paid: int = 0
    rake_dropped: int = 0
    book_win: int = 0
    handle: int = 0
    collected: int = 0
    paid: int = 0
    payout_variance: int = 0
    rake: int = 0
    breakage: Fraction = Fraction(0)
    theoretical_win: Fraction | None = None

    @property
    def expected_drop(self) -> int:
        """Return what the box should hold: buy-ins + markers issued + cash collected + coupons taken + rake dropped."""
        return self.buy_ins + self.markers_issued + self.cash_collected + self.coupons + self.rake_dropped

    @property
    def tray_change(self) -> int:
        """Return what the tray should hold more at the end than at the start."""
        lent = self.markers_redeemed - self.markers_issued
        chips_won = self.book_win - self.cash_collected - self.rake_dropped
        return self.fills - self.chip_credits - self.buy_ins + lent + chips_won


@dataclass(frozen=True)
class ReconciliationDraft:
    """One session's line: minor units; None where a count is missing. `own_drop`: the box is pulled after this session, not after the day."""

    opener: int | None
    closer: int | None
    drop: int | None
    movements: Movements
    expected_closer: int | None
    win_by_play: int
    win_by_count: int | None
    tray_variance: int | None
    drop_variance: int | None
    book_variance: int
    own_drop: bool = True

    @property
    def counted(self) -> bool:
        """Return whether opener, closer and, where it has one of its own, drop were all counted."""
        return None not in (self.opener, self.closer) and (self.drop is not None or not self.own_drop)

    @property
    def adds_up(self) -> bool:
        """Return whether win by count - win by play = tray variance + drop variance - book variance, to the unit."""
        if self.win_by_count is None or self.tray_variance is None or self.drop_variance is None:
            return not self.counted or not self.own_drop
        return self.win_by_count - self.win_by_play == self.tray_variance + self.drop_variance - self.book_variance


def reconcile(opener: Minor | None, movements: Movements, closer: Minor | None, drop: Minor | None, *, own_drop: bool = True) -> ReconciliationDraft:
    """Return the session put together: what was expected, what was counted, and where the gap is."""
    moved = movements
    expected_closer = None if opener is None else opener + moved.tray_change
    tray_variance = None if closer is None or expected_closer is None else closer - expected_closer
    win_by_count = None
    if opener is not None and closer is not None and drop is not None:
        win_by_count = drop + closer + moved.chip_credits - opener - moved.fills - moved.markers_redeemed - moved.coupons
    win_by_play = moved.collected - moved.paid
    return ReconciliationDraft(
        opener=opener,
        closer=closer,
        drop=drop,
        movements=moved,
        expected_closer=expected_closer,
        win_by_play=win_by_play,
        win_by_count=win_by_count,
        tray_variance=tray_variance,
        drop_variance=None if drop is None else drop - moved.expected_drop,
        book_variance=win_by_play - moved.book_win,
        own_drop=own_drop,
    )


@dataclass(frozen=True)
class DayDraft:
    """One table's gaming day where its box is pulled once a day: minor units; None where a count is missing."""

    drop: int | None
    expected_drop: int
    drop_variance: int | None
    win_by_play: int
    win_by_count: int | None
    tray_variance: int | None

    @property
    def adds_up(self) -> bool:
        """Return whether win by count - win by play = tray variance + drop variance, to the unit, where all is counted and in the books."""
        if self.win_by_count is None or self.tray_variance is None or self.drop_variance is None:
            return self.drop is None or self.tray_variance is None
        return self.win_by_count - self.win_by_play == self.tray_variance + self.drop_variance


def reconcile_day(sessions: Sequence[ReconciliationDraft], drop: int | None) -> DayDraft:
    """Return the table's day put together from its sessions and the one box. Books that do not agree are the sessions' own variance."""
    moved = [session.movements for session in sessions]
    expected = sum(each.expected_drop for each in moved)
    played = sum(session.win_by_play - session.book_variance for session in sessions)
    variances = [session.tray_variance for session in sessions]
    known = [variance for variance in variances if variance is not None]
    tray = sum(known) if len(known) == len(variances) else None
    counted = None
    if drop is not None and tray is not None:
        counted = drop + sum(
            _known(session.closer) - _known(session.opener) + each.chip_credits - each.fills - each.markers_redeemed - each.coupons
            for session, each in zip(sessions, moved, strict=True)
        )
    return DayDraft(drop, expected, None if drop is None else drop - expected, played, counted, tray)


def _known(amount: int | None) -> int:
    assert amount is not None
    return amount


def count_findings(draft: ReconciliationDraft, *, explain_over: int, major_over: int, notation: Notation) -> Sequence[FindingDraft]:
    """Return a draft for every count that is off by `explain_over` minor units or more, and for books that do not agree with the rounds.

    `notation`: decimals of the currency, for the reason as a person reads it.
    """
    found = []
    expected_drop = draft.movements.expected_drop
    gaps = [
        ("count_variance", "tray", draft.tray_variance, draft.expected_closer, draft.closer, "The counted closer is not the expected one"),
        ("count_variance", "drop", draft.drop_variance, expected_drop, draft.drop, "The counted drop is not what went into the box"),
        (
            "book_variance",
            "rounds",
            draft.book_variance,
            draft.movements.book_win,
            draft.win_by_play,
            "The rounds and their entries disagree",
        ),
    ]
    for kind, what, gap, expected, counted, words in gaps:
        if gap is None or abs(gap) < max(explain_over, 1):
            continue
        severity = "major" if abs(gap) >= major_over or kind == "book_variance" else "minor"
        why = f"{words}: {_money(counted, notation)} − {_money(expected, notation)} = {_money(gap, notation)}."
        found.append(FindingDraft(kind, severity, gap, why, wager=what, due=expected, done=counted))
    return found


def drop_finding(day: DayDraft, *, explain_over: int, major_over: int, notation: Notation) -> Sequence[FindingDraft]:
    """Return a draft where the box of a gaming day is off by `explain_over` minor units or more."""
    gap = day.drop_variance
    if gap is None or abs(gap) < max(explain_over, 1):
        return []
    why = f"The counted drop of the day is not what went into the box: {_money(day.drop, notation)} − {_money(day.expected_drop, notation)}"
    severity = "major" if abs(gap) >= major_over else "minor"
    why = f"{why} = {_money(gap, notation)}."
    return [FindingDraft("count_variance", severity, gap, why, wager="drop", due=day.expected_drop, done=day.drop)]


def _money(amount: int | None, notation: Notation) -> str:
    return "—" if amount is None else format_amount(amount, notation)
