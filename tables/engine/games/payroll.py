"""Payroll: what its paytable says, how the pot is settled, what is answered. Pure. A round's fields and facts are in `payroll_round`.

Source: spec/rounds.md "Payroll", from seeds/payroll.txt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from casino.money import CEILING, Minor
from tables.engine import reading
from tables.engine.cards import NO_CARD, RANKS, rank_word, rank_words
from tables.engine.faults import Faults
from tables.engine.game import Field, Layout, Pile, Settlement, WagerDue, answer_opening
from tables.engine.payroll_key import kickers_of, pair_of, payroll_key
from tables.engine.payroll_places import check_places
from tables.engine.payroll_round import LAST_SEAT, MOST_KEPT, SHAPE, PayrollDeal, Seat, check_bets, check_facts, check_kept, check_rolls
from tables.engine.paytable import PAYOUT_UNIT, Paytable, Rule, number, or_null
from tables.engine.pot import Holder, Share, settle_pot
from tables.engine.round_game import RoundGame

KINDS = ("ante", "reroll_ante", "bet", "pot")

_RULES = {
    "ante": Rule(reading.stake),
    "rake_bps": Rule(number(0, 10_000), 0),
    "rake_cap": Rule(or_null(reading.amount), None),
    "max_seats": Rule(number(2, LAST_SEAT), LAST_SEAT),
    "payout_unit": PAYOUT_UNIT,
}


class PayrollSettlement(Settlement):
    """A settled pot; words and texts are made on demand. `won`: what each seat that won something won, by its number."""

    def __init__(self, deal: PayrollDeal, paytable: Paytable) -> None:
        self._deal = deal
        self._paytable = paytable
        holders = [_holder(deal, seat) for seat in sorted(deal.seats, key=deal.turn)]
        rules = paytable.rules
        self._pot = settle_pot(holders, rake_bps=rules["rake_bps"], rake_cap=rules["rake_cap"], unit=paytable.payout_unit)
        self.rake = self._pot.rake
        self.won: dict[int, int] = {}
        for share in self._pot.shares:
            if share.amount:
                self.won[share.seat] = self.won.get(share.seat, 0) + share.amount
        live = {holder.seat: holder.key for holder in holders if holder.key is not None}
        self._compared = live if len(live) > 1 else {}

    @property
    def winners(self) -> list[int]:
        """Return the seats that won a share of a layer for which hands were compared, or the last seat standing, ascending."""
        compared = {share.seat for share in self._pot.shares if share.reached > 1}
        return sorted(compared or {share.seat for share in self._pot.shares})

    @cached_property
    def dues(self) -> tuple[WagerDue, ...]:
        """What is due, by seat, then ante, reroll_ante, bet, pot."""
        return tuple(due for seat in self._deal.seats for due in self._seat_dues(seat))

    @property
    def json(self) -> bytes:
        """The answer as JSON text in UTF-8."""
        opening = answer_opening(self._deal.id, self._paytable)
        pot, rake, _ = self._pot
        winners = ",".join(map(str, self.winners))
        seats = ",".join([self._seat_json(seat) for seat in self._deal.seats])
        return opening + f',"pot":{pot},"rake":{rake},"winners":[{winners}],"seats":[{seats}],"house_net":{rake}}}'.encode()

    @property
    def hands(self) -> Mapping[int, str]:
        """What each seat holds whose hand was compared, in words."""
        return {seat: _words(key) for seat, key in sorted(self._compared.items())}

    def refuse_too_much(self) -> None:
        """Raise InvalidSlip (`bad_amount`) at the bet of every seat that won 10^15 or more."""
        faults = Faults(self._deal.line)
        for seat in self._deal.seats:
            if self.won.get(seat.seat, 0) >= CEILING:
                faults.add("bad_amount", ("seats", seat.place, "bet"), "What this seat won is 10^15 or more.")
        faults.raise_any()

    def _seat_dues(self, seat: Seat) -> Iterator[WagerDue]:
        for kind, put in self._deal.stakes_of(seat).items():
            why = f"The {kind.replace('_', ' ')} of {put} goes into the pot of {self._pot.amount}."
            yield WagerDue(seat.seat, kind, put, collect=put, pay=Minor(0), result="lose", why=why)
        if seat.seat in self.won:
            won = Minor(self.won[seat.seat])
            yield WagerDue(seat.seat, "pot", Minor(0), collect=Minor(0), pay=won, result="win", why=self._why(seat.seat))

    def _why(self, seat: int) -> str:
        """Return "Pair of eights with five: 1400 as best of 2 hands.", with a part for each layer, and the rake."""
        opening = _words(self._compared[seat]) if seat in self._compared else "The last hand standing"
        parts = [_part(share) for share in self._pot.shares if share.seat == seat and share.amount]
        total = f" = {self.won[seat]}" if len(parts) > 1 else ""
        raked = f" A rake of {self.rake} was taken from the pot of {self._pot.amount}." if self.rake else ""
        return f"{opening}: {' + '.join(parts)}{total}.{raked}"

    def _seat_json(self, seat: Seat) -> str:
        stakes = self._deal.stakes_of(seat)
        written = ",".join([f'"{kind}":{put}' for kind, put in stakes.items()])
        won = self.won.get(seat.seat, 0)
        hand = _hand_json(self._compared.get(seat.seat))
        return f'{{"seat":{seat.seat},{hand},"stakes":{{{written}}},"won":{won},"net":{won - sum(stakes.values())}}}'


def _holder(deal: PayrollDeal, seat: Seat) -> Holder:
    """Return the seat's part in the pot, of a deal that keeps the rules."""
    antes = deal.ante * max(1, len(seat.rolls))
    return Holder(seat.seat, Minor(antes), seat.bet, None if seat.folded else payroll_key(seat.hand))


def _part(share: Share) -> str:
    """Return what one layer gave, and why."""
    if share.returned:
        return f"{share.amount} that nobody else met, returned"
    if share.reached == 1:
        return f"{share.amount} that no other hand reaches"
    if share.among == 1:
        return f"{share.amount} as best of {share.reached} hands"
    best = f", best of {share.reached} hands" if share.among < share.reached else ""
    odd = f", with {share.odd} that did not share evenly" if share.odd else ""
    return f"{share.amount} of {share.of} as one of {share.among} equal hands{best}{odd}"


_RANKS_JSON = tuple([f'"{rank}"' for rank in RANKS])


def _hand_json(key: int | None) -> str:
    """Return the hand of this key; nulls for one that was not compared."""
    if key is None:
        return '"pair":null,"kickers":null'
    pair = pair_of(key)
    kickers = ",".join([_RANKS_JSON[rank] for rank in kickers_of(key)])
    return f'"pair":{"null" if pair is None else _RANKS_JSON[pair]},"kickers":[{kickers}]'


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
    shape = SHAPE
    rules = _RULES
    layout = Layout(
        round_fields=(Field("button", "Button", "number", help="the seat that acts last"), Field("ante", "Ante", "amount", habit="again")),
        seat_fields=(
            Field("up", "Up card", "cards", count=1),
            Field("rolls", "Rolls", "numbers", required=False, count=2, help="one or two; none where the seat folded before its turn"),
            Field("kept", "Kept", "cards", help="one to five cards; of a folded hand a number will do"),
            Field("discarded", "Discarded", "cards", required=False, help="cards, or how many"),
            Field("bet", "Bet", "amount", help="all that was put in besides the antes"),
            Field("folded", "Folded", "flag", required=False),
            Field("all_in", "All-in", "flag", required=False),
        ),
        first_seat=1,
        last_seat=LAST_SEAT,
        one_deck=False,
        button="button",
        pile=Pile(fields=("kept", "discarded"), base=1, plus="rolls"),
        funds=("chips",),
        for_dealer=False,
    )

    def deal(self, found: Mapping[str, Any], seats: Sequence[dict[str, Any]], line: Mapping[str, Any]) -> PayrollDeal:
        """Return the deal that was read."""
        return PayrollDeal.of(found, seats, line)

    def check_facts(self, deal: PayrollDeal, paytable: Paytable, faults: Faults) -> None:
        """Note what cannot have happened."""
        check_facts(deal, paytable, faults)

    def check_rules(self, deal: PayrollDeal, paytable: Paytable, faults: Faults) -> None:
        """Note what is against the rules: ante, rolls, cards kept, cards in two places, bets."""
        if deal.ante != paytable.rules["ante"]:
            faults.add("bad_ante", ("ante",), f"The ante is {deal.ante}; the paytable's is {paytable.rules['ante']}.", due=paytable.rules["ante"])
        for seat in deal.seats:
            check_rolls(seat, faults)
            check_kept(seat, faults)
        check_places(deal, faults)
        check_bets(deal, faults)

    def settle(self, deal: PayrollDeal, paytable: Paytable) -> PayrollSettlement:
        """Return what is due. Raises InvalidSlip (`bad_amount`) at the bet of a seat that won 10^15 or more."""
        settlement = PayrollSettlement(deal, paytable)
        settlement.refuse_too_much()
        return settlement

    def pack(self, deal: PayrollDeal) -> bytes:
        """Return 48 bytes: for each of the seats 1 to 8 its up card, then the cards kept; of more than five (irregular) the first five."""
        packed = bytearray([NO_CARD] * 6 * LAST_SEAT)
        for seat in deal.seats:
            kept = () if isinstance(seat.kept, int) else seat.kept[:MOST_KEPT]
            start = 6 * (seat.seat - 1)
            packed[start : start + 1 + len(kept)] = bytes([*seat.up, *kept])
        return bytes(packed)


GAME = Payroll()
