"""Alarms in the reader's language: their sentences are kept in English, and pages say them by this. Pure."""

from __future__ import annotations

from casino.sentences import TEXT, Hole, Sentences, told
from casino.words import gettext_noop, word

_ALARMS = Sentences(
    (
        gettext_noop("The job “%(code)s” failed."),
        gettext_noop("The job “%(code)s” has been %(code2)s for more than %(minutes)s minutes."),
        gettext_noop("A signed shift is not sealed: %(text)s."),
        gettext_noop("The partition %(text)s is not there: postings of its month would be refused."),
    ),
    {"code": Hole(r"[^“”]+?", word), "minutes": Hole(r"\d+"), "text": TEXT},
)


def known_alarm(message: str) -> str | None:
    """Return the message of an alarm in the reader's language, None where no template says it."""
    return told(message, _ALARMS.say)


def alarm_in_words(message: str) -> str:
    """Return the message of an alarm for a page; one that no template says stays as it was raised."""
    return known_alarm(message) or message
