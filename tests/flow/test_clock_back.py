"""The house's clock is two hours back, or is put back in the middle of a night: rows are in the order of the database, the figures are the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from rest_framework.test import APIClient

from audit.books_check import check_books
from audit.evidence import KINDS
from casino import jobs
from casino.models import Job
from casino.money import Minor
from ledger import notes, published, sealing
from ledger.models import Entry, Segment, SignedCheckpoint
from tables.models import Round
from tables.services import chips
from tests.audit.signing import reconciled, sign_off
from tests.builders import House, end_night, play, slip
from tests.ledger.test_sealing import facts_of, next_shift

pytestmark = pytest.mark.django_db
TWO_HOURS = timedelta(hours=2)


def database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        [now] = cursor.fetchone()
    return now


def test_when_it_was_recorded_is_the_databases_word_and_no_claim_changes_it(house: House) -> None:
    before = database_now()
    first = play(house)
    house.clock += TWO_HOURS
    second = play(house)
    house.clock -= TWO_HOURS
    third = play(house)
    after = database_now()
    kept = list(Round.objects.order_by("id"))
    assert [one.pk for one in kept] == [first.pk, second.pk, third.pk]
    assert before <= kept[0].recorded_at <= kept[1].recorded_at <= kept[2].recorded_at <= after
    assert kept[2].occurred_at < kept[1].occurred_at
    entries = list(Entry.objects.filter(kind="round").order_by("id").values_list("recorded_at", flat=True))
    assert entries == sorted(entries)
    assert before <= entries[0] and entries[-1] <= after


def test_a_door_whose_clock_is_back_refuses_what_would_be_in_the_future_and_takes_it_when_the_clock_is_right(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.clock += timedelta(hours=3)
    raw, right = slip(house), house.clock
    api = APIClient()
    api.force_authenticate(house.people["PB-1"])
    monkeypatch.setattr("django.utils.timezone.now", lambda: right - TWO_HOURS)
    answer = api.post("/api/v1/rounds", raw, format="json")
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["where"]) == (400, "bad_time", "occurred_at")
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0)
    near = {**slip(house), "occurred_at": (right - TWO_HOURS + timedelta(minutes=4)).isoformat()}
    assert api.post("/api/v1/rounds", near, format="json").status_code == 201
    before_it_opened = {**slip(house), "occurred_at": (house.shift.starts_at - timedelta(seconds=1)).isoformat()}
    assert api.post("/api/v1/rounds", before_it_opened, format="json").json()["error"]["code"] == "bad_time"
    monkeypatch.setattr("django.utils.timezone.now", lambda: right)
    assert [api.post("/api/v1/rounds", raw, format="json").status_code for _ in range(2)] == [201, 200]
    assert Round.objects.count() == 2


def test_a_clock_that_is_put_back_in_the_middle_of_a_night_changes_no_figure(house: House) -> None:
    """Played and bought till 23:00, then it is 21:00 again: counted, signed, sealed; the same lines as of a night without it."""
    house.clock += timedelta(hours=3)
    play(house), play(house, "PAY-01")
    chips.buy_in(house.sessions["UTH-01"], Minor(30_000), at=house.tick(), by=house.people["FS-1"])
    house.clock -= TWO_HOURS
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    chips.buy_in(house.sessions["UTH-01"], Minor(10_000), at=house.tick(), by=house.people["FS-1"])
    end_night(house, closers={"UTH-02": -500})
    kept = reconciled(house)
    lines = {
        line.session.table.code: (line.tray_variance, line.drop_variance, line.win_by_play) for line in kept.lines.select_related("session__table")
    }
    assert lines == {"UTH-01": (0, 0, -5_500), "UTH-02": (-500, 0, 0), "PAY-01": (0, 0, 0)}
    sign_off(house)
    job = Job.objects.get(kind="seal_shift")
    for _ in range(2):
        jobs.run(job.pk)
    assert SignedCheckpoint.objects.count() == 1
    assert check_books().problems == ()


def test_a_seal_whose_time_is_before_the_last_ones_stands_behind_it_all_the_same(house: House) -> None:
    """Checkpoints are in the order of their numbers and of the outer tree; their times are said, and decide nothing."""
    at = datetime(2026, 3, 15, 12, 30, tzinfo=UTC)
    play(house)
    end_night(house)
    later = next_shift(house)
    for shift, moment in ((house.shift, at), (later, at - TWO_HOURS)):
        sealing.prepare(facts_of(shift), KINDS, at=moment)
        sealing.finish()
    assert list(Segment.objects.order_by("number").values_list("shift", flat=True)) == [house.shift.uuid, later.uuid]
    out = published.read()
    assert [line.number for line in out] == [1, 2]
    assert ["time 2026-03-15T12:30:00" in out[0].text, "time 2026-03-15T10:30:00" in out[1].text] == [True, True]
    assert [notes.read_checkpoint(line.text)[0] for line in out] == [1, 2]
    assert published.alarm() is None
    assert check_books().problems == ()
