"""What the audit makes of voids, corrections and rulings: left out of the figures, told in the report, findings with an event each."""

from __future__ import annotations

import json
import re

import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from audit.board import board_for
from audit.changes import look_at_change, look_at_ruling
from audit.models import Finding, FindingEvent
from audit.reports.shift import build
from audit.selectors import movements_of_shift
from audit.services import audit_payouts, reconcile_shift
from audit.win_chart import win_chart
from casino.errors import Conflict, InvalidSlip, Refused
from casino.models import Job
from casino.money import Minor
from tables.models import RoundChange, RoundRuling
from tables.selectors import standing
from tables.services.correction_decisions import reject_proposal
from tables.services.paytables import publish_paytable, put_in_force
from tables.services.replay import ask_replay
from tables.services.rulings import RuledDue, rule_irregular
from tests.builders import House, end_night
from tests.corrections import correct, deal, propose, propose_mended, void
from tests.tables.test_corrections import refused

pytestmark = pytest.mark.django_db
OVERPAID = {"1": {"ante": {"paid": 1500}}}
SPOTS = ((1, "ante"), (1, "blind"), (1, "trips"), (1, "play"), (2, "ante"), (2, "blind"))


def irregular(house: House):
    """Return a round with a play of twice the ante before the flop, in which nothing was taken and 2,000 paid on the play."""
    done: dict = {}
    for seat, kind in SPOTS:
        done.setdefault(str(seat), {})[kind] = {"collected": 0, "paid": 2000 if kind == "play" else 0}
    return deal(house, irregular={"reason": "2x before the flop"}, done=done)


def test_voided_and_replaced_rounds_are_in_no_figure(house: House) -> None:
    deal(house)
    void(house, deal(house))
    made = correct(house, deal(house, done=OVERPAID), done={})
    void(house, irregular(house), by="FS-1")
    moved = movements_of_shift(house.shift)[house.sessions["UTH-01"].pk]
    assert (moved.rounds, moved.irregular, moved.handle) == (2, 0, 17_000)
    assert (moved.collected - moved.paid, moved.book_win, moved.payout_variance) == (-5_000, -5_000, 0)
    tile = next(t for t in board_for(house.people["SV-1"], at=house.clock).tiles if t.table.code == "UTH-01")
    assert (tile.rounds, tile.handle, tile.win) == (2, 17_000, -5_000)
    assert [finding.round for finding in audit_payouts(house.shift)] == []
    assert made.payout_variance == 0


def test_breakage_and_expectation_leave_them_out_too(house: House) -> None:
    facts = {
        "community": ["2h", "9h", "4h", "Jc", "Qd"],
        "dealer": ["Kc", "Ks"],
        "seats": [{"seat": 1, "cards": ["Ah", "8h"], "ante": 501, "blind": 501, "play": 1503, "street": "preflop"}],
    }
    void(house, deal(house, facts=facts))
    moved = movements_of_shift(house.shift)[house.sessions["UTH-01"].pk]
    assert (moved.breakage, moved.theoretical_win, moved.rounds) == (0, None, 0)


def test_the_win_chart_is_of_the_rounds_that_stand(house: House) -> None:
    for _ in range(3):
        deal(house)
        house.tick(16 * 60)
    before = win_chart(house.shift, [house.sessions["UTH-01"].pk])
    played = deal(house)
    with_it = win_chart(house.shift, [house.sessions["UTH-01"].pk])
    void(house, played)
    assert win_chart(house.shift, [house.sessions["UTH-01"].pk]) == before != with_it


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_win_chart_is_drawn_at_places_that_a_browser_reads_in_every_language(house: House, language: str) -> None:
    """German writes 12,5, which is no coordinate: the chart would fall together."""
    for _ in range(3):
        deal(house)
        house.tick(16 * 60)
    with override(language):
        drawn = render_to_string("admin/tables/shift/chart.html", {"chart": win_chart(house.shift, [house.sessions["UTH-01"].pk])})
    places = re.findall(r' (?:x|y|x1|x2|y1|y2)="([^"]*)"', drawn)
    assert any("." in place for place in places)
    assert [place for place in places if not re.fullmatch(r"-?\d+(\.\d+)?", place)] == []


def test_a_finding_of_a_corrected_round_says_so_and_the_new_round_is_looked_at(house: House) -> None:
    played = deal(house, done=OVERPAID)
    [finding] = audit_payouts(house.shift)
    made = correct(house, played, done={"1": {"play": {"paid": 5000}}})
    change = RoundChange.objects.get(made=made)
    [new] = look_at_change(change)
    assert (new.kind, new.effect, new.round, new.wager) == ("wrong_odds", -1000, made, "play") or new.kind == "overpaid"
    event = finding.events.order_by("-sequence")[0]
    assert (event.sequence, event.state, event.by) == (2, "open", None)
    assert event.note == "The round was replaced by round 2: payment entered wrong. Proposed by FS-2, approved by SM-1."
    assert (look_at_change(change), FindingEvent.objects.filter(finding=finding).count()) == ([], 2)
    assert audit_payouts(house.shift) == []


def test_the_audit_is_told_by_a_job(house: House) -> None:
    change = void(house, deal(house))
    assert Job.objects.get(kind="look_at_change").args == {"proposal": str(change.proposal.uuid)}
    played = deal(house)
    end_night(house)
    void(house, played, "PB-1", "AU-1")
    assert Job.objects.filter(kind="close_shift", key__contains=str(house.shift.uuid)).count() == 2


def test_the_report_tells_every_change_and_override(house: House) -> None:
    void(house, deal(house))
    correct(house, deal(house, done=OVERPAID), done={})
    rejected = propose(house, deal(house))
    reject_proposal(rejected, by=house.people["PB-1"], at=house.tick(), note="nothing was wrong with it")
    odd = irregular(house)
    rule_irregular(odd, reason="the patron was told so", due=None, by=house.people["AU-1"], at=house.tick())
    end_night(house)
    reconcile_shift(house.shift)
    [section] = [section for section in build(house.shift).sections if section.key == "changes"]
    lines = [(row.values[0], row.values[1], row.values[3], row.values[4], *row.values[7:]) for row in section.rows]
    assert lines == [
        ("void", "approved", 1, None, "FS-2", "SM-1", -2_500, 0, 2_500),
        ("correction", "approved", 2, 3, "FS-2", "SM-1", -3_000, -2_500, 500),
        ("void", "rejected", 4, None, "FS-2", "PB-1", -2_500, -2_500, 0),
        ("override", "irregular", 5, None, "FS-1", None, -2_000, -2_000, 0),
        ("ruling", "stands as dealt", 5, None, "FS-1", "AU-1", -2_000, -2_000, 0),
    ]
    assert [section.key for section in build(house.shift, for_user=house.people["PB-2"]).sections if list(section.rows)][:1] == ["tables"]


# ---- rulings ----


def ruled(house: House, played, due=None, by: str = "AU-1", **more) -> RoundRuling:
    return rule_irregular(played, **{"reason": "so be it", "due": due, "by": house.people[by], "at": house.tick(), **more})


def test_an_auditor_rules_that_it_stands_as_dealt(house: House) -> None:
    played = irregular(house)
    [finding] = audit_payouts(house.shift)
    ruling = ruled(house, played)
    assert (ruling.stands, ruling.effect, next(line for line in ruling.due if line["wager"] == "play")) == (
        True,
        0,
        {"seat": 1, "wager": "play", "collect": 0, "pay": 2000},
    )
    assert look_at_ruling(ruling) == []
    event = finding.events.order_by("-sequence")[0]
    assert (event.state, event.by.username, event.note) == ("answered", "AU-1", "Ruled by AU-1: it stands as dealt. so be it")


def test_what_was_due_as_ruled_makes_findings_of_the_difference(house: House) -> None:
    played = irregular(house)
    due = {(seat, kind): RuledDue(Minor(0), Minor(4000 if kind == "play" else 0)) for seat, kind in SPOTS}
    ruling = ruled(house, played, due)
    assert (ruling.stands, ruling.effect) == (False, 2000)
    kinds = {(f.kind, f.wager, f.effect, f.due, f.done) for f in look_at_ruling(ruling)}
    assert kinds == {("irregular", "", 0, None, None), ("underpaid", "play", 2000, 4000, 2000)}
    assert audit_payouts(house.shift) == []
    assert Finding.objects.count() == 2


def test_who_rules_and_on_what(house: House) -> None:
    played, regular = irregular(house), deal(house)
    for by in ("PB-1", "SM-1", "FS-1", "SV-1"):
        refused(Refused, "not_allowed", ruled, house, played, by=by)
    refused(Conflict, "not_irregular", ruled, house, regular)
    assert refused(InvalidSlip, "missing_field", ruled, house, played, reason=" ").where == "reason"
    assert refused(InvalidSlip, "missing_field", ruled, house, played, {(1, "ante"): RuledDue(Minor(0), Minor(0))}).where == "due.1.blind"
    everything = {spot: RuledDue(Minor(0), Minor(0)) for spot in SPOTS}
    assert (
        refused(InvalidSlip, "unknown_field", ruled, house, played, {**everything, (7, "ante"): RuledDue(Minor(0), Minor(0))}).where == "due.7.ante"
    )
    too_much = {**everything, (1, "ante"): RuledDue(Minor(1001), Minor(0))}
    assert refused(InvalidSlip, "bad_amount", ruled, house, played, too_much).where == "due.1.ante.collect"
    ruled(house, played)
    assert refused(Conflict, "ruled_already", ruled, house, played).facts["by"] == "AU-1"
    assert ruled(house, played, everything, after=1).sequence == 2
    void(house, played)
    refused(Conflict, "not_standing", ruled, house, played, after=2)


# ---- versions ----


def test_B060_a_correction_and_its_reversal_keep_the_version_that_was_in_force(house: House) -> None:
    """Flush 3:2 on the blind when it was dealt; from then on 1:1. What replaces the old round is settled by the old version."""
    facts = {
        "community": ["2h", "9h", "4h", "Jc", "Qd"],
        "dealer": ["Kc", "Ks"],
        "seats": [{"seat": 1, "cards": ["Ah", "8h"], "ante": 1000, "blind": 1000, "play": 3000, "street": "preflop"}],
    }
    played = deal(house, facts=facts, done={"1": {"blind": {"paid": 1000}}})
    content = {**json.loads(bytes(played.paytable.content)), "version": 2}
    content["odds"] = {**content["odds"], "blind": {**content["odds"]["blind"], "flush": "1:1"}}
    gm, auditor = house.people["GM-1"], house.people["AU-1"]
    version = publish_paytable(content, proposed_by=gm, approved_by=auditor, approval="TEST-2")
    put_in_force(house.tables["UTH-01"], version, from_at=house.tick(), by=gm, approved_by=auditor)
    assert deal(house, facts=facts).wagers.get(kind="blind").pay == 1000
    made = correct(house, played, done={})
    assert (made.paytable, made.wagers.get(kind="blind").pay) == (played.paytable, 1500)
    change = void(house, made, by="FS-1", approver="PB-1")
    assert look_at_change(change) == []
    assert change.made is None


def test_a_replay_is_of_the_rounds_that_stand(house: House) -> None:
    played = deal(house)
    deal(house)
    end_night(house)
    first = ask_replay(house.shift, by=house.people["AU-1"])
    void(house, played, "PB-1", "AU-1")
    assert ask_replay(house.shift, by=house.people["AU-1"]).key != first.key
    assert house.sessions["UTH-01"].rounds.filter(standing()).count() == 1


def test_a_proposal_changes_nothing_yet(house: House) -> None:
    played = deal(house, done=OVERPAID)
    propose_mended(house, played, done={})
    moved = movements_of_shift(house.shift)[house.sessions["UTH-01"].pk]
    assert (moved.rounds, moved.payout_variance) == (1, -500)
