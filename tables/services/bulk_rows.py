"""A slip of a file as rows: its round, its wagers, and what it moved. Every door keeps the same; here it is written for COPY.

A seat that comes out as one before, the same stakes on the same verdicts done as due, is worked out and written once; so is what the rounds of
a dealer have alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from casino.bulk import copy_text
from casino.canonical import canonical_plain
from casino.errors import Refused
from casino.models import User
from casino.money import CEILING, Minor
from casino.words import gettext
from ledger.bulk import Alike, Posting
from tables.due_and_done import as_due, is_as_due, side_by_side
from tables.engine.game import SeatDues, Settlement, WagerDue
from tables.posting import WagerMoved
from tables.services.bulk_places import Place
from tables.services.round_rows import WAGER_COLUMNS as _WAGER
from tables.services.round_rows import wager_values
from tables.services.rounds import RoundSums, Ruled, check_slip, draft_of_moves, judge, round_columns, sums_of
from tables.slips import RoundSlip

ROUND_COLUMNS = (
    *("id", "uuid", "number", "label", "occurred_at", "fingerprint", "cards", "deal", "settlement"),
    *("wager_count", "handle", "collect", "pay", "collected", "paid"),
    *("session_id", "game", "gaming_day", "recorded_by_id", "dealer_id", "paytable_id", "engine_version", "irregular", "late", "replaces_id", "rake"),
)
_ALIKE = ROUND_COLUMNS[ROUND_COLUMNS.index("session_id") :]
"""What the rounds of a dealer under one version have alike where all was done as due and no pot was raked."""

WAGER_COLUMNS = (*_WAGER[:4], "patron", *[name for name in _WAGER[4:] if name != "patron"])
"""In this order a wager's figures, which come again and again, are one text."""


class RuledSlip(NamedTuple):
    """A slip that may be kept: what the rules say of it, its sums, its wagers' own columns as COPY takes them, and what moved.

    `moved` is None where all was done as due: then the sums say it.
    """

    slip: RoundSlip
    place: Place
    number: int
    dealer: int | None
    ruled: Ruled
    sums: RoundSums
    wagers: Sequence[str]
    moved: Sequence[WagerMoved] | None


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
    return RuledSlip(slip, place, place.number(slip), now.dealer, ruled, sums, wagers, moved)


_Kept = tuple[RoundSums, Sequence[str], Sequence[WagerMoved] | None]


def _as_due(slip: RoundSlip, settlement: Settlement | None, place: Place) -> _Kept | None:
    """Return what is kept of a round of which every wager was plainly done as due, None where that has to be looked at."""
    if settlement is None or not is_as_due(slip, is_pot_game=place.game.is_pot_game):
        return None
    dues, patrons = settlement.seat_dues, slip.patrons
    if patrons and not patrons.keys() <= {seat for seat, _ in dues}:
        return None
    texts: list[str] = []
    handle = collected = paid = 0
    for seat, one in dues:
        stakes, collect, pay, figures = _figures_as_due(one)
        handle += stakes
        collected += collect
        paid += pay
        head = f"{seat}\t{_patron_text(patrons[seat])}\t" if seat in patrons else f"{seat}\t\t"
        texts += [head + text for text in figures]
    if handle >= CEILING or paid >= CEILING:
        return None
    return RoundSums(len(texts), handle, collected, paid, collected, paid), texts, None


def _side_by_side(slip: RoundSlip, ruled: Ruled) -> _Kept:
    dues = ruled.settlement.dues if ruled.settlement else None
    wagers = side_by_side(slip, ruled.deal.stakes, dues, is_pot_game=ruled.game.is_pot_game)
    moved = [WagerMoved(wager.seat, wager.kind, wager.collected, wager.paid, wager.fund) for wager in wagers]
    return sums_of(wagers), [_wager_text(*wager_values(wager)) for wager in wagers], moved


_figures_text = lru_cache(maxsize=2**14)(copy_text)


def _patron_text(patron: str) -> str:
    return copy_text((patron,))


def _wager_text(seat: int, kind: str, patron: str, *figures: Any) -> str:
    return f"{seat}\t{_patron_text(patron)}\t{_figures_text((kind, *figures))}"


@lru_cache(maxsize=2**15)
def _figures_as_due(dues: SeatDues) -> tuple[int, int, int, Sequence[str]]:
    """Return a seat's stakes, takings and payments where all was done as due, and of each wager what COPY takes after seat and patron."""
    found = dues.dues
    return (
        sum([due.stake for due in found]),
        sum([due.collect for due in found]),
        sum([due.pay for due in found]),
        [_due_text(due.kind, due.stake, due.collect, due.pay, due.row, due.breakage, due.uncapped) for due in found],
    )


@lru_cache(maxsize=2**14)
def _due_text(kind: str, stake: Minor, collect: Minor, pay: Minor, row: str | None, breakage: Fraction | None, uncapped: Minor | None) -> str:
    due = WagerDue(0, kind, stake, collect, pay, "push", "", row, None, breakage, uncapped)  # the verdict itself is not kept
    _, kind, _, *figures = wager_values(as_due(due, ""))
    return _figures_text((kind, *figures))


class RowWriter:
    """Writes ruled slips as rows of rounds, and has what they moved posted."""

    def __init__(self, posting: Posting, by: User) -> None:
        self._posting, self._by = posting, by
        self._alike: dict[tuple[str, int | None, int], tuple[str, Alike]] = {}

    def write(self, key: int, one: RuledSlip) -> bytes:
        """Have posted what the round of `key` moved, and return its row, in the order of ROUND_COLUMNS. Raises as `Posting.add`."""
        if one.moved is None and one.ruled.settlement is not None:
            return self._write_as_due(key, one, one.ruled.settlement)
        slip, place = one.slip, one.place
        moved = one.moved or ()
        draft = draft_of_moves(slip.uuid, slip.occurred_at, place.session, place.table, one.ruled, moved, rake_in_box=place.rake_in_box)
        self._posting.add(draft)
        columns = {"id": key, **round_columns(slip, place.session, one.dealer, one.number, one.ruled, one.sums, self._by)}
        return copy_text([columns[name] for name in ROUND_COLUMNS]).encode()

    def _write_as_due(self, key: int, one: RuledSlip, settlement: Settlement) -> bytes:
        slip, deal, sums = one.slip, one.ruled.deal, one.sums
        ending, alike = self._alike_of(one)
        uuid, at = str(slip.uuid), slip.occurred_at
        self._posting.add_alike(alike, uuid, at, (sums.collected, sums.paid))
        opening = (
            f"{key}\t{uuid}\t{one.number}\t{copy_text((deal.id,))}\t{at.isoformat()}\t\\\\x{slip.fingerprint.hex()}\t"
            f"\\\\x{one.ruled.game.pack(deal).hex()}\t"
        )
        facts, answer = canonical_plain(deal.facts), settlement.json.replace(b"\\", b"\\\\")
        figures = f"\t{sums.wagers}\t{sums.handle}\t{sums.collect}\t{sums.pay}\t{sums.collected}\t{sums.paid}\t{ending}"
        return b"".join([opening.encode(), _bytes_text(facts), b"\t", answer, figures.encode()])

    def _alike_of(self, one: RuledSlip) -> tuple[str, Alike]:
        """Return what the round's row ends with, and what its entry is like."""
        place, version = one.place, one.ruled.version.pk
        found = self._alike.get((place.table.code, one.dealer, version))
        if found is None:
            slip, unit = one.slip, [WagerMoved(0, "", Minor(1), Minor(1))]
            columns = round_columns(slip, place.session, one.dealer, one.number, one.ruled, one.sums, self._by)
            draft = draft_of_moves(slip.uuid, slip.occurred_at, place.session, place.table, one.ruled, unit, rake_in_box=False)
            found = copy_text([columns[name] for name in _ALIKE]), Alike(draft, self._by)
            self._alike[place.table.code, one.dealer, version] = found
        return found


def _bytes_text(value: bytes) -> bytes:
    """Return bytes as COPY takes them: printable ASCII as it stands, which is half as long as digits."""
    return value if value.isascii() and b"\\" not in value and value[:1] == b"{" else b"\\\\x" + value.hex().encode()
