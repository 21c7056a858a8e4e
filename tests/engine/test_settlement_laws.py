"""What holds of every round, legal or broken: nobody is paid less than nothing, nothing is lost, order does not matter, nothing crashes."""

import json
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casino.canonical import canonical_json, canonical_plain
from casino.errors import InvalidSlip
from tables.engine.faults import FACTS, RULES, SHAPE
from tables.engine.game import games
from tables.engine.games.ultimate_texas_holdem import UltimateTexasHoldem
from tables.engine.round_game import RoundGame
from tables.engine.settle import answer_line, read_round, settle
from tables.paytable_files import published
from tests.engine.legal_rounds import LEGAL, rounds, uth_rounds
from tests.engine.sheets import CARDS, answer, copy

laws = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
more_laws = settings(laws, max_examples=3 * settings.default.max_examples)
# ---- legal rounds ----


def test_the_laws_are_held_by_every_game():
    assert LEGAL.keys() == games().keys()


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
    assert settlement.json.decode() == json.dumps(settlement.answer, ensure_ascii=False, separators=(",", ":"))


@laws
@given(rounds)
def test_what_is_due_by_seat_is_the_same_without_words(facts):
    game = games()[facts["game"]]
    paytable = published().get(str(facts["paytable"])) or game.read_paytable(facts["paytable"])
    settlement = settle(read_round(facts, paytable), paytable)
    by_seat = settlement.seat_dues
    assert [due._replace(seat=seat) for seat, one in by_seat for due in one.dues] == [due._replace(why="") for due in settlement.dues]
    assert all(due.seat == 0 for _, one in by_seat for due in one.dues)
    assert [seat for seat, _ in by_seat] == sorted({due.seat for due in settlement.dues})


@laws
@given(rounds)
def test_a_deals_facts_are_plain_json(facts):
    """So they are written without looking at each of them."""
    game = games()[facts["game"]]
    kept = read_round(facts, published().get(str(facts["paytable"])) or game.read_paytable(facts["paytable"])).facts
    assert canonical_plain(kept) == canonical_json(kept)


@laws
@given(rounds, st.randoms())
def test_order_does_not_matter(facts, dice):
    turned = {key: facts[key] for key in dice.sample(list(facts), len(facts))}
    turned["seats"] = [{key: seat[key] for key in dice.sample(list(seat), len(seat))} for seat in dice.sample(facts["seats"], len(facts["seats"]))]
    assert "error" not in answer(facts)
    assert answer(turned) == answer(facts) == answer(copy(facts))


# ---- broken rounds ----

KEY = st.characters(exclude_characters=".[]", exclude_categories=["Cs"])
"""A dot or a bracket in a key would be read as a step of a place."""
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=8)
    | st.sampled_from([*CARDS[:4], "1O", "10h", "flop", "", 0, 1, 5, 100, [], {}, "As", 10**15]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(KEY, max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
KEYS = [
    "seat",
    "cards",
    "ante",
    "blind",
    "trips",
    "play",
    "street",
    "folded",
    "up",
    "rolls",
    "kept",
    "discarded",
    "bet",
    "all_in",
    "button",
    "x",
    "bets",
    "pocket",
    "pair_plus",
    "dealer",
]


def places(inside: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    items = list(inside.items()) if isinstance(inside, dict) else list(enumerate(inside)) if isinstance(inside, list) else []
    return [(inside, key) for key, _ in items] + [place for _, value in items for place in places(value)]


OWN = ("bad_pocket", "bad_bet")
"""Of roulette, after those that all games share."""
STEPS = ((*SHAPE, *OWN), (*FACTS, *OWN), RULES)


def standing(facts: Any, where: str) -> bool:
    """Return whether the place of an error is one on the line, or a field that is missing in an object on it."""
    steps = re.findall(r"\[(\d+)\]|([^.\[\]]+)", where)
    inside = facts
    for place, (position, key) in enumerate(steps):
        step = int(position) if position else key
        try:
            inside = inside[step]
        except (KeyError, IndexError, TypeError):
            return place == len(steps) - 1
    return True


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


@more_laws
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
        possible = [step for step in STEPS if all(code in step for code in codes)]
        assert possible
        assert codes == sorted(codes, key=possible[0].index)
        assert all(error["where"] == "" or standing(facts, error["where"]) for error in found["errors"])


class ByTheBook(UltimateTexasHoldem):
    """Reads every round in three steps."""

    plain_deal = RoundGame.plain_deal


@more_laws
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
