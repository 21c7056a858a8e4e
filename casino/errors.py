"""What can go wrong, each with a code, a message, a place and its facts. Standard library only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with what was handed in: `code` of spec/rounds.md, `where` as a path with positions from zero."""

    code: str
    message: str
    where: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object that every door answers with; `facts` only where there are some."""
        answer: dict[str, Any] = {"code": self.code, "message": self.message, "where": self.where}
        if self.facts:
            answer["facts"] = dict(self.facts)
        return answer


class CasinoError(Exception):
    """Never raised itself. Clients match on `code`, never on words."""

    status: ClassVar[int] = 500

    def __init__(self, code: str, message: str, *, where: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.faults: tuple[Fault, ...] = (Fault(code, message, where, facts),)

    @property
    def code(self) -> str:
        """Return the code of the first fault."""
        return self.faults[0].code

    @property
    def message(self) -> str:
        """Return the message of the first fault."""
        return self.faults[0].message

    @property
    def where(self) -> str:
        """Return the place of the first fault."""
        return self.faults[0].where

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the facts of the first fault."""
        return self.faults[0].facts

    def as_json(self) -> dict[str, Any]:
        """Return `{"error": first, "errors": all}`."""
        errors = [fault.as_json() for fault in self.faults]
        return {"error": errors[0], "errors": errors}


class InvalidSlip(CasinoError):
    """400: cannot have happened, or is not a slip at all."""

    status = 400

    @classmethod
    def of(cls, faults: Sequence[Fault]) -> InvalidSlip:
        """Return the error that lists `faults` (at least one), the first one leading."""
        error = cls(faults[0].code, faults[0].message, where=faults[0].where)
        error.faults = tuple(faults)
        return error


class Refused(CasinoError):
    """403: could happen, the house does not allow it so (NeedsWitness, OwnApproval, NotYourPit, …)."""

    status = 403


class NotFound(CasinoError):
    """404."""

    status = 404


class Conflict(CasinoError):
    """409: clashes with what is written (SessionClosed, PeriodClosed, AlreadyReversed, ReferenceReused, …)."""

    status = 409


class Stale(CasinoError):
    """412: somebody changed it since you looked; says who and what."""

    status = 412


class Unavailable(CasinoError):
    """503: retries are exhausted; the door says Retry-After."""

    status = 503


class BrokenBooks(CasinoError):
    """500: an invariant failed. Logged and alarmed, never caught in a door."""

    status = 500
