"""Hands of seven cards, one by one and by the million, beside every evaluator that is installed: `python -m bench hands`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bench.cards import deal
from bench.lines import Line, Work, interleaved, least
from bench.peers import peers
from tables.engine import batch, bit_planes, poker
from tables.engine.cards import NAMES

SLOW = frozenset({"treys", "pokerkit"})
"""They take a few hundredths of the hands: a whole turn would be theirs."""

BATCHES = ("Pitbook by columns", "Pitbook by rows", "Pitbook bit planes", "Pitbook Payroll keys")


def measure(*, single: int = 20_000, many: int = 1_000_000, times: int = 7) -> list[Line]:
    """Return the lines of hands: `single` of them one by one, `many` in batches."""
    cards = deal(many, 7)
    numbers = cards[:, :single].T.tolist()
    names = [[NAMES[card] for card in hand] for hand in numbers]
    return [*_single(names, numbers, times), *_many(cards, names, times)]


def _single(names: list[list[str]], numbers: list[list[int]], times: int) -> list[Line]:
    found = peers()
    works: dict[str, Work] = {
        "Pitbook": partial(_each, poker.strength_of_names, names),
        "Pitbook numbers": partial(_each, poker.strength, numbers),
    }
    sizes = {name: max(20, len(names) // 50) if name in SLOW else len(names) for name in found}
    works |= {name: partial(_each, face, names[: sizes[name]]) for name, face in found.items() if face is not None}
    taken = {name: seconds / sizes.get(name, len(names)) * 1e6 for name, seconds in interleaved(works, times=times).items()}
    own = taken["Pitbook"]
    lines = [Line("one hand, from numbers", taken["Pitbook numbers"], "µs")]
    for name in found:
        theirs = taken.get(name)
        ratio = None if theirs is None else theirs / own
        asked = name == "phevaluator"
        met = None if ratio is None or not asked else ratio >= 3
        lines.append(Line("one hand, from names", own, "µs", name, theirs, ratio, "at least 3×" if asked else "", met))
    return lines


def _many(cards: Any, names: list[list[str]], times: int) -> list[Line]:
    planes = cards[:, : max(1, cards.shape[1] // 8)]
    works: dict[str, Work] = {
        "Pitbook by columns": partial(batch.strengths, cards.T),
        "Pitbook by rows": partial(batch.strengths, cards.T.copy()),
        "Pitbook bit planes": partial(_planes, planes.T),
        "Pitbook Payroll keys": partial(batch.payroll_keys, cards[:5].T),
    }
    batches = _peer_batches(names)
    singles = {name: partial(_each, face, names) for name, face in peers().items() if face is not None and name not in SLOW}
    taken = interleaved(works | batches | singles, times=times)
    sizes = dict.fromkeys(works, cards.shape[1]) | {"Pitbook bit planes": planes.shape[1]}
    speed = {name: sizes.get(name, len(names)) / seconds / 1e6 for name, seconds in taken.items()}
    own = speed["Pitbook by columns"]
    theirs = {name: figure for name, figure in speed.items() if name not in works}
    fastest = max(theirs, key=lambda name: theirs[name]) if theirs else "any peer"
    ratio = own / theirs[fastest] if theirs else None
    return [
        least("many hands, by columns", own, "M/s", 40, "at least 40 M/s"),
        Line("many hands, beside the fastest peer", own, "M/s", fastest, theirs.get(fastest), ratio, "at least 15×", ratio and ratio >= 15),
        *(Line(f"many hands: {name.removeprefix('Pitbook ')}", speed[name], "M/s") for name in works if name != "Pitbook by columns"),
    ]


def _peer_batches(names: list[list[str]]) -> dict[str, Work]:
    try:
        package: Any = importlib.import_module("poker_equity")
    except ImportError:
        return {}
    return {"poker-equity's batch": partial(package.score_batch, "high", ["".join(hand) for hand in names])}


def _each(evaluate: Callable[[Any], Any], hands: Sequence[Any]) -> None:
    for hand in hands:
        evaluate(hand)


def _planes(cards: Any) -> None:
    for start in range(0, len(cards), batch.CHUNK):
        bit_planes.values(cards[start : start + batch.CHUNK])
