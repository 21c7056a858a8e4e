"""How the console looks: no fault that axe finds, no breach of the policy, no scrolling at a pit stand, and fingers find everything on a tablet."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.console import BOARD, SEATS, sit_down, six_seats
from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def six(house: House) -> House:
    """Return the house after a round of six seats at UTH-01."""
    six_seats(house)
    return house


def faults(page: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds: the rule, and where."""
    found = Axe().run(page).response["violations"]
    return [(fault["id"], [node["html"][:160] for node in fault["nodes"]]) for fault in found]


@pytest.mark.parametrize("mode", ["dark", "light"])
def test_axe_finds_nothing_at_any_stage_of_a_round(six: House, signed_in: Open, mode: str) -> None:
    page = signed_in("PB-1", color_scheme=mode).new_page()
    sit_down(page)
    assert faults(page) == []
    page.keyboard.type(f"{BOARD}Kc7d9s")
    expect(page.locator("#e_s1_cards")).to_be_visible()
    assert faults(page) == []
    page.keyboard.press("Backspace")
    page.keyboard.type("".join(SEATS))
    page.focus("[name=s1_cards]")
    page.keyboard.press("p")
    page.keyboard.type("+45")
    expect(page.locator("#differences legend")).to_be_visible()
    page.keyboard.press("r")
    assert faults(page) == []
    page.keyboard.press("?")
    assert faults(page) == []
    assert page.evaluate("window.violations") == []


def test_six_seats_fit_the_screen_of_a_pit_stand(six: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    sit_down(page)
    page.keyboard.type(f"{BOARD}Kc7d{''.join(SEATS)}")
    expect(page.locator('[data-due="d6_play"]')).not_to_be_empty()
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [1440, 900]
    assert page.locator("#last tbody tr").first.bounding_box()["y"] < 840


def test_nothing_moves_under_the_hand(six: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    sit_down(page)
    things = "[name$=_cards], [data-times], #save, tr[data-seat]"
    places = f"[...document.querySelectorAll('{things}')].map((one) => JSON.stringify(one.getBoundingClientRect()))"
    before = page.evaluate(places)
    page.keyboard.type(f"{BOARD}Kc7d{''.join(SEATS)}")
    expect(page.locator('[data-due="d6_play"]')).not_to_be_empty()
    assert page.evaluate(places) == before


def test_a_tablet_is_enough_without_a_keyboard(six: House, signed_in: Open) -> None:
    page = signed_in("PB-1", has_touch=True).new_page()
    page.set_viewport_size({"width": 768, "height": 1024})
    sit_down(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 768
    small = """[...document.querySelectorAll('[data-deck], [data-times], .flag, [data-toggle], .actions button, .twin input:not([type=hidden])')]
        .filter((one) => one.offsetParent && getComputedStyle(one).visibility !== 'hidden' && !one.closest('.timed input'))
        .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()]).filter(([, box]) => box.width < 44 || box.height < 44)"""
    assert page.evaluate(small) == []
    for card in ("2h", "9s", "9d", "Jc", "Qh", "Kc", "7d", "As", "Ad"):
        page.locator(f"[data-deck='{card}']").tap()
    page.locator("[data-times='s1_play'][value='4']").tap()
    for seat in range(2, 7):
        page.locator(f"[data-toggle='{seat}']").tap()
    expect(page.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    page.locator("#save").tap()
    expect(page.locator(".saved")).to_contain_text("Round 2 is kept")
