"""What the house does so that nothing typed is lost with a session: where a sign-in leads, and which draft is said to be done."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from casino.typed_forms import FIELD
from tests.builders import House

pytestmark = pytest.mark.django_db
DRAFT = "1-22-333-4444"


def note(house: House) -> str:
    return f"/admin/tables/shift/{house.shift.pk}/note/"


@pytest.mark.parametrize(
    ("referer", "leads"),
    [
        ("http://testserver/admin/tables/shift/1/change/?a=b", "%2Fadmin%2Ftables%2Fshift%2F1%2Fchange%2F%3Fa%3Db"),
        ("http://testserver/admin/tables/shift/1/change/", "%2Fadmin%2Ftables%2Fshift%2F1%2Fchange%2F"),
        ("https://elsewhere.example/admin/", "%2Fadmin%2F"),
        ("http://testserver/api/v1/rounds", "%2Fadmin%2F"),
        ("//", "%2Fadmin%2F"),
        ("", "%2Fadmin%2F"),
    ],
)
def test_who_was_signed_out_is_led_back_to_the_page_with_the_form(house: House, client: Client, referer: str, leads: str) -> None:
    answer = client.post(note(house), {"text": "seat 3", FIELD: DRAFT}, headers={"referer": referer})
    assert (answer.status_code, answer["Location"]) == (302, f"/admin/login/?next={leads}")
    assert FIELD not in answer.cookies


def test_a_page_that_is_only_looked_at_leads_back_to_itself(house: House, client: Client) -> None:
    answer = client.get("/admin/tables/shift/", headers={"referer": "http://testserver/admin/"})
    assert answer["Location"] == "/admin/login/?next=/admin/tables/shift/"


def test_a_draft_is_done_when_its_form_was_taken_and_not_before(house: House, client: Client) -> None:
    client.force_login(house.people["PB-1"])
    refused = client.post(note(house), {"uuid": uuid4(), "text": " ", FIELD: DRAFT})
    assert (refused.status_code, FIELD in refused.cookies) == (400, False)
    taken = client.post(note(house), {"uuid": uuid4(), "text": "seat 3", FIELD: DRAFT})
    assert (taken.status_code, taken.cookies[FIELD].value, taken.cookies[FIELD]["samesite"]) == (302, DRAFT, "Lax")


@pytest.mark.parametrize("draft", ["", "x; Path=/", "1-2\r\nSet-Cookie: a=b", "1" * 99])
def test_no_other_text_becomes_a_cookie(house: House, client: Client, draft: str) -> None:
    client.force_login(house.people["PB-1"])
    taken = client.post(note(house), {"uuid": uuid4(), "text": "seat 3", FIELD: draft})
    assert (taken.status_code, FIELD in taken.cookies) == (302, False)


def test_every_page_says_who_reads_it_and_how_it_was_asked_for(house: House, client: Client) -> None:
    client.force_login(house.people["PB-1"])
    page = client.get("/admin/").content.decode()
    assert f'data-person="{house.people["PB-1"].pk}" data-method="GET"' in page
    refused = client.post(note(house), {"uuid": uuid4(), "text": " "}).content.decode()
    assert 'data-method="POST"' in refused
