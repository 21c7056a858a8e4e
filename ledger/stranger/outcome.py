"""How a check ends: clean, tampered, incomplete, or not run at all."""

from __future__ import annotations

CLEAN, COULD_NOT, TAMPERED, INCOMPLETE = 0, 1, 2, 3


class CouldNot(Exception):
    """The check could not be run at all."""


class Broken(Exception):
    """Something is not what it says: the exit code, and words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
