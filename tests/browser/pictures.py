"""Pictures of every page in both modes, for docs/screenshots: `python -m tests.browser.pictures [NAME …]` against the demo's state.

The demo must have been played (`make demo SERVE=0`). A house of its own is served on a free port for as long as it takes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.demo_house import ADDRESS, ROOT, demo_house, opened, sign_in

PAGES = (
    ("tonight", "PB-1", "/admin/", "Tonight's board: every table, alarms on top"),
    ("tonight-surveillance", "SV-1", "/admin/?sort=-win", "The board of who may see trays and wins, sorted by win"),
    ("enter-round", "PB-1", "/admin/tables/round/add/?table=UTH-01", "The round console"),
    ("rounds", "PB-1", "/admin/tables/round/", "The list of rounds"),
    ("round", "AU-1", "first:/admin/tables/round/?off=yes", "A round: due beside done, wager by wager"),
    ("shift", "AU-1", "last:/admin/tables/shift/", "A shift under reconciliation"),
    ("findings", "AU-1", "/admin/audit/finding/", "Findings with their age and owner"),
    ("finding", "AU-1", "first:/admin/audit/finding/", "A finding: due and done side by side, what became of it"),
    ("proposals", "PB-1", "/admin/tables/roundproposal/", "Corrections that wait or were decided"),
    ("session", "PB-1", "last:/admin/tables/tablesession/", "A table as it was open in a shift"),
    ("slips", "CG-1", "/admin/tables/chipslip/", "Slips, as the cage sees them"),
    ("workshop", "GM-1", "/admin/tables/paytableversion/workshop/", "The paytable workshop"),
    ("draft", "GM-1", "/admin/tables/paytableversion/workshop/new/?from=uth-seed@1", "A paytable, with its edge as it is typed"),
    ("replay", "AU-1", "/admin/tables/paytableversion/replay/", "Settling a shift again under another version"),
    ("statistics", "AU-1", "first:/admin/audit/statisticrun/", "Win, errors and pace beside their intervals"),
    ("books", "AU-1", "/admin/ledger/entry/", "The journal's entries"),
    ("sealed", "AU-1", "/admin/ledger/segment/", "Sealed shifts"),
    ("reports", "AU-1", "/admin/reports/", "The catalogue of reports"),
    ("report", "AU-1", "/admin/reports/master-game/", "The master game report"),
    ("search", "AU-1", "/admin/search/?q=D-1187", "One search for everything"),
    ("people", "AD-1", "/admin/casino/user/", "People and their roles"),
)
"""Name, who looks, the address ("first:" and "last:" open a thing of a list), and what it shows."""


def _typed(page: Page) -> None:
    """Type a round half-way: the board, the dealer, some seats, and a payout that was not as due."""
    keys = page.keyboard
    page.wait_for_selector("html.scripted")
    if page.locator("#forget:visible").count():
        page.get_by_role("button", name="Discard draft").click()
    page.wait_for_function("() => document.activeElement.closest('#round')")
    keys.type("2h9s9dJcQhKc7d")
    for held in ("AsAd4", "4c3cF", "8h8d2", "Tc9h4"):
        seat = page.evaluate("document.activeElement.name").partition("_")[0]
        keys.type(held[:4])
        if not page.input_value(f"[name={seat}_ante]"):
            keys.type("10 ")
        keys.type(held[4])
    page.wait_for_selector("[data-due$='_play']:not(:empty)")
    first = page.evaluate("document.querySelector('.seats tr[data-seat]:not(.away)').dataset.seat")
    page.focus(f"[name=s{first}_cards]")
    keys.press("p")
    page.focus(f"[name=d{first}_play]")
    keys.type("+45")
    page.wait_for_selector("#differences legend")
    page.focus(f"[name=s{first}_cards]")
    keys.press("r")
    page.wait_for_selector("#reasons section")
    page.evaluate("scrollTo(0, 0)")


AT_WORK: Mapping[str, Callable[[Page], None]] = {"enter-round": _typed}
"""What is done on a page before its picture is taken, by the picture's name."""


def main(folder: Path, only: Sequence[str] = ()) -> None:
    """Take every picture, or `only` those of these names, and list them in the folder's README."""
    with demo_house() as browser:
        for mode in ("dark", "light"):
            _take(browser, folder, mode, only)
    lines = [f"| {words} | [dark]({name}-dark.png) | [light]({name}-light.png) |" for name, _, _, words in PAGES]
    head = ["# Screenshots", "", "Made by `make screenshots` from the demo's night.", "", "| page | | |", "| --- | --- | --- |"]
    (folder / "README.md").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")


def _take(browser: Browser, folder: Path, mode: str, only: Sequence[str]) -> None:
    pages: dict[str, Page] = {}
    for name, who, address, _words in PAGES:
        if only and name not in only:
            continue
        if who not in pages:
            context = browser.new_context(base_url=ADDRESS, viewport={"width": 1440, "height": 900}, color_scheme=mode)  # type: ignore[arg-type]
            pages[who] = sign_in(context, who)
        page = pages[who]
        opened(page, address)
        if name in AT_WORK:
            AT_WORK[name](page)
        picture = folder / f"{name}-{mode}.png"
        page.screenshot(path=picture)
        if squeeze := shutil.which("pngquant"):  # a palette is enough, and a third of the size
            subprocess.run([squeeze, "--force", "--ext", ".png", "--speed", "1", "96", str(picture)], check=True)
        print(f"{name}-{mode}.png")


if __name__ == "__main__":
    main(ROOT / "docs" / "screenshots", sys.argv[1:])
