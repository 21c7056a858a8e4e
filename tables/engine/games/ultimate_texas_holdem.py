"""Ultimate Texas Hold'em: what the rules say of each wager, and what is due. Pure. A round's fields and facts are in `uth_round`.

Source: spec/rounds.md "Ultimate Texas Hold'em", from seeds/ultimate-texas-holdem.txt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any

from casino.money import Minor
from tables.engine import poker
from tables.engine.cards import NO_CARD
from tables.engine.faults import Faults
from tables.engine.game import Field, Layout, Result, SeatDues, Settlement, WagerDue, answer_opening
from tables.engine.payouts import Unpayable
from tables.engine.paytable import PAYOUT_UNIT, ROUNDING, Paytable, Rule, caps, multiples, one_of
from tables.engine.poker import SeenHand, hands_beside
from tables.engine.round_game import RoundGame
from tables.engine.showdown import (
    BEATS,
    BEATS_UNQUALIFIED,
    CLASS_OF,
    FOLDS,
    LOSES,
    LOSES_TO_UNQUALIFIED,
    TIES,
    hand_json,
    lowest_of,
    meeting,
    told,
    words,
)
from tables.engine.uth_round import KINDS, LAST_SEAT, SHAPE, STREETS, Seat, UthDeal, check_facts, check_wagers, plain_deal
from tables.engine.verdicts import EVEN_MONEY, SettledWagers, Till, Verdict, add_unpayable, settle_wagers, spoken

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


# ---- what the rules say of each wager: the table of the spec, by meeting ----

_ANTE: tuple[Result, ...] = ("win", "push", "push", "lose", "push", "lose")
_PLAY: tuple[Result, ...] = ("win", "win", "push", "lose", "lose", "lose")


class _House:
    """A paytable, made ready to settle by: its tills are made once, and the stakes that were settled by them kept."""

    def __init__(self, paytable: Paytable) -> None:
        self.paytable = paytable
        self.qualifying = lowest_of(paytable.rules["dealer_qualifies"])
        self.tills = cache(self._tills)
        self.settled = lru_cache(maxsize=16384)(self._settled)

    def _settled(self, met: int, hand: str, stakes: Sequence[Minor | None]) -> SettledWagers:
        """Return the wagers of a seat; what was settled once is kept a while, as the same stakes and hands come again and again."""
        return settle_wagers(self.tills(met, hand), stakes, self.paytable)

    def _tills(self, met: int, hand: str) -> tuple[Till, ...]:
        """Return what settles ante, blind, play and trips of a seat with this class of hand, "" where it was not seen."""
        verdicts = (_even("ante", _ANTE[met]), self._blind(met, hand), _even("play", _PLAY[met]), self._trips(met, hand))
        return tuple(Till(verdict, self.paytable) for verdict in verdicts)

    def _blind(self, met: int, hand: str) -> Verdict:
        if met not in (BEATS, BEATS_UNQUALIFIED):
            return Verdict("blind", "push" if met == TIES else "lose")
        if hand in self.paytable.odds["blind"]:
            return Verdict("blind", "win", self.paytable.odds["blind"][hand], hand)
        return Verdict("blind", "push", because=f"{spoken(hand)} is not in the blind odds, ")

    def _trips(self, met: int, hand: str) -> Verdict:
        rules, odds = self.paytable.rules, self.paytable.odds["trips"]
        if met == FOLDS and rules["trips_on_fold"] == "forfeits":
            return Verdict("trips", "lose", is_side_bet=True, because="a folded hand forfeits its trips here, ")
        if hand not in odds:
            return Verdict("trips", "lose", is_side_bet=True, because=f"{spoken(hand)} is not in the trips odds, ")
        if met in (LOSES, LOSES_TO_UNQUALIFIED) and rules["trips_when_beaten"] == "pushes":
            return Verdict("trips", "push", is_side_bet=True, because=f"{spoken(hand)} is in the trips odds but beaten, ")
        return Verdict("trips", "win", odds[hand], hand, is_side_bet=True)


def _even(kind: str, result: Result) -> Verdict:
    return Verdict(kind, result, EVEN_MONEY if result == "win" else None)


_house = lru_cache(maxsize=8)(_House)


_SettledSeat = tuple[Seat, int, SeenHand | None, SettledWagers]
"""A seat, how it met the dealer, its hand, its wagers."""


def _settle_seats(deal: UthDeal, house: _House, faults: Faults) -> tuple[SeenHand | None, list[_SettledSeat]]:
    """Return the dealer's hand and every seat settled, and note in `faults` what the paytable cannot pay."""
    settled: list[_SettledSeat] = []
    own = [deal.dealer, *[seat.cards for seat in deal.seats]]
    dealer, *hands = hands_beside(deal.community, own) if deal.community else [None] * len(own)
    theirs = dealer and dealer[1]
    for seat, hand in zip(deal.seats, hands, strict=True):
        place, _, ante, blind, _, trips, play, _, folded = seat
        mine = hand and hand[1]
        met = meeting(folded, mine, theirs, house.qualifying)
        name = "" if mine is None else CLASS_OF[mine]
        stakes = (ante, blind, play, trips)
        try:
            settled.append((seat, met, hand, house.settled(met, name, stakes)))
        except Unpayable:
            add_unpayable(house.tills(met, name), stakes, ("seats", place), faults)
    return dealer, settled


_FIRST_SEAT = tuple([f'{{"seat":{number},'.encode() for number in range(LAST_SEAT + 1)])
_NEXT_SEAT = tuple([b"," + opening for opening in _FIRST_SEAT])
"""How a seat of each number opens in the answer."""


class UthSettlement(Settlement):
    """A settled round; words and texts are made on demand."""

    def __init__(self, deal: UthDeal, house: _House, faults: Faults) -> None:
        self._id = deal.id
        self._house = house
        self._dealer, self._seats = _settle_seats(deal, house, faults)

    @cached_property
    def dues(self) -> tuple[WagerDue, ...]:
        """What is due, by seat, then ante, blind, play, trips."""
        theirs = self._dealer and self._dealer[1]
        dues: list[WagerDue] = []
        for seat, met, hand, wagers in self._seats:
            subject, side_subject = told(met, hand and hand[1], theirs)
            dues += wagers.dues(seat.seat, subject.decode(), side_subject.decode())
        return tuple(dues)

    @property
    def seat_dues(self) -> Sequence[tuple[int, SeatDues]]:
        """Each seat and what is due in figures."""
        return [(seat.seat, wagers.figures) for seat, _, _, wagers in self._seats]

    @property
    def json(self) -> bytes:
        """The answer as JSON text in UTF-8."""
        theirs = self._dealer and self._dealer[1]
        text = [answer_opening(self._id, self._house.paytable), b',"dealer":', self._dealer_json(), b',"seats":[']
        won, opens = 0, _FIRST_SEAT
        for seat, met, hand, wagers in self._seats:
            won += wagers.net
            text += opens[seat.seat], hand_json(hand), b",", *wagers.json(*told(met, hand and hand[1], theirs))
            opens = _NEXT_SEAT
        text.append(b'],"house_net":%d}' % -won)
        return b"".join(text)

    @property
    def hands(self) -> Mapping[int, str]:
        """What each seat holds in words."""
        return {seat.seat: words(hand[1]) for seat, _, hand, _ in self._seats if hand is not None}

    @property
    def dealer_hand(self) -> str | None:
        """What the dealer holds in words."""
        return None if self._dealer is None else words(self._dealer[1])

    def _dealer_json(self) -> bytes:
        if self._dealer is None:
            return b"null"
        return b'{%b,"qualifies":%b}' % (hand_json(self._dealer), b"true" if self._dealer[1] >= self._house.qualifying else b"false")


_NO_BOARD, _NO_HAND = (NO_CARD,) * 5, (NO_CARD,) * 2


def _complete(seat: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed of a seat with what follows from it: the blind equals the ante, and the multiple tells the seed's street."""
    found = dict(seat)
    if "ante" in found:
        found.setdefault("blind", found["ante"])
    if "play" in found and found.get("ante"):
        times = Fraction(found["play"], found["ante"])
        found.setdefault("street", next((street for street in STREETS if times in _RULES["play_multiples"].default[street]), STREETS[0]))
    return found


class UltimateTexasHoldem(RoundGame[UthDeal]):
    """Fulfils `tables.engine.game.Game`."""

    code = "uth"
    name = "Ultimate Texas Hold'em"
    default_paytable = "uth-seed@1"
    wager_kinds = KINDS
    is_pot_game = False
    shape = SHAPE
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
            Field("play", "Play", "amount", required=False, help="a multiple of the ante", times_of="ante", times_rule="play_multiples"),
            Field("street", "Street", "choice", required=False, choices=STREETS, habit="follows"),
            Field("folded", "Folded", "flag", required=False),
        ),
        first_seat=1,
        last_seat=LAST_SEAT,
        complete=_complete,
    )

    def plain_deal(self, raw: Mapping[str, Any], paytable: Paytable) -> UthDeal | None:
        """Return the deal of a round that is plainly right."""
        return plain_deal(raw, paytable)

    def deal(self, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> UthDeal:
        """Return the deal that was read."""
        return UthDeal.of(found, seats, line)

    def check_facts(self, deal: UthDeal, paytable: Paytable, faults: Faults) -> None:
        """Note what cannot have happened."""
        check_facts(deal, paytable, faults)

    def check_rules(self, deal: UthDeal, paytable: Paytable, faults: Faults) -> None:
        """Note wagers against the rules, and only beside such ones what could not be paid: a round without any finds that in `settle`."""
        legal = paytable.rules["play_multiples"]
        for seat in deal.seats:
            check_wagers(seat, legal, faults)
        if faults.found:
            unpayable = Faults(deal.line)
            UthSettlement(deal, _house(paytable), unpayable)
            faults.found += [fault for fault in unpayable.found if fault.code == "inexact_payout"]

    def settle(self, deal: UthDeal, paytable: Paytable) -> UthSettlement:
        """Return what is due. Raises InvalidSlip (`inexact_payout`, `bad_amount`) at the stakes that cannot be paid."""
        faults = Faults(deal.line)
        settlement = UthSettlement(deal, _house(paytable), faults)
        faults.raise_any()
        return settlement

    def pack(self, deal: UthDeal) -> bytes:
        """Return 21 bytes: the board's five cards, the dealer's two, two for each of the seats 1 to 7."""
        cards = [*(deal.community or _NO_BOARD), *(deal.dealer or _NO_HAND), *_NO_HAND * LAST_SEAT]
        for _, number, _, _, hand, _, _, _, _ in deal.seats:
            if hand is not None:
                cards[5 + 2 * number], cards[6 + 2 * number] = hand
        return bytes(cards)


GAME = UltimateTexasHoldem()
