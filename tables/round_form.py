"""A round as a person types it: texts by field name in, the raw slip of spec/rounds.md out, errors back at the field. Pure.

Fields are named `r_community` (of the round), `s2_cards` (of seat 2), `d2_trips` (what the dealer did on seat 2's trips), `w2_trips` (what
was due on it when the person looked), `m2_trips` and `n2_trips` (what became of a difference, and a note). What was done is one signed
amount, the patron's: `+15.00` was paid, `−5.00` was taken, `0` was returned, `−5.00 +15.00` was taken and paid; empty, or as it was shown,
is "as due".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from casino.errors import Fault
from casino.money import Minor, parse_amount
from casino.wall_clock import read_local
from tables.engine.cards import CODES, NAMES, split_cards
from tables.engine.game import Field, Game, WagerDue
from tables.fault_words import in_words
from tables.slips import Done

POT = "pot"
CORRECTED = "corrected"
GENERAL = ""
"""The name under which errors stand that belong to no field."""

_TIMES = re.compile(r"\s*(\d{1,2})\s*[x×]\s*", re.IGNORECASE)
_SEAT = re.compile(r"round\.seats\[(\d+)\](?:\.(\w+))?.*")
_ROUND = re.compile(r"round\.(\w+).*")
_DONE = re.compile(r"done\.(\d+)\.(\w+).*")
_PLUS_AND_MINUS = re.compile(r"[-−–](?P<taken>[^+−–-]+)\+(?P<paid>[^+−–-]+)")


@dataclass(frozen=True)
class TableFacts:
    """What the form needs to know of a table: its code and game, decimals of the currency, the zone of its clock."""

    code: str
    game: Game
    exponent: int
    zone: str


@dataclass(frozen=True)
class FieldError:
    """What is wrong at a field; `waits` where it is only not typed yet."""

    message: str
    code: str = ""
    waits: bool = False


class RoundForm:
    """What was typed of one round. `errors` holds what is wrong, by field name; it grows with `slip` and `place`."""

    def __init__(self, table: TableFacts, typed: Mapping[str, str]) -> None:
        self.table = table
        self.layout = table.game.layout
        self.typed = {name: text.replace("\x00", "") for name, text in typed.items()}
        self.errors: dict[str, list[FieldError]] = {}

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
        if self.irregular:
            raw["irregular"] = {"reason": self.irregular}
            raw["done"] = self._all_done()
        elif dues is not None:
            self._add_done(raw, dues)
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
        if field.times_of and _TIMES.fullmatch(text) and f"{name.removesuffix(field.name)}{field.times_of}" in self.errors:
            return
        try:
            value = self._value(field, text, amounts)
        except ValueError as error:
            self._wrong(name, str(error))
            return
        if value is not None:
            found[field.name] = value

    def _value(self, field: Field, text: str, amounts: Mapping[str, Any]) -> Any:
        if field.kind == "numbers":
            return [_whole(piece) for piece in re.split(r"[\s,]+", text) if piece]
        if field.kind == "cards" and field.count == 0:
            return _whole(text) if text.isdigit() else text if text else []
        if not text:
            return None
        if field.kind == "amount":
            return self._amount(field, text, amounts)
        if field.kind == "flag":
            return True
        if field.kind == "wagers":
            return self._wagers(text)
        return _whole(text) if field.kind == "number" else text

    def _amount(self, field: Field, text: str, amounts: Mapping[str, Any]) -> Minor:
        times = _TIMES.fullmatch(text) if field.times_of else None
        if times is None:
            return parse_amount(text, self.table.exponent)
        if field.times_of not in amounts:
            raise ValueError(f"“{text}” of what? The {field.times_of} is not typed yet")
        return Minor(int(times[1]) * amounts[field.times_of])

    def _wagers(self, text: str) -> dict[str, Minor]:
        """Return the stake of each wager in "red 10, dozen_1 5", as they are named there."""
        pieces = [piece for piece in (piece.strip(",;") for piece in text.split()) if piece]
        kinds, stakes = pieces[::2], pieces[1::2]
        if len(kinds) != len(stakes):
            raise ValueError(f"“{kinds[-1]}” has no stake: each wager is followed by its own")
        if twice := [kind for kind in kinds if kinds.count(kind) > 1]:
            raise ValueError(f"“{twice[0]}” stands there twice")
        return {kind: parse_amount(stake, self.table.exponent) for kind, stake in zip(kinds, stakes, strict=True)}

    # ---- what was done ----

    def done(self, seat: int, kind: str) -> Done | None:
        """Return what the person says was done on the wager; None where it is as due, or no amount (noted in `errors`)."""
        name = done_name(seat, kind)
        text = self.text(name).strip()
        if not text or (not self.irregular and text == self.text(seen_name(seat, kind)).strip()):
            return None
        try:
            return self._read_done(text)
        except ValueError as error:
            self._wrong(name, str(error))
            return None

    def _read_done(self, text: str) -> Done:
        bare = text.replace(" ", "")
        if both := _PLUS_AND_MINUS.fullmatch(bare):
            return Done(parse_amount(both["taken"], self.table.exponent), parse_amount(both["paid"], self.table.exponent))
        amount = parse_amount(bare.lstrip("+-−–"), self.table.exponent)
        if len(bare) - len(bare.lstrip("+-−–")) > 1:
            raise ValueError(f"“{text}” has more than one sign")
        return Done(amount, Minor(0)) if bare[0] in "-−–" else Done(Minor(0), amount)

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

    # ---- errors ----

    def check_dealer(self) -> None:
        """Note where nobody is named who dealt: to see what is due he need not be, to save he must."""
        if not self.text("who_dealt").strip():
            self._wrong("who_dealt", "Who dealt?")

    def add_error(self, name: str, error: FieldError) -> None:
        """Note what is wrong at the field `name`."""
        self.errors.setdefault(name, []).append(error)

    def _wrong(self, name: str, message: str) -> None:
        self.add_error(name, FieldError(f"{message}." if message[-1:].isalnum() else message, "bad_value"))

    def place(self, fault: Fault) -> None:
        """Note `fault` at the field that its `where` means, and at the other place of a card that stands at two."""
        error = in_words(fault, self.label, self.table.exponent)
        names = {self._name(fault.where)}
        for place in fault.facts.get("places", ()):
            names.add(self._name(f"round.{place}"))
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
        fields = {round_name(field.name): f"the {field.label.lower()}" for field in self.layout.round_fields}
        for number in self.seats:
            fields |= {seat_name(number, field.name): f"seat {number}'s {field.label.lower()}" for field in self.layout.seat_fields}
        return fields.get(name, "the round")

    # ---- cards ----

    def cards(self, name: str) -> list[str]:
        """Return the names of the cards that stand in the field, as far as they are cards."""
        return [NAMES[CODES[piece]] for piece in split_cards(self.text(name)) if piece in CODES]


def _waits(fault: Fault) -> bool:
    """Return whether the fault is only that something was not typed yet."""
    if fault.code == "wrong_card_count":
        return bool(fault.facts.get("found", 0) < fault.facts.get("due", 0))
    return fault.code in ("missing_field", "cards_required", "missing_play", "too_few_seats", "too_few_kept")


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"“{text}” is no whole number")
    return int(text)


def _as_json(done: Done) -> dict[str, int | None]:
    return {"collected": done.collected, "paid": done.paid}


def round_name(field: str) -> str:
    """Return the name of a round's field."""
    return f"r_{field}"


def seat_name(seat: int, field: str) -> str:
    """Return the name of a seat's field."""
    return f"s{seat}_{field}"


def done_name(seat: int, kind: str) -> str:
    """Return the name of the field that says what was done on a wager."""
    return f"d{seat}_{kind}"


def seen_name(seat: int, kind: str) -> str:
    """Return the name of the hidden field that keeps what was shown as due."""
    return f"w{seat}_{kind}"


def status_name(seat: int, kind: str) -> str:
    """Return the name of the field that says what became of a difference."""
    return f"m{seat}_{kind}"


def note_name(seat: int, kind: str) -> str:
    """Return the name of the field for a note on a difference."""
    return f"n{seat}_{kind}"
