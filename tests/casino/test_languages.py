"""Every word that a page marks has a German one, the compiled catalogue is that of the text, and pages speak the reader's language."""

from __future__ import annotations

import ast
import gettext
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation.template import templatize

from tests.builders import House, play

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "locale" / "de" / "LC_MESSAGES"
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURALS = {"ngettext", "ngettext_lazy"}
IN_TEMPLATES = re.compile(r"""\b(n?gettext|_)\((u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")""")


def marked() -> set[str]:
    """Return every text that is marked for translation, of templates and of Python."""
    return {*_of_templates(), *_of_python()}


def _of_templates() -> Iterator[str]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for _, text in IN_TEMPLATES.findall(templatize(path.read_text(encoding="utf-8"), origin=path.name)):
            yield ast.literal_eval(text.removeprefix("u"))


def _of_python() -> Iterator[str]:
    for app in ("casino", "ledger", "tables", "audit"):
        for path in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS | PLURALS and node.args:
                    first = node.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value


def german() -> gettext.GNUTranslations:
    with (CATALOGUE / "django.mo").open("rb") as compiled:
        return gettext.GNUTranslations(compiled)


def test_every_marked_text_has_a_german_one() -> None:
    known = german()._catalog  # type: ignore[attr-defined]
    texts = marked()
    assert len(texts) > 600
    assert [text for text in sorted(texts) if not (known.get(text) or known.get((text, 0)))] == []


def test_nothing_stands_in_the_catalogue_that_no_page_says() -> None:
    known = {key[0] if isinstance(key, tuple) else key for key in german()._catalog}  # type: ignore[attr-defined]
    assert known - marked() - {""} == set()


def test_a_translation_keeps_what_is_put_into_it() -> None:
    holes = re.compile(r"%\(\w+\)s")
    for key, text in german()._catalog.items():  # type: ignore[attr-defined]
        said = key[0] if isinstance(key, tuple) else key
        assert said == "" or set(holes.findall(said)) == set(holes.findall(text)), said


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    """Read as plainly as it is written: a message and its translation, or its plurals, a line each."""
    lines = (CATALOGUE / "django.po").read_text(encoding="utf-8").split("\n\n", 1)[1]
    texts: dict[object, str] = {}
    key = ""
    for line in io.StringIO(lines):
        word, _, quoted = line.strip().partition(" ")
        text = re.sub(r'\\(["\\n])', lambda found: "\n" if found[1] == "n" else found[1], quoted[1:-1])
        if word == "msgid":
            key = text
        elif word == "msgstr":
            texts[key] = text
        elif word.startswith("msgstr["):
            texts[(key, int(word[7]))] = text
    compiled = {key: text for key, text in german()._catalog.items() if key != ""}  # type: ignore[attr-defined]
    assert compiled == texts


@pytest.mark.django_db
def test_pages_speak_the_language_that_the_browser_asks_for(house: House, client: Client) -> None:
    play(house)
    client.force_login(house.people["AU-1"])
    pages = {
        "/admin/": ("Neueste Befunde", "Umsatz", "Letzte Runde", 'lang="de"'),
        f"/admin/tables/shift/{house.shift.pk}/change/": ("Die Schicht läuft.", "Spielgewinn"),
        "/admin/search/?q=": ("Tippen Sie eine Runde",),
    }
    for address, words in pages.items():
        text = client.get(address, headers={"accept-language": "de-CH,de;q=0.9,en;q=0.5"}).content.decode()
        assert [word for word in words if word not in text] == []
    assert "Newest findings" in client.get("/admin/", headers={"accept-language": "fr"}).content.decode()


@pytest.mark.django_db
def test_the_language_chosen_in_the_menu_goes_before_the_browsers(house: House, client: Client) -> None:
    client.force_login(house.people["AU-1"])
    assert 'name="language" value="de"' in client.get("/admin/").content.decode()
    chosen = client.post("/language/", {"language": "de", "next": "/admin/"})
    assert (chosen.status_code, chosen["Location"]) == (302, "/admin/")
    assert "Neueste Befunde" in client.get("/admin/", headers={"accept-language": "en"}).content.decode()
    elsewhere = client.post("/language/", {"language": "en", "next": "https://elsewhere.example/"})
    assert elsewhere["Location"] == "/"
    assert "Newest findings" in client.get("/admin/", headers={"accept-language": "de"}).content.decode()


@pytest.mark.django_db
def test_amounts_are_the_houses_whatever_the_reader_speaks(house: House, client: Client) -> None:
    """A thousand is 1,000.00 on the page of a house that writes it so, also in German: 1.000 is never 1."""
    session = house.sessions["UTH-01"]
    client.force_login(house.people["FS-1"])
    address = f"/admin/tables/tablesession/{session.pk}/buy-in/do/"
    for typed in ("1.000", "1.000,00", "10,5"):
        answer = client.post(address, {"uuid": "00000000-0000-0000-0000-000000000007", "amount": typed}, headers={"accept-language": "de"})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["amount"]), typed
    play(house)
    client.force_login(house.people["AU-1"])
    text = client.get("/admin/", headers={"accept-language": "de"}).content.decode()
    assert "85.00" in text
    assert "85,00" not in text
