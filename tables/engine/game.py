"""The protocol that a game fulfils, and the values that it gives. Pure."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import groupby
from json import JSONEncoder, loads
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Protocol

from casino.money import Minor
from tables.engine.paytable import Paytable, PaytableLayout

_text_json = JSONEncoder(ensure_ascii=False).encode

Result = Literal["win", "push", "lose"]


@dataclass(frozen=True)
class Stake:
    """One stake that lies on the layout: `seat` 1.., `kind` ("ante", "trips", …), `stake` in minor units."""

    seat: int
    kind: str
    stake: Minor


class WagerDue(NamedTuple):
    """What is due on one wager by the rules.

    `collect`: what the house takes of the stake (0 to stake); `pay`: what it pays beyond the returned stake; `net` = pay - collect, the
    patron's. `row`: the paytable row that decided ("flush"), None where none did; `odds`: what it pays to one. `breakage`: the exact
    fraction of a minor unit lost (negative: won) by rounding, None where nothing was rounded. `uncapped`: the net without caps, None
    where no cap cut it. `why`: the reason sheet's line for a guest: rule, hand, paytable row, arithmetic.
    In a pot game each stake has collect = stake, and a seat's winnings are its wager "pot": stake 0, pay = won. `base`: the stake that the
    odds are of, where it is another wager's: a bonus has none of its own.
    """

    seat: int
    kind: str
    stake: Minor
    collect: Minor
    pay: Minor
    result: Result
    why: str
    row: str | None = None
    odds: Fraction | None = None
    breakage: Fraction | None = None
    uncapped: Minor | None = None
    base: Minor | None = None

    @property
    def net(self) -> int:
        """Return what the patron gains: + won, 0, or minus the stake."""
        return self.pay - self.collect


class SeatDues:
    """What is due at some seat, in figures: the `dues` are of no seat (0) and without reasons (`why` is empty).

    Two are the same only if they are one: so what follows from it may be kept.
    """

    __slots__ = ("dues",)

    def __init__(self, dues: Sequence[WagerDue]) -> None:
        self.dues = dues


class Settlement(ABC):
    """What is due in one round. Games make their own, which works out words and texts only when somebody asks for them."""

    rake: Minor = Minor(0)

    @property
    @abstractmethod
    def dues(self) -> tuple[WagerDue, ...]:
        """What is due, by ascending seat, then in the game's order of wagers."""

    @property
    def seat_dues(self) -> Sequence[tuple[int, SeatDues]]:
        """Each seat and the same in figures. A game whose seats come out alike again and again gives the same object for them."""
        by_seat = groupby(self.dues, attrgetter("seat"))
        return [(seat, SeatDues([due._replace(seat=0, why="") for due in dues])) for seat, dues in by_seat]

    @property
    @abstractmethod
    def json(self) -> bytes:
        """The answer of spec/rounds.md as JSON text in UTF-8, keys in the order shown there."""

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        """The answer as values. Read back from `json`, so that no door can answer other than the command does."""
        found: dict[str, Any] = loads(self.json)
        return found

    @property
    @abstractmethod
    def hands(self) -> Mapping[int, str]:
        """What each seat holds in words for a person, by seat number; a seat whose hand does not count or was not seen is absent."""

    @property
    def dealer_hand(self) -> str | None:
        """What the house's dealer holds in words; None where he plays no hand."""
        return None


@dataclass(frozen=True)
class Field:
    """One thing that a person types for a round, so that forms need to know no game.

    `kind`: "cards" (text, `count` cards, 0 for any number), "amount" (minor units), "number", "numbers" (a list of whole numbers),
    "choice" (one of `choices`), "flag" (yes or absent), "wagers" (any of many kinds, each with its amount: "red 10, dozen_1 5").
    `required`: False where the round may leave it out. `help`: a short hint.
    `habit`: "again" where it is mostly as in the round before, "follows" where `Layout.complete` works it out if it is left empty.
    `times_of`: another amount of the seat, of which this one may be typed as a multiple ("4x"); `times`: the multiples that there are, or
    `times_rule`: the paytable's rule that lists them by street. Of "numbers", `count` is how many digits there are at most, 0 for any.
    """

    name: str
    label: str
    kind: Literal["cards", "amount", "number", "numbers", "choice", "flag", "wagers"]
    required: bool = True
    count: int = 0
    choices: tuple[str, ...] = ()
    help: str = ""
    habit: Literal["", "again", "follows"] = ""
    times_of: str = ""
    times: tuple[int, ...] = ()
    times_rule: str = ""

    def multiples(self, rules: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the multiples that may be typed under the paytable's `rules`, the largest first; none where it is no multiple."""
        by_street = rules.get(self.times_rule, {}) if self.times_rule else {}
        return tuple(sorted({*self.times, *(times for street in by_street.values() for times in street)}, reverse=True))


@dataclass(frozen=True)
class Pile:
    """Card fields of a seat that hold together as many cards as another field tells: `base` and the sum of the numbers in `plus`."""

    fields: tuple[str, ...]
    base: int
    plus: str


@dataclass(frozen=True)
class Layout:
    """What a round of the game is typed into: fields of the round, fields of each seat (without `seat` itself), the range of seats."""

    round_fields: tuple[Field, ...]
    seat_fields: tuple[Field, ...]
    first_seat: int
    last_seat: int
    complete: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    """Takes what was typed of a seat, and returns it with what follows from that and was left empty."""
    one_deck: bool = True
    """Each card is in the round at most once."""
    button: str = ""
    """The field of the round that names the seat which acts last; "" where seats are dealt in their order."""
    pile: Pile | None = None
    funds: tuple[str, ...] = ("chips", "cash", "promo")
    """What a stake may be, the usual first: chips, cash (money plays), promotional chips or a coupon."""
    for_dealer: bool = True
    """A patron may lay a wager for the dealer."""


def answer_opening(id: str, paytable: Paytable) -> bytes:
    """Return how the JSON of every answer opens: `{"id":…,"game":…,"paytable":…,"paytable_sha256":…`."""
    return b'{"id":%b,%b' % (_text_json(id).encode(), paytable.json)


class Deal(Protocol):
    """A round that was read: it cannot be wrong any more in shape and facts. Games keep their own frozen value behind it."""

    @property
    def id(self) -> str:
        """The round's own label."""

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every stake that was put down, ascending by seat, in the game's order of wagers. Zero stakes are absent."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """The round in its canonical JSON shape: cards as lists, defaults left out, seats ascending, without `paytable`."""


class Game(Protocol):
    """A game is one module in tables/engine/games with a `GAME` that fulfils this."""

    code: str
    """As in `"game"` of a round: "uth"."""
    name: str
    """As on the sign: "Ultimate Texas Hold'em"."""
    default_paytable: str
    """"uth-seed@1"."""
    wager_kinds: tuple[str, ...]
    """In the order of answers."""
    is_pot_game: bool
    """Patrons play for a pot; the house takes at most a rake."""
    layout: Layout

    def bet_of(self, kind: str) -> str:
        """Return the bet that wagers of this kind are, as edges and caps name it: "straight" for "straight_17"; mostly the kind itself."""

    def rows(self, kind: str, paytable: Paytable) -> Mapping[str, Fraction]:
        """Return the odds that may be read, rightly or not, for a wager of this kind, by paytable row."""

    def covered(self, paytable: Paytable) -> tuple[int, Mapping[str, frozenset[str]]] | None:
        """Return how many equally likely ends a round has, and which of them win each kind of wager; None where a round is no such thing."""

    @property
    def paytable_layout(self) -> PaytableLayout:
        """What a paytable of the game is typed into, so that the workshop needs to know no game."""

    def read_paytable(self, raw: Mapping[str, Any]) -> Paytable:
        """Return the version that the parsed JSON object says, defaults written out. Raises InvalidSlip (bad_paytable, unknown_field, …)."""

    def check_shape(self, raw: Mapping[str, Any]) -> None:
        """Raise InvalidSlip with every fault of the shape step, which needs no paytable; return where there is none."""

    def read(self, raw: Mapping[str, Any], paytable: Paytable, *, irregular: bool = False) -> Deal:
        """Return the deal, or raise InvalidSlip with every fault of the first step that has any; `irregular` lets the starred rules pass."""

    def settle(self, deal: Any, paytable: Paytable) -> Settlement:
        """Return what is due on each wager. Raises InvalidSlip (inexact_payout, bad_amount)."""

    def pack(self, deal: Any) -> bytes:
        """Return the cards in the game's fixed-width form, one byte a card (rank * 4 + suit; 255 none), for reading millions at once.

        A game without cards gives what fell instead, as bytes of its own.
        """


@cache
def games() -> Mapping[str, Game]:
    """Return every game by its code: each module of tables.engine.games that has a `GAME`, ascending by code."""
    package = importlib.import_module("tables.engine.games")
    modules = [importlib.import_module(f"{package.__name__}.{info.name}") for info in pkgutil.iter_modules(package.__path__)]
    found = [module.GAME for module in modules if hasattr(module, "GAME")]
    return {game.code: game for game in sorted(found, key=lambda game: game.code)}
