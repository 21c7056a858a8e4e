"""The second recomputation, by the game's reference settler, which shares nothing with the engine. Pure.

Source: spec/night.md, "Payout audit": one round in a hundred, and every payout of ten to one or more.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any
from uuid import UUID

from audit.compare import FindingDraft
from tables.engine.game import WagerDue
from tables.engine.paytable import Paytable

ONE_IN = 100
BIG = 10


@cache
def settlers() -> Mapping[str, ModuleType]:
    """Return every reference settler by its game's code."""
    package = importlib.import_module("tables.reference")
    modules = [importlib.import_module(f"{package.__name__}.{info.name}") for info in pkgutil.iter_modules(package.__path__)]
    return {module.GAME_CODE: module for module in modules if hasattr(module, "GAME_CODE")}


def wants_second_opinion(uuid: UUID, dues: Sequence[WagerDue]) -> bool:
    """Return whether the round is one in a hundred, by its uuid, or pays ten to one or more on a wager."""
    return uuid.int % ONE_IN == 0 or any(due.stake and due.pay >= BIG * due.stake for due in dues)


def second_opinion(game: str, facts: Mapping[str, Any], paytable: Paytable, dues: Sequence[WagerDue]) -> list[FindingDraft]:
    """Return a draft for every wager on which the reference settler says otherwise than the engine."""
    reference = settlers()[game].settle_reference(dict(facts), json.loads(paytable.canonical))
    engine = {(due.seat, due.kind): (due.collect, due.pay) for due in dues if due.stake or due.pay}
    drafts = []
    for seat, kind in sorted({*engine, *reference}):
        ours, theirs = engine.get((seat, kind), (0, 0)), reference.get((seat, kind), (0, 0))
        if ours != tuple(theirs):
            why = f"The engine says collect {ours[0]}, pay {ours[1]}; the reference settler collect {theirs[0]}, pay {theirs[1]}."
            drafts.append(FindingDraft("second_opinion", "major", 0, why, seat=seat, wager=kind))
    return drafts
