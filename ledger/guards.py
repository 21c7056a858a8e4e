"""Whether every guard of the database stands as the migrations made it: nothing missing, off, changed, granted or put beside it.

`problems()` is asked by `manage.py check --deploy` and by `verify_books`. It reads the catalogue alone, as the application may.
Source: spec/books.md, "What the database itself refuses".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, OperationalError, connections

from casino.append_only import missing_partitions
from ledger.guards_checks import as_said_here, of_models, plain
from ledger.guards_declared import Declared, Trigger, clocked_models, declared, unique_and_references
from ledger.guards_keys import keys_of_models, wrong_keys
from ledger.guards_rights import right_problems, role_problems
from ledger.guards_seen import Seen, look


@dataclass(frozen=True)
class Problem:
    """One guard that is not as it should be. `code`: `missing`, `off`, `stale`, `unknown`, `granted`, `owner`, `role`, `undeclared`."""

    code: str
    where: str
    message: str

    def as_json(self) -> dict[str, str]:
        """Return it as every door answers."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def problems(using: str = "default") -> list[Problem]:
    """Return every guard that is missing, off or other than declared in the database of alias `using`, sorted by place; [] where all stand.

    Seventeen queries of the catalogue, and sixteen more in transactions that are rolled back. Raises django.db.DatabaseError where no database
    answers.
    """
    asked = declared()
    seen = look(connections[using])
    found = [
        *_functions(asked, seen),
        *_triggers(asked, seen),
        *_partitions(asked, seen),
        *_constraints(asked, seen),
        *(Problem(*said) for said in wrong_keys({**keys_of_models(using), **asked.keys}, seen.keys, using)),
        *_checks(asked, seen, using),
        *_strangers(asked, seen),
        *_unstamped(asked),
        *(Problem(*said) for said in right_problems(asked, seen)),
        *(Problem(*said) for said in role_problems(seen)),
    ]
    return sorted(set(found), key=lambda problem: (problem.where, problem.code, problem.message))


@register(Tags.database, deploy=True)
def check_guards(*, app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any) -> list[CheckMessage]:
    """Return an error a guard that does not stand and a month not made ahead, or where nothing was migrated; a warning where no database answers."""
    try:
        found: list[CheckMessage] = [Error(str(problem), id=f"pitbook.E00{1 + _CODES.index(problem.code)}") for problem in problems()]
        late = [Error(f"{name}: the month's partition is not made", id="pitbook.E010") for name in missing_partitions("default")]
        return [*found, *late]
    except OperationalError as error:
        return [Warning(f"The database does not answer, so its guards were not looked at: {_first_line(error)}", id="pitbook.W001")]
    except DatabaseError as error:
        return [Error(f"The database is not migrated: {_first_line(error)}", id="pitbook.E009")]


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


_CODES = ("missing", "off", "stale", "unknown", "granted", "owner", "role", "undeclared")


def _functions(asked: Declared, seen: Seen) -> Iterator[Problem]:
    for name, wanted in asked.functions.items():
        there = seen.functions.get(name)
        if there is None:
            yield Problem("missing", f"{name}()", "the function is not there")
            continue
        if there.body != wanted.body:
            yield Problem("stale", f"{name}()", "the function's body is not what the migrations say")
        if (there.definer, there.volatility, there.settings) != (wanted.definer, wanted.volatility, wanted.settings):
            yield Problem("stale", f"{name}()", f"the function runs otherwise than declared: {_how(there)}, not {_how(wanted)}")


def _how(function: Any) -> str:
    runs = "as its owner" if function.definer else "as its caller"
    return f"{runs}, {function.volatility}, {', '.join(sorted(function.settings)) or 'no settings'}"


def _triggers(asked: Declared, seen: Seen) -> Iterator[Problem]:
    for trigger in asked.triggers.values():
        yield from _one(trigger, seen, trigger.table, trigger.name)


def _one(wanted: Trigger, seen: Seen, table: str, name: str) -> Iterator[Problem]:
    """Yield what is wrong with `wanted` as it stands on `table` (itself, or a partition of it)."""
    where = f"{table}.{name}"
    there = seen.triggers.get((table, name))
    if there is None:
        yield Problem("missing", where, "the trigger is not there")
        return
    if there.enabled != "A":
        yield Problem("off", where, "the trigger is switched off" if there.enabled == "D" else "the trigger does not fire always")
    parts = ("function", "kind", "deferrable", "deferred", "conditional", "columns")
    if any(getattr(there, part) != getattr(wanted, part) for part in parts):
        yield Problem("stale", where, "the trigger is not what the migrations say")


def _partitions(asked: Declared, seen: Seen) -> Iterator[Problem]:
    for parent in sorted(asked.partitioned):
        if parent not in seen.listed:
            yield Problem("missing", parent, "the table is not on the list of those that get a partition a month")
        for child in seen.partitions.get(parent, ()):
            for trigger in asked.triggers.values():
                if trigger.table == parent and trigger.for_each_row:
                    yield from _one(trigger, seen, child, trigger.name)
            yield from _one(Trigger(child, "", "pitbook_refuse", 34), seen, child, f"{child}_no_truncate")


def _constraints(asked: Declared, seen: Seen) -> Iterator[Problem]:
    for name in sorted(asked.constraints - seen.constraints - seen.indexes):
        yield Problem("missing", name, "the constraint is not there")
    unique, refers = unique_and_references()
    for table, column in sorted(unique - seen.unique):
        yield Problem("missing", f"{table}.{column}", "nothing keeps the column's values unique")
    for table, column, of, to in sorted(refers - seen.refers):
        yield Problem("missing", f"{table}.{column}", f"no foreign key refers to {of}.{to}")
    for where, message in seen.loose:
        yield Problem("off", where, message)


def _checks(asked: Declared, seen: Seen, using: str) -> Iterator[Problem]:
    """Yield every CHECK constraint that lets through something else than was asked for, of a table or of a partition of it."""
    wanted = {**of_models(using), **asked.checks}
    columns = {table: table for table, _ in wanted if table in seen.relations}
    columns |= {child: parent for parent, children in seen.partitions.items() if parent in columns for child in children}
    there = {place: _whole(check) for place, check in seen.checks.items() if (columns.get(place[0]), place[1]) in wanted}
    said, found = as_said_here(wanted, columns, using), as_said_here(there, columns, using)
    for (table, name), check in found.items():
        if plain(check) != plain(said[columns[table], name]):
            yield Problem("stale", f"{table}.{name}", f"the constraint is {check}, not {said[columns[table], name]}")


def _whole(check: str) -> str:
    """Return a constraint's text without the word on whether old rows meet it, which `off` says."""
    return check.removesuffix(" NOT ENFORCED").removesuffix(" NOT VALID")


def _strangers(asked: Declared, seen: Seen) -> Iterator[Problem]:
    """Yield what the migrations know nothing of, and what could undo a guard: triggers, rules, row security."""
    known = set(asked.triggers)
    for parent, children in seen.partitions.items():
        for child in children:
            known |= {(child, name) for table, name in asked.triggers if table == parent} | {(child, f"{child}_no_truncate")}
    for table, name in sorted(set(seen.triggers) - known):
        yield Problem("unknown", f"{table}.{name}", "no migration makes this trigger")
    for table, rule in seen.rules:
        yield Problem("unknown", f"{table}.{rule}", "no migration makes this rule")
    for table in seen.row_security:
        yield Problem("unknown", table, "row security hides rows of the table")


def _unstamped(asked: Declared) -> Iterator[Problem]:
    """Yield every model that says the database's clock stamps its rows, where no migration has it do so."""
    for table, _ in clocked_models():
        if table not in asked.stamped:
            yield Problem("undeclared", table, "recorded_at is the database's clock, and no migration stamps it")
