"""A text behind a sealed hash is erased, with its salt: the owner's verb. The proof holds, for it never needed the text.

The text goes from its row, where nobody else may change anything; that one guard is off for this one statement, inside the transaction, whose
lock keeps everybody else away from the table meanwhile, and every guard is looked at again before the transaction ends.
Source: spec/books.md, "Sealing a shift"; docs/decisions/022-a-text-is-erased-once-and-for-all.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connections, models, transaction
from django.utils.translation import gettext
from psycopg import sql

from casino import roles
from casino.append_only import OWNER_ALIAS
from casino.errors import BrokenBooks, Conflict, InvalidSlip, NotFound
from casino.models import User
from ledger import guards
from ledger.evidence import Field, Kind
from ledger.models import Leaf, LeafSalt, Segment, TextErasure

ERASED = "[erased]"
"""What stands where a text was: some texts may not be empty."""


WRITTEN = ("note", "reason")
"""The names in a finding's facts under which people's own words stand."""
_IN_JSON = """
UPDATE {table} SET {column} = {column} || (
    SELECT jsonb_object_agg(k, {word}::text) FROM jsonb_object_keys({column}) k WHERE k = ANY ({written}::text[])
) WHERE {key} = {row} AND {column} ?| {written}::text[]
"""


@dataclass(frozen=True)
class _Where:
    """The column that holds a text, and `key`, the column by which its rows are found; `json`: it holds texts beside figures."""

    table: str
    column: str
    key: str
    json: bool = False


def erase_text(segment: int, index: int, field: str, *, kinds: Sequence[Kind], by: User, reason: str) -> TextErasure:
    """Return the record that the text `field` of a leaf was erased, its salt with it. Every text of a list goes at once.

    Raises Refused, InvalidSlip (`missing_field`), NotFound (`no_leaf`, `no_text`), Conflict (`erased_already`, `no_words`, `not_erasable`),
    BrokenBooks (`guards_changed`) where a guard does not stand afterwards; then nothing was done.
    """
    roles.require(by, "erase_texts")
    if not reason.strip():
        raise InvalidSlip("missing_field", gettext("Say why the text is erased, without repeating it."), where="reason")
    leaf = _leaf(segment, index)
    where = _where(_field(leaf, field, kinds), leaf, kinds)
    before = guards.problems(OWNER_ALIAS)
    with transaction.atomic(using=OWNER_ALIAS):
        if not _overwrite(where, int(leaf.row or 0)):
            raise Conflict(
                "no_words",
                gettext("Nobody's words stand in %(field)s of leaf %(index)s; or its month is archived: bring it back first.")
                % {"field": field, "index": index},
            )
        LeafSalt.objects.using(OWNER_ALIAS).filter(segment_id=segment, index=index, field=field).delete()
        made = TextErasure.objects.using(OWNER_ALIAS).create(segment_id=segment, index=index, field=field, reason=reason.strip()[:300], by_id=by.pk)
        if guards.problems(OWNER_ALIAS) != before:
            raise BrokenBooks("guards_changed", f"A guard of {where.table} does not stand as before; nothing was erased.")
    return made


def _leaf(segment: int, index: int) -> Leaf:
    kept = Segment.objects.filter(number=segment).first()
    found = Leaf.objects.filter(segment=kept, gaming_day=kept.gaming_day, index=index).first() if kept else None
    if found is None:
        raise NotFound("no_leaf", gettext("There is no leaf %(index)s in segment %(segment)s.") % {"index": index, "segment": segment}, where="index")
    return found


def _field(leaf: Leaf, name: str, kinds: Sequence[Kind]) -> Field:
    if TextErasure.objects.filter(segment_id=leaf.segment_id, index=leaf.index, field=name).exists():
        raise Conflict("erased_already", gettext("The text %(name)s of leaf %(index)s was erased already.") % {"name": name, "index": leaf.index})
    kind = next((kind for kind in kinds if kind.name == leaf.kind), None)
    found = next((one for one in kind.fields if one.name == name and one.type == "secret"), None) if kind else None
    has_salt = LeafSalt.objects.filter(segment_id=leaf.segment_id, index=leaf.index, field=name).exists()
    if found is None or not has_salt:
        raise NotFound(
            "no_text",
            gettext("Leaf %(index)s (%(kind)s) has no text %(name)s.") % {"index": leaf.index, "kind": leaf.kind, "name": name},
            where="field",
        )
    return found


def _where(field: Field, leaf: Leaf, kinds: Sequence[Kind]) -> _Where:
    """Return where the text lies. Raises Conflict (`not_erasable`) for what is neither a text nor JSON with some."""
    if field.lies_in is not None:
        return _Where(*field.lies_in)
    kind = next(kind for kind in kinds if kind.name == leaf.kind)
    column = None if field.sql or "__" in field.path else kind.model._meta.get_field(field.path)
    if not isinstance(column, models.CharField | models.TextField | models.JSONField):
        raise Conflict("not_erasable", gettext("%(field)s of %(kind)s is no text of its own.") % {"field": field.name, "kind": leaf.kind})
    return _Where(kind.model._meta.db_table, str(column.column), "id", json=isinstance(column, models.JSONField))


def _overwrite(where: _Where, row: int) -> int:
    """Put a word in the place of the text, and return in how many rows. In JSON, in the place of what people wrote: figures stay."""
    table, trigger = sql.Identifier(where.table), sql.Identifier(f"{where.table}_append_only")
    change = sql.SQL(_IN_JSON if where.json else "UPDATE {table} SET {column} = {word} WHERE {key} = {row} AND {column} <> ''").format(
        table=table,
        column=sql.Identifier(where.column),
        word=sql.Literal(ERASED),
        key=sql.Identifier(where.key),
        row=sql.Literal(row),
        written=sql.Literal(list(WRITTEN)),
    )
    with connections[OWNER_ALIAS].cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '5s'")
        cursor.execute(sql.SQL("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE").format(table))
        cursor.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER {}").format(table, trigger))
        cursor.execute(change)
        changed: int = cursor.rowcount
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(sql.SQL("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}").format(table, trigger))
    return changed
