"""A paytable version as a value: prices and rules of one game, identified by the hash of its canonical JSON. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from casino.canonical import canonical_json
from casino.money import Minor
from casino.odds import format_odds, parse_odds
from tables.engine.faults import Faults, shown
from tables.engine.reading import Misread, Reader, nested, read_object
from tables.engine.rule import NO_DEFAULT, PAYOUT_UNIT, ROUNDING, Rule, caps, multiples, number, one_of, or_null

__all__ = ["PAYOUT_UNIT", "ROUNDING", "Paytable", "PaytableLayout", "Rule", "caps", "multiples", "number", "one_of", "or_null", "read_version"]


@dataclass(frozen=True, eq=False)
class Paytable:
    """One version, equal to any other of the same hash.

    `content` is the whole object with its defaults written out, odds reduced, basis "to"; `odds` by wager, then by row.
    """

    game: str
    name: str
    version: int
    content: Mapping[str, Any]
    odds: Mapping[str, Mapping[str, Fraction]]
    rules: Mapping[str, Any]
    payout_unit: Minor
    rounding: str

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Paytable) and self.sha256 == other.sha256)

    def __hash__(self) -> int:
        return hash(self.sha256)

    @cached_property
    def reference(self) -> str:
        """Return "uth-seed@1"."""
        return f"{self.name}@{self.version}"

    @cached_property
    def canonical(self) -> bytes:
        """Return the RFC 8785 bytes of `content`."""
        return canonical_json(self.content)

    @cached_property
    def sha256(self) -> str:
        """Return the version's identity: 64 hex digits."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def json(self) -> bytes:
        """Return what every answer says of it: `"game":"uth","paytable":"uth-seed@1","paytable_sha256":"…"`."""
        return f'"game":"{self.game}","paytable":"{self.reference}","paytable_sha256":"{self.sha256}"'.encode()


@dataclass(frozen=True)
class PaytableLayout:
    """What a paytable of a game is typed into: the rows that each wager with odds may list, and the rules by name. No `odds`: a pot game."""

    odds: Mapping[str, Collection[str]]
    rules: Mapping[str, Rule]


# ---- reading a version ----

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_LAST_VERSION = 10**9
_LONGEST_ODDS = 40


def _name(value: Any) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    raise Misread("bad_paytable", f"{shown(value)} is no name: up to 64 letters, digits, dots, underscores and hyphens.", needs="name")


def _odds(basis: Any) -> Callable[[Any], Fraction]:
    def read(value: Any) -> Fraction:
        if not isinstance(value, str) or len(value) > _LONGEST_ODDS:
            raise Misread("bad_paytable", f"{shown(value)} is not odds such as “3:2”.", needs="odds")
        try:
            return parse_odds(value, basis="for" if basis == "for" else "to")
        except ValueError as error:
            raise Misread("bad_paytable", f"{error}.") from error

    return read


def read_version(raw: Mapping[str, Any], game: str, rules: Mapping[str, Rule], odds: Mapping[str, Collection[str]] | None = None) -> Paytable:
    """Return the version that the parsed JSON object says, defaults written out, odds reduced and to one.

    `rules` are those of the game; `odds` names the rows that each wager with odds may list, None where the game has no odds. Raises
    InvalidSlip with every fault as `bad_paytable`, its place inside the object. Source: spec/rounds.md "Paytable versions".
    """
    faults = Faults(raw)
    fields, required = _fields(raw, game, rules, odds)
    found = read_object(raw, fields, required, (), faults)
    if faults.found:
        worse = Faults(raw)
        for fault in faults.found:
            worse.add("bad_paytable", fault.path, fault.message, **fault.facts)
        worse.raise_any()
    written_rules = {name: found.get("rules", {}).get(name, rule.default) for name, rule in rules.items()}
    return _paytable(game, found["name"], found["version"], found.get("odds"), written_rules)


def _fields(raw: Any, game: str, rules: Mapping[str, Rule], odds: Mapping[str, Collection[str]] | None) -> tuple[dict[str, Reader], frozenset[str]]:
    """Return the readers of the version's fields, and the names of those that it must have."""
    due = frozenset(name for name, rule in rules.items() if rule.default is NO_DEFAULT)
    fields: dict[str, Reader] = {
        "game": one_of(game),
        "name": _name,
        "version": number(1, _LAST_VERSION),
        "rules": nested({name: rule.read for name, rule in rules.items()}, due),
    }
    required = {"game", "name", "version", *(["rules"] if due else [])}
    if odds is not None:
        read_odds = _odds(raw.get("basis") if isinstance(raw, Mapping) else None)
        rows = {wager: nested(dict.fromkeys(rows, read_odds)) for wager, rows in odds.items()}
        fields |= {"basis": one_of("to", "for"), "odds": nested(rows, frozenset(odds))}
        required.add("odds")
    return fields, frozenset(required)


def _paytable(game: str, name: str, version: int, odds: Mapping[str, Mapping[str, Fraction]] | None, rules: Mapping[str, Any]) -> Paytable:
    content: dict[str, Any] = {"game": game, "name": name, "version": version, "rules": rules}
    if odds is not None:
        rows = {wager: {row: format_odds(price) for row, price in prices.items()} for wager, prices in odds.items()}
        content |= {"basis": "to", "odds": rows}
    unit, rounding = rules.get("payout_unit", 1), rules.get("rounding", "down")
    return Paytable(game, name, version, content, odds or {}, rules, unit, rounding)
