"""A table is closed with the keyboard alone: blockers, the blind count down the tray, the final check, two signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import Open
from tests.builders import BANKROLL

if TYPE_CHECKING:
    from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = "a long enough one 17"


@pytest.fixture
def manager(house: House) -> None:
    """Give the shift manager a password to sign with."""
    house.people["SM-1"].set_password(SECRET)
    house.people["SM-1"].save(update_fields=["password"])


def test_a_table_closes_with_the_keyboard_alone(manager: None, house: House, pit_boss: Page) -> None:
    page = pit_boss
    page.goto(f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/close/")
    page.keyboard.press("Enter")
    first = page.locator("input[data-value]").first
    expect(first).to_be_focused()
    values = page.eval_on_selector_all("input[data-value]", "fields => fields.map((field) => Number(field.dataset.value))")
    assert values == sorted(values, reverse=True)
    for value in values:
        page.keyboard.type(str(BANKROLL.get(value, 0)))
        page.keyboard.press("Enter")
    expect(page.locator("[data-total]")).to_have_text("5,100.00")
    page.keyboard.press("Enter")  # from the note, which the last Enter led to
    expect(page.locator("table.check tfoot")).to_contain_text("5,100.00")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("SM-1")
    page.keyboard.press("Tab")
    page.keyboard.type(SECRET)
    page.keyboard.press("Enter")
    expect(page.locator("ul.messagelist")).to_contain_text("UTH-01 is closed.")
    assert page.evaluate("window.violations") == []


TABLET: ViewportSize = {"width": 768, "height": 1024}
PAD = ".keypad"


def sum_of(page: Page) -> str:
    """Return what the page says was typed in all."""
    return page.locator("[data-total]").inner_text()


def count_address(house: House) -> str:
    """Return where the tray of UTH-01 is counted."""
    return f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/close/?step=count"


def test_a_tray_is_counted_by_the_keypad_while_the_keyboard_keeps_the_cursor(house: House, pit_boss: Page) -> None:
    page = pit_boss
    page.goto(count_address(house))
    pad, toggle = page.locator(PAD), page.get_by_role("button", name="Keypad", exact=True)
    first, second = page.locator("input[data-value]").nth(0), page.locator("input[data-value]").nth(1)
    expect(first).to_be_focused()
    expect(pad).to_be_hidden()  # on a desktop, until somebody wants it
    toggle.click()
    expect(pad).to_be_visible()
    expect(toggle).to_have_attribute("aria-expanded", "true")

    def press(*names: str) -> None:
        for name in names:
            pad.get_by_role("button", name=name, exact=True).click()

    press("1", "2", "double zero")  # the cursor had gone to the keypad's button: it is back where it was
    expect(first).to_be_focused()
    assert first.input_value() == "1200"
    press("Take the last digit back")
    page.keyboard.type("7")
    assert first.input_value() == "1207"
    press("Next denomination", "3")
    expect(second).to_be_focused()
    page.keyboard.type("4")
    assert second.input_value() == "34"
    values = [int(field.get_attribute("data-value") or 0) for field in (first, second)]
    assert sum_of(page) == f"{(1207 * values[0] + 34 * values[1]) / 100:,.2f}"
    press("Denomination before", "Denomination before", "5")  # chosen whole, and replaced; there is none before the first
    expect(first).to_be_focused()
    assert first.input_value() == "5"
    first.evaluate("field => field.setSelectionRange(0, 0)")
    press("6")
    assert first.input_value() == "65"
    page.get_by_label("Note").focus()
    press("9", "Denomination before")
    assert page.get_by_label("Note").input_value() == "9"
    expect(page.locator("input[data-value]").last).to_be_focused()
    page.reload()
    expect(pad).to_be_visible()  # remembered
    assert first.input_value() == "65"  # what the keypad typed is kept as what the keyboard did
    toggle.click()
    page.reload()
    expect(pad).to_be_hidden()
    assert page.evaluate("window.violations") == []


def test_the_keypad_lies_open_on_a_tablet_large_enough_for_fingers_and_out_of_the_way_of_tab(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1", has_touch=True).new_page()
    page.set_viewport_size(TABLET)
    page.goto(count_address(house))
    pad, fields = page.locator(PAD), page.locator("input[data-value]")
    expect(pad).to_be_visible()
    boxes = page.eval_on_selector_all(
        f"{PAD} button", "keys => keys.map((key) => key.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height))"
    )
    assert len(boxes) == 14
    assert min(boxes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(fields.first).to_be_focused()
    expect(fields.first).to_have_attribute("inputmode", "none")  # the tablet's own keyboard stays away
    pad.get_by_role("button", name="8", exact=True).tap()
    pad.get_by_role("button", name="0", exact=True).tap()
    assert fields.first.input_value() == "80"
    expect(fields.first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Keypad", exact=True)).to_be_focused()
    for _ in range(fields.count()):
        page.keyboard.press("Tab")
    expect(fields.last).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Note")).to_be_focused()  # from the tray to what stands beside it, past the keys
    for mode in ("dark", "light"):
        page.emulate_media(color_scheme=mode, reduced_motion="reduce")  # type: ignore[arg-type]
        assert Axe().run(page).response["violations"] == []
    page.get_by_role("button", name="Keypad", exact=True).tap()
    expect(pad).to_be_hidden()
    expect(fields.first).to_have_attribute("inputmode", "numeric")


def test_the_keypad_gives_nothing_of_what_is_expected_away(house: House, pit_boss: Page) -> None:
    pit_boss.goto(count_address(house))
    pit_boss.get_by_role("button", name="Keypad", exact=True).click()
    assert pit_boss.locator(PAD).evaluate("pad => pad.innerText.replace(/\\s+/g, '')") == "789456123000⌫↑↓"
    assert sum_of(pit_boss) == "0.00"
    assert pit_boss.locator("[data-typed]").all_inner_texts() == [""] * pit_boss.locator("[data-typed]").count()
