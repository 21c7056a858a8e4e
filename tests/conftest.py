"""The tests' database: migrated once, as the owner, into a template; every test works as the application, with every guard on.

Tests that a transaction can undo roll back; a test that must commit gets the database made anew from the template.
Source: design/foundations.md, 2.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
os.environ["PITBOOK_STATE"] = os.environ.get("PITBOOK_TEST_STATE") or str(ROOT / ".pitbook-test")
os.environ["PITBOOK_DURABLE"] = "0"
os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
"""Set here and not in pyproject.toml: pytest-django would read the settings, and with them the house's own state folder, before this file."""

import psycopg  # noqa: E402
import pytest  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib.auth.hashers import ScryptPasswordHasher  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402
from django.test import TransactionTestCase  # noqa: E402
from django.utils import translation  # noqa: E402
from hypothesis import settings as hypothesis_settings  # noqa: E402
from psycopg import sql  # noqa: E402

if TYPE_CHECKING:
    from tests.builders import House

hypothesis_settings.register_profile("short", max_examples=50, deadline=None)
hypothesis_settings.register_profile("thorough", max_examples=200, deadline=None)
hypothesis_settings.load_profile("short")

settings.WHITENOISE_AUTOREFRESH = True
"""A test's client makes all middleware anew: static files are looked for when one is asked for, not all at each start."""
ScryptPasswordHasher.work_factor = 2**4
"""As strong as real ones they need not be, and as slow."""

assert settings.DURABLE is False  # also reads the settings, so that pytest-django sets Django up
ALIASES = ("default", "owner")
MONTHS = ("2026-02-01", "2026-03-01", "2026-04-01", "2026-11-01")
"""The months that tests deal in."""
COPY = "CREATE DATABASE {} TEMPLATE {} {} STRATEGY FILE_COPY"
"""By files: half the time, where nothing is made durable."""
MEMORY, ROOM = Path("/dev/shm"), 2**30
"""A file system in memory, and how many bytes must be free there: a database has a thousand files, and to make them takes a tenth there."""
SOURCES = ("*/migrations/*.py", "*/services/*.py", "*/services.py", "tables/*.py", "casino/*.py", "tests/builders.py", "tables/paytables/*")
"""What the template is made from: another content is another template."""


def _no_flush(self: TransactionTestCase) -> None:
    """Leave the tables alone: the books refuse TRUNCATE, and the database is made anew instead."""


TransactionTestCase._fixture_teardown = _no_flush  # type: ignore[method-assign]


class CopiedDatabase:
    """One worker's database: a copy of the migrated template."""

    def __init__(self, worker: str) -> None:
        self.original = connections["owner"].settings_dict["NAME"]
        sources = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
        self.template = f"tpl_{digest}"
        self.name = f"test_{os.getpid()}_{worker}"
        self.kept: dict[str, datetime] = {}
        """The house's clock when its database was kept, by what it is called."""
        self.memory = f"memory_{os.getpid()}_{worker}"
        self.placed = sql.SQL("")

    def _superuser(self) -> psycopg.Connection:
        assert settings.SERVERS is not None
        params = connections["owner"].get_connection_params()
        who = {"user": settings.SERVERS.superuser, "password": settings.SERVERS.superuser_password}
        return psycopg.connect(host=params["host"], port=params["port"], dbname=self.original, autocommit=True, **who)

    def open_memory(self) -> None:
        """Have this worker's copies lie in memory, where the server is the embedded one and the machine has room there; they go with the worker."""
        if settings.SERVERS is None or not MEMORY.is_dir():
            return
        name, folder = sql.Identifier(self.memory), MEMORY / f"pitbook_{self.memory}"
        with self._superuser() as admin:
            self._forget_the_dead(admin)
            if shutil.disk_usage(MEMORY).free < ROOM:
                return
            data = Path(admin.execute("SHOW data_directory").fetchone()[0]).stat()
            folder.mkdir(mode=0o700)
            os.chown(folder, data.st_uid, data.st_gid)
            admin.execute(sql.SQL("CREATE TABLESPACE {} LOCATION {}").format(name, str(folder)))
            admin.execute(sql.SQL("GRANT CREATE ON TABLESPACE {} TO {}").format(name, sql.Identifier(connections["owner"].settings_dict["USER"])))
        self.placed = sql.SQL("TABLESPACE {}").format(name)

    def _forget_the_dead(self, admin: psycopg.Connection) -> None:
        """Take away what workers that were killed left in memory."""
        for (name,) in admin.execute(r"SELECT spcname FROM pg_tablespace WHERE spcname LIKE 'memory\_%%'").fetchall():
            if not Path(f"/proc/{name.split('_')[1]}").exists():
                self._close_memory(admin, name)

    def _close_memory(self, admin: psycopg.Connection, name: str) -> None:
        inside = admin.execute("SELECT datname FROM pg_database d JOIN pg_tablespace t ON t.oid = d.dattablespace WHERE spcname = %s", [name])
        for (database,) in inside.fetchall():
            self._drop(admin, database)
        admin.execute(sql.SQL("DROP TABLESPACE IF EXISTS {}").format(sql.Identifier(name)))
        shutil.rmtree(MEMORY / f"pitbook_{name}", ignore_errors=True)

    def _admin(self) -> psycopg.Connection:
        params = dict(connections["owner"].get_connection_params())
        keep = {key: params[key] for key in ("host", "port", "user", "password") if params.get(key)}
        return psycopg.connect(dbname=self.original, autocommit=True, **keep)

    def _point(self, name: str) -> None:
        for alias in ALIASES:
            connections[alias].close()
            connections[alias].settings_dict["NAME"] = name

    def prepare(self) -> None:
        """Migrate the template and build the standing house in it, unless it is there, under a lock of the server's."""
        from tests.builders import build_standing_house

        with self._admin() as admin:
            admin.execute("SELECT pg_advisory_lock(hashtext('pitbook template'))")
            if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [self.template]).fetchone():
                return
            building = f"{self.template}_building"
            for left_over in (building, f"{self.template}_bare"):
                admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(left_over)))
            admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(building)))
            self._point(building)
            call_command("migrate", database="owner", verbosity=0)
            self._drop_older(admin)
            with connections["default"].cursor() as cursor:
                for month in MONTHS:
                    cursor.execute("SELECT pitbook_make_partitions(%s)", [month])
            self._point(self.original)
            bare = sql.Identifier(f"{self.template}_bare")
            admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(bare, sql.Identifier(building)))
            self._point(building)
            build_standing_house()
            self._point(self.original)
            admin.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(building), sql.Identifier(self.template)))

    def _drop_older(self, admin: psycopg.Connection) -> None:
        """Drop the templates of other contents that nobody uses."""
        older = admin.execute(r"SELECT datname FROM pg_database WHERE datname LIKE 'tpl\_%%' AND datname NOT LIKE %s", [f"{self.template}%"])
        for (name,) in older.fetchall():
            with contextlib.suppress(psycopg.errors.ObjectInUse):
                admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))

    def make(self, *, bare: bool = False, kept: str = "") -> None:
        """Make the worker's database anew from the template; `bare`: migrated, with nobody in it yet; `kept`: as it was kept under that name."""
        self._point(self.name)
        source = f"{self.name}_{kept}" if kept else f"{self.template}_bare" if bare else self.template
        with self._admin() as admin:
            self._drop(admin, self.name)
            admin.execute(sql.SQL(COPY).format(sql.Identifier(self.name), sql.Identifier(source), self.placed))

    def keep(self, called: str, clock: datetime) -> None:
        """Keep a copy of the worker's database as it is now; `clock`: the house's."""
        self._point(self.name)
        with self._admin() as admin:
            names = sql.Identifier(f"{self.name}_{called}"), sql.Identifier(self.name)
            admin.execute(sql.SQL(COPY).format(*names, self.placed))
        self.kept[called] = clock

    def drop(self) -> None:
        """Drop the worker's database, and what was kept of it."""
        self._point(self.original)
        with self._admin() as admin:
            for name in (self.name, *[f"{self.name}_{called}" for called in self.kept]):
                self._drop(admin, name)
        if self.placed != sql.SQL(""):
            with self._superuser() as admin:
                self._close_memory(admin, self.memory)

    def _drop(self, admin: psycopg.Connection, name: str) -> None:
        """Drop it when the last session is gone: those of a process that was killed end a moment later, and are not ours to end."""
        until = time.monotonic() + 20
        while True:
            try:
                admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
                return
            except psycopg.errors.ObjectInUse:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)


def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers `-n auto` is: half as many more as processors, since each waits for the database now and then."""
    count = os.cpu_count() or 1
    return count + count // 2


@pytest.fixture(scope="session")
def copied_database(request: pytest.FixtureRequest) -> CopiedDatabase:
    worker = getattr(request.config, "workerinput", {}).get("workerid", "main")
    return CopiedDatabase(worker)


@pytest.fixture(scope="session")
def django_db_setup(copied_database: CopiedDatabase, django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """Give this worker a database of its own, and take it away at the end."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        copied_database.prepare()
        copied_database.open_memory()
        copied_database.make()
    yield
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        copied_database.drop()


@pytest.fixture(autouse=True)
def _anew_after_commits(request: pytest.FixtureRequest) -> Iterator[None]:
    """Make the database anew after a test that committed."""
    yield
    marker = request.node.get_closest_marker("django_db")
    if marker is None or not (marker.kwargs.get("transaction") or (marker.args and marker.args[0])):
        return
    blocker = request.getfixturevalue("django_db_blocker")
    with blocker.unblock():
        request.getfixturevalue("copied_database").make()


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    """Leave no language behind: a request sets its thread's, and the next test begins in the house's again."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _own_checkpoints(settings: settings, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    """Give every test a file of checkpoints and a key of its own: a checkpoint that another test published is ahead of this one's books."""
    folder = tmp_path_factory.getbasetemp() / f"seal-{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]}"
    settings.CHECKPOINTS, settings.SEAL_KEY = folder / "checkpoints.ndjson", folder / "key.pem"


@pytest.fixture
def house(db: None) -> House:
    """Return the house that stands in the test's database; a test that commits is marked django_db(transaction=True) besides."""
    from tests.builders import standing_house

    return standing_house()


@pytest.fixture
def sealed_nights(house: House, copied_database: CopiedDatabase, tmp_path_factory: pytest.TempPathFactory, settings: settings) -> House:
    """Return the house after `tests.audit.sealed_nights`: dealt and sealed once a worker, then copied with key and checkpoints.

    For tests marked django_db(transaction=True), which may spoil it.
    """
    from tests.audit.sealed_nights import deal_and_seal
    from tests.builders import standing_house

    here, kept = Path(settings.SEAL_KEY).parent, tmp_path_factory.getbasetemp() / "sealed-nights"
    if "sealed" not in copied_database.kept:
        deal_and_seal(house)
        shutil.copytree(here, kept)
        copied_database.keep("sealed", house.clock)
        return house
    copied_database.make(kept="sealed")
    shutil.copytree(kept, here)
    house = standing_house()
    house.clock = copied_database.kept["sealed"]
    return house


@pytest.fixture
def nobody_yet(transactional_db: None, copied_database: CopiedDatabase) -> None:
    """Give the test a migrated database without people; for tests marked django_db(transaction=True)."""
    copied_database.make(bare=True)


@pytest.fixture
def reports(tmp_path: Path, settings: settings) -> Path:
    """Return a folder of the test's own for report files."""
    settings.REPORTS = tmp_path / "reports"
    return settings.REPORTS
