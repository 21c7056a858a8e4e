"""Every round recomputed, every wager's due against its done; a second look adds nothing."""

from __future__ import annotations

import pytest
from django.db import connections

from audit.models import Finding, FindingEvent
from audit.services import audit_payouts
from tests.builders import PAYROLL_ROUND, UTH_ROUND, House, play

pytestmark = pytest.mark.django_db

LOSING_FLUSH = {
    "community": ["2h", "7h", "9h", "Kd", "4c"],
    "dealer": ["Ah", "3h"],
    "seats": [{"seat": 3, "cards": ["Kh", "5h"], "ante": 1000, "blind": 1000, "trips": 500, "play": 1000, "street": "river"}],
}
WINNING_FLUSH = {**LOSING_FLUSH, "dealer": ["Ks", "8d"]}
UNQUALIFIED = {
    "community": ["Kd", "9s", "7h", "4c", "2d"],
    "dealer": ["Ac", "Jd"],
    "seats": [{"seat": 1, "cards": ["Qs", "3h"], "ante": 1000, "blind": 1000, "play": 1000, "street": "river"}],
}


def kinds(house: House) -> list[tuple]:
    return [(f.kind, f.seat, f.wager, f.due, f.done, f.effect) for f in Finding.objects.filter(shift=house.shift).order_by("id")]


def test_a_night_without_errors_has_no_findings(house: House) -> None:
    for table in ("UTH-01", "UTH-02", "PAY-01"):
        play(house, table)
    play(house, facts=LOSING_FLUSH)
    play(house, facts=UNQUALIFIED)
    assert audit_payouts(house.shift) == []


@pytest.mark.parametrize(
    ("facts", "done", "expected"),
    [
        (UTH_ROUND, {"1": {"blind": {"paid": 1000}}}, ("push_paid", 1, "blind", 0, 1000, -1000)),
        (UTH_ROUND, {"1": {"ante": {"collected": 1000, "paid": 0}}}, ("took_a_winner", 1, "ante", 1000, -1000, 2000)),
        (UTH_ROUND, {"1": {"blind": {"collected": 1000}}}, ("push_taken", 1, "blind", 0, -1000, 1000)),
        (UTH_ROUND, {"1": {"trips": {"collected": 0}}}, ("loser_left", 1, "trips", -500, 0, -500)),
        (UTH_ROUND, {"2": {"ante": {"collected": 0, "paid": 1000}}}, ("paid_a_loser", 2, "ante", -1000, 1000, -2000)),
        (UTH_ROUND, {"1": {"play": {"paid": 3000}}}, ("underpaid", 1, "play", 4000, 3000, 1000)),
        (LOSING_FLUSH, {"3": {"blind": {"collected": 0, "paid": 1500}}}, ("paid_a_loser", 3, "blind", -1000, 1500, -2500)),
        (LOSING_FLUSH, {"3": {"trips": {"collected": 500, "paid": 0}}}, ("took_a_winner", 3, "trips", 3000, -500, 3500)),
        (WINNING_FLUSH, {"3": {"blind": {"paid": 2000}}}, ("overpaid", 3, "blind", 1500, 2000, -500)),
        (WINNING_FLUSH, {"3": {"trips": {"paid": 2500}}}, ("wrong_odds", 3, "trips", 3000, 2500, 500)),
        (UNQUALIFIED, {"1": {"ante": {"collected": 1000}}}, ("push_taken", 1, "ante", 0, -1000, 1000)),
    ],
)
def test_each_kind_of_error_is_named(house: House, facts: dict, done: dict, expected: tuple) -> None:
    play(house)
    played = play(house, facts=facts, done=done)
    [finding] = audit_payouts(house.shift)
    assert kinds(house) == [expected]
    assert (finding.round, finding.dealer, finding.session) == (played, played.dealer, played.session)
    assert finding.why
    assert [event.state for event in FindingEvent.objects.filter(finding=finding)] == ["open"]


def test_a_misread_row_is_named(house: House) -> None:
    play(house, facts=WINNING_FLUSH, done={"3": {"trips": {"paid": 4000}}})
    [finding] = audit_payouts(house.shift)
    assert (finding.kind, finding.facts["row_read"], finding.facts["row_due"]) == ("wrong_odds", "full_house", "flush")
    assert (finding.facts["paid_odds"], finding.facts["due_odds"]) == ("8:1", "6:1")


def test_a_pot_split_wrongly_is_one_finding_of_the_round(house: House) -> None:
    play(house, "PAY-01", PAYROLL_ROUND)
    play(house, "PAY-01", PAYROLL_ROUND, done={"1": {"pot": {"paid": 650}}, "2": {"pot": {"paid": 650}}})
    [finding] = audit_payouts(house.shift)
    assert (finding.kind, finding.seat, finding.wager, finding.effect) == ("pot_split", None, "pot", 0)
    assert finding.facts["shares"] == {"1": {"due": 1300, "done": 650}, "2": {"due": 0, "done": 650}}


def test_a_corrected_mistake_is_a_note_and_moves_nothing(house: House) -> None:
    said = {"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": "taken back"}
    play(house, mispaid=[said])
    [finding] = audit_payouts(house.shift)
    assert (finding.kind, finding.severity, finding.effect) == ("overpaid_corrected", "note", 0)


def test_an_irregular_round_is_a_finding(house: House) -> None:
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 500, "play": 4000, "street": "preflop"}
    done = {"1": {kind: {"collected": 0, "paid": 0} for kind in ("ante", "blind", "play")}}
    play(house, facts={**UTH_ROUND, "seats": [seat]}, irregular={"reason": "blind short by half"}, done=done)
    [finding] = audit_payouts(house.shift)
    assert (finding.kind, finding.severity) == ("irregular", "major")
    assert "blind short by half" in finding.why


def test_a_second_look_adds_nothing(house: House) -> None:
    play(house, done={"1": {"ante": {"paid": 2000}}})
    assert len(audit_payouts(house.shift)) == 1
    assert audit_payouts(house.shift) == []
    assert (Finding.objects.count(), FindingEvent.objects.count()) == (1, 1)


def test_every_error_of_a_round_is_found(house: House) -> None:
    play(house, done={"1": {"ante": {"paid": 2000}, "trips": {"collected": 0}}, "2": {"blind": {"collected": 0}}})
    assert len(audit_payouts(house.shift)) == 3


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_kept_due_that_was_changed_behind_our_back_is_an_alarm(house: House) -> None:
    """A superuser's change of the kept figures does not deceive the audit: it goes by the cards."""
    from casino.settings import SERVERS

    play(house)
    if SERVERS is None:
        pytest.fail("this test needs the embedded server's superuser")
    import psycopg

    params = connections["owner"].get_connection_params()
    with psycopg.connect(
        host=params["host"], port=params["port"], dbname=params["dbname"], user=SERVERS.superuser, password=SERVERS.superuser_password
    ) as superuser:
        superuser.execute("ALTER TABLE tables_wager DISABLE TRIGGER tables_wager_append_only")
        superuser.execute("UPDATE tables_wager SET pay = 3000 WHERE kind = 'ante' AND seat = 1")
        superuser.execute("ALTER TABLE tables_wager ENABLE ALWAYS TRIGGER tables_wager_append_only")
    [finding] = audit_payouts(house.shift)
    assert (finding.kind, finding.severity, finding.seat, finding.wager) == ("due_differs", "major", 1, "ante")
