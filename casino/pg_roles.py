"""The two log-ins of the database: the owner, who migrates, and the application, who owns nothing. Needs psycopg, not Django.

Used for the embedded cluster at its first start, and by `manage.py create_roles` for a server elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql


@dataclass(frozen=True)
class Login:
    """A role that logs in; `password` in the clear or as a SCRAM verifier."""

    name: str
    password: str


def role_statements(owner: Login, app: Login, *, existing: Collection[str] = (), owner_makes_databases: bool = False) -> list[sql.Composed]:
    """Return the SQL that makes both log-ins, or gives `existing` ones their password anew.

    Neither inherits anything and the application is no member of the owner: there is no role it could change into.
    `owner_makes_databases` is for test servers, where each test run has a database of its own.
    """
    rights = {owner.name: sql.SQL("CREATEDB" if owner_makes_databases else "NOCREATEDB"), app.name: sql.SQL("NOCREATEDB")}
    statements = [
        sql.SQL("{verb} ROLE {name} LOGIN NOINHERIT {rights} PASSWORD {password}").format(
            verb=sql.SQL("ALTER" if login.name in existing else "CREATE"),
            name=sql.Identifier(login.name),
            rights=rights[login.name],
            password=sql.Literal(login.password),
        )
        for login in (owner, app)
    ]
    return [*statements, sql.SQL("REVOKE {owner} FROM {app}").format(owner=sql.Identifier(owner.name), app=sql.Identifier(app.name))]


def database_statements(database: str, owner: str, app: str) -> list[sql.Composed]:
    """Return the SQL, to be run inside `database`, that gives it to the owner and lets the application in, who can make nothing there."""
    names = {"database": sql.Identifier(database), "owner": sql.Identifier(owner), "app": sql.Identifier(app)}
    return [
        sql.SQL(statement).format(**names)
        for statement in (
            "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
            "GRANT ALL ON DATABASE {database} TO {owner}",
            "GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {app}",
            "ALTER SCHEMA public OWNER TO {owner}",
            "REVOKE ALL ON SCHEMA public FROM PUBLIC, {app}",
            "GRANT USAGE ON SCHEMA public TO {app}",
            "ALTER DATABASE {database} OWNER TO {owner}",
        )
    ]


def set_up(connect: Callable[[str], Connection[Any]], database: str, owner: Login, app: Login, *, owner_makes_databases: bool = False) -> None:
    """Make both log-ins and the database, as an administrator; safe to repeat. `connect` takes a database's name, and autocommits.

    Raises ValueError when a log-in that was there has powers that no guard would hold against.
    """
    with connect("postgres") as admin:
        _make_logins(admin, owner, app, owner_makes_databases)
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchone() is None:
            admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        with _handing_over(admin, owner.name), connect(database) as inside, inside.transaction():
            for statement in database_statements(database, owner.name, app.name):
                inside.execute(statement)


def _make_logins(admin: Connection[Any], owner: Login, app: Login, owner_makes_databases: bool) -> None:
    existing = dict(admin.execute("SELECT rolname, rolsuper OR rolcreaterole OR rolbypassrls FROM pg_roles").fetchall())
    for login in (owner, app):
        if existing.get(login.name):
            raise ValueError(f"The role {login.name} is a superuser or nearly so, and cannot be the owner or the application.")
    sealed = (_sealed(admin, owner), _sealed(admin, app))
    for statement in role_statements(*sealed, existing=existing, owner_makes_databases=owner_makes_databases):
        admin.execute(statement)


@contextmanager
def _handing_over(admin: Connection[Any], owner: str) -> Iterator[None]:
    """Let an administrator who is no superuser, as managed servers have, give things to the owner: a member for that long."""
    if admin.info.parameter_status("is_superuser") == "on":
        yield
        return
    admin.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE").format(sql.Identifier(owner)))
    try:
        yield
    finally:
        admin.execute(sql.SQL("REVOKE {} FROM CURRENT_USER").format(sql.Identifier(owner)))


def _sealed(connection: Connection[Any], login: Login) -> Login:
    """Return the login with a verifier for its password, which is safe in a server's log of statements."""
    verifier = connection.pgconn.encrypt_password(login.password.encode(), login.name.encode(), b"scram-sha-256")
    return Login(login.name, verifier.decode())
