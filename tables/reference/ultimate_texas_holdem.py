"""The reference settler of Ultimate Texas Hold'em: brute force, exact, the audit's second opinion on every payout.

It is written from spec/rounds.md and seeds/ultimate-texas-holdem.txt alone, and shares no code with tables.engine nor with
the other reference settlers. Standard library only, Python 3.9 or later.

Made to be pasted into the single file `verify.py`: every name at module level begins with `uth_` or `UTH_`, except the three
of the interface at the end (`GAME_CODE`, `settle_reference`, `rake_reference`) and the imported ones, which every settler has
and which a later paste may overwrite without harm: `uth_settle` and `uth_rake` are the same functions.

Shapes: a round is the canonical JSON object of a regular, validated round (cards are lists of "As", money is whole minor units);
a paytable is a whole version object. A missing optional rule has the spec's default, a value nobody knows raises ValueError.
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

UTH_RANKS = "23456789TJQKA"
UTH_HANDS = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
UTH_KINDS = ("ante", "blind", "play", "trips")
UTH_FIVES: dict[tuple[str, bool], tuple[int, tuple[int, ...]]] = {}
UTH_SEEN: dict[str, tuple[int, tuple[int, ...]]] = {}
UTH_ODDS: dict[Any, dict[str, Fraction]] = {}
UTH_HAND_OF_GROUPS = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}

# ---- hands ----


def uth_rank_five(five: str, one_suit: bool) -> tuple[int, tuple[int, ...]]:
    """Exactly five ranks, and whether they are of one suit, as (place in UTH_HANDS, ranks 2 to 14 as they are compared); the greater wins.

    The ranks come larger group first, then higher rank; the ace is low (1) only in A-2-3-4-5 (spec, Common: Hands).
    """
    all_ranks = [UTH_RANKS.index(rank) + 2 for rank in five]
    groups = sorted(((all_ranks.count(rank), rank) for rank in set(all_ranks)), reverse=True)
    ranks = tuple(rank for _, rank in groups)
    hand = UTH_HAND_OF_GROUPS[tuple(count for count, _ in groups)]
    wheel = ranks == (14, 5, 4, 3, 2)
    in_a_row = len(ranks) == 5 and ranks[0] - ranks[4] == 4
    if wheel:
        ranks = (5, 4, 3, 2, 1)
    if one_suit and (wheel or in_a_row):
        return (9 if ranks[0] == 14 else 8, ranks)
    if one_suit:
        return (5, ranks)
    if wheel or in_a_row:
        return (4, ranks)
    return (hand, ranks)


def uth_five(five: str, one_suit: bool) -> tuple[int, tuple[int, ...]]:
    """What `uth_rank_five` says, kept: of five ranks in a fixed order there are 6,175 sets, 1,287 of them of one suit as well."""
    if (five, one_suit) not in UTH_FIVES:
        UTH_FIVES[five, one_suit] = uth_rank_five(five, one_suit)
    return UTH_FIVES[five, one_suit]


def uth_rank_seven(cards: list[str]) -> tuple[int, tuple[int, ...]]:
    """The best of the 21 hands of five in seven cards, as `uth_rank_five` ranks them.

    Where no suit has five of the seven, suits decide nothing: then the answer is kept by the seven ranks, of which there are 49,205 sets.
    """
    if len(set(cards)) != 7:
        raise ValueError(f"seven different cards are needed, not {cards}")
    in_order = sorted(cards)
    ranks, suits = "".join([card[0] for card in in_order]), "".join([card[1] for card in in_order])
    if max(map(suits.count, "cdhs")) >= 5:
        fives = zip(combinations(ranks, 5), combinations(suits, 5))  # noqa: B905 - Python 3.9 has no strict
        return max([uth_five("".join(five), len(set(of)) == 1) for five, of in fives])
    if ranks not in UTH_SEEN:
        UTH_SEEN[ranks] = max([uth_five("".join(five), False) for five in combinations(ranks, 5)])
    return UTH_SEEN[ranks]


# ---- money ----


def uth_odds(paytable: dict[str, Any], wager: str) -> dict[str, Fraction]:
    """The paid hands of `blind` or `trips` as profit on one unit of stake; "x for 1" is "(x-1) to 1"."""
    basis = paytable.get("basis", "to")
    said = (basis, tuple(paytable["odds"][wager].items()))
    if said in UTH_ODDS:
        return UTH_ODDS[said]
    if basis not in ("to", "for"):
        raise ValueError(f"unknown basis {basis!r}")
    returned = 1 if basis == "for" else 0
    profits = {}
    for hand, odds in paytable["odds"][wager].items():
        if hand not in UTH_HANDS:
            raise ValueError(f"unknown hand {hand!r}")
        numerator, denominator = odds.split(":")
        profits[hand] = Fraction(int(numerator), int(denominator)) - returned
    UTH_ODDS[said] = profits
    return profits


def uth_payout(stake: int, profit: Fraction, rules: dict[str, Any]) -> int:
    """`stake` at `profit` to 1, in whole payout units by the paytable's rounding; minor units. Even money is rounded too."""
    unit, rounding = rules.get("payout_unit", 1), rules.get("rounding", "down")
    whole, rest = divmod(stake * profit.numerator, profit.denominator * unit)
    if rounding not in ("down", "up", "exact_only"):
        raise ValueError(f"unknown rounding {rounding!r}")
    if rest and rounding == "exact_only":
        raise ValueError("inexact payout: the paytable refuses this round")
    if rest and rounding == "up":
        whole += 1
    return int(whole * unit)


def uth_cut(pays: dict[str, int], rules: dict[str, Any]) -> dict[str, int]:
    """One seat's payouts after the caps: first each wager's own, then the seat's, from the largest payout down.

    A payout that is cut is rounded down to a unit; equal ones are cut in the order ante, blind, play, trips. Caps bound payouts
    as they were rounded, and the seat's bounds their sum: stakes lost on other spots are not set against it.
    """
    caps, unit = rules.get("caps") or {}, rules.get("payout_unit", 1)
    cut = dict(pays)
    for kind, limit in (caps.get("wager") or {}).items():
        if limit is not None and cut.get(kind, 0) > limit:
            cut[kind] = limit // unit * unit
    seat_limit = caps.get("seat")
    if seat_limit is None:
        return cut
    for kind in sorted(cut, key=lambda kind: (-cut[kind], UTH_KINDS.index(kind))):
        too_much = sum(cut.values()) - seat_limit
        if too_much > 0:
            cut[kind] = max(0, cut[kind] - too_much) // unit * unit
    return cut


# ---- one seat ----


def uth_seat_results(seat: dict[str, Any], community: list[str], theirs: Any, paytable: dict[str, Any]) -> dict[str, Any]:
    """Each of the seat's wagers as "lose", "push", or the profit on one unit of stake (a Fraction) where it wins.

    `theirs` is the dealer's best hand as `uth_rank_seven` says it; it is not looked at for a folded seat.
    """
    results: dict[str, Any] = {}
    if seat.get("folded", False):
        results["ante"] = results["blind"] = "lose"
        if seat.get("trips", 0) > 0:
            results["trips"] = uth_folded_trips(seat, community, paytable)
        return results
    rules = paytable.get("rules", {})
    mine = uth_rank_seven(community + seat["cards"])
    qualifies = theirs[0] >= UTH_HANDS.index(rules.get("dealer_qualifies", "pair"))
    hand = UTH_HANDS[mine[0]]
    if mine > theirs:
        results["ante"] = Fraction(1) if qualifies else "push"
        results["blind"] = uth_odds(paytable, "blind").get(hand, "push")
        results["play"] = Fraction(1)
    elif mine == theirs:
        results["ante"] = results["blind"] = results["play"] = "push"
    else:
        results["ante"] = "lose" if qualifies else "push"
        results["blind"] = results["play"] = "lose"
    if seat.get("trips", 0) > 0:
        results["trips"] = uth_live_trips(hand, mine < theirs, paytable)
    return results


def uth_folded_trips(seat: dict[str, Any], community: list[str], paytable: dict[str, Any]) -> Any:
    """Trips of a seat that folded: forfeited, or by the odds alone whatever the dealer has (rule `trips_on_fold`)."""
    rule = paytable.get("rules", {}).get("trips_on_fold", "stays")
    if rule == "forfeits":
        return "lose"
    if rule != "stays":
        raise ValueError(f"unknown trips_on_fold {rule!r}")
    hand = UTH_HANDS[uth_rank_seven(community + seat["cards"])[0]]
    return uth_odds(paytable, "trips").get(hand, "lose")


def uth_live_trips(hand: str, beaten: bool, paytable: dict[str, Any]) -> Any:
    """Trips of a live seat: by the odds; a beaten hand that is listed pays or pushes (rule `trips_when_beaten`)."""
    rule = paytable.get("rules", {}).get("trips_when_beaten", "pays")
    if rule not in ("pays", "pushes"):
        raise ValueError(f"unknown trips_when_beaten {rule!r}")
    odds = uth_odds(paytable, "trips")
    if hand not in odds:
        return "lose"
    return "push" if beaten and rule == "pushes" else odds[hand]


# ---- the round ----


def uth_settle(round_facts: dict[str, Any], paytable: dict[str, Any]) -> dict[tuple[int, str], tuple[int, int]]:
    """{(seat, kind): (collect, pay)} in minor units for ante, blind, play and trips with a stake; pay is beyond the stake."""
    due = {}
    rules = paytable.get("rules", {})
    community = round_facts.get("community") or []
    anyone_live = any(not seat.get("folded", False) for seat in round_facts["seats"])
    theirs = uth_rank_seven(community + round_facts["dealer"]) if anyone_live else None
    for seat in round_facts["seats"]:
        results = uth_seat_results(seat, community, theirs, paytable)
        won = {kind: uth_payout(seat[kind], profit, rules) for kind, profit in results.items() if profit not in ("lose", "push")}
        pays = uth_cut(won, rules)
        for kind, result in results.items():
            due[seat["seat"], kind] = (seat[kind] if result == "lose" else 0, pays.get(kind, 0))
    return due


def uth_rake(round_facts: dict[str, Any], paytable: dict[str, Any]) -> int:
    """Always 0: the patrons play against the house, which takes no rake."""
    return 0


# ---- the interface every settler has ----

GAME_CODE = "uth"
settle_reference = uth_settle
rake_reference = uth_rake
