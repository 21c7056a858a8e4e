"""Voids and corrections, slips, cash near the line, drop counts and the handover list: exact figures, and whose they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from audit.exports import render
from audit.reports.catalogue import catalogue, reports_for
from audit.reports.scope import read_scope
from audit.services import audit_payouts, reconcile_shift
from casino.money import Minor
from tables.models import ChipSlip
from tables.services import boxes, chip_slips, chips, counts, floor
from tables.services.correction_decisions import reject_proposal
from tables.slips import CountSlip
from tests.builders import BANKROLL, DAY, House, end_night, fill, play
from tests.corrections import correct, deal, propose, void

pytestmark = pytest.mark.django_db
DAYS = {"day_from": DAY.isoformat(), "day_to": DAY.isoformat()}
CHIPS = CountSlip({2500: 8})


def sections(house: House, key: str, who: str = "AU-1", **filters: Any) -> dict[str, list[dict]]:
    kind = catalogue()[key]
    content = json.loads(render(kind.report(read_scope({**DAYS, **filters}, house.people[who], DAY, kind.action)), "json"))
    return {part["key"]: [row["cells"] for row in part["rows"]] for part in content["sections"]}


def picked(rows: list[dict], *keys: str) -> list[tuple]:
    return [tuple(row[key] for key in keys) for row in rows]


# ---- voids, corrections and overrides ----


@pytest.fixture
def mended(house: House) -> House:
    """A corrected round, a voided one, a rejected proposal and one that waits."""
    correct(house, deal(house, done={"1": {"ante": {"paid": 1_500}}}), done={})
    void(house, deal(house), approver="PB-1")
    reject_proposal(propose(house, deal(house)), note="The hand was good.", by=house.people["SM-1"], at=house.tick())
    propose(house, deal(house))
    return house


def test_every_change_with_its_people_and_its_effect(mended: House) -> None:
    found = sections(mended, "changes")
    keys = ("change", "state", "round", "replaced_by", "proposed_by", "decided_by", "before", "after", "effect")
    assert sorted(picked(found["changes"], *keys), key=lambda row: row[2]) == [
        ("correction", "approved", 1, 2, "FS-2", "SM-1", -3_000, -2_500, 500),
        ("void", "approved", 3, None, "FS-2", "PB-1", -2_500, 0, 2_500),
        ("void", "rejected", 4, None, "FS-2", "SM-1", -2_500, -2_500, 0),
    ]
    assert picked(found["waiting"], "change", "state", "round", "effect") == [("void", "waits", 5, 2_500)]
    assert picked(found["people"], "change", "proposed_by", "decided_by", "times", "effect") == [
        ("correction", "FS-2", "SM-1", 1, 500),
        ("void", "FS-2", "PB-1", 1, 2_500),
        ("void", "FS-2", "SM-1", 1, 0),
    ]
    assert {row["gaming_day"] for row in found["changes"]} == {"2026-03-14"}


def test_changes_of_an_open_table_are_hidden_from_who_may_count_it(mended: House) -> None:
    assert [rows for rows in sections(mended, "changes", "SM-1").values() if rows] == []
    assert sections(mended, "changes", dealer="D-1042")["changes"] == []
    assert len(sections(mended, "changes", dealer="D-1187")["changes"]) == 3


def test_a_round_that_was_voided_or_replaced_is_in_no_report_of_play(mended: House) -> None:
    assert sum(row["win"] for row in sections(mended, "hourly-win")["hours"]) == 3 * -2_500
    assert picked(sections(mended, "games")["versions"], "rounds", "win") == [(3, -7_500)]
    assert picked(sections(mended, "dealers")["dealers"], "rounds", "errors", "variance") == [(3, 0, 0)]


def test_an_exception_says_whether_its_round_still_stands(house: House) -> None:
    wrong = [deal(house, done={"1": {"ante": {"paid": 1_500}}}) for _ in range(3)]
    audit_payouts(house.shift)
    correct(house, wrong[0], done={})
    void(house, wrong[1])
    found = {row["round"]: row["round_is"] for row in sections(house, "payout-exceptions")["exceptions"] if row["kind"] == "overpaid"}
    assert found == {"1": "replaced", "2": "voided", "3": "stands"}


def test_a_count_that_was_reopened_says_who_and_why(house: House) -> None:
    end_night(house)
    session = house.sessions["UTH-01"]
    counts.propose_recount(session, "closer", reason="One rack was left out.", at=house.tick(), by=house.people["SM-1"], uuid=uuid4())
    assert picked(sections(house, "changes")["recounts"], "table", "count", "state", "reason", "proposed_by", "approved_by") == [
        ("UTH-01", "closer", "proposed", "One rack was left out.", "SM-1", None)
    ]
    [item] = [row for row in sections(house, "handover")["items"] if row["what"] == "count reopened"]
    assert (item["table"], item["next"]) == ("UTH-01", "an auditor decides")


# ---- slips ----


def request(house: House, service: Callable[..., ChipSlip] = chip_slips.request_fill) -> ChipSlip:
    return service(house.sessions["UTH-01"], CHIPS, at=house.tick(), by=house.people["FS-1"], uuid=uuid4())


@pytest.fixture
def slips(house: House) -> House:
    """Four fills (received, void, issued, received at another pit's table) and a chip credit that was only requested."""
    staff = house.people
    people = {"requested_by": staff["FS-1"], "issued_by": staff["CG-1"], "received_by": staff["PB-1"]}
    fill(house.sessions["UTH-01"], CHIPS, at=house.tick(), **people)
    chip_slips.void_slip(request(house), reason="Not needed.", at=house.tick(), by=staff["CG-1"], witness=staff["SM-1"])
    chip_slips.issue_fill(request(house), at=house.tick(), by=staff["CG-1"])
    request(house, chip_slips.request_chip_credit)
    return house


def test_slips_by_number_and_those_that_moved_nothing(slips: House) -> None:
    found = sections(slips, "slips")
    keys = ("kind", "first", "last", "slips", "received", "void", "waiting", "amount")
    assert picked(found["kinds"], *keys) == [("chip credit", "1", "1", 1, 0, 0, 1, 0), ("fill", "1", "3", 3, 1, 1, 1, 20_000)]
    assert found["gaps"] == []
    assert picked(found["unused"], "kind", "number", "state", "last_by", "witness", "note", "amount") == [
        ("chip credit", "1", "requested", "FS-1", None, None, 20_000),
        ("fill", "2", "void", "CG-1", "SM-1", "Not needed.", 20_000),
        ("fill", "3", "issued", "CG-1", None, None, 20_000),
    ]


def test_a_number_that_is_missing_is_named(slips: House) -> None:
    from tables.models import SlipCounter

    SlipCounter.objects.filter(property=slips.property, kind="fill").update(last=5)
    assert picked(sections(slips, "slips")["gaps"], "kind", "number") == [("fill", "4"), ("fill", "5")]


def test_the_cage_reads_its_slips_and_another_pit_does_not(slips: House) -> None:
    assert len(sections(slips, "slips", "CG-1")["unused"]) == 3
    assert sections(slips, "slips", "PB-2")["unused"] == []


# ---- cash near the line ----


@pytest.fixture
def cash(house: House) -> House:
    """Buy-ins and cash-outs around the lines of 3,000.00 and 10,000.00, and a lost money play."""
    staff, session = house.people, house.sessions["UTH-01"]
    people = {"requested_by": staff["FS-1"], "issued_by": staff["CG-1"], "received_by": staff["PB-1"]}
    fill(session, CountSlip({100_00: 400}), at=house.tick(), **people)

    def buys(amount: int, patron: str = "", *, declined: bool = False) -> None:
        chips.buy_in(session, Minor(amount), at=house.tick(), by=staff["FS-1"], patron=patron, declined=declined)

    def leaves(amount: int, patron: str = "") -> None:
        chips.cash_out(house.property, Minor(amount), at=house.tick(), by=staff["CG-1"], uuid=uuid4(), patron=patron)

    buys(290_000, "P-IN-PARTS")
    buys(290_000, "P-IN-PARTS")
    buys(999_000, "P-FORM")
    buys(900_000, "P-BELOW")
    buys(299_999, "P-NEVER")
    leaves(300_000, "P-OUT")
    buys(100_000, "P-OUT")
    buys(300_000, declined=True)
    buys(5_000)
    leaves(2_500)
    play(house, funds={"2": {"ante": "cash", "blind": "cash"}}, patrons={"2": "P-FORM"})
    return house


def test_cash_in_and_cash_out_are_summed_apart(cash: House) -> None:
    found = sections(cash, "cash")
    assert picked(found["patrons"], "patron", "times_in", "cash_in", "times_out", "cash_out", "largest", "to_form", "says") == [
        ("P-FORM", 3, 1_001_000, 0, 0, 999_000, 0, "form"),
        ("P-BELOW", 1, 900_000, 0, 0, 900_000, 100_001, "alert: just below the form"),
        ("P-IN-PARTS", 2, 580_000, 0, 0, 290_000, 420_001, "alert: in parts, each below it"),
        ("P-OUT", 1, 100_000, 1, 300_000, 300_000, 700_001, "alert"),
    ]
    assert picked(found["declined"], "what", "table", "amount", "by") == [("buy-in", "UTH-01", 300_000, "FS-1")]
    assert picked(found["unnamed"], "way", "times", "amount", "largest") == [("cash in", 2, 305_000, 300_000), ("cash out", 1, 2_500, 2_500)]


def test_an_open_table_s_money_plays_are_hidden_from_who_may_count_it(cash: House) -> None:
    assert sections(cash, "cash", "SM-1")["patrons"][0]["cash_in"] == 999_000
    client = Client()
    client.force_login(cash.people["PB-1"])
    assert client.get("/admin/reports/cash/", DAYS).status_code == 403


def test_the_form_is_for_more_than_the_line_not_for_the_line(house: House) -> None:
    chips.cash_out(house.property, Minor(1_000_000), at=house.tick(), by=house.people["CG-1"], uuid=uuid4(), patron="P-1")
    assert picked(sections(house, "cash")["patrons"], "to_form", "says") == [(1, "alert: just below the form")]
    chips.cash_out(house.property, Minor(1), at=house.tick(), by=house.people["CG-1"], uuid=uuid4(), patron="P-1")
    assert picked(sections(house, "cash")["patrons"], "to_form", "says", "times_out") == [(0, "form", 2)]


# ---- drop counts ----


def test_the_count_team_reads_its_own_counts_and_nothing_the_pit_expected(house: House) -> None:
    chips.buy_in(house.sessions["UTH-01"], Minor(30_000), at=house.tick(), by=house.people["FS-1"])
    end_night(house, drops={"UTH-01": -100})
    found = sections(house, "drop-counts", "CT-1")
    assert picked(found["counts"], "table", "box", "seal", "currency", "total", "counted_by", "witness") == [
        ("PAY-01", "B-PAY-01", "S-1", 0, 0, "CT-1", "CT-2"),
        ("UTH-01", "B-UTH-01", "S-1", 29_900, 29_900, "CT-1", "CT-2"),
        ("UTH-02", "B-UTH-02", "S-1", 0, 0, "CT-1", "CT-2"),
    ]
    kind = catalogue()["drop-counts"]
    content = render(kind.report(read_scope(DAYS, house.people["CT-1"], DAY, kind.action)), "json").decode()
    assert "30000" not in content
    assert "expected" not in content.lower()
    assert [report.key for report in reports_for(house.people["CT-1"])] == ["drop-counts"]


def test_of_a_counter_only_what_they_took_part_in(house: House) -> None:
    from casino import people

    other = people.hire("CT-3", "Third counter", None, by=house.people["AD-1"])
    people.grant_role(other, "count_team", by=house.people["AD-1"], pits=None)
    house.people["CT-3"] = other
    end_night(house)
    assert sections(house, "drop-counts", "CT-3")["counts"] == []
    assert len(sections(house, "drop-counts", "AU-1")["counts"]) == 3


def test_a_box_that_waits_for_its_count(house: House) -> None:
    staff, session = house.people, house.sessions["UTH-01"]
    floor.close_session(session, CountSlip({1: CountSlip(BANKROLL).total}), at=house.tick(), by=staff["PB-1"], witness=staff["SM-1"])
    boxes.pull_box(session, box="B-7", seal="S-9", at=house.tick(), by=staff["PB-1"], carrier=staff["CT-1"])
    assert picked(sections(house, "drop-counts", "CT-1")["waiting"], "table", "box", "seal", "carried_by", "carried_with") == [
        ("UTH-01", "B-7", "S-9", "PB-1", "CT-1")
    ]
    [item] = [row for row in sections(house, "handover")["items"] if row["what"] == "box"]
    assert (item["detail"], item["next"]) == ("box B-7, seal S-9", "the count team counts it")


# ---- the handover list ----


def test_what_a_shift_leaves_to_the_next(slips: House) -> None:
    propose(slips, deal(slips))
    found = sections(slips, "handover")
    assert picked(found["counts"], "what", "times") == [("open table", 3), ("proposal", 1), ("shift", 1), ("slip", 2)]
    by_kind = {row["what"]: row for row in found["items"] if row["what"] != "open table"}
    assert (by_kind["shift"]["next"], by_kind["proposal"]["next"], by_kind["proposal"]["amount"]) == ("end it", "somebody else decides", 2_500)
    waiting = [row for row in found["items"] if row["what"] == "slip"]
    assert picked(waiting, "detail", "next") == [
        ("fill 3 issued", "the table receives it"),
        ("chip credit 1 requested", "the table sends it"),
    ]


def test_a_clean_night_leaves_its_signature(house: House) -> None:
    play(house)
    end_night(house, closers={"UTH-01": -200_000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    found = sections(house, "handover")["items"]
    assert picked(found, "what", "table", "next") == [
        ("shift", None, "explain and sign it"),
        ("finding", "UTH-01", "assign or answer it"),
    ]
    assert next(row for row in found if row["what"] == "finding")["amount"] == -200_000


# ---- the list of reports ----


def test_the_list_leads_to_the_books(house: House) -> None:
    def listed(who: str) -> str:
        client = Client()
        client.force_login(house.people[who])
        return client.get("/admin/reports/").content.decode()

    auditor = listed("AU-1")
    assert all(address in auditor for address in ("/admin/books/trial-balance/", "/admin/books/journal/", "/admin/books/accounting/"))
    cage = listed("CG-1")
    assert "/admin/books/journal/" not in cage
    assert "/admin/ledger/account/" in cage
    assert "/admin/ledger/account/" not in listed("CT-1")
    assert [report.key for report in reports_for(house.people["GM-1"])] == ["games", "paytable-changes"]
