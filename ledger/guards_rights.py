"""Who may do what in the database: rights, owners and log-ins compared with what is declared. Yields (code, where, message)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.guards_declared import ROWS, Declared
from ledger.guards_seen import Seen

Said = tuple[str, str, str]
READ = frozenset({"SELECT"})


def right_problems(asked: Declared, seen: Seen) -> Iterator[Said]:
    """Yield every right beyond the declared ones, on tables, partitions, columns, functions, and by default."""
    for (table, grantee), rights in sorted(seen.grants.items()):
        if extra := rights - _allowed(asked, seen, table, grantee):
            yield "granted", table, f"{_who(seen, grantee)} may {_and(extra)} it"
    for (table, grantee, right), columns in sorted(seen.column_grants.items()):
        allowed = asked.columns.get((table, right), frozenset()) if grantee == seen.app else frozenset()
        if right not in _allowed(asked, seen, table, grantee) and (extra := columns - allowed):
            yield "granted", table, f"{_who(seen, grantee)} may {right} its {', '.join(sorted(extra))}"
    yield from _functions(asked, seen)
    for kind, grantee, right in seen.default_grants:
        if right not in _by_default(seen, kind, grantee):
            yield "granted", "default privileges", f"what the owner makes next gives {_who(seen, grantee)} {right}"
    if seen.functions_default_public:
        yield "granted", "default privileges", "everybody may call a function that the owner makes next"


def _allowed(asked: Declared, seen: Seen, table: str, grantee: str) -> frozenset[str]:
    """Return what `grantee` may do to `table`: the application what is declared, on partitions nothing; everybody nothing; others read."""
    if grantee == "":
        return frozenset()
    if grantee != seen.app:
        return READ
    there = seen.relations.get(table)
    return frozenset() if there is not None and there.is_partition else asked.rights(table)


def _by_default(seen: Seen, kind: str, grantee: str) -> frozenset[str]:
    if grantee != seen.app:
        return frozenset()
    return {"r": ROWS, "S": frozenset({"USAGE", "SELECT"}), "f": frozenset({"EXECUTE"})}.get(kind, frozenset())


def _functions(asked: Declared, seen: Seen) -> Iterator[Said]:
    for function in seen.functions.values():
        where = f"{function.name}()"
        if function.definer and function.public:
            yield "granted", where, "everybody may call what runs as the owner"
        if function.definer and function.name not in asked.functions:
            yield "unknown", where, "no migration makes this function, which runs as its owner"
        if function.definer and not any(setting.startswith("search_path=") for setting in function.settings):
            yield "stale", where, "it runs as its owner, on whatever search path its caller sets"


def role_problems(seen: Seen) -> Iterator[Said]:
    """Yield what is wrong with owners and with the two log-ins."""
    for relation in seen.relations.values():
        if relation.owner != seen.owner:
            yield "owner", relation.name, f"it belongs to {relation.owner}, not to {seen.owner}"
    for function in seen.functions.values():
        if function.owner != seen.owner:
            yield "owner", f"{function.name}()", f"it belongs to {function.owner}, not to {seen.owner}"
    for place in ("database", "schema"):
        if seen.places[place] not in (seen.owner, "pg_database_owner"):  # which is whoever owns the database
            yield "owner", place, f"the {place} belongs to {seen.places[place]}, not to {seen.owner}"
    for name in (seen.app, seen.owner):
        for power in seen.roles.get(name, ()):
            yield "role", name, f"the log-in is {power}"
    for member, role in seen.memberships:
        yield "role", member, f"the log-in is a member of {role}"
    if seen.app == seen.owner:
        yield "role", seen.app, "the application is the owner"
    if seen.places["app_creates"]:
        yield "role", seen.app, "the application may make things in the database"
    if seen.places["app_sets"]:
        yield "role", seen.app, "the application may set session_replication_role"
    if seen.places["replica"]:
        yield "off", "session_replication_role", "triggers are switched off for this log-in"


def _who(seen: Seen, grantee: str) -> str:
    return "everybody" if not grantee else "the application" if grantee == seen.app else grantee


def _and(rights: frozenset[str]) -> str:
    return ", ".join(sorted(rights))
