"""What holds of every round, legal or broken: nobody is paid less than nothing, nothing is lost, order does not matter, nothing crashes."""

import json
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from casino.errors import InvalidSlip
from tables.engine.faults import FACTS, RULES, SHAPE
from tables.engine.game import games
from tables.engine.games.ultimate_texas_holdem import UltimateTexasHoldem
from tables.engine.round_game import RoundGame
from tables.engine.settle import answer_line, read_round, settle
from tables.paytable_files import published
from tests.engine.sheets import CARDS, answer, copy, version

laws = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
amounts = st.integers(1, 5000) | st.sampled_from([1, 501, 10_000, 10**12])
units = st.sampled_from([1, 7, 50, 100])

# ---- legal rounds ----


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


rounds = uth_rounds() | payroll_rounds()


@laws
@given(rounds)
def test_nobody_is_paid_less_than_nothing_and_nothing_is_lost(facts):
    game = games()[facts["game"]]
    paytable = published().get(str(facts["paytable"])) or game.read_paytable(facts["paytable"])
    deal = read_round(facts, paytable)
    settlement = settle(deal, paytable)
    for due in settlement.dues:
        assert 0 <= due.collect <= due.stake
        assert due.pay >= 0
        assert (due.result == "lose") == (due.collect > 0)
        assert due.pay == 0 or due.result == "win"
        assert (due.pay + (due.breakage or 0)) % 1 >= 0
        assert due.uncapped is None or (due.uncapped > due.pay and due.breakage is None)
    assert [(due.seat, due.kind, due.stake) for due in settlement.dues if due.stake] == [(one.seat, one.kind, one.stake) for one in deal.stakes]
    assert sum(due.net for due in settlement.dues) + settlement.answer["house_net"] == 0
    assert sum(seat["net"] for seat in settlement.answer["seats"]) + settlement.answer["house_net"] == 0
    assert read_round(deal.facts, paytable).facts == deal.facts
    assert settle(read_round(deal.facts, paytable), paytable).answer == settlement.answer


@laws
@given(rounds, st.randoms())
def test_order_does_not_matter(facts, dice):
    turned = {key: facts[key] for key in dice.sample(list(facts), len(facts))}
    turned["seats"] = [{key: seat[key] for key in dice.sample(list(seat), len(seat))} for seat in dice.sample(facts["seats"], len(facts["seats"]))]
    assert "error" not in answer(facts)
    assert answer(turned) == answer(facts) == answer(copy(facts))


# ---- broken rounds ----

junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=8)
    | st.sampled_from([*CARDS[:4], "1O", "10h", "flop", "", 0, 1, 5, 100, [], {}, "As", 10**15]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
KEYS = ["seat", "cards", "ante", "blind", "trips", "play", "street", "folded", "up", "rolls", "kept", "discarded", "bet", "all_in", "button", "x"]


def places(inside: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    items = list(inside.items()) if isinstance(inside, dict) else list(enumerate(inside)) if isinstance(inside, list) else []
    return [(inside, key) for key, _ in items] + [place for _, value in items for place in places(value)]


@st.composite
def broken_rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A round with one to three things changed, taken away or added; now and then it is still a legal one."""
    facts = copy(draw(rounds))
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(facts)))
        what = draw(st.sampled_from(["change", "swap", "remove", "add"]))
        if what == "change":
            container[key] = draw(junk)
        elif what == "swap":
            other, name = draw(st.sampled_from(places(facts)))
            container[key] = copy({"value": other[name]})["value"]
        elif what == "add" and isinstance(container, dict):
            container[draw(st.sampled_from(KEYS))] = draw(junk)
        else:
            del container[key]
        if not places(facts):
            break
    return facts


@settings(laws, max_examples=400)
@given(broken_rounds())
def test_a_broken_round_is_answered_with_its_faults_and_never_crashes(facts):
    line = json.dumps(facts)
    text, settled = answer_line(line, published().get)
    found = json.loads(text)
    assert (text, settled) == answer_line(line.encode(), published().get)
    assert settled == ("error" not in found)
    if not settled:
        codes = [error["code"] for error in found["errors"]]
        assert found["error"] == found["errors"][0]
        [step] = [step for step in (SHAPE, FACTS, RULES) if codes[0] in step]
        assert all(code in step for code in codes)
        assert codes == sorted(codes, key=step.index)


class ByTheBook(UltimateTexasHoldem):
    """Reads every round in three steps."""

    plain_deal = RoundGame.plain_deal


@settings(laws, max_examples=400)
@given(uth_rounds() | broken_rounds(), st.booleans())
def test_a_round_that_is_plainly_right_is_read_as_in_three_steps(facts, irregular):
    paytable = published()["uth-seed@1"]
    deals = []
    for game in (games()["uth"], ByTheBook()):
        try:
            deals.append(game.read(facts, paytable, irregular=irregular))
        except InvalidSlip as error:
            deals.append([(fault.code, fault.where) for fault in error.faults])
    assert deals[0] == deals[1]
