"""Roulette: the felt of both wheels, how a round is read, what is due on each bet. Pure.

A bet is named for the numbers that it covers, so that each is one wager of its seat: `straight_17`, `split_17_20`, `corner_17_18_20_21`, a
line for its lowest and highest, `line_16_21`; outside bets as on the felt, `column_2`, `red`. Odds and caps are by bet: `straight`, `split`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from casino.money import Minor
from tables.engine import reading
from tables.engine.facts import check_seats
from tables.engine.faults import Faults, shown
from tables.engine.game import Field, Layout, Stake
from tables.engine.odds_settlement import JudgedSeat, OddsSettlement
from tables.engine.paytable import PAYOUT_UNIT, ROUNDING, Paytable, Rule, caps, one_of
from tables.engine.reading import Misread
from tables.engine.round_game import RoundGame
from tables.engine.verdicts import Till, Verdict

# ---- the felt ----

BETS = ("straight", "split", "street", "corner", "top_line", "line", "column", "dozen", "even_money")
POCKETS = ("0", "00", *map(str, range(1, 37)))
WHEELS = {"single_zero": ("0",), "double_zero": ("0", "00")}
"""The zeros of each wheel."""

_RED = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})


class Spot(NamedTuple):
    """One place on the felt: the wager's kind, the bet that it is, the numbers that it covers."""

    kind: str
    bet: str
    numbers: frozenset[str]


def _inside(bet: str, *numbers: int | str) -> Spot:
    names = [str(number) for number in numbers]
    told = (names[0], names[-1]) if bet == "line" else names
    return Spot(f"{bet}_{'_'.join(told)}", bet, frozenset(names))


def _outside(kind: str, bet: str, numbers: range | frozenset[int]) -> Spot:
    return Spot(kind, bet, frozenset(map(str, numbers)))


_BY_ZERO = {
    "single_zero": (
        *(_inside("split", 0, number) for number in (1, 2, 3)),
        *(_inside("street", 0, *pair) for pair in ((1, 2), (2, 3))),
        _inside("corner", 0, 1, 2, 3),
    ),
    "double_zero": (
        *(_inside("split", *pair) for pair in ((0, "00"), (0, 1), (0, 2), ("00", 2), ("00", 3))),
        *(_inside("street", *three) for three in ((0, 1, 2), (0, "00", 2), ("00", 2, 3))),
        Spot("top_line", "top_line", frozenset({"0", "00", "1", "2", "3"})),
    ),
}
"""The spots that touch a zero, by wheel."""


def _plain_spots() -> Iterator[Spot]:
    """Yield the spots that touch no zero; numbers stand in rows of three."""
    numbers, rows = range(1, 37), range(1, 37, 3)
    yield from (_inside("straight", number) for number in numbers)
    yield from (_inside("split", number, number + 1) for number in numbers if number % 3)
    yield from (_inside("split", number, number + 3) for number in numbers[:-3])
    yield from (_inside("street", row, row + 1, row + 2) for row in rows)
    yield from (_inside("corner", one, one + 1, one + 3, one + 4) for one in numbers[:-3] if one % 3)
    yield from (_inside("line", *range(row, row + 6)) for row in rows[:-1])
    yield from (_outside(f"column_{column}", "column", range(column, 37, 3)) for column in (1, 2, 3))
    yield from (_outside(f"dozen_{dozen}", "dozen", range(12 * dozen - 11, 12 * dozen + 1)) for dozen in (1, 2, 3))
    yield _outside("red", "even_money", _RED)
    yield _outside("black", "even_money", frozenset(numbers) - _RED)
    yield _outside("odd", "even_money", range(1, 37, 2))
    yield _outside("even", "even_money", range(2, 37, 2))
    yield _outside("low", "even_money", range(1, 19))
    yield _outside("high", "even_money", range(19, 37))


def _felt(wheel: str) -> dict[str, Spot]:
    """Return the spots of one wheel's felt by kind."""
    straights = [_inside("straight", zero) for zero in WHEELS[wheel]]
    return {spot.kind: spot for spot in (*straights, *_BY_ZERO[wheel], *_plain_spots())}


def _place(spot: Spot) -> tuple[int, list[int]]:
    """Return what orders the spots: the bet, then the numbers, 0 before 00 before 1."""
    return BETS.index(spot.bet), sorted(map(POCKETS.index, spot.numbers))


FELTS = {wheel: _felt(wheel) for wheel in WHEELS}
SPOTS = {spot.kind: spot for spot in sorted({spot for felt in FELTS.values() for spot in felt.values()}, key=_place)}
"""The spots of either felt, in the order of answers."""

_TYPED = {kind.replace("_", "-"): kind for kind in SPOTS} | {
    spot.kind.removeprefix(f"{spot.bet}_").replace("_", "-"): spot.kind for spot in SPOTS.values() if spot.bet in BETS[:6]
}
"""What a person may type for a spot: its name, or of an inside bet the numbers alone, "17", "17-20", "16-21"."""


def offered(paytable: Paytable) -> Mapping[str, Spot]:
    """Return the spots that are on the wheel's felt and have odds, by kind."""
    felt = FELTS[paytable.rules["wheel"]]
    return {kind: spot for kind, spot in felt.items() if spot.bet in paytable.odds["bets"]}


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip


@cache
def words(pocket: str) -> str:
    """Return "Seventeen, black", "Double zero": numbers in words, as a figure in a reason is an amount."""
    if pocket == "00":
        return "Double zero"
    tens, ones = divmod(int(pocket), 10)
    number = _ONES[int(pocket)] if tens < 2 else ("twenty", "thirty")[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    colour = "" if pocket == "0" else ", red" if int(pocket) in _RED else ", black"
    return f"{number.capitalize()}{colour}"


# ---- a round ----

LAST_SEAT = 8


def _pocket(value: Any) -> str:
    if reading.text(value) in POCKETS:
        return str(value)
    raise Misread("bad_pocket", f"{shown(value)} is no pocket: 0, 00, or 1 to 36.")


_stakes = reading.nested(dict.fromkeys(SPOTS, reading.stake))


def _bets(value: Any) -> dict[str, Minor]:
    """Read the stakes by kind, in the order of answers."""
    if isinstance(value, Mapping):
        if not value:
            raise Misread("missing_field", "No bet of this seat is named.")
        if strange := [Misread("bad_bet", f"{shown(kind)} is no bet on the felt.", (kind,), bet=kind[:40]) for kind in value if kind not in SPOTS]:
            raise Misread.several(strange)
    found = _stakes(value)
    return {kind: found[kind] for kind in SPOTS if kind in found}


_SHAPE = reading.Shape.of({"pocket": _pocket}, {"bets": _bets}, required="pocket bets")


class Seat(NamedTuple):
    """One seat's bets: stakes by kind, in the order of answers; `place` is its position on the line."""

    place: int
    seat: int
    bets: Mapping[str, Minor]


@dataclass(frozen=True)
class RouletteDeal:
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    pocket: str
    seats: tuple[Seat, ...]
    line: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Return every stake, by seat, then in the order of answers."""
        return [Stake(seat.seat, kind, put) for seat in self.seats for kind, put in seat.bets.items()]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the round in its canonical shape."""
        seats = [{"seat": seat.seat, "bets": dict(seat.bets)} for seat in self.seats]
        return {"game": "roulette", "id": self.id, "pocket": self.pocket, "seats": seats}


# ---- what the rules say ----


class _House:
    """A paytable, made ready to settle by: its tills are made once."""

    def __init__(self, paytable: Paytable) -> None:
        self.paytable = paytable
        self.till = cache(self._till)

    def judge(self, seat: Seat, pocket: str) -> JudgedSeat:
        """Return the seat as the rules judge it."""
        tills = [self.till(kind, pocket in SPOTS[kind].numbers) for kind in seat.bets]
        return JudgedSeat(seat.seat, ("seats", seat.place, "bets"), tills, list(seat.bets.values()), words(pocket))

    def _till(self, kind: str, wins: bool) -> Till:
        bet = SPOTS[kind].bet
        if wins:
            return Till(Verdict(kind, "win", self.paytable.odds["bets"][bet], bet, bet=bet), self.paytable)
        return Till(Verdict(kind, "lose", bet=bet), self.paytable)


_house = lru_cache(maxsize=8)(_House)


# ---- the game ----


def _complete(seat: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed of a seat with every bet under its name; two names of one spot are one bet."""
    bets: dict[str, int] = {}
    for typed, put in seat.get("bets", {}).items():
        kind = _TYPED.get(typed.lower().replace("_", "-"), typed)
        bets[kind] = bets.get(kind, 0) + put
    return {**seat, "bets": bets} if bets else dict(seat)


class Roulette(RoundGame[RouletteDeal]):
    """Fulfils `tables.engine.game.Game`."""

    code = "roulette"
    name = "Roulette"
    default_paytable = "roulette-single-zero@1"
    wager_kinds = tuple(SPOTS)
    is_pot_game = False
    shape = _SHAPE
    odds = {"bets": BETS}
    rules = {
        "wheel": Rule(one_of(*WHEELS)),
        "payout_unit": PAYOUT_UNIT,
        "rounding": ROUNDING,
        "caps": caps(BETS),
    }
    layout = Layout(
        round_fields=(Field("pocket", "Pocket", "choice", choices=POCKETS, help="where the ball fell"),),
        seat_fields=(Field("bets", "Bets", "wagers", help="each bet and its stake: 17 5, 17-20 10, line-16-21 5, dozen-1 20, red 50"),),
        first_seat=1,
        last_seat=LAST_SEAT,
        complete=_complete,
    )

    def bet_of(self, kind: str) -> str:
        """Return "straight" for "straight_17"."""
        return SPOTS[kind].bet

    def covered(self, paytable: Paytable) -> tuple[int, Mapping[str, frozenset[str]]]:
        """Return how many pockets the wheel has, and the numbers that each wager covers, by kind."""
        return 36 + len(WHEELS[paytable.rules["wheel"]]), {kind: spot.numbers for kind, spot in offered(paytable).items()}

    def rows(self, kind: str, paytable: Paytable) -> Mapping[str, Any]:
        """Return all odds: a chip may be read on any spot beside its own."""
        return paytable.odds["bets"]

    def deal(self, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> RouletteDeal:
        """Return the deal that was read."""
        placed = sorted([Seat(place, **values) for place, values in enumerate(seats)], key=attrgetter("seat"))
        return RouletteDeal(found["id"], found["pocket"], tuple(placed), line)

    def check_facts(self, deal: RouletteDeal, paytable: Paytable, faults: Faults) -> None:
        """Note seats that cannot be, a pocket that the wheel does not have, bets that the table does not take."""
        check_seats(deal.seats, least=1, last=LAST_SEAT, faults=faults)
        wheel = paytable.rules["wheel"]
        if deal.pocket not in (*WHEELS[wheel], *POCKETS[2:]):
            faults.add("bad_pocket", ("pocket",), f"{shown(deal.pocket)} is not on this wheel.")
        for seat in deal.seats:
            for kind in seat.bets.keys() - offered(paytable).keys():
                faults.add("bad_bet", ("seats", seat.place, "bets", kind), f"{shown(kind)} is no bet that this table takes.", bet=kind)

    def check_rules(self, deal: RouletteDeal, paytable: Paytable, faults: Faults) -> None:
        """Note nothing: a bet that is on the felt is within the rules."""

    def settle(self, deal: RouletteDeal, paytable: Paytable) -> OddsSettlement:
        """Return what is due. Raises InvalidSlip (`inexact_payout`, `bad_amount`) at the stakes that cannot be paid."""
        seats = [_house(paytable).judge(seat, deal.pocket) for seat in deal.seats]
        return OddsSettlement(deal.id, deal.line, paytable, seats, f'"pocket":"{deal.pocket}",')

    def pack(self, deal: RouletteDeal) -> bytes:
        """Return one byte: the number, 37 for double zero."""
        return bytes([37 if deal.pocket == "00" else int(deal.pocket)])


GAME = Roulette()
