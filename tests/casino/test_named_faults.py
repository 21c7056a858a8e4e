"""Faults that others had, of pages and of the audit trail, tried here: each test names its row of the list of known faults."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib import admin
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import audit.tasks  # noqa: F401 - the handlers of jobs
import tables.tasks  # noqa: F401 - and the floor's
from audit.models import Finding, FindingEvent
from casino import jobs, people
from casino.models import Job, JobEvent, RoleEvent, User
from casino.money import Minor
from ledger.models import Entry, Transfer
from tables.house_settings import settings_on
from tables.models import ChipMovement, Dealer, Round, TableLimit, TableSession, Wager
from tables.services import chips
from tables.services.house_settings import change_setting
from tables.services.import_files import ask_import
from tables.services.limits import set_table_limit
from tests.builders import DAY, OPENED, House, end_night, play, slip

OURS = ("casino", "tables", "ledger", "audit")


def as_(house: House, who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=who))
    return client


# ---- pages ----


@pytest.mark.django_db
def test_b070_no_list_is_edited_in_place(house: House) -> None:
    """A list that is not edited cannot write to the wrong row when its order changes under it; a forged order is refused and writes nothing."""
    play(house)
    lists = {model: found for model, found in admin.site._registry.items() if model._meta.app_label in OURS}
    assert len(lists) > 15
    for model, found in lists.items():
        assert (tuple(found.list_editable), found.actions) == ((), None), model
    before = list(Round.objects.values_list("pk", "paid"))
    key = before[0][0]
    forged = {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "form-0-id": str(key), "form-0-paid": "1", "_save": "Save"}
    for who in ("PB-1", "SM-1", "AU-1"):
        client = as_(house, who)
        assert client.post(reverse("admin:tables_round_changelist"), forged).status_code == 403
        assert client.post(f"{reverse('admin:tables_round_changelist')}?o=-1", forged).status_code == 403
    assert list(Round.objects.values_list("pk", "paid")) == before


@pytest.mark.django_db
def test_b083_entering_a_round_asks_as_often_however_many_there_are(house: House) -> None:
    """No select box loads every row: the page of eight seats takes as many queries, and as many bytes, with 5,000 dealers as with two."""
    client, address = as_(house, "PB-1"), f"{reverse('admin:tables_round_add')}?table=UTH-01"
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        small = client.get(address)
    Dealer.objects.bulk_create([Dealer(property=house.property, code=f"X-{number}") for number in range(5_000)])
    with CaptureQueriesContext(connection) as many:
        large = client.get(address)
    assert (small.status_code, large.status_code, len(many)) == (200, 200, len(few))
    assert abs(len(large.content) - len(small.content)) < 2_000


@pytest.mark.django_db
def test_b084_nobody_deletes_posted_rounds_from_a_list(house: House) -> None:
    played = play(house)
    address = reverse("admin:tables_round_changelist")
    for who in ("PB-1", "SM-1", "AU-1", "SV-1"):
        client = as_(house, who)
        assert "delete_selected" not in client.get(address).content.decode()
        forged = {"action": "delete_selected", "_selected_action": [played.pk], "post": "yes"}
        assert client.post(address, forged).status_code == 403
        assert client.post(reverse("admin:tables_round_delete", args=[played.pk]), {"post": "yes"}).status_code == 403
    for verb in (lambda: Round.objects.filter(pk=played.pk).delete(), lambda: Wager.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            verb()
    assert Round.objects.filter(pk=played.pk).exists()


# ---- the audit trail ----


def bulk_writes(model: Any, field: str) -> list[Callable[[], Any]]:
    """Return every way to write many rows of `model` at once over what is there."""
    kept, rows = model._default_manager, list(model._default_manager.all()[:2])
    table, column = model._meta.db_table, model._meta.get_field(field).column
    return [
        lambda: kept.update(**{field: getattr(rows[0], field)}),
        lambda: kept.bulk_update(rows, [field]),
        lambda: connection.cursor().execute(f'UPDATE {table} SET "{column}" = "{column}"'),
        lambda: kept.bulk_create(rows, update_conflicts=True, unique_fields=["pk"], update_fields=[field]),
    ]


@pytest.mark.django_db
def test_b150_bulk_writes_change_nothing_that_is_kept(house: House) -> None:
    """QuerySet.update, bulk_update, bulk_create over what is there, and raw SQL: on wagers, limits, roles, entries."""
    play(house)
    gm, au = house.people["GM-1"], house.people["AU-1"]
    set_table_limit(house.tables["UTH-01"], "", least=1_000, most=50_000, from_at=OPENED, by=gm, approved_by=au)
    fields: dict[type[Any], str] = {Wager: "paid", TableLimit: "most", RoleEvent: "role", Entry: "memo", Transfer: "amount", Round: "paid"}
    for model, field in fields.items():
        before = list(model._default_manager.order_by("pk").values_list("pk", field))
        assert before, model
        for write in bulk_writes(model, field):
            with pytest.raises(DatabaseError), transaction.atomic():
                write()
        assert list(model._default_manager.order_by("pk").values_list("pk", field)) == before


@pytest.mark.django_db
def test_b150_a_role_has_a_row_for_every_change(house: House) -> None:
    person = people.hire("N-1", "New", None, by=house.people["AD-1"])
    people.grant_role(person, "cage", by=house.people["AD-1"], pits=None)
    people.withdraw_role(person, "cage", by=house.people["AD-1"])
    events = RoleEvent.objects.filter(user=person).order_by("sequence")
    assert [(event.action, event.role, event.by.username) for event in events] == [("grant", "cage", "AD-1"), ("withdraw", "cage", "AD-1")]


@pytest.mark.django_db
def test_b151_history_shows_the_one_thing_that_changed(house: House) -> None:
    before = asdict(settings_on(house.property, DAY + timedelta(days=1)))
    gm, au = house.people["GM-1"], house.people["AU-1"]
    change_setting(house.property, "report_over", 3_000, from_day=DAY + timedelta(days=1), at=house.tick(), by=gm, approved_by=au)
    after = asdict(settings_on(house.property, DAY + timedelta(days=1)))
    assert {name: (before[name], after[name]) for name in after if after[name] != before[name]} == {"report_over": (2_500, 3_000)}
    assert house.property.settings.count() == 1


EDITS = 200


@pytest.mark.django_db(transaction=True)
def test_b152_every_row_says_who_it_was_of_two_at_once(house: House) -> None:
    """Two people, 200 movements each, interleaved in two threads: each row and each entry is its own person's."""
    session = TableSession.objects.select_related("shift__property", "table__pit", "table__property").get(pk=house.sessions["UTH-01"].pk)
    at, start = house.tick(), threading.Barrier(2)
    made: dict[str, list[UUID]] = {"FS-1": [], "PB-1": []}

    def work(number: str) -> None:
        try:
            by = User.objects.get(username=number)
            start.wait(30)
            for _ in range(EDITS):
                made[number].append(chips.buy_in(session, Minor(1), at=at, by=by, uuid=uuid4()).uuid)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(number,)) for number in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert {number: len(keys) for number, keys in made.items()} == dict.fromkeys(made, EDITS)
    for number, keys in made.items():
        rows = ChipMovement.objects.filter(uuid__in=keys)
        assert (rows.count(), set(rows.values_list("requested_by__username", flat=True))) == (EDITS, {number})
    entries = Entry.objects.filter(kind="buy_in")
    assert sorted(entries.values_list("recorded_by__username", flat=True)) == ["FS-1"] * EDITS + ["PB-1"] * EDITS


@pytest.mark.django_db
def test_b153_what_a_worker_does_for_somebody_says_both(house: House) -> None:
    """An import is handed in by a pit boss and done by a worker: its rounds and entries are the pit boss's, the job's row names the worker."""
    boss = house.people["PB-1"]
    handed_in = ask_import((json.dumps(slip(house)) + "\n").encode(), name="night.ndjson", by=boss)
    assert jobs.run(handed_in.pk, worker="worker-7")
    done = Job.objects.get(pk=handed_in.pk)
    assert (done.state, done.asked_by, done.worker) == ("done", boss, "worker-7")
    played = Round.objects.get()
    assert (played.recorded_by, Entry.objects.get(round=played.uuid).recorded_by) == (boss, boss)


@pytest.mark.django_db
def test_b153_what_the_audit_finds_by_itself_is_nobodys_and_an_order_is_of_who_gave_it(house: House) -> None:
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    end_night(house)
    job = Job.objects.get(kind="close_shift")
    assert job.asked_by == house.people["SM-1"]
    jobs.cancel(job, house.people["AD-1"])
    jobs.resume(job, house.people["SM-1"])
    assert list(JobEvent.objects.filter(job=job).order_by("sequence").values_list("action", "by__username")) == [
        ("cancel", "AD-1"),
        ("resume", "SM-1"),
    ]
    assert jobs.run(job.pk, worker="worker-7")
    finding = Finding.objects.get(kind="overpaid")
    assert list(FindingEvent.objects.filter(finding=finding).values_list("state", "by")) == [("open", None)]


@pytest.mark.django_db
def test_b153_a_program_is_whoever_it_signs_in_as(house: House) -> None:
    person = User.objects.get(username="PB-1")
    person.set_password("a long enough one 17")
    person.save(update_fields=["password"])
    signed = base64.b64encode(b"PB-1:a long enough one 17").decode()
    answer = Client().post("/api/v1/rounds", slip(house), content_type="application/json", headers={"Authorization": f"Basic {signed}"})
    assert answer.status_code == 201
    assert Round.objects.get().recorded_by == person
