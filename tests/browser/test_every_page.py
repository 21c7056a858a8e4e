"""Every page of the admin, found through the URL conf: it keeps the policy, axe finds no fault in either mode, and it fits its screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from tests.browser.conftest import Open
from tests.browser.every_page import Opened, names, opened
from tests.browser.full_house import full_house
from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

LARGE, TABLET = {"width": 1440, "height": 900}, {"width": 768, "height": 1024}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WHOLE = {"runOnly": {"type": "tag", "values": TAGS}, "rules": {"target-size": {"enabled": True}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block", "target-size"]}}
"""What another mode or size can change of a page; the rest of it is the same document."""
MOST_QUERIES = 90
"""The page of a reconciled shift, which is its whole report, takes the most."""

NO_PAGE = {
    "files": {
        "report-file",
        "report-download",
        "admin:tables_paytableversion_json",
        "admin:tables_paytableversion_sheet",
        "admin:tables_shift_report",
        "admin:ledger_segment_bundle",
        "admin:ledger_segment_checkpoint",
        "admin:ledger_segment_proof",
    },
    "acts, sent by a form of another page": {
        "report-unsubscribe",
        "report-export",
        "report-subscribe",
        "admin:logout",
        "admin:casino_alarm_acknowledge",
        "admin:casino_job_cancel",
        "admin:casino_job_resume",
        "admin:casino_user_role",
        "admin:tables_workshop_look",
        "admin:tables_workshop_propose",
        "admin:tables_workshop_solve",
        "admin:tables_workshop_job",
        "admin:tables_replay_month",
        "admin:tables_paytableversion_place",
        "admin:tables_roundproposal_decide",
        "admin:tables_round_preview",
        "admin:tables_shift_explain",
        "admin:tables_shift_sign",
        "admin:tables_shift_reconcile",
    },
    "answers for a script": {"admin:autocomplete", "admin:jsi18n", "admin:tables_workshop_progress", "admin:tables_shift_progress"},
    "Django's, of what the house has not": {f"admin:auth_group_{page}" for page in ("changelist", "add", "history", "delete", "change")}
    | {"admin:view_on_site"},
    "opened below, signed out": {"admin:login"},
    "there only while a checkpoint is ahead of the books": {"admin:ledger_segment_acknowledge"},
}


@dataclass
class Watched:
    """A page of somebody's browser, and what its console said since it was last asked."""

    page: Page
    said: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.said.append(message.text)


@pytest.fixture
def everything(house: House) -> tuple[list[Opened], dict[str, set[int]]]:
    """Return every page with who opens it, of a house in which each has something to show."""
    return opened(full_house(house))


def _watched(context: BrowserContext) -> Watched:
    watched = Watched(context.new_page())
    watched.page.on("console", watched.note)
    watched.page.on("pageerror", lambda error: watched.said.append(str(error)))
    return watched


def faults(watched: Watched, address: str, status: int = 200) -> Iterator[str]:
    """Yield what is wrong with a page: in the dark on a large screen, then in the light on a tablet."""
    page = watched.page
    watched.said.clear()  # axe itself tries styles that the policy refuses: what it caused is no page's fault
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # a colour that is still changing is nobody's
    page.set_viewport_size(LARGE)
    answer = page.goto(address, timeout=120_000)
    if answer is None or answer.status != status:
        yield f"answers {answer and answer.status}"
    yield from (f"breaks the policy: {violation}" for violation in page.evaluate("window.violations"))
    if status == 200:
        yield from (f"says {words}" for words in watched.said)
    yield from _wide(page)
    yield from _axe(page, WHOLE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size(TABLET)
    yield from _wide(page)
    yield from _axe(page, COLOURS)


def _wide(page: Page) -> Iterator[str]:
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wide > 0:
        yield f"is {wide} px too wide for {page.viewport_size}"


def _axe(page: Page, options: dict[str, object]) -> Iterator[str]:
    for fault in Axe().run(page, options=options).response["violations"]:
        for node in fault["nodes"]:
            yield f"{fault['id']}: {node['html'][:170]} {node['failureSummary'].splitlines()[-1].strip()[:170]}"


def _told_apart(pages: list[Opened], refused: dict[str, set[int]]) -> None:
    """Hold every address to being a page that somebody may open, or none for a reason, and every page to its queries."""
    told = set().union(*NO_PAGE.values())
    nobodys = {name for name, statuses in refused.items() if statuses <= {403, 404} and statuses and name.rpartition("_")[2] in ("add", "delete")}
    assert refused.keys() - told - nobodys == set()
    assert told - refused.keys() - {"admin:login"} == set()
    assert {page.name for page in pages} | refused.keys() == set(names())
    assert [page for page in pages if page.queries > MOST_QUERIES] == []


def test_every_address_is_a_page_for_somebody_and_clean_in_both_modes_and_sizes(
    everything: tuple[list[Opened], dict[str, set[int]]], signed_in: Open
) -> None:
    pages, refused = everything
    _told_apart(pages, refused)
    browsers: dict[str, Watched] = {}
    wrong: dict[str, list[str]] = {}
    for one in pages:
        if one.who not in browsers:
            browsers[one.who] = _watched(signed_in(one.who))
        if found := list(faults(browsers[one.who], one.address)):
            wrong[f"{one.who} {one.address}"] = found
            print(f"{one.who} {one.address}", *found, sep="\n  ", flush=True)
    assert wrong == {}


def test_what_is_refused_and_what_is_not_there_is_a_clean_page_too(house: House, signed_in: Open) -> None:
    boss = _watched(signed_in("PB-1"))
    wrong = {
        address: found
        for address, status in (("/admin/nowhere/", 404), ("/admin/casino/user/", 403), (f"/admin/tables/shift/{house.shift.pk}/draw/", 403))
        if (found := list(faults(boss, address, status)))
    }
    boss.page.context.clear_cookies()
    if found := list(faults(boss, "/admin/login/?next=/admin/")):
        wrong["/admin/login/"] = found
    assert wrong == {}
