"""Whatever is typed into whatever field of whatever form: refused in words at its field, or kept exactly; never a 500, never a script."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.console import sit_down
from tests.browser.every_page import Opened, opened
from tests.browser.full_house import full_house
from tests.browser.page_forms import PageForm, forms_in
from tests.builders import House

SCRIPT = "<script>window.ran = 1</script>"
HOSTILE = {
    "a formula": "=SUM(1+1)",
    "a script": SCRIPT,
    "an image that fails": "<img src=x onerror='window.ran = 1'>\"'",
    "control characters": "a\x0bb\x1f\x16c",
    "a NUL": "a\x00b",
    "ten thousand letters": "x" * 10_000,
    "ten thousand digits": "9" * 10_000,
    "grouped digits": "1.000",
    "a negative": "-5",
    "a name": "陈伟",
    "an infinity": "1e400",
}
NOT_TRIED = {"admin:logout", "set_language", "search"}
"""Forms of every page's head; the search is tried by itself below."""
SAYS_WHAT = re.compile(r'class="[^"]*\b(?:error|errornote|errorlist|problems|blockers)\b[^"]*"[^>]*>|role="alert"|aria-invalid="true"')
TOLD = re.compile(r'<ul class="messagelist">|class="saved')
REFUSED = re.compile(r'<li class="error">')


def _name(address: str) -> str:
    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return ""


def _to_try(pages: list[Opened], clients: dict[str, Client]) -> list[tuple[Opened, int, PageForm]]:
    """Return every form with something to type, once a kind: the page, the form's place on it, the form."""
    found: dict[tuple[str, frozenset[str]], tuple[Opened, int, PageForm]] = {}
    for page in pages:
        for place, form in enumerate(forms_in(clients[page.who].get(page.address).content.decode())):
            name = _name(form.action or page.address)
            names = frozenset(re.sub(r"\d+", "N", one) for one in form.typed)
            if form.typed and name not in NOT_TRIED:
                found.setdefault((name, names), (page, place, form))
    return list(found.values())


def _wrong(client: Client, page: Opened, place: int, known: PageForm, text: str) -> str:
    """Return what is wrong with the answer to `text` in every field of the form, "" where nothing is."""
    again = client.get(page.address)
    forms = forms_in(again.content.decode())
    if again.status_code != 200 or place >= len(forms) or forms[place].typed != known.typed:
        return ""  # what was sent before did what the form is for, and it is gone
    form = forms[place]
    address = urljoin(page.address, form.action).partition("#")[0] if form.action else page.address
    sent = {**form.values, **dict.fromkeys(form.typed, text)}
    answer = client.post(address, sent) if form.method == "post" else client.get(address.partition("?")[0], sent)
    taken = answer.status_code in (301, 302, 303)
    if taken:
        answer = client.get(answer["Location"])
    if answer.status_code >= 500:
        return f"answers {answer.status_code}"
    if not answer.get("Content-Type", "").startswith("text/html"):
        return ""
    html = answer.content.decode()
    if SCRIPT in html or "<img src=x" in html:
        return "shows what was typed as HTML"
    if form.method == "get" or answer.status_code == 404:
        return ""
    if taken:
        return "" if TOLD.search(html) and not REFUSED.search(html) else f"goes on and says nothing, or that it was refused ({address})"
    if not SAYS_WHAT.search(html):
        return f"says nothing ({answer.status_code}, {address})"
    return _lost(forms_in(html), form, text)


def _lost(shown: list[PageForm], form: PageForm, text: str) -> str:
    """Return which fields of the form, where it is shown again, hold other than what was typed; passwords are never shown again."""
    same = [one for one in shown if one.typed == form.typed and (one.action == form.action or not form.action)]
    names = set(form.typed) - form.secret
    if not same:
        return ""
    lost = min(([name for name in names if one.values[name] not in _kept(text, form, name)] for one in same), key=len)
    return f"lost what was typed in {sorted(lost)}" if lost else ""


def _kept(text: str, form: PageForm, name: str) -> set[str]:
    """Return what may stand in the field again: what was typed; a NUL is no text at all, and may be left out."""
    return {text, text.replace("\x00", ""), form.values[name]} if "\x00" in text else {text}


@pytest.mark.django_db
@pytest.mark.slow
def test_no_form_breaks_hides_or_runs_what_is_typed(house: House) -> None:
    pages, _ = opened(full_house(house))
    clients = {who: Client() for who in {page.who for page in pages}}
    for who, client in clients.items():
        client.force_login(house.people[who])
        client.raise_request_exception = False
    forms = _to_try(pages, clients)
    assert len(forms) > 40
    wrong = [
        f"{page.who} {page.address} form {place}, {kind}: {found}"
        for page, place, known in forms
        for kind, text in HOSTILE.items()
        if (found := _wrong(clients[page.who], page, place, known, text))
    ]
    print(*wrong, sep="\n")
    assert wrong == []


@pytest.mark.django_db
def test_no_search_and_no_filter_breaks(house: House) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(house.people["AU-1"])
    for text in HOSTILE.values():
        for address, name in (
            ("/admin/search/", "q"),
            ("/admin/tables/round/", "q"),
            ("/admin/tables/round/", "table"),
            ("/admin/audit/finding/", "shift"),
        ):
            answer = client.get(address, {name: text})
            assert answer.status_code < 500, (address, name, text)
            assert SCRIPT not in answer.content.decode()


# ---- in a browser: what is typed stays, and nothing of it runs ----


def _typed_into(page: Page, name: str, text: str) -> None:
    field = page.locator(f"[name='{name}']")
    field.focus()
    page.keyboard.insert_text(text)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_console_keeps_whatever_is_typed_and_says_what_is_wrong_with_it(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status))
    page.on("pageerror", lambda error: pytest.fail(f"a script broke: {error}"))
    sit_down(page)
    for kind in ("a script", "control characters", "ten thousand letters", "a negative", "a name"):
        text = HOSTILE[kind]
        for name in ("r_community", "s1_cards", "s1_ante", "s1_trips", "who_dealt"):
            page.locator(f"[name='{name}']").fill("")
            _typed_into(page, name, text)
            assert page.input_value(f"[name='{name}']") == text, (name, kind)
        page.focus("#save")
        for name in ("r_community", "s1_cards", "s1_ante", "s1_trips"):
            expect(page.locator(f"#e_{name}")).not_to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator("[aria-invalid='true']").first).to_be_visible()
    assert page.locator(".saved").count() == 0
    assert [status for status in answers if status >= 500] == []
    assert page.evaluate("[window.ran ?? 0, window.violations.length]") == [0, 0]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_note_of_a_script_is_text(house: House, signed_in: Open) -> None:
    page = signed_in("PB-1").new_page()
    page.goto(f"/admin/tables/shift/{house.shift.pk}/change/")
    for text in (SCRIPT, HOSTILE["an image that fails"], "=SUM(1+1)", "陈伟"):
        page.get_by_label("Note", exact=True).focus()
        page.keyboard.insert_text(text)
        page.get_by_role("button", name="Keep the note").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#notes blockquote").last).to_contain_text(text)
    assert page.evaluate("[window.ran ?? 0, window.violations.length]") == [0, 0]
