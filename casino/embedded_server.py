"""One server as a child of the keeper: started once at a time, watched, and gone when the keeper is. Standard library only."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from casino.embedded_host import Host
from casino.embedded_locks import Busy, EmbeddedError, take, try_take
from casino.embedded_state import append_private

log = logging.getLogger("pitbook.embedded")

_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
_PR_SET_PDEATHSIG = 1
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)
_START_SECONDS = 150.0
_STOP_SECONDS = 20.0
_LOG_LIMIT = 10_000_000


class Server(ABC):
    """A server program. Its lock file is handed down to it and to all its children, and says with certainty whether any is alive."""

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]
    """Ends it in good order."""
    orphan_signal: ClassVar[signal.Signals]
    """Ends it at once and without fail; what it had promised is on the disk."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    @property
    @abstractmethod
    def socket(self) -> Path:
        """Where it listens."""

    @abstractmethod
    def prepare(self, lock: int) -> None:
        """Make data and configuration ready. No process of this server is alive meanwhile; what is run here keeps `lock` too."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the program and its arguments; one of these names the server's own folder."""

    @abstractmethod
    def answers(self) -> bool:
        """Return whether it takes connections."""

    @property
    def log_file(self) -> Path:
        """Where the server's own output goes: opened by the keeper, because the servers' user cannot reach the state folder."""
        return self.host.place.state / f"{self.name}.log"

    def start(self) -> None:
        """Start the server once its former run is over; does not wait until it answers."""
        lock = self._wait_for_remnants()
        try:
            self._roll_log()
            self.prepare(lock)
            self.process = self._spawn(self.command(), lock, self.orphan_signal)
            os.ftruncate(lock, 0)
            os.write(lock, str(self.process.pid).encode())
        finally:
            os.close(lock)

    def await_answer(self) -> None:
        """Wait until the server answers; raise EmbeddedError with the end of its log when it does not."""
        deadline = time.monotonic() + _START_SECONDS
        while not self.answers():
            if (code := self._running().poll()) is not None:
                raise EmbeddedError(f"{self.name} did not start ({_outcome(code)}).\n{self.log_end()}")
            if time.monotonic() > deadline:
                raise EmbeddedError(f"{self.name} was not ready after {_START_SECONDS:.0f} seconds.\n{self.log_end()}")
            time.sleep(0.01)

    def is_lost(self) -> bool:
        """Return whether it ended, or can no longer be reached because somebody swept its socket away."""
        return self.process is None or self.process.poll() is not None or not self.socket.exists()

    def tell_to_stop(self) -> None:
        """Ask it to end in good order; does not wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.stop_signal)

    def await_end(self) -> None:
        """Wait for the end; with more force each time that it takes too long."""
        if self.process is None:
            return
        for force in (self.orphan_signal, signal.SIGKILL):
            try:
                self.process.wait(_STOP_SECONDS)
                return
            except subprocess.TimeoutExpired:
                log.warning("%s did not stop in %.0f seconds and gets %s", self.name, _STOP_SECONDS, force.name)
                self.process.send_signal(force)
        self.process.wait()

    def run_tool(self, command: list[str], lock: int) -> None:
        """Run a program of the server to its end, as its user; raise EmbeddedError with its output when it fails."""
        code = self._spawn(command, lock, signal.SIGKILL).wait()
        if code != 0:
            raise EmbeddedError(f"{Path(command[0]).name} failed ({_outcome(code)}).\n{self.log_end()}")

    def _running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None, "not started"
        return self.process

    def log_end(self) -> str:
        """Return the last lines that the log got since the start began."""
        with self.log_file.open("rb") as file:
            file.seek(self._log_start)
            lines = file.read().decode(errors="replace").splitlines()
        return "\n".join([*lines[-12:], f"(from {self.log_file})"])

    def _roll_log(self) -> None:
        if self.log_file.exists() and self.log_file.stat().st_size > _LOG_LIMIT:
            self.log_file.rename(self.log_file.with_suffix(".log.1"))
        with append_private(self.log_file) as file:
            self._log_start = file.tell()

    def _spawn(self, command: list[str], lock: int, last_word: signal.Signals) -> subprocess.Popen[bytes]:
        """Run `command` as the servers' user, with a copy of the lock; when the keeper dies, the kernel sends it `last_word`."""
        with append_private(self.log_file) as output:
            return subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env=_ENVIRONMENT,
                pass_fds=(lock,),
                start_new_session=True,
                preexec_fn=_end_with_parent(os.getpid(), last_word),
                **self.host.identity(),
            )

    def _wait_for_remnants(self) -> int:
        """Return the server's lock once the last process of a former run is gone, by force if need be."""
        path = self.host.place.lock(self.name)
        for force in (self.orphan_signal, signal.SIGKILL):
            if (lock := try_take(path)) is not None:
                return lock
            self._dismiss(path, force)
            with contextlib.suppress(Busy):
                return take(path, seconds=_STOP_SECONDS, waiting_for="its end")
        raise EmbeddedError(f"A former {self.name}, process {_read(path) or 'unknown'}, does not end ({path}).")

    def _dismiss(self, lock_file: Path, force: signal.Signals) -> None:
        """Send a former run a signal; where the kernel could, it sent the first one when its keeper was killed."""
        pid = _read(lock_file)
        if pid.isdigit() and self.command()[-1] in _command_line(int(pid)):
            log.info("a former %s, process %s, gets %s", self.name, pid, force.name)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), force)


def _end_with_parent(keeper: int, number: signal.Signals) -> Callable[[], None] | None:
    """Return what a child does before its program starts: ask the kernel for a signal when the keeper dies (Linux only)."""
    if sys.platform != "linux":
        return None

    def arrange() -> None:
        assert _PRCTL is not None
        _PRCTL(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)

    return arrange


def _command_line(pid: int) -> str:
    """Return the command line of a process, empty when there is none."""
    if not Path("/proc/self/cmdline").exists():
        found = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], check=False, capture_output=True)  # noqa: S603, S607
        return os.fsdecode(found.stdout)
    with contextlib.suppress(OSError):
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" "))
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _outcome(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
