"""The forms of a page, read out of its HTML: where they go, what stands in their fields, and which of them a person types into."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

TYPED = {"text", "search", "password", "number", "email", "date", "time", "datetime-local", "url", "tel"}


@dataclass
class PageForm:
    """One form: its address and method, the fields with what stands in them, and the names of those that are typed into."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    typed: list[str] = field(default_factory=list)
    secret: set[str] = field(default_factory=set)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[PageForm] = []
        self._form: PageForm | None = None
        self._area = ""
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = PageForm(said.get("action", ""), said.get("method", "get").lower())
            self.forms.append(self._form)
        name = said.get("name", "")
        if self._form is None or "disabled" in said or (not name and tag != "option"):
            return
        if tag == "input":
            self._input(self._form, name, said)
        elif tag == "textarea":
            self._area = name
            self._form.values[name] = ""
            self._form.typed.append(name)
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and (self._select not in self._form.values or "selected" in said):
            self._form.values[self._select] = said.get("value", "")
        elif tag == "button":
            self._form.values.setdefault(name, said.get("value", ""))

    def _input(self, form: PageForm, name: str, said: dict[str, str]) -> None:
        kind = said.get("type", "text")
        if kind in ("checkbox", "radio"):
            if "checked" in said or (kind == "radio" and name not in form.values):
                form.values[name] = said.get("value", "on")
        elif kind != "file":
            form.values[name] = said.get("value", "")
        if kind in TYPED and "readonly" not in said and "hidden" not in (*said, *said.get("class", "").split()):
            form.typed.append(name)
        if kind == "password":
            form.secret.add(name)

    def handle_data(self, data: str) -> None:
        if self._form is not None and self._area:
            self._form.values[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = ""
        elif tag == "select":
            self._select = ""


def forms_in(html: str) -> list[PageForm]:
    """Return the forms of a page, in their order."""
    reader = _Reader()
    reader.feed(html)
    for form in reader.forms:
        for name in form.typed:
            form.values[name] = form.values[name].removeprefix("\n").replace("\r\n", "\n")
    return reader.forms
