"""Three Card Poker: how three cards rank, how a round is read, what is due on ante, play, ante bonus and pair plus. Pure.

A seat antes, then folds or plays an equal stake. A dealer who does not qualify pays the ante and returns the play, whatever the hands. The
ante bonus is paid on the ante of a hand that played, win or lose. Pair plus is about the hand alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from casino.money import Minor
from tables.engine import reading
from tables.engine.cards import NO_CARD, card_names, rank_word, rank_words
from tables.engine.facts import check_hands, check_seats
from tables.engine.faults import Faults, Path
from tables.engine.game import Field, Layout, Result, Stake
from tables.engine.odds_settlement import JudgedSeat, OddsSettlement
from tables.engine.paytable import PAYOUT_UNIT, ROUNDING, Paytable, Rule, caps, one_of
from tables.engine.reading import Cards
from tables.engine.round_game import RoundGame
from tables.engine.showdown import BEATS_UNQUALIFIED, FOLDS, meeting, told_in_words
from tables.engine.verdicts import EVEN_MONEY, Till, Verdict, spoken

# ---- three cards ----

CLASSES = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush")
"""The ranks of hands, weakest first: of three cards, a straight is rarer than a flush."""

_CLASS_STEP = 16**3
_WHEEL = (12, 1, 0)


def strength(cards: Sequence[int]) -> int:
    """Return a number for three cards; the greater is the better hand, and equal hands have the same. The ace is low only in A-2-3."""
    ranks = tuple(sorted([card >> 2 for card in cards], reverse=True))
    one_suit = len({card & 3 for card in cards}) == 1
    high, middle, low = ranks
    if ranks == _WHEEL or high - 1 == middle == low + 1:
        return _numbered("straight_flush" if one_suit else "straight", 1 if ranks == _WHEEL else high)
    if high == low:
        return _numbered("three_of_a_kind", high)
    if middle in (high, low):
        return _numbered("pair", middle, low if middle == high else high)
    return _numbered("flush" if one_suit else "high_card", *ranks)


def _numbered(hand: str, *ranks: int) -> int:
    first, second, third = (*ranks, 0, 0)[:3]
    return CLASSES.index(hand) * _CLASS_STEP + first * 256 + second * 16 + third


def class_of(strength: int) -> str:
    """Return "pair" for the strength of one."""
    return CLASSES[strength // _CLASS_STEP]


@cache
def words(strength: int) -> str:
    """Return "Pair of nines with ace", "Queen high with six and four", "Straight, king high"."""
    hand = class_of(strength)
    first, second, third = strength // 256 % 16, strength // 16 % 16, strength % 16
    if hand == "three_of_a_kind":
        return f"Three of a kind, {rank_words(first)}"
    if hand == "pair":
        return f"Pair of {rank_words(first)} with {rank_word(second)}"
    if hand in ("straight", "straight_flush"):
        return f"{spoken(hand).capitalize()}, {rank_word(first)} high"
    opening = f"Flush, {rank_word(first)}" if hand == "flush" else rank_word(first).capitalize()
    return f"{opening} high with {rank_word(second)} and {rank_word(third)}"


# ---- a round ----

KINDS = ("ante", "play", "ante_bonus", "pair_plus")
STAKED = ("ante", "play", "pair_plus")
LAST_SEAT = 7
DEALT = 3

_SHAPE = reading.Shape.of(
    {"dealer": reading.cards},
    {"cards": reading.cards, "ante": reading.stake, "play": reading.stake, "pair_plus": reading.amount, "folded": reading.flag},
    required="ante",
)


class Seat(NamedTuple):
    """One seat as it was dealt and wagered; `place` is its position on the line."""

    place: int
    seat: int
    ante: Minor
    cards: Cards | None = None
    play: Minor | None = None
    pair_plus: Minor = Minor(0)
    folded: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """Return the seat in its canonical shape."""
        cards = {"cards": card_names(self.cards)} if self.cards else {}
        stakes = {kind: put for kind in STAKED if (put := getattr(self, kind))}
        return {"seat": self.seat, **cards, **stakes, **({"folded": True} if self.folded else {})}


@dataclass(frozen=True)
class TcpDeal:
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    dealer: Cards | None
    seats: tuple[Seat, ...]
    line: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Return every stake, by seat, then ante, play, pair plus."""
        return [Stake(seat.seat, kind, put) for seat in self.seats for kind in STAKED if (put := getattr(seat, kind))]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the round in its canonical shape: what has its default left out, seats ascending."""
        dealer = {"dealer": card_names(self.dealer)} if self.dealer is not None else {}
        return {"game": "tcp", "id": self.id, **dealer, "seats": [seat.facts for seat in self.seats]}


def _check_play(seat: Seat, faults: Faults) -> None:
    """Note a play beside a fold, the lack of one without, and one that is not the ante."""
    path: Path = ("seats", seat.place, "play")
    if seat.folded and seat.play is not None:
        faults.add("play_after_fold", path, "The seat folded, and has a play.")
    elif not seat.folded and seat.play is None:
        faults.add("missing_play", path, "The seat did not fold, and has no play.")
    elif seat.play is not None and seat.play != seat.ante:
        faults.add("bad_play_multiple", path, f"The play is {seat.play}; it equals the ante of {seat.ante}.", legal=[1])


# ---- what the rules say ----

_QUALIFYING = {
    "jack_high": _numbered("high_card", 9),
    "queen_high": _numbered("high_card", 10),
    "king_high": _numbered("high_card", 11),
    "ace_high": _numbered("high_card", 12),
    "pair": _numbered("pair", 0),
}
"""The lowest strength of a dealer who qualifies."""

_ANTE: tuple[Result, ...] = ("win", "win", "push", "lose", "win", "lose")
_PLAY: tuple[Result, ...] = ("win", "push", "push", "lose", "push", "lose")
"""By how the seat met the dealer, as `showdown` numbers it; a dealer who does not qualify is met as BEATS_UNQUALIFIED, whatever the hands."""


def qualifying(paytable: Paytable) -> int:
    """Return the lowest strength with which the dealer qualifies."""
    return _QUALIFYING[paytable.rules["dealer_qualifies"]]


class _House:
    """A paytable, made ready to settle by: its tills are made once."""

    def __init__(self, paytable: Paytable) -> None:
        self.paytable = paytable
        self.tills = cache(self._tills)

    def judge(self, seat: Seat, dealer: int | None) -> JudgedSeat:
        """Return the seat as the rules judge it against a dealer of this strength, None where his cards were not seen."""
        hand = None if seat.cards is None else strength(seat.cards)
        met, mine = self._meeting(seat, hand, dealer), "" if hand is None else words(hand)
        name = "" if hand is None else class_of(hand)
        bonus = seat.ante if met != FOLDS and name in self.paytable.odds["ante_bonus"] else None
        return JudgedSeat(
            seat=seat.seat,
            path=("seats", seat.place),
            tills=self.tills(met, name),
            stakes=(seat.ante, seat.play, bonus, seat.pair_plus),
            subject=_told(met, mine, dealer),
            side_subject=mine or "Folded",
            hand=mine,
            opening=f'"hand":"{name}",' if name else '"hand":null,',
        )

    def _meeting(self, seat: Seat, hand: int | None, dealer: int | None) -> int:
        if not seat.folded and dealer is not None and dealer < qualifying(self.paytable):
            return BEATS_UNQUALIFIED
        return meeting(seat.folded, hand, dealer, 0)

    def _tills(self, met: int, hand: str) -> tuple[Till, ...]:
        """Return what settles ante, play, bonus and pair plus of a seat with this class of hand, "" where it was not seen."""
        bonus = Verdict("ante_bonus", "win", self.paytable.odds["ante_bonus"].get(hand), hand, is_side_bet=True, on="ante")
        verdicts = (_even("ante", _ANTE[met]), _even("play", _PLAY[met]), bonus, self._pair_plus(met, hand))
        return tuple(Till(verdict, self.paytable) for verdict in verdicts)

    def _pair_plus(self, met: int, hand: str) -> Verdict:
        odds = self.paytable.odds["pair_plus"]
        if met == FOLDS and self.paytable.rules["pair_plus_on_fold"] == "forfeits":
            return Verdict("pair_plus", "lose", is_side_bet=True, because="a folded hand forfeits its pair plus here, ")
        if hand not in odds:
            return Verdict("pair_plus", "lose", is_side_bet=True, because=f"{spoken(hand)} is not in the pair plus odds, ")
        return Verdict("pair_plus", "win", odds[hand], hand, is_side_bet=True)


def _even(kind: str, result: Result) -> Verdict:
    return Verdict(kind, result, EVEN_MONEY if result == "win" else None)


def _told(met: int, mine: str, dealer: int | None) -> str:
    """Return the words that open the reasons of ante and play."""
    if met == FOLDS or dealer is None:
        return "Folded"
    theirs = words(dealer)
    if met == BEATS_UNQUALIFIED:
        return f"The dealer's {theirs[0].lower()}{theirs[1:]} does not qualify"
    return told_in_words(met, mine, theirs)


_house = lru_cache(maxsize=8)(_House)


# ---- the game ----


def _complete(seat: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed of a seat with what follows from it: a hand that was not folded played its ante."""
    found = dict(seat)
    if "ante" in found and not found.get("folded"):
        found.setdefault("play", found["ante"])
    return found


class ThreeCardPoker(RoundGame[TcpDeal]):
    """Fulfils `tables.engine.game.Game`."""

    code = "tcp"
    name = "Three Card Poker"
    default_paytable = "three-card-poker@1"
    wager_kinds = KINDS
    is_pot_game = False
    shape = _SHAPE
    odds = {"ante_bonus": CLASSES, "pair_plus": CLASSES}
    rules = {
        "dealer_qualifies": Rule(one_of(*_QUALIFYING), "queen_high"),
        "pair_plus_on_fold": Rule(one_of("forfeits", "stays"), "forfeits"),
        "payout_unit": PAYOUT_UNIT,
        "rounding": ROUNDING,
        "caps": caps(KINDS),
    }
    layout = Layout(
        round_fields=(Field("dealer", "Dealer", "cards", required=False, count=DEALT, help="needed unless every hand folded"),),
        seat_fields=(
            Field("cards", "Cards", "cards", required=False, count=DEALT, help="a folded hand needs none, unless its pair plus is live"),
            Field("ante", "Ante", "amount", habit="again"),
            Field("pair_plus", "Pair plus", "amount", required=False, habit="again"),
            Field("play", "Play", "amount", required=False, help="equals the ante", habit="follows", times_of="ante", times=(1,)),
            Field("folded", "Folded", "flag", required=False),
        ),
        first_seat=1,
        last_seat=LAST_SEAT,
        complete=_complete,
    )

    def deal(self, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> TcpDeal:
        """Return the deal that was read."""
        placed = sorted([Seat(place, **values) for place, values in enumerate(seats)], key=attrgetter("seat"))
        return TcpDeal(found["id"], found.get("dealer"), tuple(placed), line)

    def check_facts(self, deal: TcpDeal, paytable: Paytable, faults: Faults) -> None:
        """Note seats, numbers of cards and doubles that cannot be, and cards without which nothing can be settled."""
        check_seats(deal.seats, least=1, last=LAST_SEAT, faults=faults)
        paths: list[Path] = [("dealer",), *[("seats", seat.place, "cards") for seat in deal.seats]]
        hands = [deal.dealer, *[seat.cards for seat in deal.seats]]
        check_hands(hands, [DEALT] * len(hands), lambda: paths, faults)
        stays = paytable.rules["pair_plus_on_fold"] == "stays"
        needed = [not all(seat.folded for seat in deal.seats), *[not seat.folded or bool(seat.pair_plus and stays) for seat in deal.seats]]
        for path, hand, is_needed in zip(paths, hands, needed, strict=True):
            if is_needed and hand is None:
                faults.add("cards_required", path, "Without these cards the round cannot be settled.")

    def check_rules(self, deal: TcpDeal, paytable: Paytable, faults: Faults) -> None:
        """Note plays against the rules."""
        for seat in deal.seats:
            _check_play(seat, faults)

    def settle(self, deal: TcpDeal, paytable: Paytable) -> OddsSettlement:
        """Return what is due. Raises InvalidSlip (`inexact_payout`, `bad_amount`) at the stakes that cannot be paid."""
        dealer = None if deal.dealer is None else strength(deal.dealer)
        seats = [_house(paytable).judge(seat, dealer) for seat in deal.seats]
        if dealer is None:
            return OddsSettlement(deal.id, deal.line, paytable, seats, '"dealer":null,')
        qualifies = "true" if dealer >= qualifying(paytable) else "false"
        table = f'"dealer":{{"hand":"{class_of(dealer)}","qualifies":{qualifies}}},'
        return OddsSettlement(deal.id, deal.line, paytable, seats, table, words(dealer))

    def pack(self, deal: TcpDeal) -> bytes:
        """Return 24 bytes: the dealer's three cards, three for each of the seats 1 to 7."""
        packed = bytearray([NO_CARD] * DEALT * (1 + LAST_SEAT))
        for number, cards in ((0, deal.dealer), *((seat.seat, seat.cards) for seat in deal.seats)):
            if cards:
                packed[DEALT * number : DEALT * (number + 1)] = bytes(cards)
        return bytes(packed)


GAME = ThreeCardPoker()
