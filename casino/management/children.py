"""The processes that a command starts beside itself, and stops again: those, and only those."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from django.core.management.base import CommandError

PR_SET_PDEATHSIG = 1
PATIENCE = 15.0


def _die_with_parent() -> None:
    """Ask Linux to end the child when its parent is gone, also by kill -9."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Children:
    """Processes of one command, stopped when the `with` block ends, however it ends."""

    def __init__(self, logs: Path) -> None:
        self.logs = logs
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        logs.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, name: str, arguments: Sequence[str]) -> None:
        """Start `python -m arguments`, its output in logs/name.log. Its session is its own: Ctrl-C is ours to hand on."""
        with (self.logs / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - our own modules
                [sys.executable, "-m", *arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        self._running.append((name, process))

    def check(self) -> None:
        """Raise CommandError naming the first process that ended, with the end of its log."""
        for name, process in self._running:
            if process.poll() is not None:
                raise CommandError(f"The {name} ended with code {process.returncode}:\n{self.tail(name)}")

    def tail(self, name: str) -> str:
        """Return the last lines of a process's log."""
        lines = (self.logs / f"{name}.log").read_text(errors="replace").splitlines()
        return "\n".join(lines[-15:])

    def stop(self) -> None:
        """End all of them: politely, then not."""
        for _, process in self._running:
            if process.poll() is None:
                process.terminate()
        for _, process in self._running:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._running.clear()


WORKER = ("celery", "-A", "casino", "worker", "--loglevel", "INFO", "--concurrency", "2", "--without-gossip", "--without-mingle")
_SEALING = ("--queues", "seal", "--pool", "solo", "--hostname", "sealer@%h")
SEALER = ("celery", "-A", "casino", "worker", "--loglevel", "INFO", *_SEALING, "--without-gossip", "--without-mingle")
"""The sealing worker: the one process that reads the key which signs checkpoints."""
BEAT = ("celery", "-A", "casino", "beat", "--loglevel", "INFO", "--pidfile", "")


def web(port: int) -> Sequence[str]:
    """Return the web server's arguments: loopback only."""
    return (
        "gunicorn",
        "casino.wsgi:application",
        "--bind",
        f"127.0.0.1:{port}",
        "--worker-class",
        "gthread",
        "--threads",
        "8",
        "--access-logfile",
        "-",
    )


def refuse_busy(port: int) -> None:
    """Raise CommandError where `port` of 127.0.0.1 is not to be had."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(f"Port {port} of 127.0.0.1 is not to be had ({error.strerror}). Choose another: PORT=8001.") from error


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turn SIGINT (also where a shell had it ignored), SIGTERM and SIGHUP into the KeyboardInterrupt of Ctrl-C: everything is stopped in order."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
