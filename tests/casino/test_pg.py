"""The engine `casino.pg`, which has its server running when it connects, and the log-ins on servers elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import kombu
import psycopg
import pytest
from django.core.management import CommandError, call_command

from casino import embedded
from casino.management.commands.create_roles import Command
from tests.casino.embedded_house import CHECKOUT, SECONDS, House

SETTINGS = """
import json, os, signal, sys
from pathlib import Path
import django
from django.conf import settings
from casino.embedded import locate
from casino.embedded_locks import is_taken

state = Path({state!r})
servers = locate(state)
settings.configure(USE_TZ=True, DATABASES={{"default": {{
    "ENGINE": "casino.pg", "NAME": servers.database, "USER": servers.app, "PASSWORD": servers.app_password,
    "HOST": servers.postgres_host, "PORT": servers.postgres_port, "CONN_HEALTH_CHECKS": True,
    "OPTIONS": {{"EMBEDDED_STATE": str(state), "EMBEDDED_DURABLE": False, **{options!r}}},
}}}})
django.setup()
from django.core.management import execute_from_command_line
from django.db import OperationalError, connection

def ask(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]

def lose_the_keeper():
    os.kill(json.loads((state / "ready.json").read_text())["keeper"], signal.SIGKILL)
    while is_taken(state / "keeper.lock"):
        pass

"""


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A state of this file's own; its first start is the engine's business."""
    with tempfile.TemporaryDirectory(prefix="pitbook-test-") as name:
        house = House(Path(name).resolve() / "state")
        yield house
        house.close()


def django(house: House, code: str, **options: object) -> str:
    """Return what a Django process prints whose only database is the house's."""
    words = [sys.executable, "-c", SETTINGS.format(state=str(house.state), options=options) + code]
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_command_without_database_starts_nothing(house: House) -> None:
    django(house, "execute_from_command_line(['manage.py', 'help', 'migrate'])")
    assert not house.place.ready.exists()
    assert not house.place.keeper_log.exists()


def test_the_first_connection_starts_the_server_and_the_process_stops_it(house: House) -> None:
    assert django(house, "print(ask('SELECT current_user'))") == "pitbook_app\n"
    house.await_silence()


def test_options_of_libpq_are_passed_on(house: House) -> None:
    printed = django(house, "print(ask('SHOW client_connection_check_interval'))", options="-c client_connection_check_interval=500ms")
    assert printed == "500ms\n"


@pytest.mark.parametrize("options", [{}, {"pool": {"min_size": 1, "max_size": 2, "timeout": 10}}], ids=["plain", "pool"])
def test_a_connection_after_the_keeper_was_killed_brings_the_servers_back(house: House, options: dict[str, object]) -> None:
    code = "print(ask('SELECT 1'))\nconnection.close()\nlose_the_keeper()\nprint(ask('SELECT 2'))\nconnection.close()\nconnection.close_pool()"
    assert django(house, code, **options) == "1\n2\n"


def test_a_server_that_is_not_to_be_had_is_a_database_error(house: House) -> None:
    code = (
        "from casino.pg import base\n"
        "def refuse(*_, **__): raise base.EmbeddedError('no disk')\n"
        "base.ensure = refuse\n"
        "try: ask('SELECT 1')\n"
        "except OperationalError as error: print(error)\n"
    )
    assert django(house, code) == "no disk\n"


def test_the_broker_url_is_one_that_kombu_understands(house: House) -> None:
    house.hold().up()
    with kombu.Connection(embedded.locate(house.state).broker_url()) as connection:
        queue = connection.SimpleQueue("slips")
        queue.put({"table": "UTH-01"})
        assert queue.get(timeout=10).payload == {"table": "UTH-01"}
        queue.close()
    house.leave()


def test_dbshell_needs_no_psql_of_the_machine(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath.replace("/usr/bin", "/nowhere"))
    assert "pitbook_app" in django(house, "execute_from_command_line(['manage.py', 'dbshell', '--', '-Atc', 'SELECT current_user'])")


@pytest.fixture
def elsewhere(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server with an administrator who is no superuser, and the three variables; returns its host part of a URL."""
    house.hold().up()
    servers = embedded.locate(house.state)
    house.sql("CREATE ROLE manager LOGIN CREATEROLE CREATEDB PASSWORD 'm'", "superuser", "postgres")
    where = f"?host={quote(servers.postgres_host, safe='')}"
    monkeypatch.setenv("DATABASE_ADMIN_URL", f"postgresql://manager:m@/postgres{where}")
    monkeypatch.setenv("DATABASE_OWNER_URL", "postgresql://house_owner:o%2Fo@db/house")
    monkeypatch.setenv("DATABASE_URL", "postgresql://house_app:a@db/house")
    yield where
    for statement in ("DROP DATABASE IF EXISTS house", "DROP ROLE IF EXISTS house_owner, house_app", "DROP ROLE manager"):
        house.sql(statement, "superuser", "postgres")
    house.leave()


def test_create_roles_makes_log_ins_and_database_and_may_be_repeated(elsewhere: str) -> None:
    for _ in range(2):
        call_command(Command())
    with psycopg.connect(f"postgresql://house_owner:o%2Fo@/house{elsewhere}", autocommit=True) as owner:
        owner.execute("CREATE TABLE books (n int)")
    with psycopg.connect(f"postgresql://house_app:a@/house{elsewhere}", autocommit=True) as app:
        for statement in ("SELECT * FROM books", "CREATE TABLE mine (n int)", "SET ROLE house_owner"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute(statement)
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(f"postgresql://manager:m@/house{elsewhere}")


def test_create_roles_refuses_what_would_guard_nothing(elsewhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for url, reason in (
        ("postgresql://house_owner:x@db/house", "the same user"),
        ("postgresql://house_app:x@db/another", "different databases"),
        ("postgresql://house_app@db/house", "must name a user, a password and a database"),
        ("postgresql://pitbook_super:x@db/house", "pitbook_super is a superuser or nearly so"),
        ("", "DATABASE_URL is not set"),
    ):
        monkeypatch.setenv("DATABASE_URL", url)
        with pytest.raises(CommandError, match=reason):
            call_command(Command())
