"""What a seed draws, and what is worth a look beside it. Pure: anybody with the seed and the list can do it again, with a pocket program.

Each thing's score is HMAC-SHA256(seed, shift's UUID + thing's UUID, 16 bytes each); the lowest scores are drawn. So it hangs on nothing but
the seed, which was committed before the shift began, and the things themselves. Source: spec/night.md, "Payout audit".
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

ROUNDS, SESSIONS = 20, 2
"""How many of a shift are drawn to be checked against video."""


@dataclass(frozen=True)
class Drawn:
    """One thing that was drawn: its place from 1, and the score that chose it, 64 hex digits."""

    place: int
    thing: UUID
    score: str


def score(seed: bytes, shift: UUID, thing: UUID) -> str:
    """Return the score of `thing`, 64 hex digits."""
    return hmac.new(seed, shift.bytes + thing.bytes, hashlib.sha256).hexdigest()


def draw(seed: bytes, shift: UUID, things: Collection[UUID], n: int) -> list[Drawn]:
    """Return the `n` of `things` with the lowest scores, all of them where there are fewer. Their order does not matter, nor who asks."""
    scored = sorted((score(seed, shift, thing), thing) for thing in set(things))
    return [Drawn(place, thing, hexed) for place, (hexed, thing) in enumerate(scored[:n], start=1)]


def seed_hash(seed: bytes) -> str:
    """Return what is committed of a seed before the shift: its SHA-256, 64 hex digits."""
    return hashlib.sha256(seed).hexdigest()


def population_hash(things: Iterable[UUID]) -> str:
    """Return the SHA-256 of what was drawn from: the UUIDs ascending, 16 bytes each."""
    return hashlib.sha256(b"".join(thing.bytes for thing in sorted(things))).hexdigest()


WEIGHTS: Mapping[str, tuple[int, str]] = {
    "paid_50": (8, "a wager was paid 50 to 1 or more"),
    "paid_10": (5, "a wager was paid 10 to 1 or more"),
    "irregular": (5, "against the rules, and let stand"),
    "mispaid": (3, "a mistake was noted at the table"),
    "rare_hand": (3, "four of a kind or better decided a wager"),
    "new_dealer": (2, "dealt by someone with fewer than 1,000 rounds here"),
    "big_stake": (2, "a stake of a hundred times the table's usual"),
    "odd_rounding": (1, "a payment was rounded"),
}
"""What makes a round worth a look beside the random draw, and how much: the weights of a round add up."""
RARE_ROWS = frozenset({"four_of_a_kind", "straight_flush", "royal_flush", "mini_royal"})
NEW_DEALER = 1_000
BIG_STAKE = 100


@dataclass(frozen=True)
class Traits:
    """What the risk of a round is told by. `usual_stake`: the median stake of its table in the shift, minor units."""

    thing: UUID
    best_paid: int
    irregular: bool
    mispaid: bool
    rows: frozenset[str]
    dealer_rounds: int
    largest_stake: int
    usual_stake: int
    rounded: bool


@dataclass(frozen=True)
class Risk:
    """A round worth a look: its weight, and why, in codes of WEIGHTS."""

    thing: UUID
    weight: int
    reasons: Sequence[str]


def risk_of(traits: Traits) -> Risk:
    """Return how much a round is worth a look; `best_paid` is the highest payment to one stake, in whole times."""
    holds = {
        "paid_50": traits.best_paid >= 50,
        "paid_10": 10 <= traits.best_paid < 50,
        "irregular": traits.irregular,
        "mispaid": traits.mispaid,
        "rare_hand": bool(traits.rows & RARE_ROWS),
        "new_dealer": traits.dealer_rounds < NEW_DEALER,
        "big_stake": bool(traits.usual_stake) and traits.largest_stake >= BIG_STAKE * traits.usual_stake,
        "odd_rounding": traits.rounded,
    }
    reasons = [code for code in WEIGHTS if holds[code]]
    return Risk(traits.thing, sum(WEIGHTS[code][0] for code in reasons), reasons)


def riskiest(every: Iterable[Traits], n: int) -> list[Risk]:
    """Return the `n` rounds of the highest weight; those of one weight by their UUID. A round without a reason is not among them."""
    weighed = [risk for risk in map(risk_of, every) if risk.weight]
    return sorted(weighed, key=lambda risk: (-risk.weight, risk.thing))[:n]
