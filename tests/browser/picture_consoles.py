"""A picture of the round console of every game with a difference in hand, by `make screenshots`; no test of a run."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Open
from tests.browser.console import DEALT, house_of_games, sit_down, type_round
from tests.browser.pictured import Pictured, put, take
from tests.builders import House

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def house(nobody_yet: None) -> House:
    """Return a house with a table of each game."""
    return house_of_games()


def test_the_console_of_every_game(signed_in: Open) -> None:
    pictured = []
    for dealt in DEALT:
        page = signed_in("PB-1").new_page()
        sit_down(page, dealt.table)
        type_round(page, dealt)
        page.wait_for_function("() => document.querySelector('[data-due]:not(:empty)')")
        page.focus(f"[name={dealt.wager}]")
        page.keyboard.type(dealt.paid)
        page.wait_for_selector("#differences legend")
        page.evaluate("scrollTo(0, 0)")
        name = f"console-{dealt.table.partition('-')[0].lower()}"
        take(page, name)
        pictured.append(Pictured(name, page.locator(".page-head > .dim").first.inner_text().partition(" · ")[0], "PB-1"))
    put("The round console, game by game", pictured)
