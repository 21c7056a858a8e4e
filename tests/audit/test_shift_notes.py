"""Notes on a shift: by name, added to only, closed with the second signature, sealed, handed over."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from rest_framework.test import APIClient

from audit.models import ShiftNote
from audit.reports.catalogue import catalogue
from audit.reports.scope import read_scope
from audit.shift_notes import add_note
from casino.errors import Conflict, InvalidSlip, Refused
from tests.audit.signing import sign_off
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db


def page_of(house: House) -> str:
    return f"/admin/tables/shift/{house.shift.pk}/change/"


def test_a_note_is_kept_by_name_once_and_shown_with_the_shift(house: House) -> None:
    client = Client()
    client.force_login(house.people["PB-1"])
    typed = {"uuid": str(uuid4()), "text": "The shuffler of UTH-01 jams; <b>slowly</b>."}
    for _ in range(2):
        assert client.post(f"/admin/tables/shift/{house.shift.pk}/note/", typed).status_code == 302
    [note] = ShiftNote.objects.all()
    assert (note.text, note.by.username) == (typed["text"], "PB-1")
    html = client.get(page_of(house)).content.decode()
    assert "The shuffler of UTH-01 jams; &lt;b&gt;slowly&lt;/b&gt;." in html
    assert client.post(f"/admin/tables/shift/{house.shift.pk}/note/", {**typed, "text": "Another."}).status_code == 400
    [section] = [one for one in catalogue()["handover"].build(read_scope({}, house.people["SM-1"], house.shift.gaming_day)) if one.key == "notes"]
    assert [row.values[2:] for row in section.rows] == [("PB-1", typed["text"])]


def test_what_says_nothing_or_too_much_stands_at_its_field(house: House) -> None:
    client = Client()
    client.force_login(house.people["FS-1"])
    for text, words in (("  ", "A note says something."), ("x" * 1001, "at most 1000 characters")):
        answer = client.post(f"/admin/tables/shift/{house.shift.pk}/note/", {"uuid": str(uuid4()), "text": text})
        assert answer.status_code == 400
        assert words in answer.content.decode()
    with pytest.raises(InvalidSlip):
        add_note(house.shift, "a\x00b", uuid=uuid4(), by=house.people["FS-1"])
    assert not ShiftNote.objects.exists()


@pytest.mark.parametrize("who", ["AU-1", "SV-1", "CG-1", "CT-1", "GM-1", "AD-1"])
def test_who_does_not_work_the_floor_writes_none(house: House, who: str) -> None:
    with pytest.raises(Refused):
        add_note(house.shift, "Mine.", uuid=uuid4(), by=house.people[who])
    client = Client()
    client.force_login(house.people[who])
    assert b'name="text"' not in client.get(page_of(house)).content


def test_the_database_edits_no_note(house: House) -> None:
    note = add_note(house.shift, "As it was.", uuid=uuid4(), by=house.people["PB-1"])
    for change in (lambda: ShiftNote.objects.filter(pk=note.pk).update(text="As it was not."), lambda: ShiftNote.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    with pytest.raises(DatabaseError), transaction.atomic():
        ShiftNote.objects.create(shift=house.shift, text="", by=house.people["PB-1"])


def test_a_signed_shift_takes_no_more_notes(house: House) -> None:
    play(house)
    end_night(house)
    sign_off(house)
    with pytest.raises(Conflict) as refused:
        add_note(house.shift, "Too late.", uuid=uuid4(), by=house.people["PB-1"])
    assert refused.value.code == "signed"
    with pytest.raises(DatabaseError, match="the shift is signed"), transaction.atomic():
        ShiftNote.objects.create(shift=house.shift, text="Too late.", by=house.people["PB-1"])


def test_programs_read_and_add_notes(house: House) -> None:
    def ask(number: str, **body: str) -> tuple[int, dict]:
        client = APIClient()
        client.force_authenticate(house.people[number])
        address = f"/api/v1/shifts/{house.shift.uuid}/notes"
        answer = client.post(address, body, format="json") if body else client.get(address)
        return answer.status_code, answer.json()

    said = {"uuid": str(uuid4()), "text": "Shuffler 3 jams."}
    assert ask("PB-1", **said)[0] == ask("PB-1", **said)[0] == 201
    status, answer = ask("SM-1")
    assert (status, [(note["text"], note["by"]) for note in answer["notes"]]) == (200, [("Shuffler 3 jams.", "PB-1")])
    for body, place in (({"uuid": "x", "text": "a"}, "uuid"), ({"uuid": str(uuid4()), "text": " "}, "text"), ({"uuid": str(uuid4())}, "text")):
        status, answer = ask("PB-1", **body)
        assert (status, answer["error"]["where"]) == (400, place)
    status, answer = ask("PB-1", **{**said, "text": "Another."})
    assert (status, answer["error"]["code"]) == (409, "reference_reused")
    assert ask("AU-1", uuid=str(uuid4()), text="Mine.")[0] == 403
