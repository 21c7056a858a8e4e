"""Rows of a sealed shift that were put in after it was sealed: they stand in none of its leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from ledger.evidence import CHUNK, Kind
from ledger.models import Leaf, Segment


@dataclass(frozen=True)
class Stray:
    """A row that no leaf of its shift's segment was made from."""

    kind: str
    row: int
    label: str

    def __str__(self) -> str:
        return f"{self.kind} {self.label}: it stands in the sealed shift and in none of its leaves"


def strays(segment: Segment, kinds: Sequence[Kind]) -> Iterator[Stray]:
    """Yield the rows of a segment's shift that it has no leaf of, of the kinds that a sealed shift takes no more of. A query a kind."""
    for kind in kinds:
        if not kind.closed:
            continue
        in_leaf = Leaf.objects.filter(segment=segment, gaming_day=segment.gaming_day, kind=kind.name, row=OuterRef("pk"))
        rows = kind.of_shift(segment.shift).filter(~Exists(in_leaf))
        for row, label in rows.values_list("pk", kind.called).iterator(chunk_size=CHUNK):
            yield Stray(kind.name, row, str(label))
