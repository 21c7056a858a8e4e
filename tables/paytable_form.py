"""A paytable as it is typed: a form made from the game's own description, whatever the game. Pure.

Fields are named by the place of what they say in the version's JSON ("odds.trips.flush", "rules.play_multiples.preflop"), so that a fault
finds its field by its `where`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from casino.errors import Fault
from casino.odds import format_odds
from casino.words import gettext, gettext_noop, said_of
from tables.bet_words import bet_name, row_name
from tables.engine.game import Game, games
from tables.engine.paytable import Paytable
from tables.engine.rule import NO_DEFAULT, RuleField
from tables.paytable_files import published
from tables.paytable_words import in_words

IDENTITY = ("name", "version", "basis")
_SPOKEN_ODDS = re.compile(r"\s*(\d{1,9})\s*(?:(?::|/|-|to|for)\s*(\d{1,9}))?\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class TypedField:
    """One input: its name, what a person calls it, what was typed, what is wrong with it. `choices` where one of them is chosen."""

    name: str
    label: str
    value: str
    errors: tuple[str, ...]
    kind: str
    choices: tuple[str, ...] = ()
    hint: str = ""


@dataclass
class PaytableForm:
    """What was `typed` of a paytable of `game`, by name of field."""

    game: Game
    typed: Mapping[str, str]
    errors: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, paytable: Paytable, game: Game, **changed: str) -> PaytableForm:
        """Return the form that says `paytable`, but for what is `changed`."""
        typed = {"name": paytable.name, "version": str(paytable.version), "basis": "to"}
        for wager, prices in paytable.odds.items():
            typed |= {f"odds.{wager}.{row}": format_odds(price) for row, price in prices.items()}
        for name, part in _rule_fields(game):
            typed[_place(name, part)] = _written(_inside(paytable.rules[name], part.path))
        return cls(game, typed | changed)

    @classmethod
    def blank(cls, game: Game) -> PaytableForm:
        """Return the form of a new paytable: no odds, every rule as where it is left out."""
        typed = {"version": "1", "basis": "to"}
        for name, part in _rule_fields(game):
            default = game.paytable_layout.rules[name].default
            typed[_place(name, part)] = "" if default is NO_DEFAULT else _written(_inside(default, part.path))
        return cls(game, typed)

    def raw(self) -> dict[str, Any]:
        """Return the JSON object that was typed. What is no number stays a text, which the reader of versions refuses at its place."""
        found: dict[str, Any] = {"game": self.game.code, "name": self._text("name"), "version": _number(self._text("version")), "rules": {}}
        for name, part in _rule_fields(self.game):
            if (text := self._text(_place(name, part))) or part.kind == "numbers":
                _put(found["rules"], (name, *part.path), _meant(part, text))
        if self.game.paytable_layout.odds:
            found |= {"basis": self._text("basis") or "to", "odds": {}}
            for wager, rows in self.game.paytable_layout.odds.items():
                named = {row: self._text(f"odds.{wager}.{row}") for row in rows}
                found["odds"][wager] = {row: _odds_text(text) for row, text in named.items() if text}
        return found

    def place(self, fault: Fault) -> None:
        """Note `fault` at the field that its place names, or that lies around it; what no field says stands at the top ("")."""
        name = re.sub(r"\[\d+\]", "", fault.where)
        while name and name not in self.names:
            name = name.rpartition(".")[0]
        self.errors.setdefault(name, []).append(said_of(fault))

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all fields."""
        return _names(self.game.code)

    @property
    def identity(self) -> list[TypedField]:
        """Return name, number and basis."""
        labels = {"name": gettext("Name"), "version": gettext("Version"), "basis": gettext("Odds are written")}
        with_odds = IDENTITY if self.game.paytable_layout.odds else IDENTITY[:2]
        return [
            self._field(name, labels[name], "choice" if name == "basis" else "text", ("to", "for") if name == "basis" else ()) for name in with_odds
        ]

    @property
    def wagers(self) -> list[str]:
        """Return the wagers with odds, in words."""
        return [bet_name(wager) for wager in self.game.paytable_layout.odds]

    @property
    def odds(self) -> list[tuple[str, list[TypedField | None]]]:
        """Return a line a row of the odds, the dearest first: its name, and a field a wager, None where the wager cannot list it."""
        wagers = self.game.paytable_layout.odds
        return [
            (
                row_name(row, next(iter(wagers))),
                [self._field(f"odds.{w}.{row}", f"{bet_name(w)}: {row_name(row, w)}", "odds") if row in rows else None for w, rows in wagers.items()],
            )
            for row in _rows(self.game.code)
        ]

    @property
    def rules(self) -> list[tuple[str, list[TypedField]]]:
        """Return each rule in words with its fields."""
        found: dict[str, list[TypedField]] = {}
        for name, part in _rule_fields(self.game):
            label = gettext(" ".join(map(in_words, part.path[-1:])) or in_words(name))
            found.setdefault(gettext(in_words(name)), []).append(self._field(_place(name, part), label, part.kind, part.choices, _hint(part)))
        return list(found.items())

    def _text(self, name: str) -> str:
        return self.typed.get(name, "").strip()

    def _field(self, name: str, label: str, kind: str, choices: tuple[str, ...] = (), hint: str = "") -> TypedField:
        return TypedField(name, label, self.typed.get(name, ""), tuple(self.errors.get(name, ())), kind, choices, hint)


def _rule_fields(game: Game) -> Iterator[tuple[str, RuleField]]:
    for name, rule in game.paytable_layout.rules.items():
        yield from ((name, part) for part in rule.fields)


def _place(name: str, part: RuleField) -> str:
    return ".".join(("rules", name, *part.path))


@cache
def _names(code: str) -> frozenset[str]:
    game = games()[code]
    odds = {f"odds.{wager}.{row}" for wager, rows in game.paytable_layout.odds.items() for row in rows}
    return frozenset({*IDENTITY, *odds, *(_place(name, part) for name, part in _rule_fields(game))})


@cache
def _rows(code: str) -> tuple[str, ...]:
    """Return the rows of all wagers, as dear as the game's first published version pays them, then the others, the last listed first."""
    game = games()[code]
    rows = list(dict.fromkeys(row for some in game.paytable_layout.odds.values() for row in some))
    odds = published()[game.default_paytable].odds
    dearest = {row: max((prices.get(row, Fraction(-1)) for prices in odds.values()), default=Fraction(-1)) for row in rows}
    return tuple(sorted(rows, key=lambda row: (-dearest[row], -rows.index(row))))


def _inside(value: Any, path: Iterable[str]) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _put(into: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for step in path[:-1]:
        into = into.setdefault(step, {})
    into[path[-1]] = value


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _meant(part: RuleField, text: str) -> Any:
    if part.kind == "choice":
        return text
    if part.kind == "numbers":
        return [_number(piece) for piece in re.split(r"[\s,;]+", text) if piece]
    return _number(text)


def _number(text: str) -> Any:
    """Return the whole number that `text` says, or the text; an empty one is nothing."""
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return text or None


def _odds_text(text: str) -> str:
    """Return "6:1" for "6", "6 to 1", "6-1"; what is no odds stays as it is, to be refused at its place."""
    match = _SPOKEN_ODDS.fullmatch(text)
    return f"{int(match[1])}:{int(match[2] or 1)}" if match else text


def _hint(part: RuleField) -> str:
    if part.kind == "amount":
        return gettext("in minor units (cents); empty: none") if part.may_be_empty else gettext("in minor units (cents)")
    if part.kind == "number":
        return gettext("%(least)s to %(most)s") % {"least": part.least, "most": part.most}
    return gettext("such as 3, 4") if part.kind == "numbers" else ""


RULES = (
    gettext_noop("Dealer qualifies"),
    gettext_noop("Play multiples"),
    gettext_noop("Trips on fold"),
    gettext_noop("Trips when beaten"),
    gettext_noop("Pair plus on fold"),
    gettext_noop("Payout unit"),
    gettext_noop("Rounding"),
    gettext_noop("Caps"),
    gettext_noop("Max seats"),
    gettext_noop("Rake bps"),
    gettext_noop("Rake cap"),
    gettext_noop("Wheel"),
    gettext_noop("stays"),
    gettext_noop("forfeits"),
    gettext_noop("pays"),
    gettext_noop("pushes"),
    gettext_noop("down"),
    gettext_noop("up"),
    gettext_noop("exact only"),
)
"""The names of rules and what they may be, as the code writes them: marked here, for the form to say."""
