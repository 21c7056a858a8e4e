"""How soon a page is there: `python -m tests.browser.paint` against the demo's state prints, for each page, when Chromium painted first.

No test is timed; this is looked at. `first paint` and `largest` are Chromium's own performance entries, from the navigation's start;
`server` is from the request to the first byte of its answer. Each page is opened a few times, and the middle one stands.
"""

from __future__ import annotations

from statistics import median

from playwright.sync_api import Page

from tests.browser.demo_house import ADDRESS, demo_house, opened, sign_in
from tests.browser.pictures import PAGES

TIMES = 5
GOAL = 1000
_ENTRIES = """() => {
  const way = performance.getEntriesByType("navigation")[0];
  const painted = performance.getEntriesByName("first-contentful-paint")[0];
  return [way.responseStart - way.requestStart, painted ? painted.startTime : NaN, way.domContentLoadedEventEnd];
}"""


def main() -> None:
    """Print a line a page: server, first paint, scripts run, in milliseconds."""
    with demo_house() as browser:
        people: dict[str, Page] = {}
        print(f"{'page':24} {'server':>8} {'painted':>8} {'ready':>8}   ms, median of {TIMES}; goal: painted below {GOAL}")
        for name, who, address, _words in PAGES:
            if who not in people:
                people[who] = sign_in(browser.new_context(base_url=ADDRESS, viewport={"width": 1440, "height": 900}), who)
            page = people[who]
            opened(page, address)
            address = page.url
            seen = []
            for _ in range(TIMES):
                page.goto(address)
                page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
                seen.append(page.evaluate(_ENTRIES))
            server, painted, ready = (median(one) for one in zip(*seen, strict=True))
            print(f"{name:24} {server:8.0f} {painted:8.0f} {ready:8.0f}{'' if painted < GOAL else '   too late'}", flush=True)


if __name__ == "__main__":
    main()
