"""A whole night by keyboard, by its real people one after the other: from opening the shift to the signed report."""

from __future__ import annotations

import json
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.db import connections
from playwright.sync_api import Page, expect

from casino.models import User
from tables.services import floor
from tables.slips import CountSlip
from tests.audit.signing import hire, run_jobs
from tests.browser.conftest import Open
from tests.browser.console import BOARD, sit_down
from tests.builders import BANKROLL, DAY, House, felt_code

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = "a long enough one 17"


@pytest.fixture
def felt(house: House) -> str:
    """Return the code on the felt of UTH-01. The swing shift is over, its tables are closed; everybody has a password."""
    hire(house, "SM-2", "shift_manager")
    kept = make_password(SECRET)
    for person in house.people.values():
        person.password = kept
    User.objects.update(password=kept)
    for code, session in house.sessions.items():
        boss = house.people["PB-2" if code == "UTH-02" else "PB-1"]
        floor.close_session(session, CountSlip(BANKROLL), at=house.tick(), by=boss, witness=house.people["SM-1"])
    floor.end_shift(house.shift, at=house.tick(), by=house.people["SM-1"])
    return felt_code(house.tables["UTH-01"], house.clock)


class Night:
    """Everybody's browser, one page each; what is typed is typed by keys."""

    def __init__(self, signed_in: Open) -> None:
        self.signed_in, self.pages = signed_in, dict[str, Page]()

    def page(self, who: str, address: str) -> Page:
        if who not in self.pages:
            self.pages[who] = self.signed_in(who).new_page()
            self.pages[who].on("pageerror", lambda error: pytest.fail(f"a script broke: {error}"))
        self.pages[who].goto(address)
        return self.pages[who]


def typed(page: Page, label: str, text: str) -> None:
    """Type `text` into the field of that label; what stood there is typed over."""
    page.get_by_label(label, exact=True).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def press(page: Page, button: str) -> None:
    """Press a button with Enter."""
    page.get_by_role("button", name=button, exact=True).focus()
    page.keyboard.press("Enter")


def follow(page: Page, link: str) -> None:
    """Follow a link with Enter."""
    page.get_by_role("link", name=link, exact=True).first.focus()
    page.keyboard.press("Enter")


def count(page: Page, pieces: dict[int, int]) -> None:
    """Type a count down the column of pieces, largest chip first."""
    page.locator("input[data-value]").first.focus()
    for value in page.eval_on_selector_all("input[data-value]", "fields => fields.map((field) => Number(field.dataset.value))"):
        page.keyboard.type(str(pieces.get(value, 0)))
        page.keyboard.press("Tab")


def second(page: Page, number: str) -> None:
    """Let a second person sign on the same screen."""
    typed(page, "Second person, staff number", number)
    typed(page, "Second person's password", SECRET)


def said(page: Page, words: str) -> None:
    expect(page.locator("ul.messagelist")).to_contain_text(words)


def elsewhere(work: Any, *args: Any) -> None:
    """Do the work of a worker beside the browser, in a thread of its own."""

    def run() -> None:
        work(*args)
        connections.close_all()

    thread = Thread(target=run)
    thread.start()
    thread.join()


def test_a_night_from_opening_to_the_signed_report(felt: str, signed_in: Open) -> None:
    night = Night(signed_in)
    _shift_and_table_open(night, felt)
    session = night.pages["PB-1"].get_by_role("row").filter(has_text="UTH-01").get_by_role("link", name="UTH-01", exact=True).get_attribute("href")
    assert session is not None
    _rounds(night)
    _fill(night, session)
    _void(night)
    _close(night, session)
    _box(night, session)
    shift = _end(night)
    elsewhere(run_jobs, "close_shift", "reconcile_shift")
    _explain_and_sign(night, shift)
    _report(night, shift)
    assert [violation for page in night.pages.values() for violation in page.evaluate("window.violations")] == []


def _shift_and_table_open(night: Night, felt: str) -> None:
    page = night.page("SM-1", "/admin/")
    follow(page, "Open a shift")
    page.wait_for_url("**/shift/open/")
    page.get_by_label("Gaming day", exact=True).fill(DAY.replace(day=DAY.day + 1).isoformat())
    page.get_by_label("Shift", exact=True).select_option("day")
    page.get_by_label("Begins at", exact=True).fill("06:00")
    page.get_by_label("Ends at", exact=True).fill("14:00")
    press(page, "Open the shift")
    said(page, "is open.")
    page = night.page("PB-1", "/admin/")
    follow(page, "Open UTH-01")
    page.wait_for_url("**/open/?table=UTH-01")
    typed(page, "Code on the felt", "0000")
    count(page, BANKROLL)
    second(page, "SM-1")
    press(page, "Attest and open")
    expect(page.locator("#id_felt_code_error")).to_be_visible()  # the felt is not this version's, and nothing opened
    typed(page, "Code on the felt", felt)
    second(page, "SM-1")
    press(page, "Attest and open")
    said(page, "UTH-01 is open.")


def _rounds(night: Night) -> None:
    page = night.page("PB-1", "/admin/")
    sit_down(page)
    page.keyboard.type(f"{BOARD}Kc7dAsAd10 44c3c10 F")
    page.fill("#who_dealt", "D-1187")
    page.keyboard.press("Enter")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept")
    page.keyboard.type(f"{BOARD}Kc7dAsAd44c3cF")
    page.locator("#save").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".saved")).to_contain_text("Round 2 is kept")


def _fill(night: Night, session: str) -> None:
    page = night.page("FS-1", session)
    follow(page, "Fill")
    page.wait_for_url("**/fill/do/")
    count(page, {5_00: 100})
    press(page, page.locator("p.go button").inner_text())
    page.wait_for_url("**/change/")
    for who in ("CG-1", "PB-1"):
        page = night.page(who, "/admin/tables/chipslip/")
        page.locator("#result_list tbody th a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/chipslip/*/change/**")
        page.locator("a.button[href$='/do/']").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/do/")
        page.locator("p.go button").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/chipslip/**/change/**")
    expect(page.locator(".page-head")).to_contain_text("received")


def _void(night: Night) -> None:
    page = night.page("FS-1", "/admin/tables/round/?table=UTH-01")
    page.locator("#result_list tbody th a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/**")
    page.locator("a[href$='/void/']").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/void/")
    page.locator("form.proposing select[name='reason']").select_option(index=1)
    page.locator("input[name='chips_returned'][value='yes']").focus()
    page.keyboard.press("Space")
    page.locator("form.proposing button.default").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/**")
    page = night.page("SM-1", "/admin/tables/roundproposal/?state=proposed")  # who entered the round approves nothing of it
    page.locator("#result_list tbody th a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/roundproposal/*/change/**")
    page.locator("input[type='password']").focus()
    page.keyboard.type("a guess that is wrong")
    press(page, "Approve, and do it")
    expect(page.locator(".error").first).to_contain_text("not your password")
    page.locator("input[type='password']").focus()
    page.keyboard.type(SECRET)
    press(page, "Approve, and do it")
    page.wait_for_url("**/change/**")
    expect(page.locator("body")).not_to_contain_text("Approve, and do it")


def _close(night: Night, session: str) -> None:
    page = night.page("PB-1", session.replace("change", "close"))
    page.keyboard.press("Enter")
    expect(page.locator("input[data-value]").first).to_be_focused()
    count(page, {**BANKROLL, 5_00: BANKROLL[5_00] + 100, 1_00: BANKROLL[1_00] - 31})
    page.keyboard.press("Enter")
    expect(page.locator("table.check tfoot")).to_contain_text("5,569.00")
    second(page, "SM-1")
    page.keyboard.press("Enter")
    said(page, "UTH-01 is closed.")


def _box(night: Night, session: str) -> None:
    page = night.page("PB-1", f"/admin/tables/boxpull/add/?session={session.split('/')[-3]}")
    typed(page, "Box", "B-1")
    typed(page, "Seal", "S-1")
    second(page, "CT-1")
    page.keyboard.press("Enter")
    expect(page.locator("ul.messagelist")).to_be_visible()
    page = night.page("CT-1", "/admin/tables/boxpull/")
    page.locator("#result_list tbody th a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/boxpull/*/change/**")
    page.locator("a[href$='/count/']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/count/")
    typed(page, "Box", "B-1")
    typed(page, "Seal, as it was found", "S-1")
    second(page, "CT-2")
    page.keyboard.press("Enter")
    expect(page.locator("ul.messagelist")).to_be_visible()


def _end(night: Night) -> str:
    page = night.page("SM-2", "/admin/")
    follow(page, "Shift")
    page.wait_for_url("**/shift/*/change/")
    shift = page.url
    follow(page, "End the shift")
    page.wait_for_url("**/end/")
    press(page, "End the shift")
    said(page, "The shift has ended.")
    return shift


def _explain_and_sign(night: Night, shift: str) -> None:
    page = night.page("PB-1", shift)
    page.get_by_label("Explanation").first.focus()
    page.keyboard.type("A dollar fell behind the rack; it was found and goes back tomorrow.")
    press(page, "Keep the explanation")
    said(page, "The explanation is kept.")
    for who in ("SM-2", "AU-1"):
        page = night.page(who, shift)
        page.locator(".signing input[type='password']").focus()
        page.keyboard.type(SECRET)
        press(page, "Sign these figures")
        said(page, "Signed.")
    expect(page.locator(".signing")).to_contain_text("Signed: these figures are final")


def _report(night: Night, shift: str) -> None:
    page = night.page("AU-1", shift)
    with page.expect_download() as loading:
        follow(page, "JSON")
    report = json.loads(loading.value.path().read_bytes())
    assert report["title"] == "Shift report"
    assert "SM-2" in json.dumps(report)
