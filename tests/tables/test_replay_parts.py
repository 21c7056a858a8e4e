"""A replay works in parts that are kept: it is cancelled and goes on, a part that is lost is done again, and the ledger is untouched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

import tables.tasks  # noqa: F401 - the handlers of jobs
from casino import jobs
from casino.models import Job
from tables.models import ReplayDifference, ReplayRun, Round
from tables.replay import Replay
from tables.services import paytables, replay_parts, replay_rounds
from tables.services.replay import ask_replay, replay_now
from tests.builders import House, end_night, play
from tests.tables.test_replay import FLUSH, counts, with_flush

pytestmark = pytest.mark.django_db


class Said(list[tuple[int, int, str]]):
    """What a job said of its progress."""

    def __call__(self, done: int, total: int, what: str = "") -> None:
        self.append((done, total, what))


@pytest.fixture
def night(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Five flushes, two rounds a chunk."""
    for module in (replay_parts, replay_rounds):
        monkeypatch.setattr(module, "CHUNK", 2)
    for _ in range(5):
        play(house, facts=FLUSH)
    end_night(house)
    return house


def asked(house: House) -> Job:
    return ask_replay(house.shift, by=house.people["SM-1"], paytable=paytables.read_paytable(with_flush("1:1")))


def part(job: Job, said: Said | None = None) -> Mapping[str, Any]:
    """Do one part of the least size."""
    return replay_parts.replay_part(job, said if said is not None else Said(), seconds=0)


def test_each_part_is_kept_and_the_next_goes_on_from_there(night: House) -> None:
    job, before, said = asked(night), counts(), Said()
    first, second, last = part(job, said), part(job, said), part(job, said)
    assert (type(first), first) == (jobs.More, {"done": 2, "of": 5})
    assert (type(second), second) == (jobs.More, {"done": 4, "of": 5})
    assert said == [(2, 5, "rounds settled again"), (4, 5, "rounds settled again"), (5, 5, "rounds settled again")]
    at_once = replay_now(night.shift, by=night.people["SM-1"], paytable=paytables.read_paytable(with_flush("1:1")))
    assert last == at_once
    assert (last["rounds"], last["changed"], last["wagers_changed"], last["total"]["difference"]) == (5, 5, 5, 2500)
    assert counts() == before


def test_the_wagers_that_differ_are_kept_once_each(night: House) -> None:
    job = asked(night)
    while isinstance(part(job), jobs.More):
        pass
    rows = list(ReplayDifference.objects.filter(run__job=job))
    assert [(row.table, row.seat, row.kind, row.bet, row.stake, row.difference) for row in rows] == [("UTH-01", 1, "blind", "blind", 1000, 500)] * 5
    assert {row.round_id for row in rows} == set(Round.objects.values_list("pk", flat=True))


def test_no_more_than_so_many_are_kept_and_all_are_summed(night: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_parts, "MOST_KEPT", 3)
    job = asked(night)
    while isinstance(found := part(job), jobs.More):
        pass
    assert (ReplayDifference.objects.count(), found["wagers_changed"], found["total"]["difference"]) == (3, 5, 2500)


def test_a_replay_is_cancelled_and_taken_up_again(night: House) -> None:
    job, by = asked(night), night.people["SM-1"]
    assert isinstance(part(job), jobs.More)
    jobs.cancel(job, by)
    assert Job.objects.get(pk=job.pk).state == Job.State.CANCELLED
    assert not jobs.run(job.pk)
    assert ReplayRun.objects.get(job=job).done == 2
    jobs.resume(job, by)
    assert jobs.run(job.pk)
    done = Job.objects.get(pk=job.pk)
    assert (done.state, done.result["rounds"], done.result["total"]["difference"]) == (Job.State.DONE, 5, 2500)


def test_a_replay_that_runs_hears_of_its_cancellation(night: House, monkeypatch: pytest.MonkeyPatch) -> None:
    job = asked(night)
    monkeypatch.setattr(jobs, "is_cancelled", lambda _: True)
    assert (type(found := part(job)), found) == (jobs.Stopped, {"done": 2, "of": 5})


def test_a_part_that_is_lost_is_done_again(night: House, monkeypatch: pytest.MonkeyPatch) -> None:
    job = asked(night)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        part(job)
        raise KeyboardInterrupt
    assert not ReplayRun.objects.exists()
    assert jobs.run(job.pk)
    assert Job.objects.get(pk=job.pk).result["total"]["difference"] == 2500
    assert ReplayDifference.objects.count() == 5


def test_rounds_that_came_after_it_was_asked_for_are_not_in_it(night: House) -> None:
    job = asked(night)
    last = Round.objects.order_by("-pk").first()
    assert job.args["last"] == last.pk
    job.args["last"] = last.pk - 1
    job.save(update_fields=["args"])
    assert jobs.run(job.pk)
    assert Job.objects.get(pk=job.pk).result["rounds"] == 4


def test_what_is_kept_reads_back_as_it_was(night: House) -> None:
    job = asked(night)
    part(job)
    kept = ReplayRun.objects.get(job=job).kept
    assert Replay.of_json(kept).as_json() == kept
    assert kept["bets"] != []


def test_a_wager_that_differs_stays_as_it_was_found(night: House) -> None:
    job = asked(night)
    part(job)
    for statement in ("UPDATE tables_replaydifference SET stake = 0", "DELETE FROM tables_replaydifference", "DELETE FROM tables_replayrun"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    row = ReplayDifference.objects.first()
    row.pk = None
    with pytest.raises(IntegrityError, match="tables_replaydifference_once"), transaction.atomic():
        row.save(force_insert=True)
