"""The round console by keyboard: a round is typed as it lies, seen before it is saved, saved once; what is wrong stands where it is wrong."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import Open
from tests.browser.console import BOARD, SEATS, in_hand, sit_down, six_seats, type_first_round
from tests.builders import House

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


KEYS = 45
RATE = 5
"""Keys a second."""
MOST_SECONDS = 20


@pytest.fixture
def six(house: House) -> House:
    """Return the house after a round of six seats at UTH-01; asked for before the browser, since rows are made before it opens."""
    six_seats(house)
    return house


def busy(watching: CDPSession) -> float:
    """Return the seconds of processor time that the page's own thread has used: scripts, style, layout. What else the machine does is not in it."""
    return {one["name"]: one["value"] for one in watching.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


def test_six_seats_take_45_keys_under_20_seconds_and_the_next_round_lies_open(six: House, signed_in: Open) -> None:
    """The seconds: the keys at the rate at which people of the trade type, and what the page itself needs; what it asks the house is counted."""
    page = signed_in("PB-1").new_page()
    watching = page.context.new_cdp_session(page)
    watching.send("Performance.enable", {"timeDomain": "threadTicks"})
    sit_down(page)
    page.evaluate("window.same = true")
    before, asked = busy(watching), []
    assert in_hand(page) == "r_community"
    page.keyboard.type(BOARD)
    assert in_hand(page) == "r_dealer"
    page.keyboard.type("Kc7d")
    for seat, keys in enumerate(SEATS, start=1):
        assert in_hand(page) == f"s{seat}_cards"
        page.keyboard.type(keys)
    assert in_hand(page) == "save"
    expect(page.locator('[data-due="d4_trips"]')).to_have_text("+15.00")
    expect(page.locator("[name=d4_trips]")).to_have_value("+15.00")
    expect(page.locator('[data-dealer="hand"]')).to_have_text("Pair of nines")
    page.on("request", lambda request: asked.append(request.method))
    page.keyboard.press("Enter")
    expect(page.locator(".saved")).to_contain_text("Round 2 is kept")
    expect(page.locator("#pace")).to_have_text(re.compile(rf"^last round \d+ s · {KEYS} keys$"))
    expect(page.locator("h1")).to_have_text("UTH-01 · round 3")
    expect(page.locator("#last tbody tr")).to_have_count(2)
    assert (in_hand(page), page.evaluate("window.same")) == ("r_community", True)
    own = busy(watching) - before
    print(f"{KEYS} keys, {own:.2f} s of the page's own")
    assert own > 0
    assert KEYS / RATE + own < MOST_SECONDS
    assert asked == ["POST"]  # from the last key to the next round: one question, and nothing more is waited for
    assert page.evaluate("[...document.querySelectorAll('[data-kind=cards], [data-kind=times]')].every((input) => input.value === '')")
    assert [page.input_value(f"[name=s{seat}_{field}]") for seat, field in ((1, "ante"), (6, "trips"))] == ["10.00", "5.00"]
    assert page.evaluate("window.violations") == []


def test_what_is_due_stands_there_while_it_is_typed_and_before_enter(six: House, signed_in: Open) -> None:
    """How soon is `python -m bench doors`; here, that it needs no key but those of the round, and that nothing is saved for it."""
    page = signed_in("PB-1").new_page()
    sit_down(page)
    page.keyboard.type(BOARD + "Kc7d" + "".join(SEATS[:5]))
    expect(page.locator('[data-due="d6_play"]')).to_be_empty()
    page.keyboard.type(SEATS[5][:4])
    expect(page.locator('[data-due="d6_play"]')).to_be_empty()
    page.keyboard.type(SEATS[5][4])
    for seat in range(1, 7):
        expect(page.locator(f'[data-due="d{seat}_ante"]')).not_to_be_empty()
    expect(page.locator('[data-house="due"]')).not_to_be_empty()
    expect(page.locator("#last tbody tr")).to_have_count(1)


def test_a_table_where_nobody_sat_yet_is_typed_seat_by_seat(pit_boss: Page) -> None:
    sit_down(pit_boss)
    type_first_round(pit_boss)
    expect(pit_boss.locator('[data-house="due"]')).to_have_text("−30.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("Round 1 is kept: house −30.00 · as due")
    assert pit_boss.locator(".seats tr.away").count() == 5


def test_the_deck_shows_what_is_gone_and_a_card_dealt_twice_at_both_places(pit_boss: Page) -> None:
    """B020."""
    sit_down(pit_boss)
    pit_boss.keyboard.type(f"{BOARD}Kc7d9s")
    expect(pit_boss.locator('[data-deck="Jc"]')).to_have_class("suit-c gone")
    expect(pit_boss.locator('[data-deck="9s"]')).to_have_class("suit-s twice")
    expect(pit_boss.locator(".card.twice")).to_have_count(2)
    words = "The nine of spades is dealt twice: Board and Seat 1 Cards."
    for name in ("r_community", "s1_cards"):
        expect(pit_boss.locator(f"#e_{name}")).to_have_text(words)
        expect(pit_boss.locator(f"[name={name}]")).to_have_attribute("aria-describedby", f"e_{name}")
        expect(pit_boss.locator(f"[name={name}]")).to_have_attribute("aria-invalid", "true")
    expect(pit_boss.locator("#said")).to_contain_text(words)
    pit_boss.keyboard.type("Ad")
    assert in_hand(pit_boss) == "s1_cards"
    pit_boss.keyboard.press("Backspace")
    pit_boss.keyboard.press("Backspace")
    expect(pit_boss.locator(".card.twice")).to_have_count(0)
    expect(pit_boss.locator("#e_r_community")).to_be_hidden()


@pytest.mark.parametrize("typed", ["10s", "ts", "TS", "Ts", "T♠", "10♠"])
def test_a_ten_is_read_in_every_spelling(pit_boss: Page, typed: str) -> None:
    """B019."""
    sit_down(pit_boss)
    pit_boss.keyboard.type(typed)
    expect(pit_boss.locator('[data-cards="r_community"] .card').first).to_have_attribute("aria-label", "ten of spades")
    assert pit_boss.locator(".card.wrong").count() == 0


def test_what_is_no_card_is_named_and_keeps_the_cursor(pit_boss: Page) -> None:
    """B019."""
    sit_down(pit_boss)
    pit_boss.keyboard.type("1Os Jd Qc 6d 5c")
    expect(pit_boss.locator(".card.wrong")).to_have_text("1Os")
    expect(pit_boss.locator("#e_r_community")).to_contain_text("1Os")
    expect(pit_boss.locator("#said")).to_contain_text("1Os")
    assert in_hand(pit_boss) == "r_community"


def test_a_seat_is_switched_off_and_on_by_a_key(six: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    sit_down(page)
    page.keyboard.type(f"{BOARD}Kc7d")
    page.keyboard.press("-")
    assert (in_hand(page), page.input_value("[name=s1_ante]")) == ("s2_cards", "")
    page.keyboard.press("Shift+Digit1")
    assert (in_hand(page), page.input_value("[name=s1_ante]"), page.input_value("[name=s1_trips]")) == ("s1_cards", "10.00", "5.00")
    page.keyboard.press("F")
    assert (in_hand(page), page.is_checked("[name=s1_folded]")) == ("s2_cards", True)
    page.keyboard.press("Shift+Digit6")
    expect(page.locator(".seats tr[data-seat='6']")).to_have_class("away")


def test_arrows_move_within_the_cards_and_lead_on_from_their_edge(six: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    sit_down(page)
    keys = page.keyboard

    def caret() -> tuple[str, int]:
        return in_hand(page), page.evaluate("document.activeElement.selectionStart")

    keys.type(BOARD + "Kc7dAs")
    assert caret() == ("s1_cards", 2)
    keys.press("ArrowLeft")
    assert caret() == ("s1_cards", 1)
    keys.press("Home")
    assert caret() == ("s1_cards", 0)
    keys.type("4c")
    assert page.input_value("[name=s1_cards]") == "4cAs"
    page.focus("[name=s1_cards]")
    keys.press("End")
    assert caret() == ("s1_cards", 4)
    keys.press("Home")
    keys.press("ArrowRight")
    assert caret() == ("s1_cards", 1)
    keys.press("Home")
    keys.press("ArrowLeft")
    assert caret() == ("r_dealer", 4)
    keys.press("ArrowRight")
    assert in_hand(page) == "s1_cards"
    keys.press("End")
    keys.press("ArrowRight")
    assert in_hand(page) == "s1_play"
    keys.press("ArrowLeft")  # one key a play has no text to move in
    assert in_hand(page) == "s1_cards"


def test_only_the_multiples_of_the_paytable_are_offered(pit_boss: Page) -> None:
    sit_down(pit_boss)
    pit_boss.keyboard.type(f"{BOARD}Kc7dAsAd10 ")
    assert pit_boss.locator("[data-times='s1_play']").all_inner_texts() == ["4×", "3×", "2×", "1×"]  # seen once somebody plays there
    pit_boss.keyboard.type("75x")
    assert (in_hand(pit_boss), pit_boss.input_value("[name=s1_play]")) == ("s1_play", "")
    pit_boss.keyboard.type("3")
    expect(pit_boss.locator("[data-times='s1_play'][aria-pressed='true']")).to_have_text("3×")


def test_a_difference_is_named_at_once_and_says_what_became_of_it(pit_boss: Page) -> None:
    sit_down(pit_boss)
    type_first_round(pit_boss)
    pit_boss.focus("[name=s1_cards]")
    pit_boss.keyboard.press("p")
    expect(pit_boss.locator("[name=d1_ante]")).to_be_focused()
    pit_boss.focus("[name=d1_play]")
    pit_boss.keyboard.type("+45")
    expect(pit_boss.locator("#differences legend")).to_have_text("Seat 1 got 5.00 more than due on play")
    expect(pit_boss.locator('[data-house="off"]')).to_have_text("−5.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#problems")).to_contain_text("Say below what became of the difference")
    expect(pit_boss.get_by_label("corrected at the table")).to_be_focused()
    pit_boss.focus("[name=d1_play]")
    pit_boss.keyboard.press("n")
    expect(pit_boss.get_by_label("not recovered")).to_be_checked()
    pit_boss.keyboard.press("r")
    expect(pit_boss.locator("#reasons section")).to_have_count(1)
    expect(pit_boss.locator("#reasons")).to_contain_text("40.00 × 1:1 = 40.00")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("−5.00 off for the house")


def test_what_is_against_the_rules_is_kept_with_its_reason(pit_boss: Page) -> None:
    sit_down(pit_boss)
    pit_boss.keyboard.type(f"{BOARD}Kc7dAsAd10 ")
    pit_boss.fill("#who_dealt", "D-1187")
    pit_boss.check("#exact")
    pit_boss.fill("[name=s1_play]", "5x")
    pit_boss.focus("[name=s1_ante]")
    expect(pit_boss.locator("#e_s1_play")).to_contain_text("Not a legal play here")
    expect(pit_boss.locator("#irregular")).to_be_visible()
    pit_boss.keyboard.press("i")
    pit_boss.keyboard.type("the dealer let it stand")
    for kind, done in (("ante", "+10"), ("blind", "0"), ("play", "+50")):
        expect(pit_boss.locator(f"[name=d1_{kind}]")).to_be_enabled()
        pit_boss.fill(f"[name=d1_{kind}]", done)
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator(".saved")).to_contain_text("irregular")


def test_the_keys_are_laid_over_the_page_and_go_away(pit_boss: Page) -> None:
    sit_down(pit_boss)
    pit_boss.keyboard.press("?")
    expect(pit_boss.get_by_role("dialog")).to_contain_text("not recovered")
    pit_boss.keyboard.press("?")
    expect(pit_boss.get_by_role("dialog")).to_be_hidden()
    assert (in_hand(pit_boss), pit_boss.input_value("[name=r_community]")) == ("r_community", "")


def test_saving_is_refused_at_the_field_and_the_cursor_goes_there(pit_boss: Page) -> None:
    sit_down(pit_boss)
    type_first_round(pit_boss)
    pit_boss.fill("#who_dealt", "D-9999")
    pit_boss.keyboard.press("Enter")
    expect(pit_boss.locator("#e_who_dealt")).to_have_text("There is no dealer D-9999.")
    expect(pit_boss.locator("#who_dealt")).to_be_focused()
    assert pit_boss.input_value("[name=s1_cards]") == "AsAd"


def test_it_works_without_javascript(signed_in: Open) -> None:
    page = signed_in("PB-1", java_script_enabled=False).new_page()
    page.goto("/admin/tables/round/add/?table=UTH-01")
    sheet = {"r_community": "2h 9s 9d Jc Qh", "r_dealer": "Kc7d", "who_dealt": "D-1187", "s1_cards": "AsAd", "s1_ante": "10", "s1_play": "4x"}
    for name, text in sheet.items():
        page.fill(f"[name={name}]", text)
    page.get_by_role("button", name="See what is due").click()
    expect(page.locator("[name=d1_play]")).to_have_value("+40.00")
    page.fill("[name=d1_play]", "+45")
    page.press("[name=d1_play]", "Enter")
    expect(page.locator("#differences legend")).to_have_text("Seat 1 got 5.00 more than due on play")
    page.get_by_label("corrected at the table").check()
    page.press("[name=s1_cards]", "Enter")
    expect(page.locator(".saved")).to_contain_text("Round 1 is kept: house −50.00 · as due")
