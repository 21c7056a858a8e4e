"""Corrections in the admin: proposed on pages with errors at the field, approved in the inbox with the password, told as a story."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from casino.models import User
from tables.models import Round, RoundProposal, RoundRuling
from tests.browser.page_forms import forms_in
from tests.builders import House, end_night, utc
from tests.corrections import correct, deal, propose, propose_mended, void

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery staple"
ROUND = "/admin/tables/round/"
PROPOSAL = "/admin/tables/roundproposal/"


@pytest.fixture(autouse=True)
def _night_clock(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand the pages the night's clock, and those who decide a password."""
    for module in ("correction_entry", "correction_pages", "proposals", "rulings"):
        monkeypatch.setattr(f"tables.admin.{module}.timezone.now", lambda: utc("2026-03-15T12:00:00+00:00"))
    for number in ("SM-1", "PB-1", "AU-1"):
        person = User.objects.get(pk=house.people[number].pk)
        person.set_password(PASSWORD)
        person.save(update_fields=["password"])
        house.people[number] = person


def of(house: House, number: str) -> Client:
    client = Client()
    client.force_login(house.people[number])
    return client


def text(answer: Any) -> str:
    return answer.content.decode()


def test_the_round_page_offers_what_somebody_may_propose(house: House) -> None:
    played = deal(house)
    page = f"{ROUND}{played.pk}/change/"
    assert "voided" not in text(of(house, "FS-1").get(page))
    assert all(f"{ROUND}{played.pk}/{way}/" in text(of(house, "FS-1").get(page)) for way in ("void", "correct", "dead-hand"))
    for other in ("PB-1", "SM-1", "AU-1", "SV-1"):
        assert f"{ROUND}{played.pk}/void/" not in text(of(house, other).get(page))
        assert of(house, other).get(f"{ROUND}{played.pk}/void/").status_code == 403
    assert of(house, "PB-2").get(f"{ROUND}{played.pk}/void/").status_code == 404


def test_a_void_is_proposed_and_where_chips_were_kept_it_points_to_the_correction(house: House) -> None:
    played, client = deal(house), of(house, "FS-1")
    where = f"{ROUND}{played.pk}/void/"
    fresh = client.get(where)
    uuid = str(fresh.context["form"]["uuid"].value())
    missing = client.post(where, {"uuid": uuid})
    assert (missing.status_code, set(missing.context["form"].errors)) == (400, {"reason", "chips_returned"})
    kept = client.post(where, {"uuid": uuid, "reason": "misdeal", "chips_returned": "no"})
    assert (kept.status_code, list(kept.context["form"].errors)) == (400, ["chips_returned"])
    assert f"{ROUND}{played.pk}/correct/" in text(kept)
    for _ in range(2):
        done = client.post(where, {"uuid": uuid, "reason": "misdeal", "chips_returned": "yes", "note": "burn card dealt"})
    proposal = RoundProposal.objects.get()
    assert (done.status_code, done["Location"], proposal.note) == (303, f"{PROPOSAL}{proposal.pk}/change/", "burn card dealt")
    assert "Take it back" in text(client.get(done["Location"]))


def test_it_is_approved_in_the_inbox_with_the_password(house: House) -> None:
    played = deal(house)
    proposal = propose(house, played)
    client = of(house, "SM-1")
    assert "1 to approve" in text(client.get(PROPOSAL))
    assert "misdeal" in text(client.get(f"{PROPOSAL}?state=proposed"))
    where = f"{PROPOSAL}{proposal.pk}/decide/"
    wrong = client.post(where, {"password": "guess", "approve": "1"})
    assert (wrong.status_code, list(wrong.context["form"].errors)) == (400, ["password"])
    assert client.post(where, {"password": PASSWORD, "reject": "1"}).context["form"].errors["note"]
    done = client.post(where, {"password": PASSWORD, "approve": "1", "note": "seen"})
    assert (done.status_code, Round.objects.get(pk=played.pk).reversal.kind) == (303, "void")
    page = text(client.get(f"{ROUND}{played.pk}/change/"))
    assert all(word in page for word in ("voided", "proposed", "entered", "reversal entry", "seen"))
    assert "1 to approve" not in page
    assert client.get(where).status_code == 405
    assert of(house, "PB-2").post(where, {"password": PASSWORD}).status_code == 404
    propose(house, deal(house))
    assert "1 to approve" in text(of(house, "PB-1").get(PROPOSAL))
    assert "to approve" not in text(of(house, "AU-1").get(PROPOSAL))


def test_a_correction_begins_from_the_round_as_it_stands(house: House) -> None:
    played = deal(
        house, done={"1": {"ante": {"paid": 1500}}}, mispaid=[{"seat": 1, "wager": "ante", "status": "not_recovered"}], patrons={"1": "P-7"}
    )
    client = of(house, "FS-1")
    where = f"{ROUND}{played.pk}/correct/"
    fresh = client.get(where)
    typed = dict(fresh.context["form"].typed)
    assert (typed["r_community"], typed["s1_play"], typed["d1_ante"], typed["m1_ante"]) == ("2h 9s 9d Jc Qh", "40.00", "+15.00", "not_recovered")
    assert (fresh.status_code, fresh.context["form"].errors, fresh.context["entry"].lines) == (200, {}, [])
    same = client.post(where, {**typed, "propose": "1", "reason": "wrong_payment"})
    assert (same.status_code, "Nothing is changed yet" in text(same)) == (400, True)
    right = {**typed, "d1_ante": "+10.00"}
    seen = client.post(where, {**right, "see": "1"})
    assert [(line.label, line.before.text, line.after.text) for line in seen.context["entry"].lines] == [
        ("Seat 1 ante, done", "+15.00", "+10.00"),
        ("Seat 1 ante, mistake", "not recovered", "—"),
    ]
    assert (seen.context["entry"].effect, RoundProposal.objects.count()) == (500, 0)
    assert list(client.post(where, {**right, "propose": "1"}).context["why"].errors) == ["reason"]
    done = client.post(where, {**right, "propose": "1", "reason": "wrong_payment"})
    proposal = RoundProposal.objects.get()
    assert (done.status_code, proposal.effect) == (303, 500)
    of(house, "SM-1").post(f"{PROPOSAL}{proposal.pk}/decide/", {"password": PASSWORD, "approve": "1"})
    made = Round.objects.get(replaces=played)
    assert (made.label, made.wagers.filter(seat=1).first().patron, made.payout_variance) == (played.label, "P-7", 0)


@pytest.mark.parametrize("table", ["UTH-01", "PAY-01"])
def test_what_is_prefilled_settles_to_the_round_that_was_recorded(house: House, table: str) -> None:
    played = deal(house, table)
    fresh = of(house, "FS-1").get(f"{ROUND}{played.pk}/correct/")
    assert (fresh.context["form"].errors, fresh.context["entry"].lines, fresh.context["entry"].effect) == ({}, [], 0)
    assert fresh.context["screen"].ruling is not None


@pytest.mark.parametrize("changed", [{"d1_trips": "+10.00", "m1_trips": "not_recovered"}, {"r_dealer": "Kc 8d"}])
def test_a_correction_keeps_what_was_put_down_and_which_wagers_lay_for_the_dealer(house: House, changed: dict[str, str]) -> None:
    """The page is sent as a browser sends it: with the fields that are in it, and no others."""
    funds = {"1": {"ante": "promo", "blind": "cash"}, "2": {"ante": "promo"}}
    played, client = deal(house, funds=funds, for_dealer={"1": ["trips", "play"]}), of(house, "FS-1")
    where = f"{ROUND}{played.pk}/correct/"
    form = next(one for one in forms_in(text(client.get(where))) if "r_community" in one.values)
    marks = {(wager.seat, wager.kind): (wager.fund, wager.for_dealer) for wager in played.wagers.all()}
    assert set(marks.values()) == {("promo", False), ("cash", False), ("chips", True), ("chips", False)}
    sent = {name: value for name, value in form.values.items() if name not in ("see", "propose")} | changed
    seen = [line.label for line in client.post(where, {**sent, "see": "1"}).context["entry"].lines]
    assert seen and not [label for label in seen if "put down" in label or "for the dealer" in label]
    done = client.post(where, {**sent, "propose": "1", "reason": "misread_cards"})
    assert done.status_code == 303, done.context["form"].errors
    of(house, "SM-1").post(f"{PROPOSAL}{RoundProposal.objects.get().pk}/decide/", {"password": PASSWORD, "approve": "1"})
    made = Round.objects.get(replaces=played)
    assert {(wager.seat, wager.kind): (wager.fund, wager.for_dealer) for wager in made.wagers.all()} == marks


def test_a_mark_that_was_wrong_is_corrected(house: House) -> None:
    played, client = deal(house, funds={"1": {"ante": "promo"}}, for_dealer={"1": ["trips"]}), of(house, "FS-1")
    where = f"{ROUND}{played.pk}/correct/"
    form = next(one for one in forms_in(text(client.get(where))) if "r_community" in one.values)
    assert (form.values["f1_ante"], form.values["t1_trips"]) == ("promo", "on")
    sent = {name: value for name, value in form.values.items() if name not in ("see", "t1_trips")} | {"f1_ante": ""}
    done = client.post(where, {**sent, "propose": "1", "reason": "misread_cards"})
    assert done.status_code == 303, done.context["form"].errors
    of(house, "SM-1").post(f"{PROPOSAL}{RoundProposal.objects.get().pk}/decide/", {"password": PASSWORD, "approve": "1"})
    made = Round.objects.get(replaces=played)
    assert set(made.wagers.values_list("fund", "for_dealer")) == {("chips", False)}


def test_what_is_wrong_in_a_correction_stands_at_its_field(house: House) -> None:
    played, client = deal(house), of(house, "FS-1")
    where = f"{ROUND}{played.pk}/correct/"
    typed = dict(client.get(where).context["form"].typed)
    answer = client.post(where, {**typed, "r_dealer": "Kc 2h", "who_dealt": "", "propose": "1", "reason": "misread_cards"})
    assert {"r_dealer", "who_dealt"} <= set(answer.context["form"].errors)
    assert not RoundProposal.objects.exists()


def test_a_dead_hand_is_proposed(house: House) -> None:
    played, client = deal(house), of(house, "FS-1")
    where = f"{ROUND}{played.pk}/dead-hand/"
    uuid = str(client.get(where).context["form"]["uuid"].value())
    assert client.post(where, {"uuid": uuid, "seat": "7", "reason": "fouled_hand"}).context["form"].errors["seat"]
    assert client.post(where, {"uuid": uuid, "seat": "1", "reason": "fouled_hand"}).status_code == 303
    assert RoundProposal.objects.get().seat == 1
    page = text(of(house, "SM-1").get(f"{PROPOSAL}{RoundProposal.objects.get().pk}/change/"))
    assert "Seat 1 cards" in page
    assert "Approve, and do it" in page


def test_a_round_that_was_never_entered_is_typed_into_its_closed_session(house: House) -> None:
    deal(house)
    house.tick(600)
    end_night(house)
    client = of(house, "PB-1")
    assert "A round that was never entered" in text(client.get(PROPOSAL))
    sessions = client.get(f"{ROUND}late/")
    assert [session.table.code for session in sessions.context["sessions"]] == ["PAY-01", "UTH-01"]
    session = house.sessions["UTH-01"]
    fresh = client.get(f"{ROUND}late/", {"session": session.pk})
    assert fresh.context["form"].errors == {}
    typed = dict(fresh.context["form"].typed)
    sheet = {"r_community": "2h 9s 9d Jc Qh", "r_dealer": "Kc 7d", "s1_cards": "As Ad", "s1_ante": "10", "s1_play": "4x", "who_dealt": "D-1187"}
    sent = {**typed, **sheet, "session": session.pk, "propose": "1", "reason": "not_entered"}
    done = client.post(f"{ROUND}late/", sent)
    assert done.status_code == 303
    proposal = RoundProposal.objects.get()
    of(house, "AU-1").post(f"{PROPOSAL}{proposal.pk}/decide/", {"password": PASSWORD, "approve": "1"})
    assert Round.objects.get(uuid=proposal.uuid).session == session
    assert client.get(f"{ROUND}late/", {"session": house.sessions["UTH-02"].pk}).status_code == 404
    assert of(house, "FS-1").get(f"{ROUND}late/").status_code == 403


def test_an_auditor_rules(house: House) -> None:
    spots = {"1": ("ante", "blind", "trips", "play"), "2": ("ante", "blind")}
    played = deal(
        house, irregular={"reason": "2x before the flop"}, done={s: {k: {"collected": 0, "paid": 0} for k in kinds} for s, kinds in spots.items()}
    )
    client = of(house, "AU-1")
    where = f"{ROUND}{played.pk}/ruling/"
    assert where in text(client.get(f"{ROUND}{played.pk}/change/"))
    said = {"how": "due", "reason": "half of the ante", "after": "0", "password": PASSWORD}
    incomplete = client.post(where, said)
    assert set(incomplete.context["form"].errors) == {f"due.{seat}.{kind}" for seat, kinds in spots.items() for kind in kinds}
    nothing = {f"due.{seat}.{kind}": "0" for seat, kinds in spots.items() for kind in kinds}
    done = client.post(where, {**said, **nothing, "due.1.ante": "-5.00"})
    assert (done.status_code, RoundRuling.objects.get().effect) == (303, -500)
    assert "half of the ante" in text(client.get(f"{ROUND}{played.pk}/change/"))
    assert of(house, "PB-1").get(where).status_code == 403


def test_the_list_and_the_entry_screen_know_what_became_of_rounds(house: House) -> None:
    gone = deal(house)
    void(house, gone)
    old = deal(house)
    made = correct(house, old, done={"1": {"ante": {"paid": 1500}}})
    client = of(house, "PB-1")
    states = {played.pk for played in client.get(f"{ROUND}?standing=voided").context["cl"].result_list}
    replaced = {played.pk for played in client.get(f"{ROUND}?standing=replaced").context["cl"].result_list}
    assert (states, replaced) == ({gone.pk}, {old.pk})
    assert "voided" in text(client.get(ROUND))
    last = client.get(f"{ROUND}add/", {"table": "UTH-01"}).context["last_rounds"]
    assert [played.pk for played in last] == [made.pk]


def test_a_story_is_told_on_every_page_of_its_chain(house: House) -> None:
    first = deal(house)
    second = correct(house, first, done={"1": {"ante": {"paid": 1500}}})
    third = correct(house, second, by="FS-1", approver="PB-1", done={})
    propose_mended(house, third, by="FS-2", done={"1": {"ante": {"paid": 1500}}})
    for played in (first, second, third):
        answer = of(house, "SM-1").get(f"{ROUND}{played.pk}/change/")
        assert [moment.what for moment in answer.context["history"]] == ["entered", "proposed", "corrected", "proposed", "corrected", "proposed"]
