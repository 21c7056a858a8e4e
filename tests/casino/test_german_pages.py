"""A German reader meets no English of ours: every page of a played house is opened in German, and none says a text of the catalogue untranslated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils.translation import override

from audit.exports import render
from audit.reports import shift as shift_report
from audit.reports.catalogue import catalogue
from audit.reports.scope import read_scope
from tests.browser.every_page import PEOPLE, addresses
from tests.browser.full_house import full_house
from tests.builders import House
from tests.casino.test_languages import german

DATA = frozenset({"code", "script", "style", "pre", "samp", "kbd", "textarea"})
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
DOCUMENTS = frozenset({"report-page", "books:statement", "books:journal", "books:trial_balance", "books:accounting"})
"""Pages whose body is a report, in the report's one language."""
DATA_TOO = frozenset({"all", "Play", "round"})
"""Words that a house's data may be: a bet's name, the kind of an entry."""
HEADS = re.compile(r'<title>(.*?)</title>|<h1[^>]*>(.*?)</h1>|<div class="breadcrumbs">(.*?)</div>', re.DOTALL)
CODES = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[a-z]_[a-z]|object \(|\dT\d\d:")
ENGLISH = re.compile(r"\b(?:of|at|replay|round \d|shift,)\b|\d (?:January|February|March|May|June|July|October|December)\b", re.IGNORECASE)
SAID_IN = ("title", "placeholder", "aria-label", "alt")


class Said(HTMLParser):
    """The texts of a page that a reader reads: what stands between tags and in a few attributes; not code, data and documents."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._inside: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes that are read out, and whether what follows is data."""
        named = dict(attrs)
        data = tag in DATA or "document" in (named.get("class") or "").split() or (tag != "html" and named.get("lang") == "en")
        if tag not in VOID:
            self._inside.append(data)
        if not data and not any(self._inside):
            self.texts += [" ".join((named.get(name) or "").split()) for name in SAID_IN]

    def handle_endtag(self, tag: str) -> None:
        """Leave the innermost tag."""
        if tag not in VOID and self._inside:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Note a text, its white space evened."""
        if not any(self._inside):
            self.texts.append(" ".join(data.split()))


def said(html: str) -> list[str]:
    """Return the texts of a page in their order, the empty ones left out."""
    parser = Said()
    parser.feed(html)
    return [text for text in parser.texts if text]


def untranslated() -> set[str]:
    """Return every English text of the catalogue whose German is another one: without a hole, so that it can be met as it is."""
    catalogue = german()._catalog  # type: ignore[attr-defined]
    english = {(key[0] if isinstance(key, tuple) else key).rpartition("\x04")[2]: text for key, text in catalogue.items()}
    same = set(english.values())
    return {" ".join(key.split()) for key, text in english.items() if key and key != text and "%(" not in key and key not in same}


def heads(html: str) -> str:
    """Return what a page is called: its title, its first heading and the way to it."""
    return " | ".join(text for found in HEADS.finditer(html) for text in said("".join(filter(None, found.groups()))))


def in_german(house: House) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the address and the HTML of every page that somebody may open, in German."""
    clients = {}
    for who in PEOPLE:
        clients[who] = Client(headers={"accept-language": "de"})
        clients[who].force_login(house.people[who])
    for name, tried in addresses(house).items():
        for address in tried:
            for client in clients.values():
                answer = client.get(address)
                if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                    yield name, address, answer.content.decode()
                    break


@pytest.mark.slow
@pytest.mark.django_db
def test_no_page_says_a_text_of_the_catalogue_in_english_nor_is_called_by_a_code(house: House) -> None:
    """Reports are documents and stay English: their pages say the titles of their columns, which the catalogue knows for other pages."""
    english = untranslated()
    found = {}
    opened = 0
    for name, address, html in in_german(full_house(house)):
        opened += 1
        if name not in DOCUMENTS and (left := sorted(english.intersection(said(html)) - DATA_TOO)):
            found[address] = left
        called = heads(html)
        if CODES.search(called) or (name not in DOCUMENTS and ENGLISH.search(called)):
            found.setdefault(address, []).append(called)
    assert opened > 150
    assert not found, "\n".join(map(str, found.items()))


@pytest.mark.django_db
def test_a_report_is_one_document_whatever_its_reader_speaks(house: House) -> None:
    full_house(house)
    scope = read_scope({}, house.people["AU-1"], house.shift.gaming_day)
    for language in ("en", "de"):
        with override(language):
            made = [kind.report(scope) for kind in catalogue().values()] + [shift_report.build(house.shift, for_user=house.people["AU-1"])]
            written = [render(report, "json") for report in made]
        if language == "en":
            english = written
    assert written == english
