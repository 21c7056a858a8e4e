"""Texts in the reader's language for modules that know no Django: its gettext is handed in when the apps are ready. Standard library only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casino.errors import Fault


def _as_written(text: str) -> str:
    return text


def _as_raised(fault: Fault) -> str:
    return fault.message


def _english() -> str:
    return "en"


_CONTEXT = "\x04"
"""Stands in a catalogue between a context and its text."""

_translate: Callable[[str], str] = _as_written
_language: Callable[[], str | None] = _english
_say: Callable[[Fault], str] = _as_raised


def speak_by(translate: Callable[[str], str], language: Callable[[], str | None]) -> None:
    """Take `translate` for every later text: a text as it is written in, what the reader is told out; `language` says which language that is."""
    global _translate, _language
    _translate, _language = translate, language


def say_faults_by(say: Callable[[Fault], str]) -> None:
    """Take `say` for what doors say of a fault."""
    global _say
    _say = say


def said_of(fault: Fault) -> str:
    """Return what is wrong in the language of whoever reads now."""
    return _say(fault)


def is_english() -> bool:
    """Return whether whoever reads now reads English."""
    return language().startswith("en")


def gettext(text: str) -> str:
    """Return `text` in the language of whoever reads now; as it is written where nobody translates."""
    return _translate(text)


def pgettext(context: str, text: str) -> str:
    """Return `text` as it is meant where `context` says: a straight is a bet, or a hand."""
    found = _translate(f"{context}{_CONTEXT}{text}")
    return text if _CONTEXT in found else found


def language() -> str:
    """Return the language of whoever reads now: "en", "de"."""
    return _language() or "en"


def gettext_noop(text: str) -> str:
    """Return `text` as it is written, and mark it: who shows it calls `gettext`."""
    return text


def word(code: str) -> str:
    """Return a code such as "chip_credit" as a word of the reader's language: "chip credit", "Chip-Rückgabe"."""
    return _translate(code.replace("_", " "))
