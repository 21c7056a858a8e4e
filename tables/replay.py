"""Kept rounds settled again under another paytable: the difference per bet, table and in total. Pure: nothing is written anywhere.

What was kept as due is compared with what would be due, from the house's side: + is what the house would have won more. Under the version
that settled a round the difference is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from casino.errors import Fault, InvalidSlip
from tables.engine.game import Game, WagerDue, games
from tables.engine.paytable import Paytable

MOST_NAMED = 100
"""How many rounds that cannot be settled are named; all are counted."""

Under = Callable[[Paytable], Paytable | None]
"""Takes the version that settled a round, and returns the one to settle it by; None leaves the round out."""


@dataclass(frozen=True)
class KeptDue:
    """What was kept as due on one wager, in minor units."""

    seat: int
    kind: str
    stake: int
    collect: int
    pay: int


@dataclass(frozen=True)
class KeptRound:
    """A round as it was kept: its facts, the version that settled it, what was due. `irregular`: its due is unknown."""

    uuid: str
    table: str
    facts: Mapping[str, Any]
    paytable: Paytable
    dues: Sequence[KeptDue]
    irregular: bool = False


@dataclass
class Sums:
    """Wagers, their stakes, and what the house won of them as kept and as replayed, in minor units."""

    wagers: int = 0
    stake: int = 0
    kept_win: int = 0
    replayed_win: int = 0

    @property
    def difference(self) -> int:
        """Return what the house would have won more."""
        return self.replayed_win - self.kept_win

    def add(self, other: Sums) -> None:
        """Count `other` in."""
        self.wagers += other.wagers
        self.stake += other.stake
        self.kept_win += other.kept_win
        self.replayed_win += other.replayed_win

    def as_json(self) -> dict[str, int]:
        """Return the figures as JSON."""
        figures = {"wagers": self.wagers, "stake": self.stake, "kept_win": self.kept_win, "replayed_win": self.replayed_win}
        return {**figures, "difference": self.difference}


@dataclass(frozen=True)
class Differs:
    """One wager that is settled otherwise: what the house won of it as kept and as replayed, in minor units."""

    uuid: str
    table: str
    seat: int
    kind: str
    bet: str
    stake: int
    kept_win: int
    replayed_win: int


@dataclass
class Replay:
    """What came out. `changed` and `wagers_changed` count the rounds and wagers that differ. `bets`: by table and bet.

    Irregular rounds and those that `Under` leaves out are counted and compared with nothing.

    `cannot`: rounds that the other version does not settle (a multiple that it does not allow), in neither side of the sums.
    """

    rounds: int = 0
    changed: int = 0
    wagers_changed: int = 0
    irregular: int = 0
    left_out: int = 0
    cannot_count: int = 0
    cannot: list[tuple[str, Fault]] = field(default_factory=list)
    bets: dict[tuple[str, str], Sums] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, Sums]:
        """Return the sums of each table."""
        found: dict[str, Sums] = {}
        for (table, _), sums in sorted(self.bets.items()):
            found.setdefault(table, Sums()).add(sums)
        return found

    @property
    def total(self) -> Sums:
        """Return the sums of all."""
        total = Sums()
        for sums in self.bets.values():
            total.add(sums)
        return total

    def as_json(self) -> dict[str, Any]:
        """Return all of it as JSON, in an order that is always the same."""
        return {
            **{name: getattr(self, name) for name in _COUNTS},
            "cannot": [{"round": uuid, **fault.as_json()} for uuid, fault in self.cannot],
            "bets": [{"table": table, "bet": bet, **sums.as_json()} for (table, bet), sums in sorted(self.bets.items())],
            "tables": [{"table": table, **sums.as_json()} for table, sums in self.tables.items()],
            "total": self.total.as_json(),
        }

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Replay:
        """Return what `as_json` gave, to go on from there. Raises KeyError for anything else."""
        found = cls(**{name: kept[name] for name in _COUNTS})
        found.cannot = [(line["round"], Fault(line["code"], line["message"], line["where"], line.get("facts", {}))) for line in kept["cannot"]]
        found.bets = {(line["table"], line["bet"]): Sums(*(line[name] for name in _SUMS)) for line in kept["bets"]}
        return found


_COUNTS = ("rounds", "changed", "wagers_changed", "irregular", "left_out", "cannot_count")
_SUMS = ("wagers", "stake", "kept_win", "replayed_win")


def replay(
    rounds: Iterable[KeptRound],
    under: Under,
    *,
    found: Replay | None = None,
    differs: Callable[[Differs], object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Replay:
    """Return `rounds` settled again by what `under` says, one after the other, in flat memory.

    `found`: what came out of rounds before these, to be added to. `differs` is given every wager that is settled otherwise, `progress` told
    the rounds so far.
    """
    found = Replay() if found is None else found
    for seen, kept in enumerate(rounds, start=1):
        _replay_round(kept, under, found, differs or _unheard)
        if progress is not None:
            progress(seen)
    return found


def _unheard(_: Differs) -> None:
    """Take no note."""


def with_rules(paytable: Paytable, rules: Mapping[str, Any]) -> Paytable:
    """Return `paytable` with some rules replaced, as a value that is published nowhere. Raises InvalidSlip (`bad_paytable`)."""
    content = {**paytable.content, "rules": {**paytable.rules, **rules}}
    return games()[paytable.game].read_paytable(content)


def _replay_round(kept: KeptRound, under: Under, found: Replay, differs: Callable[[Differs], object]) -> None:
    paytable = None if kept.irregular else under(kept.paytable)
    if paytable is None:
        found.irregular += kept.irregular
        found.left_out += not kept.irregular
        return
    game = games()[paytable.game]
    try:
        dues = game.settle(game.read(kept.facts, paytable), paytable).dues
    except InvalidSlip as error:
        _add_fault(kept, error, found)
        return
    found.rounds += 1
    wagers = _compare(kept, game, dues, found, differs)
    found.changed += wagers > 0
    found.wagers_changed += wagers


def _add_fault(kept: KeptRound, error: InvalidSlip, found: Replay) -> None:
    found.cannot_count += 1
    if len(found.cannot) < MOST_NAMED:
        found.cannot.append((kept.uuid, error.faults[0]))


def _compare(kept: KeptRound, game: Game, dues: Iterable[WagerDue], found: Replay, differs: Callable[[Differs], object]) -> int:
    """Add up what was due and would be; return how many wagers differ. One that is due on one side only counts as nothing on the other."""
    before = {(due.seat, due.kind): (due.stake, due.collect - due.pay) for due in kept.dues}
    after = {(due.seat, due.kind): (int(due.stake), due.collect - due.pay) for due in dues}
    changed = 0
    for seat, kind in dict.fromkeys((*before, *after)):
        spot, bet = (seat, kind), game.bet_of(kind)
        stake, kept_win = before.get(spot) or (after[spot][0], 0)
        replayed_win = after.get(spot, (0, 0))[1]
        found.bets.setdefault((kept.table, bet), Sums()).add(Sums(1, stake, kept_win, replayed_win))
        if kept_win != replayed_win:
            changed += 1
            differs(Differs(kept.uuid, kept.table, seat, kind, bet, stake, kept_win, replayed_win))
    return changed
