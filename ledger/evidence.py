"""What is sealed, said as data: kinds of evidence, each a model, how its rows belong to a shift, and its fields in their order.

`tables/evidence.py` and `audit/evidence.py` list theirs; a new kind of event is one line there. A field is a Django path ("session__uuid"),
named without its last step, or "name=path"; `secret(…)` is free text that only its salted hash stands for, `digest(…)` long text that its
plain hash stands for. A segment's head keeps the names and types that it was sealed with, so a column that is added later changes no old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from ledger.models import Entry, TextErasure

CHUNK = 5_000
_NAMED_BY = ("__uuid", "__username", "__code", "__sha256")


@dataclass(frozen=True)
class Field:
    """One field of a leaf: its name, its type (ledger/leaves.py), and where it is read: a path, or SQL of its own.

    `lies_in`: of texts that SQL lists, their table, column and the column with the row's key, so that they can be erased.
    """

    name: str
    type: str
    path: str
    sql: str = ""
    json: bool = False
    lies_in: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of evidence.

    `shift` is the path from a row to its shift's uuid ("" where rows are of a property and no shift at all), `property` to its property's.
    `mine` says which rows belong to a shift where the path alone does not. `late`: rows that came after their shift was sealed are taken
    into the next segment; `shiftless`: so are rows of no shift. `closed`: the database takes none of a shift once it is sealed; `called` is the
    column that names one. `without` lists the columns that are left out, and why.
    """

    name: str
    model: type[models.Model]
    shift: str
    property: str
    fields: tuple[Field, ...]
    mine: Callable[[UUID], Q] | None = None
    late: bool = True
    shiftless: bool = False
    closed: bool = False
    called: str = "pk"
    without: Mapping[str, str] = field(default_factory=dict)

    def of_shift(self, shift: UUID) -> QuerySet[Any]:
        """Return the rows that belong to the shift by themselves, in the order of their keys."""
        if not self.shift and not self.mine:
            return self.model._default_manager.none()
        condition = self.mine(shift) if self.mine else Q(**{self.shift: shift})
        return self.model._default_manager.filter(condition).order_by("pk")

    def columns(self, rows: QuerySet[Any], fields: Sequence[Field] | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield (key, each field's value) of `rows`, as read back from the database, a chunk at a time."""
        chosen = self.fields if fields is None else fields
        more = {f"sealed_{one.name}": _read(one) for one in chosen if one.sql or one.json}
        names = [f"sealed_{one.name}" if f"sealed_{one.name}" in more else one.path for one in chosen]
        return rows.annotate(**more).values_list("pk", *names).iterator(chunk_size=CHUNK)


def _read(one: Field) -> Any:
    """Return what reads a field as text in the database: JSON as PostgreSQL keeps it, or a list put together there."""
    if one.sql:
        return RawSQL(one.sql, [], output_field=models.TextField())  # noqa: S611 - our own constant
    return Cast(one.path, models.TextField())


@dataclass(frozen=True)
class _Marked:
    path: str
    type: str


def secret(said: str | Field) -> _Marked | Field:
    """Return a field of free text (or a list with some), which stands in the leaf as a salted hash."""
    return replace(said, type="secret") if isinstance(said, Field) else _Marked(said, "secret")


def digest(path: str) -> _Marked:
    """Return a field of long text, which stands in the leaf as its hash."""
    return _Marked(path, "digest")


def listed(name: str, columns: str, sql: str, *, lies_in: tuple[str, str, str] | None = None) -> Field:
    """Return a field that lists the rows under this one: JSON arrays of `columns`, put together by `sql`."""
    return Field(name, f"json:{columns}", "", sql, lies_in=lies_in)


_TYPES: tuple[tuple[type[models.Field[Any, Any]], str], ...] = (
    (models.UUIDField, "uuid"),
    (models.BooleanField, "bool"),
    (models.DateTimeField, "time"),
    (models.DateField, "date"),
    (models.JSONField, "json"),
    (models.BinaryField, "bytes"),
    (models.IntegerField, "int"),
    (models.CharField, "text"),
    (models.TextField, "text"),
)


def fields_of(model: type[models.Model], paths: Sequence[str | _Marked | Field]) -> tuple[Field, ...]:
    """Return the fields of `paths`, with their types as the model has them. Raises LookupError for a column that cannot be sealed."""
    return tuple(_field(model, path) for path in paths)


def _field(model: type[models.Model], said: str | _Marked | Field) -> Field:
    if isinstance(said, Field):
        return said
    text = said.path if isinstance(said, _Marked) else said
    name, _, path = text.rpartition("=")
    column = _column(model, path)
    word = said.type if isinstance(said, _Marked) else next((word for cls, word in _TYPES if isinstance(column, cls)), "")
    if not word:
        raise LookupError(f"{model.__name__}.{path} is of no type that can be sealed")
    return Field(name or _short(path), word, path, json=isinstance(column, models.JSONField))


def _short(path: str) -> str:
    for ending in _NAMED_BY:
        if path.endswith(ending):
            return path.removesuffix(ending).replace("__", "_")
    return path.replace("__", "_")


def _column(model: type[models.Model], path: str) -> Any:
    column: Any = None
    for step in path.split("__"):
        column = (column.related_model if column is not None else model)._meta.get_field(step)
    return column


def kind(name: str, model: type[models.Model], *paths: str | _Marked | Field, shift: str, property: str, **more: Any) -> Kind:
    """Return a kind of evidence; `paths` are its fields in their order."""
    return Kind(name, model, shift, property, fields_of(model, paths), **more)


TRANSFERS = listed(
    "transfers",
    "line,credit,debit,currency,amount",
    """(SELECT '[' || coalesce(string_agg(concat('[', t.line, ',', to_json(c.code), ',', to_json(d.code), ',"', t.currency, '",', t.amount, ']'),
        ',' ORDER BY t.line), '') || ']'
        FROM ledger_transfer t JOIN ledger_account c ON c.id = t.credit_account_id JOIN ledger_account d ON d.id = t.debit_account_id
        WHERE t.entry_id = ledger_entry.id AND t.gaming_day = ledger_entry.gaming_day)""",
)

ENTRY = kind(
    "entry",
    Entry,
    "uuid",
    "kind",
    "reference",
    "fingerprint",
    "reverses__uuid",
    "property",
    "shift",
    "session",
    "round",
    "gaming_day",
    "occurred_at",
    "recorded_at",
    "recorded_by__username",
    "on_behalf_of__username",
    "witness__username",
    secret("memo"),
    "late",
    "paytable",
    "paytable_sha256",
    "engine_version",
    "transfer_count",
    TRANSFERS,
    shift="shift",
    property="property",
    shiftless=True,
    closed=True,
    called="reference",
    without={"made_in": "the number of a transaction, which a restored database does not keep"},
)

ERASURE = kind(
    "text_erasure",
    TextErasure,
    "uuid",
    "segment=segment__number",
    "index",
    "field",
    secret("reason"),
    "by__username",
    "recorded_at",
    shift="segment__shift",
    property="segment__property",
)
