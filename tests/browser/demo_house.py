"""The demo's house, served on a free port for as long as somebody looks at it, and people of it signed in. It must have been played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STATE = Path(os.environ.get("PITBOOK_STATE") or ROOT / ".pitbook")
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]
PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"


@contextmanager
def demo_house() -> Iterator[Browser]:
    """Serve the demo's house, and give a browser to look at it."""
    served = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(PORT)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        _wait()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            yield browser
            browser.close()
    finally:
        served.terminate()
        served.wait()


def _wait() -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(f"{ADDRESS}/healthz", timeout=2)
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("The house does not answer.")


def sign_in(context: BrowserContext, who: str) -> Page:
    """Return a page of `context` in which `who` is signed in, with the password that the demo printed."""
    sign_ins = {one["number"]: one["password"] for one in json.loads((STATE / "demo.json").read_text())["sign_ins"]}
    page = context.new_page()
    page.goto("/admin/login/")
    page.fill("#id_username", who)
    page.fill("#id_password", sign_ins[who])
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/")
    return page


def opened(page: Page, address: str) -> None:
    """Open the address; "first:" and "last:" open a thing of the list that follows."""
    page.goto(address.removeprefix("first:").removeprefix("last:"))
    if not address.startswith("/"):
        things = page.locator("#result_list tbody th a")
        (things.first if address.startswith("first:") else things.last).click()
        page.wait_for_url("**/change/**")
    page.wait_for_load_state("networkidle")
