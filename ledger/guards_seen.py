"""What the database's catalogue says of functions, triggers, constraints, owners, rights and log-ins: looked at, judged elsewhere."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.backends.base.base import BaseDatabaseWrapper

from casino.append_only import OWNER_ALIAS
from ledger.guards_keys import Key, plain_key


class SeenFunction(NamedTuple):
    """A function as it stands, with its owner and whether everybody may call it."""

    name: str
    body: str
    definer: bool
    volatility: str
    settings: frozenset[str]
    owner: str
    public: bool


class SeenTrigger(NamedTuple):
    """A trigger as it stands; `enabled` is A for always, D for disabled."""

    function: str
    kind: int
    enabled: str
    deferrable: bool
    deferred: bool
    conditional: bool
    columns: frozenset[str]


class SeenRelation(NamedTuple):
    """A table, partition, sequence or view: its owner, and what kind it is (pg_class.relkind)."""

    name: str
    kind: str
    owner: str
    is_partition: bool


@dataclass(frozen=True)
class Seen:
    """All that was looked at, by name."""

    app: str
    owner: str
    functions: dict[str, SeenFunction]
    triggers: dict[tuple[str, str], SeenTrigger]
    constraints: frozenset[str]
    checks: dict[tuple[str, str], str]
    indexes: frozenset[str]
    unique: frozenset[tuple[str, str]]
    refers: frozenset[tuple[str, str, str, str]]
    keys: dict[tuple[str, str], Key]
    loose: tuple[tuple[str, str], ...]
    relations: dict[str, SeenRelation]
    partitions: dict[str, tuple[str, ...]]
    listed: frozenset[str]
    rules: tuple[tuple[str, str], ...]
    row_security: tuple[str, ...]
    grants: dict[tuple[str, str], frozenset[str]]
    column_grants: dict[tuple[str, str, str], frozenset[str]]
    default_grants: tuple[tuple[str, str, str], ...]
    functions_default_public: bool
    roles: dict[str, tuple[str, ...]]
    memberships: tuple[tuple[str, str], ...]
    places: dict[str, Any]


def look(connection: BaseDatabaseWrapper) -> Seen:
    """Return what the catalogue behind `connection` says of the schema `public`. Seventeen queries."""
    from django.db import connections

    app, owner = connections["default"].settings_dict["USER"], connections[OWNER_ALIAS].settings_dict["USER"]

    def rows(statement: str, **params: Any) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"app": app, "owner": owner, **params})
            return cursor.fetchall()

    relations = [SeenRelation(*row) for row in rows(_RELATIONS)]
    children: dict[str, list[str]] = defaultdict(list)
    for parent, child in rows(_PARTITIONS):
        children[parent].append(child)
    grants, columns = _grants(rows(_GRANTS))
    constraints = rows(_CONSTRAINTS)
    defaults = rows(_DEFAULTS)
    return Seen(
        app=app,
        owner=owner,
        functions={row[0]: _function(row) for row in rows(_FUNCTIONS)},
        triggers={(row[0], row[1]): _trigger(row) for row in rows(_TRIGGERS)},
        constraints=frozenset(row[1] for row in constraints),
        checks={(row[0], row[1]): row[3] for row in constraints if row[3]},
        indexes=frozenset(row.name for row in relations if row.kind in "iI"),
        unique=frozenset((row[0], row[1]) for row in rows(_UNIQUE)),
        refers=frozenset((row[0], row[1], row[2], row[3]) for row in rows(_REFERS)),
        keys={(row[0], row[1]): Key(plain_key(row[2]), row[3]) for row in rows(_KEYS)},
        loose=tuple((f"{row[0]}.{row[1]}", "the constraint was never checked against all rows, or is not enforced") for row in constraints if row[2])
        + tuple((f"{row[0]}.{row[1]}", "the foreign key's own trigger is switched off") for row in rows(_REFERENCES)),
        relations={row.name: row for row in relations if row.kind not in "iI"},
        partitions={parent: tuple(names) for parent, names in children.items()},
        listed=frozenset(row[0] for row in rows("SELECT name FROM casino_partitionedtable")),
        rules=tuple((row[0], row[1]) for row in rows(_RULES)),
        row_security=tuple(row[0] for row in rows(_ROW_SECURITY)),
        grants=grants,
        column_grants=columns,
        default_grants=tuple((row[0], row[1], row[2]) for row in defaults),
        functions_default_public=not rows(_FUNCTIONS_CLOSED),
        roles={row[0]: tuple(row[1]) for row in rows(_ROLES)},
        memberships=tuple((row[0], row[1]) for row in rows(_MEMBERSHIPS)),
        places=dict(zip(("database", "schema", "app_creates", "app_sets", "replica"), rows(_PLACES)[0], strict=True)),
    )


def _function(row: tuple[Any, ...]) -> SeenFunction:
    name, body, definer, volatility, settings, owner, public = row
    return SeenFunction(name, body, definer, volatility, frozenset(settings or ()), owner, public)


def _trigger(row: tuple[Any, ...]) -> SeenTrigger:
    _, _, function, kind, enabled, deferrable, deferred, conditional, columns = row
    return SeenTrigger(function, kind, enabled, deferrable, deferred, conditional, frozenset(columns or ()))


def _grants(rows: list[tuple[Any, ...]]) -> tuple[dict[tuple[str, str], frozenset[str]], dict[tuple[str, str, str], frozenset[str]]]:
    """Return (rights by table and grantee, columns by table, grantee and right); the grantee "" is everybody."""
    whole: dict[tuple[str, str], set[str]] = defaultdict(set)
    parts: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for table, grantee, right, column in rows:
        if column is None:
            whole[table, grantee].add(right)
        else:
            parts[table, grantee, right].add(column)
    return {key: frozenset(found) for key, found in whole.items()}, {key: frozenset(found) for key, found in parts.items()}


_PUBLIC = "pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'"


def _in_public(text: str) -> str:
    """Return the query `text` with PUBLIC filled in: the schema of pg_class c."""
    return text.replace("PUBLIC", _PUBLIC)


_FUNCTIONS = """
SELECT p.proname, p.prosrc, p.prosecdef, p.provolatile::text, p.proconfig, pg_get_userbyid(p.proowner),
       EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'public'
WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
"""
_TRIGGERS = _in_public("""
SELECT c.relname, t.tgname, p.proname, t.tgtype, t.tgenabled::text, t.tgdeferrable, t.tginitdeferred, t.tgqual IS NOT NULL,
       (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = t.tgrelid AND a.attnum = ANY (t.tgattr::smallint[]))
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN PUBLIC JOIN pg_proc p ON p.oid = t.tgfoid
WHERE NOT t.tgisinternal
""")
_REFERENCES = _in_public("""
SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN PUBLIC
WHERE t.tgisinternal AND t.tgenabled NOT IN ('O', 'A')
""")
_CONSTRAINTS = _in_public("""
SELECT c.relname, k.conname, NOT (k.convalidated AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)),
       CASE k.contype WHEN 'c' THEN pg_get_constraintdef(k.oid) END
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN PUBLIC
""")
_UNIQUE = _in_public("""
SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN PUBLIC
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE i.indisunique AND i.indisvalid AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indexprs IS NULL
""")
_REFERS = _in_public("""
SELECT c.relname, a.attname, t.relname, b.attname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN PUBLIC
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
JOIN pg_class t ON t.oid = k.confrelid JOIN pg_attribute b ON b.attrelid = t.oid AND b.attnum = k.confkey[1]
WHERE k.contype = 'f' AND cardinality(k.conkey) = 1 AND k.confdeltype = 'a' AND k.confupdtype = 'a'
""")
_KEYS = _in_public("""
SELECT c.relname, k.conname, pg_get_constraintdef(k.oid), '' FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN PUBLIC
WHERE k.contype = 'f'
UNION ALL
SELECT c.relname, x.relname, concat(CASE WHEN i.indisunique AND i.indisvalid THEN 'UNIQUE' ELSE 'INDEX' END,
       CASE WHEN i.indnullsnotdistinct THEN ' NULLS NOT DISTINCT' END,
       ' (', (SELECT string_agg(coalesce(a.attname, '?'), ', ' ORDER BY p.place)
              FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS p (number, place)
              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.number WHERE p.place <= i.indnkeyatts), ')',
       CASE WHEN NOT i.indimmediate THEN ' DEFERRABLE' END), coalesce(pg_get_expr(i.indpred, i.indrelid), '')
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN PUBLIC JOIN pg_class x ON x.oid = i.indexrelid
""")
_RELATIONS = _in_public("""
SELECT c.relname, c.relkind::text, pg_get_userbyid(c.relowner), c.relispartition FROM pg_class c JOIN PUBLIC
""")
_PARTITIONS = _in_public("""
SELECT c.relname, k.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent JOIN PUBLIC JOIN pg_class k ON k.oid = i.inhrelid
WHERE c.relkind = 'p' ORDER BY 1, 2
""")
_RULES = _in_public("""
SELECT c.relname, r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN PUBLIC
WHERE c.relkind IN ('r', 'p') ORDER BY 1, 2
""")
_ROW_SECURITY = _in_public("SELECT c.relname FROM pg_class c JOIN PUBLIC WHERE c.relrowsecurity OR c.relforcerowsecurity ORDER BY 1")
_GRANTS = _in_public("""
SELECT c.relname, coalesce(r.rolname::text, ''), a.privilege_type, NULL
FROM pg_class c JOIN PUBLIC CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.grantee <> c.relowner
UNION ALL
SELECT c.relname, coalesce(r.rolname::text, ''), a.privilege_type, t.attname::text
FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid JOIN PUBLIC CROSS JOIN LATERAL aclexplode(t.attacl) a
LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE a.grantee <> c.relowner
""")
_DEFAULTS = """
SELECT d.defaclobjtype::text, coalesce(r.rolname::text, ''), a.privilege_type
FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE pg_get_userbyid(d.defaclrole) = %(owner)s AND a.grantee <> d.defaclrole
"""
_FUNCTIONS_CLOSED = """
SELECT FROM pg_default_acl d WHERE d.defaclobjtype = 'f' AND d.defaclnamespace = 0 AND pg_get_userbyid(d.defaclrole) = %(owner)s
  AND NOT EXISTS (SELECT FROM aclexplode(d.defaclacl) a WHERE a.grantee = 0)
"""
_ROLES = """
SELECT r.rolname, array_remove(ARRAY[
    CASE WHEN r.rolsuper THEN 'a superuser' END, CASE WHEN r.rolcreaterole THEN 'one who makes roles' END,
    CASE WHEN r.rolbypassrls THEN 'one whom row security does not bind' END, CASE WHEN r.rolreplication THEN 'one who replicates' END,
    CASE WHEN r.rolcreatedb AND r.rolname = %(app)s THEN 'one who makes databases' END
], NULL)
FROM pg_roles r WHERE r.rolname IN (%(app)s, %(owner)s)
"""
_MEMBERSHIPS = """
SELECT m.rolname, r.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member JOIN pg_roles r ON r.oid = a.roleid
WHERE m.rolname = %(app)s OR (m.rolname = %(owner)s AND r.rolname LIKE 'pg\\_%%')
"""
_PLACES = """
SELECT (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()),
       (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'public'),
       has_schema_privilege(%(app)s, 'public', 'CREATE') OR has_database_privilege(%(app)s, current_database(), 'CREATE'),
       has_parameter_privilege(%(app)s, 'session_replication_role', 'SET'),
       current_setting('session_replication_role') <> 'origin'
"""
