"""A round is entered with the keyboard alone, seen before it is saved, saved once, and not lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADD = "/admin/tables/round/add/?table=UTH-01"


def type_sheet(page: Page) -> None:
    """Type a round from the first field on, with nothing but keys."""
    page.goto(ADD)
    keys = page.keyboard
    keys.type("2h 9s 9d Jc Qh")
    keys.press("Tab")
    keys.type("Kc7d")
    keys.press("Tab")
    keys.type("D-1187")
    page.focus("[name=s1_cards]")
    for text in ("AsAd", "10", "5", "4x"):
        keys.type(text)
        keys.press("Tab")
    keys.press("Tab")  # over “folded”
    keys.press("Tab")  # over “clear”
    for text in ("4c3c", "10", "", ""):
        keys.type(text)
        keys.press("Tab")
    keys.press("Space")


def test_by_keyboard_alone_and_what_is_due_is_seen_while_typing(pit_boss: Page) -> None:
    type_sheet(pit_boss)
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    expect(pit_boss.locator('[data-dealer="hand"]')).to_have_text("Pair of nines")
    expect(pit_boss.locator('[data-house="due"]')).to_have_text("−25.00")
    expect(pit_boss.locator("[name=d1_trips]")).to_have_value("−5.00")
    expect(pit_boss.locator('[data-cards="s1_cards"] .card').first).to_have_attribute("aria-label", "ace of spades")
    expect(pit_boss.locator('[data-deck="9s"]')).to_have_class("suit-s gone")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept: house −25.00 · as due")
    expect(pit_boss.locator("[name=r_community]")).to_be_focused()
    expect(pit_boss.locator("[name=s1_ante]")).to_have_value("10.00")
    expect(pit_boss.locator("[name=s1_cards]")).to_have_value("")
    assert pit_boss.evaluate("window.violations") == []


def test_a_difference_speaks_up_and_asks_before_it_is_saved(pit_boss: Page) -> None:
    type_sheet(pit_boss)
    paid = pit_boss.locator("[name=d1_play]")
    expect(paid).to_be_enabled()
    paid.focus()
    pit_boss.keyboard.type("+45")
    expect(pit_boss.locator("#differences legend")).to_have_text("Seat 1 got 5.00 more than due on play")
    expect(pit_boss.locator('[data-house="off"]')).to_have_text("−5.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#problems")).to_contain_text("Say below what became of the difference")
    expect(pit_boss.get_by_label("corrected at the table")).to_be_focused()
    pit_boss.keyboard.press("ArrowDown")
    pit_boss.keyboard.press("Tab")
    pit_boss.keyboard.type("patron left")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("−5.00 off for the house")
    assert pit_boss.evaluate("window.violations") == []


def test_enter_pressed_twice_is_one_round(pit_boss: Page) -> None:
    type_sheet(pit_boss)
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.keyboard.press("Enter")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    pit_boss.goto("/admin/tables/round/")
    expect(pit_boss.locator("#result_list tbody tr")).to_have_count(1)


def test_what_was_typed_outlives_a_reload_and_a_saved_round_leaves_no_draft(pit_boss: Page) -> None:
    type_sheet(pit_boss)
    uuid = pit_boss.locator("[name=uuid]").input_value()
    pit_boss.reload()
    expect(pit_boss.locator("[name=s1_cards]")).to_have_value("AsAd")
    expect(pit_boss.locator("[name=s2_folded]")).to_be_checked()
    expect(pit_boss.locator("[name=uuid]")).to_have_value(uuid)
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    pit_boss.goto(ADD)
    expect(pit_boss.locator("[name=s1_cards]")).to_have_value("")


def test_an_error_stands_at_its_field_when_the_field_is_left(pit_boss: Page) -> None:
    pit_boss.goto(ADD)
    pit_boss.keyboard.type("2h 9s 1O Jc Qh")
    expect(pit_boss.locator("#e_r_community")).to_be_hidden()
    pit_boss.keyboard.press("Tab")
    expect(pit_boss.locator("#e_r_community")).to_contain_text("1O")
    expect(pit_boss.locator("[name=r_community]")).to_have_attribute("aria-describedby", "e_r_community")


def test_it_works_without_javascript(signed_in: Open) -> None:
    page = signed_in("PB-1", java_script_enabled=False).new_page()
    page.goto(ADD)
    sheet = {"r_community": "2h 9s 9d Jc Qh", "r_dealer": "Kc7d", "who_dealt": "D-1187", "s1_cards": "AsAd", "s1_ante": "10", "s1_play": "4x"}
    for name, text in sheet.items():
        page.fill(f"[name={name}]", text)
    page.get_by_role("button", name="See what is due").click()
    expect(page.locator("[name=d1_play]")).to_have_value("+40.00")
    page.fill("[name=d1_play]", "+45")
    page.press("[name=d1_play]", "Enter")
    expect(page.locator("#differences legend")).to_have_text("Seat 1 got 5.00 more than due on play")
    page.get_by_label("corrected at the table").check()
    page.press("[name=s1_cards]", "Enter")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept: house −50.00 · as due")
