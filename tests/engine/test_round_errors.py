"""Every error code of spec/rounds.md with its place; that a step lists all it finds, in the order of codes and then of the line."""

from typing import Any

import pytest

from tables.engine.faults import FACTS, MAY_BE_IRREGULAR, RULES, SHAPE
from tests.engine.sheets import PAYROLL_ROUND, UTH_ROUND, answer, copy, errors, version

GONE = object()


def changed(facts: dict[str, Any], *changes: tuple[str, Any]) -> dict[str, Any]:
    """The round with values at paths like "seats.0.ante"; GONE takes a field away."""
    found = copy(facts)
    for path, value in changes:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        inside: Any = found
        for step in way:
            inside = inside[step]
        if value is GONE:
            del inside[last]
        else:
            inside[last] = value
    return found


def uth_errors(*changes: tuple[str, Any]) -> list[tuple[str, str]]:
    return errors(changed(UTH_ROUND, *changes))


def payroll_errors(*changes: tuple[str, Any]) -> list[tuple[str, str]]:
    return errors(changed(PAYROLL_ROUND, *changes))


SEAT = "seats.0."

# ---- shape ----


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("game", "blackjack")], [("unknown_game", "game")]),
        ([("game", None)], [("unknown_game", "game")]),
        ([("game", ["uth"])], [("unknown_game", "game")]),
        ([("game", GONE)], [("missing_field", "game")]),
        ([("game", GONE), ("id", GONE), ("seats", GONE)], [("missing_field", "game"), ("missing_field", "id"), ("missing_field", "seats")]),
        ([("game", "bingo"), ("id", GONE)], [("unknown_game", "game"), ("missing_field", "id")]),
        ([("paytable", "uth-seed@2")], [("unknown_paytable", "paytable")]),
        ([("paytable", "")], [("unknown_paytable", "paytable")]),
        ([("paytable", "payroll-seed@1")], [("bad_paytable", "paytable")]),
        ([("paytable", 7)], [("bad_type", "paytable")]),
        ([("paytable", None)], [("bad_type", "paytable")]),
        ([("paytable", "nobody@1"), (SEAT + "ante", -1)], [("unknown_paytable", "paytable"), ("bad_amount", "seats[0].ante")]),
        ([("id", GONE)], [("missing_field", "id")]),
        ([("seats", GONE)], [("missing_field", "seats")]),
        ([(SEAT + "seat", GONE)], [("missing_field", "seats[0].seat")]),
        ([(SEAT + "ante", GONE), (SEAT + "blind", GONE)], [("missing_field", "seats[0].ante"), ("missing_field", "seats[0].blind")]),
        ([("dealers", 1)], [("unknown_field", "dealers")]),
        ([(SEAT + "tip", 1)], [("unknown_field", "seats[0].tip")]),
        ([("id", 7)], [("bad_type", "id")]),
        ([("id", "")], [("bad_type", "id")]),
        ([("id", "x" * 65)], [("bad_type", "id")]),
        ([("id", "a\0b")], [("bad_type", "id")]),
        ([("seats", {"1": {}})], [("bad_type", "seats")]),
        ([("seats.0", 5)], [("bad_type", "seats[0]")]),
        ([(SEAT + "seat", True)], [("bad_type", "seats[0].seat")]),
        ([(SEAT + "seat", 1.0)], [("bad_type", "seats[0].seat")]),
        ([(SEAT + "seat", "1")], [("bad_type", "seats[0].seat")]),
        ([(SEAT + "folded", 0)], [("bad_type", "seats[0].folded")]),
        ([(SEAT + "folded", None)], [("bad_type", "seats[0].folded")]),
        ([(SEAT + "street", None)], [("bad_type", "seats[0].street")]),
        ([(SEAT + "street", ["flop"])], [("bad_type", "seats[0].street")]),
        ([("community", None)], [("bad_type", "community")]),
        ([("community.1", 9)], [("bad_type", "community[1]")]),
        ([("community.1", None), ("community.3", "Zz")], [("bad_type", "community[1]"), ("bad_card", "community[3]")]),
        ([(SEAT + "cards", "As 0h")], [("bad_card", "seats[0].cards[1]")]),
        ([(SEAT + "cards", "l As Ad")], [("bad_card", "seats[0].cards[0]")]),
        ([(SEAT + "cards.0", "As ")], [("bad_card", "seats[0].cards[0]")]),
        ([(SEAT + "cards.0", "\u2655h")], [("bad_card", "seats[0].cards[0]")]),
        ([(SEAT + "trips", False)], [("bad_amount", "seats[0].trips")]),
        ([(SEAT + "trips", None)], [("bad_amount", "seats[0].trips")]),
        ([(SEAT + "ante", 0)], [("bad_amount", "seats[0].ante")]),
        ([(SEAT + "ante", 1000.0)], [("bad_amount", "seats[0].ante")]),
        ([(SEAT + "blind", -1000)], [("bad_amount", "seats[0].blind")]),
        ([(SEAT + "play", 0)], [("bad_amount", "seats[0].play")]),
        ([(SEAT + "play", None)], [("bad_amount", "seats[0].play")]),
        ([(SEAT + "play", 10**15)], [("bad_amount", "seats[0].play")]),
        ([(SEAT + "play", {})], [("bad_amount", "seats[0].play")]),
        ([("seats.1.play", None), ("seats.1.street", None)], [("bad_type", "seats[1].street"), ("bad_amount", "seats[1].play")]),
    ],
)
def test_shape_of_uth(changes, expected):
    assert uth_errors(*changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("button", GONE), ("ante", GONE)], [("missing_field", "button"), ("missing_field", "ante")]),
        ([(SEAT + name, GONE) for name in ("up", "rolls", "kept", "discarded", "bet")],
         [("missing_field", f"seats[0].{name}") for name in ("up", "rolls", "kept", "discarded", "bet")]),
        ([(SEAT + "blind", 1)], [("unknown_field", "seats[0].blind")]),
        ([("button", "4")], [("bad_type", "button")]),
        ([("button", 4.0)], [("bad_type", "button")]),
        ([(SEAT + "rolls", 2)], [("bad_type", "seats[0].rolls")]),
        ([(SEAT + "rolls", [2, True])], [("bad_type", "seats[0].rolls[1]")]),
        ([(SEAT + "rolls", [-2])], [("bad_type", "seats[0].rolls[0]")]),
        ([(SEAT + "rolls", [10**15])], [("bad_type", "seats[0].rolls[0]")]),
        ([(SEAT + "up", ["8h"])], [("bad_type", "seats[0].up")]),
        ([(SEAT + "up", "8x")], [("bad_card", "seats[0].up")]),
        ([(SEAT + "kept", None)], [("bad_type", "seats[0].kept")]),
        ([(SEAT + "kept", 2.0)], [("bad_type", "seats[0].kept")]),
        ([(SEAT + "kept", True)], [("bad_type", "seats[0].kept")]),
        ([(SEAT + "discarded", -1)], [("bad_type", "seats[0].discarded")]),
        ([(SEAT + "kept.1", "8z")], [("bad_card", "seats[0].kept[1]")]),
        ([(SEAT + "all_in", "yes")], [("bad_type", "seats[0].all_in")]),
        ([("ante", 0)], [("bad_amount", "ante")]),
        ([(SEAT + "bet", "500")], [("bad_amount", "seats[0].bet")]),
        ([(SEAT + "bet", -1)], [("bad_amount", "seats[0].bet")]),
    ],
)  # fmt: skip
def test_shape_of_payroll(changes, expected):
    assert payroll_errors(*changes) == expected


# ---- facts ----


def seats(*numbers: int) -> list[dict[str, Any]]:
    return [{"seat": number, "ante": 100, "blind": 100, "folded": True} for number in numbers]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("seats", [])], [("too_few_seats", "seats")]),
        ([("seats", seats(*range(1, 9)))], [("too_many_seats", "seats"), ("bad_seat", "seats[7].seat")]),
        ([("seats", seats(0, 3, 10**20))], [("bad_seat", "seats[0].seat"), ("bad_seat", "seats[2].seat")]),
        ([("seats", seats(3, 5, 3, 5))], [("duplicate_seat", "seats[2].seat"), ("duplicate_seat", "seats[3].seat")]),
        ([("dealer", ["Kc"])], [("wrong_card_count", "dealer")]),
        ([("community", "2h9s9dJc")], [("wrong_card_count", "community")]),
        ([("dealer", []), (SEAT + "cards", "As")], [("wrong_card_count", "dealer"), ("wrong_card_count", "seats[0].cards")]),
        ([("dealer", ["Kc", "As"])], [("duplicate_card", "seats[0].cards[0]")]),
        ([(SEAT + "cards", "2h2h")], [("duplicate_card", "seats[0].cards[0]"), ("duplicate_card", "seats[0].cards[1]")]),
        ([("dealer", GONE), ("community", GONE)], [("cards_required", "community"), ("cards_required", "dealer")]),
        ([(SEAT + "cards", GONE)], [("cards_required", "seats[0].cards")]),
        ([("seats.1.trips", 5)], [("cards_required", "seats[1].cards")]),
        ([("seats.1.trips", 5), ("seats.1.cards", "3c")], [("wrong_card_count", "seats[1].cards")]),
    ],
)
def test_facts_of_uth(changes, expected):
    assert uth_errors(*changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("seats.1", GONE), ("seats.1", GONE), ("button", 1)], [("too_few_seats", "seats")]),
        ([("button", 3)], [("bad_seat", "button")]),
        ([("button", 10**30)], [("bad_seat", "button")]),
        ([("seats.2.seat", 9), ("button", 9)], [("bad_seat", "seats[2].seat")]),
        ([("seats.2.seat", 9)], [("bad_seat", "button"), ("bad_seat", "seats[2].seat")]),
        ([(SEAT + "up", "8h 8c")], [("wrong_card_count", "seats[0].up")]),
        ([(SEAT + "up", "")], [("wrong_card_count", "seats[0].up")]),
        ([(SEAT + "kept.1", "8h")], [("duplicate_card", "seats[0].kept[1]")]),
        ([("seats.1.discarded.0", "7c")], [("duplicate_card", "seats[1].discarded[0]")]),
        ([(SEAT + "kept", 3)], [("cards_required", "seats[0].kept")]),
    ],
)
def test_facts_of_payroll(changes, expected):
    assert payroll_errors(*changes) == expected


def test_seats_are_bounded_by_the_paytable():
    facts = changed(PAYROLL_ROUND, ("paytable", version("payroll", max_seats=2)))
    assert errors(facts) == [("too_many_seats", "seats"), ("bad_seat", "seats[2].seat")]


def test_a_duplicate_says_both_places_in_the_order_of_the_line():
    backwards = {key: UTH_ROUND[key] for key in ("game", "id", "seats", "dealer", "community")}
    found = answer(changed(backwards, ("dealer", ["9d", "As"])))
    assert [error["where"] for error in found["errors"]] == ["dealer[1]", "community[2]"]
    assert [error["facts"] for error in found["errors"]] == [
        {"card": "As", "places": ["seats[0].cards[0]", "dealer[1]"]},
        {"card": "9d", "places": ["dealer[0]", "community[2]"]},
    ]


# ---- rules ----


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([(SEAT + "blind", 999)], [("blind_not_equal_ante", "seats[0].blind")]),
        ([(SEAT + "blind", 0)], [("blind_not_equal_ante", "seats[0].blind")]),
        ([("seats.1.play", 1000)], [("play_after_fold", "seats[1].play")]),
        ([("seats.1.street", "")], [("play_after_fold", "seats[1].street")]),
        ([(SEAT + "folded", True)], [("play_after_fold", "seats[0].play"), ("play_after_fold", "seats[0].street")]),
        ([(SEAT + "play", GONE)], [("missing_play", "seats[0].play")]),
        ([(SEAT + "street", GONE)], [("missing_play", "seats[0].street")]),
        ([(SEAT + "street", GONE), (SEAT + "play", GONE)], [("missing_play", "seats[0].play"), ("missing_play", "seats[0].street")]),
        ([(SEAT + "street", "turn")], [("bad_street", "seats[0].street")]),
        ([(SEAT + "street", "turn"), (SEAT + "play", GONE)], [("missing_play", "seats[0].play"), ("bad_street", "seats[0].street")]),
        ([(SEAT + "street", "river")], [("bad_play_multiple", "seats[0].play")]),
        ([(SEAT + "play", 3999)], [("bad_play_multiple", "seats[0].play")]),
        ([(SEAT + "play", 2000)], [("bad_play_multiple", "seats[0].play")]),
    ],
)
def test_rules_of_uth(changes, expected):
    assert uth_errors(*changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("ante", 200)], [("bad_ante", "ante")]),
        ([(SEAT + "rolls", [0]), ("seats.1.rolls", [3, 7])], [("bad_roll", "seats[0].rolls[0]"), ("bad_roll", "seats[1].rolls[1]")]),
        ([(SEAT + "rolls", [])], [("bad_roll", "seats[0].rolls")]),
        ([(SEAT + "rolls", [1, 1, 9])], [("bad_roll", "seats[0].rolls"), ("bad_roll", "seats[0].rolls[2]")]),
        ([(SEAT + "rolls", [3])], [("cards_do_not_match_rolls", "seats[0]")]),
        ([(SEAT + "up", "8d")], [("cards_do_not_match_rolls", "seats[0]")]),
        ([("seats.2.kept", ["Qs", "Qd"])], [("cards_do_not_match_rolls", "seats[2]")]),
        ([("seats.2.kept", 2)], [("cards_do_not_match_rolls", "seats[2]")]),
        ([("seats.1.kept", ["7h", "7c", "7d", "7s", "Ah", "2c"]), ("seats.1.discarded", 0)], [("too_many_kept", "seats[1].kept")]),
        ([(SEAT + "kept", []), (SEAT + "discarded", ["8h", "8c", "5d"])], [("too_few_kept", "seats[0].kept")]),
        ([("seats.2.kept", 0), ("seats.2.discarded", 1)], [("too_few_kept", "seats[2].kept")]),
        ([(SEAT + "bet", 499)], [("unmatched_bet", "seats[0].bet")]),
        ([("seats.2.bet", 501)], [("unmatched_bet", "seats[2].bet")]),
        ([(f"seats.{place}.folded", True) for place in range(3)], [("no_live_seat", "seats")]),
    ],
)
def test_rules_of_payroll(changes, expected):
    assert payroll_errors(*changes) == expected


TWO = changed(PAYROLL_ROUND, ("seats.2", GONE), ("button", 2))
"""Seat 1 acts first, then seat 2, which has the button: 8h 8c 5d against 7h 7c 7d 7s Ah, 2c discarded."""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([("seats.1.up", "8h"), ("seats.1.kept.0", "8h")], ["seats[1].up", "seats[1].kept[0]"]),
        ([("seats.1.kept.4", "5d")], ["seats[1].kept[4]"]),
        ([("seats.1.discarded.0", "8c")], ["seats[1].discarded[0]"]),
        ([(SEAT + "kept.2", "7h")], ["seats[1].up", "seats[1].kept[0]"]),
        ([(SEAT + "kept.2", "2c")], ["seats[1].discarded[0]"]),
        ([(SEAT + "kept", ["8h", "8c"]), (SEAT + "discarded", ["2c"])], []),
        ([(SEAT + "kept", ["8h", "8c"]), (SEAT + "discarded", ["7h"])], ["seats[1].up"]),
        ([(SEAT + "kept", ["8h", "8c"]), (SEAT + "discarded", ["Ah"])], []),
        ([("button", 1), ("seats.1.discarded.0", "8c")], []),
        ([("button", 1), ("seats.1.discarded.0", "8h")], ["seats[1].discarded[0]"]),
    ],
    ids=["equal up cards", "kept by two", "kept, then dealt and discarded", "kept, though the other's up card", "kept, though dealt later",
         "discarded, dealt again and discarded", "the other's up card, dealt before", "discarded, dealt again and kept",
         "dealt and discarded, dealt again and kept", "an up card, dealt before to the other"],
)  # fmt: skip
def test_cards_in_two_places(changes, expected):
    facts = changed(TWO, *changes)
    found = errors(facts) if expected else answer(facts)
    assert found == [("card_in_two_places", where) for where in expected] if expected else "error" not in found


def test_a_folded_seats_cards_come_again():
    facts = changed(PAYROLL_ROUND, ("seats.2", {"seat": 4, "up": "Qs", "rolls": [1], "kept": ["Qs", "8c"], "discarded": [], "bet": 0,
                                                "folded": True}), ("button", 2))  # fmt: skip
    assert "error" not in answer(facts), "seat 4 acts first, folds the eight of clubs, and seat 1 is dealt it"
    assert errors(changed(facts, ("button", 4))) == [("card_in_two_places", "seats[2].kept[1]")], "seat 4 acts last, after it was kept"


# ---- how errors are told ----


def test_a_step_begins_only_if_the_one_before_found_nothing():
    worse = [("seats.1.play", 7), ("dealer", ["Kc"]), ("community", 7)]
    assert uth_errors(*worse) == [("bad_type", "community")]
    assert uth_errors(*worse[:2]) == [("wrong_card_count", "dealer")]
    assert uth_errors(*worse[:1]) == [("play_after_fold", "seats[1].play")]


def test_a_step_lists_all_in_the_order_of_codes_then_of_the_line():
    reordered = {key: UTH_ROUND[key] for key in ("seats", "dealer", "community", "id", "game")}
    found = errors(changed(reordered, ("dealer.0", "Xx"), ("seats.1.ante", 0), (SEAT + "cards.1", "Yy"), ("community", 1), ("hello", 1)))
    assert found == [
        ("unknown_field", "hello"),
        ("bad_type", "community"),
        ("bad_card", "seats[0].cards[1]"),
        ("bad_card", "dealer[0]"),
        ("bad_amount", "seats[1].ante"),
    ]


def test_what_could_not_be_paid_is_listed_beside_other_rules():
    facts = changed(UTH_ROUND, (SEAT + "play", 3999), ("paytable", version("uth", rounding="exact_only", payout_unit=7)))
    assert errors(facts) == [("bad_play_multiple", "seats[0].play"), ("inexact_payout", "seats[0].ante"), ("inexact_payout", "seats[0].play")]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (changed(UTH_ROUND, (SEAT + "cards", ["As"])), "1 card where 2 are due."),
        (changed(PAYROLL_ROUND, (SEAT + "up", "8h8c")), "2 cards where 1 is due."),
        (changed(PAYROLL_ROUND, ("seats.2", GONE), ("seats.1", GONE), ("button", 1)), "1 seat where 2 to 8 are due."),
        (changed(PAYROLL_ROUND, ("seats.2.kept", ["Qs", "Qd"])), "1 card dealt, one and as many as were rolled; 2 kept and discarded."),
        (changed(UTH_ROUND, ("paytable", version("uth") | {"odds": {"blind": {"flush": 3}, "trips": {}}})), "“3” is not odds such as “3:2”."),
    ],
)
def test_messages_count_in_one_and_many(facts, message):
    assert answer(facts)["error"]["message"] == message


def test_a_message_quotes_no_more_than_forty_characters():
    facts = changed(UTH_ROUND, ("paytable", version("uth") | {"odds": {"blind": {"flush": "3:2" * 10_000}, "trips": {}}}))
    assert len(answer(facts)["error"]["message"]) < 100


def test_an_error_carries_its_round_and_its_facts():
    found = answer(changed(UTH_ROUND, (SEAT + "cards.1", "1O")))
    assert list(found) == ["id", "error", "errors"]
    assert found["id"] == "T12-000123"
    assert found["error"]["facts"] == {"text": "1O"}
    assert set(answer({**UTH_ROUND, "colour": 1})["error"]) == {"code", "message", "where"}


@pytest.mark.parametrize("id", [7, None, "", "x" * 65, ["a"]])
def test_an_id_that_is_none_is_not_repeated(id):
    assert answer(changed(UTH_ROUND, ("id", id)))["id"] is None


def test_codes_and_stars_are_those_of_the_spec():
    assert len({*SHAPE, *FACTS, *RULES}) == len(SHAPE) + len(FACTS) + len(RULES) == 30
    assert set(RULES) - MAY_BE_IRREGULAR == {"too_few_kept", "card_in_two_places", "no_live_seat"}


@pytest.mark.parametrize("code", [*SHAPE, *FACTS, *RULES])
def test_every_code_has_a_case_here(code, request):
    source = request.path.read_text(encoding="utf-8") + request.path.with_name("test_settle_line.py").read_text(encoding="utf-8")
    assert f'("{code}", ' in source
