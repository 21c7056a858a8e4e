"""What doors are handed for the floor's verbs, read once into values that cannot be wrong in shape; faults are raised together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from casino.errors import Fault, InvalidSlip
from casino.money import CEILING, Minor
from casino.words import gettext
from tables.slips import MOST_TEXT, CountSlip

MOST_PIECES = 10**9


class Body:
    """One JSON object with these `keys` and no other. Ask for each value, then `check`."""

    def __init__(self, raw: Any, *keys: str, where: str = "") -> None:
        if not isinstance(raw, Mapping):
            raise InvalidSlip("bad_json", gettext("This is one JSON object."), where=where)
        self.raw, self.where = raw, where
        self.faults: list[Fault] = []
        for key in raw:
            if key not in keys:
                self.fault("unknown_field", str(key), gettext("There is no field “%(key)s” here.") % {"key": key})

    def fault(self, code: str, key: str, message: str) -> None:
        """Note what is wrong with the value of `key`."""
        self.faults.append(Fault(code, message, f"{self.where}.{key}" if self.where else key))

    def check(self) -> None:
        """Raise InvalidSlip with every fault that was noted, if any was."""
        if self.faults:
            raise InvalidSlip.of(self.faults)

    def has(self, key: str) -> bool:
        """Return whether there is a value, null being none."""
        return self.raw.get(key) is not None

    def uuid(self, key: str = "uuid") -> UUID:
        """Return a UUID; the nil one where it is missing or none, which is noted."""
        value = self.raw.get(key)
        if isinstance(value, str):
            with suppress(ValueError):
                return UUID(value)
        self._missing_or(key, "bad_type", gettext("“%(key)s” is a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff.") % {"key": key})
        return UUID(int=0)

    def text(self, key: str, *, most: int = MOST_TEXT, required: bool = True) -> str:
        """Return a text of at most `most` characters, "" where it is missing and may be."""
        value = self.raw.get(key)
        if value is None and not required:
            return ""
        if isinstance(value, str) and len(value) <= most and "\x00" not in value and (value.strip() or not required):
            return value.strip()
        self._missing_or(
            key,
            "bad_type",
            gettext("“%(key)s” is text of %(required)s to %(most)s characters.") % {"key": key, "required": 1 if required else 0, "most": most},
        )
        return ""

    def amount(self, key: str = "amount", *, least: int = 1, required: bool = True) -> Minor:
        """Return whole minor units from `least` on, 0 where it is missing and may be."""
        value = self.raw.get(key)
        if value is None and key not in self.raw and not required:
            return Minor(0)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < CEILING:
            self._missing_or(
                key,
                "bad_amount",
                gettext("“%(key)s” is a whole number of minor units, from %(least)s and below 10^15.") % {"key": key, "least": least},
            )
            return Minor(0)
        return Minor(value)

    def flag(self, key: str) -> bool:
        """Return true or false; false where it is missing."""
        value = self.raw.get(key, False)
        if not isinstance(value, bool):
            self.fault("bad_type", key, gettext("“%(key)s” is true or false.") % {"key": key})
            return False
        return value

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """Return one of `choices`."""
        value = self.raw.get(key)
        if isinstance(value, str) and value in choices:
            return value
        self._missing_or(key, "bad_type", gettext("“%(key)s” is %(choices)s.") % {"key": key, "choices": ", ".join(choices)})
        return ""

    def moment(self, key: str) -> datetime | None:
        """Return a moment with its offset, None where it is missing."""
        value = self.raw.get(key)
        if value is None:
            return None
        with suppress(ValueError, TypeError):
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is not None and 1970 < moment.year < 2200:
                return moment
        self.fault("bad_type", key, gettext("“%(key)s” is a time such as 2026-11-30T21:14:05+00:00.") % {"key": key})
        return None

    def day(self, key: str) -> date:
        """Return a day; a day long past where it is missing or none, which is noted."""
        value = self.raw.get(key)
        if isinstance(value, str) and len(value) == 10:
            with suppress(ValueError):
                day = date.fromisoformat(value)
                if 1970 < day.year < 2200:
                    return day
        self._missing_or(key, "bad_type", gettext("“%(key)s” is a day such as 2026-11-30.") % {"key": key})
        return date(1970, 1, 1)

    def clock(self, key: str) -> time | None:
        """Return a time of the clock, None where it is missing."""
        value = self.raw.get(key)
        if value is None:
            return None
        with suppress(ValueError, TypeError):
            found = time.fromisoformat(value)
            if found.tzinfo is None:
                return found
        self.fault("bad_type", key, gettext("“%(key)s” is a time by the house's clock such as 22:00.") % {"key": key})
        return None

    def whole(self, key: str, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`."""
        value = self.raw.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self._missing_or(
                key, "bad_type", gettext("“%(key)s” is a whole number from %(least)s to %(most)s.") % {"key": key, "least": least, "most": most}
            )
            return least
        return value

    def count(self, key: str = "denominations", note: str = "note") -> CountSlip:
        """Return a count: an object of how many pieces of each value, in minor units; and its note."""
        value, pieces = self.raw.get(key), {}
        if not isinstance(value, Mapping):
            self._missing_or(key, "bad_type", gettext("“%(key)s” is an object: how many pieces of each value.") % {"key": key})
            value = {}
        for worth, number in value.items():
            if not (str(worth).isascii() and str(worth).isdigit()) or str(worth).startswith("0") or len(str(worth)) >= len(str(CEILING)):
                self.fault("bad_count", f"{key}.{worth}", gettext("“%(worth)s” is no value in whole minor units.") % {"worth": str(worth)[:40]})
            elif isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < MOST_PIECES:
                self.fault("bad_count", f"{key}.{worth}", gettext("%(number)s is no number of pieces.") % {"number": f"{number!r}"})
            else:
                pieces[int(worth)] = number
        said = self.text(note, required=False)
        try:
            return CountSlip(pieces, note=said)
        except InvalidSlip as error:
            self.fault(error.code, key, error.message)
            return CountSlip({})

    def _missing_or(self, key: str, code: str, message: str) -> None:
        if key not in self.raw:
            self.fault("missing_field", key, gettext("“%(key)s” is missing.") % {"key": key})
        else:
            self.fault(code, key, message)
