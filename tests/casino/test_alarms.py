"""Alarms: raised once a cause, and there until somebody acknowledges them by name; jobs are cancelled and tried again from their page."""

from __future__ import annotations

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from casino import jobs, watch
from casino.alarms import acknowledge, alarms_for, raise_alarm, unacknowledged
from casino.append_only import missing_partitions
from casino.errors import Conflict, NotFound, Refused
from casino.models import Alarm, AlarmAcknowledgement, Job
from tests.builders import House

pytestmark = pytest.mark.django_db


def test_one_cause_is_one_alarm(house: House) -> None:
    first = raise_alarm("job_stuck", "job:1", "The job “close shift” failed.")
    assert raise_alarm("job_stuck", "job:1", "again").pk == first.pk
    assert Alarm.objects.get().message == "The job “close shift” failed."


def test_whose_alarm_it_is(house: House) -> None:
    raise_alarm("quiet_table", "a", "P1", pit="P1")
    raise_alarm("quiet_table", "b", "P2", pit="P2")
    raise_alarm("slip_waits", "c", "house")
    seen = {who: sorted(alarm.message for alarm in alarms_for(house.people[who])) for who in ("PB-1", "PB-2", "SM-1", "CG-1", "CT-1", "GM-1", "AD-1")}
    assert seen == {
        "PB-1": ["P1", "house"],
        "PB-2": ["P2", "house"],
        "SM-1": ["P1", "P2", "house"],
        "CG-1": ["house"],
        "CT-1": [],
        "GM-1": [],
        "AD-1": [],
    }


def test_acknowledged_once_by_name(house: House) -> None:
    alarm = raise_alarm("job_stuck", "a", "stuck")
    kept = acknowledge(alarm.uuid, by=house.people["PB-1"], note="called the desk")
    assert acknowledge(alarm.uuid, by=house.people["PB-1"]).pk == kept.pk
    with pytest.raises(Conflict) as conflict:
        acknowledge(alarm.uuid, by=house.people["SM-1"])
    assert (conflict.value.code, AlarmAcknowledgement.objects.get().note) == ("acknowledged", "called the desk")
    assert not unacknowledged(house.people["SM-1"]).exists()


def test_nobody_takes_an_alarm_that_is_not_theirs(house: House) -> None:
    alarm = raise_alarm("quiet_table", "b", "P2", pit="P2")
    with pytest.raises(NotFound):
        acknowledge(alarm.uuid, by=house.people["PB-1"])
    with pytest.raises(Refused):
        acknowledge(alarm.uuid, by=house.people["AD-1"])
    assert not AlarmAcknowledgement.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_at_once_acknowledge_once(house: House) -> None:
    alarm = raise_alarm("job_stuck", "a", "stuck")
    ends: list[str] = []

    def take(who: str) -> None:
        try:
            acknowledge(alarm.uuid, by=house.people[who])
            ends.append("took")
        except Conflict:
            ends.append("conflict")
        finally:
            connection.close()

    threads = [Thread(target=take, args=[who]) for who in ("PB-1", "SM-1", "AU-1", "FS-1")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["conflict", "conflict", "conflict", "took"]


def test_stuck_and_failed_jobs_raise_alarms_once(house: House) -> None:
    now = timezone.now()
    Job.objects.create(kind="close_shift", key="waits", due_at=now - timedelta(hours=1))
    Job.objects.create(kind="close_shift", key="runs", state="running", started_at=now - timedelta(hours=1))
    Job.objects.create(kind="close_shift", key="failed", state="failed", finished_at=now, error="x")
    Job.objects.create(kind="close_shift", key="well", state="running", started_at=now)
    Job.objects.create(kind="close_shift", key="later", due_at=now + timedelta(hours=1))
    assert (watch.alarm_for_stuck_jobs(), watch.alarm_for_stuck_jobs()) == (3, 3)
    assert sorted(Alarm.objects.values_list("message", flat=True)) == [
        "The job “close shift” failed.",
        "The job “close shift” has been queued for more than 15 minutes.",
        "The job “close shift” has been running for more than 15 minutes.",
    ]


def test_partitions_ahead_are_there_and_missing_ones_are_named(house: House) -> None:
    from casino.tasks import make_partitions_ahead

    make_partitions_ahead()
    assert missing_partitions("default") == []
    with connection.cursor() as cursor:  # a table on the list that has none: only the owner could take one away
        cursor.execute("CREATE TEMPORARY TABLE casino_partitionedtable AS SELECT 'tables_nothing'::text AS name")
        cursor.execute("SET LOCAL search_path = pg_temp, public")
    assert watch.alarm_for_missing_partitions() == 3
    assert set(Alarm.objects.values_list("kind", flat=True)) == {"partition_missing"}


def test_a_job_is_cancelled_and_tried_again_from_its_page(house: House) -> None:
    job = jobs.announce("replay_shift", "r:1", by=house.people["AU-1"])
    client = Client()
    client.force_login(house.people["AU-1"])
    page = client.get(f"/admin/casino/job/{job.pk}/change/")
    assert "Cancel this job" in page.content.decode()
    assert client.get(f"/admin/casino/job/{job.pk}/cancel/").status_code == 405
    assert client.post(f"/admin/casino/job/{job.pk}/cancel/").status_code == 302
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert "Try again" in client.get(f"/admin/casino/job/{job.pk}/change/").content.decode()
    client.post(f"/admin/casino/job/{job.pk}/resume/")
    job.refresh_from_db()
    assert job.state == "queued"
    client.force_login(house.people["SM-1"])
    assert client.post(f"/admin/casino/job/{job.pk}/cancel/").status_code == 404


def test_jobs_and_alarms_for_machines(house: House) -> None:
    job = jobs.announce("replay_shift", "r:1", by=house.people["AU-1"])
    alarm = raise_alarm("job_stuck", "a", "stuck")
    client = APIClient()
    client.force_authenticate(house.people["AU-1"])
    assert [row["uuid"] for row in client.get("/api/v1/jobs").json()["results"]] == [str(job.uuid)]
    assert client.post(f"/api/v1/jobs/{job.uuid}/cancel").json()["state"] == "cancelled"
    assert client.post(f"/api/v1/jobs/{job.uuid}/cancel").status_code == 409
    assert client.get("/api/v1/alarms").json()["results"][0]["acknowledged_by"] is None
    taken = client.post(f"/api/v1/alarms/{alarm.uuid}/acknowledge", {"note": "seen"}, format="json").json()
    assert (taken["acknowledged_by"], taken["note"]) == ("AU-1", "seen")
    client.force_authenticate(house.people["GM-1"])
    assert client.get("/api/v1/alarms").status_code == 403
    assert client.get(f"/api/v1/jobs/{job.uuid}").status_code == 404
    client.force_authenticate(house.people["AD-1"])
    assert client.get(f"/api/v1/jobs/{job.uuid}").status_code == 200


def test_the_alarm_page_takes_a_note(house: House) -> None:
    alarm = raise_alarm("job_stuck", "a", "stuck")
    client = Client()
    client.force_login(house.people["SM-1"])
    assert "1 alarm" in client.get("/admin/").content.decode()
    assert "Acknowledge in your name" in client.get(f"/admin/casino/alarm/{alarm.pk}/change/").content.decode()
    client.post(f"/admin/casino/alarm/{alarm.pk}/acknowledge/", {"note": "restarted it"})
    assert AlarmAcknowledgement.objects.get().note == "restarted it"
    assert "restarted it" in client.get(f"/admin/casino/alarm/{alarm.pk}/change/").content.decode()
