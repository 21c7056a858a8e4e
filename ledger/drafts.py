"""What is to be posted, as values: balanced by their shape. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

from casino.canonical import canonical_plain
from casino.errors import BrokenBooks
from casino.money import CEILING, Minor


@dataclass(frozen=True)
class TransferDraft:
    """`amount` minor units leave account `credit` and arrive at account `debit`; half of it cannot be written."""

    credit: str
    debit: str
    amount: Minor
    reason: str = ""

    def __post_init__(self) -> None:
        """Refuse what the database would: raises BrokenBooks for half a movement, none, too large a one, or one to the same place."""
        if not self.credit or not self.debit:
            raise BrokenBooks("bad_transfer", f"A transfer from {self.credit or 'nowhere'} to {self.debit or 'nowhere'} is half of one.")
        if not 0 < self.amount < CEILING:
            raise BrokenBooks("bad_transfer", f"A transfer of {self.amount} is none.")
        if self.credit == self.debit:
            raise BrokenBooks("bad_transfer", f"A transfer from {self.credit} to itself is none.")


@dataclass(frozen=True)
class EntryDraft:
    """One event to be posted. Times are aware; amounts are minor units of `currency`; `reference` is unique for ever."""

    kind: str
    reference: str
    property: UUID
    currency: str
    gaming_day: date
    occurred_at: datetime
    transfers: Sequence[TransferDraft]
    shift: UUID | None = None
    session: UUID | None = None
    round: UUID | None = None
    reverses: UUID | None = None
    on_behalf_of: int | None = None
    witness: int | None = None
    memo: str = ""
    late: bool = False
    paytable: str = ""
    paytable_sha256: str = ""
    engine_version: str = ""
    uuid: UUID = field(default_factory=uuid4)

    def fingerprint(self) -> bytes:
        """Return the 32 bytes that tell two events under one reference apart. Source: spec/books.md, "Custody books"."""
        return hashlib.sha256(self.canonical()).digest()

    def canonical(self) -> bytes:
        """Return what the fingerprint is of."""
        return canonical_plain(
            {
                "kind": self.kind,
                "reference": self.reference,
                "reverses": _text(self.reverses),
                "property": str(self.property),
                "shift": _text(self.shift),
                "session": _text(self.session),
                "occurred_at": micros(self.occurred_at),
                "on_behalf_of": self.on_behalf_of,
                "memo": self.memo,
                "transfers": [[t.credit, t.debit, self.currency, t.amount] for t in self.transfers],
            }
        )

    def reversed(self, *, reference: str, occurred_at: datetime, memo: str, witness: int | None) -> EntryDraft:
        """Return the draft that moves everything back, to the unit."""
        back = [TransferDraft(t.debit, t.credit, t.amount, t.reason) for t in self.transfers]
        return replace(
            self,
            kind="reversal",
            reference=reference,
            reverses=self.uuid,
            occurred_at=occurred_at,
            memo=memo,
            witness=witness,
            transfers=back,
            uuid=uuid4(),
        )

    def moved_late(self, late: LateIn) -> EntryDraft:
        """Return the draft as a fact of a sealed shift: see LateIn. What happened, when and in which session stays as it is."""
        other = late.instead_of
        moved = [TransferDraft(other.get(t.credit, t.credit), other.get(t.debit, t.debit), t.amount, t.reason) for t in self.transfers]
        return replace(self, shift=late.shift, gaming_day=late.gaming_day, late=True, transfers=moved)


@dataclass(frozen=True)
class LateIn:
    """Where a fact of a sealed shift is posted: in the open shift, on its gaming day, and over which accounts instead of a counted one's.

    No chip moves tonight by it. Source: spec/books.md, "Signing, late facts".
    """

    shift: UUID
    gaming_day: date
    instead_of: Mapping[str, str] = field(default_factory=dict)


class Fingerprints:
    """The fingerprints of drafts that are as `draft` is, but for their reference, their time and what of its transfers moved, and how much.

    What they have alike is written once, and the rest put between.
    """

    def __init__(self, draft: EntryDraft) -> None:
        alike = replace(draft, reference="", occurred_at=_EPOCH, transfers=()).canonical()
        # No text holds these: within one, a quote has a backslash before it.
        self._opening, alike = alike.split(b'"occurred_at":0', 1)
        self._middle, alike = alike.split(b'"reference":""', 1)
        self._last, self._end = alike.split(b'"transfers":[]', 1)
        self._moves = [canonical_plain([t.credit, t.debit, draft.currency])[:-1] for t in draft.transfers]

    def of(self, reference: str, occurred_at: datetime, amounts: Sequence[int]) -> bytes:
        """Return the fingerprint; `amounts`: of each transfer of the draft, 0 where it did not move."""
        moved = b",".join([b"%b,%d]" % (move, amount) for move, amount in zip(self._moves, amounts, strict=True) if amount])
        reference_text = canonical_plain(reference)
        return hashlib.sha256(
            b'%b"occurred_at":%d%b"reference":%b%b"transfers":[%b]%b'
            % (self._opening, micros(occurred_at), self._middle, reference_text, self._last, moved, self._end)
        ).digest()


def _text(value: UUID | None) -> str | None:
    return None if value is None else str(value)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Return the whole microseconds from 1970 to `moment`, an aware time."""
    return (moment - _EPOCH) // _MICROSECOND
