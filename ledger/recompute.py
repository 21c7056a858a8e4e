"""Sealed facts against the live rows: every leaf is made once more from the row that it was made from, and compared byte by byte."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from ledger import leaves
from ledger.evidence import CHUNK, Field, Kind
from ledger.models import Leaf, LeafSalt, Segment
from ledger.stranger.leaves import value_of

LABELS = ("reference", "label", "key", "uuid", "session", "shift")


class Away(NamedTuple):
    """Fields of a kind that are read from rows of the months (first days) that are archived: of those months they are not compared."""

    fields: tuple[str, ...]
    months: frozenset[date]


NOTHING_AWAY = Away((), frozenset())


@dataclass(frozen=True)
class Difference:
    """A sealed fact that is not what its row says now. `field` is "" where the row is gone."""

    segment: int
    shift: str
    index: int
    kind: str
    label: str
    field: str
    words: str

    def __str__(self) -> str:
        field = f", field {self.field}" if self.field else ""
        return f"segment {self.segment}, shift {self.shift}, leaf {self.index}: {self.kind} {self.label}{field}: {self.words}"


def differences(segment: Segment, kinds: Sequence[Kind], *, away: Mapping[str, Away] | None = None) -> Iterator[Difference]:
    """Yield what differs between a segment's leaves and the live rows, a chunk at a time, kind by kind.

    Each leaf is read by the fields that its segment was sealed with. A text whose salt was erased is not compared; nor what is `away`, by kind,
    where the row's own gaming day is in an archived month: a late fact lies in the segment of another.
    """
    away = away or {}
    by_name = {kind.name: kind for kind in kinds}
    schema = schema_of(segment)
    salts: dict[tuple[int, str], bytes] = {(s.index, s.field): bytes(s.salt) for s in LeafSalt.objects.filter(segment=segment)}
    rows = Leaf.objects.filter(segment=segment, gaming_day=segment.gaming_day, index__gt=0).order_by("index")
    for chunk in _chunks(rows.values_list("index", "kind", "row", "content").iterator(chunk_size=CHUNK)):
        groups: dict[str, list[tuple[int, int, bytes]]] = defaultdict(list)
        for index, name, row, content in chunk:
            groups[name].append((index, row, bytes(content)))
        for name, group in groups.items():
            if name not in by_name or name not in schema:
                yield Difference(segment.number, str(segment.shift), group[0][0], name, "", "", "no such kind of evidence is known")
                continue
            yield from _compare(segment, by_name[name], schema[name], group, salts, away.get(name, NOTHING_AWAY))


def schema_of(segment: Segment) -> Mapping[str, list[tuple[str, str]]]:
    """Return the fields of each kind as the segment's head says them. One query."""
    content = Leaf.objects.filter(segment=segment, gaming_day=segment.gaming_day, index=0).values_list("content", flat=True).first()
    if content is None:
        return {}
    try:
        _, fields = leaves.read(bytes(content))
        kinds: dict[str, list[list[str]]] = value_of("json", fields[3])
        return {name: [(field, word) for field, word in known] for name, known in kinds.items()}
    except (ValueError, IndexError, TypeError):
        return {}


def _chunks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    chunk = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _compare(
    segment: Segment,
    kind: Kind,
    schema: list[tuple[str, str]],
    group: list[tuple[int, int, bytes]],
    salts: Mapping[tuple[int, str], bytes],
    away: Away,
) -> Iterator[Difference]:
    known = {one.name: one for one in kind.fields}
    fields = [known[name] for name, _ in schema if name in known]
    live = {pk: values for pk, *values in kind.columns(kind.model._default_manager.filter(pk__in=[row for _, row, _ in group]), fields)}
    for index, row, content in group:
        values = live.get(row)
        try:
            name, sealed = leaves.read(content)
        except ValueError as error:
            yield Difference(segment.number, str(segment.shift), index, kind.name, f"row {row}", "bytes", str(error))
            continue
        label = _label(schema, sealed)
        if values is None:
            yield Difference(segment.number, str(segment.shift), index, kind.name, label, "", "its row is gone")
            continue
        now = dict(zip((one.name for one in fields), zip(fields, values, strict=True), strict=True))
        if away.months and now["gaming_day"][1].replace(day=1) in away.months:
            now = {name: value for name, value in now.items() if name not in away.fields}
        bad = _bad_fields(index, schema, sealed, now, salts)
        if name != kind.name or len(sealed) != len(schema):
            bad = ["bytes"]
        if bad:
            words = "the row is not what was sealed"
            yield Difference(segment.number, str(segment.shift), index, kind.name, label, ", ".join(bad), words)


def _bad_fields(
    index: int,
    schema: list[tuple[str, str]],
    sealed: leaves.Parts,
    live: Mapping[str, tuple[Field, Any]],
    salts: Mapping[tuple[int, str], bytes],
) -> list[str]:
    bad = []
    for (name, _), was in zip(schema, sealed, strict=False):
        if name not in live:
            continue
        field, value = live[name]
        if field.type == "secret":
            if was and (index, name) not in salts:
                continue
            now = None if value is None else leaves.hide(value, salts.get((index, name), b""))
        else:
            now = None if value is None else leaves.ENCODERS[field.type.partition(":")[0]](value)
        if now != was:
            bad.append(name)
    return bad


def _label(schema: list[tuple[str, str]], sealed: leaves.Parts) -> str:
    types = {name: (word, part) for (name, word), part in zip(schema, sealed, strict=False)}
    for name in LABELS:
        if name in types and types[name][1]:
            word, part = types[name]
            try:
                return str(value_of(word, part))
            except ValueError:
                continue
    return ""
