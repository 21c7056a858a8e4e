"""Every word that a page marks has a German one, the compiled catalogue is that of the text, and pages speak the reader's language."""

from __future__ import annotations

import ast
import gettext
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.test import Client
from django.utils.translation import override
from django.utils.translation.template import templatize

import audit.tasks  # noqa: F401 - the handlers of jobs
import tables.tasks  # noqa: F401
from audit.error_kinds import ERRORS
from audit.reports.catalogue import catalogue
from casino import roles
from casino.jobs import _HANDLERS
from casino.model_names import names
from tables.engine.game import games
from tests.builders import House, play

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "locale" / "de" / "LC_MESSAGES"
KINDS = (
    *("job_stuck", "not_sealed", "slip_waits", "partition_missing"),
    *("count_variance", "due_differs", "over_limit", "under_limit", "recounted", "seal_mismatch", "second_opinion", "slip_gap"),
    *("hold_out_of_range", "error_rate", "not_open", "put_down", "acknowledged", "waits", "settled", "replaced", "entered"),
)
"""Codes of alarms, findings and states that stand in no list: pages say them as words."""
APPS = ("casino", "ledger", "tables", "audit")
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
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS | PLURALS and node.args:
                    first = node.args[0]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pgettext":
                    context, text = (argument.value for argument in node.args if isinstance(argument, ast.Constant))
                    yield f"{context}\x04{text}"


def named() -> set[str]:
    """Return the words that pages translate as they come: names of models, choices, roles' acts, jobs, findings, reports, a layout's fields."""
    layouts = [field for game in games().values() for field in (*game.layout.round_fields, *game.layout.seat_fields)]
    kinds = {*_HANDLERS, *roles.ACTIONS, *ERRORS, *KINDS}
    return {
        *names(),
        *(kind.replace("_", " ") for kind in kinds),
        *(text for report in catalogue().values() for text in (report.title, report.what)),
        *(text for field in layouts for text in (field.label, field.help) if text),
    }


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
    assert known - marked() - named() - {""} == set()


def test_every_label_of_a_choice_has_a_german_one() -> None:
    """States, kinds, roles: what stands in the lists and chips of pages."""
    known = german()._catalog  # type: ignore[attr-defined]
    with override("en"):
        fields = [field for model in apps.get_models() if model._meta.app_label in APPS for field in model._meta.fields]
        labels = {str(label) for field in fields for _, label in field.flatchoices}
    same = {"Box", "Chips", "Closer", "Drop", "Marker", "Video", "video", "1,000.50", "1.000,50", "1’000.50", "Audit"}
    assert [label for label in sorted(labels - same) if not (known.get(label) or known.get((label, 0)))] == []


TAKES = frozenset({"label", "help_text", "verbose_name", "verbose_name_plural", "empty_label", "description"})
SAYS = {
    **dict.fromkeys(("InvalidSlip", "Refused", "NotFound", "Conflict", "Stale", "Unavailable", "add_error"), 1),
    **dict.fromkeys(("Http404", "ValidationError"), 0),
}
"""The place of the text in what is called."""
ENGLISH = re.compile(
    r"migrations/|tables/(engine|reference)|/management/|/api/|schema\.py|house_api|token_api|audit/reports|casino/e(rrors|mbedded)|ledger/stranger"
)
"""What speaks English: the engine (said at the door), commands, the description of the API, reports."""


def unmarked() -> Iterator[str]:
    """Yield "file:line text" for every text of a form, a field, a message or an error that nobody marked."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if ENGLISH.search(place):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                yield from (f"{place}:{text.lineno} {ast.unparse(text)}" for text in _texts(node) if re.search("[A-Za-z]{2}", ast.unparse(text)))


def _texts(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
        of = node.func.value.id if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) else ""
        found = [keyword.value for keyword in node.keywords if keyword.arg in TAKES]
        place = 1 if of == "messages" else SAYS.get(name)
        found += node.args[place : place + 1] if place is not None else []
        yield from (one for one in found if _is_text(one))
    if isinstance(node, ast.ClassDef) and any("TextChoices" in ast.unparse(base) for base in node.bases):
        pairs = [one.value for one in node.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Tuple)]
        yield from (pair.elts[1] for pair in pairs if _is_text(pair.elts[1]))


def _is_text(node: ast.expr) -> bool:
    """Return whether a text is written out here, which is one that says something beside what is put into it."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.Constant) and re.search("[A-Za-z]{2}", str(part.value)) for part in node.values)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_no_text_of_a_form_a_message_or_an_error_is_unmarked() -> None:
    assert [text for text in unmarked() if not any(word in text for word in SAID_AS_THEY_ARE)] == []


SAID_AS_THEY_ARE = ("1,000.50", "1.000,50", "1’000.50")
"""The house's notations."""


def test_a_translation_keeps_what_is_put_into_it() -> None:
    holes = re.compile(r"%\(\w+\)s|\{\w+\}")
    for key, text in german()._catalog.items():  # type: ignore[attr-defined]
        said = key[0] if isinstance(key, tuple) else key
        assert said == "" or set(holes.findall(said)) == set(holes.findall(text)), said


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    """Read as plainly as it is written: a message and its translation, or its plurals, a line each."""
    lines = (CATALOGUE / "django.po").read_text(encoding="utf-8").split("\n\n", 1)[1]
    texts: dict[object, str] = {}
    key = context = ""
    for line in io.StringIO(lines):
        word, _, quoted = line.strip().partition(" ")
        text = re.sub(r'\\(["\\n])', lambda found: "\n" if found[1] == "n" else found[1], quoted[1:-1])
        if word == "msgctxt":
            context = f"{text}\x04"
        elif word == "msgid":
            key, context = context + text, ""
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
