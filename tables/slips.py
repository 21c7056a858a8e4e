"""Slips: frozen values that every door produces. After one there are no dicts and nothing can be wrong in shape.

Source: spec/rounds.md, "A recorded round".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any
from uuid import UUID

import orjson

from casino.errors import Fault, InvalidSlip
from casino.money import CEILING, Minor
from casino.words import gettext

_KEYS = ("uuid", "table", "occurred_at", "dealer", "number", "round", "done", "mispaid", "patrons", "irregular", "replaces", "funds", "for_dealer")
_REQUIRED = ("uuid", "table", "occurred_at", "dealer", "round")
MOST_TEXT = 300
MOST_CODE = 20
FUNDS = ("chips", "cash", "promo")
"""What a stake may be: chips, cash (money plays), promotional chips or a coupon."""
LARGEST_NUMBER = 999_999


@dataclass(frozen=True)
class Done:
    """What the dealer did on one wager: `collected` of the stake, `paid` beyond it; minor units, None where it was done as due."""

    collected: Minor | None = None
    paid: Minor | None = None


@dataclass(frozen=True)
class Mispaid:
    """The dealer's mistake: `corrected` at the table (`first` keeps the first payment), or `not_recovered`."""

    seat: int
    wager: str
    status: str
    first: Done | None = None
    note: str = ""


@dataclass(frozen=True)
class RoundSlip:
    """A round as a person or a machine hands it in. `round` is the game's own facts, which the game reads."""

    uuid: UUID
    table: str
    occurred_at: datetime
    dealer: str
    round: Mapping[str, Any]
    number: int | None = None
    done: Mapping[tuple[int, str], Done] = field(default_factory=dict)
    mispaid: tuple[Mispaid, ...] = ()
    patrons: Mapping[int, str] = field(default_factory=dict)
    irregular: str = ""
    replaces: UUID | None = None
    funds: Mapping[tuple[int, str], str] = field(default_factory=dict)
    for_dealer: frozenset[tuple[int, str]] = frozenset()
    fingerprint: bytes = b""


def read_round_slip(raw: Any) -> RoundSlip:
    """Return the slip that parsed JSON `raw` says. Raises InvalidSlip with every fault of its shape."""
    return plain_slip(raw) or _Reader(raw).slip()


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
_required = itemgetter(*_REQUIRED)
_USUAL = frozenset({*_REQUIRED, "number", "patrons"})


def plain_slip(raw: Any) -> RoundSlip | None:
    """Return the slip of a round of which no more is said than most are, and all that is plainly right; None where the reader has to look."""
    try:
        uuid, table, occurred_at, dealer, played = _required(raw)
        moment = datetime.fromisoformat(occurred_at)
        right = _UUID(uuid) and _is_code(table) and _is_code(dealer) and moment.tzinfo is not None and 1970 < moment.year < 2200
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    if not right or type(raw) is not dict or type(played) is not dict or not raw.keys() <= _USUAL:
        return None
    number, patrons = None, {}
    if len(raw) > len(_REQUIRED):
        reader = _Reader(raw)
        number, patrons = reader.number("number"), reader.patrons()
        if reader.faults:
            return None
    slip = object.__new__(RoundSlip)  # with all its fields at once, in a quarter of the time
    slip.__dict__.update(
        uuid=UUID(uuid),
        table=table,
        occurred_at=moment,
        dealer=dealer,
        round=played,
        number=number,
        done={},
        mispaid=(),
        patrons=patrons,
        irregular="",
        replaces=None,
        funds={},
        for_dealer=frozenset(),
        fingerprint=hashlib.sha256(_body(raw)).digest(),
    )
    return slip


@lru_cache(maxsize=256)
def _is_code(text: Any) -> bool:
    return type(text) is str and len(text) <= MOST_CODE and text.isprintable() and bool(text.strip())


def _body(raw: Mapping[str, Any]) -> bytes:
    """Return the slip as JSON text, keys sorted, everything beyond printable ASCII escaped."""
    try:
        body = orjson.dumps(raw, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        body = b"\x7f"
    if body.isascii() and b"\x7f" not in body:
        return body
    return json.dumps(raw, sort_keys=True, separators=(",", ":")).encode()


class _Reader:
    """Reads one slip and collects what is wrong with it."""

    def __init__(self, raw: Any) -> None:
        if not isinstance(raw, dict):
            raise InvalidSlip("bad_json", gettext("A slip is one JSON object."))
        self.raw = raw
        self.faults: list[Fault] = []

    def slip(self) -> RoundSlip:
        """Return the slip, or raise all faults."""
        self._keys()
        raw = self.raw
        values: dict[str, Any] = {
            "uuid": self._uuid("uuid"),
            "table": self._text("table", most=MOST_CODE),
            "occurred_at": self._moment("occurred_at"),
            "dealer": self._text("dealer", most=MOST_CODE),
            "round": self._object("round"),
            "number": self.number("number"),
            "done": self._done(),
            "mispaid": self._mispaid(),
            "patrons": self.patrons(),
            "irregular": self._irregular(),
            "replaces": self._uuid("replaces") if raw.get("replaces") is not None else None,
            "funds": self._funds(),
            "for_dealer": self._for_dealer(),
        }
        if self.faults:
            raise InvalidSlip.of(self.faults)
        return RoundSlip(**values, fingerprint=hashlib.sha256(_body(raw)).digest())

    def _fault(self, code: str, where: str, message: str) -> None:
        self.faults.append(Fault(code, message, where))

    def _keys(self) -> None:
        for key in _REQUIRED:
            if key not in self.raw:
                self._fault("missing_field", key, gettext("“%(key)s” is missing.") % {"key": key})
        for key in self.raw:
            if key not in _KEYS:
                self._fault("unknown_field", key, gettext("A slip has no “%(key)s”.") % {"key": key})

    def _uuid(self, key: str) -> UUID | None:
        value = self.raw.get(key)
        if isinstance(value, str):
            with suppress(ValueError):
                if str(read := UUID(value)) == value.lower():  # not in braces, nor without hyphens: one uuid has one text
                    return read
        if key in self.raw:
            self._fault("bad_type", key, gettext("“%(key)s” is a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff.") % {"key": key})
        return None

    def _text(self, key: str, *, most: int, where: str | None = None, source: Mapping[str, Any] | None = None) -> str:
        value = (source or self.raw).get(key)
        if isinstance(value, str) and len(value.strip()) > 0 and len(value) <= most and "\x00" not in value:
            return value
        if value is not None or source is not None or key not in _REQUIRED or key in self.raw:
            self._fault("bad_type", where or key, gettext("“%(key)s” is text of 1 to %(most)s characters.") % {"key": key, "most": most})
        return ""

    def _moment(self, key: str) -> datetime | None:
        value = self.raw.get(key)
        if key not in self.raw:
            return None
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None or not 1970 < moment.year < 2200:
            self._fault("bad_type", key, gettext("“%(key)s” is a time such as 2026-11-30T21:14:05+00:00.") % {"key": key})
            return None
        return moment

    def _object(self, key: str) -> Mapping[str, Any]:
        value = self.raw.get(key)
        if isinstance(value, dict):
            return value
        if key in self.raw:
            self._fault("bad_type", key, gettext("“%(key)s” is an object.") % {"key": key})
        return {}

    def number(self, key: str) -> int | None:
        """Return the whole number under `key`, None where there is none."""
        value = self.raw.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_NUMBER:
            self._fault("bad_type", key, gettext("“%(key)s” is a whole number from 1 to %(most)s.") % {"key": key, "most": LARGEST_NUMBER})
            return None
        return value

    def _done(self) -> dict[tuple[int, str], Done]:
        raw = self.raw.get("done")
        if raw is None:
            return {}
        done: dict[tuple[int, str], Done] = {}
        for seat, where, wagers in self._by_seat(raw, "done"):
            if not isinstance(wagers, dict):
                self._fault("bad_type", where, gettext("What was done at a seat is an object of wagers."))
                continue
            for wager, what in wagers.items():
                done[seat, wager] = self._one_done(what, f"{where}.{wager}")
        return done

    def _by_seat(self, raw: Any, key: str) -> list[tuple[int, str, Any]]:
        if not isinstance(raw, dict):
            self._fault("bad_type", key, gettext("“%(key)s” is an object keyed by seat.") % {"key": key})
            return []
        seats = []
        for seat, value in raw.items():
            if seat.isascii() and seat.isdigit() and not seat.startswith("0") and len(seat) < 4:
                seats.append((int(seat), f"{key}.{seat}", value))
            else:
                self._fault("bad_seat", f"{key}.{seat}", gettext("“%(seat)s” is no seat.") % {"seat": seat})
        return seats

    def _one_done(self, what: Any, where: str) -> Done:
        if not isinstance(what, dict):
            self._fault("bad_type", where, gettext("What was done on a wager is {collected, paid}."))
            return Done()
        for key in what:
            if key not in ("collected", "paid"):
                self._fault("unknown_field", f"{where}.{key}", gettext("What was done has no “%(key)s”.") % {"key": key})
        return Done(self._amount(what, "collected", where), self._amount(what, "paid", where))

    def _amount(self, what: Mapping[str, Any], key: str, where: str) -> Minor | None:
        if key not in what:
            return None
        value = what[key]
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < CEILING:
            self._fault("bad_amount", f"{where}.{key}", gettext("An amount is a whole number of minor units, from 0 and below 10^15."))
            return None
        return Minor(value)

    def _mispaid(self) -> tuple[Mispaid, ...]:
        raw = self.raw.get("mispaid")
        if raw is None:
            return ()
        if not isinstance(raw, list):
            self._fault("bad_type", "mispaid", gettext("“mispaid” is a list."))
            return ()
        return tuple(said for position, one in enumerate(raw) if (said := self._one_mispaid(one, f"mispaid[{position}]")) is not None)

    def _one_mispaid(self, one: Any, where: str) -> Mispaid | None:
        if not isinstance(one, dict):
            self._fault("bad_type", where, gettext("A mispaid wager is an object."))
            return None
        for key in one:
            if key not in ("seat", "wager", "status", "first", "note"):
                self._fault("unknown_field", f"{where}.{key}", gettext("A mispaid wager has no “%(key)s”.") % {"key": key})
        seat, status = one.get("seat"), one.get("status")
        if isinstance(seat, bool) or not isinstance(seat, int):
            self._fault("bad_type", f"{where}.seat", gettext("A seat is a whole number."))
        if status not in ("corrected", "not_recovered"):
            self._fault("bad_type", f"{where}.status", gettext("A status is “corrected” or “not_recovered”."))
        note = one.get("note", "")
        if not isinstance(note, str) or len(note) > MOST_TEXT or "\x00" in note:
            self._fault("bad_type", f"{where}.note", gettext("A note is text of at most %(most)s characters.") % {"most": MOST_TEXT})
        wager = self._text("wager", most=MOST_CODE, where=f"{where}.wager", source=one or {"wager": None})
        first = self._one_done(one["first"], f"{where}.first") if one.get("first") is not None else None
        return Mispaid(seat, wager, status, first, note) if not self.faults else None  # type: ignore[arg-type]

    def patrons(self) -> dict[int, str]:
        """Return the patrons by seat."""
        raw = self.raw.get("patrons")
        if raw is None:
            return {}
        patrons = {}
        for seat, where, patron in self._by_seat(raw, "patrons"):
            if isinstance(patron, str) and 0 < len(patron) <= 40 and patron.isprintable() and patron.strip() == patron:
                patrons[seat] = patron
            else:
                self._fault("bad_type", where, gettext("A patron's number is text of 1 to 40 characters."))
        return patrons

    def _funds(self) -> dict[tuple[int, str], str]:
        raw = self.raw.get("funds")
        funds: dict[tuple[int, str], str] = {}
        for seat, where, wagers in self._by_seat(raw, "funds") if raw is not None else []:
            if not isinstance(wagers, dict):
                self._fault("bad_type", where, gettext("What was put down at a seat is an object of wagers."))
                continue
            for wager, fund in wagers.items():
                if fund in FUNDS:
                    funds[seat, wager] = fund
                else:
                    self._fault(
                        "bad_type",
                        f"{where}.{wager}",
                        gettext("A stake is %(funds)s or %(funds2)s.") % {"funds": ", ".join(FUNDS[:-1]), "funds2": FUNDS[-1]},
                    )
        return funds

    def _for_dealer(self) -> frozenset[tuple[int, str]]:
        raw = self.raw.get("for_dealer")
        spots: set[tuple[int, str]] = set()
        for seat, where, wagers in self._by_seat(raw, "for_dealer") if raw is not None else []:
            if isinstance(wagers, list) and all(isinstance(wager, str) for wager in wagers):
                spots |= {(seat, wager) for wager in wagers}
            else:
                self._fault("bad_type", where, gettext("The wagers for the dealer at a seat are a list of their names."))
        return frozenset(spots)

    def _irregular(self) -> str:
        raw = self.raw.get("irregular")
        if raw is None:
            return ""
        if not isinstance(raw, dict) or set(raw) != {"reason"}:
            self._fault("bad_type", "irregular", gettext("“irregular” is {reason}."))
            return ""
        return self._text("reason", most=MOST_TEXT, where="irregular.reason", source=raw)


@dataclass(frozen=True)
class CountSlip:
    """What was counted: how many pieces of each value (minor units); `total` follows from it."""

    denominations: Mapping[int, int]
    note: str = ""

    def __post_init__(self) -> None:
        """Raise InvalidSlip (`bad_count`) unless values and numbers are whole, values from 1, numbers from 0."""
        for value, pieces in self.denominations.items():
            whole = all(isinstance(figure, int) and not isinstance(figure, bool) for figure in (value, pieces))
            if not whole or value < 1 or pieces < 0:
                raise InvalidSlip(
                    "bad_count",
                    gettext("%(pieces)s pieces of %(value)s is no count.") % {"pieces": f"{pieces!r}", "value": f"{value!r}"},
                    where=f"denominations.{value}",
                )
        if not self.total < CEILING:
            raise InvalidSlip("bad_amount", gettext("The count is too large."), where="denominations")

    @property
    def total(self) -> Minor:
        """Return the sum in minor units."""
        return Minor(sum(value * pieces for value, pieces in self.denominations.items()))

    @property
    def as_json(self) -> dict[str, int]:
        """Return the count as it is kept: larger values first."""
        return {str(value): pieces for value, pieces in sorted(self.denominations.items(), reverse=True)}
