"""The round console's answers: what is due, quickly; a round kept and the next one's fields; a colleague's round named; what the scripts know."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from tables.console_words import console_words
from tables.engine.game import games
from tables.models import Round
from tables.round_keys import console_layout, flag_keys, next_button
from tables.services import floor
from tables.services.rounds import record_round
from tables.slips import CountSlip, read_round_slip
from tests.builders import House, open_table, play, slip
from tests.tables.test_admin_rounds import ADD, SHEET, fresh

PREVIEW = "/admin/tables/round/preview/"
UTH = games()["uth"]


@pytest.fixture
def pit_boss(house: House, client: Client) -> Client:
    client.force_login(house.people["PB-1"])
    return client


def page_of(client: Client, **typed: str) -> dict[str, str]:
    return {"table": "UTH-01", **fresh(client), **SHEET, **typed}


def save(client: Client, page: dict[str, str]) -> Any:
    return client.post(ADD, page | {"save": "1"}, headers={"accept": "application/json"})


# ---- what the scripts know ----


@pytest.mark.parametrize(
    ("game", "keys"), [("uth", {"folded": "F"}), ("tcp", {"folded": "F"}), ("payroll", {"folded": "F", "all_in": "A"}), ("roulette", {})]
)
def test_each_flag_has_a_key_of_its_own(game: str, keys: dict[str, str]) -> None:
    assert flag_keys(games()[game].layout) == keys


def test_the_multiples_are_those_of_the_paytable() -> None:
    def times(rules: dict[str, Any]) -> list[int]:
        return next(field["times"] for field in console_layout(UTH.layout, rules)["seat"] if field["name"] == "play")

    assert times({"play_multiples": {"preflop": [3, 4], "flop": [2], "river": [1]}}) == [4, 3, 2, 1]
    assert times({"play_multiples": {"preflop": [4], "flop": [2], "river": [1]}}) == [4, 2, 1]
    assert times({}) == []


@pytest.mark.parametrize(("held", "seats", "passed_to"), [(2, [1, 2, 5], "5"), (5, [1, 2, 5], "1"), (4, [1, 2, 5], "5")])
def test_the_button_passes_to_the_next_seat(held: int, seats: list[int], passed_to: str) -> None:
    facts = {"button": held, "seats": [{"seat": seat} for seat in seats]}
    assert next_button(games()["payroll"].layout, facts) == {"button": passed_to}
    assert next_button(UTH.layout, facts) == {}


# ---- saving in place ----


@pytest.mark.django_db
def test_a_kept_round_is_answered_with_the_fields_of_the_next(pit_boss: Client) -> None:
    page = page_of(pit_boss)
    answer = save(pit_boss, page)
    found = answer.json()
    played = Round.objects.get()
    assert (answer.status_code, found["uuid"], found["seats"]) == (201, str(played.uuid), [1, 2])
    assert (found["fresh"]["number"], found["fresh"]["s1_ante"], found["fresh"]["s1_trips"]) == ("2", "10.00", "5.00")
    assert found["fresh"]["uuid"] != page["uuid"]
    assert "Round" in found["saved"]
    assert "house −25.00 · as due" in " ".join(found["saved"].split())
    assert not found["screen"]["settled"]
    again = save(pit_boss, page)
    assert (again.status_code, again.json()["uuid"], Round.objects.count()) == (201, found["uuid"], 1)


@pytest.mark.django_db
def test_seats_and_stakes_come_from_the_tables_last_round_also_of_an_earlier_session(house: House, pit_boss: Client) -> None:
    play(house)
    boss, manager = house.people["PB-1"], house.people["SM-1"]
    floor.close_session(house.sessions["UTH-01"], CountSlip({100: 1}), at=house.tick(), by=boss, witness=manager)
    open_table(house.shift, house.tables["UTH-01"], house.people, {100: 1}, at=house.tick())
    typed = fresh(pit_boss)
    assert (typed["number"], typed["who_dealt"]) == ("1", "")
    assert {name: text for name, text in typed.items() if name.startswith("s")} == {"s1_ante": "10.00", "s1_trips": "5.00", "s2_ante": "10.00"}


@pytest.mark.django_db
def test_what_is_wrong_is_answered_at_its_field_and_nothing_is_kept(pit_boss: Client) -> None:
    answer = save(pit_boss, page_of(pit_boss, r_community="2h 9s 9d 1O Qh"))
    [error] = answer.json()["errors"]["r_community"]
    assert (answer.status_code, error["code"], error["waits"]) == (400, "bad_card", False)
    unexplained = save(pit_boss, page_of(pit_boss, d1_play="+45"))
    assert (unexplained.status_code, unexplained.json()["unexplained"]) == (400, True)
    assert 'aria-invalid="true"' in unexplained.json()["differences"]
    assert Round.objects.count() == 0


@pytest.mark.django_db
def test_what_is_due_otherwise_than_it_was_seen_is_stale(pit_boss: Client) -> None:
    answer = save(pit_boss, page_of(pit_boss, d1_trips="+15.00", w1_trips="+15.00"))
    assert (answer.status_code, Round.objects.count()) == (412, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["FS-1", "PB-1"])
def test_a_round_entered_meanwhile_is_named_with_who_and_what(house: House, pit_boss: Client, who: str) -> None:
    """B071."""
    page = page_of(pit_boss)
    raw = slip(house)
    record_round(read_round_slip(raw), by=house.people[who], at=house.clock)
    answer = save(pit_boss, page)
    [error] = answer.json()["errors"][""]
    assert (answer.status_code, error["code"], answer.json()["number"]) == (412, "entered_meanwhile", "2")
    assert f"Round 1 of UTH-01 was entered by {who if who == 'FS-1' else 'you, on another page'} meanwhile" in error["message"]
    assert "handle 85.00, house −25.00" in error["message"]
    assert Round.objects.count() == 1
    assert save(pit_boss, page | {"number": "2"}).status_code == 201
    assert list(Round.objects.order_by("id").values_list("number", flat=True)) == [1, 2]


@pytest.mark.django_db
def test_without_scripts_a_round_entered_meanwhile_is_said_on_the_page(house: House, pit_boss: Client) -> None:
    page = page_of(pit_boss)
    play(house)
    answer = pit_boss.post(ADD, page | {"save": "1"})
    shown = answer.content.decode()
    assert answer.status_code == 412
    assert "was entered by you, on another page" in shown
    assert 'name="number" value="2"' in shown
    assert 'value="As Ad"' in shown


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["0", "x", "1,000", "99999999999999999999", "-1"])
def test_a_number_that_is_none_is_refused(pit_boss: Client, number: str) -> None:
    answer = save(pit_boss, page_of(pit_boss, number=number))
    assert (answer.status_code, Round.objects.count()) == (400, 0)
    assert answer.json()["errors"][""]


@pytest.mark.django_db
def test_a_wager_taken_away_and_another_added_in_a_full_round(pit_boss: Client) -> None:
    """B072: seven seats, one wager deleted, one added: what was deleted counts nowhere."""
    held = ["As Ad", "4c 3c", "8h 8d", "Tc 9h", "5s 5d", "Ah Ks", "6c 6d"]
    seats = {f"s{seat}_{name}": text for seat, cards in enumerate(held, 1) for name, text in (("cards", cards), ("ante", "10"), ("play", "1x"))}
    page = {"table": "UTH-01", **fresh(pit_boss), "who_dealt": "D-1187", "r_community": SHEET["r_community"], "r_dealer": SHEET["r_dealer"], **seats}
    seen = pit_boss.post(PREVIEW, page | {"s3_trips": "5"}).json()
    assert (seen["house"]["handle"], seen["spots"]["d3_trips"]["due"]) == ("215.00", "−5.00")
    assert save(pit_boss, page | {"s3_trips": "", "s4_trips": "5", "w3_trips": "−5.00"}).status_code == 201
    assert Round.objects.get().handle == 21_500


@pytest.mark.django_db
def test_numbers_are_never_grouped(house: House, pit_boss: Client, settings: Any) -> None:
    """B076."""
    settings.USE_THOUSAND_SEPARATOR = True
    play(house, number=2472)
    page = pit_boss.get(ADD, {"table": "UTH-01"}).content.decode()
    assert "2,472" not in page
    assert ">2472</a>" in page
    assert 'name="number" value="2473"' in page
    assert save(pit_boss, page_of(pit_boss)).status_code == 201
    assert Round.objects.order_by("-number")[0].number == 2473


# ---- the speed of what is due ----


@pytest.mark.django_db
def test_what_is_due_takes_as_many_queries_whatever_is_typed(pit_boss: Client) -> None:
    def queries(**typed: str) -> int:
        page = page_of(pit_boss, **typed)
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert pit_boss.post(PREVIEW, page).json()["settled"]
        return len(caught)

    more = {
        f"s{seat}_{name}": text
        for seat, cards in ((3, "8h 8d"), (4, "Tc 9h"), (5, "5s 5d"))
        for name, text in (("cards", cards), ("ante", "10"), ("play", "1x"))
    }
    assert queries() == queries(**more) <= 8


def test_the_pace_of_one_key_is_that_of_one() -> None:
    """The script takes the form that its figure asks for."""
    said = {}
    for language in ("en", "de"):
        with override(language):
            words = console_words()
        said[language] = [words[f"{name}_{form}"] for name in ("pace", "last_pace") for form in ("one", "many")]
    assert [text.rpartition(" ")[2] for text in said["en"]] == ["key", "keys"] * 2
    assert [text.rpartition(" ")[2] for text in said["de"]] == ["Taste", "Tasten"] * 2
