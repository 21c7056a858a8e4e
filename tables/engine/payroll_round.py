"""A round of Payroll: its fields and seats, and what cannot be or may not be in one. Pure. Where cards may be: `payroll_places`.

Source: spec/rounds.md "Payroll" and "Errors".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from casino.money import Minor
from tables.engine import reading
from tables.engine.cards import card_names
from tables.engine.facts import add_wrong_count, card_places, check_different, check_seats
from tables.engine.faults import Faults, Path, counted
from tables.engine.game import Stake
from tables.engine.paytable import Paytable
from tables.engine.reading import Cards

LAST_SEAT = 8
MOST_ROLLS = 2
FACES = 6
MOST_KEPT = 5

SHAPE = reading.Shape.of(
    {"button": reading.whole, "ante": reading.stake},
    {
        "up": reading.lone_card,
        "rolls": reading.counts,
        "kept": reading.cards_or_count,
        "discarded": reading.cards_or_count,
        "bet": reading.amount,
        "folded": reading.flag,
        "all_in": reading.flag,
    },
    required="button ante up rolls kept discarded bet",
)


class Seat(NamedTuple):
    """One seat as it was dealt and wagered; `place` is its position on the line. `kept` and `discarded` are cards, or how many."""

    place: int
    seat: int
    up: Cards
    rolls: tuple[int, ...]
    kept: Cards | int
    discarded: Cards | int
    bet: Minor
    folded: bool = False
    all_in: bool = False

    @property
    def hand(self) -> Cards:
        """Return the cards of a seat that did not fold."""
        assert not isinstance(self.kept, int)
        return self.kept

    @property
    def known(self) -> Cards:
        """Return the cards that are known to be kept or discarded."""
        kept, discarded = self.kept, self.discarded
        return (() if isinstance(kept, int) else kept) + (() if isinstance(discarded, int) else discarded)

    @property
    def known_places(self) -> list[tuple[int, Path]]:
        """Return each card of `known` with its path."""
        lists = [(name, cards) for name, cards in (("kept", self.kept), ("discarded", self.discarded)) if not isinstance(cards, int)]
        return [place for name, cards in lists for place in card_places(cards, ("seats", self.place, name))]

    @property
    def facts(self) -> dict[str, Any]:
        """Return the seat in its canonical shape."""
        found: dict[str, Any] = {"seat": self.seat, "up": card_names(self.up)[0], "rolls": list(self.rolls), "bet": self.bet}
        for name, cards in (("kept", self.kept), ("discarded", self.discarded)):
            found[name] = cards if isinstance(cards, int) else card_names(cards)
        return found | {name: True for name in ("folded", "all_in") if getattr(self, name)}


def count(cards: Cards | int) -> int:
    """Return how many cards these are."""
    return cards if isinstance(cards, int) else len(cards)


@dataclass(frozen=True)
class PayrollDeal:
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    button: int
    ante: Minor
    seats: tuple[Seat, ...]
    line: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> PayrollDeal:
        """Return the deal of the fields that were `found` and of the `seats` as they stand on the `line`."""
        placed = sorted([Seat(place, **values) for place, values in enumerate(seats)], key=itemgetter(1))
        return cls(found["id"], found["button"], found["ante"], tuple(placed), line)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Return every stake, by seat, then ante, reroll_ante, bet."""
        return [Stake(seat.seat, kind, put) for seat in self.seats for kind, put in self.stakes_of(seat).items()]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the round in its canonical shape: what has its default left out, seats ascending."""
        seats = [seat.facts for seat in self.seats]
        return {"game": "payroll", "id": self.id, "button": self.button, "ante": self.ante, "seats": seats}

    def stakes_of(self, seat: Seat) -> dict[str, Minor]:
        """Return the seat's stakes by kind: an ante more for each roll beyond the first."""
        stakes = {"ante": self.ante}
        if len(seat.rolls) > 1:
            stakes["reroll_ante"] = Minor(self.ante * (len(seat.rolls) - 1))
        if seat.bet:
            stakes["bet"] = seat.bet
        return stakes

    def turn(self, seat: Seat) -> int:
        """Return the seat's place in the order of turns, from the button's left; the button comes last."""
        return (seat.seat - self.button - 1) % LAST_SEAT


# ---- facts ----


def check_facts(deal: PayrollDeal, paytable: Paytable, faults: Faults) -> None:
    """Note seats, numbers of cards and doubles that cannot be, and hands that are not known."""
    check_seats(deal.seats, least=2, last=paytable.rules["max_seats"], faults=faults)
    if deal.button not in [seat.seat for seat in deal.seats]:
        faults.add("bad_seat", ("button",), "The button is at nobody's seat.", button=deal.button)
    for seat in deal.seats:
        path: Path = ("seats", seat.place)
        if len(seat.up) != 1:
            add_wrong_count(len(seat.up), 1, (*path, "up"), faults)
        known = seat.known
        if len(set(known)) < len(known):
            check_different(seat.known_places, faults)
        if isinstance(seat.kept, int) and not seat.folded:
            faults.add("cards_required", (*path, "kept"), "A hand that did not fold is compared by its cards; a number is not enough.")


# ---- rules ----


def check_rolls(seat: Seat, faults: Faults) -> None:
    """Note rolls that no die shows, too many or too few of them, and cards that they did not give."""
    rolls = seat.rolls
    on_dice = not rolls or (min(rolls) >= 1 and max(rolls) <= FACES)
    if not on_dice:
        for place, roll in enumerate(rolls):
            if not 1 <= roll <= FACES:
                faults.add("bad_roll", ("seats", seat.place, "rolls", place), f"No die shows {roll}.", roll=roll)
    if len(rolls) > MOST_ROLLS or not (rolls or seat.folded):
        message = f"{counted(len(rolls), 'roll')} where one or two are due, and none only where the seat folded before its turn."
        faults.add("bad_roll", ("seats", seat.place, "rolls"), message)
    elif on_dice:
        _check_dealt(seat, faults)


def _check_dealt(seat: Seat, faults: Faults) -> None:
    """Note a number of cards that the rolls did not give, and an up card that is nowhere among them."""
    due, found = 1 + sum(seat.rolls), count(seat.kept) + count(seat.discarded)
    if found != due:
        message = f"{counted(due, 'card')} dealt, one and as many as were rolled; {found} kept and discarded."
        faults.add("cards_do_not_match_rolls", ("seats", seat.place), message, due=due, found=found)
    elif seat.up[0] not in seat.known and len(seat.known) == found:
        faults.add("cards_do_not_match_rolls", ("seats", seat.place), "The up card is neither kept nor discarded.")


def check_kept(seat: Seat, faults: Faults) -> None:
    """Note a hand of no cards, or of more than five."""
    kept = count(seat.kept)
    if not 1 <= kept <= MOST_KEPT:
        code = "too_few_kept" if kept < 1 else "too_many_kept"
        faults.add(code, ("seats", seat.place, "kept"), f"{kept} cards are kept: one to {MOST_KEPT} are due.")


def check_bets(deal: PayrollDeal, faults: Faults) -> None:
    """Note live bets below the highest that are not all-in, folded ones above it, and a round in which everybody folded."""
    live = [seat.bet for seat in deal.seats if not seat.folded]
    if not live:
        faults.add("no_live_seat", ("seats",), "Every seat folded: nobody can take the pot.")
        return
    highest = max(live)
    for seat in deal.seats:
        path = ("seats", seat.place, "bet")
        if seat.folded and seat.bet > highest:
            faults.add("unmatched_bet", path, f"A folded seat bet {seat.bet}; the highest live bet is {highest}.", highest=highest)
        if not seat.folded and not seat.all_in and seat.bet < highest:
            faults.add("unmatched_bet", path, f"A bet of {seat.bet}, not all-in; the highest is {highest}.", highest=highest)
