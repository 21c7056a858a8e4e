"""The keeper: one process a state, which starts the servers, watches them, and stops them when nobody needs them.

    client   holds `leases` shared, until its process ends, however that ends
    keeper   holds `keeper`; starts both servers; writes ready.json; asks for `leases` alone, which it gets when the last client is gone;
             stops both servers; lets go of `keeper`, then of `leases`, so that nobody joins servers that are being stopped

The kernel stops the servers when the keeper is killed (on Linux; elsewhere the next keeper does), and the keeper starts again a
server that was killed. So whatever is killed, nothing is left behind, and whoever still needs the servers gets them back.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TextIO

from casino.embedded_host import Host, prepare_host
from casino.embedded_locks import EmbeddedError, is_current, try_take
from casino.embedded_postgres import Postgres
from casino.embedded_server import Server, log
from casino.embedded_state import Place, Secrets, append_private, place_of, read_or_make_secrets, write_private
from casino.embedded_valkey import Valkey

READY = "ready"
_LOOK_EVERY = 0.2
_PATIENCE = 180.0
_LOG_LIMIT = 1_000_000
_MENDS_A_MINUTE = 5


def launch(state: Path, *, durable: bool) -> int:
    """Start a keeper in the background and return 0 once its servers, or those of another keeper, are ready; else say why not."""
    reading, writing = os.pipe()
    ears, mouth = os.fdopen(reading), os.fdopen(writing, "w", errors="backslashreplace")
    if os.fork() == 0:
        os.setsid()
        ears.close()
        _live(state, durable, mouth)
    mouth.close()
    word = ears.read()
    if word == READY:
        return 0
    sys.stderr.write((word or "The keeper was killed before its servers were ready.") + f"\nThe whole story: {state}/keeper.log\n")
    return 1


def _live(state: Path, durable: bool, mouth: TextIO) -> NoReturn:
    """Be the keeper, to the end of this process."""
    code = 1
    try:
        place, secrets = _settle_down(state)
        code = _keep(place, secrets, durable, lambda: _tell(mouth, READY))
    except (EmbeddedError, OSError) as error:
        log.error("%s", error)
        _tell(mouth, str(error))
    except Exception as error:
        log.exception("a fault in the keeper itself")
        _tell(mouth, f"A fault in the keeper itself: {error!r}.")
    finally:
        os._exit(code)


def _tell(mouth: TextIO, word: str) -> None:
    """Say `word` to the launcher, and no more; it may be gone (OSError), or have heard its word already (ValueError)."""
    with contextlib.suppress(OSError, ValueError):
        mouth.write(word)
        mouth.close()


def _settle_down(state: Path) -> tuple[Place, Secrets]:
    """Leave the caller's terminal, folder and umask: copies must be readable to the servers' user, and other modes are explicit."""
    os.umask(0o022)
    os.chdir("/")
    secrets = read_or_make_secrets(state)
    place = place_of(state, secrets)
    if place.keeper_log.exists() and place.keeper_log.stat().st_size > _LOG_LIMIT:
        place.keeper_log.rename(place.keeper_log.with_suffix(".log.1"))
    with append_private(place.keeper_log) as output, open(os.devnull) as nothing:  # noqa: PTH123 - a device
        for file, number in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(file.fileno(), number)
    logging.Formatter.converter = time.gmtime
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format=f"%(asctime)sZ [{os.getpid()}] %(message)s")
    return place, secrets


def _keep(place: Place, secrets: Secrets, durable: bool, say_ready: Callable[[], None]) -> int:
    """Keep the servers of `place` until nobody holds a lease; return at once when another keeper has them ready."""
    seat = _take_seat(place)
    if seat is not None:
        host = prepare_host(place, secrets)
        servers: list[Server] = [Postgres(host, secrets, durable=durable), Valkey(host, secrets, durable=durable)]
        _Keeper(host, servers, seat, durable).run(say_ready)
    else:
        say_ready()
    return 0


def _take_seat(place: Place) -> int | None:
    """Return the keeper's lock, or None once another keeper's servers are ready.

    It is asked for more than once, because a client that looks whether it is taken holds it for an instant.
    """
    deadline = time.monotonic() + _PATIENCE
    while (seat := try_take(place.lock("keeper"))) is None:
        if place.is_served():
            return None
        if time.monotonic() > deadline:
            raise EmbeddedError(f"Another keeper has had {place.lock('keeper')} for {_PATIENCE:.0f} seconds and is not ready.")
        time.sleep(_LOOK_EVERY / 10)
    place.ready.unlink(missing_ok=True)
    return seat


class _Keeper:
    """The servers of one place, and the wish to stop."""

    def __init__(self, host: Host, servers: list[Server], seat: int, durable: bool) -> None:
        self.place = host.place
        self.servers = servers
        self.seat = seat
        self.durable = durable
        self.told_to_stop = False
        self.mends: deque[float] = deque(maxlen=_MENDS_A_MINUTE)
        self.wake, bell = os.pipe()
        for end in (self.wake, bell):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_stop)

    def run(self, say_ready: Callable[[], None]) -> None:
        """Start the servers, say so, watch them until the end is due, and stop them in any case."""
        leases: int | None = None
        try:
            self._start(self.servers)
            say_ready()
            leases = self._watch()
        finally:
            self._stop()
            os.close(self.seat)
            if leases is not None:
                os.close(leases)

    def _start(self, servers: list[Server]) -> None:
        for server in servers:
            server.start()
        for server in servers:
            server.await_answer()
        self._write_ready()

    def _watch(self) -> int | None:
        """Return when the servers are to stop: with the lock of `leases` when its last holder is gone."""
        while not self.told_to_stop and is_current(self.seat, self.place.lock("keeper")):
            if (leases := try_take(self.place.lock("leases"))) is not None:
                return leases
            lost = [server for server in self.servers if server.is_lost()]
            if lost:
                self._mend(lost)
            else:
                self._nap()
        return None

    def _mend(self, lost: list[Server]) -> None:
        """Start lost servers again; give up when that happens too often to be an accident."""
        now = time.monotonic()
        if len(self.mends) == _MENDS_A_MINUTE and now - self.mends[0] < 60:
            raise EmbeddedError(f"{lost[0].name} was lost {_MENDS_A_MINUTE} times within a minute.\n{lost[0].log_end()}")
        self.mends.append(now)
        self.place.ready.unlink(missing_ok=True)
        for server in lost:
            log.warning("%s is gone and is started again", server.name)
            server.tell_to_stop()
            server.await_end()
        self._start(lost)

    def _nap(self) -> None:
        """Sleep until the next look at the leases; a child's end or a signal wakes it at once."""
        select.select([self.wake], [], [], _LOOK_EVERY)
        with contextlib.suppress(BlockingIOError):
            os.read(self.wake, 4096)

    def _write_ready(self) -> None:
        processes = {server.name: server.process.pid for server in self.servers if server.process}
        write_private(self.place.ready, json.dumps({"keeper": os.getpid(), **processes, "durable": self.durable}))
        log.info("ready: %s, sockets in %s", processes, self.place.run)

    def _stop(self) -> None:
        """Stop both servers. Where the state folder is no longer the one that we began in, its ready.json is another keeper's."""
        if is_current(self.seat, self.place.lock("keeper")):
            self.place.ready.unlink(missing_ok=True)
        for server in self.servers:
            server.tell_to_stop()
        for server in self.servers:
            server.await_end()
        with contextlib.suppress(OSError):
            self.place.run.rmdir()
        log.info("stopped")

    def _on_stop(self, *_: object) -> None:
        self.told_to_stop = True
