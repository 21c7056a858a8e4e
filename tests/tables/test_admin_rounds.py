"""Entering a round in the admin, and looking at rounds: what a pit boss sees, and what cannot be done."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qs, urlparse
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from casino import read_only
from casino.people import grant_role
from ledger.models import Entry
from tables.models import Dealer, PaytableVersion, Pit, Round, Wager
from tables.services import floor
from tables.services.paytables import put_in_force
from tables.services.rounds import record_round
from tables.slips import CountSlip, read_round_slip
from tests.builders import House, felt_code, play, slip

pytestmark = pytest.mark.django_db

ADD = "/admin/tables/round/add/"
LIST = "/admin/tables/round/"
SHEET = {
    "who_dealt": "D-1187",
    "r_community": "2h 9s 9d Jc Qh",
    "r_dealer": "Kc 7d",
    "s1_cards": "As Ad",
    "s1_ante": "10",
    "s1_trips": "5",
    "s1_play": "4x",
    "s2_ante": "10",
    "s2_folded": "on",
}


@pytest.fixture
def pit_boss(house: House, client: Client) -> Client:
    client.force_login(house.people["PB-1"])
    return client


def fresh(client: Client, table: str = "UTH-01") -> dict[str, str]:
    """Return what stands in the fields of a fresh page."""
    return dict(client.get(ADD, {"table": table}).context["form"].typed)


def send(client: Client, how: str = "save", **typed: str) -> Any:
    """Return the answer to a fresh page with SHEET and `typed` in it; a field typed as "" is empty."""
    return client.post(ADD, {"table": "UTH-01", **fresh(client), **SHEET, **typed, how: "1"})


def errors(answer: Any) -> dict[str, list[str]]:
    return {name: [error.message for error in found] for name, found in answer.context["form"].errors.items()}


def nothing_kept() -> bool:
    return (Round.objects.count(), Wager.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0, 0)


# ---- entering ----


def test_what_is_due_is_seen_before_anything_is_written(pit_boss: Client) -> None:
    answer = send(pit_boss, "see")
    assert answer.status_code == 200
    spots = {spot.name: spot.due for line in answer.context["screen"].seats for spot in line.spots if spot.due}
    assert spots == {
        "d1_ante": "+10.00",
        "d1_blind": "0.00",
        "d1_play": "+40.00",
        "d1_trips": "−5.00",
        "d2_ante": "−10.00",
        "d2_blind": "−10.00",
    }
    page = answer.content.decode()
    assert "Pair of nines" in page
    assert "qualifies" in page
    assert 'name="d1_play" value="+40.00"' in page
    assert nothing_kept()


def test_a_saved_round_leads_to_a_fresh_page_that_says_so(house: House, pit_boss: Client) -> None:
    answer = send(pit_boss)
    assert answer.status_code == 303
    played = Round.objects.get()
    assert (played.number, played.collected, played.paid, played.recorded_by.username) == (1, 2500, 5000, "PB-1")
    page = pit_boss.get(answer["Location"])
    assert "house −25.00" in page.content.decode()
    typed = page.context["form"].typed
    assert {name: text for name, text in typed.items() if name.startswith("s")} == {"s1_ante": "10.00", "s1_trips": "5.00", "s2_ante": "10.00"}
    assert typed["uuid"] != str(played.uuid)


def test_the_same_page_sent_twice_is_one_round(pit_boss: Client) -> None:
    page = {"table": "UTH-01", **fresh(pit_boss), **SHEET, "save": "1"}
    first, second = pit_boss.post(ADD, page), pit_boss.post(ADD, page)
    assert (first.status_code, first["Location"]) == (second.status_code, second["Location"])
    assert Round.objects.count() == Entry.objects.filter(kind="round").count() == 1


def test_a_saved_page_that_was_changed_is_not_saved_again(pit_boss: Client) -> None:
    page = {"table": "UTH-01", **fresh(pit_boss), **SHEET, "save": "1"}
    pit_boss.post(ADD, page)
    answer = pit_boss.post(ADD, page | {"s1_ante": "20", "s1_play": "80"})
    assert errors(answer) == {"": ["This page was saved already; what was changed on it since is not in the books."]}
    assert Round.objects.get().handle == 8500


def test_a_difference_is_named_at_once_and_asks_what_became_of_it(pit_boss: Client) -> None:
    answer = send(pit_boss, d1_play="+45")
    assert answer.status_code == 200
    assert nothing_kept()
    [difference] = answer.context["screen"].differences
    assert difference.words == "Seat 1 got 5.00 more than due on play"
    assert difference.missing
    assert "40.00 × 1:1 = 40.00" in difference.why
    assert answer.context["screen"].house == {"handle": "85.00", "due": "−25.00", "done": "−30.00", "off": "−5.00"}


def test_a_difference_that_stays_is_posted_as_it_was_done(pit_boss: Client) -> None:
    assert send(pit_boss, d1_play="+45", m1_play="not_recovered", n1_play="patron left").status_code == 303
    wager = Wager.objects.get(kind="play")
    assert (wager.pay, wager.paid, wager.mispaid, wager.note) == (4000, 4500, "not_recovered", "patron left")
    assert Round.objects.get().payout_variance == -500


def test_a_difference_that_was_corrected_moved_what_was_due(pit_boss: Client) -> None:
    assert send(pit_boss, d1_play="+45", m1_play="corrected").status_code == 303
    wager = Wager.objects.get(kind="play")
    assert (wager.paid, wager.mispaid, wager.first_paid) == (4000, "corrected", 4500)
    assert Round.objects.get().payout_variance == 0


def test_what_is_due_is_not_saved_otherwise_than_it_was_seen(pit_boss: Client) -> None:
    answer = send(pit_boss, d1_trips="+15.00", w1_trips="+15.00")
    assert errors(answer) == {"": ["What is due has changed since you looked. Look again, then save."]}
    assert nothing_kept()


def test_errors_stand_at_their_fields_and_nothing_typed_is_lost(pit_boss: Client) -> None:
    answer = send(pit_boss, r_community="2h 9s 9d 1O Qh", s1_ante="1,00", d2_ante="x")
    assert set(errors(answer)) == {"s1_ante", "r_community"}
    answer = send(pit_boss, r_community="2h 9s 9d 1O Qh", s2_ante="12.34")
    assert set(errors(answer)) == {"r_community"}
    page = answer.content.decode()
    assert 'value="2h 9s 9d 1O Qh"' in page
    assert 'value="12.34"' in page
    assert 'aria-invalid="true" aria-describedby="e_r_community" autofocus' in page
    assert nothing_kept()


def test_a_card_dealt_twice_is_marked_at_both_places(pit_boss: Client) -> None:
    answer = send(pit_boss, s1_cards="9s Ad")
    assert set(errors(answer)) == {"r_community", "s1_cards"}
    assert answer.context["form"].doubled == {"9s"}


@pytest.mark.parametrize("done", [{"d1_trips": "-6"}, {"d1_trips": "-5.01"}])
def test_the_house_cannot_take_more_than_the_stake(pit_boss: Client, done: dict[str, str]) -> None:
    answer = send(pit_boss, **done, m1_trips="not_recovered")
    assert errors(answer) == {"d1_trips": ["More than the stake of 5.00."]}
    assert nothing_kept()


def test_against_the_rules_is_refused_first_and_kept_with_its_reason(pit_boss: Client) -> None:
    twice = {"s1_play": "2x", "s1_street": "preflop"}
    answer = send(pit_boss, **twice)
    assert errors(answer) == {"s1_play": ["Not a legal play here: 3 or 4 times the ante."]}
    assert answer.context["screen"].may_be_irregular
    answer = send(pit_boss, **twice, irregular="the dealer let it stand")
    assert set(errors(answer)) == {"d1_ante", "d1_blind", "d1_play", "d1_trips", "d2_ante", "d2_blind"}
    assert nothing_kept()
    done = {"d1_ante": "+10", "d1_blind": "0", "d1_play": "+20", "d1_trips": "-5", "d2_ante": "-10", "d2_blind": "-10"}
    assert send(pit_boss, **twice, **done, irregular="the dealer let it stand").status_code == 303
    played = Round.objects.get()
    assert (played.irregular, played.collected, played.paid, played.collect) == ("the dealer let it stand", 2500, 3000, None)


def test_somebody_dealt(pit_boss: Client) -> None:
    assert errors(send(pit_boss, who_dealt="")) == {"who_dealt": ["Who dealt?"]}
    assert errors(send(pit_boss, who_dealt="D-9999")) == {"who_dealt": ["There is no dealer D-9999."]}
    assert send(pit_boss, who_dealt="d-1042").status_code == 303


def test_a_table_that_closed_meanwhile_says_so_and_keeps_what_was_typed(house: House, pit_boss: Client) -> None:
    page = {"table": "UTH-01", **fresh(pit_boss), **SHEET, "save": "1"}
    floor.close_session(house.sessions["UTH-01"], CountSlip({100: 1}), at=house.tick(), by=house.people["PB-1"], witness=house.people["SM-1"])
    answer = pit_boss.post(ADD, page)
    assert errors(answer) == {"": ["UTH-01 is not open."]}
    assert 'value="As Ad"' in answer.content.decode()
    assert "UTH-01 is not open" in pit_boss.get(ADD, {"table": "UTH-01"}).content.decode()


def test_the_preview_answers_json_and_writes_nothing(pit_boss: Client) -> None:
    page = {"table": "UTH-01", **fresh(pit_boss), **SHEET}
    found = pit_boss.post("/admin/tables/round/preview/", page).json()
    assert found["seats"]["1"] == {"hand": "Two pair, aces and nines", "due": "+45.00", "done": "+45.00", "off": ""}
    assert found["house"]["due"] == "−25.00"
    assert found["deck"]["9s"] == "gone"
    found = pit_boss.post("/admin/tables/round/preview/", page | {"r_dealer": "K", "s1_play": ""}).json()
    assert not found["settled"]
    found = pit_boss.post("/admin/tables/round/preview/", page | {"r_dealer": "Kc", "s1_play": ""}).json()
    assert found["waiting"] == ["Dealer"]
    assert nothing_kept()


PAYROLL_SHEET = {
    "who_dealt": "D-1187",
    "r_button": "2",
    "r_ante": "1",
    "s1_up": "8h",
    "s1_rolls": "2",
    "s1_kept": "8h 8c 5d",
    "s1_bet": "5",
    "s2_up": "7h",
    "s2_rolls": "3 2",
    "s2_kept": "7h 7c 7d 7s Ah",
    "s2_discarded": "2c",
    "s2_bet": "5",
}


def test_payroll_is_entered_by_its_own_description(house: House, pit_boss: Client) -> None:
    page = {"table": "PAY-01", **fresh(pit_boss, "PAY-01"), **PAYROLL_SHEET}
    seen = pit_boss.post(ADD, page | {"see": "1"}).context["screen"]
    assert {spot.name: spot.due for line in seen.seats for spot in line.spots if spot.due}["d1_pot"] == "+13.00"
    assert pit_boss.post(ADD, page | {"save": "1"}).status_code == 303
    assert Round.objects.get().house_net == 0
    assert fresh(pit_boss, "PAY-01")["r_ante"] == "1.00"


def test_a_share_of_the_pot_paid_to_the_wrong_seat(house: House, pit_boss: Client) -> None:
    wrong = {"d1_pot": "0", "m1_pot": "not_recovered", "d2_pot": "+13", "m2_pot": "not_recovered"}
    assert pit_boss.post(ADD, {"table": "PAY-01", **fresh(pit_boss, "PAY-01"), **PAYROLL_SHEET, **wrong, "save": "1"}).status_code == 303
    assert {w.seat: w.paid for w in Wager.objects.filter(kind="pot")} == {1: 0, 2: 1300}


# ---- who may, and where ----


def test_a_pit_boss_is_offered_the_open_tables_of_her_pit(house: House, pit_boss: Client) -> None:
    codes = [session.table.code for session in pit_boss.get(ADD).context["sessions"]]
    assert codes == ["PAY-01", "UTH-01"]


def test_a_table_of_another_pit_is_not_there(house: House, pit_boss: Client) -> None:
    page = {"table": "UTH-02", "uuid": str(uuid4()), "save": "1", **SHEET}
    assert pit_boss.get(ADD, {"table": "UTH-02"}).status_code == 404
    assert pit_boss.post(ADD, page).status_code == 404
    assert pit_boss.post("/admin/tables/round/preview/", page).status_code == 404
    assert pit_boss.get(ADD, {"table": "NONE"}).status_code == 404
    assert nothing_kept()


@pytest.mark.parametrize("who", ["SM-1", "AU-1", "SV-1", "CG-1", "AD-1", "CT-1", "GM-1"])
def test_who_enters_no_rounds_is_refused(house: House, client: Client, who: str) -> None:
    client.force_login(house.people[who])
    page = {"table": "UTH-01", "uuid": str(uuid4()), "save": "1", **SHEET}
    assert client.get(ADD).status_code == client.post(ADD, page).status_code == 403
    assert client.post("/admin/tables/round/preview/", page).status_code == 403
    assert nothing_kept()


# ---- looking ----


def test_a_round_is_looked_at_and_nothing_else(house: House, pit_boss: Client) -> None:
    played = play(house, done={"1": {"play": {"paid": 4500}}})
    address = reverse("admin:tables_round_change", args=[played.pk])
    page = pit_boss.get(address).content.decode()
    for words in ("UTH-01 · round 1", "Two pair, aces and nines", "−5.00", "uth-seed@1", played.paytable.sha256):
        assert words in page
    assert f"round:{played.uuid}" not in page, "an entry is called by its name, and not by its reference"
    assert pit_boss.post(address, {"irregular": "x"}).status_code == 403
    delete = reverse("admin:tables_round_delete", args=[played.pk])
    assert pit_boss.get(delete).status_code == pit_boss.post(delete, {"post": "yes"}).status_code == 403
    assert Round.objects.get().irregular == ""


def test_deleting_is_never_offered_and_a_forged_order_is_refused(house: House, pit_boss: Client) -> None:
    play(house)
    assert "delete_selected" not in pit_boss.get(LIST).content.decode()
    forged = {"action": "delete_selected", "_selected_action": [str(Round.objects.get().pk)], "post": "yes"}
    assert pit_boss.post(LIST, forged).status_code == 403
    assert Round.objects.count() == 1


def test_rounds_of_another_pit_are_not_there(house: House, client: Client) -> None:
    mine, theirs = play(house, "UTH-01"), play(house, "UTH-02")
    client.force_login(house.people["PB-2"])
    assert [played.pk for played in client.get(LIST).context["cl"].result_list] == [theirs.pk]
    assert client.get(reverse("admin:tables_round_change", args=[mine.pk])).status_code == 404
    assert client.get(reverse("admin:tables_round_change", args=[theirs.pk])).status_code == 200


@pytest.mark.parametrize("number", ["0", "99999999999999999999", "abc", "-1"])
def test_a_round_that_cannot_be_is_not_there(pit_boss: Client, number: str) -> None:
    assert pit_boss.get(f"/admin/tables/round/{number}/change/").status_code == 404


def found(client: Client, **narrowed: str) -> list[int]:
    answer = client.get(LIST, narrowed)
    assert answer.status_code == 200
    return [played.number for played in answer.context["cl"].result_list]


def test_rounds_are_found_by_what_they_are_called(house: House, pit_boss: Client) -> None:
    first, second = play(house), play(house, dealer="D-1042")
    assert found(pit_boss, q=str(first.uuid)) == [1]
    assert found(pit_boss, q=second.label) == [2]
    assert found(pit_boss, q="2") == [2]
    assert found(pit_boss, q="d-1042") == [2]
    for nothing in ("UTH", "999999999999", "'; drop table", "٣"):
        assert found(pit_boss, q=nothing) == []


def test_rounds_are_narrowed(house: House, pit_boss: Client) -> None:
    play(house)
    play(house, done={"1": {"play": {"paid": 4500}}})
    play(house, "PAY-01")
    assert found(pit_boss, table="PAY-01") == [1]
    assert found(pit_boss, game="uth") == [2, 1]
    assert found(pit_boss, standing="off") == [2]
    assert found(pit_boss, standing="irregular") == []
    assert found(pit_boss, shift=str(house.shift.pk), table="UTH-01") == [2, 1]
    assert found(pit_boss, shift="x") == found(pit_boss, shift="9" * 30) == found(pit_boss, table="UTH-02") == []


@pytest.mark.parametrize(
    ("narrowed", "field"),
    [
        ({"day_from": "06-01-2023"}, "day_from"),
        ({"day_to": "31/02/2024"}, "day_to"),
        ({"day_from": "2024-02-31"}, "day_from"),
        ({"day_from": "2026-03-15", "day_to": "2026-03-14"}, "day_to"),
        ({"day_from": "2026-13-01"}, "day_from"),
    ],
)
def test_what_is_no_day_says_so_at_its_field(house: House, pit_boss: Client, narrowed: dict[str, str], field: str) -> None:
    """B087."""
    play(house)
    answer = pit_boss.get(LIST, narrowed)
    assert answer.status_code == 200
    assert f'aria-describedby="{field}_error"' in answer.content.decode()
    assert list(answer.context["cl"].result_list) == []


def test_one_end_of_the_days_is_enough(house: House, pit_boss: Client) -> None:
    """B088."""
    play(house)
    assert found(pit_boss, day_from="2026-03-14") == found(pit_boss, day_to="2026-03-14") == found(pit_boss, day_from="", day_to="") == [1]
    assert found(pit_boss, day_from="2026-03-15") == found(pit_boss, day_to="2026-03-13") == []


@pytest.mark.parametrize("address", [{"foo": "bar"}, {"p": "99"}, {"p": "x"}, {"o": "1"}, {"session__shift": "x"}, {"e": "1"}, {"all": ""}])
def test_an_address_that_means_nothing_is_no_error_of_ours(pit_boss: Client, address: dict[str, str]) -> None:
    assert pit_boss.get(LIST, address).status_code in (200, 302, 400)


def test_a_number_sign_in_the_list_is_never_grouped(house: House, pit_boss: Client, settings: Any) -> None:
    """B076: with grouping on, links and fields still hold plain numbers."""
    settings.USE_THOUSAND_SEPARATOR = True
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('tables_round', 'id')) FROM generate_series(1, 2471)")
        last = cursor.fetchall()[-1][0]
    play(house)
    page = pit_boss.get(LIST, {"shift": house.shift.pk}).content.decode()
    assert f"/admin/tables/round/{last + 1}/change/" in page
    assert pit_boss.get(f"/admin/tables/round/{last + 1}/change/").status_code == 200


def test_the_list_takes_the_same_queries_for_one_round_as_for_many(house: House, pit_boss: Client) -> None:
    play(house)
    with CaptureQueriesContext(connection) as few:
        pit_boss.get(LIST)
    for _ in range(12):
        play(house)
    with CaptureQueriesContext(connection) as many:
        pit_boss.get(LIST)
    assert len(few) == len(many) <= 12


def test_no_list_counts_further_than_it_must(house: House, pit_boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """B082."""
    monkeypatch.setattr(read_only, "MOST_COUNTED", 3)
    for _ in range(5):
        play(house)
    with CaptureQueriesContext(connection) as asked:
        answer = pit_boss.get(LIST)
    counts = [query["sql"] for query in asked if "COUNT(*)" in query["sql"] and "tables_round" in query["sql"]]
    assert counts
    assert all("LIMIT" in sql for sql in counts)
    assert answer.context["cl"].paginator.more
    assert "the newest 3" in answer.content.decode()


@pytest.mark.parametrize(
    ("zone", "day", "hour"),
    [("America/Sao_Paulo", date(2016, 10, 16), 18), ("Africa/Cairo", date(2024, 4, 26), 12), ("Europe/Amsterdam", date(2019, 10, 31), 21)],
)
def test_days_without_a_midnight_and_months_with_a_clock_change_are_listed(house: House, client: Client, zone: str, day: date, hour: int) -> None:
    """B078, B079: rows are found by the gaming day that was stored with them, whatever the property's zone does."""
    dealt = elsewhere(house, zone, day, datetime(day.year, day.month, day.day, hour, tzinfo=UTC))
    client.force_login(house.people["AU-1"])
    assert found(client, day_from=day.isoformat(), day_to=day.isoformat()) == [dealt.number]
    assert client.get(reverse("admin:tables_round_change", args=[dealt.pk])).status_code == 200


def elsewhere(house: House, zone: str, day: date, moment: datetime) -> Round:
    """Return a round dealt at `moment` at a table of another property in `zone`."""
    staff, opened = house.people, moment - timedelta(minutes=5)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pitbook_make_partitions(%s)", [day.replace(day=1)])
    other = floor.make_property("ELSEWHERE", "Elsewhere", zone=zone, currency="EUR", exponent=2, by=staff["GM-1"])
    table = floor.make_table(Pit.objects.create(property=other, code="P9", name="Pit 9"), "ELS-01", "uth", by=staff["GM-1"])
    grant_role(staff["FS-2"], "supervisor", by=staff["AD-1"], pits=["P9"])
    put_in_force(table, PaytableVersion.objects.get(game="uth"), from_at=opened, by=staff["GM-1"], approved_by=staff["AU-1"])
    Dealer.objects.create(property=other, code="D-1")
    shift = floor.open_shift(other, day, "day", starts=time(10), ends=time(18), at=opened, by=staff["SM-1"])
    floor.open_session(
        shift,
        table,
        CountSlip({100: 10}, note="first"),
        felt_code=felt_code(table, opened),
        at=opened,
        by=staff["SM-1"],
        witness=staff["FS-2"],
    )
    raw = slip(house) | {"table": "ELS-01", "dealer": "D-1", "occurred_at": moment.isoformat()}
    return record_round(read_round_slip(raw), by=staff["FS-2"], at=moment)


def test_the_round_just_saved_is_only_shown_to_who_may_see_it(house: House, client: Client) -> None:
    theirs = play(house, "UTH-02")
    client.force_login(house.people["PB-1"])
    page = client.get(ADD, {"table": "UTH-01", "saved": str(theirs.uuid)})
    assert page.context["saved"] is None
    assert client.get(ADD, {"table": "UTH-01", "saved": "no uuid"}).status_code == 200


def test_where_a_saved_round_leads(pit_boss: Client) -> None:
    address = urlparse(send(pit_boss)["Location"])
    assert address.path == ADD
    assert parse_qs(address.query) == {"table": ["UTH-01"], "saved": [str(Round.objects.get().uuid)]}
