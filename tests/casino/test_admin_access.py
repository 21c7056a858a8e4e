"""Who sees which page. What is in no row of spec/night.md's table is refused; nobody deletes; nobody changes their own roles."""

from __future__ import annotations

import re

import pytest
import redis
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from casino import health
from casino.models import RoleEvent, User
from ledger.models import Account, Entry
from tables.models import ChipMovement
from tables.services import chips
from tables.slips import CountSlip
from tests.builders import House, end_night, fill, play
from tests.corrections import deal, void

pytestmark = pytest.mark.django_db

FLOOR = {"PB-1", "FS-1"}
LOOKS = {"SV-1", "AU-1"}
READERS = FLOOR | LOOKS | {"SM-1"}
EVERYONE = READERS | {"CG-1", "CT-1", "GM-1", "AD-1"}
PAGES = {
    "/admin/": EVERYONE,
    "/admin/casino/job/": EVERYONE,
    "/admin/password_change/": EVERYONE,
    "/admin/tables/round/": READERS,
    "/admin/tables/round/add/?table=UTH-01": FLOOR,
    "/admin/tables/shift/": READERS,
    "/admin/tables/tablesession/": READERS,
    "/admin/tables/property/": READERS | {"GM-1", "CG-1"},
    "/admin/tables/pit/": READERS | {"GM-1", "CG-1"},
    "/admin/tables/table/": READERS | {"GM-1", "CG-1"},
    "/admin/tables/property/new/": {"GM-1"},
    "/admin/tables/dealer/": READERS,
    "/admin/audit/finding/": READERS,
    "/admin/tables/chipmovement/": READERS | {"CG-1"},
    "/admin/tables/chipslip/": READERS | {"CG-1"},
    "/admin/tables/boxpull/": READERS | {"CT-1"},
    "/admin/tables/boxpull/add/": FLOOR | {"CT-1"},
    "/admin/tables/cashout/": LOOKS | {"SM-1", "CG-1"},
    "/admin/tables/cashout/add/": {"CG-1"},
    "/admin/tables/countreopening/": LOOKS | {"SM-1"},
    "/admin/tables/tablesession/open/": FLOOR | {"SM-1"},
    "/admin/tables/traycount/": READERS,
    "/admin/tables/dropcount/": READERS | {"CT-1"},
    "/admin/tables/paytableversion/": READERS | {"GM-1"},
    "/admin/ledger/account/": LOOKS | {"SM-1", "CG-1"},
    "/admin/ledger/entry/": LOOKS | {"SM-1", "CG-1", "PB-1"},
    "/admin/casino/user/": {"AD-1", "AU-1"},
    "/admin/casino/user/add/": {"AD-1"},
    "/admin/tables/shift/add/": set(),
    "/admin/audit/finding/add/": set(),
    "/admin/ledger/entry/add/": set(),
}


@pytest.mark.parametrize("who", sorted(EVERYONE))
def test_each_page_opens_for_its_roles_and_no_other(house: House, client: Client, who: str) -> None:
    client.force_login(house.people[who])
    opened = {page for page in PAGES if client.get(page).status_code == 200}
    assert opened == {page for page, allowed in PAGES.items() if who in allowed}


@pytest.mark.parametrize("page", [page for page in PAGES if page != "/admin/password_change/"] + ["/admin/tables/shift/1/report.pdf"])
def test_nobody_gets_in_without_signing_in(house: House, client: Client, page: str) -> None:
    answer = client.get(page)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/")


def test_whoever_left_is_out_at_once(house: House, client: Client) -> None:
    client.force_login(house.people["PB-1"])
    User.objects.filter(username="PB-1").update(is_active=False)
    assert client.get("/admin/tables/round/").status_code == 302


def test_one_signs_in_by_staff_number(house: House, client: Client) -> None:
    person = house.people["PB-1"]
    person.set_password("a long enough one 17")
    person.save(update_fields=["password"])
    wrong = client.post("/admin/login/", {"username": "PB-1", "password": "another"})
    assert wrong.status_code == 200
    right = client.post("/admin/login/?next=/admin/", {"username": "PB-1", "password": "a long enough one 17", "next": "/admin/"})
    assert (right.status_code, right["Location"]) == (302, "/admin/")


def test_no_page_anywhere_offers_to_delete(house: House, client: Client) -> None:
    for who in ("AD-1", "AU-1", "PB-1"):
        client.force_login(house.people[who])
        for page, allowed in PAGES.items():
            if who in allowed:
                text = client.get(page).content.decode()
                assert "delete_selected" not in text
                assert "/delete/" not in text
    assert all(not site_admin.has_delete_permission(_request(house.people["AD-1"])) for site_admin in _house_admins())


def _house_admins() -> list[admin.ModelAdmin]:
    return [found for model, found in admin.site._registry.items() if model._meta.app_label in ("casino", "tables", "ledger", "audit")]


def _request(user: User) -> object:
    return type("Request", (), {"user": user, "GET": {}, "method": "GET"})()


def test_forged_orders_are_refused(house: House, client: Client) -> None:
    played = play(house)
    client.force_login(house.people["AU-1"])
    entry = Entry.objects.get(round=played.uuid)
    for address in (
        reverse("admin:ledger_entry_change", args=[entry.pk]),
        reverse("admin:ledger_entry_delete", args=[entry.pk]),
        reverse("admin:tables_shift_change", args=[house.shift.pk]),
        "/admin/ledger/entry/",
        "/admin/ledger/account/",
    ):
        assert client.post(address, {"action": "delete_selected", "_selected_action": [entry.pk], "post": "yes"}).status_code == 403
    assert Entry.objects.filter(pk=entry.pk).exists()


# ---- what roles see of the same page ----


def test_the_count_team_sees_its_own_boxes(house: House, client: Client) -> None:
    end_night(house)
    client.force_login(house.people["CT-1"])
    assert len(client.get("/admin/tables/dropcount/").context["cl"].result_list) == 3


def test_the_cage_sees_slips_and_no_buy_ins(house: House, client: Client) -> None:
    session, people = house.sessions["UTH-01"], house.people
    chips.buy_in(session, 10_000, at=house.tick(), by=people["PB-1"])
    fill(
        session,
        CountSlip({100: 50}),
        at=house.tick(),
        requested_by=people["PB-1"],
        issued_by=people["CG-1"],
        received_by=people["FS-1"],
    )
    client.force_login(people["CG-1"])
    assert [row.kind for row in client.get("/admin/tables/chipmovement/").context["cl"].result_list] == ["fill"]
    buy_in = ChipMovement.objects.get(kind="buy_in")
    assert client.get(reverse("admin:tables_chipmovement_change", args=[buy_in.pk])).status_code == 404


def held(client: Client) -> dict[str, str]:
    return {account.code: account.held for account in client.get("/admin/ledger/account/").context["cl"].result_list}


def test_trays_of_open_sessions_are_counted_blind(house: House, client: Client) -> None:
    client.force_login(house.people["SM-1"])
    assert held(client)["tray:UTH-01"] == "counted blind"
    assert held(client)["cage:chips"] == "counted blind"  # with the mint and the patrons it would tell the trays
    tray = Account.objects.get(code="tray:UTH-01")
    assert "5,100.00" not in client.get(reverse("admin:ledger_account_change", args=[tray.pk])).content.decode()
    client.force_login(house.people["AU-1"])
    assert held(client)["tray:UTH-01"] == "5,100.00"
    end_night(house)
    client.force_login(house.people["SM-1"])
    assert held(client)["tray:UTH-01"] == "5,100.00"
    assert held(client)["cage:chips"] == "984,700.00"


def facts_of(page: str) -> dict[str, str]:
    """Return what an entry's page says below its transfers: the words by what they are, with the addresses of links."""
    said = re.findall(r"<div><dt>(.*?)</dt><dd>(.*?)</dd></div>", page, re.DOTALL)
    return {what: re.sub(r"<(?!a )[^>]*>", "", words).replace("\n", "") for what, words in said}


def test_an_entry_shows_where_value_left_and_arrived(house: House, client: Client) -> None:
    """And of which round, table, shift and session, when, who entered it and who was the witness."""
    played = deal(house)
    void(house, played)
    client.force_login(house.people["SM-1"])
    entry = Entry.objects.get(round=played.uuid, kind="round")
    back = Entry.objects.get(reverses=entry)
    address = reverse("admin:ledger_entry_change", args=[entry.pk])
    page = client.get(address).content.decode()
    for words in ("patrons:chips", "tray:UTH-01", "25.00", "50.00", reverse("admin:ledger_entry_change", args=[back.pk])):
        assert words in page
    session, said = house.sessions["UTH-01"], facts_of(page)
    assert (said["At"], said["Gaming day"], said["UUID"]) == ("2026-03-14 20:01:00 PDT", "2026-03-14", str(entry.uuid))
    assert reverse("admin:tables_round_change", args=[played.pk]) in said["Round"] and "UTH-01 · 1" in said["Round"]
    assert reverse("admin:tables_tablesession_change", args=[session.pk]) in said["Session"] and "UTH-01" in said["Session"]
    assert reverse("admin:tables_shift_change", args=[house.shift.pk]) in said["Session"] and str(house.shift) in said["Session"]
    assert said["Recorded"].endswith("by FS-1")
    of_void = facts_of(client.get(reverse("admin:ledger_entry_change", args=[back.pk])).content.decode())
    assert of_void["Recorded"].endswith("by FS-2 · witness SM-1")
    assert address in of_void["Reverses"]
    assert [found.pk for found in client.get("/admin/ledger/entry/", {"q": entry.reference}).context["cl"].result_list] == [entry.pk]


def test_a_paytable_hangs_as_at_the_table(house: House, client: Client) -> None:
    client.force_login(house.people["GM-1"])
    version = house.tables["UTH-01"].paytables.get().version
    shown = client.get(reverse("admin:tables_paytableversion_change", args=[version.pk])).context
    assert (shown["wagers"], shown["odds"][0], shown["odds"][-1]) == (
        ["Blind", "Trips"],
        ("Royal flush", ["500:1", "50:1"]),
        ("Three of a kind", ["", "3:1"]),
    )


def test_one_sees_ones_own_jobs(house: House, client: Client) -> None:
    end_night(house)
    for who, jobs in (("SM-1", 1), ("PB-1", 0), ("AD-1", 1)):
        client.force_login(house.people[who])
        assert len(client.get("/admin/casino/job/").context["cl"].result_list) == jobs


# ---- people ----


def order(client: Client, user: User, action: str, role: str, pits: str = "") -> str:
    """Return what the page says after the order: what was done, or, at the form, why not."""
    answer = client.post(reverse("admin:casino_user_role", args=[user.pk]), {"action": action, "role": role, "pits": pits}, follow=True)
    wrong = [error for errors in answer.context["role_form"].errors.values() for error in errors]
    return " ".join([*wrong, *(str(message) for message in answer.context["messages"])])


def test_an_administrator_hires_and_grants_and_an_auditor_reviews(house: House, client: Client) -> None:
    client.force_login(house.people["AD-1"])
    new = {"username": "PB-9", "name": "Nine", "password1": "a long enough one 17", "password2": "a long enough one 17"}
    assert client.post("/admin/casino/user/add/", new).status_code == 302
    person = User.objects.get(username="PB-9")
    assert not person.is_staff
    said = order(client, person, "grant", "pit_boss", "P1 P2")
    assert said.endswith("pit boss granted. It takes effect when an auditor has reviewed it.")
    assert not User.objects.get(pk=person.pk).roles
    client.force_login(house.people["AU-1"])
    assert order(client, person, "review", "pit_boss") == "pit boss reviewed."
    assert User.objects.get(pk=person.pk).roles == {"pit_boss": ("P1", "P2")}


def test_nobody_changes_their_own_roles(house: House, client: Client) -> None:
    client.force_login(house.people["AD-1"])
    before = RoleEvent.objects.count()
    assert order(client, house.people["AD-1"], "grant", "auditor") == "Nobody changes their own roles."
    assert RoleEvent.objects.count() == before


@pytest.mark.parametrize("who", ["PB-1", "SM-1", "AU-1", "CG-1"])
def test_roles_are_granted_by_administrators_alone(house: House, client: Client, who: str) -> None:
    client.force_login(house.people[who])
    before = RoleEvent.objects.count()
    client.post(reverse("admin:casino_user_role", args=[house.people["FS-1"].pk]), {"action": "grant", "role": "auditor"})
    assert RoleEvent.objects.count() == before


def test_an_auditor_reviews_people_and_changes_none(house: House, client: Client) -> None:
    client.force_login(house.people["AU-1"])
    address = reverse("admin:casino_user_change", args=[house.people["PB-1"].pk])
    assert client.get(address).status_code == 200
    assert client.post(address, {"username": "PB-1", "name": "Changed"}).status_code == 403


# ---- the house ----


def test_the_root_leads_to_tonight(client: Client) -> None:
    assert client.get("/")["Location"] == "/admin/"


def test_health_says_what_is_down(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def ping(self) -> bool:
            raise redis.ConnectionError

    monkeypatch.setattr(health, "broker_client", Down)
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"database": "ok", "broker": "down", "books": "ok"})
