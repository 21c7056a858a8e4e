"""What is typed into any form outlives a reload, a sign-out, a lost line and a crash; passwords do not, and nobody else sees it."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Cookie, Page, expect

from audit.services import audit_payouts, reconcile_shift
from tests.browser.conftest import Open
from tests.builders import House, end_night, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BACK = "What you typed here and did not send is back."
SAID = "Watch seat 3 at UTH-01."
PASSWORD = "correct horse battery staple"


@pytest.fixture
def shift(house: House) -> str:
    """Return the address of a shift that was audited and reconciled; its pit boss can sign in."""
    boss = house.people["PB-1"]
    boss.set_password(PASSWORD)
    boss.save(update_fields=["password"])
    play(house)
    end_night(house, closers={"UTH-01": -5000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return f"/admin/tables/shift/{house.shift.pk}/change/"


@pytest.fixture
def buy_in(house: House) -> str:
    """Return the address where a buy-in is typed."""
    return f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/buy-in/do/"


def sign_out(context: BrowserContext) -> list[Cookie]:
    """End the session as time does: the cookie is gone, the page stays. Returns it."""
    kept = [cookie for cookie in context.cookies() if cookie["name"] == "sessionid"]
    context.clear_cookies(name="sessionid")
    return kept


def sign_in(page: Page, who: str = "PB-1") -> None:
    """Sign in at the page that asks for it."""
    page.get_by_label("Staff number").fill(who)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def test_a_note_that_was_sent_signed_out_is_back_after_signing_in(shift: str, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto(shift)
    page.get_by_role("textbox", name="Note").fill(SAID)
    sign_out(page.context)
    page.get_by_role("button", name="Keep the note").click()
    page.wait_for_url(f"**/admin/login/?next={shift.replace('/', '%2F')}#notes")
    sign_in(page)
    page.wait_for_url(f"**{shift}*")
    expect(page.get_by_role("textbox", name="Note")).to_have_value(SAID)
    expect(page.get_by_role("status").filter(has_text=BACK)).to_be_visible()
    assert page.evaluate("window.violations") == []
    page.get_by_role("button", name="Keep the note").click()
    expect(page.locator("#notes blockquote")).to_contain_text(SAID)
    expect(page.get_by_role("textbox", name="Note")).to_have_value("")
    page.reload()
    expect(page.locator("#notes blockquote")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Note")).to_have_value("")


def test_a_slip_outlives_a_reload_a_lost_line_and_another_person_and_is_kept_once(buy_in: str, signed_in: Open) -> None:
    context = signed_in("FS-1")
    page = context.new_page()
    page.goto(buy_in)
    uuid = page.input_value("[name=uuid]")
    page.fill("[name=amount]", "300")
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("300")
    assert page.input_value("[name=uuid]") == uuid
    context.set_offline(True)
    page.locator("form.act button.default").click()
    page.wait_for_url("chrome-error://**")
    context.set_offline(False)
    mine = sign_out(context)
    context.add_cookies([cookie for cookie in signed_in("PB-1").cookies() if cookie["name"] == "sessionid"])
    page.goto(buy_in)
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.get_by_text(BACK)).to_have_count(0)
    context.add_cookies(mine)
    page.goto(buy_in)
    expect(page.locator("[name=amount]")).to_have_value("300")
    page.locator("form.act button.default").click()
    page.wait_for_url("**/change/")
    page.goto(buy_in)
    expect(page.locator("[name=amount]")).to_have_value("")


def test_it_can_be_discarded(buy_in: str, signed_in: Open) -> None:
    page = signed_in("FS-1").new_page()
    page.goto(buy_in)
    page.fill("[name=amount]", "300")
    page.reload()
    fresh = page.evaluate("document.querySelector('[name=uuid]').value")
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator("[name=amount]")).to_have_value("")
    expect(page.get_by_text(BACK)).to_have_count(0)
    assert page.input_value("[name=uuid]") != fresh  # what was typed anew is another slip
    page.reload()
    expect(page.locator("[name=amount]")).to_have_value("")


def test_what_was_refused_is_answered_at_the_address_of_its_page_and_outlives_a_sign_out_there(shift: str, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto(shift)
    explained = page.get_by_role("textbox", name="Explanation")
    explained.fill("A stack fell.")
    page.get_by_role("textbox", name="Note").fill("   ")
    page.get_by_role("button", name="Keep the note").click()
    expect(page.locator("#notes .error")).to_have_text("A note says something.")
    assert page.evaluate("location.pathname") == shift
    expect(explained).to_have_value("A stack fell.")  # the page's other form was not sent
    page.get_by_role("textbox", name="Note").fill(SAID)
    sign_out(page.context)
    page.get_by_role("button", name="Keep the note").click()
    sign_in(page)
    page.wait_for_url(f"**{shift}*")
    expect(page.get_by_role("textbox", name="Note")).to_have_value(SAID)


def test_a_password_is_never_kept(shift: str, signed_in: Open) -> None:
    page = signed_in("AU-1").new_page()
    page.goto(shift)
    page.locator("#id_sign_password").fill(PASSWORD)
    assert PASSWORD not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    page.reload()
    expect(page.locator("#id_sign_password")).to_have_value("")


def test_a_count_stays_in_its_tab_and_goes_when_somebody_else_signs_in_there(house: House, signed_in: Open) -> None:
    context = signed_in("PB-1")
    page = context.new_page()
    count = f"/admin/tables/tablesession/{house.sessions['UTH-01'].pk}/close/?step=count"
    page.goto(count)
    pieces = page.locator("input[data-value]").first
    pieces.fill("37")
    page.reload()
    expect(pieces).to_have_value("37")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('pitbook:form:'))") == []
    mine = sign_out(context)
    context.add_cookies([cookie for cookie in signed_in("SM-1").cookies() if cookie["name"] == "sessionid"])
    page.goto(count)
    assert "37" not in page.evaluate("JSON.stringify({...sessionStorage})")
    context.add_cookies(mine)
    page.goto(count)
    expect(pieces).to_have_value("")


def test_who_signs_out_by_hand_leaves_nothing_to_the_next_person_at_the_desk(buy_in: str, signed_in: Open) -> None:
    context = signed_in("FS-1")
    page = context.new_page()
    page.goto(buy_in)
    page.fill("[name=amount]", "300")
    page.locator("details.menu.end summary").click()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/logout/**")
    assert "300" in page.evaluate("JSON.stringify({...localStorage})")  # they may come back
    context.add_cookies([cookie for cookie in signed_in("PB-1").cookies() if cookie["name"] == "sessionid"])
    page.goto("/admin/")
    assert "300" not in page.evaluate("JSON.stringify({...localStorage})")


def test_the_line_is_german_for_who_reads_german_and_djangos_own_forms_keep_too(house: House, signed_in: Open) -> None:
    page = signed_in("AD-1", locale="de-DE").new_page()
    page.goto("/admin/casino/user/add/")
    page.locator("[name=username]").fill("PB-77")
    page.reload()
    expect(page.locator("[name=username]")).to_have_value("PB-77")
    expect(page.get_by_text("Was Sie hier getippt und nicht abgeschickt haben, ist wieder da.")).to_be_visible()
    assert page.evaluate("window.violations") == []
