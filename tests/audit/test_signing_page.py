"""The shift's page: explanations and signatures through the forms, what is wrong at its field, the password again."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audit.models import Explanation, Signature
from audit.selectors import is_signed, latest_reconciliation
from tests.audit.signing import explain_all, hire, print_of, reconciled
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough one 17"


@pytest.fixture
def ended(house: House) -> House:
    hire(house, "SM-2", "shift_manager")
    for who in ("SM-2", "AU-1", "SM-1"):
        house.people[who].set_password(PASSWORD)
        house.people[who].save()
    play(house, "UTH-02")
    end_night(house, closers={"UTH-02": -5_000})
    reconciled(house)
    return house


def at(house: House, what: str) -> str:
    return reverse(f"admin:tables_shift_{what}", args=[house.shift.pk])


def send(client: Client, house: House, who: str, what: str, **data: Any) -> Any:
    client.force_login(house.people[who])
    kept = latest_reconciliation(house.shift)
    assert kept is not None
    return client.post(at(house, what), {"fingerprint": print_of(kept), **data})


def text_of(client: Client, house: House, who: str) -> str:
    client.force_login(house.people[who])
    return client.get(at(house, "change")).content.decode()


def test_the_page_says_what_blocks_and_offers_the_form(ended: House, client: Client) -> None:
    text = text_of(client, ended, "PB-2")
    assert "The tray variance of UTH-02 is not explained." in text
    assert "Keep the explanation" in text
    assert "Sign these figures" not in text
    assert "Keep the explanation" not in text_of(client, ended, "AU-1")


def test_what_blocks_in_other_pits_is_not_named(ended: House, client: Client) -> None:
    text = text_of(client, ended, "PB-1")
    assert "Something is left to do in other pits." in text
    assert "UTH-02" not in text


def test_the_pit_boss_explains_through_the_page(ended: House, client: Client) -> None:
    key = ended.sessions["UTH-02"].pk
    wrong = send(client, ended, "PB-2", "explain", session=key, variance="tray", text=" ")
    assert wrong.status_code == 400
    assert "Say what explains it." in wrong.content.decode()
    assert not Explanation.objects.exists()
    right = send(client, ended, "PB-2", "explain", session=key, variance="tray", text="A rack of greens <b>was</b> miscounted.")
    assert right.status_code == 302
    text = text_of(client, ended, "PB-2")
    assert "A rack of greens &lt;b&gt;was&lt;/b&gt; miscounted." in text
    assert "Nothing blocks it." in text


def test_a_signature_asks_for_the_password_at_its_field(ended: House, client: Client) -> None:
    kept = latest_reconciliation(ended.shift)
    assert kept is not None
    explain_all(ended, kept)
    for typed, words in (("", "asks for your password again"), ("wrong", "not your password")):
        answer = send(client, ended, "SM-2", "sign", password=typed)
        assert answer.status_code == 400
        assert words in answer.content.decode() or answer.context["panel"].form.errors["password"]
    assert not Signature.objects.exists()
    assert send(client, ended, "SM-2", "sign", password=PASSWORD).status_code == 302
    assert send(client, ended, "AU-1", "sign", password=PASSWORD).status_code == 302
    assert is_signed(ended.shift)
    text = text_of(client, ended, "AU-1")
    assert "Signed: these figures are final" in text
    assert "Sign these figures" not in text


def test_what_blocks_stands_above_the_form(ended: House, client: Client) -> None:
    answer = send(client, ended, "AU-1", "sign", password=PASSWORD)
    assert answer.status_code == 400
    assert answer.context["panel"].form.non_field_errors() == ["The tray variance of UTH-02 is not explained."]


def test_who_entered_something_sees_why_they_do_not_sign(ended: House, client: Client) -> None:
    text = text_of(client, ended, "SM-1")
    assert "You entered a count of a tray of this shift" in text
    assert "Sign these figures" not in text
    assert send(client, ended, "SM-1", "sign", password=PASSWORD).status_code == 400
    assert send(client, ended, "PB-1", "sign", password=PASSWORD).status_code == 403
    assert not Signature.objects.exists()


def test_orders_are_posted_only(ended: House, client: Client) -> None:
    client.force_login(ended.people["AU-1"])
    assert [client.get(at(ended, what)).status_code for what in ("sign", "explain")] == [405, 405]
