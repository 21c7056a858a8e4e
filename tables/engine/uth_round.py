"""A round of Ultimate Texas Hold'em: its fields and seats, and what cannot be or may not be in one. Pure.

Source: spec/rounds.md "Ultimate Texas Hold'em" and "Errors".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from casino.money import CEILING, Minor
from tables.engine import reading
from tables.engine.cards import CODES, card_names
from tables.engine.facts import check_hands, check_seats
from tables.engine.faults import Faults, Path, shown
from tables.engine.game import Stake
from tables.engine.paytable import Paytable
from tables.engine.reading import Cards

KINDS = ("ante", "blind", "play", "trips")
STREETS = ("preflop", "flop", "river")
LAST_SEAT = 7

SHAPE = reading.Shape.of(
    {"community": reading.cards, "dealer": reading.cards},
    {
        "cards": reading.cards,
        "ante": reading.stake,
        "blind": reading.amount,
        "trips": reading.amount,
        "play": reading.stake,
        "street": reading.text,
        "folded": reading.flag,
    },
    required="ante blind",
)


class Seat(NamedTuple):
    """One seat as it was dealt and wagered; `place` is its position on the line."""

    place: int
    seat: int
    ante: Minor
    blind: Minor
    cards: Cards | None = None
    trips: Minor = Minor(0)
    play: Minor | None = None
    street: str | None = None
    folded: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """Return the seat in its canonical shape."""
        _, number, ante, blind, cards, trips, play, street, folded = self
        found: dict[str, Any] = {"seat": number, "ante": ante, "blind": blind}
        if cards:
            found["cards"] = card_names(cards)
        if trips:
            found["trips"] = trips
        if play:
            found["play"] = play
        if street is not None:
            found["street"] = street
        if folded:
            found["folded"] = True
        return found


_DEFAULTS = Seat._field_defaults
_fields_of = itemgetter(*Seat._fields[1:])
_number_of = itemgetter(1)


class UthDeal(NamedTuple):
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    community: Cards | None
    dealer: Cards | None
    seats: tuple[Seat, ...]
    line: Mapping[str, Any]

    @classmethod
    def of(cls, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> UthDeal:
        """Return the deal of the fields that were `found` and of the `seats` as they stand on the `line`."""
        placed = [Seat(place, *_fields_of(_DEFAULTS | values)) for place, values in enumerate(seats)]
        placed.sort(key=_number_of)
        return cls(found["id"], found.get("community"), found.get("dealer"), tuple(placed), line)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Return every stake, by seat, then ante, blind, play, trips."""
        return [Stake(seat.seat, kind, put) for seat in self.seats for kind in KINDS if (put := getattr(seat, kind))]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the round in its canonical shape: what has its default left out, seats ascending."""
        dealt = {"community": self.community, "dealer": self.dealer}
        hands = {name: card_names(cards) for name, cards in dealt.items() if cards is not None}
        return {"game": "uth", "id": self.id, **hands, "seats": [seat.facts for seat in self.seats]}


def check_facts(deal: UthDeal, paytable: Paytable, faults: Faults) -> None:
    """Note seats, numbers of cards and doubles that cannot be, and cards without which nothing can be settled."""
    check_seats(deal.seats, least=1, last=LAST_SEAT, faults=faults)
    hands = [deal.community, deal.dealer, *[seat.cards for seat in deal.seats]]
    check_hands(hands, (5, 2, *[2] * len(deal.seats)), lambda: _hand_paths(deal), faults)
    if None in hands:
        for path in _missing_cards(deal, stays=paytable.rules["trips_on_fold"] == "stays"):
            faults.add("cards_required", path, "Without these cards the round cannot be settled.")


def _hand_paths(deal: UthDeal) -> list[Path]:
    return [("community",), ("dealer",), *[("seats", seat.place, "cards") for seat in deal.seats]]


def _missing_cards(deal: UthDeal, *, stays: bool) -> Iterator[Path]:
    """Yield where cards are wanting; `stays`: a folded seat's trips are still live."""
    needing = [seat for seat in deal.seats if not seat.folded or (seat.trips and stays)]
    if needing and deal.community is None:
        yield ("community",)
    if deal.dealer is None and not all(seat.folded for seat in deal.seats):
        yield ("dealer",)
    for seat in needing:
        if seat.cards is None:
            yield ("seats", seat.place, "cards")


def check_wagers(seat: Seat, legal: Mapping[str, Sequence[int]], faults: Faults) -> None:
    """Note what is against the rules in one seat; `legal`: the multiples of the ante that each street allows."""
    if seat.blind != seat.ante:
        faults.add("blind_not_equal_ante", ("seats", seat.place, "blind"), f"The blind is {seat.blind}, the ante {seat.ante}.")
    if seat.folded or seat.play is None or seat.street is None:
        _check_whether_played(seat, faults)
    if not seat.folded and seat.street is not None:
        _check_street(seat, seat.street, legal, faults)


def _check_street(seat: Seat, street: str, legal: Mapping[str, Sequence[int]], faults: Faults) -> None:
    """Note a street that is none, and a play that is no multiple which the street allows."""
    if street not in legal:
        faults.add("bad_street", ("seats", seat.place, "street"), f"{shown(street)} is none of {', '.join(STREETS)}.")
    elif seat.play is not None and (seat.play % seat.ante or seat.play // seat.ante not in legal[street]):
        times = " or ".join(map(str, legal[street])) or "no"
        message = f"A play of {seat.play} on an ante of {seat.ante}: {street} allows {times} times the ante."
        faults.add("bad_play_multiple", ("seats", seat.place, "play"), message, legal=legal[street])


def _check_whether_played(seat: Seat, faults: Faults) -> None:
    """Note a play or street of a folded seat, and the lack of either at a live one."""
    for name, value in (("play", seat.play), ("street", seat.street)):
        if seat.folded and value is not None:
            faults.add("play_after_fold", ("seats", seat.place, name), f"The seat folded, and has a {name}.")
        if not seat.folded and value is None:
            faults.add("missing_play", ("seats", seat.place, name), f"The seat did not fold, and has no {name}.")


# ---- at a glance ----

_ROUND_KEYS = SHAPE.round_fields.keys()
_SEAT_KEYS = SHAPE.seat_fields.keys()


def plain_deal(raw: Mapping[str, Any], paytable: Paytable) -> UthDeal | None:
    """Return the deal of a round in which everything is plainly right, three times as fast as reading it in steps.

    None for whatever needs a second look; the three steps then read it, and say what is wrong if anything is. A test holds that both ways
    agree. Source: design/performance.md "Asked of Pitbook".
    """
    try:
        community, dealer = _plain_cards(raw["community"], raw["dealer"])
        rules = paytable.rules
        seats = [_plain_seat(place, seat, rules) for place, seat in enumerate(reading.objects(raw["seats"]))]
        id = reading.label(raw["id"])
        reading.reference_or_version(raw.get("paytable", ""))
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, reading.Misread):
        return None
    seats.sort(key=_number_of)
    dealt, before = [*community, *dealer], 0
    for _, number, _, _, cards, _, _, _, _ in seats:
        if number == before:
            return None
        before = number
        dealt += cards or ()
    if len(set(dealt)) != len(dealt) or not seats or raw.get("game") != "uth" or not raw.keys() <= _ROUND_KEYS:
        return None
    return UthDeal(id, community, dealer, tuple(seats), raw)


def _plain_cards(board: Any, dealer: Any) -> tuple[Cards, Cards]:
    """Return the cards of both; raises as `_plain_seat`."""
    if type(board) is not list or type(dealer) is not list:
        raise ValueError
    (a, b, c, d, e), (f, g) = board, dealer
    return (CODES[a], CODES[b], CODES[c], CODES[d], CODES[e]), (CODES[f], CODES[g])


_live_fields = itemgetter("seat", "cards", "ante", "blind", "trips", "play", "street")
_folded_fields = itemgetter("seat", "cards", "ante", "blind", "trips", "folded")
_seat_of = partial(tuple.__new__, Seat)
"""Makes a seat of all its fields, in half the time."""


def _plain_seat(place: int, raw: Mapping[str, Any], rules: Mapping[str, Any]) -> Seat:
    """Return the seat; raises one of the errors that `plain_deal` catches where it is not plainly right.

    Most seats say either all that a live one may, or all that a folded one may; what another number of fields says is looked up one by one.
    """
    if len(raw) == 7:
        number, cards, ante, blind, trips, play, street = _live_fields(raw)
        right = type(play) is int and 0 < play < CEILING and not play % ante and play // ante in rules["play_multiples"][street]
        folded = False
    elif len(raw) == 6 and "folded" in raw:
        number, cards, ante, blind, trips, folded = _folded_fields(raw)
        right, play, street = folded is True, None, None
    else:
        return _sparse_seat(place, raw, rules)
    whole = type(number) is type(ante) is type(blind) is type(trips) is int and type(cards) is list
    if not (right and whole and 0 < number <= LAST_SEAT and 0 < ante == blind < CEILING and 0 <= trips < CEILING):
        raise ValueError
    first, second = cards
    return _seat_of((place, number, ante, blind, (CODES[first], CODES[second]), trips, play, street, folded))


def _sparse_seat(place: int, raw: Mapping[str, Any], rules: Mapping[str, Any]) -> Seat:
    """Return a seat of which some fields are left out; raises as `_plain_seat`."""
    find: Callable[..., Any] = raw.get
    number, ante, blind, trips, play, street = raw["seat"], raw["ante"], raw["blind"], find("trips", 0), find("play"), find("street")
    cards, folded = find("cards"), find("folded", False)
    whole = type(number) is type(ante) is type(blind) is type(trips) is int
    known = raw.keys() <= _SEAT_KEYS and None not in raw.values()
    if not (whole and known and 0 < number <= LAST_SEAT and 0 < ante == blind < CEILING and 0 <= trips < CEILING):
        raise ValueError
    if folded is True:
        right = play is None and street is None and (cards is not None or not trips or rules["trips_on_fold"] == "forfeits")
    else:
        right = folded is False and type(play) is int and 0 < play < CEILING and cards is not None
        right = right and not play % ante and play // ante in rules["play_multiples"][street]
    if not right:
        raise ValueError
    if cards is not None:
        if type(cards) is not list:
            raise ValueError
        first, second = cards
        cards = CODES[first], CODES[second]
    return Seat(place, number, ante, blind, cards, trips, play, street, folded)
