"""From each figure of a shift's page down to the rounds, wagers and entries that it is made of, in at most four clicks."""

from __future__ import annotations

import re
from collections import deque

import pytest
from playwright.sync_api import Page, expect

from tables.slips import CountSlip
from tests.audit.signing import reconciled
from tests.browser.conftest import Open
from tests.builders import House, end_night, fill, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_CLICKS = 4
ROUND, ENTRY = "/admin/tables/round/", "/admin/ledger/entry/"
ON_THE_WAY = ("/admin/tables/round/", "/admin/tables/tablesession/", "/admin/tables/chipmovement/", "/admin/audit/finding/", "/admin/ledger/entry/")
FIGURES = ".reconciliation td.num:not(.dim), .columns.three td.num:not(.dim)"
"""Every figure that says something: what is zero or unknown is dim, and made of nothing."""

_OWN = """(all) => all.filter((one) => one.checkVisibility() && !one.closest("#changelist-filter, thead"))
  .map((one) => one.pathname + one.search)"""


@pytest.fixture
def shift(house: House) -> str:
    """Return the address of a shift that was reconciled: payouts that were off, a fill, a tray and a box that are off."""
    play(house, done={"1": {"play": {"paid": 4500}}})
    play(house)
    play(house, "UTH-02", done={"1": {"trips": {"paid": 2000}}})
    play(house, "PAY-01")
    people = house.people
    fill(
        house.sessions["UTH-01"],
        CountSlip({500: 100}),
        at=house.tick(),
        requested_by=people["FS-1"],
        issued_by=people["CG-1"],
        received_by=people["PB-1"],
    )
    end_night(house, closers={"UTH-01": -5000}, drops={"PAY-01": 1000})
    reconciled(house)
    return f"/admin/tables/shift/{house.shift.pk}/change/"


def links(page: Page) -> list[str]:
    """Return where the page's own links lead, each once: those of a list first by its rows."""
    found: list[str] = page.eval_on_selector_all("#content a[href]", _OWN)
    return [one for one in dict.fromkeys(found) if one.startswith(ON_THE_WAY)]


def clicks_to(page: Page, first: str, what: str) -> int | None:
    """Return how many clicks it takes from a figure that leads to `first` to one `what` (a round, an entry); None where more than four."""
    ways = deque([(first, 1)])
    seen = {first}
    while ways:
        address, clicks = ways.popleft()
        if address.startswith(what) and "/change/" in address:
            return clicks
        if clicks == MOST_CLICKS:
            continue
        page.goto(address)
        fresh = [one for one in links(page) if one not in seen]
        kinds: dict[str, list[str]] = {}
        for one in fresh:  # of a list, its first rows stand for the others
            kinds.setdefault(re.sub(r"\d+", "N", one.split("?")[0]), []).append(one)
        for some in kinds.values():
            ways.extend((one, clicks + 1) for one in some[:2])
            seen.update(some)
    return None


@pytest.mark.long
def test_every_figure_leads_to_its_rounds_and_entries_in_four_clicks(shift: str, signed_in: Open) -> None:
    page = signed_in("AU-1").new_page()
    page.goto(shift)
    cells = page.locator(FIGURES)
    figures = [(cell.inner_text(), cell.locator("a").first.get_attribute("href") if cell.locator("a").count() else None) for cell in cells.all()]
    assert len(figures) > 25
    assert [text for text, link in figures if link is None] == []
    ways = sorted({link for _, link in figures if link})
    far = {link: (rounds, entries) for link in ways if None in ((rounds := clicks_to(page, link, ROUND)), (entries := clicks_to(page, link, ENTRY)))}
    assert far == {}


def test_the_way_is_walked_by_keyboard(shift: str, signed_in: Open) -> None:
    page = signed_in("AU-1").new_page()
    page.goto(shift)
    row = page.locator(".reconciliation tbody tr").filter(has=page.get_by_role("rowheader", name="UTH-01"))
    row.locator("td.num a").nth(3).focus()  # the handle
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/round/?*")
    page.locator("#result_list tbody th a").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/round/*/change/**")
    expect(page.locator("table.wagers tbody tr.off")).to_have_count(1)
    page.locator("#content a[href^='/admin/ledger/entry/']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/ledger/entry/*/change/**")
    expect(page.locator("#content")).to_contain_text("tray:UTH-01")
