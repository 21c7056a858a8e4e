"""Counted against expected, session by session. Pure. Source: spec/night.md, "What adds up"; design/house.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.compare import FindingDraft
from casino.money import Minor, format_amount


@dataclass(frozen=True)
class Movements:
    """What the books say moved in a session, and what its rounds say; minor units.

    `book_win` is what rounds' entries brought to the tray; `collected`, `paid`, `handle` are the rounds' own sums. `theoretical_win` is the
    exact expectation given the wagers made, None where the game has no odds to expect by.
    """

    rounds: int = 0
    irregular: int = 0
    fills: int = 0
    chip_credits: int = 0
    buy_ins: int = 0
    book_win: int = 0
    handle: int = 0
    collected: int = 0
    paid: int = 0
    payout_variance: int = 0
    rake: int = 0
    breakage: Fraction = Fraction(0)
    theoretical_win: Fraction | None = None


@dataclass(frozen=True)
class ReconciliationDraft:
    """One session's line: minor units; None where a count is missing."""

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

    @property
    def counted(self) -> bool:
        """Return whether opener, closer and drop were all counted."""
        return None not in (self.opener, self.closer, self.drop)

    @property
    def adds_up(self) -> bool:
        """Return whether win by count - win by play = tray variance + drop variance - book variance, to the unit."""
        if self.win_by_count is None or self.tray_variance is None or self.drop_variance is None:
            return not self.counted
        return self.win_by_count - self.win_by_play == self.tray_variance + self.drop_variance - self.book_variance


def reconcile(opener: Minor | None, movements: Movements, closer: Minor | None, drop: Minor | None) -> ReconciliationDraft:
    """Return the session put together: what was expected, what was counted, and where the gap is."""
    moved = movements
    expected_closer = None if opener is None else opener + moved.fills - moved.chip_credits - moved.buy_ins + moved.book_win
    tray_variance = None if closer is None or expected_closer is None else closer - expected_closer
    win_by_count = None
    if opener is not None and closer is not None and drop is not None:
        win_by_count = drop + closer + moved.chip_credits - opener - moved.fills
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
        drop_variance=None if drop is None else drop - moved.buy_ins,
        book_variance=win_by_play - moved.book_win,
    )


def count_findings(
    draft: ReconciliationDraft, *, tray_in_books: int | None, explain_over: int, major_over: int, exponent: int
) -> Sequence[FindingDraft]:
    """Return a draft for every count that is off by `explain_over` minor units or more, and for books that do not agree with the rounds.

    `tray_in_books` is what the books say the tray held when it was opened; a counted opener that differs is a finding. `exponent`: decimals
    of the currency, for the reason as a person reads it.
    """
    found = []
    expected_drop = draft.movements.buy_ins
    gaps = [
        ("count_variance", "tray", draft.tray_variance, draft.expected_closer, draft.closer, "The counted closer is not the expected one"),
        ("count_variance", "drop", draft.drop_variance, expected_drop, draft.drop, "The counted drop is not the sum of the buy-ins"),
        ("opener_variance", "tray", _less(draft.opener, tray_in_books), tray_in_books, draft.opener, "The counted opener is not the last closer"),
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
        why = f"{words}: {_money(counted, exponent)} − {_money(expected, exponent)} = {_money(gap, exponent)}."
        found.append(FindingDraft(kind, severity, gap, why, wager=what, due=expected, done=counted))
    return found


def _money(amount: int | None, exponent: int) -> str:
    return "—" if amount is None else format_amount(amount, exponent)


def _less(counted: int | None, expected: int | None) -> int | None:
    return None if counted is None or expected is None else counted - expected
