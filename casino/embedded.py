"""The PostgreSQL and Valkey that come with the Python packages, for one machine without services.

    servers = locate(state)     where they are, and the passwords; starts nothing
    servers = ensure(state)     the same, and they run until this process ends, however it ends

    python -m casino.embedded status STATE     says whether they run
    python -m casino.embedded hold STATE       runs them until it is interrupted
    python -m casino.embedded wipe STATE       deletes the state, and what root has of it elsewhere

Every process that needs them says `ensure`; the first starts them, the last one's end stops them (casino/embedded_keeper.py).
Imports no app.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from casino.embedded_locks import WAY_OUT, EmbeddedError, held, is_current, take
from casino.embedded_state import Place, place_of, read_or_make_secrets, read_secrets

__all__ = ["EmbeddedError", "Servers", "ensure", "locate"]

_CHECKOUT = Path(__file__).resolve().parents[1]
_STOPPING_SECONDS = 90.0
_STARTING_SECONDS = 240.0
_TRIES = 3


@dataclass(frozen=True)
class Servers:
    """Where the two servers of a state listen, and how to log in. `postgres_host` is the folder of PostgreSQL's socket."""

    postgres_host: str
    owner_password: str
    app_password: str
    superuser_password: str
    valkey_socket: str
    valkey_password: str
    postgres_port: int = 5432
    database: str = "pitbook"
    owner: str = "pitbook_owner"
    app: str = "pitbook_app"
    superuser: str = "pitbook_super"

    def broker_url(self) -> str:
        """Return Celery's URL: database 0. kombu wants the password before the @."""
        return f"redis+socket://:{quote(self.valkey_password, safe='')}@{quote(self.valkey_socket)}?virtual_host=0"

    def redis_url(self, db: int = 1) -> str:
        """Return redis-py's URL of a database; 0 is the broker's."""
        return f"unix://:{quote(self.valkey_password, safe='')}@{quote(self.valkey_socket)}?db={db}"


@dataclass(frozen=True)
class _Lease:
    descriptor: int
    place: Place
    servers: Servers


_leases: dict[Path, _Lease] = {}
_guard = threading.Lock()


def _renew_guard() -> None:
    global _guard
    _guard = threading.Lock()


# A child forked while another thread was inside `ensure` would wait for ever for the lock of a thread that it does not have.
os.register_at_fork(after_in_child=_renew_guard)


def locate(state: Path) -> Servers:
    """Return where the servers of `state` are or will be, without starting any; makes folder and passwords when missing."""
    return _find(state.resolve())[1]


def ensure(state: Path, *, durable: bool = True) -> Servers:
    """Return the servers of `state`, running, and kept running until this process and those forked from it have ended.

    Costs microseconds when they run already. `durable` counts when they are started: False, for tests, does not wait for the
    disk. Raises EmbeddedError when they are not to be had, or run for tests while `durable` is asked for.
    """
    lease = _leases.get(state)
    if lease is not None and _is_good(lease):
        return lease.servers
    with _guard:
        return _join(state.resolve(), state, durable).servers


def _is_good(lease: _Lease) -> bool:
    """Return whether the lease is still held (a program that becomes a daemon closes all descriptors) and a keeper is there."""
    return is_current(lease.descriptor, lease.place.lock("leases")) and lease.place.is_served()


def _join(state: Path, name: Path, durable: bool) -> _Lease:
    place, servers = _find(state)
    lease = _leases.get(name)
    if lease is None or not is_current(lease.descriptor, place.lock("leases")):
        descriptor = take(place.lock("leases"), shared=True, seconds=_STOPPING_SECONDS, waiting_for="the servers to stop")
        lease = _leases[name] = _Lease(descriptor, place, servers)
    if not place.is_served():
        with held(place.lock("starting"), seconds=_STARTING_SECONDS, waiting_for="another process to start the servers"):
            _start(place, durable)
    if durable and not (_ready_note(place) or {}).get("durable", True):
        raise EmbeddedError(f"The servers of {state} run for tests and do not wait for the disk. Set PITBOOK_STATE to another folder.")
    return lease


def _start(place: Place, durable: bool) -> None:
    """Have a keeper started, unless one is ready. It may be killed in between, so it is tried more than once."""
    for _ in range(_TRIES):
        if place.is_served():
            return
        command = [sys.executable, "-m", "casino.embedded", "keep", str(place.state), *([] if durable else ["--not-durable"])]
        done = subprocess.run(  # noqa: S603
            command,
            check=False,
            cwd=_CHECKOUT,
            env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if done.returncode > 0:
            complaint = done.stderr.decode(errors="replace").strip()
            raise EmbeddedError(complaint if WAY_OUT in complaint else f"{complaint}\n{WAY_OUT}")
    if not place.is_served():
        raise EmbeddedError(f"The servers of {place.state} were started {_TRIES} times and did not stay. See {place.keeper_log}. {WAY_OUT}")


def _ready_note(place: Place) -> dict[str, Any] | None:
    """Return what the keeper noted when its servers were ready, None while they are not."""
    try:
        note: dict[str, Any] = json.loads(place.ready.read_text())
    except FileNotFoundError:
        return None
    return note if place.is_served() else None


def _find(state: Path) -> tuple[Place, Servers]:
    secrets = read_or_make_secrets(state)
    place = place_of(state, secrets)
    servers = Servers(
        postgres_host=str(place.run),
        owner_password=secrets.owner,
        app_password=secrets.app,
        superuser_password=secrets.superuser,
        valkey_socket=str(place.run / "valkey.sock"),
        valkey_password=secrets.valkey,
    )
    return place, servers


def _status(state: Path) -> int:
    """Say what runs; 0 when the servers do, 3 when not."""
    secrets = read_secrets(state)
    place = place_of(state, secrets) if secrets else None
    if place is None or (note := _ready_note(place)) is None:
        sys.stdout.write(f"not running: {state}\n")
        return 3
    sys.stdout.write(f"running: {state}\n{json.dumps(note)}\nsockets in {place.run}\n")
    return 0


def _hold(state: Path, durable: bool) -> int:
    """Run the servers until this process is interrupted."""
    ensure(state, durable=durable)
    _status(state)
    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell had it ignored
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
    return 0


def main() -> int:
    """Run one of the commands of the module's docstring; `keep` is what `ensure` itself starts."""
    parser = argparse.ArgumentParser(prog="python -m casino.embedded")
    parser.add_argument("command", choices=["status", "hold", "wipe", "keep"])
    parser.add_argument("state", type=Path)
    parser.add_argument("--not-durable", action="store_true", help="for tests: do not wait for the disk")
    asked = parser.parse_args()
    state = asked.state.resolve()
    try:
        match asked.command:
            case "keep":
                from casino.embedded_keeper import launch

                return launch(state, durable=not asked.not_durable)
            case "wipe":
                from casino.embedded_wipe import wipe

                return wipe(state)
            case "hold":
                return _hold(state, durable=not asked.not_durable)
        return _status(state)
    except EmbeddedError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
