"""Cards and rounds at random, the same every time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tables.engine.cards import NAMES, NO_CARD

STREETS = {1: "river", 2: "flop", 4: "preflop"}


def deal(count: int, places: int, *, seed: int = 20261130) -> NDArray[np.uint8]:
    """Return `count` times `places` different cards, shape (places, count)."""
    dice = np.random.default_rng(seed)
    portions = [min(100_000, count - start) for start in range(0, count, 100_000)]
    parts = [np.argpartition(dice.random((portion, 52), dtype=np.float32), places, axis=1) for portion in portions]
    return np.ascontiguousarray(np.concatenate([part[:, :places] for part in parts]).T.astype(np.uint8))


def deal_uth(rounds: int, seats: int, *, seed: int = 1) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return packed cards, shape (21, rounds), and stakes, shape (4, 7, rounds), of rounds of Ultimate Texas Hold'em with so many seats."""
    cards = np.full((21, rounds), NO_CARD, np.uint8)
    cards[: 7 + 2 * seats] = deal(rounds, 7 + 2 * seats, seed=seed)
    dice = np.random.default_rng(seed + 1)
    stakes = np.zeros((4, 7, rounds), np.int64)
    stakes[:2, :seats] = dice.integers(1, 20, (seats, rounds)) * 500
    stakes[2] = stakes[0] * dice.choice([0, 1, 2, 4], stakes[0].shape)
    stakes[3, :seats] = dice.integers(0, 3, (seats, rounds)) * 500
    return cards, stakes


def as_json(cards: NDArray[np.uint8], stakes: NDArray[np.int64], label: str) -> dict[str, Any]:
    """Return the JSON object of one round: `cards` of shape (21,), `stakes` of shape (4, 7)."""
    names = [NAMES[card] if card < len(NAMES) else "" for card in cards.tolist()]
    seats = []
    for seat, (ante, blind, play, trips) in enumerate(stakes.T.tolist()):
        if ante:
            end = {"play": play, "street": STREETS[play // ante]} if play else {"folded": True}
            seats.append({"seat": seat + 1, "cards": names[7 + 2 * seat : 9 + 2 * seat], "ante": ante, "blind": blind, "trips": trips, **end})
    return {"game": "uth", "id": label, "community": names[:5], "dealer": names[5:7], "seats": seats}
