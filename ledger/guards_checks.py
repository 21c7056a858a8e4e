"""CHECK constraints: what the models and the migrations' own SQL ask for, in the words in which PostgreSQL itself says it.

PostgreSQL keeps a constraint as it understood it, not as it was written. So what is asked for is put on empty temporary tables of the same
columns, read back from the catalogue, and rolled back: the same server says both texts, whatever its version.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from django.apps import apps
from django.db import connections, transaction
from django.db.models import CheckConstraint

_BEGINS = re.compile(r"\bCONSTRAINT (?P<name>\w+) CHECK \(")
TABLE = re.compile(r"\b(?:CREATE|ALTER) TABLE (?:ONLY )?(?:public\.)?(?P<table>\w+)")
_ASKED = "pitbook_asked_"
Place = tuple[str, str]
"""A constraint's table and name."""


def checks_in(statement: str) -> Iterator[tuple[str, str, str]]:
    """Yield (table, name, "CHECK (…)") of every CHECK constraint that a statement names."""
    table = TABLE.search(statement)
    for found in _BEGINS.finditer(statement):
        if table is not None:
            begins = found.end() - 1
            yield table["table"], found["name"], f"CHECK {statement[begins : _closes(statement, begins)]}"


def _closes(text: str, opens: int) -> int:
    """Return where the bracket that opens at `opens` is closed, behind it; brackets in quotes are none."""
    depth, quoted = 0, False
    for place in range(opens, len(text)):
        if text[place] == "'":
            quoted = not quoted
        elif not quoted:
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            if depth == 0:
                return place + 1
    raise ValueError(f"a bracket is never closed: {text[opens : opens + 60]!r}")


_NEVER_BOTH = re.compile(r"CHECK \(\(NOT \(\((?P<one>\w+) = (?P<other>\w+)\) AND \((?P<null>\w+) IS NOT NULL\)\)\)\)")


def plain(check: str) -> str:
    """Return a constraint's text, one that two people are never the same without the word on an empty one: a NULL passes either way.

    Django adds that word where a column may be empty, and a column that became so later keeps the constraint of before.
    """
    found = _NEVER_BOTH.fullmatch(check)
    if found is None or found["null"] not in (found["one"], found["other"]):
        return check
    return f"CHECK ((NOT ({found['one']} = {found['other']})))"


def of_models(using: str) -> dict[Place, str]:
    """Return what the models ask for, by table and name."""
    found = {}
    with connections[using].schema_editor(collect_sql=True, atomic=False) as editor:
        for model in apps.get_models():
            for constraint in model._meta.constraints:
                if isinstance(constraint, CheckConstraint):
                    whole = constraint.constraint_sql(model, editor)
                    found[model._meta.db_table, constraint.name] = f"CHECK {whole.partition(' CHECK ')[2]}"
    return found


def as_said_here(asked: Mapping[Place, str], columns: Mapping[str, str], using: str) -> dict[Place, str]:
    """Return the constraints `asked` in PostgreSQL's own words, said twice: what comes from a dump was said once already.

    `columns`: of each table that is there, the table whose columns it has and that the application may read (a partition's parent). Two
    statements a saying, in transactions that are rolled back.
    """
    here = {place: check for place, check in asked.items() if place[0] in columns}
    return _said(_said(here, columns, using), columns, using)


def _said(asked: Mapping[Place, str], columns: Mapping[str, str], using: str) -> dict[Place, str]:
    by_table: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for (table, name), check in sorted(asked.items()):
        by_table[table].append((name, check))
    tables = dict(enumerate(by_table))
    if not tables:
        return {}
    made = [_made(f"{_ASKED}{number}", columns[table], by_table[table], using) for number, table in tables.items()]
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute(";\n".join(made))
        cursor.execute(
            "SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid"
            " WHERE c.relnamespace = pg_my_temp_schema() AND k.contype = 'c'"
        )
        rows = cursor.fetchall()
        transaction.set_rollback(True, using=using)
    return {(tables[int(table.removeprefix(_ASKED))], name): check for table, name, check in rows if table.startswith(_ASKED)}


def _made(name: str, table: str, checks: list[tuple[str, str]], using: str) -> str:
    quote = connections[using].ops.quote_name
    added = ", ".join(f"ADD CONSTRAINT {quote(of)} {check}" for of, check in checks)
    return f"CREATE TEMPORARY TABLE {name} (LIKE public.{quote(table)}); ALTER TABLE {name} {added}"
