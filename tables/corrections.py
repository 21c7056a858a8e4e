"""Rules of what may become of a round that went wrong, and what a proposal changes, field by field. Pure.

Source: spec/night.md, "A round that went wrong", "Who may do what"; spec/books.md, "Signing, late facts".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from casino.errors import InvalidSlip, Refused
from casino.words import gettext, is_english, word
from tables.bet_words import bet_word
from tables.engine.game import Game

Phase = Literal["open", "closed", "sealed"]
"""Of a round: its table is still open in its shift; closed, or the shift has ended; the shift is sealed for ever."""

PROPOSES: Mapping[Phase, str] = {"open": "propose_correction", "closed": "propose_late_correction", "sealed": "propose_late_correction"}
APPROVES: Mapping[Phase, str] = {"open": "approve_correction", "closed": "approve_late_correction", "sealed": "approve_late_correction"}
"""The action of casino/roles.py that each phase asks for."""

REASONS: Mapping[str, tuple[str, ...]] = {
    "void": ("misdeal", "fouled_hand", "exposed_card", "fouled_deck", "entered_twice", "other"),
    "dead_hand": ("fouled_hand", "exposed_card", "other"),
    "correct": ("misread_cards", "wrong_stake", "wrong_payment", "wrong_seat", "chips_kept", "other"),
    "late": ("not_entered", "other"),
}
"""The reasons that a kind of proposal may have."""
MOST_NOTE = 300


def phase_of(session_state: str, shift_state: str, *, sealed: bool) -> Phase:
    """Return the phase that a session in a shift of these states is in."""
    if sealed:
        return "sealed"
    return "open" if session_state == "open" and shift_state == "open" else "closed"


def check_reason(kind: str, reason: str, note: str) -> None:
    """Raise InvalidSlip (`bad_type`, `missing_field`) unless the reason is one of the kind's; "other" says in the note what it was."""
    if reason not in REASONS[kind]:
        raise InvalidSlip("bad_type", gettext("A reason is one of %(kind)s.") % {"kind": ", ".join(REASONS[kind])}, where="reason")
    if len(note) > MOST_NOTE or "\x00" in note:
        raise InvalidSlip("bad_type", gettext("A note is text of at most %(most)s characters.") % {"most": MOST_NOTE}, where="note")
    if reason == "other" and not note.strip():
        raise InvalidSlip("missing_field", gettext("Another reason says in the note what it was."), where="note")


def check_chips(chips_returned: bool | None) -> None:
    """Raise unless a void says that all chips went back.

    Raises InvalidSlip (`missing_field`) where it does not say, Refused (`chips_kept`) where they did not: a correction says what was kept.
    """
    if chips_returned is None:
        raise InvalidSlip("missing_field", gettext("Did all chips go back to where they came from?"), where="chips_returned")
    if not chips_returned:
        raise Refused(
            "chips_kept",
            gettext("A void returns every chip. Propose a correction that says what the patron kept."),
            where="chips_returned",
            instead="correct",
        )


# ---- what changes ----


class Settled(Protocol):
    """One wager as it is kept, or would be."""

    seat: int
    kind: str
    patron: str
    stake: int
    collect: int | None
    pay: int | None
    collected: int
    paid: int
    mispaid: str
    note: str
    fund: str
    for_dealer: bool


@dataclass(frozen=True)
class Sheet:
    """A round as a person compares two of them: who, when, facts (canonical), wagers. Amounts are minor units."""

    dealer: str
    occurred_at: str
    irregular: str
    facts: Mapping[str, Any]
    wagers: Sequence[Any]

    @property
    def net(self) -> int:
        """Return what the round brought the house: collected - paid; what was collected of promotional stakes is no money."""
        return sum((0 if wager.fund == "promo" else wager.collected) - wager.paid for wager in self.wagers)


@dataclass(frozen=True)
class Change:
    """One field that changes: `where` as in a slip, `kind` "amount", "signed", "moment", "cards" or "text"; None where it is not there."""

    where: str
    label: str
    kind: str
    before: Any
    after: Any


def changes(before: Sheet | None, after: Sheet | None, game: Game) -> list[Change]:
    """Return every field in which the two differ, in the order of the form; None for a round that is not, or will not be, there."""
    old, new = (_fields(sheet, game) if sheet else {} for sheet in (before, after))
    found = []
    for where in {**old, **new}:
        label, kind, _ = new.get(where) or old.get(where)  # type: ignore[misc]
        was, will = (fields[where][2] if where in fields else None for fields in (old, new))
        if was != will:
            found.append(Change(where, label, kind, was, will))
    return found


_Fields = dict[str, tuple[str, str, Any]]
_KINDS = {"amount": "amount", "cards": "cards"}


def _fields(sheet: Sheet, game: Game) -> _Fields:
    """Return label, kind and value by place; what is empty is left out."""
    fields: _Fields = {
        "dealer": (gettext("Dealt by"), "text", sheet.dealer),
        "occurred_at": (gettext("At"), "moment", sheet.occurred_at),
        "irregular": (gettext("Irregular"), "text", sheet.irregular),
    }
    for field in game.layout.round_fields:
        fields[f"round.{field.name}"] = (gettext(field.label), _KINDS.get(field.kind, "text"), sheet.facts.get(field.name))
    for seat in sheet.facts["seats"]:
        for field in game.layout.seat_fields:
            where = f"round.seats.{seat['seat']}.{field.name}"
            fields[where] = (
                gettext("Seat %(seat)s %(label)s") % {"seat": seat["seat"], "label": field.label.lower() if is_english() else gettext(field.label)},
                _KINDS.get(field.kind, "text"),
                seat.get(field.name),
            )
    for wager in sheet.wagers:
        fields |= _of_wager(wager)
    return {where: field for where, field in fields.items() if field[2] not in (None, "", [])}


def _of_wager(wager: Settled) -> _Fields:
    name, place = gettext("Seat %(seat)s %(kind)s") % {"seat": wager.seat, "kind": bet_word(wager.kind)}, f"{wager.seat}.{wager.kind}"
    due = None if wager.collect is None or wager.pay is None else wager.pay - wager.collect
    return {
        f"patrons.{wager.seat}": (gettext("Seat %(seat)s patron") % {"seat": wager.seat}, "text", wager.patron),
        f"due.{place}": (gettext("%(name)s, due") % {"name": name}, "signed", due),
        f"done.{place}": (gettext("%(name)s, done") % {"name": name}, "signed", wager.paid - wager.collected),
        f"funds.{place}": (gettext("%(name)s, put down") % {"name": name}, "text", "" if wager.fund == "chips" else wager.fund),
        f"for_dealer.{place}": (gettext("%(name)s, for the dealer") % {"name": name}, "text", "yes" if wager.for_dealer else ""),
        f"mispaid.{place}": (
            gettext("%(name)s, mistake") % {"name": name},
            "text",
            " ".join(filter(None, [word(wager.mispaid) if wager.mispaid else "", wager.note])),
        ),
    }
