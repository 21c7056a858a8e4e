"""Facts that no round can have wrong, whatever its game: seats that exist, hands of the right size, cards that are different. Pure.

Source: spec/rounds.md, the facts step of "Errors".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Protocol

from tables.engine.cards import NAMES, in_words
from tables.engine.faults import Faults, Path, as_where, counted
from tables.engine.reading import Cards


class Numbered(Protocol):
    """A seat: its number, and its position on the line."""

    @property
    def seat(self) -> int: ...
    @property
    def place(self) -> int: ...


def check_seats(seats: Sequence[Numbered], *, least: int, last: int, faults: Faults) -> None:
    """Note too few or too many `seats`, which ascend, a number outside 1 to `last`, and a number that two seats have."""
    numbers = [seat.seat for seat in seats]
    if least <= len(numbers) <= last and numbers[0] >= 1 and numbers[-1] <= last and len(set(numbers)) == len(numbers):
        return
    if len(seats) > last:
        faults.add(
            "too_many_seats", ("seats",), f"{counted(len(seats), 'seat')} where {least} to {last} are due.", found=len(seats), least=least, most=last
        )
    if len(seats) < least:
        faults.add(
            "too_few_seats", ("seats",), f"{counted(len(seats), 'seat')} where {least} to {last} are due.", found=len(seats), least=least, most=last
        )
    first: dict[int, int] = {}
    for seat in sorted(seats, key=attrgetter("place")):
        path = ("seats", seat.place, "seat")
        if not 1 <= seat.seat <= last:
            faults.add("bad_seat", path, f"Seats are numbered 1 to {last}.", most=last)
        if first.setdefault(seat.seat, seat.place) != seat.place:
            places = [as_where(("seats", first[seat.seat], "seat")), as_where(path)]
            faults.add("duplicate_seat", path, "Two seats have this number.", places=places)


def check_hands(hands: Sequence[Cards | None], counts: Sequence[int], paths: Callable[[], Iterable[Path]], faults: Faults) -> None:
    """Note, of `hands` dealt from one deck, the wrong number of cards, `counts` being due, and every card that is dealt twice.

    None is a hand that was not recorded. `paths` says where each hand stands; it is asked only when something is wrong.
    """
    dealt = [card for hand in hands if hand for card in hand]
    wrong = [hand for hand, due in zip(hands, counts, strict=True) if hand is not None and len(hand) != due]
    if not wrong and len(set(dealt)) == len(dealt):
        return
    placed = list(zip(hands, counts, paths(), strict=True))
    for hand, due, path in placed:
        if hand is not None and len(hand) != due:
            add_wrong_count(len(hand), due, path, faults)
    check_different([place for hand, _, path in placed for place in card_places(hand, path)], faults)


def add_wrong_count(found: int, due: int, path: Path, faults: Faults) -> None:
    """Note that there are `found` cards where `due` are due."""
    faults.add("wrong_card_count", path, f"{counted(found, 'card')} where {due} {'is' if due == 1 else 'are'} due.", due=due, found=found)


def check_different(places: Iterable[tuple[int, Path]], faults: Faults) -> None:
    """Note every card that stands at more than one of `places`, at each but the first on the line."""
    places = list(places)
    if len({card for card, _ in places}) == len(places):
        return
    paths: dict[int, list[Path]] = defaultdict(list)
    for card, path in places:
        paths[card].append(path)
    for card, at in paths.items():
        first, *later = sorted(at, key=faults.order.place)
        for path in later:
            add_card_twice("duplicate_card", card, first, path, faults)


def add_card_twice(code: str, card: int, first: Path, later: Path, faults: Faults) -> None:
    """Note that `card` cannot stand at both places; the fault's place is the later one."""
    places = [as_where(first), as_where(later)]
    message = f"The {in_words(card)} cannot be both at {places[0]} and at {places[1]}."
    faults.add(code, later, message, card=NAMES[card], places=places)


def card_places(cards: Sequence[int] | None, path: Path) -> list[tuple[int, Path]]:
    """Return each card with its path."""
    return [(card, (*path, place)) for place, card in enumerate(cards or ())]
