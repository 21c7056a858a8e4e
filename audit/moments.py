"""The moments of a reconciled shift, a dealer and session at a time, kept once: what statistics over days and years add up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from audit import selectors
from audit.models import SessionMoments, ShiftReconciliation
from audit.statistics import TIES, BetFigures, Covers, Moments, Stake, Ties, cut, dealing, each_by_itself, figures_of, moments_of_round
from casino.transactions import in_transaction, wait_turn
from casino.words import gettext_noop
from tables.engine.edge import edges
from tables.engine.game import games
from tables.models import PaytableVersion, Round, Wager
from tables.selectors import counted
from tables.services.paytables import paytable_of

Key = tuple[int, int]
"""Session and dealer, by their keys."""
_MILLIONTH = Decimal("0.000001")


@in_transaction
def keep_moments(kept: ShiftReconciliation, *, progress: Callable[[int, int, str], None] = lambda *_: None) -> list[SessionMoments]:
    """Return the moments of the shift as it was reconciled; a second time those that are kept. Two queries a chunk of rounds, flat memory.

    Left out, and counted: irregular rounds and games without odds to expect by. Late rounds, and those that were voided or replaced, are not in.
    """
    wait_turn(f"moments:{kept.shift.uuid}")
    known = list(SessionMoments.objects.filter(reconciliation=kept))
    if known:
        return known
    sums, moments = _added_up(kept, progress)
    rows = [_row(kept, key, total, moments[key]) for key, total in sorted(sums.items())]
    return SessionMoments.objects.bulk_create(rows)


def _added_up(kept: ShiftReconciliation, progress: Callable[[int, int, str], None]) -> tuple[dict[Key, Moments], dict[Key, list[int]]]:
    sums: dict[Key, Moments] = defaultdict(Moments)
    moments: dict[Key, list[int]] = defaultdict(list)
    figures = RoundFigures()
    keys = list(Round.objects.filter(counted(), session__shift=kept.shift).order_by("pk").values_list("pk", flat=True))
    for done, (played, wagers) in enumerate(selectors.rounds_with_wagers(keys), start=1):
        key = played.session_id, played.dealer_id
        sums[key] += Moments(left_out=1) if played.irregular else figures.moments(played, wagers)
        moments[key].append(int(played.occurred_at.timestamp()))
        progress(done, len(keys), gettext_noop("rounds added up"))
    return sums, moments


class RoundFigures:
    """The figures of every paytable version that was dealt, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[int, _Figures | None] = {}

    def moments(self, played: Round, wagers: list[Wager]) -> Moments:
        """Return the moments of one round."""
        if played.paytable_id not in self._known:
            self._known[played.paytable_id] = _figures_of(played.paytable)
        known = self._known[played.paytable_id]
        if known is None:
            return Moments(left_out=1)
        return moments_of_round([Stake(w.seat, known.bet_of(w.kind), w.stake, w.collected, w.paid) for w in wagers], known.bets, known.ties)


class _Figures(NamedTuple):
    """What a paytable's rounds are expected by. `bet_of`: the name in `bets` of a kind of wager."""

    bets: Mapping[str, BetFigures]
    ties: Ties | Covers
    bet_of: Callable[[str], str]


def _figures_of(version: PaytableVersion) -> _Figures | None:
    game = games()[version.game]
    if game.is_pot_game:
        return None
    paytable = paytable_of(version)
    if not paytable.odds:
        return None
    bets = figures_of(edges(cut(paytable, game)))
    if bets is None:
        return None
    if (told := game.covered(paytable)) is not None:
        return _Figures(each_by_itself(bets, game.bet_of, told[1]), Covers(*told), str)
    return _Figures(bets, TIES.get(version.game, Ties()), game.bet_of)


def _row(kept: ShiftReconciliation, key: Key, total: Moments, moments: list[int]) -> SessionMoments:
    gaps, seconds = dealing(sorted(moments))
    return SessionMoments(
        reconciliation=kept,
        session_id=key[0],
        dealer_id=key[1],
        gaming_day=kept.shift.gaming_day,
        rounds=total.rounds,
        left_out=total.left_out,
        win=total.win,
        taken_out=total.taken_out,
        expected=_decimal(total.expected),
        variance=Decimal(total.variance).quantize(_MILLIONTH),
        gaps=gaps,
        seconds=seconds,
    )


def _decimal(amount: Fraction) -> Decimal:
    """Return the expectation to a millionth of a minor unit."""
    return (Decimal(amount.numerator) / Decimal(amount.denominator)).quantize(_MILLIONTH)
