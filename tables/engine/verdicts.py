"""What the rules say of one wager, and its settlement in figures, in words and in JSON. For games with odds. Pure.

A game decides the verdicts; money is worked out in `payouts`, and everything that is written about a wager is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from casino.money import Minor
from casino.odds import format_odds
from tables.engine.faults import Faults, Path
from tables.engine.game import Result, WagerDue
from tables.engine.payouts import NOTHING, Payout, Unpayable, cap, pay
from tables.engine.paytable import Paytable

EVEN_MONEY = Fraction(1)


@dataclass(frozen=True, eq=False)
class Verdict:
    """What becomes of a wager of one `kind`, whatever its stake; made once for a paytable, and equal to itself alone.

    `odds` to one, where it wins; `row`: the paytable row that says so, None for even money. `because`: words that stand before what
    becomes of the wager, and end in a comma and a space, or are empty.
    """

    kind: str
    result: Result
    odds: Fraction | None = None
    row: str | None = None
    because: str = ""


class SettledWager(NamedTuple):
    """A verdict on a stake, paid. Its reason opens with a `subject`: "Pair of nines loses to the dealer's pair of tens"."""

    verdict: Verdict
    stake: Minor
    payout: Payout
    net: int

    def due(self, seat: int, subject: str) -> WagerDue:
        """Return the settlement of the wager at `seat`."""
        verdict, stake, payout, _ = self
        return WagerDue(
            seat=seat,
            kind=verdict.kind,
            stake=stake,
            collect=stake if verdict.result == "lose" else Minor(0),
            pay=payout.pay,
            result=verdict.result,
            why=subject + _written(self)[1],
            row=verdict.row,
            odds=verdict.odds,
            breakage=payout.breakage,
            uncapped=payout.uncapped,
        )

    def as_json(self, subject: str) -> str:
        """Return `"ante":{"stake":…,"result":…,"net":…,"why":…}`; neither subjects nor reasons hold what JSON would escape."""
        opening, reason = _written(self)
        return f'{opening}{subject}{reason}"}}'


def settle_wagers(
    verdicts: Iterable[Verdict], stakes: Iterable[Minor | None], paytable: Paytable, path: Path, faults: Faults
) -> list[SettledWager]:
    """Return one seat's wagers, each verdict with its stake (0 or None: none was made), paid by the paytable and cut by its caps.

    `path` is the seat's; what the paytable cannot pay is noted in `faults` at its stake.
    """
    settled = []
    for verdict, stake in zip(verdicts, stakes, strict=True):
        if stake:
            payout = NOTHING if verdict.odds is None else _payout(verdict, stake, paytable, path, faults)
            settled.append(SettledWager(verdict, stake, payout, payout.pay - stake if verdict.result == "lose" else payout.pay))
    return _capped(settled, paytable) if paytable.rules["caps"] else settled


def _payout(verdict: Verdict, stake: Minor, paytable: Paytable, path: Path, faults: Faults) -> Payout:
    assert verdict.odds is not None
    try:
        return pay(stake, verdict.odds, unit=paytable.payout_unit, rounding=paytable.rounding)
    except Unpayable as refusal:
        faults.add(refusal.code, (*path, verdict.kind), refusal.message, exact=str(refusal.exact))
        return NOTHING


def _capped(wagers: Sequence[SettledWager], paytable: Paytable) -> list[SettledWager]:
    kinds = [wager.verdict.kind for wager in wagers]
    payouts = cap([wager.payout for wager in wagers], kinds, paytable.rules["caps"], unit=paytable.payout_unit)
    return [
        SettledWager(wager.verdict, wager.stake, payout, wager.net - wager.payout.pay + payout.pay)
        for wager, payout in zip(wagers, payouts, strict=True)
    ]


def spoken(row: str) -> str:
    """Return "three of a kind" for a row's name."""
    return row.replace("_", " ")


@lru_cache(maxsize=4096)
def _written(wager: SettledWager) -> tuple[str, str]:
    """Return the wager's JSON up to its reason, and its reason after the subject; the same few stakes come again and again."""
    verdict, stake, payout, net = wager
    more = f',"breakage":"{payout.breakage}"' if payout.breakage is not None else ""
    if payout.uncapped is not None:
        more = f',"uncapped":{payout.uncapped}'
    opening = f'"{verdict.kind}":{{"stake":{stake},"result":"{verdict.result}","net":{net}{more},"why":"'
    return opening, f": {verdict.because}{_outcome(verdict, stake, payout)}."


def _outcome(verdict: Verdict, stake: Minor, payout: Payout) -> str:
    """Return "the blind pays flush 3:2, 501 × 3:2 = 751 1/2, rounded down to 751"."""
    if verdict.odds is None:
        return f"the {verdict.kind} wager of {stake} is {'returned' if verdict.result == 'push' else 'lost'}"
    odds = format_odds(verdict.odds)
    price = f"{spoken(verdict.row)} {odds}" if verdict.row else "even money"
    words = f"the {verdict.kind} wager pays {price}, {stake} × {odds} = {_mixed(stake * verdict.odds)}"
    before_caps = payout.pay if payout.uncapped is None else payout.uncapped
    if stake * verdict.odds != before_caps:
        words += f", rounded {'down' if stake * verdict.odds > before_caps else 'up'} to {before_caps}"
    if payout.uncapped is not None:
        words += f", cut to {payout.pay} by the cap"
    return words


def _mixed(value: Fraction) -> str:
    """Return "751 1/2" for 1503/2."""
    whole, part = divmod(value, 1)
    if not part:
        return str(whole)
    return f"{whole} {part}" if whole else str(part)
