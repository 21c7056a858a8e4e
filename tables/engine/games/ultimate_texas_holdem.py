"""Ultimate Texas Hold'em: what a round is, what the rules say of each wager, what is due. Pure.

Source: spec/rounds.md "Ultimate Texas Hold'em", from seeds/ultimate-texas-holdem.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from casino.money import Minor
from tables.engine import poker, reading
from tables.engine.best_five import best_five
from tables.engine.cards import NAMES, NO_CARD, card_names
from tables.engine.facts import check_hands, check_seats
from tables.engine.faults import MAY_BE_IRREGULAR, Faults, Path, shown
from tables.engine.game import Field, Layout, Settlement, Stake, WagerDue, answer_opening
from tables.engine.payouts import Unpayable, cap
from tables.engine.paytable import PAYOUT_UNIT, ROUNDING, Paytable, Rule, caps, multiples, one_of, read_version
from tables.engine.reading import Cards
from tables.engine.verdicts import EVEN_MONEY, SettledWager, Verdict, payout_of

KINDS = ("ante", "blind", "play", "trips")
STREETS = ("preflop", "flop", "river")
LAST_SEAT = 7

_SHAPE = reading.Shape.of(
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
_ODDS = {"blind": poker.CLASSES, "trips": poker.CLASSES}
_RULES = {
    "dealer_qualifies": Rule(one_of(*poker.CLASSES), "pair"),
    "play_multiples": Rule(multiples(STREETS), {"preflop": [3, 4], "flop": [2], "river": [1]}),
    "trips_on_fold": Rule(one_of("stays", "forfeits"), "stays"),
    "trips_when_beaten": Rule(one_of("pays", "pushes"), "pays"),
    "payout_unit": PAYOUT_UNIT,
    "rounding": ROUNDING,
    "caps": caps(KINDS),
}


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
        found = {**self._asdict(), "cards": card_names(self.cards) if self.cards else None}
        del found["place"]
        return {name: value for name, value in found.items() if value is not None and (value or name == "blind")}


@dataclass(frozen=True)
class UthDeal:
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    community: Cards | None
    dealer: Cards | None
    seats: tuple[Seat, ...]
    line: Mapping[str, Any] = field(repr=False, compare=False)

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


# ---- reading: facts, then rules ----


def _check_facts(found: Mapping[str, Any], seats: Sequence[Seat], paytable: Paytable, faults: Faults) -> None:
    check_seats([seat.seat for seat in seats], least=1, last=LAST_SEAT, faults=faults)
    hands: list[tuple[Cards | None, int, Path]] = [(found.get("community"), 5, ("community",)), (found.get("dealer"), 2, ("dealer",))]
    check_hands(hands + [(seat.cards, 2, ("seats", seat.place, "cards")) for seat in seats], faults)
    for path in _missing_cards(found, seats, paytable):
        faults.add("cards_required", path, "Without these cards the round cannot be settled.")


def _missing_cards(found: Mapping[str, Any], seats: Sequence[Seat], paytable: Paytable) -> Iterator[Path]:
    stays = paytable.rules["trips_on_fold"] == "stays"
    needing = [seat for seat in seats if not seat.folded or (seat.trips and stays)]
    if needing and "community" not in found:
        yield ("community",)
    if "dealer" not in found and not all(seat.folded for seat in seats):
        yield ("dealer",)
    for seat in needing:
        if seat.cards is None:
            yield ("seats", seat.place, "cards")


def _check_rules(seats: Sequence[Seat], paytable: Paytable, faults: Faults) -> None:
    legal = paytable.rules["play_multiples"]
    for seat in seats:
        if seat.blind != seat.ante:
            faults.add("blind_not_equal_ante", ("seats", seat.place, "blind"), f"The blind is {seat.blind}, the ante {seat.ante}.")
        if seat.folded or seat.play is None or seat.street is None:
            _check_whether_played(seat, faults)
        elif seat.street not in legal:
            faults.add("bad_street", ("seats", seat.place, "street"), f"{shown(seat.street)} is none of {', '.join(STREETS)}.")
        elif seat.play % seat.ante or seat.play // seat.ante not in legal[seat.street]:
            times = " or ".join(map(str, legal[seat.street])) or "no"
            message = f"A play of {seat.play} on an ante of {seat.ante}: {seat.street} allows {times} times the ante."
            faults.add("bad_play_multiple", ("seats", seat.place, "play"), message, legal=legal[seat.street])


def _check_whether_played(seat: Seat, faults: Faults) -> None:
    """Note a play or street of a folded seat, and the lack of either at a live one."""
    for name, value in (("play", seat.play), ("street", seat.street)):
        if seat.folded and value is not None:
            faults.add("play_after_fold", ("seats", seat.place, name), f"The seat folded, and has a {name}.")
        if not seat.folded and value is None:
            faults.add("missing_play", ("seats", seat.place, name), f"The seat did not fold, and has no {name}.")


# ---- what the rules say of each wager ----

_FOLDS, _BEATS, _BEATS_UNQUALIFIED, _TIES, _LOSES, _LOSES_TO_UNQUALIFIED = range(6)
_MEETS = ("", "beats the dealer's", "beats the dealer's", "ties the dealer's", "loses to the dealer's", "loses to the dealer's")
_ANTE = ("lose", "win", "push", "push", "lose", "push")
_PLAY = ("lose", "win", "win", "push", "lose", "lose")


@lru_cache(maxsize=4096)
def _verdicts(paytable: Paytable, case: int, hand: str) -> tuple[Verdict, ...]:
    """Return what becomes of ante, blind, play and trips of a seat with this class of hand ("" where it was not seen)."""
    ...
