"""A table is closed with the keyboard alone: blockers, the blind count down the tray, the final check, two signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

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
