"""One search: what names a thing finds it, for who may see it, and nothing else."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import override

from audit.search import search
from tables.slips import CountSlip
from tests.builders import DAY, House, fill, play

pytestmark = pytest.mark.django_db


def found(house: House, who: str, text: str) -> dict[str, list[str]]:
    return {group.title: [hit.name for hit in group.hits] for group in search(house.people[who], text, today=DAY)}


def test_a_round_by_number_by_table_and_number_by_label_and_by_uuid(house: House) -> None:
    here, there = play(house), play(house, "UTH-02")
    assert found(house, "AU-1", "1")["Rounds"] == ["UTH-02 · 1", "UTH-01 · 1"]
    assert found(house, "AU-1", "uth-01 1") == {"Rounds": ["UTH-01 · 1"]}
    assert found(house, "AU-1", "UTH-01 · 1") == {"Rounds": ["UTH-01 · 1"]}
    assert found(house, "AU-1", there.label) == {"Rounds": ["UTH-02 · 1"]}
    assert found(house, "AU-1", str(here.uuid)) == {"Rounds": ["UTH-01 · 1"]}


def test_tables_dealers_patrons_amounts_and_cards(house: House) -> None:
    play(house, patrons={"1": "P-20931"})
    assert found(house, "AU-1", "uth")["Tables"] == ["UTH-01", "UTH-02"]
    assert found(house, "AU-1", "d-1187") == {"Dealers": ["D-1187"]}
    assert set(found(house, "AU-1", "p-20931")["Patrons"]) == {"UTH-01 · 1"}
    assert found(house, "AU-1", "40.00")["Wagers of that amount"] == ["UTH-01 · 1"]
    assert found(house, "AU-1", "AsAd") == {"Rounds with As Ad": ["UTH-01 · 1"]}
    assert found(house, "AU-1", "As 2c") == {}
    assert found(house, "AU-1", "10h") == {}


def test_what_a_page_calls_a_thing_finds_it(house: House) -> None:
    play(house)
    people, sessions = house.people, house.sessions
    signed = {"requested_by": people["FS-1"], "issued_by": people["CG-1"], "received_by": people["PB-1"]}
    fill(sessions["UTH-01"], CountSlip({500: 100}), at=house.tick(), **signed)
    for text in ("fill 1", "Fill 1", "fill #1"):
        assert found(house, "AU-1", text) == {"Slips": ["fill 1"]}
    assert found(house, "AU-1", "chip credit 1") == {}
    assert found(house, "AU-1", "UTH-01 · round 1") == {"Rounds": ["UTH-01 · 1"]}
    for text in ("+40.00", "−40.00", "-40.00"):
        assert found(house, "AU-1", text) == found(house, "AU-1", "40.00")


def test_a_german_reader_searches_and_is_answered_in_german(house: House) -> None:
    play(house)
    people = house.people
    signed = {"requested_by": people["FS-1"], "issued_by": people["CG-1"], "received_by": people["PB-1"]}
    fill(house.sessions["UTH-01"], CountSlip({500: 100}), at=house.tick(), **signed)
    with override("de"):
        assert found(house, "AU-1", "Auffüllung 1") == {"Belege": ["Auffüllung 1"]}
        assert found(house, "AU-1", "UTH-01 · Runde 1") == {"Runden": ["UTH-01 · 1"]}
        details = " ".join(hit.detail for text in ("#1", "40.00", "uth") for group in search(people["AU-1"], text, today=DAY) for hit in group.hits)
    assert not re.search("stake|paid|received|pit ", details), details


def test_what_is_not_theirs_is_not_found(house: House) -> None:
    play(house, "UTH-02", patrons={"1": "P-20931"})
    assert found(house, "PB-1", "1") == {}
    assert found(house, "PB-1", "P-20931") == {}
    assert found(house, "PB-1", "AsAd") == {}
    assert found(house, "PB-1", "UTH-02") == {}
    assert found(house, "GM-1", "AsAd") == {}
    assert found(house, "CT-1", "1") == {}


@pytest.mark.parametrize("text", ["", "   ", "%", "'; DROP TABLE x; --", "9" * 60, "1.000", "🂡", "\\", "As" * 40, "--5", "1e5"])
def test_odd_texts_find_nothing_and_break_nothing(house: House, text: str) -> None:
    play(house)
    assert found(house, "AU-1", text) == {}


def test_a_search_takes_a_bounded_number_of_queries(house: House, django_assert_max_num_queries: object) -> None:
    for _ in range(5):
        play(house, patrons={"1": "P-20931"})
    with django_assert_max_num_queries(14):  # type: ignore[operator]
        search(house.people["AU-1"], "40.00", today=DAY)


def test_a_single_hit_is_opened_at_once(house: House) -> None:
    played = play(house)
    client = Client()
    client.force_login(house.people["AU-1"])
    assert client.get("/admin/search/", {"q": str(played.uuid)})["Location"] == f"/admin/tables/round/{played.pk}/change/"
    page = client.get("/admin/search/", {"q": "nothing like it"}).content.decode()
    assert "Nothing of yours is called that" in page
    assert "<script>" not in client.get("/admin/search/", {"q": "<script>alert(1)</script>"}).content.decode()
