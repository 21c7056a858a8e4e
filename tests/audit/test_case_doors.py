"""Findings, signing, statistics and the draw through pages and API: who may, what is wrong at its field, what is not theirs is not there."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from audit.cases import Outcome, answer, assign
from audit.looking import look
from audit.models import Evidence, Finding, FindingEvent, StatisticRun
from audit.moments import keep_moments
from audit.selectors import is_signed, latest_reconciliation
from audit.services import audit_payouts
from tests.audit.signing import hire, print_of, reconciled
from tests.builders import DAY, House, end_night, play

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough one 17"


@pytest.fixture
def finding(house: House) -> Finding:
    hire(house, "AU-2", "auditor")
    for who in ("AU-1", "AU-2"):
        house.people[who].set_password(PASSWORD)
        house.people[who].save()
    play(house, done={"1": {"play": {"paid": 4_500}}})
    [found] = audit_payouts(house.shift)
    return found


def page(finding: Finding) -> str:
    return reverse("admin:audit_finding_change", args=[finding.pk])


def step(client: Client, house: House, finding: Finding, who: str, verb: str, **data: Any) -> Any:
    client.force_login(house.people[who])
    seen = finding.events.order_by("-sequence")[0].sequence
    return client.post(page(finding), {"verb": verb, "seen": seen, **data})


def api(house: House, who: str) -> APIClient:
    client = APIClient()
    client.force_authenticate(house.people[who])
    return client


# ---- pages ----


def test_a_life_through_the_page(house: House, finding: Finding, client: Client) -> None:
    people = house.people
    assert step(client, house, finding, "AU-1", "assign", owner=people["PB-1"].pk, note="Camera 14.").status_code == 302
    said = {"text": "Misread a flush.", "cause": "misread_hand", "saved": "", "lost": "5.00"}
    assert step(client, house, finding, "PB-1", "answer", **said).status_code == 302
    video = {"kind": "video", "camera": "C-14", "from_at": "2026-03-14T21:30:00", "text": "Pays 45."}
    assert step(client, house, finding, "SV-1", "evidence", **video).status_code == 302
    assert step(client, house, finding, "AU-2", "review", note="Seen.", password=PASSWORD).status_code == 302
    assert step(client, house, finding, "AU-1", "close", password=PASSWORD, saved="", lost="", cause="").status_code == 302
    assert [event.state for event in finding.events.order_by("sequence")] == ["open", "assigned", "answered", "reviewed", "closed"]
    assert (finding.events.get(state="answered").lost, Evidence.objects.get().from_at.isoformat()) == (500, "2026-03-15T04:30:00+00:00")
    text = client.get(page(finding)).content.decode()
    for words in ("Misread a flush.", "C-14", "A hand was misread", "5.00", "Everybody else"):
        assert words in text
    assert '<form method="post"><input' not in text.replace("\n", "")


@pytest.mark.parametrize(
    ("verb", "data", "field", "words"),
    [
        ("answer", {"text": " ", "cause": "chips"}, "text", "This is to be said."),
        ("answer", {"text": "So.", "cause": ""}, "cause", "Say from what it came"),
        ("answer", {"text": "So.", "cause": "chips", "lost": "5.001"}, "lost", "more than 2 decimals"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    house: House, finding: Finding, client: Client, verb: str, data: dict[str, str], field: str, words: str
) -> None:
    assign(finding, house.people["PB-1"], by=house.people["AU-1"])
    response = step(client, house, finding, "PB-1", verb, **data)
    assert response.status_code == 400
    form = next(form for form in response.context["forms"] if form.verb == verb)
    assert words in form.errors[field][0]
    assert words in response.content.decode()
    assert finding.events.count() == 2


def test_a_wrong_password_reviews_nothing(house: House, finding: Finding, client: Client) -> None:
    assign(finding, house.people["PB-1"], by=house.people["AU-1"])
    answer(finding, "So.", Outcome("chips"), by=house.people["PB-1"])
    response = step(client, house, finding, "AU-2", "review", password="wrong")
    assert (response.status_code, finding.events.count()) == (400, 3)
    assert response.context["forms"][0].errors["password"]


@pytest.mark.parametrize(
    ("who", "verbs"),
    [("AU-1", ["assign", "evidence"]), ("PB-1", ["answer"]), ("FS-1", []), ("SV-1", ["evidence"]), ("SM-1", [])],
)
def test_each_sees_the_steps_that_are_theirs(house: House, finding: Finding, client: Client, who: str, verbs: list[str]) -> None:
    assign(finding, house.people["PB-1"], by=house.people["AU-2"])
    client.force_login(house.people[who])
    assert [form.verb for form in client.get(page(finding)).context["forms"]] == verbs


def test_the_inbox_is_narrowed_by_the_address(house: House, finding: Finding, client: Client) -> None:
    assign(finding, house.people["PB-1"], by=house.people["AU-1"])

    def listed(who: str, **asked: str) -> list[Finding]:
        client.force_login(house.people[who])
        return list(client.get("/admin/audit/finding/", asked).context["cl"].result_list)

    assert listed("PB-1", waiting="mine") == [finding]
    assert listed("FS-1", waiting="mine") == []
    assert listed("AU-1", waiting="overdue") == []
    assert listed("AU-1", waiting="open", pit="P1", dealer="D-1187", kind="overpaid", severity="minor") == [finding]
    for other in ({"pit": "P2"}, {"dealer": "D-1042"}, {"kind": "underpaid"}, {"cause": "chips"}):
        assert listed("AU-1", **other) == []
    assert "PB-1" in client.get("/admin/audit/finding/").content.decode()


def test_another_verb_is_no_order(house: House, finding: Finding, client: Client) -> None:
    assert step(client, house, finding, "AU-1", "delete").status_code == 403
    assert step(client, house, finding, "PB-2", "answer", text="x", cause="chips").status_code == 404
    assert FindingEvent.objects.count() == 1


# ---- API ----


def test_a_life_through_the_api(house: House, finding: Finding) -> None:
    at = f"/api/v1/findings/{finding.uuid}"
    auditor, boss, second = api(house, "AU-1"), api(house, "PB-1"), api(house, "AU-2")
    assert auditor.post(f"{at}/assign", {"owner": "PB-1", "seen": 1}, format="json").json()["owner"] == "PB-1"
    assert [one["uuid"] for one in boss.get("/api/v1/findings", {"waiting": "mine"}).json()["results"]] == [str(finding.uuid)]
    assert boss.post(f"{at}/answer", {"text": "So.", "cause": "chips", "lost": 500}, format="json").json()["state"] == "answered"
    slip = {"kind": "video", "camera": "C-14", "from_at": "2026-03-15T04:30:00+00:00"}
    assert api(house, "SV-1").post(f"{at}/evidence", slip, format="json").status_code == 201
    assert second.post(f"{at}/review", {"password": "wrong"}, format="json").status_code == 403
    assert second.post(f"{at}/review", {"password": PASSWORD}, format="json").json()["state"] == "reviewed"
    closed = auditor.post(f"{at}/close", {"password": PASSWORD, "note": "done"}, format="json").json()
    assert (closed["state"], closed["cause"], closed["overdue"], len(closed["events"]), len(closed["evidence"])) == ("closed", "chips", False, 5, 1)


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({}, "missing_field", "owner"),
        ({"owner": "PB-1", "why": "x"}, "unknown_field", "why"),
        ({"owner": 7}, "bad_type", "owner"),
        ({"owner": "PB-1", "seen": True}, "bad_type", "seen"),
        ({"owner": "XX-1"}, "not_an_owner", "owner"),
        ([], "bad_json", ""),
    ],
)
def test_a_body_names_the_field_that_is_wrong(house: House, finding: Finding, body: Any, code: str, where: str) -> None:
    response = api(house, "AU-1").post(f"/api/v1/findings/{finding.uuid}/assign", body, format="json")
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["where"]) == (400, code, where)
    assert finding.events.count() == 1


def test_filters_that_are_none_are_named(house: House, finding: Finding) -> None:
    client = api(house, "AU-1")
    for asked, where in (({"waiting": "long"}, "waiting"), ({"shift": "x"}, "shift"), ({"colour": "red"}, "colour")):
        response = client.get("/api/v1/findings", asked)
        assert (response.status_code, response.json()["error"]["where"]) == (400, where)
    assert client.get("/api/v1/findings", {"pit": "P2"}).json()["results"] == []
    assert api(house, "PB-2").get(f"/api/v1/findings/{finding.uuid}").status_code == 404
    assert api(house, "CT-1").get("/api/v1/findings").status_code == 403
    assert APIClient().get("/api/v1/findings").status_code in (401, 403)


def test_signing_through_the_api(house: House) -> None:
    hire(house, "SM-2", "shift_manager")
    for who in ("SM-2", "AU-1"):
        house.people[who].set_password(PASSWORD)
        house.people[who].save()
    end_night(house, closers={"UTH-02": -5_000})
    reconciled(house)
    kept = latest_reconciliation(house.shift)
    assert kept is not None
    at, print_ = f"/api/v1/shifts/{house.shift.uuid}", print_of(kept)
    session = str(house.sessions["UTH-02"].uuid)
    blocked = api(house, "AU-1").post(f"{at}/signatures", {"fingerprint": print_, "password": PASSWORD}, format="json")
    assert (blocked.status_code, blocked.json()["error"]["facts"]["blockers"][0]["code"]) == (409, "unexplained")
    body = {"session": session, "variance": "tray", "text": "A rack.", "fingerprint": print_}
    assert api(house, "PB-2").post(f"{at}/explanations", body, format="json").json()["blockers"] == []
    stale = api(house, "AU-1").post(f"{at}/signatures", {"fingerprint": "00", "password": PASSWORD}, format="json")
    assert stale.status_code == 412
    for who in ("SM-2", "AU-1"):
        assert api(house, who).post(f"{at}/signatures", {"fingerprint": print_, "password": PASSWORD}, format="json").status_code == 201
    assert is_signed(house.shift)
    answer_ = api(house, "PB-2").get(f"{at}/signing").json()
    assert (answer_["grade"], [one["role"] for one in answer_["signatures"]]) == ("final", ["shift_manager", "auditor"])
    assert {one["table"] for one in answer_["figures"]} == {"UTH-02"}


# ---- statistics and draw ----


@pytest.fixture
def run(house: House) -> StatisticRun:
    for _ in range(3):
        play(house)
    end_night(house)
    keep_moments(reconciled(house))
    return look(house.property, DAY)


def test_statistics_are_shown_with_their_intervals(house: House, run: StatisticRun, client: Client) -> None:
    client.force_login(house.people["AU-1"])
    at = reverse("admin:audit_statisticrun_change", args=[run.pk])
    first = client.get(at)
    assert first.status_code == 200
    assert (first.context["page"].rule, first.context["page"].scope, first.context["page"].span) == ("win", "table", "day")
    assert "<svg" in first.content.decode()
    for asked in ({"rule": "errors"}, {"rule": "pace"}, {"rule": "win", "scope": "dealer", "span": "ytd"}, {"rule": "x", "scope": "y", "span": "z"}):
        assert client.get(at, asked).status_code == 200
    assert client.get(reverse("admin:audit_statisticrun_changelist")).status_code == 200
    client.force_login(house.people["PB-1"])
    assert client.get(at).status_code in (403, 404)


def test_statistics_through_the_api(house: House, run: StatisticRun) -> None:
    client = api(house, "AU-1")
    found = client.get("/api/v1/statistics", {"gaming_day": DAY.isoformat(), "rule": "win", "scope": "table"}).json()
    assert (found["run"], {one["subject"] for one in found["results"]}) == (str(run.uuid), {"UTH-01"})
    assert client.get("/api/v1/statistics", {"gaming_day": "soon"}).status_code == 400
    assert client.get("/api/v1/statistics", {"property": "NONE"}).status_code == 404
    profile = client.get("/api/v1/dealers/D-1187/profile", {"until": DAY.isoformat()}).json()
    assert (profile["own"]["events"], profile["own"]["rounds"]) == (0, 3)
    assert client.get("/api/v1/dealers/D-0/profile").status_code == 404
    assert api(house, "PB-1").get("/api/v1/statistics").status_code == 403


def test_a_shift_without_a_committed_seed_says_so(house: House, client: Client) -> None:
    play(house)
    client.force_login(house.people["SV-1"])
    text = client.get(reverse("admin:tables_shift_draw", args=[house.shift.pk])).content.decode()
    assert "No seed was committed before this shift began" in text
    assert "fewer than 1,000 rounds" in text
    found = api(house, "SV-1").get(f"/api/v1/shifts/{house.shift.uuid}/draw").json()
    assert (found["seed"], found["items"], len(found["risks"])) == (None, [], 1)
    client.force_login(house.people["PB-1"])
    assert client.get(reverse("admin:tables_shift_draw", args=[house.shift.pk])).status_code == 403
