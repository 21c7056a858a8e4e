"""Settings of a property: what two people change holds from a gaming day to come on, and no figure of a day before it changes."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audit.models import SessionReconciliation
from audit.services import reconcile_shift
from casino.errors import CasinoError, InvalidSlip
from casino.models import User
from casino.money import Minor
from tables.house_settings import history, settings_of, settings_on, usual_hours
from tables.models import Property, PropertySetting, Shift, TableLimit
from tables.services import chips, floor
from tables.services.house_settings import change_setting
from tests.builders import DAY, House, end_night, uuid

pytestmark = pytest.mark.django_db
SECRET = "a long enough one 17"
NEXT = DAY + timedelta(days=1)


def change(house: House, name: str, value: Any, *, from_day: date = NEXT, by: str = "GM-1", approved_by: str = "AU-1") -> PropertySetting:
    people = house.people
    return change_setting(house.property, name, value, from_day=from_day, at=house.tick(), by=people[by], approved_by=people[approved_by])


def test_what_a_property_was_made_with_holds_until_it_is_changed(house: House) -> None:
    held = settings_of(house.shift)
    assert (held.explain_over, held.report_over, held.notify_over, held.ask_patron_from, held.form_above) == (1, 2_500, 10_000, 300_000, 1_000_000)
    assert (held.drop_per, held.rake_to, held.own_drop, held.rake_in_box) == ("shift", "tray", True, False)
    assert held.shift_hours == {"day": (time(6), time(14)), "swing": (time(14), time(22)), "grave": (time(22), time(6))}
    assert held.chip_values == tuple(house.property.chip_values)
    assert usual_hours(time(4, 30))["grave"] == (time(20, 30), time(4, 30))


def test_a_house_without_decimals_has_its_own_lines(house: House) -> None:
    yen = floor.make_property("YEN", "Yen", zone="Asia/Tokyo", currency="JPY", exponent=0, by=house.people["GM-1"])
    assert settings_on(yen, DAY).form_above == 10_000


def test_a_change_holds_from_its_day_on(house: House) -> None:
    change(house, "explain_over", 500)
    change(house, "explain_over", 700, from_day=NEXT + timedelta(days=7))
    told = history(house.property)
    assert [told.on(DAY + timedelta(days=days)).explain_over for days in (0, 1, 7, 8, 400)] == [1, 500, 500, 700, 700]
    assert told.values("explain_over", DAY, NEXT + timedelta(days=30)) == [1, 500, 700]


@pytest.mark.parametrize(
    ("name", "value", "code", "where"),
    [
        ("explain_over", 0, "bad_amount", "value"),
        ("explain_over", True, "bad_amount", "value"),
        ("explain_over", 2.5, "bad_amount", "value"),
        ("notify_over", 10**15, "bad_amount", "value"),
        ("explain_over", 2_501, "bad_amount", "value"),  # above what is reported
        ("notify_over", 2_499, "bad_amount", "value"),
        ("drop_per", "week", "bad_type", "value"),
        ("rake_to", None, "bad_type", "value"),
        ("chip_values", [], "bad_type", "value"),
        ("chip_values", [100, 100], "bad_type", "value"),
        ("chip_values", [100, -5], "bad_amount", "value"),
        ("note_values", "100", "bad_type", "value"),
        ("shift_hours", {"day": ["06:00", "14:00"]}, "bad_type", "value"),
        ("shift_hours", {"day": ["06:00", "14:00"], "swing": ["14:00", "14:00"], "grave": ["22:00", "06:00"]}, "bad_type", "value"),
        ("shift_hours", {"day": ["06:00", "25:00"], "swing": ["14:00", "22:00"], "grave": ["22:00", "06:00"]}, "bad_type", "value"),
        ("colour", "red", "unknown_setting", "name"),
    ],
)
def test_a_value_that_cannot_be_is_refused_at_its_field(house: House, name: str, value: Any, code: str, where: str) -> None:
    with pytest.raises(InvalidSlip) as error:
        change(house, name, value)
    assert (error.value.code, error.value.where, PropertySetting.objects.count()) == (code, where, 0)


def test_days_that_have_begun_keep_theirs(house: House) -> None:
    for day, code in ((DAY, "bad_day"), (DAY - timedelta(days=1), "bad_day")):
        with pytest.raises(CasinoError) as error:
            change(house, "drop_per", "gaming_day", from_day=day)
        assert (error.value.code, error.value.where) == (code, "from_day")
    early = floor.open_shift(house.property, NEXT, "day", starts=time(6), ends=time(14), at=house.tick(), by=house.people["SM-1"])
    with pytest.raises(CasinoError) as error:
        change(house, "drop_per", "gaming_day")
    assert (error.value.code, str(early) in error.value.message) == ("day_begun", True)
    change(house, "drop_per", "gaming_day", from_day=NEXT + timedelta(days=1))
    with pytest.raises(CasinoError) as error:
        change(house, "drop_per", "shift", from_day=NEXT + timedelta(days=1))
    assert error.value.code == "setting_exists"


@pytest.mark.parametrize(
    ("by", "approved_by", "code"), [("PB-1", "AU-1", "not_allowed"), ("GM-1", "SM-1", "not_allowed"), ("AU-1", "AU-1", "not_allowed")]
)
def test_a_games_manager_proposes_and_an_auditor_approves(house: House, by: str, approved_by: str, code: str) -> None:
    with pytest.raises(CasinoError) as error:
        change(house, "explain_over", 5, by=by, approved_by=approved_by)
    assert (error.value.code, PropertySetting.objects.count()) == ("not_allowed", 0)


def test_the_database_refuses_one_person_for_both_and_an_unknown_setting(house: House) -> None:
    gm, au = house.people["GM-1"], house.people["AU-1"]
    for name, approver, words in (("explain_over", gm, "two_people"), ("colour", au, "known")):
        with pytest.raises(DatabaseError, match=words), transaction.atomic():
            PropertySetting.objects.create(property=house.property, name=name, value=1, from_day=NEXT, proposed_by=gm, approved_by=approver)
    change(house, "explain_over", 5)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE tables_propertysetting SET value = '6'")


STAYS = [
    ("uuid", "gen_random_uuid()"),
    ("code", "'OTHER'"),
    ("zone", "'Europe/Rome'"),
    ("currency", "'EUR'"),
    ("exponent", "3"),
    ("writes", "'comma'"),
]


@pytest.mark.parametrize(("column", "value"), STAYS)
def test_the_application_changes_nothing_that_stays(house: House, column: str, value: str) -> None:
    """Neither by itself, nor for all rows, nor beside something that may change, nor by an insert that meets the row."""
    before = Property.objects.filter(pk=house.property.pk).values().get()
    names = ", ".join(field.column for field in Property._meta.local_concrete_fields)
    clash = f"INSERT INTO tables_property ({names}) SELECT {names} FROM tables_property WHERE id = {house.property.pk}"
    for statement in (
        f"UPDATE tables_property SET {column} = {value} WHERE id = {house.property.pk}",
        f"UPDATE tables_property SET name = 'Another', {column} = {value}",
        f"{clash} ON CONFLICT (id) DO UPDATE SET {column} = {value}",
    ):
        with pytest.raises(DatabaseError, match="UPDATE of tables_property is refused"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Property.objects.filter(pk=house.property.pk).values().get() == before


@pytest.mark.django_db(databases=["owner"])
def test_the_owner_changes_nothing_that_stays_either() -> None:
    for column, value in STAYS:
        with (
            pytest.raises(DatabaseError, match="UPDATE of tables_property"),
            transaction.atomic(using="owner"),
            connections["owner"].cursor() as cursor,
        ):
            cursor.execute(f"UPDATE tables_property SET {column} = {value}")


def test_a_name_may_be_corrected_and_the_whole_row_written_back_as_it_was(house: House) -> None:
    house.property.name = "Casino am See"
    house.property.save()
    assert Property.objects.get(pk=house.property.pk).name == "Casino am See"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_property SET zone = zone, currency = currency")
        assert cursor.rowcount == 1


def test_a_reconciled_shift_is_the_same_after_a_change(house: House) -> None:
    """A figure depends on how boxes are pulled: the day of the shift counts, not the day on which somebody looks."""
    chips.buy_in(house.sessions["UTH-01"], Minor(30_000), at=house.tick(), by=house.people["FS-1"])
    end_night(house, drops={"UTH-01": -40})
    before = reconcile_shift(house.shift)
    change(house, "drop_per", "gaming_day")
    change(house, "explain_over", 100)
    shift = Shift.objects.select_related("property").get(pk=house.shift.pk)
    assert reconcile_shift(shift).pk == before.pk
    line = SessionReconciliation.objects.get(reconciliation=before, session=house.sessions["UTH-01"])
    assert (line.drop, line.drop_variance) == (29_960, -40)


def test_the_patron_is_asked_for_by_the_days_own_line(house: House) -> None:
    change(house, "ask_patron_from", 50_000)
    cage = house.people["CG-1"]
    chips.cash_out(house.property, Minor(60_000), at=house.tick(), by=cage, uuid=uuid(1))  # the shift of DAY is open: its line holds
    end_night(house)
    with pytest.raises(CasinoError) as error:
        chips.cash_out(house.property, Minor(60_000), at=house.tick(36 * 3600), by=cage, uuid=uuid(2))
    assert error.value.code == "patron_asked"


# ---- the doors ----


@pytest.fixture
def signing(house: House) -> House:
    User.objects.filter(username__in=("GM-1", "AU-1")).update(password=make_password(SECRET))
    return house


def as_(house: House, who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get(username=who))
    return client


def ahead(house: House) -> date:
    """Return a gaming day to come by the clock on the wall, which doors go by."""
    return timezone.now().date() + timedelta(days=3)


def test_the_page_changes_a_setting_with_the_auditor_beside(signing: House) -> None:
    client = as_(signing, "GM-1")
    page = client.get(reverse("admin:tables_property_change", args=[signing.property.pk]))
    assert "cash of a gaming day needs the form above" in page.content.decode()
    typed = {
        "form_above": "8,000.00",
        "drop_per": "gaming_day",
        "chip_values": "25 5 1000",
        "shift_hours": "day 07:00-15:00, swing 15:00-23:00, grave 23:00-07:00",
    }
    second = {"second_number": "AU-1", "second_password": SECRET}
    for name, value in typed.items():
        address = reverse("admin:tables_property_setting", args=[signing.property.pk, name])
        assert client.get(address).status_code == 200
        unsigned = client.post(address, {"value": value, "from_day": ahead(signing)})
        assert (unsigned.status_code, list(unsigned.context["form"].errors)) == (400, ["second_number"])
        done = client.post(address, {"value": value, "from_day": ahead(signing), **second})
        assert done.status_code == 303, done.context["form"].errors
    held = settings_on(Property.objects.get(pk=signing.property.pk), ahead(signing))
    assert (held.form_above, held.own_drop, held.chip_values) == (800_000, False, (100_000, 2_500, 500))
    assert held.shift_hours["grave"] == (time(23), time(7))
    explain = reverse("admin:tables_property_setting", args=[signing.property.pk, "explain_over"])
    refused = client.post(explain, {"value": "0", "from_day": ahead(signing), **second})
    assert (refused.status_code, list(refused.context["form"].errors)) == (400, ["value"])
    assert as_(signing, "PB-1").get(explain).status_code == 403


def test_the_api_changes_a_setting_with_the_auditor_beside(signing: House) -> None:
    client, address = as_(signing, "GM-1"), "/api/v1/properties/CASINO/settings"
    body = {"name": "explain_over", "value": 300, "from_day": ahead(signing).isoformat(), "second": {"number": "AU-1", "password": SECRET}}
    answer = client.post(address, body, content_type="application/json")
    assert (answer.status_code, answer.json()["value"], answer.json()["approved_by"]) == (201, 300, "AU-1")
    for field, wrong, code in (("name", "colour", "bad_type"), ("value", "x", "bad_amount"), ("from_day", "31/02/2026", "bad_type")):
        refused = client.post(address, {**body, field: wrong}, content_type="application/json")
        assert (refused.status_code, refused.json()["error"]["code"], refused.json()["error"]["where"]) == (400, code, field)
    wrong = client.post(address, {**body, "second": {"number": "AU-1", "password": "no"}}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["error"]["where"]) == (403, "second.password")
    assert client.get(address).json()["settings"]["explain_over"] == 1
    assert as_(signing, "CT-1").get(address).status_code == 403
    read = as_(signing, "SM-1").get(f"{address}?gaming_day={ahead(signing)}")
    assert (read.json()["settings"]["explain_over"], len(read.json()["changes"])) == (300, 1)
    assert as_(signing, "SM-1").get(f"{address}?gaming_day=2026-13-01").status_code == 400
    assert as_(signing, "PB-1").post(address, body, content_type="application/json").status_code == 403


def test_a_tables_limits_have_a_page_and_an_address(signing: House) -> None:
    client, table = as_(signing, "GM-1"), signing.tables["UTH-01"]
    page, second = reverse("admin:tables_table_limit", args=[table.pk]), {"second_number": "AU-1", "second_password": SECRET}
    assert client.get(page).status_code == 200
    wrong = client.post(page, {"bet": "", "least": "10", "most": "5", **second})
    assert (wrong.status_code, list(wrong.context["form"].errors)) == (400, ["most"])
    assert client.post(page, {"bet": "", "least": "10", "most": "5,000", **second}).status_code == 303
    kept = TableLimit.objects.get()
    assert (kept.least, kept.most, kept.proposed_by.username, kept.approved_by.username) == (1_000, 500_000, "GM-1", "AU-1")
    assert "5,000.00" in as_(signing, "SM-1").get(reverse("admin:tables_table_change", args=[table.pk])).content.decode()
    address = "/api/v1/tables/UTH-01/limits"
    body = {"bet": "trips", "least": 500, "most": 10_000, "second": {"number": "AU-1", "password": SECRET}}
    made = client.post(address, body, content_type="application/json")
    assert (made.status_code, made.json()["bet"], made.json()["most"]) == (201, "trips", 10_000)
    for field, value, code in (
        ("bet", "none", "unknown_bet"),
        ("least", "5", "bad_amount"),
        ("most", 1, "bad_amount"),
        ("colour", 1, "unknown_field"),
    ):
        refused = client.post(address, {**body, field: value}, content_type="application/json")
        assert (refused.status_code, refused.json()["error"]["code"], refused.json()["error"]["where"]) == (400, code, field)
    assert len(as_(signing, "SM-1").get(address).json()) == 2
    assert as_(signing, "PB-2").get(address).status_code == 403  # another pit's
    for who in ("PB-1", "AU-1", "SM-1"):
        assert as_(signing, who).post(address, body, content_type="application/json").status_code == 403
    assert TableLimit.objects.count() == 2


def test_the_page_of_a_new_shift_knows_the_schedule(house: House) -> None:
    form = as_(house, "SM-1").get("/admin/tables/tablesession/shift/open/?kind=grave").context["form"]
    assert (form.initial["kind"], form.initial["starts"], form.initial["ends"]) == ("grave", time(22), time(6))
