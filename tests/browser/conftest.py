"""A real browser against a real server. A missing Chromium is an error, not a skip. Source: design/foundations.md, 7."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

    from tests.builders import House

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push([event.effectiveDirective, event.blockedURI]));
"""
Open = Callable[..., BrowserContext]
expect.set_options(timeout=20_000)
"""A busy machine is slow, not wrong."""


@pytest.fixture
def signed_in(house: House, live_server: LiveServer) -> Iterator[Open]:
    """Return a function that opens a browser in which somebody is signed in; `more` goes to Playwright's context.

    Rows are made before: while Playwright runs, this thread asks the database nothing.
    """
    cookies = {who: _cookie(house, who) for who in house.people}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def open_as(who: str, **more: Any) -> BrowserContext:
            context = browser.new_context(base_url=live_server.url, viewport={"width": 1440, "height": 900}, **more)
            context.add_init_script(WATCH)
            context.add_cookies([{"name": "sessionid", "value": cookies[who], "url": live_server.url}])
            return context

        yield open_as
        browser.close()


def _cookie(house: House, who: str) -> str:
    client = Client()
    client.force_login(house.people[who])
    return client.cookies["sessionid"].value


@pytest.fixture
def pit_boss(signed_in: Open) -> Page:
    """Return a page of a pit boss's browser; an error of a script fails the test."""
    page = signed_in("PB-1").new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script broke: {error}"))
    return page
