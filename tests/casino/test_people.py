"""Who may do what; roles are events; nobody changes their own."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from casino import people, roles
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import RoleEvent, User
from tests.builders import House

pytestmark = pytest.mark.django_db


def test_an_approving_role_waits_for_its_review(house: House) -> None:
    administrator, auditor = house.people["AD-1"], house.people["AU-1"]
    boss = people.hire("PB-9", "Nine", None, by=administrator)
    people.grant_role(boss, "pit_boss", by=administrator, pits=["P1"])
    assert not roles.may(boss.roles, "enter_rounds")
    people.review_role(boss, "pit_boss", by=auditor)
    assert roles.may(boss.roles, "enter_rounds", "P1")
    assert not roles.may(boss.roles, "enter_rounds", "P2")
    people.withdraw_role(boss, "pit_boss", by=administrator)
    assert boss.roles == {}
    assert not boss.is_staff


def test_a_role_is_for_pits_that_are_there(house: House) -> None:
    administrator = house.people["AD-1"]
    with pytest.raises(InvalidSlip) as error:
        people.grant_role(house.people["FS-1"], "supervisor", by=administrator, pits=["P1", "P7"])
    assert (error.value.code, error.value.where, error.value.message) == ("unknown_pit", "pits", "“P7” is no pit.")
    assert not RoleEvent.objects.filter(pits__contains=["P7"]).exists()


def test_nobody_changes_their_own_roles(house: House) -> None:
    administrator = house.people["AD-1"]
    with pytest.raises(Refused) as error:
        people.grant_role(administrator, "auditor", by=administrator)
    assert error.value.code == "own_roles"
    with pytest.raises(IntegrityError, match="casino_roleevent_not_ones_own"), transaction.atomic():
        RoleEvent.objects.create(user=administrator, sequence=9, role="auditor", action="grant", by=administrator)


def test_only_the_administrator_hires_and_grants(house: House) -> None:
    for number in sorted(house.people.keys() - {"AD-1"}):
        with pytest.raises(Refused):
            people.hire("XX-1", "X", None, by=house.people[number])
        with pytest.raises(Refused):
            people.grant_role(house.people["FS-1"], "auditor", by=house.people[number])
    assert not User.objects.filter(username="XX-1").exists()


def test_the_house_is_set_up_once(house: House) -> None:
    with pytest.raises(Conflict) as error:
        people.set_up(("AD-2", None), ("AU-2", None))
    assert error.value.code == "set_up"
    assert not User.objects.filter(username="AD-2").exists()


def test_there_is_no_superuser(house: House) -> None:
    with pytest.raises(Refused):
        User.objects.create_superuser("root", "x")
    with pytest.raises(IntegrityError, match="casino_user_no_superusers"), transaction.atomic():
        User.objects.create(username="root", is_superuser=True)


def test_what_is_in_no_row_is_refused(house: House) -> None:
    assert not any(person.has_perm("tables.delete_round") for person in house.people.values())
    assert not any(person.has_perm("tables.change_round") for person in house.people.values())
    assert not any(person.has_perm("ledger.add_entry") for person in house.people.values())
    assert {number for number, person in house.people.items() if person.has_perm("tables.add_round")} == {"PB-1", "PB-2", "FS-1", "FS-2"}
    assert [number for number, person in house.people.items() if person.has_perm("casino.change_user")] == ["AD-1"]


def test_a_user_without_roles_does_not_get_in(house: House, client: object) -> None:
    nobody = people.hire("NN-1", "Nobody", "a long enough one 17", by=house.people["AD-1"])
    assert not nobody.is_staff
    answer = client.post("/admin/login/", {"username": "NN-1", "password": "a long enough one 17"})
    assert answer.status_code == 200
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("number", "role"),
    [("FS-1", "count_team"), ("CT-1", "supervisor"), ("AU-1", "cage"), ("PB-1", "auditor"), ("CG-1", "pit_boss"), ("FS-1", "administrator")],
)
def test_nobody_enters_and_counts_or_proposes_and_approves(house: House, number: str, role: str) -> None:
    with pytest.raises(Refused) as error:
        people.grant_role(house.people[number], role, by=house.people["AD-1"])
    assert error.value.code == "roles_clash"
    assert not RoleEvent.objects.filter(user=house.people[number], role=role).exists()


def test_the_administrator_sets_no_password_of_who_approves(house: House, client: object) -> None:
    client.force_login(house.people["AD-1"])
    for number, status in (("AU-1", 403), ("PB-1", 403), ("FS-1", 200)):
        assert client.get(f"/admin/casino/user/{house.people[number].pk}/password/").status_code == status, number


def test_an_order_about_nobodys_roles_is_a_404_and_a_strangers_a_403(house: House, client: object) -> None:
    client.force_login(house.people["AD-1"])
    assert client.post("/admin/casino/user/999999/role/", {"role": "cage", "action": "grant"}).status_code == 404
    client.force_login(house.people["FS-1"])
    assert client.post("/admin/casino/user/999999/role/", {"role": "cage", "action": "grant"}).status_code == 403
