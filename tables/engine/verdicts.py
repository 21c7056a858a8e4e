"""What the rules say of one wager, and its settlement in figures, in words and in JSON. For games with odds. Pure.

A game decides the verdicts; money is worked out in `payouts`, and everything that is written about a wager is written here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import getitem
from typing import Any, NamedTuple

from casino.money import Minor
from casino.odds import format_odds
from tables.engine.faults import Faults, Path
from tables.engine.game import Result, SeatDues, WagerDue
from tables.engine.payouts import NOTHING, Payout, Unpayable, cap, pay
from tables.engine.paytable import Paytable

EVEN_MONEY = Fraction(1)


@dataclass(frozen=True)
class Verdict:
    """What becomes of a wager of one `kind`, whatever its stake.

    `odds` to one, where it wins; `row`: the paytable row that says so, None for even money. `because`: words that stand before what
    becomes of the wager, and end in a comma and a space, or are empty. `is_side_bet`: it is about the hand alone. `bet`: what caps call
    it, where that is not its kind. `on`: the wager on whose stake it is paid, where it has none of its own: a bonus, which only wins.
    """

    kind: str
    result: Result
    odds: Fraction | None = None
    row: str | None = None
    because: str = ""
    is_side_bet: bool = False
    bet: str | None = None
    on: str | None = None

    @cached_property
    def words(self) -> tuple[str, str]:
        """Return the reason after its subject, up to the stake and from there on: ": the ante wager of ", " is lost."."""
        wager = f": {self.because}the {spoken(self.kind)} wager"
        if self.odds is None:
            return f"{wager} of ", f" is {'returned' if self.result == 'push' else 'lost'}."
        odds = format_odds(self.odds)
        return f"{wager} pays {f'{spoken(self.row)} {odds}' if self.row else 'even money'}, ", f" × {odds} = "


class SettledWager(NamedTuple):
    """A verdict on a stake, paid. `net`: what the patron gains, + won, 0, or minus the stake.

    Its reason is a subject, "Pair of nines loses to the dealer's pair of tens", and then `reason`. Neither holds what JSON would escape.
    `opening` and `ending`: what stands in the answer before and after the subject, in UTF-8. `figures`: its settlement at no seat (0), without
    a reason.
    """

    verdict: Verdict
    stake: Minor
    payout: Payout
    net: int
    is_side_bet: bool
    opening: bytes
    ending: bytes
    reason: str
    figures: WagerDue

    @classmethod
    def of(cls, verdict: Verdict, stake: Minor, payout: Payout, cut_by: str = "") -> SettledWager:
        """Return the wager with all that is written about it; `cut_by`: the cap that cut the payout, in words."""
        net = payout.pay - stake if verdict.result == "lose" else payout.pay
        reason = _reason(verdict, stake, payout, cut_by)
        more = f',"breakage":"{payout.breakage}"' if payout.breakage is not None else ""
        if payout.uncapped is not None:
            more = f',"uncapped":{payout.uncapped}'
        opening = f'"{verdict.kind}":{{"stake":{0 if verdict.on else stake},"result":"{verdict.result}","net":{net}{more},"why":"'
        figures = WagerDue(
            seat=0,
            kind=verdict.kind,
            stake=Minor(0) if verdict.on else stake,
            collect=stake if verdict.result == "lose" else Minor(0),
            pay=payout.pay,
            result=verdict.result,
            why="",
            row=verdict.row,
            odds=verdict.odds,
            breakage=payout.breakage,
            uncapped=payout.uncapped,
            base=stake if verdict.on else None,
        )
        return cls(verdict, stake, payout, net, verdict.is_side_bet, opening.encode(), f'{reason}"}}'.encode(), reason, figures)

    def due(self, seat: int, subject: str) -> WagerDue:
        """Return the settlement of the wager at `seat`."""
        return self.figures._replace(seat=seat, why=subject + self.reason)


_shared: dict[bytes, bytes] = {}
"""Parts of texts, each once: seats share them, so they stay where the processor has them at hand."""

_MOST_SHARED = 1 << 14


class SettledWagers:
    """The wagers of one seat, settled; `net`: what it gains by all; `figures`: what is due. Reasons of side bets open with a subject of their own.

    What is written about them is cut where subjects go: `_cuts` at the seat's, `_side_cuts` at those of the side bets, which come last.
    """

    __slots__ = ("_cuts", "_side_cuts", "figures", "net", "wagers")

    def __init__(self, wagers: Sequence[SettledWager]) -> None:
        self.wagers = wagers
        self.figures = SeatDues([wager.figures for wager in wagers])
        self.net = sum([wager.net for wager in wagers])
        cuts: list[bytes] = []
        side_cuts: list[bytes] = []
        text = b'"wagers":{'
        for place, wager in enumerate(wagers):
            assert wager.is_side_bet or not side_cuts, "a game's side bets come last"
            (side_cuts if wager.is_side_bet else cuts).append(_share(text + (b"," if place else b"") + wager.opening))
            text = wager.ending
        side_cuts.append(_share(b'%b},"net":%d}' % (text, self.net)))
        self._cuts, self._side_cuts = (*cuts, b""), tuple(side_cuts)

    def dues(self, seat: int, subject: str, side_subject: str) -> list[WagerDue]:
        """Return the settlement of each wager at `seat`; the reasons of side bets open with a subject of their own."""
        return [wager.due(seat, side_subject if wager.is_side_bet else subject) for wager in self.wagers]

    def json(self, subject: bytes, side_subject: bytes) -> tuple[bytes, bytes]:
        """Return `"wagers":{"ante":{…},…},"net":…}`, the end of a seat's object, in UTF-8 and in two parts, which the answer joins with others."""
        return subject.join(self._cuts), side_subject.join(self._side_cuts)


def _share(text: bytes) -> bytes:
    if len(_shared) >= _MOST_SHARED:
        _shared.clear()
    return _shared.setdefault(text, text)


_KEPT = 512


class Till(dict[Minor | None, SettledWager | None]):
    """Settles the wagers of one verdict by one paytable: `till[stake]`. The same few stakes come again and again, and are kept.

    A stake of 0 or None is no wager, and None. Raises Unpayable where the paytable cannot pay the verdict on this stake.
    """

    def __init__(self, verdict: Verdict, paytable: Paytable) -> None:
        super().__init__()
        self.verdict = verdict
        self._paytable = paytable

    def __missing__(self, stake: Minor | None) -> SettledWager | None:
        if len(self) >= _KEPT:
            self.clear()
        wager = self[stake] = self._settle(stake) if stake else None
        return wager

    def _settle(self, stake: Minor) -> SettledWager:
        odds, paytable = self.verdict.odds, self._paytable
        payout = NOTHING if odds is None else pay(stake, odds, unit=paytable.payout_unit, rounding=paytable.rounding)
        return SettledWager.of(self.verdict, stake, payout)


def settle_wagers(tills: Sequence[Till], stakes: Sequence[Minor | None], paytable: Paytable) -> SettledWagers:
    """Return one seat's wagers, each settled by its till, and cut by the caps. Raises Unpayable for the first that cannot be paid."""
    wagers = [wager for wager in map(getitem, tills, stakes) if wager is not None]
    caps = paytable.rules["caps"]
    return SettledWagers(wagers if caps is None else _capped(wagers, caps, paytable.payout_unit))


def add_unpayable(tills: Sequence[Till], stakes: Sequence[Minor | None], path: Path, faults: Faults) -> None:
    """Note every stake of the seat at `path` that the paytable cannot pay."""
    for till, stake in zip(tills, stakes, strict=True):
        try:
            till[stake]
        except Unpayable as refusal:
            faults.add(refusal.code, (*path, till.verdict.on or till.verdict.kind), refusal.message, exact=str(refusal.exact))


def _capped(wagers: Sequence[SettledWager], caps: Mapping[str, Any], unit: Minor) -> list[SettledWager]:
    bets = [wager.verdict.bet or wager.verdict.kind for wager in wagers]
    payouts = cap([wager.payout for wager in wagers], bets, caps, unit=unit)
    return [
        wager if wager.payout is payout else SettledWager.of(wager.verdict, wager.stake, payout, _cut_by(payout, bet, caps, unit))
        for wager, bet, payout in zip(wagers, bets, payouts, strict=True)
    ]


def _cut_by(payout: Payout, bet: str, caps: Mapping[str, Any], unit: Minor) -> str:
    """Return which cap left this of a payout: the bet's own, or the seat's where that cut deeper."""
    own = caps["wager"].get(bet)
    return f"the cap of {own}" if own is not None and payout.pay == own // unit * unit else f"the seat's cap of {caps['seat']}"


def spoken(row: str) -> str:
    """Return "three of a kind" for a row's name, "split-17-20" for a kind's: with hyphens, figures are read as no amounts."""
    return re.sub(r"_(?=\d)", "-", row).replace("_", " ")


def _reason(verdict: Verdict, stake: Minor, payout: Payout, cut_by: str) -> str:
    """Return ": the blind wager pays flush 3:2, 501 × 3:2 = 751 1/2, rounded down to 751."."""
    before, after = verdict.words
    if verdict.odds is None:
        return f"{before}{stake}{after}"
    if payout.breakage is None and payout.uncapped is None:
        return f"{before}{stake}{after}{payout.pay}."
    exact, rounded = stake * verdict.odds, payout.pay if payout.uncapped is None else payout.uncapped
    direction = "" if exact == rounded else f", rounded {'down' if exact > rounded else 'up'} to {rounded}"
    cut = "" if payout.uncapped is None else f", cut to {payout.pay} by {cut_by}"
    return f"{before}{stake}{after}{_mixed(exact)}{direction}{cut}."


def _mixed(value: Fraction) -> str:
    """Return "751 1/2" for 1503/2, "0 1/2" for 1/2: a fraction is of a minor unit, and stands beside whole ones wherever they are told."""
    whole, part = divmod(value, 1)
    return f"{whole} {part}" if part else str(whole)
