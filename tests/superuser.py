"""The embedded server's superuser, whom no guard holds: tests change the books as that one, and look what is told of it."""

from __future__ import annotations

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import sql

TRIGGERS = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = %s::regclass"


def superuser() -> psycopg.Connection:
    """Return a connection of the superuser's to the test's database; every statement commits."""
    assert settings.SERVERS is not None, "this needs the embedded server's superuser"
    params = connections["default"].get_connection_params()
    return psycopg.connect(
        host=params["host"],
        port=params["port"],
        dbname=params["dbname"],
        user=settings.SERVERS.superuser,
        password=settings.SERVERS.superuser_password,
        autocommit=True,
    )


def spoil(tables: str, statement: str, *params: object) -> int:
    """Run `statement` with every trigger of `tables` (named with blanks between) off, its foreign keys' too; switch them on again, and return
    how many rows it met."""
    names = [sql.Identifier(table) for table in tables.split()]
    with superuser() as admin, admin.transaction():
        triggers = [(name, trigger) for name, table in zip(names, tables.split(), strict=True) for (trigger,) in admin.execute(TRIGGERS, [table])]
        for name in names:
            admin.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER ALL").format(name))
        met = admin.execute(statement, params).rowcount
        for name in names:
            admin.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER ALL").format(name))
        for name, trigger in triggers:
            admin.execute(sql.SQL("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}").format(name, sql.Identifier(trigger)))
    return met
