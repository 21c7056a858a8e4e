"""A table of Payroll in play: a real deck, discards and folded cards going under it, bets answered in turn. Pure: chance is handed in.

Cards are the engine's whole numbers, rank * 4 + suit. Source: seeds/payroll.txt; spec/rounds.md "Payroll".
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import Any

from tables.engine.cards import NAMES, RANKS, card_names
from tables.engine.payroll_key import pair_of, payroll_key

MOST_KEPT = 5
NO_PAIR = -1

_SEVEN, _EIGHT, _NINE, _TEN, _JACK, _QUEEN = (RANKS.index(rank) for rank in "789TJQ")
_LARGE_BET = 3
"""In antes: a bet from here on is only called with a good hand."""


@dataclass(eq=False)
class Chair:
    """A patron in play. `stack`: what he has left to bet, minor units; `rolls` is empty until his turn."""

    seat: int
    up: int
    stack: int
    kept: list[int]
    rolls: list[int] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)
    bet: int = 0
    folded: bool = False
    all_in: bool = False

    @property
    def pair(self) -> int:
        """Return the rank of the pair that the chair holds, NO_PAIR where it has none."""
        found = pair_of(payroll_key(self.kept))
        return NO_PAIR if found is None else found

    @property
    def can_bet(self) -> bool:
        """Return whether the chair is in the round with money left."""
        return not self.folded and not self.all_in and self.stack > 0

    def put(self, amount: int) -> None:
        """Move `amount` into the pot, or what is left of the stack: then the chair is all-in."""
        self.all_in = amount > self.stack
        paid = min(amount, self.stack)
        self.bet += paid
        self.stack -= paid

    def line(self) -> dict[str, Any]:
        """Return the chair's line of the round."""
        flags = {name: True for name in ("folded", "all_in") if getattr(self, name)}
        cards = {"up": NAMES[self.up], "rolls": self.rolls, "kept": card_names(self.kept), "discarded": card_names(self.discarded)}
        return {"seat": self.seat, **cards, "bet": self.bet, **flags}


def best_kept(cards: Iterable[int]) -> list[int]:
    """Return the best cards to keep, at most five: the highest pair, then the highest others."""
    ordered = sorted(cards, reverse=True)
    pair = next(([high, low] for high, low in pairwise(ordered) if high >> 2 == low >> 2), [])
    return (pair + [card for card in ordered if card not in pair])[:MOST_KEPT]


class PayrollTable:
    """One round: everybody antes and gets a card face up; then each in turn rolls, discards and bets, and the others answer."""

    def __init__(self, rng: random.Random, seats: Sequence[int], button: int, ante: int) -> None:
        """Shuffle and deal the cards face up, from the `button`'s left. Raises ValueError for a button at nobody's seat."""
        if button not in seats:
            raise ValueError(f"the button is at seat {button}, where nobody sits")
        self.rng = rng
        self.ante = ante
        self.deck = deque(rng.sample(range(len(NAMES)), len(NAMES)))
        in_turn = sorted(seats, key=lambda seat: (seat <= button, seat))
        self.chairs = [self._seat(seat) for seat in in_turn]

    def _seat(self, seat: int) -> Chair:
        """Return a chair with its card face up; a few patrons are nearly out of chips."""
        antes = self.rng.randint(0, 5) if self.rng.random() < 0.04 else 200
        up = self.deck.popleft()
        return Chair(seat, up, antes * self.ante, [up])

    def play(self) -> None:
        """Give each chair its turn, until one alone is left."""
        for chair in self.chairs:
            if self._live() == 1:
                return
            if not chair.folded:
                self._take_turn(chair)

    def lines(self) -> list[dict[str, Any]]:
        """Return the seats' lines of the round, ascending."""
        return [chair.line() for chair in sorted(self.chairs, key=attrgetter("seat"))]

    def _live(self) -> int:
        return sum(not chair.folded for chair in self.chairs)

    def _take_turn(self, chair: Chair) -> None:
        """Roll, and again with a weak hand; what is discarded goes under the deck; bet, and let the others answer."""
        self._roll(chair)
        if chair.can_bet and chair.stack >= self.ante and self._wants_more(chair):
            chair.stack -= self.ante
            self._roll(chair)
        self.deck.extend(chair.discarded)
        antes = self._bet_of(chair) if chair.can_bet else 0
        if antes and any(other.can_bet for other in self._after(chair)):
            chair.put(min(antes * self.ante, chair.stack))
            self._answer(chair)

    def _roll(self, chair: Chair) -> None:
        """Deal as many cards as the die shows, and keep the best."""
        chair.rolls.append(self.rng.randint(1, 6))
        cards = [*chair.kept, *chair.discarded, *(self.deck.popleft() for _ in range(chair.rolls[-1]))]
        chair.kept = best_kept(cards)
        chair.discarded = [card for card in cards if card not in chair.kept]

    def _answer(self, bettor: Chair) -> None:
        """Let the others in turn meet the bet or fold; a folded hand goes under the deck.

        A card face up, folded before its turn, is left out of play: were it dealt again, to a seat that acts before its first one, a
        reader of the round could not tell that from a card in two places (spec/rounds.md, `card_in_two_places`).
        """
        for chair in self._after(bettor):
            if chair.folded or chair.all_in:
                continue
            if self._meets(chair, (bettor.bet - chair.bet) // self.ante):
                chair.put(bettor.bet - chair.bet)
            else:
                chair.folded = True
                self.deck.extend(chair.kept if chair.rolls else [])

    def _after(self, chair: Chair) -> Iterator[Chair]:
        """Yield the other chairs from this one's left."""
        place = self.chairs.index(chair)
        yield from self.chairs[place + 1 :]
        yield from self.chairs[:place]

    # ---- what sensible patrons do ----

    def _wants_more(self, chair: Chair) -> bool:
        return chair.pair < _EIGHT or (chair.pair < _TEN and self.rng.random() < 0.3)

    def _bet_of(self, chair: Chair) -> int:
        """Return how many antes the chair bets; 0 is a check."""
        if chair.pair >= _QUEEN:
            return self.rng.choice((1, 2, 3, 5))
        if chair.pair >= _NINE:
            return self.rng.choice((0, 1, 1, 2))
        return int(self.rng.random() < 0.06)

    def _meets(self, chair: Chair, antes: int) -> bool:
        """Return whether the chair pays so many antes to stay; before its turn it only knows its card face up."""
        large = antes >= _LARGE_BET
        if not chair.rolls:
            hope = 0.45 if large else 0.75
            return self.rng.random() < hope + 0.2 * (chair.up >> 2 >= _QUEEN)
        return chair.pair >= (_JACK if large else _SEVEN) or self.rng.random() < 0.08
