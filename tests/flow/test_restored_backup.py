"""A backup that is older than what was published is put back: web and worker say so as they start, and nothing is posted until somebody knows."""

from __future__ import annotations

import gc
import io
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from celery.signals import worker_ready
from django.core.management import call_command
from django.db import transaction
from rest_framework.test import APIClient

from audit.books_check import check_books
from audit.evidence import KINDS
from casino.errors import BrokenBooks
from ledger import seal_key, sealing
from ledger.models import Entry, SealKey, Segment
from tables.models import Round
from tests.backups import back_up, put_back
from tests.builders import House, slip, utc
from tests.ledger.test_checkpoint_file import another
from tests.ledger.test_sealing import AT, facts_of, seal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def post(house: House) -> Any:
    by = APIClient()
    by.force_authenticate(house.people["PB-1"])
    return by.generic("POST", "/api/v1/rounds", json.dumps(slip(house)), content_type="application/json")


def start_everything() -> None:
    """Start web and worker: the modules that servers load, and the signal that Celery gives."""
    try:
        runpy.run_module("casino.wsgi")
    finally:
        gc.unfreeze()  # what the module froze is a server's, not the tests'
    runpy.run_module("casino.asgi")
    worker_ready.send(sender=None)


def test_an_older_backup_is_told_at_start_and_posts_nothing_until_somebody_acknowledges_it(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tables.api.views.timezone.now", lambda: utc("2026-03-15T12:00:00+00:00"))
    monkeypatch.setattr("django.utils.log.configure_logging", lambda *_: None)  # it would take away what listens to the log here
    seal(another(house))
    dump = back_up(tmp_path / "dump")
    seal(another(house))
    start_everything()
    assert "refuses" not in caplog.text
    with put_back(dump):
        start_everything()
        for who in ("the web", "a worker"):
            assert f"{who} starts, and refuses to post: Checkpoint 2 was published, and the books do not hold it" in caplog.text
        assert caplog.text.count("the web starts") == 2
        before = Entry.objects.count()
        refused = post(house)
        assert (refused.status_code, refused.json()["errors"][0]["code"], "Retry-After" in refused.headers) == (503, "books_behind", True)
        assert (Round.objects.count(), Entry.objects.count()) == (0, before)
        out = io.StringIO()
        call_command("acknowledge_checkpoint", by="SM-1", reason="the backup of Tuesday", stdout=out)
        assert out.getvalue() == "Checkpoint 2: acknowledged by SM-1, taken over without its leaves.\n"
        assert post(house).status_code == 201


def test_a_backup_of_before_a_new_key_is_put_back_and_sealing_goes_on_by_the_new_key(house: House, tmp_path: Path) -> None:
    seal(another(house))
    dump = back_up(tmp_path / "dump")
    seal_key.rotate_key(by=house.people["AU-1"], at=AT)
    seal(another(house))
    with put_back(dump):
        assert (SealKey.objects.count(), Segment.objects.count()) == (1, 1)
        third = another(house)
        with pytest.raises(BrokenBooks, match="Key 2 was announced"), transaction.atomic():
            sealing.prepare(facts_of(third), KINDS, at=AT)
        out = io.StringIO()
        call_command("acknowledge_checkpoint", by="AU-1", reason="the backup of Tuesday", stdout=out)
        assert out.getvalue().splitlines() == [
            "Key 2: acknowledged by AU-1, taken over.",
            "Checkpoint 2: acknowledged by AU-1, taken over without its leaves.",
        ]
        done = seal(third)
        assert (done.segment_id, done.key_id) == (3, 2)
        answer = check_books()
        assert (answer.code, [problem.code for problem in answer.problems]) == (3, [3])
