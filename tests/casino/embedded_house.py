"""A state folder of a test's own, the processes that use it, and waiting that ends. Needs Linux's /proc."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from casino import embedded
from casino.embedded_state import Place, place_of, read_or_make_secrets

CHECKOUT = Path(__file__).resolve().parents[2]
SECONDS = 60.0
PRELUDE = """
import os, time
from pathlib import Path
from casino.embedded import ensure

state = Path({state!r})

def leases():
    open_files = [path.resolve().name for path in Path("/proc/self/fd").iterdir()]
    return open_files.count("leases.lock")

"""


def until(condition: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """Return the condition's first true answer; fail when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for: {what}"
        time.sleep(0.02)
    return answer


def kill(*pids: int) -> None:
    """Kill each one that has not gone with another."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class Holder(subprocess.Popen[str]):
    """A process that needs the servers: `python -m casino.embedded hold`."""

    def up(self) -> Holder:
        """Wait until it has the servers."""
        assert self.stdout is not None
        assert self.stdout.readline().startswith("running: ")
        return self

    def end(self) -> None:
        """End it as hard as can be."""
        self.kill()
        self.communicate()

    def outcome(self) -> tuple[int, str]:
        """Return the exit code and what it complained of."""
        _, complaint = self.communicate(timeout=SECONDS)
        return self.returncode, complaint


class House:
    """One state, whose servers run for tests unless `durable`."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.holders: list[Holder] = []

    @property
    def place(self) -> Place:
        return place_of(self.state, read_or_make_secrets(self.state))

    def hold(self, *, durable: bool = False, **options: Any) -> Holder:
        """Start a holder; does not wait for it."""
        command = [sys.executable, "-m", "casino.embedded", "hold", *([] if durable else ["--not-durable"]), str(self.state)]
        options = {"cwd": CHECKOUT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True, **options}
        self.holders.append(Holder(command, **options))
        return self.holders[-1]

    def say(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run `python -m casino.embedded COMMAND STATE`."""
        words = [sys.executable, "-m", "casino.embedded", command, str(self.state)]
        return subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=SECONDS)

    def run(self, code: str) -> str:
        """Run Python code that may use `state`, `ensure` and `leases()`, how many it holds; return what it printed."""
        words = [sys.executable, "-c", PRELUDE.format(state=str(self.state)) + code]
        done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=False, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ready(self) -> dict[str, Any]:
        """Wait for the keeper's note and return it: the process numbers of keeper, postgres and valkey."""
        return until(self._note, "the servers to be ready")

    def _note(self) -> dict[str, Any] | None:
        try:
            return json.loads(self.place.ready.read_text()) if self.place.is_served() else None
        except FileNotFoundError:
            return None

    def sql(self, statement: str, role: str = "owner", database: str = "pitbook") -> list[tuple[Any, ...]]:
        """Run one statement as a role in a connection of its own; waits for nothing and starts nothing."""
        servers = embedded.locate(self.state)
        with psycopg.connect(
            host=servers.postgres_host,
            user=getattr(servers, role),
            password=getattr(servers, f"{role}_password"),
            dbname=database,
            autocommit=True,
        ) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def processes(self) -> set[int]:
        """Return every live process that has a file of the state open: holders, keeper, and each process of the servers."""
        return {int(folder.name) for folder in Path("/proc").glob("[0-9]*") if self._uses(folder)} - {os.getpid()}

    def _uses(self, process: Path) -> bool:
        try:
            files = [str(each.readlink()) for each in (process / "fd").iterdir()]
        except OSError:
            return False
        return any(file.startswith(f"{self.state}/") for file in files)

    def await_silence(self) -> None:
        """Wait until no process uses the state, and nothing of it can be connected to."""
        until(lambda: not self.processes(), f"the end of {self.state}'s processes")

    def leave(self) -> None:
        """Kill what holds on, and see that nothing is left running."""
        for holder in self.holders:
            holder.end()
        self.holders.clear()
        self.await_silence()

    def close(self) -> None:
        """Leave, and delete the state."""
        self.leave()
        if self.state.exists():
            done = self.say("wipe")
            assert done.returncode == 0, done.stderr
