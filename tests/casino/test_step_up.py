"""An approval asks for the password again; wrong ones are kept, and five of them lock approvals for a quarter of an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
from django import forms
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from casino import step_up
from casino.errors import InvalidSlip, Refused
from casino.models import StepUpFailure, User
from casino.step_up_form import StepUpForm
from tests.builders import House

AT = datetime(2026, 3, 14, 20, tzinfo=UTC)
RIGHT = "a long enough one 17"

pytestmark = pytest.mark.django_db


@pytest.fixture
def auditor(house: House) -> User:
    person = house.people["AU-1"]
    person.set_password(RIGHT)
    person.save()
    return person


def refusal(user: User, password: str, at: datetime = AT) -> Refused:
    with pytest.raises(Refused) as error:
        step_up.confirm(user, password, at=at)
    return error.value


def fail(user: User, *minutes: float) -> None:
    for minute in minutes:
        StepUpFailure.objects.create(user=user, at=AT + timedelta(minutes=minute))


def test_the_right_password_passes_and_leaves_nothing(auditor: User) -> None:
    assert step_up.confirm(auditor, RIGHT, at=AT) is None
    assert not StepUpFailure.objects.exists()


def test_no_password_is_required_at_its_field_and_is_no_failure(auditor: User) -> None:
    refused = refusal(auditor, "")
    assert (refused.code, refused.where, refused.status) == ("password_required", "password", 403)
    assert not StepUpFailure.objects.exists()


@pytest.mark.parametrize("typed", ["wrong", f"{RIGHT} ", RIGHT.upper(), "x" * 5000, "\x00"])
def test_a_wrong_password_is_refused_and_kept_without_what_was_typed(auditor: User, typed: str) -> None:
    refused = refusal(auditor, typed)
    assert (refused.code, refused.where) == ("wrong_password", "password")
    [kept] = StepUpFailure.objects.all()
    assert (kept.user, kept.at) == (auditor, AT)
    assert typed not in refused.message


def test_somebody_who_left_or_has_no_password_confirms_nothing(house: House, auditor: User) -> None:
    auditor.is_active = False
    assert refusal(auditor, RIGHT).code == "wrong_password"
    assert refusal(house.people["SM-1"], RIGHT).code == "wrong_password"


def test_the_fifth_failure_in_a_quarter_of_an_hour_locks_for_a_quarter(auditor: User) -> None:
    codes = [refusal(auditor, "wrong", AT + timedelta(minutes=minute)).code for minute in (0, 3, 6, 9, 12)]
    assert codes == ["wrong_password"] * 4 + ["too_many_attempts"]
    locked = refusal(auditor, RIGHT, AT + timedelta(minutes=26, seconds=59))
    assert (locked.code, locked.where, locked.facts) == ("too_many_attempts", "password", {"until": "2026-03-14T20:27:00+00:00"})
    assert StepUpFailure.objects.count() == 5  # what is typed meanwhile is not looked at, and does not lock for longer
    assert step_up.confirm(auditor, RIGHT, at=AT + timedelta(minutes=27)) is None
    assert refusal(auditor, "wrong", AT + timedelta(minutes=27)).code == "wrong_password"


def test_failures_further_apart_lock_nothing(auditor: User) -> None:
    fail(auditor, 0, 4, 8, 12)
    assert refusal(auditor, "wrong", AT + timedelta(minutes=15, seconds=1)).code == "wrong_password"
    assert step_up.locked_until(auditor, AT + timedelta(minutes=16)) is None


def test_a_lock_is_of_one_person(house: House, auditor: User) -> None:
    fail(house.people["SM-1"], 0, 0, 0, 0, 0)
    assert refusal(house.people["SM-1"], "x").code == "too_many_attempts"
    assert step_up.confirm(auditor, RIGHT, at=AT) is None


def test_a_lock_costs_no_hash(auditor: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fail(auditor, 0, 0, 0, 0, 0)
    monkeypatch.setattr(User, "check_password", lambda *_: pytest.fail("a guess was looked at"))
    with CaptureQueriesContext(connection) as asked:
        assert refusal(auditor, RIGHT).code == "too_many_attempts"
    assert not [query for query in asked if "INSERT" in query["sql"]]


def test_failures_are_kept_as_they_are(auditor: User) -> None:
    fail(auditor, 0)
    for statement in ("UPDATE casino_stepupfailure SET at = now()", "DELETE FROM casino_stepupfailure", "TRUNCATE casino_stepupfailure"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert StepUpFailure.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_guesses_at_once_are_no_more_than_five(auditor: User) -> None:
    start, codes = Barrier(8), []

    def guess() -> None:
        start.wait()
        try:
            codes.append(refusal(User.objects.get(pk=auditor.pk), "wrong").code)
        finally:
            connection.close()

    threads = [Thread(target=guess) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["too_many_attempts"] * 4 + ["wrong_password"] * 4
    assert StepUpFailure.objects.count() == 5


@pytest.mark.django_db(transaction=True)
def test_it_is_not_asked_inside_a_transaction_that_would_take_the_failure_back(auditor: User) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        step_up.confirm(auditor, "wrong", at=AT)


class Approval(StepUpForm):
    """A form of an approval."""

    approval = forms.CharField(max_length=10)


def test_a_form_says_it_at_the_field_and_asks_for_the_password_last(auditor: User) -> None:
    form = Approval({"approval": "GC-1", "password": "wrong"})
    assert list(form.fields) == ["approval", "password"]
    assert not form.confirms(auditor, at=AT)
    assert form.errors == {"password": ["This is not your password."]}
    assert "wrong" not in str(form["password"])
    assert Approval({"approval": "GC-1", "password": RIGHT}).confirms(auditor, at=AT)


def test_a_form_that_is_wrong_elsewhere_looks_at_no_password(auditor: User) -> None:
    form = Approval({"approval": "", "password": "wrong"})
    assert not form.confirms(auditor, at=AT)
    assert list(form.errors) == ["approval"]
    assert not StepUpFailure.objects.exists()


def test_the_password_of_an_api_body_is_a_text() -> None:
    assert step_up.password_in({"password": "x"}) == "x"
    assert step_up.password_in({}) == ""
    with pytest.raises(InvalidSlip) as error:
        step_up.password_in({"password": 5})
    assert (error.value.code, error.value.where) == ("bad_type", "password")


@pytest.mark.parametrize(("who", "sees"), [("AU-1", True), ("SV-1", True), ("AD-1", True), ("SM-1", False), ("PB-1", False)])
def test_wrong_passwords_are_a_page_for_those_who_may_look(house: House, client: Client, who: str, sees: bool) -> None:
    failure = StepUpFailure.objects.create(user=house.people["PB-1"], at=AT)
    client.force_login(house.people[who])
    place = "/admin/casino/stepupfailure/"
    listed, page = client.get(place), client.get(f"{place}{failure.pk}/change/")
    assert [listed.status_code, page.status_code] == ([200, 200] if sees else [403, 403])
    if sees:
        assert "PB-1" in listed.content.decode() and "Wrong passwords at approvals" in listed.content.decode()
        assert client.post(f"{place}{failure.pk}/change/", {"at": "x"}).status_code == 403
        assert client.post(place, {"action": "delete_selected"}).status_code == 403
        assert client.get(f"{place}add/").status_code == 403
