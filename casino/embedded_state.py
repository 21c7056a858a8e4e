"""Where an embedded state lives on this machine, and the passwords in it. Standard library only."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets as random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from casino.embedded_locks import WAY_OUT, EmbeddedError, held, is_taken

ROOT_HOMES = Path("/var/lib/pitbook")
_SOCKET_FOLDERS = Path("/tmp")  # noqa: S108 - a socket's path must be short; the folder in it is made 0700 and checked


@dataclass(frozen=True)
class Secrets:
    """What `secrets.json` holds: the state's name and its maker's user id, and four passwords."""

    id: str
    uid: int
    owner: str
    app: str
    superuser: str
    valkey: str


@dataclass(frozen=True)
class Place:
    """The folders of one state: `state` is the user's, `home` has the servers' data, `run` their sockets.

    For an ordinary user `home` is `state`. As root the servers run as another user, who cannot be let into a folder like
    /root without opening it, so that `home` is beside it all, under /var/lib/pitbook.
    """

    state: Path
    home: Path
    run: Path

    @property
    def ready(self) -> Path:
        """The keeper's note that both servers take connections."""
        return self.state / "ready.json"

    @property
    def keeper_log(self) -> Path:
        """Where the keeper says what it does, and what went wrong."""
        return self.state / "keeper.log"

    def lock(self, name: str) -> Path:
        """Return the path of a lock: leases, starting, keeper, postgres, valkey."""
        return self.state / f"{name}.lock"

    def is_served(self) -> bool:
        """Return whether a keeper lives and says that its servers are ready: two looks, some microseconds."""
        return self.ready.exists() and is_taken(self.lock("keeper"))


def place_of(state: Path, secrets: Secrets) -> Place:
    """Return the folders of `state` for the user who runs this process.

    As root they are named by the state's own name, not by its path: they follow a checkout that is moved.
    """
    if os.geteuid() == 0:
        home = ROOT_HOMES / secrets.id
        return Place(state, home, home / "run")
    name = hashlib.sha256(os.fsencode(state) + secrets.id.encode()).hexdigest()[:12]
    return Place(state, state, _SOCKET_FOLDERS / f"pitbook-{os.geteuid()}-{name}")


def read_or_make_secrets(state: Path) -> Secrets:
    """Return the secrets of `state`; the first of many processes makes the folder (0700) and the file (0600)."""
    if (secrets := read_secrets(state)) is not None:
        return secrets
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        with held(state / "starting.lock", seconds=60, waiting_for="another process to make the passwords"):
            if not secrets_file(state).exists():
                write_private(secrets_file(state), json.dumps(asdict(_new_secrets()), indent=1))
    except OSError as error:
        raise EmbeddedError(f"The state folder {state} cannot be made: {error}. PITBOOK_STATE moves it. {WAY_OUT}") from error
    return read_or_make_secrets(state)


def read_secrets(state: Path) -> Secrets | None:
    """Return the secrets of `state`, None where there are none; raise EmbeddedError when they are another user's or damaged."""
    try:
        secrets = Secrets(**json.loads(secrets_file(state).read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise EmbeddedError(f"{secrets_file(state)} cannot be read: {error.strerror}. PITBOOK_STATE moves the state folder. {WAY_OUT}") from error
    except (ValueError, TypeError) as error:
        raise EmbeddedError(f"{secrets_file(state)} is damaged: {error}. Without its passwords the data beside it cannot be opened.") from error
    if secrets.uid != os.geteuid():
        raise EmbeddedError(
            f"The state folder {state} belongs to the user with id {secrets.uid}; you are {os.geteuid()}. "
            f"Run as that user, or set PITBOOK_STATE to a folder of your own."
        )
    return secrets


def secrets_file(state: Path) -> Path:
    """Return the path of the file that makes a folder a state."""
    return state / "secrets.json"


def state_of_home(home: Path) -> Path | None:
    """Return the state folder that one of root's homes was last used for, None when that is not known."""
    with contextlib.suppress(OSError):
        return Path((home / "state").read_text(encoding="utf-8", errors="surrogateescape"))
    return None


def write_private(path: Path, text: str, *, owner: tuple[int, int] | None = None) -> None:
    """Write `text` to `path` whole or not at all, 0600, on the disk before it has its name; `owner` as (uid, gid)."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{random.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            if owner is not None:
                os.fchown(file.fileno(), *owner)
        draft.rename(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def append_private(path: Path) -> BinaryIO:
    """Return `path` open for appending, 0600: logs tell of data."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")


def _new_secrets() -> Secrets:
    passwords = (random.token_hex(24) for _ in range(4))
    return Secrets(random.token_hex(6), os.geteuid(), *passwords)
