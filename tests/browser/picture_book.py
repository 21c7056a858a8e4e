"""A picture of every page of the admin, by `make screenshots`; no test of a run. Pages come from the URL conf: `every_page.py`."""

from __future__ import annotations

from collections import Counter

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.conftest import Open
from tests.browser.every_page import GROUPS, Opened, opened
from tests.browser.full_house import full_house
from tests.browser.pictured import Pictured, put, take, title_of
from tests.builders import House

pytestmark = pytest.mark.django_db(transaction=True)

SEVERAL = frozenset({"report-page", "admin:tables_tablesession_act", "admin:tables_chipslip_act"})
"""Addresses of many pages; of every other the first that somebody may open stands for all."""
NOTHING_OF_OURS = ("_history", "_delete")
"""Django's own pages of rows that nobody changes: they say that nothing was."""


@pytest.fixture
def pages(house: House, group: str) -> list[Opened]:
    """Return every page of the group with who opens it."""
    found, _ = opened(full_house(house), group, several=SEVERAL)
    return [page for page in found if not page.name.endswith(NOTHING_OF_OURS)]


@pytest.mark.parametrize("group", GROUPS)
def test_every_page(group: str, pages: list[Opened], signed_in: Open) -> None:
    browsers: dict[str, BrowserContext] = {}
    pictured, seen = [], Counter[str]()
    for one in pages:
        seen[one.name] += 1
        if one.who not in browsers:
            browsers[one.who] = signed_in(one.who)
        page = browsers[one.who].new_page()
        page.goto(one.address, timeout=120_000)
        page.wait_for_load_state("networkidle")
        name = one.name.removeprefix("admin:").replace(":", "_") + (f"-{seen[one.name]}" if one.name in SEVERAL else "")
        take(page, name)
        pictured.append(Pictured(name, title_of(page), one.who))
        page.close()
    put(group.capitalize(), pictured)
