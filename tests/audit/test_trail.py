"""Who did what is on every row, whatever the door, the thread or the way round the models (B150, B151, B152, B153)."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction
from rest_framework.test import APIClient

from audit.models import Finding
from casino import jobs
from casino.models import Job, JobEvent, RoleEvent, User
from ledger.models import Entry, Transfer
from tables import tasks as tables_tasks  # noqa: F401 - registers its jobs
from tables.models import Round, RoundImport, Wager
from tables.services.import_files import ask_import
from tests.builders import House, end_night, play, slip
from tests.ledger.test_races import at_once

pytestmark = pytest.mark.django_db


def test_b150_bulk_writes_round_the_services_are_refused_where_rows_are_kept(house: House) -> None:
    """QuerySet.update, bulk_update and raw SQL would leave no history: nothing of it is done, and no row is another one than before."""
    play(house)
    kept = {model: list(model.objects.order_by("pk").values()) for model in (Wager, Round, Entry, Transfer, RoleEvent)}
    wager, event = Wager.objects.order_by("pk")[0], RoleEvent.objects.order_by("pk")[0]
    wager.stake, event.role = wager.stake + 1, "auditor"
    attempts: list[Callable[[], object]] = [
        lambda: Wager.objects.update(stake=1),
        lambda: Wager.objects.bulk_update([wager], ["stake"]),
        lambda: Round.objects.update(paid=0),
        lambda: Entry.objects.update(memo="another"),
        lambda: Transfer.objects.all()._raw_delete("default"),
        lambda: RoleEvent.objects.bulk_update([event], ["role"]),
        lambda: RoleEvent.objects.filter(pk=event.pk).delete(),
        lambda: connection.cursor().execute("UPDATE tables_wager SET paid = 0"),
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
    assert {model: list(model.objects.order_by("pk").values()) for model in kept} == kept


def test_b150_a_transfer_in_bulk_is_refused_too(house: House) -> None:
    """bulk_create of a transfer into an entry of another transaction."""
    play(house)
    [line] = Transfer.objects.order_by("pk").values()[:1]
    with pytest.raises(DatabaseError), transaction.atomic():
        Transfer.objects.bulk_create([Transfer(**{**line, "id": None, "line": 99})])
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_b151_what_has_states_gets_an_event_for_what_was_done_and_none_for_what_was_not(house: House) -> None:
    """A withdrawal that is refused leaves no event; one that is done leaves one, and every other person's stay as they are."""
    from casino import people
    from casino.errors import CasinoError

    before = list(RoleEvent.objects.order_by("pk").values())
    with pytest.raises(CasinoError):
        people.withdraw_role(house.people["FS-1"], "supervisor", by=house.people["SM-1"])
    assert list(RoleEvent.objects.order_by("pk").values()) == before
    people.withdraw_role(house.people["FS-1"], "supervisor", by=house.people["AD-1"])
    *kept, new = RoleEvent.objects.order_by("pk").values()
    assert kept == before
    assert (new["user_id"], new["role"], new["action"], new["by_id"]) == (
        house.people["FS-1"].pk,
        "supervisor",
        "withdraw",
        house.people["AD-1"].pk,
    )


def hand_in_by_turns(house: House, monkeypatch: pytest.MonkeyPatch, each: int) -> None:
    """Have two people hand in `each` rounds, in threads and interleaved; each row is theirs who handed it in."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)
    who = ["PB-1", "FS-1"] * each
    slips = [slip(house) for _ in who]

    def post(number: int) -> object:
        api = APIClient()
        api.force_authenticate(User.objects.get(username=who[number]))
        return api.post("/api/v1/rounds", slips[number], format="json").status_code

    assert set(at_once(post, len(who), threads=8)) == {201}
    asked = {UUID(raw["uuid"]): name for raw, name in zip(slips, who, strict=True)}
    assert dict(Round.objects.values_list("uuid", "recorded_by__username")) == asked
    assert dict(Entry.objects.filter(kind="round").values_list("round", "recorded_by__username")) == asked


@pytest.mark.django_db(transaction=True)
def test_b152_two_people_at_once_are_never_mistaken_for_each_other(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in_by_turns(house, monkeypatch, 12)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_b152_two_people_and_two_hundred_each(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_in_by_turns(house, monkeypatch, 200)


def test_b153_what_a_worker_does_for_somebody_is_in_their_name(house: House) -> None:
    """The rows say who asked; the job and its events say that a worker did it, and when."""
    raw = slip(house)
    job = ask_import(json.dumps(raw).encode(), name="night.ndjson", by=house.people["PB-1"])
    jobs.run(job.pk)
    done = Job.objects.get(pk=job.pk)
    assert (done.state, done.error, done.asked_by.username if done.asked_by else None) == ("done", "", "PB-1")
    assert Round.objects.get(uuid=raw["uuid"]).recorded_by == house.people["PB-1"]
    assert Entry.objects.get(round=raw["uuid"]).recorded_by == house.people["PB-1"]
    assert RoundImport.objects.get().by == house.people["PB-1"]
    assert not JobEvent.objects.filter(job=job).exclude(by=None).exclude(by=house.people["PB-1"]).exists()


def test_b153_what_nobody_asked_for_is_in_nobodys_name(house: House) -> None:
    """A night's audit is the house's own: its findings have no author, and no person is blamed for them."""
    play(house, done={"1": {"ante": {"paid": 2_000}}})
    end_night(house)
    from audit.services import audit_payouts

    audit_payouts(house.shift)
    finding = Finding.objects.get(kind="overpaid")
    assert list(finding.events.values_list("state", "by")) == [("open", None)]
