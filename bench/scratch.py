"""A database of its own for a measurement: made anew beside the house's on the embedded server, migrated, and dropped afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


def ready() -> None:
    """Have Django set up and the broker running, once."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    import django

    django.setup()
    from casino.jobs import ensure_broker

    ensure_broker()


@contextmanager
def database() -> Iterator[None]:
    """Point the connections to a new migrated database, and drop it at the end."""
    ready()
    from django.core.management import call_command
    from django.db import connections

    name = f"bench_{os.getpid()}"
    before = connections["default"].settings_dict["NAME"]
    administer(f'CREATE DATABASE "{name}" OWNER pitbook_owner TEMPLATE template0')
    try:
        _point_to(name)
        call_command("migrate", database="owner", verbosity=0)
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pitbook_make_partitions('2026-03-01')")
        yield
    finally:
        _point_to(before)
        administer(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _point_to(name: str) -> None:
    from django.db import connections

    for alias in ("default", "owner"):
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def administer(statement: str) -> None:
    """Run one statement as the embedded server's superuser."""
    with superuser("postgres") as admin:
        admin.execute(statement)


def superuser(database: str | None = None) -> psycopg.Connection:
    """Return a connection of the embedded server's superuser to `database`, the one that is measured where none is named."""
    from django.conf import settings
    from django.db import connections

    servers = settings.SERVERS
    if servers is None:
        raise SystemExit("These measurements make a database of their own on the embedded server; unset DATABASE_URL.")
    name = database or connections["default"].settings_dict["NAME"]
    return psycopg.connect(host=servers.postgres_host, dbname=name, user=servers.superuser, password=servers.superuser_password, autocommit=True)
