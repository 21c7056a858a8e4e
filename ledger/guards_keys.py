"""Keys: UNIQUE and FOREIGN KEY, compared by what they say. Another one under the same name would keep something else.

A key's text is PostgreSQL's own, without quotes and without a blank before a bracket. The condition of a partial one is compared as a CHECK is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.apps import apps
from django.db import connections
from django.db.models import UniqueConstraint

from ledger.guards_checks import TABLE, Place, as_said_here

_KEY = re.compile(r"\bCONSTRAINT (?P<name>\w+) (?P<says>UNIQUE \([^)]*\)|FOREIGN KEY \([^)]*\) REFERENCES \w+ ?\([^)]*\))")


class Key(NamedTuple):
    """What a key says, and of which rows: `only` is a condition, empty where it is of all."""

    says: str
    only: str = ""


def plain_key(says: str) -> str:
    """Return a key's text in one way of writing it."""
    return re.sub(r"\s+\(", "(", re.sub(r"\s+", " ", says.replace('"', ""))).strip()


def keys_in(statement: str) -> Iterator[tuple[str, str, Key]]:
    """Yield (table, name, key) of every UNIQUE and FOREIGN KEY that a statement names."""
    table = TABLE.search(statement)
    for found in _KEY.finditer(statement):
        if table is not None:
            yield table["table"], found["name"], Key(plain_key(found["says"]))


def keys_of_models(using: str) -> dict[Place, Key]:
    """Return what the models' own constraints ask for, by table and name."""
    found = {}
    with connections[using].schema_editor(collect_sql=True, atomic=False) as editor:
        for model in apps.get_models():
            column = {field.name: str(field.column) for field in model._meta.concrete_fields}
            for one in model._meta.constraints:
                if isinstance(one, UniqueConstraint):
                    columns = ", ".join(column[name] for name in one.fields)
                    distinct = " NULLS NOT DISTINCT" if one.nulls_distinct is False else ""
                    only = str(one.create_sql(model, editor)).partition(" WHERE ")[2]
                    found[model._meta.db_table, str(one.name)] = Key(plain_key(f"UNIQUE{distinct} ({columns})"), only)
    return found


def wrong_keys(asked: Mapping[Place, Key], seen: Mapping[Place, Key], using: str) -> Iterator[tuple[str, str, str]]:
    """Yield (code, place, message) of every key of those `asked` that is there and says something else. Four queries, rolled back."""
    there = {place: key for place, key in seen.items() if place in asked}
    tables = {table: table for table, _ in there}
    wanted = as_said_here({place: _check(asked[place]) for place in there if asked[place].only}, tables, using)
    found = as_said_here({place: _check(key) for place, key in there.items() if key.only}, tables, using)
    for (table, name), key in there.items():
        says = (key.says, found.get((table, name), ""))
        due = (asked[table, name].says, wanted.get((table, name), ""))
        if says != due:
            yield "stale", f"{table}.{name}", f"the constraint is {_words(*says)}, not {_words(*due)}"


def _check(key: Key) -> str:
    return f"CHECK ({key.only})"


def _words(says: str, check: str) -> str:
    return says + check.replace("CHECK", " WHERE", 1)
