"""What the migrations say that the database refuses: read from the migrations themselves, so that a new guard is known by being made.

Every statement that an operation of casino/append_only.py or a RunSQL puts into the database is read, in the order in which it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.migrations import AddConstraint, DeleteModel, RemoveConstraint, RunSQL, SeparateDatabaseAndState
from django.db.migrations.loader import MigrationLoader
from django.db.models import ForeignKey

from casino.append_only import AppendOnly, MadeIn, NoDelete, Partitioned, RecordedAt, Stamped, _SqlOperation
from ledger.guards_checks import checks_in
from ledger.guards_keys import Key, keys_in

ROWS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})
"""What the application is granted on a table unless a migration takes it back."""

BY_HAND = (
    # ledger.0002_guards does this in Python: of an account only its closing may be written
    "REVOKE UPDATE ON ledger_account FROM app; GRANT UPDATE (closed_at) ON ledger_account TO app;",
)


@dataclass(frozen=True)
class Function:
    """A function of ours: its text, and what it runs as."""

    name: str
    body: str
    definer: bool
    volatility: str
    settings: frozenset[str]


@dataclass(frozen=True)
class Trigger:
    """A trigger of ours. `kind` is PostgreSQL's own number for when it fires (pg_trigger.tgtype)."""

    table: str
    name: str
    function: str
    kind: int
    deferrable: bool = False
    deferred: bool = False
    conditional: bool = False
    columns: frozenset[str] = frozenset()

    @property
    def for_each_row(self) -> bool:
        """Return whether it fires for rows: PostgreSQL puts those on partitions by itself."""
        return bool(self.kind & 1)


@dataclass
class Declared:
    """All that the migrations ask for. `taken`: rights taken back by table; `columns`: those granted again on columns alone."""

    functions: dict[str, Function] = field(default_factory=dict)
    triggers: dict[tuple[str, str], Trigger] = field(default_factory=dict)
    constraints: set[str] = field(default_factory=set)
    checks: dict[tuple[str, str], str] = field(default_factory=dict)
    keys: dict[tuple[str, str], Key] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(default_factory=dict)
    columns: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    append_only: set[str] = field(default_factory=set)
    no_delete: set[str] = field(default_factory=set)
    stamped: set[str] = field(default_factory=set)
    partitioned: set[str] = field(default_factory=set)

    def rights(self, table: str) -> frozenset[str]:
        """Return what the application may do to whole rows of `table`."""
        return ROWS - self.taken.get(table, set())


def declared() -> Declared:
    """Return what all migrations together ask for. Reads no database."""
    found = Declared()
    for operation in _operations():
        _take(found, operation)
    for text in BY_HAND:
        _read(found, text)
    _of_models(found)
    return found


def clocked_models() -> Iterator[tuple[str, bool]]:
    """Yield (table, whether it also says its transaction) of every model that the database's clock stamps."""
    for model in apps.get_models():
        fields = model._meta.local_fields
        if any(isinstance(one, RecordedAt) for one in fields):
            yield model._meta.db_table, any(isinstance(one, MadeIn) for one in fields)


def unique_and_references() -> tuple[set[tuple[str, str]], set[tuple[str, str, str, str]]]:
    """Return the (table, column) of every model field that is unique by itself, and of every one that refers to another table that place too."""
    unique, refers = set(), set()
    for model in apps.get_models():
        for one in model._meta.local_concrete_fields:
            place = (model._meta.db_table, str(one.column))
            if one.unique and not one.primary_key:
                unique.add(place)
            if isinstance(one, ForeignKey) and getattr(one, "db_constraint", False):
                to = one.target_field
                refers.add((*place, to.model._meta.db_table, str(to.column)))
    return unique, refers


def _operations() -> Iterator[Any]:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    plan = dict.fromkeys(key for leaf in sorted(loader.graph.leaf_nodes()) for key in loader.graph.forwards_plan(leaf))
    for app, name in plan:
        for operation in loader.disk_migrations[app, name].operations:
            yield from _flat(operation, app)


def _flat(operation: Any, app: str) -> Iterator[Any]:
    if isinstance(operation, SeparateDatabaseAndState):
        for part in operation.database_operations:
            yield from _flat(part, app)
    elif isinstance(operation, DeleteModel):
        yield f"DROP TABLE {app}_{operation.name_lower};"
    else:
        yield operation


_LISTS: tuple[tuple[type[_SqlOperation], str], ...] = (
    (AppendOnly, "append_only"),
    (NoDelete, "no_delete"),
    (Stamped, "stamped"),
    (Partitioned, "partitioned"),
)


def _take(found: Declared, operation: Any) -> None:
    for kind, name in _LISTS:
        if isinstance(operation, kind):
            getattr(found, name).add(operation.table)
    if isinstance(operation, AddConstraint | RemoveConstraint):  # from here on it is what the model says
        name = operation.name if isinstance(operation, RemoveConstraint) else operation.constraint.name
        found.checks = {key: check for key, check in found.checks.items() if key[1] != name}
    if isinstance(operation, str):
        _read(found, operation)
    elif isinstance(operation, _SqlOperation):
        _read(found, operation.forwards_sql())
    elif isinstance(operation, RunSQL):
        parts = [operation.sql] if isinstance(operation.sql, str) else operation.sql
        for part in parts:
            _read(found, part if isinstance(part, str) else part[0])


_PIECE = re.compile(r"(?P<body>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)|'(?:[^']|'')*'|(?P<note>--[^\n]*)|(?P<end>;)", re.DOTALL)


def statements(text: str) -> Iterator[str]:
    """Yield the statements of `text`, without notes; a semicolon in a function's body or in quotes ends none."""
    begun, kept = 0, ""
    for piece in _PIECE.finditer(text):
        if piece["note"] or piece["end"]:
            kept += text[begun : piece.start()]
            begun = piece.end()
        if piece["end"]:
            yield kept.strip()
            kept = ""
    if last := (kept + text[begun:]).strip():
        yield last


_FUNCTION = re.compile(
    r"CREATE (?:OR REPLACE )?FUNCTION (?:public\.)?(?P<name>\w+)\s*\((?P<takes>[^)]*)\)"
    r"(?P<how>.*?)\bAS\s+\$(?P<tag>\w*)\$(?P<body>.*)\$(?P=tag)\$(?P<more>.*)",
    re.DOTALL,
)
_TRIGGER = re.compile(
    r"CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER (?P<name>\w+)\s+"
    r"(?P<when>BEFORE|AFTER|INSTEAD OF)\s+(?P<events>.+?)\s+ON\s+(?:public\.)?(?P<table>\w+)"
    r"(?P<how>.*?)EXECUTE (?:FUNCTION|PROCEDURE) (?:public\.)?(?P<function>\w+)\s*\(",
    re.DOTALL,
)
_DROP = re.compile(
    r"DROP (?P<what>FUNCTION|TRIGGER|TABLE)(?: IF EXISTS)? (?:public\.)?(?P<name>\w+)(?:\([^)]*\))?(?: ON (?:public\.)?(?P<table>\w+))?"
)
_CONSTRAINT = re.compile(r"\bCONSTRAINT (\w+) (?:CHECK|UNIQUE|FOREIGN KEY|EXCLUDE|PRIMARY KEY)\b")
_DROPPED = re.compile(r"\bDROP CONSTRAINT (?:IF EXISTS )?(\w+)")
_RIGHT = re.compile(
    r"(?P<verb>GRANT|REVOKE) (?P<rights>[A-Z, ]+?)(?:\s*\((?P<columns>[^)]*)\))? ON (?:TABLE )?(?:public\.)?(?P<table>\w+) (?:TO|FROM) "
)
_SET = re.compile(r"\bSET (\w+) = (.+?)(?=\s+SET\b|\s+SECURITY\b|\s+LANGUAGE\b|\s*$)")
_BITS = {"INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}


def _read(found: Declared, text: str) -> None:
    for statement in statements(text):
        if match := _FUNCTION.match(statement):
            found.functions[match["name"]] = _function(match)
        elif match := _TRIGGER.match(statement):
            trigger = _trigger(match)
            found.triggers[trigger.table, trigger.name] = trigger
        elif match := _RIGHT.match(statement):
            _right(found, match)
        else:
            dropped = set(_DROPPED.findall(statement))
            found.constraints = (found.constraints | set(_CONSTRAINT.findall(statement))) - dropped
            found.checks = {key: check for key, check in found.checks.items() if key[1] not in dropped}
            found.checks |= {(table, name): check for table, name, check in checks_in(statement)}
            found.keys = {place: key for place, key in found.keys.items() if place[1] not in dropped}
            found.keys |= {(table, name): key for table, name, key in keys_in(statement)}
        if match := _DROP.match(statement):
            _drop(found, match)


def _function(match: re.Match[str]) -> Function:
    how = " ".join((match["how"] + " " + match["more"]).split())
    volatility = next((word[0].lower() for word in ("IMMUTABLE", "STABLE") if word in how), "v")
    settings = frozenset(f"{name}={value.strip().strip(chr(39))}" for name, value in _SET.findall(how))
    return Function(match["name"], match["body"], "SECURITY DEFINER" in how, volatility, settings)


def _trigger(match: re.Match[str]) -> Trigger:
    how = " ".join(match["how"].split())
    kind = ("EACH ROW" in how) * 1 + (match["when"] == "BEFORE") * 2 + (match["when"] == "INSTEAD OF") * 64
    columns: frozenset[str] = frozenset()
    for event in match["events"].split(" OR "):
        word, _, of = event.strip().partition(" OF ")
        kind += _BITS[word.strip()]
        columns |= {column.strip() for column in of.split(",") if column.strip()}
    return Trigger(
        match["table"],
        match["name"],
        match["function"],
        kind,
        "DEFERRABLE" in how and "NOT DEFERRABLE" not in how,
        "INITIALLY DEFERRED" in how,
        "WHEN (" in how,
        columns,
    )


def _right(found: Declared, match: re.Match[str]) -> None:
    rights = {right.strip() for right in match["rights"].split(",")}
    if "ALL" in rights or "ALL PRIVILEGES" in rights:
        rights = set(ROWS)
    taken = found.taken.setdefault(match["table"], set())
    if match["verb"] == "REVOKE":
        taken |= rights
    elif match["columns"]:
        for right in rights:
            found.columns[match["table"], right] = frozenset(column.strip() for column in match["columns"].split(","))
    else:
        taken -= rights


def _drop(found: Declared, match: re.Match[str]) -> None:
    if match["what"] == "FUNCTION":
        found.functions.pop(match["name"], None)
    elif match["what"] == "TRIGGER":
        found.triggers.pop((match["table"], match["name"]), None)
    else:
        found.triggers = {key: trigger for key, trigger in found.triggers.items() if key[0] != match["name"]}
        for _, name in _LISTS:
            getattr(found, name).discard(match["name"])


def _of_models(found: Declared) -> None:
    """Add every constraint that a model names."""
    for model in apps.get_models():
        found.constraints |= {constraint.name for constraint in model._meta.constraints if constraint.name}
