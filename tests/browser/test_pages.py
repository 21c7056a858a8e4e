"""Every page keeps the strict content policy, in both modes and sizes, and fits its screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from audit.models import Finding
from audit.services import audit_payouts, reconcile_shift
from ledger.models import Entry
from tables.models import PaytableVersion, Round
from tests.browser.conftest import Open
from tests.builders import House, end_night, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def night(house: House) -> dict[str, list[str]]:
    """Return the addresses of every kind of page, by who opens it, after a night that was audited."""
    play(house, done={"1": {"play": {"paid": 4500}}})
    play(house, "PAY-01")
    end_night(house, closers={"UTH-01": -5000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    shift = f"/admin/tables/shift/{house.shift.pk}/change/"
    return {
        "PB-1": [
            "/admin/",
            shift,
            "/admin/tables/shift/",
            "/admin/tables/round/",
            "/admin/tables/round/?day_from=06-01-2023",
            "/admin/tables/round/add/",
            f"/admin/tables/round/{Round.objects.order_by('pk')[0].pk}/change/",
            "/admin/audit/finding/",
            f"/admin/audit/finding/{Finding.objects.order_by('pk')[0].pk}/change/",
            f"/admin/tables/paytableversion/{PaytableVersion.objects.order_by('pk')[0].pk}/change/",
            "/admin/tables/chipmovement/",
            "/admin/tables/traycount/",
            f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/change/",
            "/admin/password_change/",
            "/admin/nowhere/",
            "/admin/casino/user/",
        ],
        "AU-1": [
            shift,
            "/admin/ledger/account/",
            "/admin/ledger/entry/",
            f"/admin/ledger/entry/{Entry.objects.order_by('-pk')[0].pk}/change/",
            f"/admin/casino/user/{house.people['PB-1'].pk}/change/",
        ],
        "AD-1": [
            "/admin/",
            "/admin/casino/user/",
            "/admin/casino/user/add/",
            f"/admin/casino/user/{house.people['PB-1'].pk}/change/",
            "/admin/casino/job/",
        ],
    }


@pytest.mark.parametrize(
    ("width", "mode"),
    [(1440, "dark"), (768, "light"), pytest.param(1440, "light", marks=pytest.mark.long), pytest.param(768, "dark", marks=pytest.mark.long)],
)
def test_no_page_breaks_the_policy_or_its_frame(night: dict[str, list[str]], signed_in: Open, mode: str, width: int) -> None:
    wrong = []
    for who, addresses in night.items():
        page = signed_in(who, color_scheme=mode).new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: pytest.fail(f"a script broke: {error}"))
        for address in addresses:
            page.goto(address)
            violations = page.evaluate("window.violations")
            wide = page.evaluate("document.documentElement.scrollWidth") - width
            if violations or wide > 0:
                wrong.append((address, violations, wide))
    assert wrong == []


def test_the_menu_and_the_search_are_reached_by_keys(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto("/admin/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("D-1187")
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/tables/round/?q=D-1187")
    page.locator("details.menu summary").first.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("link", name="Tray counts").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("link", name="Tray counts").is_visible()


def test_signing_in_keeps_the_policy(house: House, live_server: LiveServer, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.context.clear_cookies()
    page.goto("/admin/")
    assert page.evaluate("window.violations") == []
    assert page.get_by_label("Staff number").is_visible()


def test_the_keys_of_a_page_are_listed_and_lead_to_its_places(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto("/admin/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys of this page")
    expect(dialog).to_be_visible()
    expect(dialog.locator("[data-places]")).to_contain_text("Shifts")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/admin/tables/shift/")
    page.keyboard.press("/")
    page.keyboard.type("g?")  # what is typed is typed
    assert page.locator("[data-key='/']").input_value() == "g?"
    assert page.evaluate("window.violations") == []


def test_a_column_head_sorts_the_board_by_keyboard(house: House, signed_in: Open) -> None:
    page = signed_in("AU-1").new_page()
    page.goto("/admin/")
    assert page.locator("table.board tbody th").all_inner_texts() == ["PAY-01 P1", "UTH-01 P1", "UTH-02 P2"]
    page.get_by_role("link", name="Table", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin/?sort=-table")
    assert page.locator("table.board tbody th").all_inner_texts() == ["UTH-02 P2", "UTH-01 P1", "PAY-01 P1"]
    expect(page.get_by_role("columnheader", name="Table")).to_have_attribute("aria-sort", "descending")


def test_on_a_tablet_the_way_into_a_table_stays_in_sight_and_fits_a_finger(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1", has_touch=True, color_scheme="light").new_page()
    page.set_viewport_size({"width": 768, "height": 1024})
    page.goto("/admin/")
    for place in ("tbody th[scope=row] a", "td.go a"):
        box = page.locator(f"table.board {place}").first.bounding_box()
        assert box is not None
        assert (box["x"] >= 0, box["x"] + box["width"] <= 768) == (True, True), place
    assert box["height"] >= 44
    page.locator("td.go a").first.tap()
    page.wait_for_url("**/round/add/?table=*")
    page.goto(f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/close/?step=count")
    assert page.locator("input[data-value]").evaluate_all("(all) => all.filter((one) => one.getBoundingClientRect().height < 44).length") == 0
    expect(page.locator(".keypad")).to_be_visible()
    assert page.locator("input[data-value]").first.get_attribute("inputmode") == "none", "the keypad is there, the tablet's own keyboard stays away"
    page.locator("[data-keypad]").tap()
    assert page.locator("input[data-value]").first.get_attribute("inputmode") == "numeric"


def test_the_switch_of_the_theme_is_drawn_whole(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto("/admin/")
    icon = page.locator(".theme-toggle svg:visible")
    needed = page.locator("#icon-auto").evaluate("(symbol) => [symbol.getAttribute('width'), symbol.getAttribute('height')]")
    assert needed == ["1.5rem", "1.5rem"]  # what Django draws, whatever room it is given
    box = icon.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
