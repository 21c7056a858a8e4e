"""What the console promises, sentence by sentence, with the keyboard alone, at every game that is dealt."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open
from tests.browser.console import BOARD, DEALT, Dealt, house_of_games, in_hand, sit_down, type_round
from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def house(nobody_yet: None) -> House:
    """Return a house with a table of each game, in place of the standing one."""
    return house_of_games()


@pytest.mark.parametrize("dealt", DEALT, ids=lambda dealt: dealt.table)
def test_due_beside_paid_its_reason_and_a_difference_that_is_named_by_keys_alone(pit_boss: Page, dealt: Dealt) -> None:
    page, keys = pit_boss, pit_boss.keyboard
    sit_down(page, dealt.table)
    type_round(page, dealt)
    due = page.locator(f'[data-due="{dealt.wager}"]')
    expect(due).not_to_be_empty()
    expect(page.locator(f"[name={dealt.wager}]")).to_have_value(due.inner_text())  # paid is filled in before anybody types it
    page.focus("[name=s1_cards], [name=s1_bets], [name=s1_bet]") if dealt.table != "ROU-01" else page.focus("[data-due='d1_black'] + input")
    keys.press("p")
    expect(page.locator("input[data-kind='done']:focus")).to_have_count(1)
    for _ in range(6):
        if in_hand(page) == dealt.wager:
            break
        keys.press("Tab")
    assert in_hand(page) == dealt.wager
    keys.press("r")
    expect(page.locator("#reasons section")).to_have_count(1)
    expect(page.locator("#reasons")).to_contain_text(dealt.reason)
    keys.type(f"{dealt.paid}n")  # at once: what became of it waits for what it is about
    expect(page.locator("#differences legend")).to_contain_text("more than due on")
    expect(page.get_by_label("not recovered")).to_be_checked()
    keys.press("c")
    expect(page.get_by_label("corrected at the table")).to_be_checked()
    keys.press("Enter")
    if page.locator("#who_dealt").input_value() == "":
        expect(page.locator("#who_dealt")).to_be_focused()  # nobody is named yet who deals here
        keys.type("D-1187")
        keys.press("Enter")
    expect(page.locator(".saved")).to_contain_text("as due")


@pytest.mark.parametrize("dealt", [one for one in DEALT if one.twice], ids=lambda dealt: dealt.table)
def test_a_card_typed_twice_is_marked_at_both_places_in_the_deck_and_read_out(pit_boss: Page, dealt: Dealt) -> None:
    assert dealt.twice is not None
    typed, places = dealt.twice
    sit_down(pit_boss, dealt.table)
    pit_boss.keyboard.type(typed)
    expect(pit_boss.locator(".card.twice")).to_have_count(2)
    expect(pit_boss.locator("[data-deck].twice")).to_have_count(1)
    for name in places:
        expect(pit_boss.locator(f"#e_{name}")).to_contain_text("is dealt twice")
    expect(pit_boss.locator("#said")).to_contain_text("is dealt twice")
    assert in_hand(pit_boss) == places[1]


def test_a_stake_is_marked_cash_promotional_or_for_the_dealer_by_a_key_and_kept_so(pit_boss: Page) -> None:
    page, keys = pit_boss, pit_boss.keyboard
    sit_down(page)
    keys.type(f"{BOARD}Kc7dAsAd10 4")
    page.focus("[name=s1_cards]")
    keys.press("p")
    expect(page.locator("[name=d1_ante]")).to_be_focused()
    keys.press("m")
    expect(page.locator('[data-mark="d1_ante"]')).to_have_text("cash")
    keys.press("m")
    keys.press("d")
    expect(page.locator('[data-mark="d1_ante"]')).to_have_text("promotional · for the dealer")
    expect(page.locator('[data-house="handle"]')).to_have_text("50.00")  # a promotional stake is nobody's money
    page.reload()
    expect(page.locator('[data-mark="d1_ante"]')).to_have_text("promotional · for the dealer")
    page.focus("[name=s1_cards]")
    keys.press("Enter")
    expect(page.locator("#who_dealt")).to_be_focused()  # nobody is named yet who deals here
    keys.type("D-1187")
    keys.press("Enter")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept")
    expect(page.locator('[data-mark="d1_ante"]')).to_have_text("")
    page.locator(".saved a").focus()
    keys.press("Enter")
    page.wait_for_url("**/round/*/change/**")
    expect(page.locator("table.wagers tbody tr").first.locator(".chip")).to_have_text(["promotional", "for the dealer"])


def test_a_pot_asks_for_no_such_thing(pit_boss: Page) -> None:
    sit_down(pit_boss, "PAY-01")
    assert pit_boss.locator(".put").count() == 0


# ---- lines that are slow ----


def test_keys_that_come_before_the_scripts_are_typed_when_they_are_there(signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    late: list[Route] = []
    page.route("**/console/main.js", lambda route: late.append(route))
    page.goto("/admin/tables/round/add/?table=UTH-01", wait_until="commit")
    page.wait_for_selector("[name=r_community]")
    page.keyboard.type(f"{BOARD}Kc7dAsA")
    page.keyboard.press("Backspace")
    page.keyboard.type("Ad")
    while not late:
        page.wait_for_timeout(20)
    late[0].continue_()
    expect(page.locator("[name=s1_cards]")).to_have_value("AsAd")
    assert [page.input_value(f"[name={name}]") for name in ("r_community", "r_dealer")] == [BOARD, "Kc7d"]
    page.keyboard.type("10 4")
    expect(page.locator('[data-due="d1_play"]')).to_have_text("+40.00")


def test_what_is_typed_while_a_round_is_on_its_way_is_of_the_next_one(pit_boss: Page) -> None:
    page, keys = pit_boss, pit_boss.keyboard
    sit_down(page)
    keys.type(f"{BOARD}Kc7dAsAd10 4")
    page.fill("#who_dealt", "D-1187")
    expect(page.locator('[data-due="d1_play"]')).to_have_text("+40.00")

    def slowly(route: Route) -> None:
        time.sleep(0.7)
        route.continue_()

    page.route("**/round/add/", slowly)
    keys.press("Enter")
    keys.press("Enter")  # twice is one round
    keys.type("3c4c5c")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept")
    expect(page.locator("[name=r_community]")).to_have_value("3c4c5c")
    assert page.locator("#last tbody tr").count() == 1
