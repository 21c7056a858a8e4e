"""Legal rounds of every game, as Hypothesis makes them up: with paytables of their own, odd stakes, caps, rounding."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from tables.engine.games.roulette import BETS, FELTS, POCKETS, SPOTS, WHEELS
from tables.paytable_files import published
from tests.engine.sheets import CARDS, copy, version

amounts = st.integers(1, 5000) | st.sampled_from([1, 501, 10_000, 10**12])
units = st.sampled_from([1, 7, 50, 100])


@st.composite
def uth_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A legal round with a paytable of its own."""
    numbers = draw(st.lists(st.integers(1, 7), min_size=1, max_size=7, unique=True))
    deck = draw(st.permutations(draw(st.sampled_from([CARDS, CARDS[:24], CARDS[28:]]))))
    dealt = iter(deck)
    facts = {"game": "uth", "id": "law", "community": [next(dealt) for _ in range(5)], "dealer": [next(dealt), next(dealt)]}
    rules = {
        "trips_on_fold": draw(st.sampled_from(["stays", "forfeits"])),
        "trips_when_beaten": draw(st.sampled_from(["pays", "pushes"])),
        "dealer_qualifies": draw(st.sampled_from(["pair", "high_card", "three_of_a_kind"])),
        "payout_unit": draw(units),
        "rounding": draw(st.sampled_from(["down", "up"])),
        "caps": draw(st.none() | st.fixed_dictionaries({}, optional={"seat": amounts, "wager": st.just({"blind": 700, "trips": 1500})})),
    }
    paytable = draw(st.sampled_from(["uth-seed@1", version("uth", **rules)]))
    return facts | {"seats": [_uth_seat(draw, number, [next(dealt), next(dealt)]) for number in numbers], "paytable": paytable}


def _uth_seat(draw: st.DrawFn, number: int, cards: list[str]) -> dict[str, Any]:
    ante = draw(amounts)
    seat: dict[str, Any] = {"seat": number, "cards": cards, "ante": ante, "blind": ante}
    if draw(st.booleans()):
        seat["trips"] = draw(st.just(0) | amounts)
    street, times = draw(st.sampled_from([("preflop", 4), ("preflop", 3), ("flop", 2), ("river", 1), (None, 0)]))
    if street is None:
        return {key: value for key, value in seat.items() if key != "cards" or seat.get("trips") or ante % 2} | {"folded": True}
    return seat | {"play": ante * times, "street": street}


@st.composite
def payroll_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A legal round: cards are dealt from one deck without coming again; all-in seats, folded ones, numbers for cards that nobody saw."""
    numbers = draw(st.lists(st.integers(1, 8), min_size=2, max_size=5, unique=True))
    dealt = iter(draw(st.permutations(CARDS)))
    highest = draw(st.just(0) | amounts)
    caller = draw(st.sampled_from(numbers))
    seats = [_payroll_seat(draw, number, dealt, highest, live=number == caller) for number in numbers]
    rules = {"payout_unit": draw(units), "rake_bps": draw(st.sampled_from([0, 250, 500, 10_000])), "rake_cap": draw(st.none() | st.integers(0, 500))}
    paytable = draw(st.sampled_from(["payroll-seed@1", version("payroll", **rules)]))
    facts = {"game": "payroll", "id": "law", "button": draw(st.sampled_from(numbers)), "ante": 100, "seats": seats, "paytable": paytable}
    assume(highest < 10**15)
    return facts


def _payroll_seat(draw: st.DrawFn, number: int, dealt: Any, highest: int, *, live: bool) -> dict[str, Any]:
    rolls = draw(st.lists(st.integers(1, 4), min_size=1, max_size=2))
    cards = [next(dealt) for _ in range(1 + sum(rolls))]
    keep = draw(st.integers(1, min(5, len(cards))))
    seat: dict[str, Any] = {"seat": number, "up": cards[-1], "rolls": rolls, "kept": cards[:keep], "discarded": cards[keep:], "bet": highest}
    if draw(st.booleans()):
        seat["discarded"] = len(cards) - keep if keep < len(cards) else []
    if live:
        return seat
    how = draw(st.sampled_from(["calls", "all in", "folds", "folds unseen"]))
    less = highest if how == "calls" else draw(st.integers(0, highest))
    more = {"calls": {}, "all in": {"all_in": True}, "folds": {"folded": True}, "folds unseen": {"folded": True, "kept": keep}}
    return seat | {"bet": less} | more[how]


@st.composite
def tcp_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A legal round of Three Card Poker with a paytable of its own; folded hands whose cards nobody saw."""
    numbers = draw(st.lists(st.integers(1, 7), min_size=1, max_size=7, unique=True))
    dealt = iter(draw(st.permutations(draw(st.sampled_from([CARDS, CARDS[:26]])))))
    rules = {
        "dealer_qualifies": draw(st.sampled_from(["queen_high", "jack_high", "pair"])),
        "pair_plus_on_fold": draw(st.sampled_from(["forfeits", "stays"])),
        **_rounding(draw, {"ante": 900, "pair_plus": 2000}),
    }
    paytable = draw(st.sampled_from(["three-card-poker@1", _like("three-card-poker@1", rules)]))
    facts = {"game": "tcp", "id": "law", "dealer": [next(dealt) for _ in range(3)], "paytable": paytable}
    return facts | {"seats": [_tcp_seat(draw, number, [next(dealt) for _ in range(3)]) for number in numbers]}


def _tcp_seat(draw: st.DrawFn, number: int, cards: list[str]) -> dict[str, Any]:
    ante = draw(amounts)
    seat: dict[str, Any] = {"seat": number, "cards": cards, "ante": ante}
    if draw(st.booleans()):
        seat["pair_plus"] = draw(st.just(0) | amounts)
    if draw(st.booleans()):
        return seat | {"play": ante}
    return {key: value for key, value in seat.items() if key != "cards" or seat.get("pair_plus") or ante % 2} | {"folded": True}


@st.composite
def roulette_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A legal round of roulette on either wheel: several bets a seat, of any kind on the felt."""
    reference = draw(st.sampled_from(["roulette-single-zero@1", "roulette-double-zero@1"]))
    paytable = published()[reference]
    felt = [kind for kind in FELTS[paytable.rules["wheel"]] if SPOTS[kind].bet in paytable.odds["bets"]]
    numbers = draw(st.lists(st.integers(1, 7), min_size=1, max_size=7, unique=True))
    bets = st.dictionaries(st.sampled_from(felt), amounts, min_size=1, max_size=6)
    rules = {"wheel": paytable.rules["wheel"], **_rounding(draw, dict.fromkeys(draw(st.lists(st.sampled_from(list(BETS)), max_size=2)), 1700))}
    facts = {"game": "roulette", "id": "law", "pocket": draw(st.sampled_from((*WHEELS[paytable.rules["wheel"]], *POCKETS[2:])))}
    return facts | {
        "paytable": draw(st.sampled_from([reference, _like(reference, rules)])),
        "seats": [{"seat": n, "bets": draw(bets)} for n in numbers],
    }


def _rounding(draw: st.DrawFn, caps: dict[str, int]) -> dict[str, Any]:
    return {
        "payout_unit": draw(units),
        "rounding": draw(st.sampled_from(["down", "up"])),
        "caps": draw(st.none() | st.fixed_dictionaries({}, optional={"seat": amounts, "wager": st.just(caps)})),
    }


def _like(reference: str, rules: dict[str, Any]) -> dict[str, Any]:
    """The version of `reference` with other rules, under another name."""
    return copy(dict(published()[reference].content)) | {"name": "law", "rules": rules}


LEGAL = {"uth": uth_rounds(), "payroll": payroll_rounds(), "tcp": tcp_rounds(), "roulette": roulette_rounds()}
"""By code: a game without an entry fails the laws' first test."""
rounds = st.one_of(*LEGAL.values())
