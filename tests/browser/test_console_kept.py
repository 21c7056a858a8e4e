"""Nothing that was typed is lost, and nothing is saved twice: reloads, sign-outs, other people, lost lines, two pages, a colleague's round."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Open
from tests.browser.console import ADD, in_hand, sit_down, type_first_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LIST = "/admin/tables/round/"


def rounds(page: Page) -> int:
    """Return how many rounds the house has."""
    page.goto(LIST)
    return page.locator("#result_list tbody tr").count()


def test_enter_twice_and_a_double_click_are_one_round(pit_boss: Page) -> None:
    """B074."""
    sit_down(pit_boss)
    type_first_round(pit_boss)
    pit_boss.keyboard.press("Enter")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    pit_boss.keyboard.type("2h9s9dJcQhKc7dAsAd44c3cF")
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.locator("#save").dblclick()
    expect(pit_boss.locator(".saved")).to_contain_text("Round 2 is kept")
    assert rounds(pit_boss) == 2


def test_a_reload_a_sign_out_and_another_person(signed_in: Open) -> None:
    context = signed_in("PB-1")
    page = context.new_page()
    sit_down(page)
    type_first_round(page)
    uuid = page.input_value("[name=uuid]")
    page.reload()
    expect(page.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    assert (page.input_value("[name=s1_cards]"), page.is_checked("[name=s2_folded]"), page.input_value("[name=uuid]")) == ("AsAd", True, uuid)
    cookies = context.cookies()
    context.clear_cookies()
    page.keyboard.press("Enter")
    expect(page.locator("#line")).to_contain_text("You are signed out. What was typed is kept")
    other = signed_in("FS-1").cookies()
    context.add_cookies([cookie for cookie in other if cookie["name"] == "sessionid"])
    sit_down(page)
    assert (page.input_value("[name=s1_cards]"), page.inner_text("#drafted")) == ("", "")
    context.clear_cookies()
    context.add_cookies(cookies)
    sit_down(page)
    expect(page.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    page.focus("[name=s1_cards]")
    page.keyboard.press("Enter")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept")
    page.reload()
    expect(page.locator("[name=s1_cards]")).to_have_value("")


def test_a_lost_line_says_so_and_the_slip_is_sent_again_by_itself(pit_boss: Page) -> None:
    sit_down(pit_boss)
    type_first_round(pit_boss)
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.context.set_offline(True)
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#line")).to_contain_text("The line is lost. The round is kept here")
    assert pit_boss.input_value("[name=s1_cards]") == "AsAd"
    pit_boss.context.set_offline(False)
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    expect(pit_boss.locator("#line")).to_be_hidden()


def test_an_answer_that_got_lost_is_asked_for_again_and_is_one_round(pit_boss: Page) -> None:
    lost = []

    def lose_once(route: Route) -> None:
        if route.request.method != "POST" or lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    sit_down(pit_boss)
    type_first_round(pit_boss)
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.route("**/round/add/", lose_once)
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#line")).to_contain_text("The line is lost")
    pit_boss.reload()
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    assert (lost, rounds(pit_boss)) == ([201], 1)


def test_a_colleagues_round_under_the_same_number_is_named_and_what_was_typed_stays(signed_in: Open) -> None:
    """B071."""
    mine, theirs = signed_in("PB-1").new_page(), signed_in("FS-1").new_page()
    for page in (mine, theirs):
        sit_down(page)
        type_first_round(page)
    theirs.keyboard.press("Enter")
    expect(theirs.locator(".saved")).to_contain_text("Round 1 is kept")
    mine.keyboard.press("Enter")
    expect(mine.locator("#problems")).to_contain_text("Round 1 of UTH-01 was entered by FS-1 meanwhile")
    expect(mine.locator("#problems")).to_contain_text("save it as round 2")
    assert (mine.input_value("[name=s1_cards]"), mine.locator("h1").inner_text(), in_hand(mine)) == ("AsAd", "UTH-01 · round 2", "save")
    mine.keyboard.press("Enter")
    expect(mine.locator(".saved")).to_contain_text("Round 2 is kept")


def two_pages(context: BrowserContext) -> tuple[Page, Page]:
    first, second = context.new_page(), context.new_page()
    sit_down(first)
    type_first_round(first)
    expect(first.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    sit_down(second)
    return first, second


def test_two_pages_of_one_person_show_one_draft_and_save_one_round(signed_in: Open) -> None:
    first, second = two_pages(signed_in("PB-1"))
    expect(second.locator("[name=s1_cards]")).to_have_value("AsAd")
    assert first.input_value("[name=uuid]") == second.input_value("[name=uuid]")
    first.keyboard.press("Enter")
    expect(first.locator(".saved")).to_contain_text("Round 1 is kept")
    expect(second.locator("h1")).to_have_text("UTH-01 · round 2")
    expect(second.locator("[name=s1_cards]")).to_have_value("")
    assert rounds(second) == 1


def test_the_back_button_finds_what_was_typed_and_sends_nothing_again(pit_boss: Page) -> None:
    sit_down(pit_boss)
    type_first_round(pit_boss)
    pit_boss.goto(LIST)
    pit_boss.go_back()
    expect(pit_boss.locator("[name=s1_cards]")).to_have_value("AsAd")
    expect(pit_boss.locator('[data-due="d1_play"]')).to_have_text("+40.00")
    pit_boss.focus("[name=s1_cards]")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept")
    assert rounds(pit_boss) == 1
    pit_boss.go_back()
    expect(pit_boss.locator("h1")).to_have_text("UTH-01 · round 2")
    expect(pit_boss.locator("[name=s1_cards]")).to_have_value("")
    assert ADD in pit_boss.url
