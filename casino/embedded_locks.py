"""File locks of the embedded servers, and the error that all of them raise.

Everything that is shared between processes hangs on `flock`: the kernel lets go of such a lock when its last holder ends,
however it ends, so nothing has to be counted, and nothing is left to clean after kill -9.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

WAY_OUT = "Servers of your own can be used instead: set DATABASE_URL, DATABASE_OWNER_URL and REDIS_URL."
_PAUSE = 0.02


class EmbeddedError(RuntimeError):
    """The embedded servers are not to be had; the message says why, where to look and what can be done."""


class Busy(EmbeddedError):
    """Somebody else held the lock for longer than one was willing to wait."""


def try_take(path: Path, *, shared: bool = False) -> int | None:
    """Return a descriptor that holds the lock of `path`, or None where it is taken. The file is made when missing, 0600."""
    descriptor = _open(path)
    try:
        if _flock(descriptor, path, fcntl.LOCK_SH if shared else fcntl.LOCK_EX) and is_current(descriptor, path):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def take(path: Path, *, shared: bool = False, seconds: float, waiting_for: str) -> int:
    """Return a descriptor that holds the lock; raise Busy when it is not to be had in `seconds`.

    It asks again and again instead of blocking, because a wait must have an end, and opens anew each time, because the
    folder may be wiped and made again meanwhile.
    """
    deadline = time.monotonic() + seconds
    while (descriptor := try_take(path, shared=shared)) is None:
        if time.monotonic() > deadline:
            raise Busy(f"Waited {seconds:.0f} seconds for {waiting_for} ({path}).")
        time.sleep(_PAUSE)
    return descriptor


@contextmanager
def held(path: Path, *, seconds: float, waiting_for: str) -> Iterator[None]:
    """Hold the lock of `path` for the length of a block."""
    descriptor = take(path, seconds=seconds, waiting_for=waiting_for)
    try:
        yield
    finally:
        os.close(descriptor)


def is_taken(path: Path) -> bool:
    """Return whether somebody holds the lock of `path` exclusively. Does not make the file."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return not _flock(descriptor, path, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def is_current(descriptor: int, path: Path) -> bool:
    """Return whether `path` still is the very file that `descriptor` has open: a lock on a deleted file protects nothing."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise EmbeddedError(f"The lock file {path} cannot be opened: {error.strerror}. PITBOOK_STATE moves the state folder. {WAY_OUT}") from error


def _flock(descriptor: int, path: Path, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise EmbeddedError(
            f"The file system of {path.parent} does not lock files (flock: {error.strerror}). "
            f"Set PITBOOK_STATE to a folder on a local disk. {WAY_OUT}"
        ) from error
    return True
