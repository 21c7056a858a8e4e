"""Pictures of pages in both modes for docs/screenshots/pages/, a WebP of 1440×900 each, and their list in docs/screens.md."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = DOCS / "screenshots" / "pages"
LIST = DOCS / "screens.md"
MODES = ("dark", "light")
QUALITIES = (62, 48, 36)
LARGEST = 60_000
"""Bytes: the first quality that is no larger is taken, else the last."""
HEAD = """# Every page

Made by `make screenshots`: every page of the admin, at 1440×900, dark and light, of a house in which each has something to show. Of pages that are
alike one stands for all. The named pictures of a whole night are in [screenshots](screenshots/README.md).
"""


@dataclass(frozen=True)
class Pictured:
    """One page's pictures: the file's name, what the page is called, who looks."""

    name: str
    title: str
    who: str


def take(page: Page, name: str) -> None:
    """Write the picture of what `page` shows in each mode."""
    session = page.context.new_cdp_session(page)
    for mode in MODES:
        page.emulate_media(color_scheme=mode, reduced_motion="reduce")  # type: ignore[arg-type]
        for quality in QUALITIES:
            taken = base64.b64decode(session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})["data"])
            if len(taken) <= LARGEST:
                break
        (FOLDER / mode).mkdir(parents=True, exist_ok=True)
        (FOLDER / mode / f"{name}.webp").write_bytes(taken)
    session.detach()


def title_of(page: Page) -> str:
    """Return what the page is called."""
    return page.title().partition(" | Pitbook")[0]


def listed(heading: str, pictured: list[Pictured]) -> str:
    """Return the part of the list."""
    lines = [f"| {one.title.replace('|', '·')} | {one.who} | {' | '.join(_link(one, mode) for mode in MODES)} |" for one in pictured]
    return "\n".join([f"## {heading}", "", "| page | who looks | | |", "| --- | --- | --- | --- |", *lines, ""])


def _link(one: Pictured, mode: str) -> str:
    return f"[{mode}](screenshots/pages/{mode}/{one.name}.webp)"


def put(heading: str, pictured: list[Pictured]) -> None:
    """Put the part into the list, in place of the one of that heading."""
    text = LIST.read_text(encoding="utf-8") if LIST.exists() else HEAD
    part = listed(heading, pictured)
    found = re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    LIST.write_text(found.sub(lambda _: f"{part}\n", text) if found.search(text) else f"{text}\n{part}", encoding="utf-8")
