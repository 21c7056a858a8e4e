"""The disk is full: an error that says so, nothing half written, and it goes on by itself when there is space again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from audit.books_check import check_books
from audit.models import ReportFile
from casino.models import Job
from ledger import published
from ledger.models import Segment, SignedCheckpoint
from tests.audit.signing import reconciled, sign_off
from tests.builders import House, end_night, play
from tests.flow.own_house import PATIENCE, OwnHouse, until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

WORK = """
import os, resource, sys
from pathlib import Path
import django
from django.conf import settings
django.setup()
for alias in ("default", "owner"):
    settings.DATABASES[alias]["NAME"] = os.environ["TEST_DATABASE"]
settings.CHECKPOINTS, settings.SEAL_KEY = Path(os.environ["TEST_FILE"]), Path(os.environ["TEST_KEY"])
settings.REPORTS = Path(os.environ["TEST_REPORTS"])
from casino import jobs
from casino.models import Job
import audit.tasks
kind, most = sys.argv[1], int(sys.argv[2])
job = Job.objects.get(kind=kind)
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for _ in range(2):
    jobs.run(job.pk)
"""


def work(kind: str, *, most: int, reports: Path) -> Job:
    """Do the job in a process whose files grow to `most` bytes (0: as they like): there the kernel refuses, in the middle of a write."""
    environment = {
        **os.environ,
        "TEST_DATABASE": connections["default"].settings_dict["NAME"],
        "TEST_FILE": str(settings.CHECKPOINTS),
        "TEST_KEY": str(settings.SEAL_KEY),
        "TEST_REPORTS": str(reports),
    }
    command = [sys.executable, "-c", WORK, kind, str(most)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return Job.objects.get(kind=kind)


def test_a_checkpoint_that_the_disk_cuts_off_is_signed_and_published_once_when_there_is_space(house: House, tmp_path: Path) -> None:
    play(house)
    end_night(house)
    sign_off(house)
    settings.CHECKPOINTS.parent.mkdir(parents=True, exist_ok=True)

    job = work("seal_shift", most=300, reports=tmp_path)
    assert (job.state, "File too large" in job.error) == ("queued", True)
    assert settings.CHECKPOINTS.stat().st_size == 300
    fixed = Segment.objects.get()
    assert (published.read(), published.alarm(), SignedCheckpoint.objects.exists()) == ([], None, False)

    job = work("seal_shift", most=0, reports=tmp_path)
    done = SignedCheckpoint.objects.select_related("segment").get()
    assert (job.state, done.segment.checkpoint) == ("done", fixed.checkpoint)
    assert [line.note for line in published.read()] == [done.note]
    assert check_books().problems == ()


def test_a_report_that_the_disk_cuts_off_is_no_file_and_comes_whole_when_there_is_space(house: House, tmp_path: Path) -> None:
    """The first format fits, a later one does not: none is kept, and nothing of it takes up what is left of the disk."""
    play(house)
    end_night(house)
    reconciled(house)
    job = work("shift_report", most=9_000, reports=tmp_path)
    assert (job.state, "File too large" in job.error) == ("queued", True)
    assert not ReportFile.objects.exists()
    assert not list(tmp_path.rglob("*.new")) and all(path.stat().st_size < 9_000 for path in tmp_path.rglob("*.*"))

    assert work("shift_report", most=0, reports=tmp_path).state == "done"
    kept = {file.format: Path(file.path) for file in ReportFile.objects.all()}
    assert sorted(kept) == ["csv", "json", "pdf", "xlsx"]
    assert all(path.stat().st_size == ReportFile.objects.get(format=fmt).size for fmt, path in kept.items())
    assert json.loads(kept["json"].read_text())["sha256"] == ReportFile.objects.get(format="json").content_sha256


# ---- the disk of the database itself ----


def may_mount() -> bool:
    """Return whether the kernel lets this process mount a disk."""
    [rights] = re.findall(r"^CapEff:\s*([0-9a-f]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return bool(int(rights, 16) >> 21 & 1)


@pytest.fixture
def small_disk(house: House) -> Iterator[OwnHouse]:
    """A house whose servers' data lie on a disk of 400 MB of their own."""
    if not may_mount():
        pytest.skip("this process may mount no disk: it has not CAP_SYS_ADMIN, which root has outside of a container")
    with tempfile.TemporaryDirectory(prefix="pitbook-own-") as name:
        Path(name).chmod(0o755)
        own = OwnHouse(Path(name).resolve())
        disk = own.place.home
        disk.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", disk], check=True)
        try:
            yield own.fill()
            print(own.logs()[-4_000:], (own.state / "postgres.log").read_text(errors="replace")[-4_000:])
        finally:
            for one in own.holders:
                one.kill()
            own.await_silence()
            subprocess.run(["umount", disk], check=True)
            own.close()


FILL = """
import json
from tables.services.import_files import ask_import
house = standing_house()
lines = [json.dumps(slip(house, occurred_at=house.tick(1).isoformat())) for _ in range(2_000)]
print(ask_import("\\n".join(lines).encode(), name="night.ndjson", by=house.people["PB-1"]).pk)
"""
RUN = "import tables.tasks\njobs.run(int(sys.argv[1]))"
COUNTS = "SELECT (SELECT count(*) FROM tables_round), (SELECT count(*) FROM ledger_entry WHERE kind = 'round')"


@pytest.mark.slow
@pytest.mark.long
def test_a_database_without_space_keeps_nothing_half_and_goes_on_when_there_is_some(small_disk: OwnHouse) -> None:
    own = small_disk
    [job] = own.python(FILL).split()
    ballast = own.place.home / "ballast"
    free = os.statvfs(own.place.home)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - 3 * 2**20)
    ballast.chmod(0o600)

    own.python(RUN, job, ends=None)
    assert own.ask_or_none(COUNTS) in (None, ([(0, 0)],))
    ballast.unlink()

    own.hold().up()  # whoever comes next starts what gave up
    until(lambda: own.ask_or_none("SELECT 1"), "the server to be there again")
    [(state, error)] = own.ask(f"SELECT state, error FROM casino_job WHERE id = {job}")
    assert (state == "queued" and "No space left on device" in error) or (state, error) == ("running", "")
    assert own.ask(COUNTS) == [(0, 0)]
    own.python(RUN, job)
    assert own.ask(COUNTS) == [(2_000, 2_000)]
    assert own.one(f"SELECT state FROM casino_job WHERE id = {job}") == "done"
