"""A settled round of a game with odds, whose wagers have each their till. Words and texts are made on demand. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casino.money import Minor
from tables.engine.faults import Faults, Path
from tables.engine.game import SeatDues, Settlement, WagerDue, answer_opening
from tables.engine.payouts import Unpayable
from tables.engine.paytable import Paytable
from tables.engine.verdicts import SettledWagers, Till, add_unpayable, settle_wagers


@dataclass(frozen=True)
class JudgedSeat:
    """One seat as its game judged it: a till and a stake for each wager, in the game's order.

    `path`: where its wagers stand on the line. `subject` opens the reasons of its wagers, `side_subject` those of its side bets. `hand`: what
    it holds in words, "" where that was not seen. `opening`: JSON that stands before its wagers in the answer, and ends in a comma.
    """

    seat: int
    path: Path
    tills: Sequence[Till]
    stakes: Sequence[Minor | None]
    subject: str
    side_subject: str = ""
    hand: str = ""
    opening: str = ""


class OddsSettlement(Settlement):
    """A settled round of judged seats; `table` is JSON of what all seats share, and ends in a comma.

    Raises InvalidSlip (`inexact_payout`, `bad_amount`) at every stake that the paytable cannot pay.
    """

    def __init__(
        self, id: str, line: Mapping[str, Any], paytable: Paytable, seats: Sequence[JudgedSeat], table: str, dealer_hand: str | None = None
    ) -> None:
        self._opening = b"%b,%b" % (answer_opening(id, paytable), table.encode())
        self._dealer_hand = dealer_hand
        self._seats: list[tuple[JudgedSeat, SettledWagers]] = []
        faults = Faults(line)
        for seat in seats:
            try:
                self._seats.append((seat, settle_wagers(seat.tills, seat.stakes, paytable)))
            except Unpayable:
                add_unpayable(seat.tills, seat.stakes, seat.path, faults)
        faults.raise_any()

    @cached_property
    def dues(self) -> tuple[WagerDue, ...]:
        """What is due, by seat, then in the game's order of wagers."""
        return tuple(due for seat, wagers in self._seats for due in wagers.dues(seat.seat, seat.subject, seat.side_subject))

    @property
    def seat_dues(self) -> Sequence[tuple[int, SeatDues]]:
        """Each seat and what is due in figures."""
        return [(seat.seat, wagers.figures) for seat, wagers in self._seats]

    @property
    def json(self) -> bytes:
        """The answer as JSON text in UTF-8."""
        seats = []
        for seat, settled in self._seats:
            wagers = settled.json(seat.subject.encode(), seat.side_subject.encode())
            seats.append(b'{"seat":%d,%b%b%b' % (seat.seat, seat.opening.encode(), *wagers))
        house_net = -sum([wagers.net for _, wagers in self._seats])
        return b'%b"seats":[%b],"house_net":%d}' % (self._opening, b",".join(seats), house_net)

    @property
    def hands(self) -> Mapping[int, str]:
        """What each seat holds in words."""
        return {seat.seat: seat.hand for seat, _ in self._seats if seat.hand}

    @property
    def dealer_hand(self) -> str | None:
        """What the dealer holds in words."""
        return self._dealer_hand
