"""Deleting a state: the folder, and what its servers had elsewhere. Standard library only."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path

from casino.embedded_locks import Busy, EmbeddedError, held
from casino.embedded_state import ROOT_HOMES, Place, place_of, read_secrets, secrets_file, state_of_home

_SECONDS = 20.0


def wipe(state: Path) -> int:
    """Delete `state` and return 0; nothing there is good as well. Refuses a folder that is no state, and one that is in use."""
    if state.exists():
        _wipe_existing(state)
    for home in _homes(state):
        shutil.rmtree(home, ignore_errors=True)
    return 0


def _wipe_existing(state: Path) -> None:
    secrets = read_secrets(state)
    if secrets is None:
        raise EmbeddedError(f"{state} is not a state folder of Pitbook ({secrets_file(state).name} is missing); nothing was deleted.")
    place = place_of(state, secrets)
    locks = [place.lock("keeper"), place.lock("leases")]  # in this order: the keeper ends when it gets the leases, and wants them first
    with contextlib.ExitStack() as stack:
        try:
            for lock in locks:
                stack.enter_context(held(lock, seconds=_SECONDS, waiting_for="the last user of the servers to end"))
        except Busy as error:
            raise EmbeddedError(f"{state} is in use and was not deleted. {error}") from error
        _delete(place, last=[secrets_file(state), *locks])
    sys.stdout.write(f"deleted: {state}\n")


def _homes(state: Path) -> list[Path]:
    """Return what root has in /var/lib/pitbook of states at this path that were deleted by other means."""
    if os.geteuid() != 0 or not ROOT_HOMES.exists():
        return []
    return [home for home in ROOT_HOMES.iterdir() if state_of_home(home) == state]


def _delete(place: Place, last: list[Path]) -> None:
    """Delete everything, the locks that we hold at the end: whoever waits for one then sees that the folder is gone, and makes it anew."""
    for folder in {place.home, place.run} - {place.state}:
        shutil.rmtree(folder, ignore_errors=True)
    for path in [*(each for each in place.state.iterdir() if each not in last), *last]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    with contextlib.suppress(OSError):  # a mount point stays
        place.state.rmdir()
