"""The paytable workshop: a form made from the game's own description, edges as it is typed, two people, the password again."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

import tables.tasks  # noqa: F401 - the handlers of jobs
from casino import jobs
from casino.models import Job, StepUpFailure
from tables.admin.workshop_placements import place_form
from tables.engine.game import games
from tables.models import EdgeLimit, PaytableDraft, PaytablePlacement, PaytableProposal, PaytableSolve, PaytableVersion, Round, TablePaytable
from tables.paytable_files import published
from tables.paytable_form import PaytableForm
from tables.services import paytables, placements
from tables.services.paytables import version_named
from tests.builders import DAY, House, end_night, play
from tests.tables.test_replay import FLUSH, counts, with_flush

pytestmark = pytest.mark.django_db
AT = "/admin/tables/paytableversion/"
W = f"{AT}workshop/"
PASSWORD = "a long enough one 17"


@pytest.fixture(autouse=True)
def _auditor_signs_in(house: House) -> None:
    house.people["AU-1"].set_password(PASSWORD)
    house.people["AU-1"].save()


def who(house: House, number: str = "GM-1") -> Client:
    client = Client()
    client.force_login(house.people[number])
    return client


def typed(raw: dict[str, Any] | None = None, **changed: str) -> dict[str, str]:
    """Return the fields of the form as a browser sends them."""
    paytable = paytables.read_paytable(raw or with_flush("1:1"))
    form = PaytableForm.of(paytable, games()[paytable.game])
    return {**form.typed, "game": paytable.game, **changed}


def drafted(house: House) -> PaytableDraft:
    answer = who(house).post(f"{W}new/", typed())
    assert answer.status_code == 302, answer.content.decode()
    return PaytableDraft.objects.get(name="house")


def proposed(house: House) -> PaytableProposal:
    return paytables.propose(drafted(house), by=house.people["GM-1"])


def page(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status, answer.content.decode()[:2000]
    return " ".join(answer.content.decode().split())


# ---- the form ----


@pytest.mark.parametrize("reference", sorted(published()))
def test_every_games_version_is_typed_and_read_back_as_the_same(reference: str) -> None:
    paytable = published()[reference]
    game = games()[paytable.game]
    assert game.read_paytable(PaytableForm.of(paytable, game).raw()).sha256 == paytable.sha256


@pytest.mark.parametrize("code", sorted(games()))
def test_a_blank_form_has_every_field_of_the_games_description(house: House, code: str) -> None:
    text = page(who(house).get(f"{W}new/", {"game": code}))
    layout = games()[code].paytable_layout
    for name in [f"odds.{wager}.{row}" for wager, rows in layout.odds.items() for row in rows]:
        assert f'name="{name}"' in text
    for rule in layout.rules:
        assert f'name="rules.{rule}' in text


@pytest.mark.parametrize(
    ("text", "odds"), [("3:2", "3:2"), ("6", "6:1"), ("6 to 1", "6:1"), ("7-2", "7:2"), (" 1/1 ", "1:1"), ("three to one", None), ("0.5", None)]
)
def test_odds_are_read_as_people_write_them(text: str, odds: str | None) -> None:
    form = PaytableForm(games()["uth"], typed(**{"odds.blind.flush": text}))
    assert form.raw()["odds"]["blind"]["flush"] == (odds or text)


def test_what_is_typed_on_the_basis_for_is_kept_to_one(house: House) -> None:
    fields = {
        name: "7:1" if name == "odds.trips.flush" else value
        for name, value in typed().items()
        if not name.startswith("odds.trips.") or "flush" in name
    }
    fields["odds.blind.straight"], fields["odds.trips.royal_flush"], fields["odds.trips.straight_flush"] = "2:1", "51", "41 for 1"
    answer = who(house).post(f"{W}look/", {**fields, "basis": "for", "against": ""}).json()
    assert answer["errors"] == {}
    assert (answer["odds"]["odds.trips.flush"], answer["odds"]["odds.trips.straight_flush"]) == ("6:1", "40:1")


# ---- edges as it is typed ----


def test_the_edge_is_there_as_soon_as_it_is_typed_and_nothing_is_kept(house: House) -> None:
    before = PaytableDraft.objects.count()
    answer = who(house).post(f"{W}look/", {**typed(published_raw()), "odds.trips.full_house": "9", "name": "", "against": "uth-seed@1"}).json()
    assert list(answer["errors"]) == ["name"]  # no edge hangs on a name
    html = " ".join(answer["edges"].split())
    assert "−0.6921 %" in html
    assert "-3561/<wbr>514556" in html
    assert "the player has the edge" in html
    assert "Edge per base bet" in html
    assert "per total wagered" in html
    assert "−2.5961 points" in html
    assert PaytableDraft.objects.count() == before


def published_raw() -> dict[str, Any]:
    return json.loads(published()["uth-seed@1"].canonical)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("odds.trips.flush", "six"),
        ("odds.blind.royal_flush", "-5:1"),
        ("rules.play_multiples.preflop", "3, 3"),
        ("rules.play_multiples.flop", "two"),
        ("rules.payout_unit", "0"),
        ("rules.payout_unit", "1.5"),
        ("rules.caps.wager.blind", "much"),
        ("rules.rounding", "sideways"),
        ("basis", "per"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_is_not_kept(house: House, field: str, value: str) -> None:
    answer = who(house).post(f"{W}look/", typed(**{field: value})).json()
    assert list(answer["errors"]) == [field]
    assert answer["edges"] is None
    text = page(who(house).post(f"{W}new/", typed(**{field: value})), 400)
    assert f'id="e_{field}" >' in text
    assert not PaytableDraft.objects.filter(name="house").exists()


@pytest.mark.parametrize("typed_as", ["999999", "-1", "CASINO", "²", "9" * 40])
def test_a_property_that_is_none_is_refused_at_its_field(house: House, typed_as: str) -> None:
    answer = who(house).post(f"{W}look/", typed(property=typed_as)).json()
    assert answer["errors"] == {"property": ["There is no such property: choose one, or none."]}
    text = page(who(house).post(f"{W}new/", typed(property=typed_as)), 400)
    assert '<span class="error" id="e_property" >There is no such property: choose one, or none.</span>' in text
    assert not PaytableDraft.objects.filter(name="house").exists()
    draft = drafted(house)
    before = PaytableDraft.objects.filter(pk=draft.pk).values().get()
    page(who(house).post(f"{W}draft/{draft.uuid}/", typed(revision="1", property=typed_as, **{"odds.blind.flush": "2:1"})), 400)
    assert PaytableDraft.objects.filter(pk=draft.pk).values().get() == before
    assert who(house).post(f"{W}draft/{draft.uuid}/", typed(revision="1", property=str(house.property.pk))).status_code == 302
    assert PaytableDraft.objects.get(pk=draft.pk).property == house.property


def test_a_games_manager_alone_types(house: House) -> None:
    for number in ("AU-1", "SM-1", "PB-1", "CG-1", "AD-1"):
        assert who(house, number).post(f"{W}look/", typed()).status_code == 403
        assert who(house, number).post(f"{W}new/", typed()).status_code == 403
        assert who(house, number).get(W).status_code == (200 if number == "AU-1" else 403)


def test_a_draft_is_changed_and_the_second_of_two_is_told(house: House) -> None:
    draft = drafted(house)
    address, client = f"{W}draft/{draft.uuid}/", who(house)
    assert client.post(address, typed(revision="1", **{"odds.blind.flush": "2:1"})).status_code == 302
    text = page(client.post(address, typed(revision="1", **{"odds.blind.flush": "3:1"})), 412)
    assert "GM-1 changed the draft since you looked." in text
    assert 'value="3:1"' in text  # what was typed is not lost
    draft.refresh_from_db()
    assert (draft.revision, json.loads(bytes(draft.content))["odds"]["blind"]["flush"]) == (2, "2:1")


@pytest.mark.parametrize("revision", ["", "one", "-1"])
def test_without_the_revision_that_was_looked_at_a_draft_is_neither_changed_nor_proposed(house: House, revision: str) -> None:
    draft = drafted(house)
    address = f"{W}draft/{draft.uuid}/"
    text = page(who(house).post(address, typed(revision=revision, **{"odds.blind.flush": "2:1"})), 400)
    assert "It is not said at which revision the draft was looked at" in text
    assert who(house).post(f"{address}propose/", {"revision": revision})["Location"] == address
    draft.refresh_from_db()
    assert draft.revision == 1
    assert not PaytableProposal.objects.filter(draft=draft).exists()


def test_the_next_version_is_drafted_from_one(house: House) -> None:
    text = page(who(house).get(f"{W}new/", {"from": "uth-seed@1"}))
    assert 'name="version" value="2"' in text
    assert 'name="odds.blind.flush" value="3:2"' in text


def test_a_file_comes_in_whole_or_not_at_all(house: House) -> None:
    client, before = who(house), PaytableDraft.objects.count()
    bad = SimpleUploadedFile("p.json", json.dumps({**with_flush("0.5"), "version": 0}).encode())
    text = page(client.post(f"{W}import/", {"file": bad}), 400)
    assert "<code>odds.blind.flush</code>" in text
    assert "<code>version</code>" in text
    assert "one of the two" in page(client.post(f"{W}import/", {}), 400)
    assert PaytableDraft.objects.count() == before
    good = SimpleUploadedFile("p.json", json.dumps(with_flush("1:1")).encode())
    assert client.post(f"{W}import/", {"file": good}).status_code == 302
    assert client.post(f"{W}import/", {"text": json.dumps(with_flush("2:1", number=3))}).status_code == 302
    assert PaytableDraft.objects.count() == before + 2


# ---- two people ----


def test_another_person_approves_with_the_password_and_the_reference(house: House) -> None:
    draft = drafted(house)
    sent = who(house).post(f"{W}draft/{draft.uuid}/propose/", {"revision": "1", "note": "for the spring"})
    address = sent["Location"]
    assert "Nobody approves what they proposed or typed" in page(who(house).get(address))
    auditor = who(house, "AU-1")
    text = page(auditor.get(address))
    assert draft.short_code in text
    assert 'name="password"' in text
    done = auditor.post(address, {"end": "approve", "approval": "GC-2026-17", "password": PASSWORD})
    version = PaytableVersion.objects.get(name="house")
    assert done["Location"] == f"{AT}{version.pk}/change/"
    assert (version.approval, version.approved_by.username, version.proposed_by.username) == ("GC-2026-17", "AU-1", "GM-1")


@pytest.mark.parametrize(
    ("said", "field", "words"),
    [
        ({"approval": "GC-1", "password": ""}, "password", "An approval asks for your password again."),
        ({"approval": "GC-1", "password": "guess"}, "password", "This is not your password."),
        ({"approval": " ", "password": PASSWORD}, "approval", "This field is required."),
    ],
)
def test_without_password_or_reference_nothing_is_published(house: House, said: dict[str, str], field: str, words: str) -> None:
    proposal = proposed(house)
    text = page(who(house, "AU-1").post(f"{W}proposal/{proposal.uuid}/", {"end": "approve", **said}), 400)
    assert f'id="id_{field}_error">{words}' in text
    assert PASSWORD not in text
    assert not PaytableVersion.objects.filter(name="house").exists()
    assert StepUpFailure.objects.count() == (said["password"] == "guess")


def test_nobody_else_ends_a_proposal(house: House) -> None:
    proposal = proposed(house)
    address = f"{W}proposal/{proposal.uuid}/"
    assert who(house).post(address, {"end": "approve", "approval": "G", "password": "x"}).status_code == 403
    assert who(house, "SM-1").get(address).status_code == 403
    assert "your password" not in page(who(house).get(address)).lower()
    assert paytables.state_of(proposal) == "proposed"


def test_a_refusal_says_why_and_a_proposal_is_taken_back(house: House) -> None:
    proposal = proposed(house)
    address = f"{W}proposal/{proposal.uuid}/"
    page(who(house, "AU-1").post(address, {"end": "refuse", "note": ""}), 400)
    assert who(house, "AU-1").post(address, {"end": "refuse", "note": "too dear"}).status_code == 302
    assert paytables.state_of(proposal) == "refused"
    page(who(house).post(address, {"end": "withdraw"}), 400)
    again = paytables.propose(PaytableDraft.objects.get(name="house"), by=house.people["GM-1"])
    assert who(house).post(f"{W}proposal/{again.uuid}/", {"end": "withdraw"}).status_code == 302
    assert paytables.state_of(again) == "withdrawn"


# ---- the full solve ----


def test_other_rules_take_the_full_solve_which_is_asked_for_cancelled_and_resumed(house: House) -> None:
    client = who(house)
    client.post(f"{W}new/", typed(**{"rules.dealer_qualifies": "three_of_a_kind"}))
    draft = PaytableDraft.objects.get(name="house")
    address = f"{W}draft/{draft.uuid}/"
    assert "Run the full solve" in page(client.get(address))
    assert client.post(f"{address}solve/", {"back": address})["Location"] == address
    solve = PaytableSolve.objects.get(sha256=draft.sha256)
    order, progress = f"{W}job/{solve.job.uuid}/", f"{W}job/{solve.job.uuid}/progress/"
    assert client.get(progress).json()["running"] is True
    client.post(order, {"action": "cancel", "back": address})
    assert Job.objects.get(pk=solve.job_id).state == "cancelled"
    assert client.get(progress).json()["jobs"][0]["state"] == "cancelled"
    assert "Take it up again" in page(client.get(address))
    client.post(order, {"action": "resume", "back": "https://elsewhere.example/"})
    assert Job.objects.get(pk=solve.job_id).state == "queued"
    assert client.post(order, {"action": "cancel", "back": "https://elsewhere.example/"})["Location"] == W
    proposal = paytables.propose(draft, by=house.people["GM-1"])
    text = page(who(house, "AU-1").post(f"{W}proposal/{proposal.uuid}/", {"end": "approve", "approval": "G", "password": PASSWORD}), 400)
    assert "the full solve must be done before" in text
    assert not PaytableVersion.objects.filter(name="house").exists()


def test_an_order_that_is_none_changes_no_job_and_leads_nowhere_else(house: House) -> None:
    client = who(house)
    client.post(f"{W}new/", typed(**{"rules.dealer_qualifies": "three_of_a_kind"}))
    client.post(f"{W}draft/{PaytableDraft.objects.get(name='house').uuid}/solve/")
    job = Job.objects.get(kind="paytable_solve")
    order = f"{W}job/{job.uuid}/"
    for back in ("nowhere", "//elsewhere.example/", "\\elsewhere"):
        assert client.post(order, {"action": "cancel", "back": back})["Location"] == W
    text = page(client.post(order, {"action": "again"}, follow=True))
    assert "Nothing was done: a job is told cancel or resume." in text
    assert Job.objects.get(pk=job.pk).state == "cancelled"


# ---- in force ----


def published_version(house: House) -> PaytableVersion:
    return paytables.publish_paytable(with_flush("1:1"), proposed_by=house.people["GM-1"], approved_by=house.people["AU-1"], approval="GC-2")


def test_a_version_is_put_in_force_by_two_from_a_moment_on_the_tables_clock(house: House) -> None:
    version, table = published_version(house), house.tables["UTH-01"]
    year = timezone.now().year + 1
    sent = who(house).post(f"{AT}{version.pk}/place/", {"table": table.pk, "from_at": f"{year}-01-15T06:00"})
    placement = PaytablePlacement.objects.get(version=version)
    assert placement.from_at.isoformat() == f"{year}-01-15T14:00:00+00:00"
    address = sent["Location"]
    assert version.short_code in page(who(house, "AU-1").get(address))
    assert "This is not your password." in page(who(house, "AU-1").post(address, {"end": "approve", "password": "guess"}), 400)
    assert not TablePaytable.objects.filter(version=version).exists()
    assert who(house, "AU-1").post(address, {"end": "approve", "password": PASSWORD}).status_code == 302
    row = TablePaytable.objects.get(version=version)
    assert (row.table, row.by.username, row.approved_by.username) == (table, "GM-1", "AU-1")


@pytest.mark.parametrize(
    ("from_at", "words"),
    [
        ("2020-01-15T06:00", "A version is put in force from now on, not backwards."),
        ("soon", "A time is written as"),
        ("2027-03-14T02:30", "There is no such time"),
        ("", "This field is required."),
    ],
)
def test_a_moment_that_is_none_is_said_at_its_field(house: House, from_at: str, words: str) -> None:
    version = published_version(house)
    text = page(who(house).post(f"{AT}{version.pk}/place/", {"table": house.tables["UTH-01"].pk, "from_at": from_at}), 400)
    assert f'id="id_from_at_error">{words}' in text
    assert not PaytablePlacement.objects.filter(version=version).exists()


def test_a_version_of_another_game_cannot_be_chosen(house: House) -> None:
    version = published_version(house)
    page(who(house).post(f"{AT}{version.pk}/place/", {"table": house.tables["PAY-01"].pk, "from_at": "2027-01-15T06:00"}), 400)
    assert not PaytablePlacement.objects.filter(version=version).exists()


def test_the_short_code_stands_wherever_a_version_is_named(house: House) -> None:
    version = PaytableVersion.objects.get(name="uth-seed")
    played = play(house)
    boss, auditor = who(house, "PB-1"), who(house, "AU-1")
    pages = [
        auditor.get(f"{AT}{version.pk}/change/"),
        auditor.get(AT),
        auditor.get(W),
        boss.get(f"/admin/tables/table/{house.tables['UTH-01'].pk}/change/"),
        boss.get("/admin/tables/round/add/", {"table": "UTH-01"}),
        boss.get(f"/admin/tables/round/{played.pk}/change/"),
        boss.get(f"/admin/tables/shift/{house.shift.pk}/change/"),
    ]
    assert [version.short_code in page(answer) for answer in pages] == [True] * 7


def test_a_version_goes_out_as_json_and_as_its_sheet(house: House) -> None:
    version = PaytableVersion.objects.get(name="uth-seed")
    out = who(house, "PB-1").get(f"{AT}{version.pk}/json/")
    assert paytables.read_paytable(json.loads(out.content)).sha256 == version.sha256
    first, second = (who(house, number).get(f"{AT}{version.pk}/sheet/") for number in ("PB-1", "GM-1"))
    assert first["Content-Type"] == "application/pdf"
    assert first.content == second.content
    assert first.content.startswith(b"%PDF")
    assert who(house, "CT-1").get(f"{AT}{version.pk}/json/").status_code == 403


# ---- what a change is worth ----


def test_two_versions_are_compared_with_a_months_theoretical_win(house: House) -> None:
    play(house, facts=FLUSH)
    end_night(house)
    published_version(house)
    text = page(who(house).get(f"{W}compare/", {"before": "uth-seed@1", "after": "house@2", "month": f"{DAY:%Y-%m}"}))
    assert "Blind: flush" in text
    assert "Main, of 10.00" in text
    assert "+1.2857 points" in text
    boss = page(who(house, "PB-1").get(f"{W}compare/", {"before": "uth-seed@1", "after": "house@2", "month": f"{DAY:%Y-%m}"}))
    assert "Blind: flush" in boss
    assert "Theoretical win" not in boss  # what every pit staked is not for one pit's boss
    assert who(house).get(f"{W}compare/", {"before": "uth-seed@1", "after": "nobody@7"}).status_code == 404
    assert who(house).post(f"{W}look/", typed(against="a\x00@1")).status_code == 200
    assert who(house).get(f"{W}compare/", {"before": "uth-seed@1", "after": "payroll-seed@1"}).status_code == 400


def test_a_month_is_settled_again_under_a_proposal_and_looked_into(house: House) -> None:
    played = play(house, facts=FLUSH)
    play(house, "UTH-02")
    end_night(house)
    proposal, before = proposed(house), counts()
    sent = who(house).post(f"{AT}replay/month/", {"property": "CASINO", "month": f"{DAY:%Y-%m}", "proposal": str(proposal.uuid)})
    job = Job.objects.get(kind="replay_month")
    assert sent["Location"] == f"{AT}replay/{job.uuid}/"
    assert "Cancel" in page(who(house).get(sent["Location"]))
    assert jobs.run(job.pk)
    text = page(who(house, "AU-1").get(sent["Location"]))
    assert "+5.00" in text
    assert f"/admin/tables/round/{played.pk}/change/" in text
    assert f"/admin/tables/round/{played.pk}/change/" not in page(who(house).get(sent["Location"]))  # a games manager reads no rounds
    assert "None." in page(who(house).get(sent["Location"], {"table": "UTH-02"}))
    assert counts() == before


@pytest.mark.parametrize("number", ["SM-1", "AU-1", "GM-1"])
def test_a_shift_is_settled_again_by_those_who_may(house: House, number: str) -> None:
    play(house, facts={**FLUSH, "seats": [{"seat": 1, "cards": ["Ah", "3h"], "ante": 1000, "blind": 1000, "trips": 500, "folded": True}]})
    end_night(house)
    client = who(house, number)
    sent = client.post(f"{AT}replay/", {"shift": house.shift.pk, "rule": "trips_on_fold", "value": "forfeits"})
    job = Job.objects.get(kind="replay_shift")
    assert jobs.run(job.pk)
    assert "+35.00" in page(client.get(sent["Location"]))
    sent = client.post(f"{AT}replay/", {"shift": house.shift.pk})
    own = Job.objects.filter(kind="replay_shift").first()
    assert jobs.run(own.pk)
    assert own.pk != job.pk
    assert 'The house would have won</dt><dd class="dim">0.00' in page(client.get(sent["Location"]))


@pytest.mark.parametrize("number", ["PB-1", "FS-1", "SV-1", "CG-1", "CT-1", "AD-1"])
def test_nobody_else_settles_anything_again(house: House, number: str) -> None:
    end_night(house)
    for path in ("replay/", "replay/month/"):
        assert who(house, number).post(AT + path, {"shift": house.shift.pk}).status_code == 403
    assert not Job.objects.filter(kind__startswith="replay").exists()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "shift"),
        ({"house": "1", "month": "march", "paytable": "1"}, "month"),
        ({"house": "1", "month": "2026-03"}, "paytable"),
        ({"house": "1", "month": "2026-03", "paytable": "1", "rule": "rounding", "value": "up"}, "rule"),
        ({"shift": "0"}, "shift"),
        ({"rule": "trips_on_fold"}, "value"),
        ({"rule": "trips_on_fold", "value": "perhaps"}, "value"),
    ],
)
def test_a_replay_that_cannot_be_says_so_at_its_field(house: House, said: dict[str, str], field: str) -> None:
    play(house)
    end_night(house)
    real = {"house": str(house.property.pk), "paytable": str(PaytableVersion.objects.get(name="uth-seed").pk)}
    said = {name: real.get(name, value) for name, value in said.items()}
    if "rule" in said and "house" not in said:
        said["shift"] = str(house.shift.pk)
    text = page(who(house, "SM-1").post(f"{AT}replay/", said), 400)
    assert f'id="id_{field}_error"' in text
    assert not Job.objects.filter(kind__startswith="replay").exists()


def test_an_open_shift_is_not_settled_again(house: House) -> None:
    page(who(house, "SM-1").post(f"{AT}replay/", {"shift": house.shift.pk}), 400)
    assert not Job.objects.filter(kind__startswith="replay").exists()


def test_a_proposal_or_placement_ends_in_no_way_that_is_none(house: House) -> None:
    proposal, later = proposed(house), timezone.now() + timedelta(days=30)
    placement = placements.propose_in_force(
        house.tables["UTH-01"], version_named("uth-seed@1"), from_at=later, at=timezone.now(), by=house.people["GM-1"]
    )
    for address in (f"{W}proposal/{proposal.uuid}/", f"{W}placement/{placement.uuid}/"):
        for end in ({}, {"end": "published"}):
            text = page(who(house, "AU-1").post(address, end), 400)
            assert "Nothing was done: a proposal is approved, refused or taken back." in text
    assert paytables.state_of(proposal) == "proposed"


@pytest.mark.parametrize("hour", [0, 22, 23])
def test_a_fresh_placement_says_the_next_full_hour_and_never_one_that_has_passed(house: House, hour: int, monkeypatch: pytest.MonkeyPatch) -> None:
    zone = ZoneInfo(house.property.zone)
    now = datetime(2026, 3, 20, hour, 40, tzinfo=zone)
    monkeypatch.setattr("tables.admin.workshop_placements.timezone.now", lambda: now)
    said = place_form(version_named("uth-seed@1")).initial["from_at"]
    assert now < datetime.fromisoformat(said).replace(tzinfo=zone) == now + timedelta(minutes=20)


@pytest.mark.parametrize("month", ["0001-01", "9999-12", "2026-13", "12026-01"])
def test_a_month_of_no_year_of_ours_has_no_rounds_and_breaks_nothing(house: House, month: str) -> None:
    address = f"{W}proposal/{proposed(house).uuid}/"
    assert who(house, "AU-1").get(address, {"month": month}).status_code == 200
    said = {"property": house.property.code, "month": month, "paytable": "uth-seed@1"}
    assert who(house, "AU-1").post(f"{AT}replay/month/", said).status_code == 302
    job = Job.objects.get(kind="replay_month")
    assert jobs.run(job.pk), Job.objects.get(pk=job.pk).error


@pytest.mark.parametrize("number", ["9" * 20, "9" * 5000, "²"])
def test_a_number_beyond_all_numbers_is_no_version(house: House, number: str) -> None:
    reference = f"uth-seed@{number}"
    assert who(house).get(f"{W}new/", {"from": reference}).status_code == 404
    assert who(house).get(f"{W}compare/", {"before": reference, "after": "uth-seed@1"}).status_code == 404
    assert who(house).post(f"{W}look/", typed(against=reference)).status_code == 200


def test_what_is_not_there_is_a_404(house: House) -> None:
    nowhere = "00000000-0000-4000-8000-000000000000"
    for path in (f"draft/{nowhere}/", f"proposal/{nowhere}/", f"placement/{nowhere}/", "new/?game=faro", "new/?from=nobody@1", "new/"):
        assert who(house).get(W + path).status_code == 404
    assert who(house).get(f"{AT}replay/{nowhere}/").status_code == 404


def test_a_placement_is_refused_or_taken_back(house: House) -> None:
    version, table = published_version(house), house.tables["UTH-01"]
    later = timezone.now() + timedelta(days=30)
    ends = [("refuse", "AU-1", {"note": "not before the audit"}), ("withdraw", "GM-1", {})]
    for end, number, said in ends:
        placement = placements.propose_in_force(table, version, from_at=later, at=timezone.now(), by=house.people["GM-1"])
        assert who(house, number).post(f"{W}placement/{placement.uuid}/", {"end": end, **said}).status_code == 302
    assert not TablePaytable.objects.filter(version=version).exists()
    assert Round.objects.count() == 0


# ---- limits ----


def test_a_limit_is_set_by_two_and_a_draft_is_warned_by_it(house: House) -> None:
    client, said = who(house), {"house": house.property.pk, "bet": "uth:trips", "least": "2", "most": "5.5", "approved_by": "AU-1"}
    text = page(client.post(f"{W}limits/", {**said, "password": "guess"}), 400)
    assert 'id="id_password_error">This is not your password.' in text
    assert StepUpFailure.objects.get().user.username == "AU-1"
    assert client.post(f"{W}limits/", {**said, "password": PASSWORD}).status_code == 302
    assert "2.0000 %" in page(client.get(f"{W}limits/"))
    answer = client.post(f"{W}look/", typed(property=str(house.property.pk))).json()
    assert "below the property&#x27;s 2.0000 %" in answer["edges"]
    assert "below" not in client.post(f"{W}look/", typed()).json()["edges"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"approved_by": "XX-1"}, "approved_by"),
        ({"least": "6"}, "least"),
        ({"most": "a lot"}, "most"),
        ({"most": "101"}, "most"),
        ({"least": "0.00001"}, "least"),
        ({"bet": "uth:surrender"}, "bet"),
    ],
)
def test_a_limit_that_is_none_says_so_at_its_field(house: House, changed: dict[str, str], field: str) -> None:
    said = {"house": house.property.pk, "bet": "uth:trips", "least": "2", "most": "5.5", "approved_by": "AU-1", "password": PASSWORD}
    assert f'id="id_{field}_error"' in page(who(house).post(f"{W}limits/", {**said, **changed}), 400)
    assert not EdgeLimit.objects.exists()


def test_nobody_approves_their_own_limit_and_only_a_games_manager_sets_one(house: House) -> None:
    manager = house.people["GM-1"]
    manager.set_password(PASSWORD)
    manager.save()
    said = {"house": house.property.pk, "bet": "uth:trips", "least": "2", "most": "5.5", "approved_by": "GM-1", "password": PASSWORD}
    page(who(house).post(f"{W}limits/", said), 400)
    assert who(house, "AU-1").post(f"{W}limits/", {**said, "approved_by": "AU-1"}).status_code == 403
    assert not EdgeLimit.objects.exists()
