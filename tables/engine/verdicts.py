"""What the rules say of one wager, and its settlement in figures, in words and in JSON. For games with odds. Pure.

A game decides the verdicts; money is worked out in `payouts`, and everything that is written about a wager is written here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from casino.money import Minor
from casino.odds import format_odds
from tables.engine.game import Result, WagerDue
from tables.engine.payouts import Payout

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
    """A verdict on a stake, paid. `subject`: the words that open its reason, "Pair of nines loses to the dealer's pair of tens"."""

    verdict: Verdict
    stake: Minor
    payout: Payout
    subject: str

    @property
    def collect(self) -> Minor:
        """Return what the house takes of the stake."""
        return self.stake if self.verdict.result == "lose" else Minor(0)

    def due(self, seat: int) -> WagerDue:
        """Return the settlement of the wager at `seat`."""
        verdict, stake, payout, subject = self
        why = subject + _written(verdict, stake, payout)[1]
        return WagerDue(
            seat=seat,
            kind=verdict.kind,
            stake=stake,
            collect=self.collect,
            pay=payout.pay,
            result=verdict.result,
            why=why,
            row=verdict.row,
            odds=verdict.odds,
            breakage=payout.breakage,
            uncapped=payout.uncapped,
        )

    def as_json(self) -> str:
        """Return `"ante":{"stake":…,"result":…,"net":…,"why":…}`; subjects and reasons hold nothing that JSON would escape."""
        verdict, stake, payout, subject = self
        opening, reason = _written(verdict, stake, payout)
        return f'{opening}{subject}{reason}"}}'


@lru_cache(maxsize=4096)
def _written(verdict: Verdict, stake: Minor, payout: Payout) -> tuple[str, str]:
    """Return the wager's JSON up to its reason, and its reason after the subject; the same few stakes come again and again."""
    net = payout.pay - (stake if verdict.result == "lose" else 0)
    more = f',"breakage":"{payout.breakage}"' if payout.breakage is not None else ""
    if payout.uncapped is not None:
        more = f',"uncapped":{payout.uncapped}'
    opening = f'"{verdict.kind}":{{"stake":{stake},"result":"{verdict.result}","net":{net}{more},"why":"'
    return opening, f": {verdict.because}{_outcome(verdict, stake, payout)}."


def _outcome(verdict: Verdict, stake: Minor, payout: Payout) -> str:
    """Return "the blind pays flush 3:2, 501 × 3:2 = 751 1/2, rounded down to 751"."""
    if verdict.odds is None:
        return f"the {verdict.kind} of {stake} is {'returned' if verdict.result == 'push' else 'lost'}"
    odds = format_odds(verdict.odds)
    price = f"{verdict.row.replace('_', ' ')} {odds}" if verdict.row else "even money"
    words = f"the {verdict.kind} pays {price}, {stake} × {odds} = {_mixed(stake * verdict.odds)}"
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
