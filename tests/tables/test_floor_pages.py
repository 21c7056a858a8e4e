"""The pages of a table's life: each act is one service; errors stand at their fields; a page sent twice is one act; the count is blind."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import reverse

from casino.models import User
from tables.models import BoxPull, ChipMovement, ChipSlip, DealerTurn, DropCount, TableSession, TrayCount
from tables.services import dealer_pins
from tests.builders import BANKROLL, House, felt_code

pytestmark = pytest.mark.django_db
SECRET = "a long enough one 17"
PIECES = {f"pieces_{value}": str(number) for value, number in BANKROLL.items()}


@pytest.fixture
def browser(house: House) -> Any:
    """Return a function that gets or sends a page as somebody."""
    User.objects.filter(username__in=("SM-1", "CT-1", "CT-2", "AU-1")).update(password=make_password(SECRET))
    house.people.update({user.username: user for user in User.objects.all()})

    def go(who: str, address: str, data: dict[str, Any] | None = None) -> Any:
        client = Client()
        client.force_login(house.people[who])
        return client.get(address) if data is None else client.post(address, data)

    return go


def act(house: House, verb: str) -> str:
    return reverse("admin:tables_tablesession_act", args=[house.sessions["UTH-01"].pk, verb])


def close_page(house: House) -> str:
    return reverse("admin:tables_tablesession_close", args=[house.sessions["UTH-01"].pk])


def second(number: str, password: str = SECRET) -> dict[str, str]:
    return {"second_number": number, "second_password": password}


def test_a_fill_is_requested_once_however_often_the_page_is_sent(house: House, browser: Any) -> None:
    page = browser("FS-1", act(house, "fill"))
    data = {"uuid": str(page.context["form"]["uuid"].value()), "pieces_2500": "8", "note": ""}
    for _ in range(2):
        answer = browser("FS-1", act(house, "fill"), data)
        assert (answer.status_code, answer["Location"]) == (303, reverse("admin:tables_tablesession_change", args=[house.sessions["UTH-01"].pk]))
    slip = ChipSlip.objects.get()
    assert slip.amount == 20_000
    for verb, who, status in (("issue", "PB-1", 403), ("receive", "PB-1", 403), ("issue", "CG-1", 303), ("receive", "PB-1", 303)):
        address = reverse("admin:tables_chipslip_act", args=[slip.pk, verb])
        assert browser(who, address, {}).status_code == status, (verb, who)
    assert ChipMovement.objects.get().received_by == house.people["PB-1"]
    assert "Fill 1" in browser("CG-1", reverse("admin:tables_chipslip_changelist")).content.decode()


def test_what_is_wrong_stands_at_its_field_and_nothing_is_done(house: House, browser: Any) -> None:
    for data, field in (({"pieces_2500": "x"}, "pieces_2500"), ({"pieces_2500": "-1"}, "pieces_2500"), ({}, None)):
        page = browser("FS-1", act(house, "fill"), {"uuid": str(uuid4()), **data})
        assert page.status_code == 400
        assert list(page.context["form"].errors) == [field or "__all__"]
    page = browser("FS-1", act(house, "buy-in"), {"uuid": str(uuid4()), "amount": "12.345"})
    assert list(page.context["form"].errors) == ["amount"]
    page = browser("FS-1", act(house, "buy-in"), {"uuid": str(uuid4()), "amount": "3,000.00"})
    assert list(page.context["form"].errors) == ["patron"]
    assert not ChipSlip.objects.exists() and not ChipMovement.objects.exists()


def test_a_table_closes_step_by_step_and_opens_again(house: House, browser: Any) -> None:
    page = browser("PB-1", close_page(house))
    assert (page.context["step"], page.context["blocked"]) == ("blockers", False)
    assert browser("PB-1", f"{close_page(house)}?step=count").context["step"] == "count"
    nothing = browser("PB-1", close_page(house), {"step": "check"})
    assert nothing.context["step"] == "count" and nothing.context["form"].errors
    check = browser("PB-1", close_page(house), {"step": "check", **PIECES})
    assert (check.context["step"], check.context["check"].closer, check.context["check"].opener) == ("sign", 510_000, 510_000)
    for more, field in (({}, "second_number"), (second("SM-1", "wrong"), "second_password"), (second("CG-1", "x"), "second_password")):
        wrong = browser("PB-1", close_page(house), {"step": "sign", **PIECES, **more})
        assert (wrong.status_code, list(wrong.context["form"].errors)) == (400, [field])
    assert not TrayCount.objects.filter(kind="closer").exists()
    done = browser("PB-1", close_page(house), {"step": "sign", **PIECES, **second("SM-1")})
    assert done.status_code == 303
    assert TrayCount.objects.get(kind="closer").total == 510_000
    twice = browser("PB-1", close_page(house), {"step": "sign", **PIECES, **second("SM-1")})
    assert (twice.status_code, TrayCount.objects.filter(kind="closer").count()) == (409, 1)

    address = f"{reverse('admin:tables_tablesession_open')}?table=UTH-01"
    wrong = browser("FS-1", address, {"felt_code": "0000", **PIECES})
    assert list(wrong.context["form"].errors) == ["felt_code"]
    short = {**PIECES, "pieces_100": "99", "felt_code": felt_code(house.tables["UTH-01"], house.clock)}
    assert list(browser("FS-1", address, short).context["form"].errors) == ["note"]
    assert browser("FS-1", address, {**short, "note": "one chip is gone"}).status_code == 303
    assert TableSession.objects.filter(table=house.tables["UTH-01"]).count() == 2


def test_an_open_slip_stops_the_wizard_at_its_first_step(house: House, browser: Any) -> None:
    browser("FS-1", act(house, "fill"), {"uuid": str(uuid4()), "pieces_2500": "8"})
    page = browser("PB-1", close_page(house), {"step": "sign", **PIECES, **second("SM-1")})
    assert (page.status_code, page.context["step"], [one.code for one in page.context["found"]]) == (409, "blockers", ["open_slip"])


def test_a_dealer_signs_for_a_turn(house: House, browser: Any) -> None:
    address = reverse("admin:tables_dealer_pin", args=[house.dealers["D-1187"].pk])
    assert browser("PB-1", address).status_code == 403
    assert list(browser("SM-1", address, {"pin": "1234"}).context["form"].errors) == ["pin"]
    assert browser("SM-1", address, {"pin": "8351"}).status_code == 303
    wrong = browser("FS-1", act(house, "turn"), {"dealer": "D-1187", "dealer_pin": "1111"})
    assert list(wrong.context["form"].errors) == ["dealer_pin"]
    assert browser("FS-1", act(house, "turn"), {"dealer": "D-1187", "dealer_pin": "8351"}).status_code == 303
    assert DealerTurn.objects.get().signed
    assert dealer_pins.locked_until(house.dealers["D-1187"], house.clock) is None


def test_a_box_is_pulled_and_counted_by_people_who_see_nothing_of_the_pit(house: House, browser: Any) -> None:
    pull = reverse("admin:tables_boxpull_add")
    session = house.sessions["UTH-01"]
    assert browser("CT-1", f"{pull}?session={session.pk}").status_code == 404  # it is open
    browser("PB-1", close_page(house), {"step": "sign", **PIECES, **second("SM-1")})
    assert browser("PB-2", f"{pull}?session={session.pk}").status_code == 404
    assert browser("FS-1", f"{pull}?session={session.pk}", {"box": "B-1", "seal": "S-1", **second("CT-1")}).status_code == 303
    count = reverse("admin:tables_boxpull_count", args=[BoxPull.objects.get().pk])
    assert browser("FS-1", count).status_code == 403
    data = {"box": "B-1", "seal": "S-2", "pieces_2000": "3", "coupons": "5.00", **second("CT-2")}
    wrong = browser("CT-1", count, data)
    assert list(wrong.context["form"].errors) == ["seal"]
    assert browser("CT-1", count, {**data, "seal": "S-1"}).status_code == 303
    counted = DropCount.objects.get()
    assert (counted.total, counted.coupons, counted.witness.username) == (6_500, 500, "CT-2")


def test_a_count_is_reopened_with_two_passwords(house: House, browser: Any) -> None:
    browser("PB-1", close_page(house), {"step": "sign", **PIECES, **second("SM-1")})
    assert browser("PB-1", act(house, "reopen")).status_code == 403
    assert browser("SM-1", act(house, "reopen"), {"uuid": str(uuid4()), "count": "closer", "reason": "rack left out"}).status_code == 303
    reopening = house.sessions["UTH-01"].reopenings.get()
    address = reverse("admin:tables_countreopening_act", args=[reopening.pk, "approve"])
    assert browser("SM-1", address, {"password": SECRET}).status_code == 403
    assert list(browser("AU-1", address, {"password": "wrong"}).context["form"].errors) == ["password"]
    assert browser("AU-1", address, {"password": SECRET}).status_code == 303
    again = reverse("admin:tables_countreopening_act", args=[reopening.pk, "count"])
    assert browser("PB-1", again, {**PIECES, "pieces_100": "101", **second("SM-1")}).status_code == 303
    assert list(TrayCount.objects.filter(kind="closer").order_by("sequence").values_list("total", flat=True)) == [510_000, 510_100]
