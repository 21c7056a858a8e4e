"""Hands and rounds a second, beside every hand evaluator that is installed, all measured in one run: `python -m bench.hands`.

Absolute figures drift with the machine; ratios in one run hold. Peers are imported only here: phevaluator, eval7, treys, pokerkit,
whichever there are. Goals: design/performance.md "Asked of Pitbook".
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tables.engine import batch, batch_uth, bit_planes, poker
from tables.engine.cards import NAMES
from tables.engine.games.ultimate_texas_holdem import GAME
from tables.engine.paytable import Paytable
from tables.paytable_files import read_file

SINGLE_HANDS = 50_000
BATCH_HANDS = 2_000_000
ROUNDS = 200_000
SINGLE_ROUNDS = 4000
SEATS = 6
SLOW_HANDS = 500
"""Enough for the peers that take a tenth of a millisecond a hand and more."""

Seconds = float


def best(work: Callable[[], Any], times: int = 5) -> Seconds:
    """Return the shortest of `times` runs of `work`, after one to warm up."""
    work()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def each(evaluate: Callable[[Any], Any], hands: Sequence[Any]) -> Callable[[], None]:
    """Return what evaluates every hand once."""

    def work() -> None:
        for hand in hands:
            evaluate(hand)

    return work


def deal(count: int, places: int) -> NDArray[np.uint8]:
    """Return `count` times `places` different cards, shape (places, count)."""
    dice = np.random.default_rng(20261130)
    parts = [np.argpartition(dice.random((part, 52), dtype=np.float32), places, axis=1) for part in _portions(count)]
    return np.ascontiguousarray(np.concatenate([part[:, :places] for part in parts]).T.astype(np.uint8))


def _portions(count: int, most: int = 100_000) -> list[int]:
    return [min(most, count - start) for start in range(0, count, most)]


# ---- peers: each gives a name and what evaluates one hand of names ----


def _phevaluator(package: Any) -> dict[str, Callable[[list[str]], Any]]:
    return {"phevaluator, from names": lambda hand: package.evaluate_cards(*hand)}


def _eval7(package: Any) -> dict[str, Callable[[list[str]], Any]]:
    return {"eval7, from names": lambda hand: package.evaluate([package.Card(name) for name in hand])}


def _treys(package: Any) -> dict[str, Callable[[list[str]], Any]]:
    evaluate, new = package.Evaluator().evaluate, package.Card.new
    return {"treys, from names": lambda hand: evaluate([new(name) for name in hand[:5]], [new(name) for name in hand[5:]])}


def _pokerkit(package: Any) -> dict[str, Callable[[list[str]], Any]]:
    return {"pokerkit, from names": lambda hand: package.StandardHighHand.from_game("".join(hand[:2]), "".join(hand[2:]))}


PEERS: dict[str, Callable[[Any], dict[str, Callable[[list[str]], Any]]]] = {
    "phevaluator": _phevaluator,
    "eval7": _eval7,
    "treys": _treys,
    "pokerkit": _pokerkit,
}


def measure_peers(hands: Sequence[list[str]]) -> dict[str, Seconds | None]:
    """Return the seconds a hand of each peer, None where it is not installed."""
    found: dict[str, Seconds | None] = {}
    for module, face in PEERS.items():
        try:
            faces = face(importlib.import_module(module))
        except ImportError:
            found[module] = None
            continue
        for name, evaluate in faces.items():
            sample = hands[:SLOW_HANDS]
            if best(each(evaluate, sample), 1) < 20e-6 * len(sample):
                sample = hands
            found[name] = best(each(evaluate, sample), 3) / len(sample)
    return found


# ---- ours ----


def measure_hands(cards: NDArray[np.uint8]) -> dict[str, Seconds]:
    """Return the seconds a hand of each of our faces."""
    numbers = cards[:, :SINGLE_HANDS].T.tolist()
    names = [[NAMES[card] for card in hand] for hand in numbers]
    by_row = np.ascontiguousarray(cards.T)
    planes = cards[:, : BATCH_HANDS // 4]
    return {
        "Pitbook, from names": best(each(poker.strength_of_names, names)) / len(names),
        "Pitbook, from numbers": best(each(poker.strength, numbers)) / len(numbers),
        "Pitbook, batch by columns": best(partial(batch.strengths, cards.T)) / cards.shape[1],
        "Pitbook, batch by rows": best(partial(batch.strengths, by_row)) / cards.shape[1],
        "Pitbook, bit planes (the cross-check)": best(partial(_planes, planes.T), 2) / planes.shape[1],
        "Pitbook, batch of Payroll keys": best(partial(batch.payroll_keys, cards[:5].T)) / cards.shape[1],
    }


def _planes(cards: NDArray[np.uint8]) -> None:
    for start in range(0, len(cards), batch.CHUNK):
        bit_planes.values(cards[start : start + batch.CHUNK])


def measure_rounds(paytable: Paytable) -> dict[str, Seconds]:
    """Return the seconds a round of Ultimate Texas Hold'em with six seats: one by one, and by the million."""
    cards = np.full((21, ROUNDS), 255, np.uint8)
    cards[: 7 + 2 * SEATS] = deal(ROUNDS, 7 + 2 * SEATS)
    dice = np.random.default_rng(1)
    stakes = np.zeros((len(GAME.wager_kinds), batch_uth.SEATS, ROUNDS), np.int64)
    stakes[:2, :SEATS] = dice.integers(1, 20, (SEATS, ROUNDS)) * 500
    stakes[2] = stakes[0] * dice.choice([0, 1, 2, 4], stakes[0].shape)
    stakes[3, :SEATS] = dice.integers(0, 3, (SEATS, ROUNDS)) * 100
    deals = [GAME.read(_raw(cards[:, number], stakes[..., number]), paytable) for number in range(SINGLE_ROUNDS)]
    return {
        "one by one, read before": best(each(lambda deal: GAME.settle(deal, paytable), deals), 3) / len(deals),
        "batch": best(partial(batch_uth.settle, cards, stakes, paytable), 3) / ROUNDS,
    }


def _raw(cards: NDArray[np.uint8], stakes: NDArray[np.int64]) -> dict[str, Any]:
    """Return the JSON object of one round."""
    streets = {1: "river", 2: "flop", 4: "preflop"}
    names = [NAMES[card] for card in cards if card < len(NAMES)]
    seats = []
    for seat in range(SEATS):
        ante, blind, play, trips = (int(stake) for stake in stakes[:, seat])
        end = {"play": play, "street": streets[play // ante]} if play else {"folded": True}
        seats.append({"seat": seat + 1, "cards": names[7 + 2 * seat : 9 + 2 * seat], "ante": ante, "blind": blind, "trips": trips, **end})
    return {"game": GAME.code, "id": "bench", "community": names[:5], "dealer": names[5:7], "seats": seats}


# ---- the page ----


def main() -> None:
    """Print the figures, and the ratios that are asked for."""
    cards = deal(BATCH_HANDS, 7)
    ours = measure_hands(cards)
    peers = measure_peers([[NAMES[card] for card in hand] for hand in cards[:, :SINGLE_HANDS].T.tolist()])
    rounds = measure_rounds(read_file(Path(__file__).parent.parent / "tables" / "paytables" / f"{GAME.default_paytable}.json"))
    lines = ["A hand of seven cards", *map(_line, [*ours.items(), *peers.items()])]
    lines += ["", f"A round of {GAME.name} with {SEATS} seats", *map(_line, rounds.items()), ""]
    measured = {name: taken for name, taken in peers.items() if taken is not None}
    if measured:
        name, taken = min(measured.items(), key=lambda item: item[1])
        lines.append(f"single, from names: {taken / ours['Pitbook, from names']:.1f} times as fast as the fastest peer ({name}); asked: 3")
        lines.append(f"batch: {taken / ours['Pitbook, batch by columns']:.0f} times as fast as the fastest peer; asked: 15")
    lines.append(f"batch: {1e-6 / ours['Pitbook, batch by columns']:.1f} M hands/s on one core; asked: 40")
    sys.stdout.write("\n".join(lines) + "\n")


def _line(measured: tuple[str, Seconds | None]) -> str:
    name, taken = measured
    return f"  {name:<40}" + ("not installed" if taken is None else f"{taken * 1e6:10.3f} µs {1 / taken:15,.0f}/s")


if __name__ == "__main__":
    main()
