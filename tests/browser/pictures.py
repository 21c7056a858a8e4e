"""Pictures of every page in both modes, for docs/screenshots: `python -m tests.browser.pictures [NAME …]` against the demo's state.

The demo must have been played (`make demo SERVE=0`). A house of its own is served on a free port for as long as it takes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STATE = Path(os.environ.get("PITBOOK_STATE") or ROOT / ".pitbook")
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
PORT = 8765

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


def main(folder: Path, only: Sequence[str] = ()) -> None:
    """Take every picture, or `only` those of these names, and list them in the folder's README."""
    sign_ins = {one["number"]: one["password"] for one in json.loads((STATE / "demo.json").read_text())["sign_ins"]}
    served = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(PORT)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for mode in ("dark", "light"):
                _take(browser, folder, mode, sign_ins, only)
            browser.close()
    finally:
        served.terminate()
        served.wait()
    lines = [f"| {words} | [dark]({name}-dark.png) | [light]({name}-light.png) |" for name, _, _, words in PAGES]
    head = ["# Screenshots", "", "Made by `make screenshots` from the demo's night.", "", "| page | | |", "| --- | --- | --- |"]
    (folder / "README.md").write_text("\n".join([*head, *lines, ""]), encoding="utf-8")


def _wait() -> None:
    for _ in range(120):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=2)
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("The house does not answer.")


def _take(browser: Browser, folder: Path, mode: str, sign_ins: dict[str, str], only: Sequence[str]) -> None:
    pages = {}
    for name, who, address, _words in PAGES:
        if only and name not in only:
            continue
        if who not in pages:
            context = browser.new_context(base_url=f"http://127.0.0.1:{PORT}", viewport={"width": 1440, "height": 900}, color_scheme=mode)  # type: ignore[arg-type]
            pages[who] = context.new_page()
            pages[who].goto("/admin/login/")
            pages[who].fill("#id_username", who)
            pages[who].fill("#id_password", sign_ins[who])
            pages[who].keyboard.press("Enter")
            pages[who].wait_for_url("**/admin/")
        page = pages[who]
        page.goto(address.removeprefix("first:").removeprefix("last:"))
        if not address.startswith("/"):
            things = page.locator("#result_list tbody th a")
            (things.first if address.startswith("first:") else things.last).click()
            page.wait_for_url("**/change/**")
        page.wait_for_load_state("networkidle")
        picture = folder / f"{name}-{mode}.png"
        page.screenshot(path=picture)
        if squeeze := shutil.which("pngquant"):  # a palette is enough, and a third of the size
            subprocess.run([squeeze, "--force", "--ext", ".png", "--speed", "1", "96", str(picture)], check=True)
        print(f"{name}-{mode}.png")


if __name__ == "__main__":
    main(ROOT / "docs" / "screenshots", sys.argv[1:])
