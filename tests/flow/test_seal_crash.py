"""Sealing killed with -9 at every step, by a process that dies for good: it recovers by itself, and nothing is signed with two contents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from audit.books_check import check_books
from casino.models import Job
from ledger import published
from ledger.models import Segment, SignedCheckpoint
from tests.audit.signing import sign_off
from tests.builders import House, end_night, play

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
STEPS = ("gathered", "prepared", "signed", "published", "kept")

SEALER = """
import os, signal, sys
from pathlib import Path
import django
from django.conf import settings
die_at = sys.argv[1]
django.setup()
for alias in ("default", "owner"):
    settings.DATABASES[alias]["NAME"] = os.environ["TEST_DATABASE"]
settings.CHECKPOINTS, settings.SEAL_KEY = Path(os.environ["TEST_FILE"]), Path(os.environ["TEST_KEY"])
from ledger import published, sealing

def reached(step):
    if step == die_at:
        os.kill(os.getpid(), signal.SIGKILL)

sealing.reached = reached
if die_at == "torn":
    def torn(record, path=None):
        import json
        with open(settings.CHECKPOINTS, "ab") as file:
            file.write(json.dumps(record).encode()[:200])
            file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    published.append = torn

from casino import jobs
from casino.models import Job
import audit.tasks
for _ in range(2):
    jobs.run(Job.objects.get(kind="seal_shift").pk)
"""


def sealer(die_at: str) -> int:
    """Run the sealing worker's work in a process of its own that kills itself at a step; return how it ended."""
    environment = {
        **os.environ,
        "TEST_DATABASE": connections["default"].settings_dict["NAME"],
        "TEST_FILE": str(settings.CHECKPOINTS),
        "TEST_KEY": str(settings.SEAL_KEY),
    }
    done = subprocess.run([sys.executable, "-c", SEALER, die_at], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


@pytest.mark.parametrize(
    "step", [pytest.param(step, marks=() if step == "published" else [pytest.mark.slow, pytest.mark.long]) for step in (*STEPS, "torn")]
)
def test_killed_at_any_step_it_recovers_and_signs_one_content(house: House, step: str) -> None:
    play(house)
    end_night(house)
    sign_off(house)
    settings.CHECKPOINTS.parent.mkdir(parents=True, exist_ok=True)

    assert sealer(step) == -signal.SIGKILL
    fixed = Segment.objects.values_list("checkpoint", flat=True).first()
    out = [line.note for line in published.read()]
    assert (fixed is None) == (step in ("gathered", "prepared"))
    assert len(out) == (step in ("published", "kept"))
    assert not SignedCheckpoint.objects.exists()

    assert sealer("never") == 0
    done = SignedCheckpoint.objects.select_related("segment").get()
    assert Job.objects.get(kind="seal_shift").state == "done"
    assert [line.note for line in published.read()] == [done.note]
    assert done.note.startswith(done.segment.checkpoint)
    assert fixed in (None, done.segment.checkpoint)
    assert out in ([], [done.note])
    assert published.alarm() is None
    assert check_books().problems == ()
