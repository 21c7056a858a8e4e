"""The import's doors for people and programs: a file is handed in, a worker imports it, and the answer stands with the job."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

import tables.tasks  # noqa: F401 - the handlers
from casino import jobs
from casino.models import Job
from tables.models import ImportFile, Round
from tests.builders import House, slip

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/rounds/imports"


@pytest.fixture(autouse=True)
def _tonight(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the doors' clock say what the house's says."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)


def lines(*slips: dict) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in slips)


def test_a_program_hands_a_file_in_and_asks_what_came_of_it(house: House) -> None:
    api = APIClient()
    api.force_authenticate(house.people["PB-1"])
    raw = slip(house)
    answer = api.post(f"{ADDRESS}?name=night", lines(raw, {**raw, "number": 5}), content_type="application/x-ndjson")
    assert (answer.status_code, answer.json()["state"], Round.objects.count()) == (202, "queued", 0)
    assert jobs.run(Job.objects.get(uuid=answer.json()["uuid"]).pk)
    came = api.get(f"{ADDRESS}/{answer.json()['uuid']}").json()
    assert (came["state"], came["result"]["added"]) == ("done", 0)
    assert [(one["line"], one["code"], one["where"]) for one in came["result"]["errors"]] == [(2, "reference_reused", "uuid")]
    again = api.post(ADDRESS, lines(raw), content_type="application/x-ndjson").json()
    jobs.run(Job.objects.get(uuid=again["uuid"]).pk)
    assert (Job.objects.get(uuid=again["uuid"]).result["added"], Round.objects.count()) == (1, 1)


@pytest.mark.parametrize(("who", "status"), [("CG-1", 403), ("FS-1", 403), ("AU-1", 403), ("SM-1", 202)])
def test_who_hands_in(house: House, who: str, status: int) -> None:
    api = APIClient()
    api.force_authenticate(house.people[who])
    assert api.post(ADDRESS, lines(slip(house)), content_type="application/x-ndjson").status_code == status
    assert ImportFile.objects.count() == (1 if status == 202 else 0)


def test_an_import_is_read_by_whoever_asked_and_by_auditors(house: House) -> None:
    api = APIClient()
    api.force_authenticate(house.people["PB-1"])
    address = f"{ADDRESS}/{api.post(ADDRESS, lines(slip(house)), content_type='application/x-ndjson').json()['uuid']}"
    for who, status in (("PB-1", 200), ("AU-1", 200), ("SM-1", 404), ("CG-1", 403)):
        api.force_authenticate(house.people[who])
        assert api.get(address).status_code == status


def test_a_person_hands_a_file_in_on_a_page(client: Client, house: House) -> None:
    client.force_login(house.people["PB-1"])
    page = reverse("admin:tables_roundimport_new")
    assert b"Hand in" in client.get(page).content
    empty = client.post(page, {"file": SimpleUploadedFile("night.ndjson", b" \n")})
    assert b"The file is empty." in empty.content
    answer = client.post(page, {"file": SimpleUploadedFile("night.ndjson", lines(slip(house), {"uuid": 5})), "dry_run": "on"})
    assert answer.status_code == 302
    assert b"A worker takes it up." in client.get(answer["Location"]).content
    jobs.run(Job.objects.get().pk)
    came = client.get(answer["Location"]).content.decode()
    assert "Nothing was kept" in came and "a check: nothing is kept" in came and "missing_field" in came
    good = client.post(page, {"file": SimpleUploadedFile("night.ndjson", lines(slip(house)))})
    jobs.run(Job.objects.order_by("-pk")[0].pk)
    assert client.get(good["Location"]).status_code == 200
    listed = client.get(reverse("admin:tables_roundimport_changelist")).content.decode()
    assert "night.ndjson" in listed and "Import rounds" in listed


def test_what_is_wrong_is_said_in_the_language_of_whoever_hands_in(client: Client, house: House) -> None:
    """A worker speaks English; its answer is for the person who waits for it."""
    client.force_login(house.people["PB-1"])
    page, raw = reverse("admin:tables_roundimport_new"), slip(house)
    seat = raw["round"]["seats"][0]
    wrong = lines(
        {"uuid": 5},
        {**raw, "round": {**raw["round"], "dealer": ["Kc", "xx"]}},
        {**slip(house), "round": {**raw["round"], "seats": [{**seat, "ante": -5}]}},
        {**slip(house), "round": {**raw["round"], "seats": [{**seat, "cards": ["Kc", "Kc"]}]}},
        {**slip(house), "round": {**raw["round"], "seats": [{**seat, "blind": 5}]}},
        {**slip(house), "table": "UTH-77"},
        {**slip(house), "dealer": "D-9999"},
        {**slip(house), "done": {"1": {"ante": {"paid": -1}}}},
    )
    columns = b"uuid,table,occurred_at,dealer,id,seat,cards,ante,round.community,colour\n"
    csv = columns + b"x,UTH-01,,D-1,a,one,Kc Kx,1.000,??,red\nx,UTH-01,,D-1\ny,UTH-77,,,,,,,,\n"
    said: dict[str, list[list[str]]] = {}
    for language in ("en", "de"):
        for name, content in (("night.ndjson", wrong), ("night.csv", csv)):
            answer = client.post(page, {"file": SimpleUploadedFile(name, content)}, headers={"accept-language": language})
            job = Job.objects.order_by("-pk")[0]
            assert jobs.run(job.pk)
            job.refresh_from_db()
            assert (job.result["added"], answer.status_code) == (0, 302)
            said.setdefault(language, []).append([one["message"] for one in job.result["errors"]])
    english, german = said["en"], said["de"]
    assert [len(one) for one in english] == [len(one) for one in german] and min(map(len, english)) == 5
    assert [pair for one, other in zip(english, german, strict=True) for pair in zip(one, other, strict=True) if pair[0] == pair[1]] == []


@pytest.mark.parametrize("who", ["CG-1", "FS-1", "AU-1", "AD-1"])
def test_the_page_is_for_those_who_import(client: Client, house: House, who: str) -> None:
    client.force_login(house.people[who])
    assert client.get(reverse("admin:tables_roundimport_new")).status_code == 403
