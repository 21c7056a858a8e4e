"""Facts that no round can have wrong, whatever its game: seats that exist, hands of the right size, cards that are different. Pure.

Source: spec/rounds.md, the facts step of "Errors".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tables.engine.cards import NAMES, in_words
from tables.engine.faults import Faults, Path, as_where


def check_seats(numbers: Sequence[int], *, least: int, last: int, faults: Faults) -> None:
    """Note too few or too many seats, a number outside 1 to `last`, and a number that two seats have; `numbers` as they stand on the line."""
    if len(numbers) > last:
        faults.add("too_many_seats", ("seats",), f"{len(numbers)} seats are more than {last}.")
    if len(numbers) < least:
        faults.add("too_few_seats", ("seats",), f"{len(numbers)} seats are fewer than {least}.")
    for place, number in enumerate(numbers):
        if not 1 <= number <= last:
            faults.add("bad_seat", ("seats", place, "seat"), f"Seats are numbered 1 to {last}.")
    if len(set(numbers)) < len(numbers):
        _add_doubles(numbers, faults)


def _add_doubles(numbers: Sequence[int], faults: Faults) -> None:
    first: dict[int, int] = {}
    for place, number in enumerate(numbers):
        if first.setdefault(number, place) != place:
            paths = [as_where(("seats", at, "seat")) for at in (first[number], place)]
            faults.add("duplicate_seat", ("seats", place, "seat"), "Two seats have this number.", places=paths)


def check_hands(hands: Iterable[tuple[Sequence[int] | None, int, Path]], faults: Faults) -> None:
    """Note, of `hands` dealt from one deck, each (cards, how many are due, path), the wrong number and every card that is dealt twice.

    None is a hand that was not recorded.
    """
    dealt: list[int] = []
    for cards, due, path in hands:
        if cards is not None:
            dealt += cards
            if len(cards) != due:
                add_wrong_count(len(cards), due, path, faults)
    if len(set(dealt)) < len(dealt):
        check_different([place for cards, _, path in hands for place in card_places(cards, path)], faults)


def add_wrong_count(found: int, due: int, path: Path, faults: Faults) -> None:
    """Note that there are `found` cards where `due` are due."""
    faults.add("wrong_card_count", path, f"{due} cards are due here, not {found}.", due=due, found=found)


def check_different(places: Iterable[tuple[int, Path]], faults: Faults) -> None:
    """Note every card that stands at more than one of `places`, at each but the first on the line."""
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
