"""The reference settler of roulette: brute force, exact, the audit's second opinion on every payout.

It is written from the rules of the game alone, and shares no code with tables.engine nor with the other reference settlers.
Standard library only, Python 3.9 or later.

The rules: the ball falls into one pocket; a bet whose numbers include it is paid by the odds of its bet, any other loses. A bet is named
for its numbers, which are read from the name here: `split_17_20` covers 17 and 20, `line_16_21` all from 16 to 21.

Made to be pasted into the single file `verify.py`: every name at module level begins with `roulette_` or `ROULETTE_`, except the three
of the interface at the end (`GAME_CODE`, `settle_reference`, `rake_reference`) and the imported ones.

Shapes: a round is the canonical JSON object of a regular, validated round; money is whole minor units. A paytable is a whole version
object. A missing optional rule has its default, a value nobody knows raises ValueError.
"""

from fractions import Fraction
from typing import Any

ROULETTE_BETS = ("straight", "split", "street", "corner", "top_line", "line", "column", "dozen", "even_money")
ROULETTE_EVEN_MONEY = ("red", "black", "odd", "even", "low", "high")

# ---- bets ----


def roulette_bet(kind: str) -> str:
    """The bet that a wager is: "split" for "split_17_20"."""
    if kind in ROULETTE_EVEN_MONEY:
        return "even_money"
    if kind == "top_line":
        return kind
    bet = kind.split("_")[0]
    if bet not in ROULETTE_BETS:
        raise ValueError(f"unknown bet {kind!r}")
    return bet


def roulette_is_red(number: int) -> bool:
    """Up to 10 and from 19 to 28 the odd numbers are red, elsewhere the even ones."""
    return (number % 2 == 1) == (number <= 10 or 19 <= number <= 28)


def roulette_covers(kind: str, pocket: str) -> bool:
    """Whether the pocket is among the numbers of the wager."""
    named = kind.split("_")[1:]
    if kind == "top_line":
        return pocket in ("0", "00", "1", "2", "3")
    if roulette_bet(kind) in ("straight", "split", "street", "corner"):
        return pocket in named
    if pocket in ("0", "00"):
        return False
    number = int(pocket)
    if kind in ROULETTE_EVEN_MONEY:
        outcomes = ("red" if roulette_is_red(number) else "black", "odd" if number % 2 else "even", "low" if number <= 18 else "high")
        return kind in outcomes
    if kind.startswith("line"):
        return int(named[0]) <= number <= int(named[1])
    part = int(named[0])
    return number % 3 == part % 3 if kind.startswith("column") else 12 * part - 12 < number <= 12 * part


def roulette_order(kind: str) -> tuple[int, list[int]]:
    """What orders bets where two payouts are equal: the bet, then the numbers it covers, 0 before 00 before 1."""
    wheel = ["0", "00"] + [str(number) for number in range(1, 37)]
    return ROULETTE_BETS.index(roulette_bet(kind)), [place for place, pocket in enumerate(wheel) if roulette_covers(kind, pocket)]


# ---- money ----


def roulette_profit(kind: str, paytable: dict[str, Any]) -> Fraction:
    """What one unit wins; "x for 1" is "(x-1) to 1"."""
    basis = paytable.get("basis", "to")
    if basis not in ("to", "for"):
        raise ValueError(f"unknown basis {basis!r}")
    numerator, denominator = map(int, paytable["odds"]["bets"][roulette_bet(kind)].split(":"))
    return Fraction(numerator - denominator if basis == "for" else numerator, denominator)


def roulette_payout(stake: int, profit: Fraction, rules: dict[str, Any]) -> int:
    """`stake` at `profit` to 1 in whole payout units, rounded as the paytable says; minor units."""
    unit, rounding = rules.get("payout_unit", 1), rules.get("rounding", "down")
    units, rest = divmod(stake * profit, unit)
    if rounding not in ("down", "up", "exact_only"):
        raise ValueError(f"unknown rounding {rounding!r}")
    if rest and rounding == "exact_only":
        raise ValueError("inexact payout: the paytable refuses this round")
    return int(units + (1 if rest and rounding == "up" else 0)) * int(unit)


def roulette_cap(pays: dict[str, int], rules: dict[str, Any]) -> dict[str, int]:
    """One seat's payouts after the caps: each bet's own, then the seat's, the largest cut first, of equal ones the first in order."""
    caps, unit = rules.get("caps") or {}, rules.get("payout_unit", 1)
    of_bets, of_seat = caps.get("wager") or {}, caps.get("seat")
    left = {}
    for kind, pay in pays.items():
        most = of_bets.get(roulette_bet(kind))
        left[kind] = pay if most is None or pay <= most else most - most % unit
    if of_seat is None:
        return left
    for kind in sorted(left, key=lambda kind: (-left[kind], roulette_order(kind))):
        excess = sum(left.values()) - of_seat
        if excess > 0:
            kept = max(0, left[kind] - excess)
            left[kind] = kept - kept % unit
    return left


# ---- the round ----


def roulette_settle(round_facts: dict[str, Any], paytable: dict[str, Any]) -> dict[tuple[int, str], tuple[int, int]]:
    """{(seat, kind): (collect, pay)} in minor units. Raises ValueError where the paytable refuses an inexact payout."""
    due: dict[tuple[int, str], tuple[int, int]] = {}
    rules = paytable.get("rules", {})
    for seat in round_facts["seats"]:
        winning = {kind: stake for kind, stake in seat["bets"].items() if roulette_covers(kind, round_facts["pocket"])}
        pays = {kind: roulette_payout(stake, roulette_profit(kind, paytable), rules) for kind, stake in winning.items()}
        capped = roulette_cap(pays, rules)
        for kind, stake in seat["bets"].items():
            due[seat["seat"], kind] = (0, capped[kind]) if kind in winning else (stake, 0)
    return due


def roulette_rake(round_facts: dict[str, Any], paytable: dict[str, Any]) -> int:
    """Always 0: the patrons play against the house, which takes no rake."""
    return 0


# ---- the interface every settler has ----

GAME_CODE = "roulette"
settle_reference = roulette_settle
rake_reference = roulette_rake
