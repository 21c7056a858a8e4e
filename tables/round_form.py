"""A round as a person types it: texts by field name in, the raw slip of spec/rounds.md out, errors back at the field. Pure.

The fields' names are those of tables/round_fields.py, their values those of tables/round_values.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from casino.errors import Fault, InvalidSlip
from casino.money import Minor
from casino.wall_clock import read_local
from casino.words import gettext, is_english
from tables.engine.cards import CODES, NAMES, split_cards
from tables.engine.game import Field, WagerDue
from tables.fault_words import in_words
from tables.round_fields import (
    GENERAL,
    FieldError,
    TableFacts,
    done_name,
    for_dealer_name,
    fund_name,
    note_name,
    round_name,
    seat_name,
    seen_name,
    status_name,
)
from tables.round_values import TIMES, read_done, read_value
from tables.slips import Done

POT = "pot"
CORRECTED = "corrected"

_SEAT = re.compile(r"round\.seats\[(\d+)\](?:\.(\w+))?.*")
_ROUND = re.compile(r"round\.(\w+).*")
_DONE = re.compile(r"done\.(\d+)\.(\w+).*")


class RoundForm:
    """What was typed of one round. `errors` holds what is wrong, by field name; it grows with `slip` and `place`."""

    def __init__(self, table: TableFacts, typed: Mapping[str, str]) -> None:
        self.table = table
        self.layout = table.game.layout
        self.typed = {name: text.replace("\x00", "") for name, text in typed.items()}
        self.errors: dict[str, list[FieldError]] = {}
        self.doubled: set[str] = set()
        """Cards that cannot be where they are typed, because they are elsewhere too."""

    def text(self, name: str) -> str:
        """Return what stands in the field."""
        return self.typed.get(name, "")

    @cached_property
    def seats(self) -> list[int]:
        """Return the numbers of the seats of which anything was typed."""
        numbers = range(self.layout.first_seat, self.layout.last_seat + 1)
        return [n for n in numbers if any(self.text(seat_name(n, field.name)).strip() for field in self.layout.seat_fields)]

    @property
    def irregular(self) -> str:
        """Return the reason for which the round is irregular, "" where it is not."""
        return self.text("irregular").strip()

    def slip(self, dues: Iterable[WagerDue] | None = None) -> dict[str, Any]:
        """Return the raw slip; with `dues`, also what was done on them. What is no value is noted in `errors` and left out."""
        raw: dict[str, Any] = {
            "uuid": self.text("uuid"),
            "table": self.table.code,
            "occurred_at": self._moment(),
            "dealer": self.text("who_dealt").strip().upper() or "?",
            "round": self._facts(),
        }
        if number := self.text("number").strip():
            raw["number"] = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else number
        if self.irregular:
            raw["irregular"] = {"reason": self.irregular}
            raw["done"] = self._all_done()
            self._add_stakes(raw, {(seat, kind) for seat in self.seats for kind in self.table.game.wager_kinds})
        elif dues is not None:
            said = tuple(dues)
            self._add_done(raw, said)
            self._add_stakes(raw, {(due.seat, due.kind) for due in said})
        return raw

    # ---- facts ----

    def _moment(self) -> str:
        try:
            return read_local(self.text("occurred_at"), self.table.zone, offset=self.text("utc_offset")).isoformat()
        except ValueError as error:
            self._wrong("occurred_at", str(error))
            return ""

    def _facts(self) -> dict[str, Any]:
        label = f"{self.table.code}-{self.text('uuid')[:8]}"
        found: dict[str, Any] = {"game": self.table.game.code, "id": label}
        for field in self.layout.round_fields:
            self._read(field, round_name(field.name), found, {})
        return found | {"seats": [self._seat(number) for number in self.seats]}

    def _seat(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = {"seat": number}
        for field in self.layout.seat_fields:
            self._read(field, seat_name(number, field.name), found, found)
        return self.layout.complete(found)

    def _read(self, field: Field, name: str, found: dict[str, Any], amounts: Mapping[str, Any]) -> None:
        """Put the field's value into `found`; one that was left empty stays out, but for a list that may be empty."""
        text = self.text(name).strip()
        if field.times_of and TIMES.fullmatch(text) and f"{name.removesuffix(field.name)}{field.times_of}" in self.errors:
            return
        try:
            value = read_value(field, text, amounts, self.table.notation)
        except ValueError as error:
            self._wrong(name, str(error))
            return
        if value is not None:
            found[field.name] = value

    # ---- what was done ----

    def done(self, seat: int, kind: str) -> Done | None:
        """Return what the person says was done on the wager; None where it is as due, or no amount (noted in `errors`)."""
        name = done_name(seat, kind)
        text = self.text(name).strip()
        if not text or (not self.irregular and text == self.text(seen_name(seat, kind)).strip()):
            return None
        try:
            return read_done(text, self.table.notation)
        except ValueError as error:
            self._wrong(name, str(error))
            return None

    def _all_done(self) -> dict[str, Any]:
        done: dict[str, Any] = defaultdict(dict)
        for seat in self.seats:
            for kind in self.table.game.wager_kinds:
                if (said := self.done(seat, kind)) is not None:
                    done[str(seat)][kind] = _as_json(said)
        return dict(done)

    def _add_done(self, raw: dict[str, Any], dues: Iterable[WagerDue]) -> None:
        """Add what was done otherwise than due, and what became of it; what was corrected was, in the end, done as due."""
        net = {(due.seat, due.kind): (due.collect, due.pay) for due in dues}
        if self.table.game.is_pot_game:
            net = {(seat, POT): (Minor(0), Minor(0)) for seat in self.seats} | net
        done: dict[str, Any] = defaultdict(dict)
        mispaid = []
        for (seat, kind), due in net.items():
            said = self.done(seat, kind)
            if said is None or (said.collected, said.paid) == due:
                continue
            status, note = self.text(status_name(seat, kind)), self.text(note_name(seat, kind)).strip()
            if status == CORRECTED:
                mispaid.append({"seat": seat, "wager": kind, "status": status, "first": _as_json(said), "note": note})
                continue
            done[str(seat)][kind] = _as_json(said)
            if status:
                mispaid.append({"seat": seat, "wager": kind, "status": status, "note": note})
        raw.update({key: value for key, value in (("done", dict(done)), ("mispaid", mispaid)) if value})

    def _add_stakes(self, raw: dict[str, Any], laid: Collection[tuple[int, str]]) -> None:
        """Add what the stakes of the wagers `laid` were, where not chips, and which lay for the dealer. What is no such thing is noted."""
        funds: dict[str, Any] = defaultdict(dict)
        for_dealer: dict[str, Any] = defaultdict(list)
        for seat, kind in sorted(laid):
            fund = self.text(fund_name(seat, kind)).strip()
            if fund and fund not in self.layout.funds:
                self._wrong(fund_name(seat, kind), f"A stake is {', '.join(self.layout.funds)}")
            elif fund and fund != self.layout.funds[0]:
                funds[str(seat)][kind] = fund
            if self.layout.for_dealer and self.text(for_dealer_name(seat, kind)).strip():
                for_dealer[str(seat)].append(kind)
        raw.update({key: dict(said) for key, said in (("funds", funds), ("for_dealer", for_dealer)) if said})

    # ---- errors ----

    def check_dealer(self) -> None:
        """Note where nobody is named who dealt: to see what is due he need not be, to save he must."""
        if not self.text("who_dealt").strip():
            self._wrong("who_dealt", gettext("Who dealt?"))

    def add_error(self, name: str, error: FieldError) -> None:
        """Note what is wrong at the field `name`."""
        self.errors.setdefault(name, []).append(error)

    def _wrong(self, name: str, message: str) -> None:
        self.add_error(name, FieldError(f"{message}." if message[-1:].isalnum() else message, "bad_value"))

    def check_shape(self, facts: dict[str, Any]) -> None:
        """Note what else is wrong in what was typed, where a field that was no value keeps the round from being read whole."""
        try:
            self.table.game.check_shape(facts)
        except InvalidSlip as error:
            for fault in error.faults:
                if fault.code != "missing_field" and self._name(f"round.{fault.where}") not in self.errors:
                    self.place(replace(fault, where=f"round.{fault.where}"))

    def place(self, fault: Fault) -> None:
        """Note `fault` at the field that its `where` means, and at the other place of a card that stands at two."""
        error = in_words(fault, self.label, self.table.notation)
        names = {self._name(fault.where)}
        for place in fault.facts.get("places", ()):
            names.add(self._name(f"round.{place}"))
            self.doubled |= {fault.facts["card"]} if "card" in fault.facts else set()
        for name in names:
            self.add_error(name, FieldError(error, fault.code, waits=_waits(fault)))

    def _name(self, where: str) -> str:
        if match := _SEAT.fullmatch(where):
            place, field = int(match[1]), match[2]
            number = self.seats[place] if place < len(self.seats) else self.layout.first_seat
            known = {one.name for one in self.layout.seat_fields}
            return seat_name(number, field if field in known else self.layout.seat_fields[0].name)
        if match := _DONE.fullmatch(where):
            return done_name(int(match[1]), match[2])
        if (match := _ROUND.fullmatch(where)) and match[1] in {field.name for field in self.layout.round_fields}:
            return round_name(match[1])
        plain = {"dealer": "who_dealt", "irregular.reason": "irregular"}.get(where, where)
        return plain if plain in ("who_dealt", "occurred_at", "irregular") else GENERAL

    def label(self, where: str) -> str:
        """Return "seat 2's cards" for the place of a fault inside the round."""
        name = self._name(f"round.{where}")
        fields = {round_name(field.name): gettext("the %(label)s") % {"label": _named(field)} for field in self.layout.round_fields}
        for number in self.seats:
            fields |= {
                seat_name(number, field.name): gettext("seat %(number)s's %(label)s") % {"number": number, "label": _named(field)}
                for field in self.layout.seat_fields
            }
        return fields.get(name, gettext("the round"))

    # ---- cards ----

    def cards(self, name: str) -> list[str]:
        """Return the names of the cards that stand in the field, as far as they are cards."""
        return [NAMES[CODES[piece]] for piece in split_cards(self.text(name)) if piece in CODES]


def _waits(fault: Fault) -> bool:
    """Return whether the fault is only that something was not typed yet."""
    if fault.code == "wrong_card_count":
        return bool(fault.facts.get("found", 0) < fault.facts.get("due", 0))
    return fault.code in ("missing_field", "cards_required", "missing_play", "too_few_seats", "too_few_kept")


def _as_json(done: Done) -> dict[str, int | None]:
    return {"collected": done.collected, "paid": done.paid}


def _named(field: Field) -> str:
    """Return what a field is called inside of a sentence: German nouns keep their capital."""
    return field.label.lower() if is_english() else gettext(field.label)
