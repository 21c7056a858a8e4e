"""Which kept rounds somebody must look at one by one: all others were settled again by the batch, and nothing is to be found in them. Pure.

The batch equals the game's own settlement on every field (a test holds that), so a round that passes here would pass there too. What does
not pass is not judged here. Source: spec/night.md, "Payout audit".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.second_opinion import BIG, ONE_IN
from tables.engine.paytable import Paytable


class KeptRounds(NamedTuple):
    """Rounds as they are kept, a round a column. `key`, `paytable` and the `uuid`'s halves by round, shape (rounds,); `cards`: shape (bytes, rounds).

    `stakes` and `nets` (pay - collect as kept), shape (kinds, seats, rounds), 0 where there is no wager. `odd`, shape (rounds,): what was
    done is not what was due, a mistake was noted, due is unknown, it came late, or the rows are not what a regular round has.
    """

    key: NDArray[np.int64]
    paytable: NDArray[np.int64]
    uuid: NDArray[np.uint64]
    cards: NDArray[np.uint8]
    stakes: NDArray[np.int64]
    nets: NDArray[np.int64]
    odd: NDArray[np.bool_]


def to_look_at(kept: KeptRounds, paytables: Mapping[int, Paytable], batch: ModuleType) -> NDArray[np.bool_]:
    """Return whether each round is to be looked at, shape (rounds,): due or done differ anywhere, or it wants a second opinion.

    `batch` is the game's batch face, `paytables` the versions by their keys.
    """
    wanted = kept.odd | _one_in(kept.uuid)
    versions = np.unique(kept.paytable[~kept.odd]).tolist()
    for key in versions:
        # Mostly there is one version: then the whole arrays are taken as they are, which an index would copy.
        rounds: slice | NDArray[np.intp] = slice(None) if len(versions) == 1 else np.flatnonzero(kept.paytable == key)
        wanted[rounds] |= _differs(kept.cards[:, rounds], kept.stakes[..., rounds], kept.nets[..., rounds], paytables[key], batch)
    return wanted


def _differs(
    cards: NDArray[np.uint8], stakes: NDArray[np.int64], nets: NDArray[np.int64], paytable: Paytable, batch: ModuleType
) -> NDArray[np.bool_]:
    """Return the rounds in which a due is not the kept one, or pays ten to one or more.

    A due never both takes and pays, and what is kept so is odd already; so equal nets are equal dues.
    """
    dues = batch.settle(cards, stakes, paytable)
    differs = (dues.pay - dues.collect != nets) | ((stakes > 0) & (dues.pay >= BIG * stakes))
    found: NDArray[np.bool_] = dues.refused | differs.any(axis=(0, 1))
    return found


def _one_in(uuid: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return the rounds that are one in a hundred by their uuid, whose halves are `uuid`, shape (2, rounds)."""
    high, low = uuid % ONE_IN
    found: NDArray[np.bool_] = (high * (2**64 % ONE_IN) + low) % ONE_IN == 0
    return found
