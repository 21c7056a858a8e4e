"""One console for every game: Payroll in turn order, Three Card Poker, roulette; nothing in it names them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.console import in_hand, sit_down
from tests.builders import House, make_house, make_people, play

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

WHEEL = {"pocket": "17", "seats": [{"seat": 1, "bets": {"straight_17": 100, "black": 500}}]}


@pytest.fixture
def house(nobody_yet: None) -> House:
    """Return a house of three other tables, in place of the standing one; one round was played at the wheel and at the pot."""
    made = make_house("NEW", {"TCP-01": ("tcp", "P1"), "ROU-01": ("roulette", "P1"), "PAY-01": ("payroll", "P1")}, staff=make_people())
    play(made, "ROU-01", WHEEL)
    play(made, "PAY-01")
    return made


def test_payroll_is_typed_in_turn_order(pit_boss: Page) -> None:
    sit_down(pit_boss, "PAY-01")
    assert (pit_boss.input_value("[name=r_button]"), pit_boss.input_value("[name=r_ante]"), in_hand(pit_boss)) == ("1", "1.00", "s2_up")
    keys = pit_boss.keyboard
    keys.type("7h")
    assert in_hand(pit_boss) == "s2_rolls"
    keys.type("32")
    assert (in_hand(pit_boss), pit_boss.input_value("[name=s2_rolls]")) == ("s2_kept", "3 2")
    keys.type("7h7c7d7sAh")
    pit_boss.focus("[name=s2_discarded]")
    keys.type("2c")
    assert in_hand(pit_boss) == "s2_bet"
    keys.type("5 ")
    assert in_hand(pit_boss) == "s1_up"
    keys.type("8h2 8h8c5d")
    assert in_hand(pit_boss) == "s1_bet"
    keys.type("5 ")
    expect(pit_boss.locator('[data-due="d1_pot"]')).to_have_text("+13.00")
    keys.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 2 is kept: house 0.00 · as due")
    assert pit_boss.input_value("[name=r_button]") == "2"
    assert pit_boss.evaluate("window.violations") == []


def test_what_is_wrong_has_the_cursor_before_a_seat_of_which_nothing_was_typed(pit_boss: Page) -> None:
    sit_down(pit_boss, "PAY-01")
    pit_boss.focus("[name=r_ante]")
    pit_boss.keyboard.type("1.000")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#e_r_ante")).to_contain_text("1.000")
    expect(pit_boss.locator("[name=r_ante]")).to_be_focused()
    expect(pit_boss.locator("[name=r_ante]")).to_have_attribute("aria-describedby", "e_r_ante")
    expect(pit_boss.locator("#said")).to_contain_text("1.000")
    expect(pit_boss.locator("#problems")).to_contain_text("Nothing is typed at seat")
    pit_boss.keyboard.press("Enter")  # once more changes nothing
    expect(pit_boss.locator("[name=r_ante]")).to_be_focused()
    pit_boss.keyboard.press("ControlOrMeta+a")
    pit_boss.keyboard.type("1.00")
    expect(pit_boss.locator("#e_r_ante")).to_be_hidden()
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#problems")).to_contain_text("Nothing is typed at seat")
    expect(pit_boss.locator(".seats tr input:focus")).to_have_count(1)


def test_what_is_wrong_in_a_draft_is_marked_again_after_a_reload(pit_boss: Page) -> None:
    sit_down(pit_boss, "PAY-01")
    pit_boss.keyboard.type("7h32")
    pit_boss.focus("[name=r_ante]")
    pit_boss.keyboard.type("1.000")
    pit_boss.focus("[name=s2_bet]")
    pit_boss.keyboard.type("5,5,5")
    pit_boss.focus("[name=s2_kept]")
    wrong = {name: pit_boss.locator(f"#e_{name}") for name in ("r_ante", "s2_bet")}
    for place in wrong.values():
        expect(place).to_be_visible()
    words = {name: place.inner_text() for name, place in wrong.items()}
    pit_boss.reload()
    for name, place in wrong.items():
        expect(place).to_have_text(words[name])
        expect(pit_boss.locator(f"[name={name}]")).to_have_attribute("aria-invalid", "true")
    expect(pit_boss.locator("#said")).to_contain_text(words["r_ante"])
    expect(pit_boss.locator("#e_r_button")).to_be_hidden()  # at seat 1, which comes last: not typed yet is not wrong
    pit_boss.fill("[name=r_ante]", "1")
    expect(wrong["r_ante"]).to_be_hidden()


def test_a_payroll_hand_that_folds_before_its_turn(pit_boss: Page) -> None:
    sit_down(pit_boss, "PAY-01")
    pit_boss.keyboard.type("7hF1")
    assert (pit_boss.is_checked("[name=s2_folded]"), pit_boss.input_value("[name=s2_kept]"), in_hand(pit_boss)) == (True, "1", "s2_bet")


def test_three_card_poker_has_one_key_a_seat(pit_boss: Page) -> None:
    sit_down(pit_boss, "TCP-01")
    pit_boss.keyboard.type("AhQd7c5s4s3s10 1KhKd2c10 F")
    pit_boss.fill("#who_dealt", "D-1187")
    expect(pit_boss.locator('[data-due="d1_ante_bonus"]')).to_have_text("+50.00")
    expect(pit_boss.locator('[data-due="d2_ante"]')).to_have_text("−10.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept: house −60.00")


def test_roulette_shows_each_new_bet_while_it_is_typed_and_repeats_the_last_ones(pit_boss: Page) -> None:
    sit_down(pit_boss, "ROU-01")
    pit_boss.keyboard.type("17")
    assert in_hand(pit_boss) == "s1_bets"
    pit_boss.keyboard.press("?")
    expect(pit_boss.get_by_role("dialog")).to_be_visible()
    pit_boss.keyboard.press("?")
    expect(pit_boss.get_by_role("dialog")).to_be_hidden()
    assert (in_hand(pit_boss), pit_boss.input_value("[name=s1_bets]")) == ("s1_bets", "")
    pit_boss.keyboard.press("=")
    expect(pit_boss.locator('[data-due="d1_straight_17"]')).to_have_text("+35.00")
    expect(pit_boss.locator('[data-due="d1_black"]')).to_have_text("+5.00")
    pit_boss.keyboard.type(", 17-20 2")
    expect(pit_boss.locator('[data-due="d1_split_17_20"]')).to_have_text("+34.00")
    expect(pit_boss.locator("[name=d1_split_17_20]")).to_have_value("+34.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 2 is kept: house −74.00 · as due")
    assert in_hand(pit_boss) == "r_pocket"


def test_escape_leads_back_to_what_is_to_be_typed_from_a_field_of_bets_too(pit_boss: Page) -> None:
    sit_down(pit_boss, "ROU-01")
    pit_boss.focus("[name=s1_bets]")
    pit_boss.keyboard.type("17 1")
    pit_boss.keyboard.press("Escape")
    assert (in_hand(pit_boss), pit_boss.input_value("[name=s1_bets]")) == ("r_pocket", "17 1")
    pit_boss.focus("#who_dealt")
    pit_boss.keyboard.press("Escape")
    assert in_hand(pit_boss) == "r_pocket"
