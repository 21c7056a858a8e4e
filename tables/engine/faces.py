"""What a game offers beyond the protocol, found by its code: `tables.engine.edge_uth` is the exact edges of the game "uth". Pure.

These modules need NumPy, which a game's own module must not load; a game that has none of a kind offers nothing of it.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any


@cache
def face(kind: str, game: str) -> Any:
    """Return the module `tables.engine.{kind}_{game}`, None where the game has none. `kind` is "edge" or "batch"."""
    name = f"tables.engine.{kind}_{game}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None
