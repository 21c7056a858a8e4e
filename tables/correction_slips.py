"""What machines hand in of corrections, as values: a void, a dead hand, a correction, a late round, a decision, a ruling. Pure.

After one of them nothing can be wrong in shape; each reader raises InvalidSlip with every fault, naming the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from casino.errors import Fault, InvalidSlip
from casino.money import CEILING
from casino.words import gettext


@dataclass(frozen=True)
class Asked:
    """What is proposed, but for what is particular to its kind."""

    reason: str
    note: str


@dataclass(frozen=True)
class VoidSlip(Asked):
    """A void: did all chips go back? None where it does not say."""

    uuid: UUID
    chips_returned: bool | None


@dataclass(frozen=True)
class DeadHandSlip(Asked):
    """The hand of one seat is dead."""

    uuid: UUID
    seat: int


@dataclass(frozen=True)
class CorrectionSlip(Asked):
    """A round's own slip; `session` is of a round that was never entered, None of a correction."""

    slip: Mapping[str, Any]
    session: UUID | None = None


@dataclass(frozen=True)
class RulingSlip:
    """What an auditor rules: (collect, pay) by (seat, wager), None where it stands as dealt; `after` rulings that were seen."""

    reason: str
    due: Mapping[tuple[int, str], tuple[int, int]] | None
    after: int


class _Body:
    """A JSON object that is read field by field; what is wrong is collected."""

    def __init__(self, raw: Any, *fields: str) -> None:
        if not isinstance(raw, Mapping):
            raise InvalidSlip("bad_json", gettext("What is handed in is one JSON object."))
        self.raw = raw
        self.faults = [Fault("unknown_field", gettext("There is no “%(key)s” here.") % {"key": key}, str(key)) for key in raw if key not in fields]

    def wrong(self, where: str, message: str) -> None:
        """Note a missing field, or one of another type than it should be."""
        self.faults.append(Fault("bad_type" if self.raw.get(where) is not None else "missing_field", message, where))

    def text(self, key: str, *, required: bool = False) -> str:
        """Return the text of `key`, "" where it may be left out and is."""
        value = self.raw.get(key, "")
        if not isinstance(value, str) or (required and not value.strip()):
            self.wrong(key, gettext("“%(key)s” is text.") % {"key": key})
            return ""
        return value

    def uuid(self, key: str) -> UUID:
        """Return the UUID of `key`."""
        value = self.raw.get(key)
        if isinstance(value, str):
            with suppress(ValueError):
                if str(read := UUID(value)) == value.lower():
                    return read
        self.wrong(key, gettext("“%(key)s” is a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff.") % {"key": key})
        return UUID(int=0)

    def whole(self, key: str, *, least: int, default: int | None = None) -> int:
        """Return the whole number of `key`."""
        value = self.raw.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 10_000:
            self.wrong(key, gettext("“%(key)s” is a whole number from %(least)s.") % {"key": key, "least": least})
            return least
        return value

    def flag(self, key: str) -> bool | None:
        """Return true or false of `key`, None where it is absent."""
        value = self.raw.get(key)
        if value is not None and not isinstance(value, bool):
            self.wrong(key, gettext("“%(key)s” is true or false.") % {"key": key})
            return None
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return the object of `key`."""
        value = self.raw.get(key)
        if not isinstance(value, Mapping):
            self.wrong(key, gettext("“%(key)s” is an object.") % {"key": key})
            return {}
        return value

    def end(self) -> None:
        """Raise InvalidSlip with all that was wrong."""
        if self.faults:
            raise InvalidSlip.of(self.faults)


def read_void(raw: Any) -> VoidSlip:
    """Return what `{"uuid", "reason", "note"?, "chips_returned"}` says."""
    body = _Body(raw, "uuid", "reason", "note", "chips_returned")
    slip = VoidSlip(body.text("reason", required=True), body.text("note"), body.uuid("uuid"), body.flag("chips_returned"))
    body.end()
    return slip


def read_dead_hand(raw: Any) -> DeadHandSlip:
    """Return what `{"uuid", "seat", "reason", "note"?}` says."""
    body = _Body(raw, "uuid", "seat", "reason", "note")
    slip = DeadHandSlip(body.text("reason", required=True), body.text("note"), body.uuid("uuid"), body.whole("seat", least=1))
    body.end()
    return slip


def read_correction(raw: Any) -> CorrectionSlip:
    """Return what `{"slip", "reason", "note"?}` says; the slip is read by its own reader."""
    body = _Body(raw, "slip", "reason", "note")
    slip = CorrectionSlip(body.text("reason", required=True), body.text("note"), body.mapping("slip"))
    body.end()
    return slip


def read_late_round(raw: Any) -> CorrectionSlip:
    """Return what `{"session", "slip", "reason", "note"?}` says."""
    body = _Body(raw, "session", "slip", "reason", "note")
    slip = CorrectionSlip(body.text("reason", required=True), body.text("note"), body.mapping("slip"), body.uuid("session"))
    body.end()
    return slip


def uuid_in(slip: Mapping[str, Any]) -> UUID:
    """Return the uuid of a round's slip. Raises InvalidSlip at `uuid`."""
    body = _Body(slip, *slip)
    uuid = body.uuid("uuid")
    body.end()
    return uuid


def read_note(raw: Any) -> str:
    """Return the note of a decision, `{"password"?, "note"?}`; the password is asked for at the door."""
    body = _Body(raw, "password", "note")
    note = body.text("note")
    body.end()
    return note


def read_ruling(raw: Any) -> RulingSlip:
    """Return what `{"reason", "stands": true}` or `{"reason", "due": {"1": {"ante": {"collect", "pay"}}}}` says, with `after` rulings seen."""
    body = _Body(raw, "password", "reason", "stands", "due", "after")
    reason, after = body.text("reason"), body.whole("after", least=0, default=0)
    stands, due = body.flag("stands"), None
    if stands and "due" in body.raw:
        body.wrong("due", gettext("A round that stands as dealt says no due."))
    elif not stands:
        due = _due(body)
    body.end()
    return RulingSlip(reason, due, after)


def _due(body: _Body) -> dict[tuple[int, str], tuple[int, int]]:
    due = {}
    for seat, wagers in body.mapping("due").items():
        if not (seat.isascii() and seat.isdigit() and len(seat) < 4 and isinstance(wagers, Mapping)):
            body.faults.append(Fault("bad_seat", gettext("“%(seat)s” is no seat with its wagers.") % {"seat": seat}, f"due.{seat}"))
            continue
        for kind, said in wagers.items():
            place = f"due.{seat}.{kind}"
            if not isinstance(said, Mapping) or set(said) != {"collect", "pay"}:
                body.faults.append(Fault("bad_type", gettext("What was due on a wager is {collect, pay}."), place))
            elif wrong := [side for side in said if isinstance(said[side], bool) or not isinstance(said[side], int) or not 0 <= said[side] < CEILING]:
                words = gettext("An amount is a whole number of minor units, from 0 and below 10^15.")
                body.faults += [Fault("bad_amount", words, f"{place}.{side}") for side in wrong]
            else:
                due[int(seat), kind] = (said["collect"], said["pay"])
    return due
