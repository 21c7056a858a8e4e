"""What can be wrong with a page as it is seen: the policy, axe, its width at each size, what is lost at 200 %, and what it is on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, ViewportSize

LARGE: ViewportSize = {"width": 1440, "height": 900}
TABLET: ViewportSize = {"width": 768, "height": 1024}
ZOOMED: ViewportSize = {"width": 720, "height": 450}
"""1440×900 at 200 %: half as many CSS pixels either way (WCAG 2.2, 1.4.4 and 1.4.10)."""
PAPER: ViewportSize = {"width": 1047, "height": 718}
"""A4 lying, with 10 mm of margin, at 96 pixels an inch."""
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_WHOLE = {"runOnly": {"type": "tag", "values": _TAGS}, "rules": {"target-size": {"enabled": True}}}
_LOOKS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block", "target-size"]}}
"""What another mode or size can change of a page; the rest of it is the same document."""

_CONTROLS = """() => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && one.getClientRects().length > 0;
  window.controls ??= [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")];
  return window.controls.map(seen);
}"""
"""Which of the page's controls can be seen, in the order in which they were found at first."""
_OUT_OF_REACH = """() => {
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
  const inScroller = (one) => { for (let up = one; up; up = up.parentElement) if (scrolls(up)) return true; return false; };
  const hidden = (one) => !one.checkVisibility({ visibilityProperty: true }) || one.closest(".visually-hidden, [inert]");
  return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, h1, h2, th, td, p, dd")]
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return !hidden(one) && box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !inScroller(one);
    })
    .map((one) => one.outerHTML.slice(0, 120));
}"""
_SCROLLS_WITHOUT_A_TABLE = """() => [...document.querySelectorAll("body *")]
  .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1 && one.checkVisibility()
    && !one.matches("textarea, pre, select") && !one.querySelector("table, svg"))
  .map((one) => one.outerHTML.slice(0, 120))"""
_COVERED = """() => Math.round([...document.querySelectorAll("body *")].filter((one) => one.checkVisibility())
  .filter((one) => {
    const look = getComputedStyle(one);
    return look.position === "fixed" || (look.position === "sticky" && (look.top !== "auto" || look.bottom !== "auto"));
  })
  .reduce((sum, one) => sum + one.getBoundingClientRect().height, 0))"""
"""How many pixels, from top to bottom, what does not move with the page takes of it."""
_COVERED_ASIDE = """() => Math.max(0, ...[...document.querySelectorAll("tr")].map((row) => Math.round(100 / innerWidth *
  [...row.cells].filter((one) => getComputedStyle(one).position === "sticky").reduce((sum, one) => sum + one.getBoundingClientRect().width, 0))))"""
"""Which part of the page's width, in percent, the cells of a row take that stay while the others are pushed aside."""
_STILL_ON_PAPER = """() => ["#header", ".breadcrumbs", "#changelist-filter", "#toolbar", ".actions", "button", "input[type=submit]",
  "input[type=file]", "input[type=password]", ".paginator a"]
  .filter((rule) => [...document.querySelectorAll(rule)].some((one) => one.checkVisibility({ visibilityProperty: true })))"""
_CUT_ON_PAPER = """() => [...document.querySelectorAll("table, h1, dl, pre, .panel")]
  .filter((one) => one.checkVisibility() && !one.closest(".visually-hidden"))
  .filter((one) => {
    const around = one.parentElement;
    const hides = getComputedStyle(around).overflowX !== "visible" && around.scrollWidth > around.clientWidth + 1;
    return hides || one.getBoundingClientRect().right > innerWidth + 1;
  })
  .map((one) => `${one.outerHTML.slice(0, 90)} ends at ${Math.round(one.getBoundingClientRect().right)}`)"""

_PALE_ON_PAPER = """() => {
  const light = (colour) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll("body *")].filter((one) => says(one) && one.checkVisibility() && !one.closest("svg, option"))
    .filter((one) => 1.05 / (light(getComputedStyle(one).color) + 0.05) < 4.5).map((one) => one.outerHTML.slice(0, 120));
}"""
"""Text whose colour is less than 4.5 to 1 on white: paper has no other ground."""


@dataclass
class Watched:
    """A page of somebody's browser, and what its console said since it was last asked."""

    page: Page
    said: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        """Keep an error that the console was told."""
        if message.type == "error":
            self.said.append(message.text)


def watched(context: BrowserContext) -> Watched:
    """Return a new page of `context` that is listened to."""
    one = Watched(context.new_page())
    one.page.on("console", one.note)
    one.page.on("pageerror", lambda error: one.said.append(str(error)))
    return one


def faults(seen: Watched, address: str, status: int = 200) -> Iterator[str]:
    """Yield what is wrong with a page: in the dark on a large screen, in the light on a tablet, at 200 %, and printed."""
    page = seen.page
    seen.said.clear()
    page.emulate_media(media="screen", color_scheme="dark", reduced_motion="reduce")  # a colour that is still changing is nobody's
    page.set_viewport_size(LARGE)
    answer = page.goto(address, timeout=120_000)
    if answer is None or answer.status != status:
        yield f"answers {answer and answer.status}"
    yield from (f"breaks the policy: {violation}" for violation in page.evaluate("window.violations"))
    if status == 200:
        yield from (f"says {words}" for words in seen.said)
    page.evaluate(AXE_SCRIPT)
    yield from _wide(page)
    yield from _axe(page, _WHOLE, "dark")
    controls = page.evaluate(_CONTROLS)
    page.emulate_media(media="screen", color_scheme="light", reduced_motion="reduce")
    page.set_viewport_size(TABLET)
    yield from _wide(page)
    yield from _axe(page, _LOOKS, "light")
    yield from _zoomed(page, controls)
    yield from _printed(page)


def _wide(page: Page) -> Iterator[str]:
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    if wide > 0:
        yield f"is {wide} px too wide for {page.viewport_size}"


def _axe(page: Page, options: dict[str, Any], mode: str) -> Iterator[str]:
    found = page.evaluate("(options) => axe.run(document, options)", {**options, "resultTypes": ["violations"]})
    for fault in found["violations"]:
        for node in fault["nodes"]:
            yield f"{mode}: {fault['id']}: {node['html'][:170]} {node['failureSummary'].splitlines()[-1].strip()[:170]}"


def _zoomed(page: Page, before: list[bool]) -> Iterator[str]:
    """Yield what is lost, out of reach or covered when everything is twice as large."""
    page.set_viewport_size(ZOOMED)
    yield from _wide(page)
    after = page.evaluate(_CONTROLS)
    lost = [place for place, (was, still) in enumerate(zip(before, after, strict=True)) if was and not still]
    for place in lost:
        yield f"at 200 % it loses {page.evaluate('(place) => window.controls[place].outerHTML.slice(0, 120)', place)}"
    yield from (f"at 200 % it is out of reach: {one}" for one in page.evaluate(_OUT_OF_REACH))
    yield from (f"at 200 % it scrolls sideways, and is no table: {one}" for one in page.evaluate(_SCROLLS_WITHOUT_A_TABLE))
    covered = page.evaluate(_COVERED)
    if covered > ZOOMED["height"] / 3:
        yield f"at 200 % {covered} px of {ZOOMED['height']} are covered by what stays in place"
    aside = page.evaluate(_COVERED_ASIDE)
    if aside > 60:
        yield f"at 200 % {aside} % of a row are covered by cells that stay in place"


def _printed(page: Page) -> Iterator[str]:
    """Yield what is on paper that nobody can use there, what is cut off, and what is too pale to be read."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size(PAPER)
    yield from (f"prints {rule}" for rule in page.evaluate(_STILL_ON_PAPER))
    yield from (f"on paper it is cut off: {one}" for one in page.evaluate(_CUT_ON_PAPER))
    yield from (f"on paper it is too pale: {one}" for one in page.evaluate(_PALE_ON_PAPER))
