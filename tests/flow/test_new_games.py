"""Games are plug-ins: Three Card Poker and roulette, at tables of their own, through every door, the audit, the books and the report.

Nothing in the application names these two games but their own files; here neither has a door, a form or a report of its own either.
"""

from __future__ import annotations

import json
from datetime import datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from audit import services
from audit.exports import render
from audit.models import Finding, SessionReconciliation
from audit.reports import shift as shift_report
from audit.second_opinion import second_opinion, settlers
from audit.services import audit_payouts, reconcile_shift
from casino.money import Notation
from tables.engine.game import games
from tables.models import Round, Wager
from tables.round_form import RoundForm, TableFacts
from tests.builders import ZONE, House, end_night, make_house, make_people, play, slip, utc

pytestmark = pytest.mark.django_db(transaction=True)

ADD = "/admin/tables/round/add/"
PREVIEW = "/admin/tables/round/preview/"

TCP_ROUND = {
    "dealer": ["Ah", "Qd", "7c"],
    "seats": [
        {"seat": 1, "cards": ["5s", "4s", "3s"], "ante": 1000, "play": 1000, "pair_plus": 500},
        {"seat": 2, "cards": ["Kh", "Kd", "2c"], "ante": 2000, "play": 2000, "pair_plus": 500},
        {"seat": 3, "ante": 1000, "folded": True},
    ],
}
ROULETTE_ROUND = {
    "pocket": "17",
    "seats": [
        {"seat": 1, "bets": {"straight_17": 100, "straight_20": 100, "split_17_20": 200, "black": 500}},
        {"seat": 4, "bets": {"corner_17_18_20_21": 300, "red": 1000}},
    ],
}


@pytest.fixture
def new_house(nobody_yet: None) -> House:
    return make_house("NEW", {"TCP-01": ("tcp", "P1"), "ROU-01": ("roulette", "P1")}, staff=make_people())


@pytest.fixture
def pit_boss(new_house: House, client: Client) -> Client:
    client.force_login(new_house.people["PB-1"])
    return client


def found(house: House) -> list[tuple[Any, ...]]:
    findings = Finding.objects.filter(shift=house.shift).order_by("id")
    return [(f.kind, f.seat, f.wager, f.due, f.done, f.facts.get("row_read")) for f in findings]


def line(house: House, table: str) -> SessionReconciliation:
    return SessionReconciliation.objects.get(session=house.sessions[table])


# ---- the audit ----


@pytest.mark.parametrize(
    ("table", "facts", "done", "expected"),
    [
        ("TCP-01", TCP_ROUND, {"1": {"ante_bonus": {"paid": 4000}}}, ("wrong_odds", 1, "ante_bonus", 5000, 4000, "three_of_a_kind")),
        ("TCP-01", TCP_ROUND, {"1": {"ante_bonus": {"paid": 0}}}, ("underpaid", 1, "ante_bonus", 5000, 0, None)),
        ("TCP-01", TCP_ROUND, {"1": {"pair_plus": {"paid": 15_000}}}, ("wrong_odds", 1, "pair_plus", 20_000, 15_000, "three_of_a_kind")),
        ("TCP-01", TCP_ROUND, {"2": {"play": {"collected": 2000, "paid": 0}}}, ("took_a_winner", 2, "play", 2000, -2000, None)),
        ("TCP-01", TCP_ROUND, {"3": {"ante": {"collected": 0}}}, ("loser_left", 3, "ante", -1000, 0, None)),
        ("ROU-01", ROULETTE_ROUND, {"1": {"split_17_20": {"paid": 7000}}}, ("wrong_odds", 1, "split_17_20", 3400, 7000, "straight")),
        ("ROU-01", ROULETTE_ROUND, {"1": {"straight_20": {"collected": 0, "paid": 3500}}}, ("paid_a_loser", 1, "straight_20", -100, 3500, None)),
        ("ROU-01", ROULETTE_ROUND, {"4": {"corner_17_18_20_21": {"paid": 2500}}}, ("overpaid", 4, "corner_17_18_20_21", 2400, 2500, None)),
    ],
)
def test_a_planted_error_is_named(new_house: House, table: str, facts: dict, done: dict, expected: tuple) -> None:
    play(new_house, "TCP-01", TCP_ROUND)
    play(new_house, "ROU-01", ROULETTE_ROUND)
    played = play(new_house, table, facts, done=done)
    [finding] = audit_payouts(new_house.shift)
    assert found(new_house) == [expected]
    assert finding.round == played
    assert audit_payouts(new_house.shift) == []


def test_big_payouts_get_a_second_opinion(new_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def asking(game: str, *rest: Any) -> Any:
        asked.append(game)
        return second_opinion(game, *rest)

    monkeypatch.setattr(services, "second_opinion", asking)
    play(new_house, "TCP-01", TCP_ROUND)
    play(new_house, "ROU-01", ROULETTE_ROUND)
    assert audit_payouts(new_house.shift) == []
    assert sorted(asked) == ["roulette", "tcp"]
    assert set(settlers()) == set(games())


# ---- the night ----


def test_a_night_is_reconciled_and_reported(new_house: House) -> None:
    for table, facts in (("TCP-01", TCP_ROUND), ("ROU-01", ROULETTE_ROUND)):
        play(new_house, table, facts)
        play(new_house, table, facts)
    play(new_house, "ROU-01", ROULETTE_ROUND, done={"1": {"split_17_20": {"paid": 7000}}})
    end_night(new_house, closers={"ROU-01": -500})
    audit_payouts(new_house.shift)
    reconcile_shift(new_house.shift)
    tcp, wheel = line(new_house, "TCP-01"), line(new_house, "ROU-01")
    assert (tcp.handle, tcp.collected, tcp.paid) == (16_000, 2000, 2 * 31_500)
    assert tcp.theoretical_win == round(8000 * Fraction(686689, 20358520) + 2000 * Fraction(128, 5525))
    assert (wheel.handle, wheel.collected, wheel.paid) == (6600, 3300, 3 * (3500 + 3400 + 500 + 2400) + 3600)
    assert (wheel.theoretical_win, wheel.payout_variance, wheel.tray_variance) == (round(Fraction(6600, 37)), -3600, -500)
    report = shift_report.build(new_house.shift)
    rows = {row.values[0]: row.values[2] for row in next(section for section in report.sections if section.key == "tables").rows}
    assert rows == {"ROU-01": "roulette", "TCP-01": "tcp"}
    for fmt in ("csv", "json", "xlsx", "pdf"):
        assert render(report, fmt)
    assert b"split_17_20" in render(report, "csv")


def test_double_zero_is_another_paytable_of_the_same_game(new_house: House) -> None:
    from tables.paytable_files import published
    from tables.services import paytables

    staff, table = new_house.people, new_house.tables["ROU-01"]
    content = published()["roulette-double-zero@1"].content
    version = paytables.publish_paytable(content, proposed_by=staff["GM-1"], approved_by=staff["AU-1"], approval="TEST-2")
    paytables.put_in_force(table, version, from_at=new_house.tick(), by=staff["GM-1"], approved_by=staff["AU-1"])
    played = play(new_house, "ROU-01", {"pocket": "00", "seats": [{"seat": 1, "bets": {"top_line": 500, "red": 500}}]})
    assert (played.paid, played.collected, bytes(played.cards)) == (3000, 500, bytes([37]))


# ---- the doors ----


def test_the_api_takes_both_games(new_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tables.api.views.timezone.now", lambda: utc("2026-03-15T12:00:00+00:00"))
    api = APIClient()
    api.force_authenticate(new_house.people["PB-1"])
    nets = []
    for table, facts in (("TCP-01", TCP_ROUND), ("ROU-01", ROULETTE_ROUND)):
        answer = api.post("/api/v1/rounds", slip(new_house, table, facts), format="json")
        assert answer.status_code == 201, answer.content
        nets.append(answer.json()["settlement"]["house_net"])
    assert nets == [-30_500, -8700]
    bad = slip(new_house, "ROU-01", ROULETTE_ROUND | {"pocket": "00"})
    refused = api.post("/api/v1/rounds", bad, format="json")
    assert (refused.status_code, refused.json()["error"]["code"], refused.json()["error"]["where"]) == (400, "bad_pocket", "round.pocket")


def typed(house: House, client: Client, table: str, **more: str) -> dict[str, str]:
    """Return a fresh page of the entry form with `more` typed into it, dealt at the night's clock."""
    page = dict(client.get(ADD, {"table": table}).context["form"].typed)
    local: datetime = house.tick().astimezone(ZoneInfo(ZONE))
    return {**page, "table": table, "who_dealt": "D-1187", "occurred_at": local.replace(tzinfo=None).isoformat(), **more}


TCP_SHEET = {
    "r_dealer": "Ah Qd 7c",
    "s1_cards": "5s4s3s",
    "s1_ante": "10",
    "s1_pair_plus": "5",
    "s3_ante": "10",
    "s3_folded": "on",
}
WHEEL_SHEET = {"r_pocket": "17", "s1_bets": "17 1, 20 1; 17-20 2 black 5", "s4_bets": "corner-17-18-20-21 3, RED 10"}


def test_three_card_poker_is_entered_in_the_form_of_every_game(new_house: House, pit_boss: Client) -> None:
    page = typed(new_house, pit_boss, "TCP-01", **TCP_SHEET)
    seen = pit_boss.post(ADD, page | {"see": "1"})
    spots = {spot.name: spot.due for one in seen.context["screen"].seats for spot in one.spots if spot.due}
    assert spots == {"d1_ante": "+10.00", "d1_play": "+10.00", "d1_ante_bonus": "+50.00", "d1_pair_plus": "+200.00", "d3_ante": "−10.00"}
    assert "Straight flush, five high" in seen.content.decode()
    assert pit_boss.post(ADD, page | {"d1_ante_bonus": "+40", "m1_ante_bonus": "not_recovered", "save": "1"}).status_code == 303
    assert [(wager.kind, wager.paid) for wager in Wager.objects.filter(seat=1)] == [
        ("ante", 1000),
        ("play", 1000),
        ("ante_bonus", 4000),
        ("pair_plus", 20_000),
    ]
    assert pit_boss.get(ADD, {"table": "TCP-01"}).context["form"].typed["s1_pair_plus"] == "5.00"
    audit_payouts(new_house.shift)
    assert found(new_house) == [("wrong_odds", 1, "ante_bonus", 5000, 4000, "three_of_a_kind")]


def test_roulette_is_entered_in_the_form_of_every_game(new_house: House, pit_boss: Client) -> None:
    page = typed(new_house, pit_boss, "ROU-01", **WHEEL_SHEET)
    screen = pit_boss.post(ADD, page | {"see": "1"}).context["screen"]
    assert list(screen.kinds) == ["straight_17", "straight_20", "split_17_20", "corner_17_18_20_21", "red", "black"]
    assert (screen.deck, screen.house["due"]) == ([], "−87.00")
    refused = pit_boss.post(ADD, page | {"d1_split_17_20": "+70", "save": "1"})
    assert [difference.words for difference in refused.context["screen"].differences] == ["Seat 1 got 36.00 more than due on split 17 20"]
    assert "2.00 × 17:1 = 34.00" in refused.content.decode()
    saved = pit_boss.post(ADD, page | {"d1_split_17_20": "+70", "m1_split_17_20": "not_recovered", "save": "1"})
    assert saved.status_code == 303
    played = Round.objects.get()
    assert (played.handle, played.paid, played.payout_variance) == (2200, 9800 + 3600, -3600)
    assert json.loads(bytes(played.deal))["seats"][1] == {"seat": 4, "bets": {"corner_17_18_20_21": 300, "red": 1000}}
    told = pit_boss.get(f"/admin/tables/round/{played.pk}/change/").content.decode()
    assert "Seventeen, black: the split-17-20 wager pays split 17:1, 2.00 × 17:1 = 34.00" in told
    assert pit_boss.get("/admin/tables/round/").status_code == pit_boss.get(ADD, {"table": "ROU-01"}).status_code == 200


def test_what_is_wrong_stands_at_the_bets(new_house: House, pit_boss: Client) -> None:
    for bets, message in [
        ("17 1 red", "“red” has no stake: each wager is followed by its own."),
        ("17 1, 17 2", "“17” stands there twice."),
        ("17 1,00", "“1,00” is not an amount: digits are grouped in threes."),
        ("17-19 1", "“17-19” is no bet that this table takes."),
        ("top-line 1", "“top_line” is no bet that this table takes."),
    ]:
        answer = pit_boss.post(ADD, typed(new_house, pit_boss, "ROU-01", r_pocket="17", s2_bets=bets) | {"save": "1"})
        assert {name: [error.message for error in errors] for name, errors in answer.context["form"].errors.items()} == {"s2_bets": [message]}
        assert f'value="{bets}"' in answer.content.decode()
    assert Round.objects.count() == 0


def test_two_names_of_one_spot_are_one_bet() -> None:
    table = TableFacts("ROU-01", games()["roulette"], Notation(2), ZONE)
    [seat] = RoundForm(table, {"occurred_at": "2026-03-14T21:00:00", "s1_bets": "17 1 straight_17 2"}).slip()["round"]["seats"]
    assert seat["bets"] == {"straight_17": 300}


def test_no_migration_is_wanted(nobody_yet: None) -> None:
    from django.db.migrations.autodetector import MigrationAutodetector
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.state import ProjectState

    loader = MigrationLoader(connection)
    from django.apps import apps

    changes = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps)).changes(graph=loader.graph)
    assert "tables" not in changes
