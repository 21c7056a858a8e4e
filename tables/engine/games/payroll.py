"""Payroll: what a round is, what cannot have happened in one, and how its pot is shared. Pure.

Source: spec/rounds.md "Payroll", from seeds/payroll.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from casino.money import CEILING, Minor
from tables.engine import reading
from tables.engine.cards import NO_CARD, RANKS, card_names, rank_word, rank_words
from tables.engine.facts import add_card_twice, add_wrong_count, card_places, check_different, check_seats
from tables.engine.faults import Faults, Path
from tables.engine.game import Field, Layout, Settlement, Stake, WagerDue, answer_opening
from tables.engine.payroll_key import kickers_of, pair_of, payroll_key
from tables.engine.paytable import PAYOUT_UNIT, Paytable, Rule, number, or_null
from tables.engine.pot import Holder, Pot, Share, settle_pot
from tables.engine.reading import Cards
from tables.engine.round_game import RoundGame

KINDS = ("ante", "reroll_ante", "bet", "pot")
LAST_SEAT = 8
MOST_ROLLS = 2
MOST_KEPT = 5

_SHAPE = reading.Shape.of(
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
_RULES = {
    "ante": Rule(reading.stake),
    "rake_bps": Rule(number(0, 10_000), 0),
    "rake_cap": Rule(or_null(reading.amount), None),
    "max_seats": Rule(number(2, LAST_SEAT), LAST_SEAT),
    "payout_unit": PAYOUT_UNIT,
}


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
    def up_path(self) -> Path:
        """Return where the up card stands."""
        return ("seats", self.place, "up")

    @property
    def dealt(self) -> list[tuple[int, Path]]:
        """Return every card that the seat is known to have been dealt, with its path; the up card where it lies now."""
        path: Path = ("seats", self.place)
        found = [
            place
            for name, cards in (("kept", self.kept), ("discarded", self.discarded))
            if not isinstance(cards, int)
            for place in card_places(cards, (*path, name))
        ]
        return found if self.up[0] in {card for card, _ in found} else [(self.up[0], (*path, "up")), *found]

    @property
    def facts(self) -> dict[str, Any]:
        """Return the seat in its canonical shape."""
        found = {
            "seat": self.seat,
            "up": card_names(self.up)[0],
            "rolls": list(self.rolls),
            "kept": _names_or_count(self.kept),
            "discarded": _names_or_count(self.discarded),
            "bet": self.bet,
        }
        return found | {name: True for name in ("folded", "all_in") if getattr(self, name)}


def _count(cards: Cards | int) -> int:
    return cards if isinstance(cards, int) else len(cards)


def _names_or_count(cards: Cards | int) -> list[str] | int:
    return cards if isinstance(cards, int) else card_names(cards)


@dataclass(frozen=True)
class PayrollDeal:
    """A round that was read: seats ascending. `line` is what it was read from, for the places of later faults."""

    id: str
    button: int
    ante: Minor
    seats: tuple[Seat, ...]
    line: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def stakes(self) -> Sequence[Stake]:
        """Return every stake, by seat, then ante, reroll_ante, bet."""
        return [Stake(seat.seat, kind, put) for seat in self.seats for kind, put in self.stakes_of(seat).items()]

    def turn(self, seat: Seat) -> int:
        """Return the seat's place in the order of turns, from the button's left; the button comes last."""
        return (seat.seat - self.button - 1) % LAST_SEAT

    def holder(self, seat: Seat) -> Holder:
        """Return the seat's part in the pot, of a deal that keeps the rules."""
        antes = self.ante * max(1, len(seat.rolls))
        return Holder(seat.seat, Minor(antes), seat.bet, None if seat.folded else payroll_key(seat.hand))

    def stakes_of(self, seat: Seat) -> dict[str, Minor]:
        """Return the seat's stakes by kind: an ante more for each roll beyond the first."""
        stakes = {"ante": self.ante, "reroll_ante": self.ante * max(0, len(seat.rolls) - 1), "bet": seat.bet}
        return {kind: Minor(put) for kind, put in stakes.items() if put}

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the round in its canonical shape: what has its default left out, seats ascending."""
        seats = [seat.facts for seat in self.seats]
        return {"game": "payroll", "id": self.id, "button": self.button, "ante": self.ante, "seats": seats}


# ---- reading: facts, then rules ----


def _check_hand(seat: Seat, faults: Faults) -> None:
    path: Path = ("seats", seat.place)
    if len(seat.up) != 1:
        add_wrong_count(len(seat.up), 1, (*path, "up"), faults)
        return
    check_different(seat.dealt, faults)
    if isinstance(seat.kept, int) and not seat.folded:
        faults.add("cards_required", (*path, "kept"), "A hand that did not fold is compared by its cards; a number is not enough.")


def _check_kept(seat: Seat, faults: Faults) -> None:
    kept = _count(seat.kept)
    if not 1 <= kept <= MOST_KEPT:
        code = "too_few_kept" if kept < 1 else "too_many_kept"
        faults.add(code, ("seats", seat.place, "kept"), f"{kept} cards are kept: one to {MOST_KEPT} are due.")


def _check_rolls(seat: Seat, faults: Faults) -> None:
    path: Path = ("seats", seat.place, "rolls")
    wrong = [place for place, roll in enumerate(seat.rolls) if not 1 <= roll <= 6]
    for place in wrong:
        faults.add("bad_roll", (*path, place), f"No die shows {seat.rolls[place]}.")
    if len(seat.rolls) > MOST_ROLLS or not (seat.rolls or seat.folded):
        faults.add("bad_roll", path, f"{len(seat.rolls)} rolls: one or two are due, none only where the seat folded before its turn.")
    elif not wrong:
        _check_dealt(seat, faults)


def _check_dealt(seat: Seat, faults: Faults) -> None:
    """Note a number of cards that the rolls did not give, and an up card that is nowhere among them."""
    due, found = 1 + sum(seat.rolls), _count(seat.kept) + _count(seat.discarded)
    if found != due:
        message = f"1 + {' + '.join(map(str, seat.rolls)) or '0'} = {due} cards were dealt, {found} are kept and discarded."
        faults.add("cards_do_not_match_rolls", ("seats", seat.place), message, due=due, found=found)
    elif len(seat.dealt) > found:
        faults.add("cards_do_not_match_rolls", ("seats", seat.place), "The up card is neither kept nor discarded.")


def _check_places(deal: PayrollDeal, faults: Faults) -> None:
    """Note every card that cannot have been at two places, though discarded and folded cards come again."""
    everywhere = [card for seat in deal.seats for card in {card for card, _ in seat.dealt}]
    if len(set(everywhere)) == len(everywhere):
        return
    found = {frozenset(paths): (card, paths) for card, *paths in _impossible(deal)}
    for card, paths in found.values():
        first, later = sorted(paths, key=faults.order.place)
        add_card_twice("card_in_two_places", card, first, later, faults)


def _impossible(deal: PayrollDeal) -> Iterator[tuple[int, Path, Path]]:
    """Yield each card with two places that exclude one another; the four rules are those of the spec, in its order."""
    for one in deal.seats:
        for other in deal.seats:
            if one is other:
                continue
            up, theirs = one.up[0], dict(other.dealt)
            if up == other.up[0]:
                yield up, one.up_path, other.up_path
            if one.folded:
                continue
            for card, path in card_places(one.hand, ("seats", one.place, "kept")):
                kept_too = not other.folded and "kept" in theirs.get(card, ())
                if card in theirs and (kept_too or deal.turn(other) > deal.turn(one)):
                    yield card, path, theirs[card]
            if up in theirs and deal.turn(other) < deal.turn(one):
                yield up, one.up_path, theirs[up]


def _check_bets(deal: PayrollDeal, faults: Faults) -> None:
    live = [seat for seat in deal.seats if not seat.folded]
    if not live:
        faults.add("no_live_seat", ("seats",), "Every seat folded: nobody can take the pot.")
        return
    highest = max(seat.bet for seat in live)
    for seat in deal.seats:
        path = ("seats", seat.place, "bet")
        if seat.folded and seat.bet > highest:
            faults.add("unmatched_bet", path, f"A folded seat bet {seat.bet}; the highest live bet is {highest}.", highest=highest)
        if not seat.folded and not seat.all_in and seat.bet < highest:
            faults.add("unmatched_bet", path, f"A bet of {seat.bet}, not all-in; the highest is {highest}.", highest=highest)


# ---- what is answered ----


@dataclass(frozen=True)
class PayrollSettlement(Settlement):
    """A settled pot; words and texts are made on demand."""

    deal: PayrollDeal
    paytable: Paytable
    pot: Pot

    @cached_property
    def won(self) -> Mapping[int, Minor]:
        """Return what each seat that won something won, by its number."""
        won: dict[int, int] = {}
        for share in self.pot.shares:
            won[share.seat] = won.get(share.seat, 0) + share.amount
        return {seat: Minor(amount) for seat, amount in won.items() if amount}

    @property
    def winners(self) -> list[int]:
        """Return the seats that won a share of a layer for which hands were compared, or the last seat standing, ascending."""
        compared = {share.seat for share in self.pot.shares if share.reached > 1}
        return sorted(compared or {share.seat for share in self.pot.shares})

    @property
    def rake(self) -> Minor:  # type: ignore[override]
        return self.pot.rake

    @cached_property
    def dues(self) -> tuple[WagerDue, ...]:
        return tuple(due for seat in self.deal.seats for due in self._seat_dues(seat))

    @cached_property
    def json(self) -> str:
        seats = ",".join([self._seat_json(seat) for seat in self.deal.seats])
        opening = answer_opening(self.deal.id, self.paytable)
        winners = ",".join(map(str, self.winners))
        pot, rake, _ = self.pot
        return f'{opening},"pot":{pot},"rake":{rake},"winners":[{winners}],"seats":[{seats}],"house_net":{rake}}}'

    @cached_property
    def hands(self) -> Mapping[int, str]:
        return {seat.seat: _words(payroll_key(seat.hand)) for seat in self._compared}

    @cached_property
    def _compared(self) -> list[Seat]:
        """The live seats, but for one that stands alone: its cards are not compared."""
        live = [seat for seat in self.deal.seats if not seat.folded]
        return live if len(live) > 1 else []

    def _seat_dues(self, seat: Seat) -> Iterator[WagerDue]:
        for kind, put in self.deal.stakes_of(seat).items():
            why = f"The {kind.replace('_', ' ')} of {put} goes into the pot of {self.pot.amount}."
            yield WagerDue(seat.seat, kind, put, collect=put, pay=Minor(0), result="lose", why=why)
        if seat.seat in self.won:
            yield WagerDue(seat.seat, "pot", Minor(0), collect=Minor(0), pay=self.won[seat.seat], result="win", why=self._why(seat))

    def _why(self, seat: Seat) -> str:
        """Return "Pair of eights with five: best of 2 hands, 1400." with a part for each layer, and the rake."""
        opening = self.hands.get(seat.seat, "The last hand standing")
        parts = [_part(share) for share in self.pot.shares if share.seat == seat.seat and share.amount]
        raked = f" A rake of {self.rake} was taken from the pot of {self.pot.amount}." if self.rake else ""
        total = f" = {self.won[seat.seat]}" if len(parts) > 1 else ""
        return f"{opening}: {' + '.join(parts)}{total}.{raked}"

    def _seat_json(self, seat: Seat) -> str:
        stakes = self.deal.stakes_of(seat)
        written = ",".join([f'"{kind}":{put}' for kind, put in stakes.items()])
        won = self.won.get(seat.seat, 0)
        hand = _hand_json(payroll_key(seat.hand)) if seat in self._compared else '"pair":null,"kickers":null'
        return f'{{"seat":{seat.seat},{hand},"stakes":{{{written}}},"won":{won},"net":{won - sum(stakes.values())}}}'


def _part(part: Share) -> str:
    if part.returned:
        return f"{part.amount} that nobody else met, returned"
    if part.reached == 1:
        return f"{part.amount} that no other hand reaches"
    return f"{part.amount} {f'as one of {part.among} equal' if part.among > 1 else 'as best'} of {part.reached} hands"


def _hand_json(key: int) -> str:
    pair = pair_of(key)
    kickers = ",".join([f'"{RANKS[rank]}"' for rank in kickers_of(key)])
    shown_pair = "null" if pair is None else f'"{RANKS[pair]}"'
    return f'"pair":{shown_pair},"kickers":[{kickers}]'


def _words(key: int) -> str:
    """Return "Pair of eights with five", "Ace high with king"."""
    pair, kickers = pair_of(key), kickers_of(key)
    opening = f"{rank_word(kickers[0]).capitalize()} high" if pair is None else f"Pair of {rank_words(pair)}"
    rest = kickers[1:] if pair is None else kickers
    return f"{opening} with {', '.join(map(rank_word, rest))}" if rest else opening


class Payroll(RoundGame[PayrollDeal]):
    """Fulfils `tables.engine.game.Game`."""

    code = "payroll"
    name = "Payroll"
    default_paytable = "payroll-seed@1"
    wager_kinds = KINDS
    is_pot_game = True
    shape = _SHAPE
    rules = _RULES
    layout = Layout(
        round_fields=(Field("button", "Button", "number", help="the seat that acts last"), Field("ante", "Ante", "amount", habit="again")),
        seat_fields=(
            Field("up", "Up card", "cards", count=1),
            Field("rolls", "Rolls", "numbers", required=False, help="one or two; none where the seat folded before its turn"),
            Field("kept", "Kept", "cards", help="one to five cards; of a folded hand a number will do"),
            Field("discarded", "Discarded", "cards", required=False, help="cards, or how many"),
            Field("bet", "Bet", "amount", help="all that was put in besides the antes"),
            Field("folded", "Folded", "flag", required=False),
            Field("all_in", "All-in", "flag", required=False),
        ),
        first_seat=1,
        last_seat=LAST_SEAT,
    )

    def deal(self, found: Mapping[str, Any], seats: Sequence[Mapping[str, Any]], line: Mapping[str, Any]) -> PayrollDeal:
        """Return the deal that was read, its seats ascending."""
        placed = [Seat(place, **values) for place, values in enumerate(seats)]
        return PayrollDeal(found["id"], found["button"], found["ante"], tuple(sorted(placed, key=attrgetter("seat"))), line)

    def check_facts(self, deal: PayrollDeal, paytable: Paytable, faults: Faults) -> None:
        """Note seats, numbers of cards and doubles that cannot be, and hands that are not known."""
        check_seats(deal.seats, least=2, last=paytable.rules["max_seats"], faults=faults)
        if deal.button not in [seat.seat for seat in deal.seats]:
            faults.add("bad_seat", ("button",), "The button is at nobody's seat.")
        for seat in deal.seats:
            _check_hand(seat, faults)

    def check_rules(self, deal: PayrollDeal, paytable: Paytable, faults: Faults) -> None:
        """Note what is against the rules: ante, rolls, cards kept, cards in two places, bets."""
        if deal.ante != paytable.rules["ante"]:
            faults.add("bad_ante", ("ante",), f"The ante is {deal.ante}; the paytable's is {paytable.rules['ante']}.")
        for seat in deal.seats:
            _check_rolls(seat, faults)
            _check_kept(seat, faults)
        _check_places(deal, faults)
        _check_bets(deal, faults)

    def settle(self, deal: PayrollDeal, paytable: Paytable) -> PayrollSettlement:
        """Return what is due. Raises InvalidSlip (`bad_amount`) at the bet of a seat that won 10^15 or more."""
        rules = paytable.rules
        holders = [deal.holder(seat) for seat in sorted(deal.seats, key=deal.turn)]
        pot = settle_pot(holders, rake_bps=rules["rake_bps"], rake_cap=rules["rake_cap"], unit=paytable.payout_unit)
        settled = PayrollSettlement(deal, paytable, pot)
        if pot.amount >= CEILING:
            _refuse_too_much(settled)
        return settled

    def pack(self, deal: PayrollDeal) -> bytes:
        """Return 48 bytes: for each of the seats 1 to 8 its up card, then the cards kept; of more than five (irregular) the first five."""
        packed = bytearray([NO_CARD] * 6 * LAST_SEAT)
        for seat in deal.seats:
            kept = () if isinstance(seat.kept, int) else seat.kept[:MOST_KEPT]
            start = 6 * (seat.seat - 1)
            packed[start : start + 1 + len(kept)] = bytes([*seat.up, *kept])
        return bytes(packed)


def _refuse_too_much(settled: PayrollSettlement) -> None:
    faults = Faults(settled.deal.line)
    for seat in settled.deal.seats:
        if settled.won.get(seat.seat, 0) >= CEILING:
            faults.add("bad_amount", ("seats", seat.place, "bet"), "What this seat won is 10^15 or more.")
    faults.raise_any()


GAME = Payroll()
