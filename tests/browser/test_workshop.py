"""A paytable is typed with the keyboard: the edge follows, a fault stands at its field, nothing is kept before somebody says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NEW = "/admin/tables/paytableversion/workshop/new/?from=uth-seed@1"


@pytest.fixture
def games_manager(signed_in: Open) -> Page:
    page = signed_in("GM-1").new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script broke: {error}"))
    page.goto(NEW)
    return page


def test_the_edge_follows_what_is_typed(games_manager: Page) -> None:
    keys, look = games_manager.keyboard, games_manager.locator("#look")
    expect(look).to_contain_text("1.9040 %")
    games_manager.focus("[name='odds.trips.royal_flush']")
    for _ in range(3):
        keys.press("ArrowDown")
    keys.type("9 to 1")
    keys.press("Tab")
    expect(look).to_contain_text("−0.6921 %")
    expect(look).to_contain_text("the player has the edge")
    expect(look).to_contain_text("Trips: full house")
    expect(games_manager.locator("[data-reads='odds.trips.full_house']")).to_have_text("= 9:1")
    expect(games_manager.locator("#unkept")).to_have_text("not kept yet")
    assert games_manager.evaluate("window.violations") == []


def test_a_fault_stands_at_its_field_once_it_is_left_and_the_draft_is_kept_when_it_is_mended(games_manager: Page) -> None:
    keys, field = games_manager.keyboard, games_manager.locator("[name='odds.blind.flush']")
    field.focus()
    keys.type("six")
    expect(games_manager.locator("#look")).to_have_class("stale")
    expect(games_manager.locator("[id='e_odds.blind.flush']")).to_be_hidden()  # nobody is told off while typing
    keys.press("Tab")
    expect(games_manager.locator("[id='e_odds.blind.flush']")).to_have_text("“six” is not odds such as “3:2”.")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.focus()
    keys.type("1:1")
    keys.press("Tab")
    expect(games_manager.locator("[id='e_odds.blind.flush']")).to_be_hidden()
    games_manager.locator("[name='rules.rounding']").focus()
    field.press("Enter")
    expect(games_manager.locator("h1")).to_have_text("uth-seed@2")
    expect(games_manager.locator(".page-head .chip")).to_have_text("draft")
