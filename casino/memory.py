"""Python's look for cycles, made seldom where many values live at once: looking at all of them every 700 takes as long as the work."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG_OBJECTS = 100_000
"""Objects after which a process that reads or settles many rounds looks for cycles: rounds make none."""


@contextmanager
def looking_seldom() -> Iterator[None]:
    """Look for cycles seldom until the context ends."""
    usual = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
