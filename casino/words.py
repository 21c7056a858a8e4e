"""Texts in the reader's language for modules that know no Django: its gettext is handed in when the apps are ready. Standard library only."""

from __future__ import annotations

from collections.abc import Callable


def _as_written(text: str) -> str:
    return text


_translate: Callable[[str], str] = _as_written


def speak_by(translate: Callable[[str], str]) -> None:
    """Take `translate` for every later text: a text as it is written in, what the reader is told out."""
    global _translate
    _translate = translate


def gettext(text: str) -> str:
    """Return `text` in the language of whoever reads now; as it is written where nobody translates."""
    return _translate(text)


def gettext_noop(text: str) -> str:
    """Return `text` as it is written, and mark it: who shows it calls `gettext`."""
    return text


def word(code: str) -> str:
    """Return a code such as "chip_credit" as a word of the reader's language: "chip credit", "Chip-Rückgabe"."""
    return _translate(code.replace("_", " "))
