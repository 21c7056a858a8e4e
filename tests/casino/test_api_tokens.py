"""API tokens: made and withdrawn by an administrator, kept as a digest, refused at once when they end; what one wrote is told (B153)."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.http import JsonResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIClient

from casino import api_tokens, people
from casino.api_tokens import NewToken, good_token, make_token, withdraw_token
from casino.bearer import _reference
from casino.errors import CasinoError, Conflict, InvalidSlip
from casino.models import ApiToken, ApiTokenWithdrawal, Job, StepUpFailure, TokenWrite, User
from ledger.models import Entry
from tables import tasks as tables_tasks  # noqa: F401 - registers its jobs
from tables.models import Round, RoundImport
from tables.services.import_files import run_import
from tests.builders import House, slip
from tests.ledger.test_races import at_once

AT = datetime(2026, 3, 14, 20, tzinfo=UTC)
LAST = date(2026, 6, 30)
RIGHT = "a long enough one 17"
ROUNDS = "/api/v1/rounds"

pytestmark = pytest.mark.django_db


def new(house: House, whose: str = "FS-1", *, until: date = LAST, at: datetime = AT, label: str = "table system") -> NewToken:
    return make_token(house.people[whose], label, until, at=at, by=house.people["AD-1"])


def for_now(house: House, whose: str = "FS-1") -> NewToken:
    now = timezone.now()
    return new(house, whose, until=now.date() + timedelta(days=90), at=now)


def bearing(secret: str) -> APIClient:
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return api


def signed_in(house: House, who: str) -> APIClient:
    api = APIClient()
    api.force_authenticate(User.objects.get(pk=house.people[who].pk))
    return api


@pytest.fixture
def administrator(house: House) -> User:
    """AD-1, with a password."""
    person = house.people["AD-1"]
    person.set_password(RIGHT)
    person.save()
    return person


def code_of(call: Any) -> str:
    with pytest.raises(CasinoError) as error:
        call()
    return error.value.code


# -- the service


def test_a_token_is_found_by_its_secret_which_is_kept_nowhere(house: House) -> None:
    made = new(house)
    assert re.fullmatch(r"pb_[A-Z2-7]{40}", made.secret)
    found = good_token(made.secret, at=AT)
    assert found is not None and (found.pk, found.user.username, found.made_by.username) == (made.token.pk, "FS-1", "AD-1")
    assert found.digest == hashlib.sha256(made.secret.encode()).hexdigest()
    [row] = ApiToken.objects.values()
    assert not [column for column, value in row.items() if made.secret in str(value) or made.secret[3:] in str(value)]
    assert new(house).secret != made.secret


@pytest.mark.parametrize("who", ["AU-1", "SM-1", "PB-1", "GM-1", "CG-1", "CT-1", "SV-1"])
def test_only_an_administrator_makes_and_withdraws(house: House, who: str) -> None:
    made = new(house)
    by = house.people[who]
    assert code_of(lambda: make_token(house.people["FS-1"], "mine", LAST, at=AT, by=by)) == "not_allowed"
    assert code_of(lambda: withdraw_token(made.token, "no longer used", by=by)) == "not_allowed"
    assert good_token(made.secret, at=AT)


def test_nobody_makes_or_withdraws_their_own(house: House) -> None:
    first = house.people["AD-1"]
    second = people.hire("AD-2", "Two", None, by=first)
    people.grant_role(second, "administrator", by=first)
    assert code_of(lambda: make_token(first, "mine", LAST, at=AT, by=first)) == "own_tokens"
    made = make_token(first, "theirs", LAST, at=AT, by=second)
    assert code_of(lambda: withdraw_token(made.token, "mine", by=first)) == "own_tokens"
    withdraw_token(made.token, "not used", by=second)
    assert good_token(made.secret, at=AT) is None


def test_the_last_day_is_good_to_its_end_and_the_next_is_not(house: House) -> None:
    secret = new(house, until=date(2026, 3, 20)).secret
    assert good_token(secret, at=datetime(2026, 3, 20, 23, 59, 59, tzinfo=UTC))
    assert good_token(secret, at=datetime(2026, 3, 21, tzinfo=UTC)) is None
    assert good_token(secret, at=datetime.fromisoformat("2026-03-21T01:00:00+09:00"))  # still the 20th in UTC


@pytest.mark.parametrize(
    ("label", "until", "faults"),
    [
        ("", LAST, [("missing_field", "label")]),
        ("  ", LAST, [("missing_field", "label")]),
        ("x" * 81, LAST, [("bad_type", "label")]),
        ("two\nlines", LAST, [("bad_type", "label")]),
        ("a\x00b", LAST, [("bad_type", "label")]),
        ("tms", date(2026, 3, 13), [("bad_day", "until")]),
        ("tms", date(2027, 3, 16), [("bad_day", "until")]),
        ("tms", date(9999, 12, 31), [("bad_day", "until")]),
        ("", date(2020, 1, 1), [("missing_field", "label"), ("bad_day", "until")]),
    ],
)
def test_what_is_wrong_with_a_new_token_is_said_at_its_field(house: House, label: str, until: date, faults: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidSlip) as error:
        new(house, label=label, until=until)
    assert [(fault.code, fault.where) for fault in error.value.faults] == faults
    assert not ApiToken.objects.exists()


def test_today_and_a_year_from_today_are_last_days(house: House) -> None:
    assert new(house, until=AT.date()).token.until == AT.date()
    assert new(house, until=date(2027, 3, 15)).token.until == date(2027, 3, 15)


def test_a_leaver_gets_no_token_and_theirs_are_refused_at_once(house: House) -> None:
    made, leaver = new(house), house.people["FS-1"]
    User.objects.filter(pk=leaver.pk).update(is_active=False)
    assert good_token(made.secret, at=AT) is None
    assert code_of(lambda: new(house)) == "left"
    User.objects.filter(pk=leaver.pk).update(is_active=True)
    assert good_token(made.secret, at=AT)


def test_a_withdrawal_says_who_and_why_and_is_one(house: House) -> None:
    made, by = new(house), house.people["AD-1"]
    for reason, code in (("", "missing_field"), ("  ", "missing_field"), ("x" * 301, "bad_type"), ("a\x00", "bad_type")):
        assert code_of(lambda said=reason: withdraw_token(made.token, said, by=by)) == code
    withdraw_token(made.token, "the laptop is lost", by=by)
    assert good_token(made.secret, at=AT) is None
    with pytest.raises(Conflict) as error:
        withdraw_token(made.token, "again", by=by)
    assert (error.value.code, error.value.facts) == ("withdrawn", {"by": "AD-1"})
    [kept] = ApiTokenWithdrawal.objects.all()
    assert (kept.by, kept.reason) == (by, "the laptop is lost")


@pytest.mark.django_db(transaction=True)
def test_two_withdrawals_at_once_are_one(house: House) -> None:
    made = new(house)

    def withdraw(number: int) -> str:
        try:
            withdraw_token(ApiToken.objects.get(pk=made.token.pk), f"reason {number}", by=User.objects.get(username="AD-1"))
        except Conflict as error:
            return error.code
        return "done"

    assert sorted(at_once(withdraw, 8, threads=8)) == ["done", *["withdrawn"] * 7]
    assert ApiTokenWithdrawal.objects.count() == 1


# -- the database


@pytest.mark.parametrize(
    ("changed", "constraint"),
    [
        ({"made_by": "FS-1"}, "casino_apitoken_not_ones_own"),
        ({"digest": "pb_" + "A" * 40}, "casino_apitoken_digest"),
        ({"digest": "A" * 64}, "casino_apitoken_digest"),
        ({"label": ""}, "casino_apitoken_has_a_label"),
        ({"until": date(2027, 3, 16)}, "ends within a year"),
        ({"until": date(2026, 3, 13)}, "ends within a year"),
    ],
)
def test_the_database_refuses_a_token_that_the_service_would_not_make(house: House, changed: dict[str, Any], constraint: str) -> None:
    row = {"made_by": "AD-1", "digest": "a" * 64, "label": "tms", "until": LAST, **changed}
    values = [uuid4(), house.people["FS-1"].pk, row["label"], row["digest"], house.people[row["made_by"]].pk, AT.date(), row["until"]]
    sql = "INSERT INTO casino_apitoken (uuid, user_id, label, digest, made_by_id, made_on, until) VALUES (%s, %s, %s, %s, %s, %s, %s)"
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)
    assert not ApiToken.objects.exists()


def test_the_database_refuses_a_withdrawal_of_ones_own_and_a_second_one(house: House) -> None:
    made = new(house)
    sql = "INSERT INTO casino_apitokenwithdrawal (token_id, by_id, reason) VALUES (%s, %s, %s)"

    def insert(by: str, reason: str) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, [made.token.pk, house.people[by].pk, reason])

    with pytest.raises(IntegrityError, match="their own token"):
        insert("FS-1", "mine")
    with pytest.raises(IntegrityError, match="casino_apitokenwithdrawal_says_why"):
        insert("AD-1", "")
    insert("AD-1", "lost")
    with pytest.raises(IntegrityError, match="duplicate key"):
        insert("AD-1", "lost again")


def test_rows_are_stamped_and_kept_as_they_are(house: House) -> None:
    made = new(house)
    withdraw_token(made.token, "lost", by=house.people["AD-1"])
    api_tokens.wrote(made.token, "POST", "/api/v1/rounds", 201, None)
    for table in ("casino_apitoken", "casino_apitokenwithdrawal", "casino_tokenwrite"):
        for statement in (f"UPDATE {table} SET recorded_at = now()", f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO casino_tokenwrite (token_id, method, address, status, recorded_at) VALUES (%s, 'POST', '/', 200, '2001-01-01')"
            " RETURNING recorded_at > now() - interval '1 hour'",
            [made.token.pk],
        )
        assert cursor.fetchone() == (True,)


# -- the door


def test_a_request_with_a_token_is_its_persons_with_the_roles_of_the_moment(house: House) -> None:
    api = bearing(for_now(house).secret)
    assert api.get(ROUNDS).status_code == 200
    people.withdraw_role(house.people["FS-1"], "supervisor", by=house.people["AD-1"])
    assert api.get(ROUNDS).status_code == 403
    people.grant_role(house.people["FS-1"], "supervisor", by=house.people["AD-1"], pits=["P1"])
    assert api.get(ROUNDS).status_code == 200


def test_a_token_costs_one_query_and_writes_nothing(house: House) -> None:
    secret = for_now(house).secret
    with CaptureQueriesContext(connection) as queries:
        token = good_token(secret, at=timezone.now())
        assert token is not None and token.user.username == "FS-1"
    assert len(queries) == 1
    with CaptureQueriesContext(connection) as queries:
        assert bearing(secret).get(ROUNDS).status_code == 200
    assert [query["sql"] for query in queries if re.match(r"\s*(INSERT|UPDATE|DELETE)", query["sql"])] == []


def test_a_token_that_is_not_good_is_a_401_that_tells_nothing_more(house: House) -> None:
    now = timezone.now()
    leaver, ended = for_now(house, "FS-2"), for_now(house, "PB-1")
    past = new(house, at=now - timedelta(days=2), until=now.date() - timedelta(days=1))
    User.objects.filter(username="FS-2").update(is_active=False)
    withdraw_token(ended.token, "lost", by=house.people["AD-1"])
    good = for_now(house).secret
    near = good[:-1] + ("A" if good[-1] != "A" else "B")
    wrong = [leaver.secret, ended.secret, past.secret, "pb_" + "A" * 40, near, good.lower(), good + "A", "", "x" * 5000, "pb_" + "é" * 40, "\x00"]
    answers = [bearing(secret).post(ROUNDS, {}, format="json") for secret in wrong]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer["WWW-Authenticate"] for answer in answers} == {'Bearer realm="api", error="invalid_token"'}
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["error"]["code"] == "bad_token"
    assert not TokenWrite.objects.exists() and not StepUpFailure.objects.exists()


def test_wrong_tokens_cost_the_same_whether_somebody_has_them_or_not(house: House) -> None:
    """Unknown, withdrawn and expired take one and the same query; the wrong form takes none, and everybody knows the form."""
    ended = for_now(house)
    withdraw_token(ended.token, "lost", by=house.people["AD-1"])
    asked = []
    for secret in (ended.secret, "pb_" + "A" * 40, "pb_short"):
        with CaptureQueriesContext(connection) as queries:
            assert bearing(secret).get(ROUNDS).status_code == 401
        asked.append([re.sub(r"'[0-9a-f]{64}'", "?", query["sql"]) for query in queries])
    assert asked[0] == asked[1] and len(asked[0]) == 1
    assert asked[2] == []


def test_a_wrong_token_beside_a_session_is_refused_and_other_sign_ins_stay_as_they_were(house: House) -> None:
    browser = Client()
    browser.force_login(house.people["FS-1"])
    assert browser.get(ROUNDS).status_code == 200
    assert browser.get(ROUNDS, headers={"authorization": "Bearer pb_wrong"}).status_code == 401
    nobody = APIClient().get(ROUNDS)
    assert (nobody.status_code, nobody["WWW-Authenticate"]) == (401, 'Basic realm="api"')


def test_a_token_opens_no_page(house: House) -> None:
    answer = Client().get("/admin/", headers={"authorization": f"Bearer {for_now(house).secret}"})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/?next=/admin/")


def test_a_token_is_no_password_where_an_approval_asks_for_one(house: House) -> None:
    first = house.people["AD-1"]
    second = people.hire("AD-2", "Two", None, by=first)
    people.grant_role(second, "administrator", by=first)
    now = timezone.now()
    made = make_token(first, "script", now.date(), at=now, by=second)
    body = {"label": "tms", "until": now.date().isoformat(), "password": made.secret}
    answer = bearing(made.secret).post("/api/v1/people/FS-1/tokens", body, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "wrong_password")
    assert ApiToken.objects.count() == 1


def test_the_openapi_document_has_the_scheme_on_every_address(house: House) -> None:
    schema = signed_in(house, "FS-1").get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    assert schema["components"]["securitySchemes"]["tokenAuth"]["scheme"] == "bearer"
    verbs = [verb for each in schema["paths"].values() for name, verb in each.items() if name in ("get", "post", "put", "delete", "patch")]
    assert len(verbs) > 50 and all({"tokenAuth": []} in verb["security"] for verb in verbs)


# -- B153


def test_b153_what_a_token_wrote_is_its_persons_and_says_which_token(house: House) -> None:
    made = for_now(house)
    api, raw = bearing(made.secret), slip(house)
    answer = api.post(ROUNDS, raw, format="json")
    assert answer.status_code == 201, answer.content
    played = Round.objects.get(uuid=raw["uuid"])
    assert played.recorded_by == house.people["FS-1"]
    assert Entry.objects.get(round=played.uuid).recorded_by == house.people["FS-1"]
    [kept] = TokenWrite.objects.all()
    assert (kept.token, kept.method, kept.address, kept.status, kept.reference) == (made.token, "POST", ROUNDS, 201, played.uuid)
    assert api.post(ROUNDS, raw, format="json").status_code == 200
    assert list(TokenWrite.objects.order_by("pk").values_list("status", "reference")) == [(201, played.uuid), (200, played.uuid)]
    assert api.post(ROUNDS, {**raw, "uuid": str(uuid4()), "table": "NO-1"}, format="json").status_code >= 400
    assert TokenWrite.objects.count() == 2


def test_b153_an_import_by_token_is_its_persons_with_the_job_in_their_name(house: House) -> None:
    made, raw = for_now(house, "PB-1"), slip(house)
    answer = bearing(made.secret).generic("POST", f"{ROUNDS}/imports?name=tms.ndjson", json.dumps(raw), content_type="application/x-ndjson")
    assert answer.status_code == 202, answer.content
    job = Job.objects.get(uuid=answer.json()["uuid"])
    assert job.asked_by == house.people["PB-1"]
    run_import(job, lambda *_: None, at=house.clock)
    assert RoundImport.objects.get().by == house.people["PB-1"]
    assert Round.objects.get(uuid=raw["uuid"]).recorded_by == house.people["PB-1"]
    assert Entry.objects.get(round=raw["uuid"]).recorded_by == house.people["PB-1"]
    assert TokenWrite.objects.get().reference == job.uuid


def test_b153_the_same_person_without_a_token_leaves_no_row_of_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for_now(house)
    monkeypatch.setattr("django.utils.timezone.now", lambda: house.clock)
    assert signed_in(house, "FS-1").post(ROUNDS, slip(house), format="json").status_code == 201
    assert not TokenWrite.objects.exists()


# -- by address


def test_an_administrator_makes_lists_and_withdraws_by_address(house: House, administrator: User) -> None:
    api = APIClient()
    api.force_authenticate(administrator)
    place, until = "/api/v1/people/FS-1/tokens", timezone.now().date() + timedelta(days=30)
    answer = api.post(place, {"label": "tms", "until": until.isoformat(), "password": RIGHT}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer["Cache-Control"] == "no-store"
    said = answer.json()
    assert (said["staff"], said["label"], said["until"], said["state"], said["made_by"], said["withdrawal"]) == (
        "FS-1",
        "tms",
        until.isoformat(),
        "good",
        "AD-1",
        None,
    )
    assert bearing(said["secret"]).get(ROUNDS).status_code == 200
    listed = api.get(place)
    assert [row["uuid"] for row in listed.json()["results"]] == [said["uuid"]]
    assert said["secret"] not in listed.content.decode() and "digest" not in listed.content.decode()
    ended = api.post(f"{place}/{said['uuid']}/withdraw", {"reason": "lost", "password": RIGHT}, format="json")
    assert (ended.status_code, ended.json()["state"], ended.json()["withdrawal"]["by"]) == (200, "withdrawn", "AD-1")
    assert bearing(said["secret"]).get(ROUNDS).status_code == 401
    again = api.post(f"{place}/{said['uuid']}/withdraw", {"reason": "lost", "password": RIGHT}, format="json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "withdrawn")


def test_by_address_it_is_refused_with_its_place(house: House, administrator: User) -> None:
    api = APIClient()
    api.force_authenticate(administrator)
    place, good = "/api/v1/people/FS-1/tokens", {"label": "tms", "until": timezone.now().date().isoformat(), "password": RIGHT}

    def answer(address: str = place, **changed: object) -> tuple[int, str, str]:
        body = {name: value for name, value in {**good, **changed}.items() if value is not None}
        said = api.post(address, body, format="json")
        return said.status_code, said.json()["error"]["code"], said.json()["error"]["where"]

    assert answer(label=None) == (400, "missing_field", "label")
    assert answer(label=5) == (400, "bad_type", "label")
    assert answer(until="tomorrow") == (400, "bad_day", "until")
    assert answer(until="2001-01-01") == (400, "bad_day", "until")
    assert answer(nothing="x") == (400, "unknown_field", "nothing")
    assert answer(password=None) == (403, "password_required", "password")
    assert answer(password="wrong") == (403, "wrong_password", "password")
    assert answer("/api/v1/people/XX-9/tokens") == (404, "no_person", "staff")
    assert answer("/api/v1/people/AD-1/tokens") == (403, "own_tokens", "")
    assert api.post(place, [], format="json").status_code == 400
    nowhere = api.post(f"{place}/{uuid4()}/withdraw", {"reason": "x", "password": RIGHT}, format="json")
    assert (nowhere.status_code, nowhere.json()["error"]["code"]) == (404, "no_token")
    assert not ApiToken.objects.exists()


def test_a_token_is_found_at_its_own_person_only(house: House, administrator: User) -> None:
    made = for_now(house)
    api = APIClient()
    api.force_authenticate(administrator)
    elsewhere = api.post(f"/api/v1/people/PB-1/tokens/{made.token.uuid}/withdraw", {"reason": "x", "password": RIGHT}, format="json")
    assert elsewhere.status_code == 404
    assert not ApiTokenWithdrawal.objects.exists()


@pytest.mark.parametrize(("who", "reads"), [("AD-1", 200), ("AU-1", 200), ("SM-1", 403), ("PB-1", 403), ("FS-1", 403), ("SV-1", 403)])
def test_who_lists_tokens_by_address(house: House, who: str, reads: int) -> None:
    for_now(house)
    api = signed_in(house, who)
    assert api.get("/api/v1/people/FS-1/tokens").status_code == reads
    if who != "AD-1":
        answer = api.post("/api/v1/people/FS-1/tokens", {"label": "x", "until": "2026-12-31", "password": "x"}, format="json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
        assert not StepUpFailure.objects.exists()


# -- pages


def test_the_secret_stands_on_the_answer_once(house: House, client: Client, administrator: User) -> None:
    client.force_login(administrator)
    page, person = f"/admin/casino/user/{house.people['FS-1'].pk}/tokens/", f"/admin/casino/user/{house.people['FS-1'].pk}/change/"
    until = timezone.now().date() + timedelta(days=30)
    answer = client.post(page, {"label": "tms & co", "until": until.isoformat(), "password": RIGHT})
    assert answer.status_code == 201 and "no-store" in answer["Cache-Control"]
    [secret] = set(re.findall(r"pb_[A-Z2-7]{40}", answer.content.decode()))
    found = good_token(secret, at=timezone.now())
    assert found is not None and found.label == "tms & co"
    for place in (page, person):
        text = client.get(place).content.decode()
        assert secret not in text and found.digest not in text
        assert "tms &amp; co" in text and until.isoformat() in text
    withdraw = f"{page}{found.uuid}/withdraw/"
    assert withdraw in client.get(person).content.decode()
    assert client.get(withdraw).status_code == 200
    done = client.post(withdraw, {"reason": "lost", "password": RIGHT})
    assert (done.status_code, done["Location"]) == (303, page)
    assert good_token(secret, at=timezone.now()) is None
    text = client.get(page).content.decode()
    assert "withdrawn" in text and "lost" in text and withdraw not in text
    assert client.post(withdraw, {"reason": "again", "password": RIGHT}).status_code == 403


def test_a_page_says_at_the_field_what_is_wrong(house: House, client: Client, administrator: User) -> None:
    client.force_login(administrator)
    page = f"/admin/casino/user/{house.people['FS-1'].pk}/tokens/"
    good = {"label": "tms", "until": timezone.now().date().isoformat(), "password": RIGHT}
    for changed, field in (({"label": ""}, "label"), ({"until": "x"}, "until"), ({"until": "2001-01-01"}, "until"), ({"password": "no"}, "password")):
        answer = client.post(page, {**good, **changed})
        assert (answer.status_code, list(answer.context["form"].errors)) == (400, [field])
    assert not ApiToken.objects.exists()
    made = for_now(house)
    answer = client.post(f"{page}{made.token.uuid}/withdraw/", {"reason": "", "password": RIGHT})
    assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["reason"])
    assert client.post(f"{page}{uuid4()}/withdraw/", {"reason": "x", "password": RIGHT}).status_code == 404


def test_an_auditor_looks_and_others_do_not(house: House, client: Client) -> None:
    made = for_now(house)
    page = f"/admin/casino/user/{house.people['FS-1'].pk}/tokens/"
    client.force_login(house.people["AU-1"])
    text = client.get(page).content.decode()
    assert "table system" in text and "Make the token" not in text and "withdraw/" not in text
    assert client.post(page, {"label": "x", "until": "2026-12-31", "password": "x"}).status_code == 403
    assert client.get(f"{page}{made.token.uuid}/withdraw/").status_code == 403
    for who in ("SM-1", "PB-1", "FS-1", "SV-1"):
        client.force_login(house.people[who])
        assert client.get(page).status_code == 403, who
    client.force_login(house.people["AD-1"])
    own = client.get(f"/admin/casino/user/{house.people['AD-1'].pk}/tokens/").content.decode()
    assert "Make the token" not in own
    assert not StepUpFailure.objects.exists()


def test_the_pages_are_german_where_the_reader_is(house: House, client: Client, administrator: User) -> None:
    for_now(house)
    client.force_login(administrator)
    text = client.get(f"/admin/casino/user/{house.people['FS-1'].pk}/tokens/", headers={"accept-language": "de"}).content.decode()
    assert [word for word in ("Token ausstellen", "Letzter Tag (UTC)", "gültig", "Wofür") if word not in text] == []


def test_references_are_of_what_the_answer_names() -> None:
    assert _reference(Response({"uuid": "12345678-1234-5678-1234-567812345678"})) == UUID("12345678-1234-5678-1234-567812345678")
    assert [_reference(answer) for answer in (Response({"uuid": "x"}), Response([1]), Response({}), JsonResponse({}))] == [None] * 4
