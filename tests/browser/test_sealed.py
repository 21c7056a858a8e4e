"""Sealed shifts in a browser: strict content policy, both modes and sizes, and the alarm by keyboard alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.builders import House, end_night, play
from tests.ledger.test_sealing import next_shift, published_elsewhere, seal

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = "a long password of the shift manager"
LIST = "/admin/ledger/segment/"


@pytest.fixture
def sealed(house: House) -> House:
    """A night that is sealed, and a shift after it whose checkpoint is out and whose rows are gone."""
    house.people["SM-1"].set_password(SECRET)
    house.people["SM-1"].save(update_fields=["password"])
    play(house)
    play(house, "PAY-01")
    end_night(house)
    seal(house.shift)
    later = next_shift(house)
    house.shift = later
    published_elsewhere(house)
    return house


def test_pages_fit_and_keep_the_policy_and_the_alarm_is_acknowledged_by_keyboard(sealed: House, signed_in: Open) -> None:
    pictures = os.environ.get("PITBOOK_PICTURES")
    for scheme in ("dark", "light"):
        for width, height in ((1440, 900), (768, 1024)):
            page = signed_in("SM-1", color_scheme=scheme).new_page()
            page.set_viewport_size({"width": width, "height": height})
            for address in (LIST, f"{LIST}1/change/"):
                page.goto(address)
                assert page.evaluate("window.violations") == []
                assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), (address, width)
                if pictures:
                    name = f"sealed-{'page' if 'change' in address else 'list'}-{scheme}-{width}.png"
                    page.screenshot(path=Path(pictures) / name, full_page=True)
            page.context.close()
    page = signed_in("SM-1").new_page()
    page.goto(LIST)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "reason":
            break
    page.keyboard.type("the backup of Tuesday was restored")
    page.keyboard.press("Tab")
    page.keyboard.type(SECRET)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Posting goes on")
    assert page.locator("[role=alert]").count() == 0
    assert page.locator("text=leaves lost, acknowledged").count() == 1
    page.context.close()
