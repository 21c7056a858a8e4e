"""Where the cards of a round of Payroll cannot have been. Pure.

Discarded and folded cards go under the deck and are dealt again, so a card may be met twice in a round; four things cannot be. Source:
spec/rounds.md "Payroll", "A card may appear twice in a round".
"""

from __future__ import annotations

from collections.abc import Iterator

from tables.engine.facts import add_card_twice
from tables.engine.faults import Faults, Path
from tables.engine.payroll_round import PayrollDeal, Seat


def check_places(deal: PayrollDeal, faults: Faults) -> None:
    """Note every card that stands where it cannot for one that stands before it on the line; once a place."""
    everywhere = [card for seat in deal.seats for card in {*seat.known, *seat.up}]
    if len(set(everywhere)) == len(everywhere):
        return
    found: dict[Path, tuple[int, Path]] = {}
    for card, *places in _impossible(deal):
        first, later = sorted(places, key=faults.order.place)
        found.setdefault(later, (card, first))
    for later, (card, first) in found.items():
        add_card_twice("card_in_two_places", card, first, later, faults)


def _impossible(deal: PayrollDeal) -> Iterator[tuple[int, Path, Path]]:
    """Yield each card with two places that exclude one another; the same two may come twice."""
    dealt = {seat: {*seat.known, *seat.up} for seat in deal.seats}
    for one in deal.seats:
        for other in deal.seats:
            if one is not other and dealt[one] & dealt[other]:
                yield from _between(one, other, dealt[other], acts_later=deal.turn(other) > deal.turn(one))


def _between(one: Seat, other: Seat, theirs: set[int], *, acts_later: bool) -> Iterator[tuple[int, Path, Path]]:
    """Yield what cannot be of `one`'s cards, given those that the `other` seat was dealt; `acts_later`: it acts after `one`."""
    up = one.up[0]
    if up == other.up[0]:
        yield up, _up_path(one), _up_path(other)
    if one.folded:
        return
    kept_too = set() if other.folded else {*other.hand}
    for card in {*one.hand} & (theirs if acts_later else kept_too):
        yield card, _path(one, card), _path(other, card)
    if up in theirs and not acts_later:
        yield up, _up_path(one), _path(other, up)


def _up_path(seat: Seat) -> Path:
    return ("seats", seat.place, "up")


def _path(seat: Seat, card: int) -> Path:
    """Return where the card lies now; an up card that is only counted lies where it was dealt."""
    return dict(seat.known_places).get(card, _up_path(seat))
