"""The fields of a version's `rules`: how each is read, and what a form needs to know to have it typed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tables.engine.faults import shown
from tables.engine.reading import Misread, Reader, amount, counts, nested, stake, whole

NO_DEFAULT: Final = object()


@dataclass(frozen=True)
class RuleField:
    """One thing that a person types for a rule. `path`: its place inside the rule, () for the rule itself.

    `kind`: "choice" (one of `choices`), "number" (from `least` to `most`), "amount" (minor units), "numbers" (a list of whole numbers).
    `may_be_empty`: nothing typed means null, or a bound that is not there.
    """

    path: tuple[str, ...]
    kind: Literal["choice", "number", "amount", "numbers"]
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int | None = None
    may_be_empty: bool = False


@dataclass(frozen=True)
class Rule:
    """One field of a version's `rules`: how it is read, into its canonical JSON value, and what it is where it is left out."""

    read: Reader
    default: Any = NO_DEFAULT

    @property
    def fields(self) -> tuple[RuleField, ...]:
        """Return what a form asks for."""
        return tuple(fields_of(self.read))


def fields_of(read: Reader) -> Iterator[RuleField]:
    """Yield the fields of what `read` reads."""
    if read is amount or read is stake:
        yield RuleField((), "amount", least=int(read is stake))
    elif isinstance(read, OrNull):
        yield from (replace(field, may_be_empty=True) for field in fields_of(read.reader))
    else:
        yield from read.fields()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class OneOf:
    """Reads one of these texts."""

    choices: tuple[str, ...]

    def __call__(self, value: Any) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        raise Misread("bad_paytable", f"{shown(value)} is none of {', '.join(self.choices)}.", choices=list(self.choices))

    def fields(self) -> Iterator[RuleField]:
        """Yield its one field."""
        yield RuleField((), "choice", self.choices)


@dataclass(frozen=True)
class Number:
    """Reads a whole number from `least` to `most`."""

    least: int
    most: int

    def __call__(self, value: Any) -> int:
        if self.least <= whole(value) <= self.most:
            return int(value)
        raise Misread("bad_paytable", f"{shown(value)} is not from {self.least} to {self.most}.", least=self.least, most=self.most)

    def fields(self) -> Iterator[RuleField]:
        """Yield its one field."""
        yield RuleField((), "number", least=self.least, most=self.most)


@dataclass(frozen=True)
class OrNull:
    """Reads what `reader` reads, and null."""

    reader: Reader

    def __call__(self, value: Any) -> Any:
        return None if value is None else self.reader(value)


@dataclass(frozen=True)
class Caps:
    """Reads what bounds a wager of these kinds, and a seat; caps that bound nothing are null."""

    kinds: tuple[str, ...]

    def __call__(self, value: Any) -> dict[str, Any] | None:
        wager = nested(dict.fromkeys(self.kinds, amount))
        found = nested({"wager": OrNull(wager), "seat": OrNull(amount)})(value)
        written = {"wager": found.get("wager") or {}, "seat": found.get("seat")}
        return written if written["wager"] or written["seat"] is not None else None

    def fields(self) -> Iterator[RuleField]:
        """Yield a field a kind of wager, then the seat's."""
        for kind in self.kinds:
            yield RuleField(("wager", kind), "amount", may_be_empty=True)
        yield RuleField(("seat",), "amount", may_be_empty=True)


@dataclass(frozen=True)
class Multiples:
    """Reads the multiples of the first wager that each street allows: different whole numbers from 1."""

    streets: tuple[str, ...]

    def __call__(self, value: Any) -> Any:
        return nested(dict.fromkeys(self.streets, self._read), frozenset(self.streets))(value)

    def fields(self) -> Iterator[RuleField]:
        """Yield a field a street."""
        yield from (RuleField((street,), "numbers", least=1) for street in self.streets)

    @staticmethod
    def _read(value: Any) -> list[int]:
        if 0 in counts(value) or len(set(value)) < len(value):
            raise Misread("bad_paytable", "Multiples are different whole numbers from 1.", needs="multiples")
        return list(value)


def one_of(*choices: str) -> Reader:
    """Return a reader of one of these texts."""
    return OneOf(choices)


def number(least: int, most: int) -> Reader:
    """Return a reader of a whole number from `least` to `most`."""
    return Number(least, most)


def or_null(reader: Reader) -> Reader:
    """Return a reader that takes null too."""
    return OrNull(reader)


def multiples(streets: Sequence[str]) -> Reader:
    """Return a reader of the multiples of the first wager that each street allows: different whole numbers from 1."""
    return Multiples(tuple(streets))


def caps(kinds: Sequence[str]) -> Rule:
    """Return the rule `caps` of a game with these wagers; caps that bound nothing are null."""
    return Rule(OrNull(Caps(tuple(kinds))), None)


PAYOUT_UNIT = Rule(stake, 1)
ROUNDING = Rule(one_of("down", "up", "exact_only"), "down")
