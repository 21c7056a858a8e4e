"""A shift manager opens and ends a shift on two pages; what is wrong stands at its field, and nobody else may."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from casino.models import Job
from tables.models import Shift
from tables.selectors import shift_state
from tests.builders import DAY, House, end_night

pytestmark = pytest.mark.django_db
OPEN = "/admin/tables/tablesession/shift/open/"


def as_(house: House, who: str) -> Client:
    client = Client()
    client.force_login(house.people[who])
    return client


def end(house: House) -> str:
    return reverse("admin:tables_shift_end", args=[house.shift.pk])


def test_a_shift_ends_when_its_tables_are_closed(house: House) -> None:
    client = as_(house, "SM-1")
    page = client.get(end(house)).content.decode()
    assert "PAY-01, UTH-01, UTH-02" in page
    refused = client.post(end(house), {})
    assert (refused.status_code, shift_state(house.shift)) == (400, "open")
    assert "Still open: " in refused.content.decode()
    end_night(house)
    assert Job.objects.filter(kind="close_shift").count() == 1
    assert client.post(end(house), {}).status_code == 400  # it has ended already
    assert Job.objects.filter(kind="close_shift").count() == 1


def test_the_next_shift_is_opened_once(house: House) -> None:
    client = as_(house, "SM-1")
    said = {"day": DAY.isoformat(), "kind": "grave", "starts": "04:00", "ends": "06:00"}
    assert client.get(OPEN).status_code == 200
    for field, wrong in (("day", "14/03"), ("kind", "noon"), ("starts", "25:00"), ("ends", "")):
        answer = client.post(OPEN, {**said, field: wrong})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field])
    assert client.post(OPEN, said).status_code == 303
    shift = Shift.objects.get(kind="grave")
    assert (shift.gaming_day, shift.opened_by.username, shift_state(shift)) == (DAY, "SM-1", "open")
    twice = client.post(OPEN, said)
    assert twice.status_code == 400
    assert "was opened already" in twice.content.decode()


@pytest.mark.parametrize("who", ["PB-1", "FS-1", "CG-1", "CT-1", "SV-1", "AU-1", "GM-1", "AD-1"])
def test_nobody_else_opens_or_ends_a_shift(house: House, who: str) -> None:
    client = as_(house, who)
    assert (client.get(OPEN).status_code, client.post(end(house), {}).status_code) == (403, 403)
    assert "Open a shift" not in client.get("/admin/").content.decode()
    assert shift_state(house.shift) == "open"
