"""Ultimate Texas Hold'em: what a round is, what the rules say of each wager, what is due. Pure.

Source: spec/rounds.md "Ultimate Texas Hold'em", from seeds/ultimate-texas-holdem.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from casino.money import Minor
from tables.engine import poker, reading
from tables.engine.cards import NO_CARD, card_names
from tables.engine.facts import check_hands, check_seats
from tables.engine.faults import Faults, Path, shown
from tables.engine.game import Field, Layout, Result, Settlement, Stake, WagerDue, answer_opening
from tables.engine.paytable import PAYOUT_UNIT, ROUNDING, Paytable, Rule, caps, multiples, one_of
from tables.engine.reading import Cards
from tables.engine.round_game import RoundGame
from tables.engine.showdown import Meeting, hand_json, lowest_of, meeting, seen_strength, told, words
from tables.engine.verdicts import EVEN_MONEY, SettledWager, Verdict, settle_wagers, spoken

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


def _missing_cards(deal: UthDeal, paytable: Paytable) -> Iterator[Path]:
    stays = paytable.rules["trips_on_fold"] == "stays"
    needing = [seat for seat in deal.seats if not seat.folded or (seat.trips and stays)]
    if needing and deal.community is None:
        yield ("community",)
    if deal.dealer is None and not all(seat.folded for seat in deal.seats):
        yield ("dealer",)
    for seat in needing:
        if seat.cards is None:
            yield ("seats", seat.place, "cards")


def _check_wagers(seat: Seat, legal: Mapping[str, Sequence[int]], faults: Faults) -> None:
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


# ---- what the rules say of each wager: the table of the spec, by Meeting ----

_ANTE: tuple[Result, ...] = ("win", "push", "push", "lose", "push", "lose")
_PLAY: tuple[Result, ...] = ("win", "win", "push", "lose", "lose", "lose")


class _House:
    """A paytable, made ready to settle by: its verdicts are worked out once."""

    def __init__(self, paytable: Paytable) -> None:
        self.paytable = paytable
        self.qualifying = lowest_of(paytable.rules["dealer_qualifies"])
        self.verdicts = cache(self._verdicts)

    def _verdicts(self, met: Meeting, hand: str) -> tuple[Verdict, ...]:
        """Return what becomes of ante, blind, play and trips of a seat with this class of hand, "" where it was not seen."""
        return (_even("ante", _ANTE[met]), self._blind(met, hand), _even("play", _PLAY[met]), self._trips(met, hand))

    def _blind(self, met: Meeting, hand: str) -> Verdict:
        if met not in (Meeting.BEATS, Meeting.BEATS_UNQUALIFIED):
            return Verdict("blind", "push" if met is Meeting.TIES else "lose")
        if hand in self.paytable.odds["blind"]:
            return Verdict("blind", "win", self.paytable.odds["blind"][hand], hand)
        return Verdict("blind", "push", because=f"{spoken(hand)} is not in the blind odds, ")

    def _trips(self, met: Meeting, hand: str) -> Verdict:
        rules, odds = self.paytable.rules, self.paytable.odds["trips"]
        if met is Meeting.FOLDS and rules["trips_on_fold"] == "forfeits":
            return Verdict("trips", "lose", because="a folded hand forfeits its trips here, ")
        if hand not in odds:
            return Verdict("trips", "lose", because=f"{spoken(hand)} is not in the trips odds, ")
        if met in (Meeting.LOSES, Meeting.LOSES_TO_UNQUALIFIED) and rules["trips_when_beaten"] == "pushes":
            return Verdict("trips", "push", because=f"{spoken(hand)} is in the trips odds but beaten, ")
        return Verdict("trips", "win", odds[hand], hand)


def _even(kind: str, result: Result) -> Verdict:
    return Verdict(kind, result, EVEN_MONEY if result == "win" else None)


_house = lru_cache(maxsize=64)(_House)


class _SettledSeat(NamedTuple):
    seat: Seat
    met: Meeting
    hand: int | None
    wagers: list[SettledWager]


def _settle_seats(deal: UthDeal, house: _House, faults: Faults) -> list[_SettledSeat]:
    """Return every seat settled, and note in `faults` what the paytable cannot pay."""
    dealer = seen_strength(deal.dealer, deal.community)
    settled = []
    for seat in deal.seats:
        hand = seen_strength(seat.cards, deal.community)
        met = meeting(seat.folded, hand, dealer, house.qualifying)
        verdicts = house.verdicts(met, "" if hand is None else poker.hand_class(hand))
        stakes = (seat.ante, seat.blind, seat.play, seat.trips)
        settled.append(_SettledSeat(seat, met, hand, settle_wagers(verdicts, stakes, house.paytable, ("seats", seat.place), faults)))
    return settled


@dataclass(frozen=True)
class UthSettlement(Settlement):
    """A settled round; words and texts are made on demand."""

    deal: UthDeal
    house: _House
    seats: Sequence[_SettledSeat]

    @cached_property
    def dues(self) -> tuple[WagerDue, ...]:
        return tuple(wager.due(settled.seat.seat, subject) for settled in self.seats for wager, subject in self._explained(settled))

    @cached_property
    def json(self) -> str:
        seats = ",".join([self._seat_json(settled) for settled in self.seats])
        house_net = -sum([wager.net for settled in self.seats for wager in settled.wagers])
        opening = answer_opening(self.deal.id, self.house.paytable)
        return f'{opening},"dealer":{self._dealer_json()},"seats":[{seats}],"house_net":{house_net}}}'

    @property
    def hands(self) -> Mapping[int, str]:
        return {settled.seat.seat: words(settled.hand) for settled in self.seats if settled.hand is not None}

    @property
    def dealer_hand(self) -> str | None:
        return None if self._dealer is None else words(self._dealer)

    @cached_property
    def _dealer(self) -> int | None:
        return seen_strength(self.deal.dealer, self.deal.community)

    def _dealer_json(self) -> str:
        if self._dealer is None:
            return "null"
        hand = hand_json(self.deal.dealer, self.deal.community, self._dealer)
        return f'{{{hand},"qualifies":{"true" if self._dealer >= self.house.qualifying else "false"}}}'

    def _seat_json(self, settled: _SettledSeat) -> str:
        hand = hand_json(settled.seat.cards, self.deal.community, settled.hand)
        wagers = ",".join([wager.as_json(subject) for wager, subject in self._explained(settled)])
        net = sum([wager.net for wager in settled.wagers])
        return f'{{"seat":{settled.seat.seat},{hand},"wagers":{{{wagers}}},"net":{net}}}'

    def _explained(self, settled: _SettledSeat) -> list[tuple[SettledWager, str]]:
        """Return the seat's wagers, each with the words that open its reason; trips are about the hand alone."""
        subject = told(settled.met, settled.hand, self._dealer)
        alone = subject if settled.hand is None else words(settled.hand)
        return [(wager, alone if wager.verdict.kind == "trips" else subject) for wager in settled.wagers]


_STREET_OF = {4: "preflop", 3: "preflop", 2: "flop", 1: "river"}


def _complete(seat: Mapping[str, Any]) -> dict[str, Any]:
    """Return the seat with the blind that equals its ante, and the street that usually goes with its multiple, where they were left empty."""
    found = dict(seat)
    ante, play = found.get("ante"), found.get("play")
    if ante is not None:
        found.setdefault("blind", ante)
    if ante and play and play % ante == 0 and play // ante in _STREET_OF:
        found.setdefault("street", _STREET_OF[play // ante])
    return found


class UltimateTexasHoldem(RoundGame[UthDeal]):
    """Fulfils `tables.engine.game.Game`."""

    code = "uth"
    name = "Ultimate Texas Hold'em"
    default_paytable = "uth-seed@1"
    wager_kinds = KINDS
    is_pot_game = False
    shape = _SHAPE
    rules = _RULES
    odds = _ODDS
    layout = Layout(
        round_fields=(
            Field("community", "Board", "cards", required=False, count=5, help="needed unless every hand folded and no trips are live"),
            Field("dealer", "Dealer", "cards", required=False, count=2, help="needed unless every hand folded"),
        ),
        seat_fields=(
            Field("cards", "Cards", "cards", required=False, count=2, help="a folded hand needs none, unless its trips are live"),
            Field("ante", "Ante", "amount", habit="again"),
            Field("blind", "Blind", "amount", help="equals the ante", habit="follows"),
            Field("trips", "Trips", "amount", required=False, habit="again"),
            Field("play", "Play", "amount", required=False, help="a multiple of the ante", times_of="ante"),
            Field("street", "Played on the", "choice", required=False, choices=STREETS, habit="follows"),
            Field("folded", "Folded", "flag", required=False),
        ),
        first_seat=1,
        last_seat=LAST_SEAT,
        complete=_complete,
    )

    def deal(self, found: Mapping[str, Any], seats: Sequence[Mapping[str, Any]], line: Mapping[str, Any]) -> UthDeal:
        """Return the deal that was read, its seats ascending."""
        placed = [Seat(place, **values) for place, values in enumerate(seats)]
        return UthDeal(found["id"], found.get("community"), found.get("dealer"), tuple(sorted(placed, key=attrgetter("seat"))), line)

    def check_facts(self, deal: UthDeal, paytable: Paytable, faults: Faults) -> None:
        """Note seats, numbers of cards and doubles that cannot be, and cards without which nothing can be settled."""
        check_seats(deal.seats, least=1, last=LAST_SEAT, faults=faults)
        hands: list[tuple[Cards | None, int, Path]] = [(deal.community, 5, ("community",)), (deal.dealer, 2, ("dealer",))]
        check_hands(hands + [(seat.cards, 2, ("seats", seat.place, "cards")) for seat in deal.seats], faults)
        for path in _missing_cards(deal, paytable):
            faults.add("cards_required", path, "Without these cards the round cannot be settled.")

    def check_rules(self, deal: UthDeal, paytable: Paytable, faults: Faults) -> None:
        """Note wagers against the rules, and only beside such ones what could not be paid: a round without any finds that in `settle`."""
        for seat in deal.seats:
            _check_wagers(seat, paytable.rules["play_multiples"], faults)
        if faults.found:
            unpayable = Faults(deal.line)
            _settle_seats(deal, _house(paytable), unpayable)
            faults.found += [fault for fault in unpayable.found if fault.code == "inexact_payout"]

    def settle(self, deal: UthDeal, paytable: Paytable) -> UthSettlement:
        """Return what is due. Raises InvalidSlip (`inexact_payout`, `bad_amount`) at the stakes that cannot be paid."""
        faults = Faults(deal.line)
        house = _house(paytable)
        seats = _settle_seats(deal, house, faults)
        faults.raise_any()
        return UthSettlement(deal, house, seats)

    def pack(self, deal: UthDeal) -> bytes:
        """Return 21 bytes: the board's five cards, the dealer's two, two for each of the seats 1 to 7."""
        packed = bytearray([NO_CARD] * (7 + 2 * LAST_SEAT))
        packed[:7] = bytes([*(deal.community or [NO_CARD] * 5), *(deal.dealer or [NO_CARD] * 2)])
        for seat in deal.seats:
            packed[5 + 2 * seat.seat : 7 + 2 * seat.seat] = bytes(seat.cards or [NO_CARD] * 2)
        return bytes(packed)


GAME = UltimateTexasHoldem()
