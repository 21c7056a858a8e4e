"""The reference settler of Three Card Poker: brute force, exact, the audit's second opinion on every payout.

It is written from the rules of the game alone, and shares no code with tables.engine nor with the other reference settlers.
Standard library only, Python 3.9 or later.

The rules: a seat antes and is dealt three cards; it folds, or plays exactly its ante. A dealer below the qualifying hand pays the ante
even money and returns the play. One who qualifies pays both even money to a better hand, returns both to an equal one, takes both of
a worse one. The ante bonus is paid on the ante of a listed hand that played, whatever the dealer has. Pair plus is paid by the hand
alone; a folded hand forfeits it unless the rule `pair_plus_on_fold` is `stays`.

Made to be pasted into the single file `verify.py`: every name at module level begins with `tcp_` or `TCP_`, except the three of the
interface at the end (`GAME_CODE`, `settle_reference`, `rake_reference`) and the imported ones.

Shapes: a round is the canonical JSON object of a regular, validated round (cards are lists of "As", money is whole minor units);
a paytable is a whole version object. A missing optional rule has its default, a value nobody knows raises ValueError.
"""

from fractions import Fraction
from typing import Any

TCP_RANKS = "23456789TJQKA"
TCP_HANDS = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush")
TCP_KINDS = ("ante", "play", "ante_bonus", "pair_plus")
TCP_QUALIFYING = {
    "jack_high": (0, (11,)),
    "queen_high": (0, (12,)),
    "king_high": (0, (13,)),
    "ace_high": (0, (14,)),
    "pair": (1, ()),
}

# ---- hands ----


def tcp_rank(cards: list[str]) -> tuple[int, tuple[int, ...]]:
    """Three cards as (place in TCP_HANDS, ranks 2 to 14 as they are compared); the greater tuple is the better hand."""
    if len(set(cards)) != 3:
        raise ValueError(f"three different cards are needed, not {cards}")
    ranks = sorted((TCP_RANKS.index(card[0]) + 2 for card in cards), reverse=True)
    suited = cards[0][1] == cards[1][1] == cards[2][1]
    if ranks == [14, 3, 2]:
        return (5 if suited else 3, (3, 2, 1))
    if ranks == list(range(ranks[0], ranks[0] - 3, -1)):
        return (5 if suited else 3, tuple(ranks))
    by_group = tuple(sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True))
    different = len(set(ranks))
    if different == 1:
        return (4, by_group)
    if different == 2:
        return (1, by_group)
    return (2 if suited else 0, by_group)


# ---- money ----


def tcp_odds(paytable: dict[str, Any], wager: str) -> dict[str, Fraction]:
    """The paid hands of a wager as profit on one unit; "x for 1" is "(x-1) to 1"."""
    basis = paytable.get("basis", "to")
    if basis not in ("to", "for"):
        raise ValueError(f"unknown basis {basis!r}")
    profits = {}
    for hand, odds in paytable["odds"][wager].items():
        if hand not in TCP_HANDS:
            raise ValueError(f"unknown hand {hand!r}")
        left, right = odds.split(":")
        profits[hand] = Fraction(int(left), int(right)) - (basis == "for")
    return profits


def tcp_payout(base: int, profit: Fraction, rules: dict[str, Any]) -> int:
    """`base` at `profit` to 1 in whole payout units, rounded as the paytable says; minor units."""
    unit, rounding = rules.get("payout_unit", 1), rules.get("rounding", "down")
    if rounding not in ("down", "up", "exact_only"):
        raise ValueError(f"unknown rounding {rounding!r}")
    exact = base * profit
    below = exact // unit * unit
    if below == exact or rounding == "down":
        return int(below)
    if rounding == "exact_only":
        raise ValueError("inexact payout: the paytable refuses this round")
    return int(below + unit)


def tcp_cut(pays: dict[str, int], rules: dict[str, Any]) -> dict[str, int]:
    """One seat's payouts after the caps: each wager's own, then the seat's, the largest cut first, of equal ones the first of TCP_KINDS."""
    caps, unit = rules.get("caps") or {}, rules.get("payout_unit", 1)
    cut = dict(pays)
    for kind, most in (caps.get("wager") or {}).items():
        if cut.get(kind, 0) > most:
            cut[kind] = most // unit * unit
    most_of_seat = caps.get("seat")
    if most_of_seat is not None:
        for kind in sorted(cut, key=lambda kind: (-cut[kind], TCP_KINDS.index(kind))):
            over = sum(cut.values()) - most_of_seat
            if over > 0:
                cut[kind] = max(0, cut[kind] - over) // unit * unit
    return cut


# ---- one seat ----


def tcp_played(mine: tuple[int, tuple[int, ...]], theirs: tuple[int, tuple[int, ...]], rules: dict[str, Any]) -> tuple[str, str]:
    """What becomes of ante and play of a seat that played: "win", "push" or "lose" each."""
    if theirs < TCP_QUALIFYING[rules.get("dealer_qualifies", "queen_high")]:
        return "win", "push"
    if mine == theirs:
        return "push", "push"
    return ("win", "win") if mine > theirs else ("lose", "lose")


def tcp_pair_plus(seat: dict[str, Any], paytable: dict[str, Any]) -> Any:
    """The profit on one unit of a pair plus that wins, None where it loses."""
    rule = paytable.get("rules", {}).get("pair_plus_on_fold", "forfeits")
    if rule not in ("forfeits", "stays"):
        raise ValueError(f"unknown pair_plus_on_fold {rule!r}")
    if seat.get("folded", False) and rule == "forfeits":
        return None
    return tcp_odds(paytable, "pair_plus").get(TCP_HANDS[tcp_rank(seat["cards"])[0]])


def tcp_settle_seat(seat: dict[str, Any], dealer: Any, paytable: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """{kind: (collect, pay)} of one seat; a bonus has no stake, and is there where it is due."""
    rules = paytable.get("rules", {})
    lost: dict[str, int] = {}
    profits: dict[str, tuple[int, Fraction]] = {}
    if seat.get("folded", False):
        lost["ante"] = seat["ante"]
    else:
        mine = tcp_rank(seat["cards"])
        ante, play = tcp_played(mine, tcp_rank(dealer), rules)
        for kind, result in (("ante", ante), ("play", play)):
            lost[kind] = seat[kind] if result == "lose" else 0
            if result == "win":
                profits[kind] = (seat[kind], Fraction(1))
        bonus = tcp_odds(paytable, "ante_bonus").get(TCP_HANDS[mine[0]])
        if bonus is not None:
            profits["ante_bonus"] = (seat["ante"], bonus)
    if seat.get("pair_plus", 0) > 0:
        profit = tcp_pair_plus(seat, paytable)
        lost["pair_plus"] = seat["pair_plus"] if profit is None else 0
        if profit is not None:
            profits["pair_plus"] = (seat["pair_plus"], profit)
    pays = tcp_cut({kind: tcp_payout(base, profit, rules) for kind, (base, profit) in profits.items()}, rules)
    return {kind: (lost.get(kind, 0), pays.get(kind, 0)) for kind in TCP_KINDS if kind in lost or pays.get(kind)}


# ---- the round ----


def tcp_settle(round_facts: dict[str, Any], paytable: dict[str, Any]) -> dict[tuple[int, str], tuple[int, int]]:
    """{(seat, kind): (collect, pay)} in minor units. Raises ValueError where the paytable refuses an inexact payout."""
    due: dict[tuple[int, str], tuple[int, int]] = {}
    for seat in round_facts["seats"]:
        for kind, moved in tcp_settle_seat(seat, round_facts.get("dealer"), paytable).items():
            due[seat["seat"], kind] = moved
    return due


def tcp_rake(round_facts: dict[str, Any], paytable: dict[str, Any]) -> int:
    """Always 0: the patrons play against the house, which takes no rake."""
    return 0


# ---- the interface every settler has ----

GAME_CODE = "tcp"
settle_reference = tcp_settle
rake_reference = tcp_rake
