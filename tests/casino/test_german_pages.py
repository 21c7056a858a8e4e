"""A German reader meets no English of ours: every page of a played house is opened in German, and none says a text of the catalogue untranslated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from audit.exports import render
from audit.finding_words import known_finding
from audit.models import Finding
from audit.reports import shift as shift_report
from audit.reports.catalogue import catalogue
from audit.reports.scope import read_scope
from audit.selectors import reason_of
from casino.alarms import raise_alarm
from ledger.models import Account
from tests.audit.signing import reconciled
from tests.browser.every_page import PEOPLE, addresses
from tests.browser.full_house import full_house
from tests.builders import House, end_night, play
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
OURS = re.compile(
    r"wagers? (?:of|pays)\b|\b(?:is lost|is returned|goes into the pot)\b|dealer's|Pair of|\b(?:high|with) (?:with|and)\b|which does not qualify"
    r"|The (?:job|counted|stake|kept due)\b|\b(?:round|void|reversal|fill|buy_in):[0-9a-fA-F]"
)
"""Sentences of the engine, the audit and the alarms, and references, which are nobody's name for an entry."""
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
        if name not in DOCUMENTS and (ours := [text for text in said(html) if OURS.search(text)]):
            found.setdefault(address, []).extend(ours)
        called = heads(html)
        if CODES.search(called) or (name not in DOCUMENTS and ENGLISH.search(called)):
            found.setdefault(address, []).append(called)
    assert opened > 150
    with override("de"):
        assert [one.why for one in Finding.objects.all() if known_finding(reason_of(one)) is None] == []
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


GERMAN = {"accept-language": "de"}


@pytest.fixture
def boss(house: House) -> Client:
    client = Client(headers=GERMAN)
    client.force_login(house.people["PB-1"])
    return client


@pytest.mark.django_db
def test_a_rounds_page_says_hands_bets_and_reasons_in_german(house: House, boss: Client) -> None:
    played = play(house)
    address = reverse("admin:tables_round_change", args=[played.pk])
    texts = said(boss.get(address).content.decode())
    for words in ("Zwei Paare, Asse und Neunen", "Paar Neunen", "Gepasst: Der Einsatz von 10.00 auf Ante ist verloren."):
        assert words in texts
    won = "Zwei Paare, Asse und Neunen – besser als Paar Neunen beim Dealer: Der Einsatz auf Play zahlt eins zu eins, 40.00 × 1:1 = 40.00."
    assert won in texts
    assert not [text for text in texts if OURS.search(text)]
    assert f"UTH-01 · Runde {played.number}" in texts
    assert won not in boss.get(address, headers={"accept-language": "en"}).content.decode()


@pytest.mark.django_db
def test_the_console_says_what_is_due_in_german(house: House, boss: Client) -> None:
    add = "/admin/tables/round/add/"
    fresh = dict(boss.get(add, {"table": "UTH-01"}).context["form"].typed)
    typed = {"table": "UTH-01", **fresh, "who_dealt": "D-1187", "r_community": "2h 9s 9d Jc Qh", "r_dealer": "Kc 7d"}
    typed |= {"s1_cards": "As Ad", "s1_ante": "10", "s1_trips": "5", "s1_play": "4x", "s2_ante": "10", "s2_folded": "on"}
    found = boss.post("/admin/tables/round/preview/", typed).json()
    assert found["dealer"]["hand"] == "Paar Neunen"
    assert [found["seats"][seat]["hand"] for seat in "12"] == ["Zwei Paare, Asse und Neunen", "Gepasst"]
    assert found["spots"]["d1_trips"]["why"] == (
        "Zwei Paare, Asse und Neunen; zwei Paare steht nicht in den Quoten von Trips: Der Einsatz von 5.00 auf Trips ist verloren."
    )
    page = boss.post(add, typed | {"see": "1", "d1_play": "+45"}).content.decode()
    assert "Platz 1 bekam auf Play 5.00 mehr als fällig" in said(page)
    assert not [text for text in said(page) if OURS.search(text)]
    english = boss.post("/admin/tables/round/preview/", typed, headers={"accept-language": "en"}).json()
    assert english["seats"]["1"]["hand"] == "Two pair, aces and nines"


@pytest.mark.django_db
def test_findings_entries_and_alarms_are_told_in_german_and_kept_in_english(house: House) -> None:
    play(house, done={"1": {"play": {"paid": 4500}}})
    end_night(house, closers={"UTH-01": -5000})
    reconciled(house)
    raise_alarm("job_stuck", "a", "The job “reconcile shift” failed.")
    auditor = Client(headers=GERMAN)
    auditor.force_login(house.people["AU-1"])
    for finding in Finding.objects.all():
        kept = finding.why
        texts = said(auditor.get(reverse("admin:audit_finding_change", args=[finding.pk])).content.decode())
        assert not [text for text in texts if OURS.search(text)]
        assert finding.why == kept
    counted = Finding.objects.get(kind="count_variance")
    assert counted.why.startswith("The counted closer is not the expected one:")
    page = auditor.get(reverse("admin:audit_finding_change", args=[counted.pk])).content.decode()
    assert "Der gezählte Endbestand ist nicht der erwartete:" in page
    answer = auditor.get(f"/api/v1/findings/{counted.uuid}").json()
    assert answer["why"] == counted.why
    entries = said(auditor.get("/admin/ledger/entry/").content.decode())
    assert {"UTH-01 · Runde 1", "Anfangsbestand · UTH-01"} & set(entries)
    assert not [text for text in entries if OURS.search(text)]
    account = Account.objects.get(code="tray:UTH-01")
    statement = auditor.get(reverse("books:statement", args=[account.pk]), {"from": "2026-03-01", "to": "2026-03-31"}).content.decode()
    assert "UTH-01 · Runde 1" in said(statement)
    for address in ("/admin/", "/admin/casino/alarm/"):
        assert "Der Auftrag „Schicht abgleichen“ ist gescheitert." in said(auditor.get(address).content.decode()), address
