"""What the audit wrote of a finding, in the reader's language: it is kept in English, as evidence, and pages say it by this.

Each sentence of the audit is a template here; of a round's findings the reason is mostly the engine's (`tables.reason_words`). What no template
says, and what people wrote, stays as it was written.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.utils.translation import gettext, override

from audit.models import Finding
from audit.selectors import reason_of
from audit.spans import SPANS
from casino.sentences import AMOUNT, TEXT, Hole, Sentences, told
from casino.words import gettext_noop, is_english, word
from tables.models import RoundProposal
from tables.reason_words import known_reason

_SPANS = {name.lower(): name for name in SPANS.values()}
_SCOPES = ("Table", "Game", "Dealer", "Shift", "House")


def _span(name: str) -> str | None:
    return gettext(_SPANS[name]) if name in _SPANS else None


def _scope(name: str) -> str | None:
    return gettext(name) if name in _SCOPES else None


def _because(text: str) -> str | None:
    """Return the reason of a list that a proposal gave, and the note after it as it was written."""
    known = [name for name in _reasons() if text == name or text.startswith(f"{name}, ")]
    return f"{_reasons()[known[0]]}{text.removeprefix(known[0])}" if known else None


@cache
def _reasons() -> dict[str, Any]:
    """Return the reasons of proposals by their English words, the longest first; each says itself in the reader's language."""
    with override("en"):
        return {str(label): label for _, label in sorted(RoundProposal.Reason.choices, key=lambda choice: -len(str(choice[1])))}


_SHARE = Hole(r"[−-]?[\d.]+ %")
_FIGURE = Hole(r"[−-]?\d[\d.,]*")
_WHO = {"scope": Hole(r"[A-Z][a-z]+", _scope), "name": Hole(r"[^,:]+?", word), "span": Hole(r"[^,:]+?", _span), "count": _FIGURE}

_FOUND = Sentences(
    (
        gettext_noop("Against the rules, and yet it happened: %(text)s"),
        gettext_noop("Irregular; as ruled: %(text)s"),
        gettext_noop("Entered after its shift was sealed."),
        gettext_noop("The kept due is %(pair)s; the cards say %(pair2)s."),
        gettext_noop("The engine says collect %(amount)s, pay %(amount2)s; the reference settler collect %(amount3)s, pay %(amount4)s."),
        gettext_noop("The stake of %(amount)s is above the %(amount2)s that the table allows at most."),
        gettext_noop("The stake of %(amount)s is below the %(amount2)s that the table allows at least."),
        gettext_noop("The counted closer is not the expected one: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("The counted drop is not what went into the box: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("The counted drop of the day is not what went into the box: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("The rounds and their entries disagree: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("No closer was counted here that this opener is made from."),
        gettext_noop("The counted opener is not the last closer: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("The counted opener is not what the cage stocked the table with: %(amount)s − %(amount2)s = %(amount3)s."),
        gettext_noop("The counted opener is worth what the last closer was, in other pieces."),
        gettext_noop("Box %(text)s was pulled under seal %(text2)s; box %(text3)s was counted under seal %(text4)s."),
        gettext_noop("The %(thing)s was counted once more, as a shift manager proposed and an auditor approved: %(amount)s, then %(amount2)s."),
        gettext_noop("There is no %(thing)s %(count)s, and there are later ones."),
        gettext_noop(
            "%(scope)s %(name)s, %(span)s, %(count)s rounds: won %(amount)s, %(amount2)s expected; 95 of 100 lie from %(amount3)s to %(amount4)s."
        ),
        gettext_noop(
            "%(scope)s %(name)s, %(span)s, %(count)s rounds: %(count2)s errors in 1,000 rounds (%(count3)s to %(count4)s), the house %(count5)s."
        ),
        gettext_noop("%(scope)s %(name)s, %(span)s, %(count)s rounds: %(count2)s rounds an hour; %(count3)s to %(count4)s are usual."),
        gettext_noop("Adjusted for every comparison of the day, p = %(count)s, below %(count2)s."),
        gettext_noop("Hold %(share)s of the %(thing)s, %(share2)s expected; 95 of 100 lie from %(share3)s to %(share4)s."),
        gettext_noop("A reason to look, never proof."),
    ),
    {"amount": AMOUNT, "text": TEXT, "pair": Hole(r"\S+/\S+?"), "thing": Hole(r"[a-z ]+?", word), "share": _SHARE, **_WHO},
)

_NOTES = Sentences(
    (
        gettext_noop("Ruled by %(name)s: it stands as dealt. %(text)s"),
        gettext_noop("Ruled by %(name)s: what was due is as ruled. %(text)s"),
        gettext_noop("The round was voided: %(because)s. Proposed by %(name)s, approved by %(name2)s."),
        gettext_noop("The round was voided after its shift was sealed: %(because)s. Proposed by %(name)s, approved by %(name2)s."),
        gettext_noop("The round was replaced by round %(count)s: %(because)s. Proposed by %(name)s, approved by %(name2)s."),
        gettext_noop(
            "The round was replaced by round %(count)s after its shift was sealed: %(because)s. Proposed by %(name)s, approved by %(name2)s."
        ),
    ),
    {"name": Hole(r".+?"), "text": TEXT, "count": Hole(r"\d+"), "because": Hole(r".+?", _because)},
)


def known_finding(why: str) -> str | None:
    """Return why there is a finding, in the reader's language; None where neither the engine nor the audit says such a thing."""
    return told(why, _FOUND.say) or known_reason(why)


def reason_in_words(finding: Finding) -> str:
    """Return the reason sheet of a finding for its page, in the reader's language."""
    why = reason_of(finding)
    return known_finding(why) or why


def note_in_words(note: str) -> str:
    """Return the note of an event: of the audit in the reader's language, of a person as it was written."""
    return note if is_english() else _NOTES.say(note) or note
