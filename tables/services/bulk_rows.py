"""A slip of a file as rows: its round, its wagers, and what it moved. Every door keeps the same; here it is written for COPY.

A seat that comes out as one before, the same stakes on the same verdicts done as due, is worked out and written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from casino.bulk import copy_text
from casino.errors import Refused
from casino.models import User
from casino.money import CEILING, Minor
from casino.words import gettext
from ledger.drafts import EntryDraft
from tables.due_and_done import as_due, is_as_due, side_by_side
from tables.engine.game import SeatDues, Settlement
from tables.posting import WagerMoved
from tables.services.bulk_places import Place
from tables.services.round_rows import WAGER_COLUMNS, wager_values
from tables.services.rounds import RoundSums, Ruled, check_slip, draft_of_moves, judge, round_columns, sums_of
from tables.slips import RoundSlip

__all__ = ["WAGER_COLUMNS", "RuledSlip", "rule"]


class RuledSlip(NamedTuple):
    """A slip that may be kept: its round by column name, its wagers' own columns as COPY takes them, and what is to be posted."""

    columns: dict[str, object]
    wagers: Sequence[str]
    draft: EntryDraft


def rule(slip: RoundSlip, place: Place, by: User, at: datetime) -> RuledSlip:
    """Return what is kept of `slip`. Asks the database nothing. Raises as `record_round`, but for what only writing finds."""
    if slip.replaces is not None:
        raise Refused("needs_approval", gettext("A round is replaced by a correction that another person approves."), where="replaces")
    now = place.now(slip.dealer)
    check_slip(slip, place.table, now, at)
    if slip.irregular and not place.may_be_irregular:
        raise Refused("not_allowed", gettext("%(by)s may not record an irregular round.") % {"by": by}, where="irregular")
    version, paytable = place.version(slip.occurred_at)
    deal, settlement = judge(slip, place.table, place.game, paytable)
    ruled = Ruled(place.game, version, paytable, deal, settlement, ())
    sums, wagers, moved = _as_due(slip, settlement, place) or _side_by_side(slip, ruled)
    columns = round_columns(slip, place.session, now.dealer, place.number(slip), ruled, sums, by)
    draft = draft_of_moves(slip.uuid, slip.occurred_at, place.session, place.table, ruled, moved, rake_in_box=place.rake_in_box)
    return RuledSlip(columns, wagers, draft)


_Kept = tuple[RoundSums, Sequence[str], Sequence[WagerMoved]]


def _as_due(slip: RoundSlip, settlement: Settlement | None, place: Place) -> _Kept | None:
    """Return what is kept of a round of which every wager was plainly done as due, None where that has to be looked at."""
    if settlement is None or not is_as_due(slip, is_pot_game=place.game.is_pot_game):
        return None
    dues = settlement.seat_dues
    if slip.patrons and not slip.patrons.keys() <= {one.seat for one in dues}:
        return None
    seats = [_seat_as_due(one, slip.patrons.get(one.seat, "")) for one in dues]
    sums = RoundSums._make(map(sum, zip(*[sums for sums, _ in seats], strict=True)))
    if sums.handle >= CEILING or sums.paid >= CEILING:
        return None
    return sums, [text for _, texts in seats for text in texts], [WagerMoved(0, "", Minor(sums.collected), Minor(sums.paid))]


def _side_by_side(slip: RoundSlip, ruled: Ruled) -> _Kept:
    dues = ruled.settlement.dues if ruled.settlement else None
    wagers = side_by_side(slip, ruled.deal.stakes, dues, is_pot_game=ruled.game.is_pot_game)
    moved = [WagerMoved(wager.seat, wager.kind, wager.collected, wager.paid, wager.fund) for wager in wagers]
    return sums_of(wagers), [_wager_text(wager_values(wager)) for wager in wagers], moved


_wager_text = lru_cache(maxsize=4096)(copy_text)


@lru_cache(maxsize=2**15)
def _seat_as_due(dues: SeatDues, patron: str) -> tuple[RoundSums, Sequence[str]]:
    wagers = [as_due(due, patron) for due in dues.dues]
    return sums_of(wagers), tuple([copy_text(wager_values(wager)) for wager in wagers])
