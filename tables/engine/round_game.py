"""The part of every game that is the same: a round is read in three steps, and a paytable by the game's own fields. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from tables.engine.faults import MAY_BE_IRREGULAR, Faults
from tables.engine.game import Deal
from tables.engine.paytable import Paytable, PaytableLayout, Rule, read_version
from tables.engine.reading import Shape, read_shape

D = TypeVar("D", bound=Deal)


class RoundGame(ABC, Generic[D]):
    """A game whose rounds are a few fields and a list of seats. `shape`, `rules` and `odds` (by wager, the rows) say what is read."""

    code: str
    shape: ClassVar[Shape]
    rules: ClassVar[Mapping[str, Rule]]
    odds: ClassVar[Mapping[str, Collection[str]] | None] = None

    def bet_of(self, kind: str) -> str:
        """Return the bet that wagers of this kind are: here, each kind is one."""
        return kind

    def rows(self, kind: str, paytable: Paytable) -> Mapping[str, Fraction]:
        """Return the odds that may be read for a wager of this kind, by paytable row: those of its bet."""
        return paytable.odds.get(self.bet_of(kind), {})

    def covered(self, paytable: Paytable) -> tuple[int, Mapping[str, frozenset[str]]] | None:
        """Return None: cards end a round in more ways than can be told one by one."""
        return None

    @property
    def paytable_layout(self) -> PaytableLayout:
        """Return what a paytable of the game is typed into."""
        return PaytableLayout(self.odds or {}, self.rules)

    def read_paytable(self, raw: Mapping[str, Any]) -> Paytable:
        """Return the version that the parsed JSON object says, defaults written out. Raises InvalidSlip (`bad_paytable`)."""
        return read_version(raw, self.code, self.rules, self.odds)

    def check_shape(self, raw: Mapping[str, Any]) -> None:
        """Raise InvalidSlip with every fault of the shape step; return where there is none."""
        read_shape(raw, self.shape)

    def read(self, raw: Mapping[str, Any], paytable: Paytable, *, irregular: bool = False) -> D:
        """Return the deal, or raise InvalidSlip with every fault of the first step that has any; `irregular` lets the starred rules pass."""
        if (plain := self.plain_deal(raw, paytable)) is not None:
            return plain
        found, seats = read_shape(raw, self.shape)
        deal = self.deal(found, seats, raw)
        faults = Faults(raw)
        self.check_facts(deal, paytable, faults)
        faults.raise_any()
        self.check_rules(deal, paytable, faults)
        faults.raise_any(but=MAY_BE_IRREGULAR if irregular else frozenset())
        return deal

    def plain_deal(self, raw: Mapping[str, Any], paytable: Paytable) -> D | None:
        """Return the deal where everything about the round is plainly right, None where the three steps have to look. A game may do without."""
        return None

    @abstractmethod
    def deal(self, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> D:
        """Return the deal of the fields that were `found` and of the `seats` as they stand on the `line`; nothing else is checked yet."""

    @abstractmethod
    def check_facts(self, deal: D, paytable: Paytable, faults: Faults) -> None:
        """Note what cannot have happened, whatever the rules."""

    @abstractmethod
    def check_rules(self, deal: D, paytable: Paytable, faults: Faults) -> None:
        """Note what is against the rules, of a deal without a wrong fact."""
