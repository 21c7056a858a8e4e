"""Statistics of recorded nights: moments kept once, runs with rule, threshold and value, flags that say what they are; a dealer's profile."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.binomial import rate
from audit.dealer_profile import dealer_profile
from audit.looking import look
from audit.models import Finding, FindingEvent, SessionMoments, ShiftReconciliation, StatisticResult, StatisticRun
from audit.moments import keep_moments
from audit.services import audit_payouts, reconcile_shift
from casino.money import Minor
from tables.models import Dealer, Round
from tables.services import chips
from tests.audit.signing import run_jobs
from tests.builders import DAY, UTH_ROUND, House, end_night, play

pytestmark = pytest.mark.django_db

CORRECTED = {"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": "taken back"}


def put_together(house: House) -> ShiftReconciliation:
    end_night(house)
    audit_payouts(house.shift)
    return reconcile_shift(house.shift)


@pytest.fixture
def night(house: House) -> ShiftReconciliation:
    """Two rounds of D-1187 and one of D-1042 at UTH-01, one irregular round, one pot."""
    play(house)
    play(house, done={"1": {"play": {"paid": 4_500}}})
    play(house, dealer="D-1042", mispaid=[CORRECTED])
    odd = {"1": {"ante": {"collected": 0, "paid": 0}, "blind": {"collected": 0, "paid": 0}, "play": {"collected": 0, "paid": 0}}}
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 500, "play": 4000, "street": "preflop"}
    facts = {"community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"], "seats": [seat]}
    play(house, facts=facts, irregular={"reason": "blind short"}, done=odd)
    play(house, "PAY-01")
    return put_together(house)


def test_moments_are_of_the_wagers_that_were_made(house: House, night: ShiftReconciliation) -> None:
    rows = {(row.session.table.code, row.dealer.code): row for row in keep_moments(night)}
    own = rows["UTH-01", "D-1187"]
    assert (own.rounds, own.left_out, own.taken_out) == (2, 1, 0)
    assert own.win == sum(r.collected - r.paid for r in house.sessions["UTH-01"].rounds.filter(dealer__code="D-1187", irregular=""))
    # two seats' antes of 1,000 and trips of 500, twice, by the edges with payouts cut at ten to one
    assert float(own.expected) == pytest.approx(2 * (2_000 * 0.0474920 + 500 * 0.0623020), abs=0.01)
    assert (rows["PAY-01", "D-1187"].rounds, rows["PAY-01", "D-1187"].left_out) == (0, 1)
    assert len(keep_moments(night)) == SessionMoments.objects.count() == 3


def test_a_run_is_kept_once_with_rule_threshold_and_value(house: House, night: ShiftReconciliation) -> None:
    keep_moments(night)
    run = look(house.property, DAY)
    assert (run.correction, run.left_out) == ("holm", 2)
    assert look(house.property, DAY) == run
    assert StatisticRun.objects.count() == 1
    wins = run.results.filter(rule="win", span="day")
    assert {(one.scope, one.subject) for one in wins} == {
        ("table", "UTH-01"), ("game", "uth"), ("dealer", "D-1187"), ("dealer", "D-1042"), ("shift", "swing"), ("house", "CASINO"),
    }  # fmt: skip
    table = wins.get(scope="table")
    assert (table.rounds, table.p, table.flagged, table.threshold) == (3, None, False, 10_000)
    assert table.low < table.expected < table.high
    errors = run.results.get(rule="errors", subject="D-1187", span="30d")
    own = rate(1, 4)
    assert (errors.rounds, errors.value, errors.low, errors.high) == (4, 250_000, round(own.low * 1e6), round(own.high * 1e6))
    assert {one.span for one in run.results.filter(rule="win")} == {"day", "7d", "30d", "mtd", "ytd"}


def test_days_add_up_over_spans(house: House, night: ShiftReconciliation) -> None:
    keep_moments(night)
    later = look(house.property, DAY.replace(day=DAY.day + 6))
    assert {one.span for one in later.results.filter(rule="win")} == {"7d", "30d", "mtd", "ytd"}
    assert not look(house.property, DAY.replace(month=DAY.month + 1, day=20)).results.filter(rule="win").exclude(span="ytd").exists()


def flagged(house: House) -> Finding:
    """Forty rounds in which a patron wins what nobody should: the win is far out of its interval."""
    for _ in range(40):
        play(house, facts={**UTH_ROUND, "seats": UTH_ROUND["seats"][:1]})
    keep_moments(put_together(house))
    run = look(house.property, DAY)
    assert run.results.filter(flagged=True, rule="win").exists()
    assert run.results.filter(flagged=True, rule="win", scope="table").count() > 1
    return Finding.objects.get(flag=True, kind="hold_out_of_range", facts__scope="table", facts__span="day")


def test_what_stands_out_is_a_flag_that_says_it_is_no_proof(house: House) -> None:
    finding = flagged(house)
    assert finding.why.endswith("A reason to look, never proof.")
    assert (finding.severity, finding.flag, finding.due is not None, finding.round) == ("minor", True, True, None)
    assert finding.effect == finding.done - finding.due
    assert {name: finding.facts[name] for name in ("rule", "span", "value", "threshold")} == {
        "rule": "win", "span": "day", "value": finding.done, "threshold": 10_000,
    }  # fmt: skip
    assert finding.facts["adjusted"] < finding.facts["threshold"]
    assert [event.state for event in finding.events.all()] == ["open"]


def test_a_hold_out_of_range_says_the_hold_in_percent_with_its_interval(house: House) -> None:
    """Of the drop, where a box was counted; of the handle for a dealer, who has none."""
    chips.buy_in(house.sessions["UTH-01"], Minor(300_000), at=house.tick(), by=house.people["FS-1"], patron="P-1")
    finding = flagged(house)
    hold = finding.facts["hold"]
    assert (hold["of"], hold["base"], hold["value_ppm"]) == ("drop", 300_000, round(finding.done / 300_000 * 1_000_000))
    assert hold["low_ppm"] == round(finding.facts["low"] / 300_000 * 1_000_000)
    assert hold["low_ppm"] < hold["expected_ppm"] < hold["high_ppm"]
    assert not hold["low_ppm"] <= hold["value_ppm"] <= hold["high_ppm"]
    value = f"{abs(finding.done) / 3_000:.2f}"
    assert f"Hold −{value} % of the drop" in finding.why
    dealer = Finding.objects.get(flag=True, kind="hold_out_of_range", facts__scope="dealer")
    handle = sum(Round.objects.filter(dealer=dealer.dealer).values_list("handle", flat=True))
    assert (dealer.facts["hold"]["of"], dealer.facts["hold"]["base"]) == ("handle", handle)


def test_without_a_drop_there_is_no_hold(house: House) -> None:
    finding = flagged(house)
    assert ("hold" in finding.facts, "Hold" in finding.why) == (False, False)


def test_a_flag_that_is_open_is_not_raised_again_the_next_day(house: House) -> None:
    flagged(house)
    before = Finding.objects.filter(flag=True).count()
    look(house.property, DAY.replace(day=DAY.day + 1))
    assert Finding.objects.filter(flag=True).count() == before
    assert FindingEvent.objects.filter(finding__flag=True).count() == before


def test_pace_is_of_the_time_in_which_was_dealt(house: House) -> None:
    for _ in range(35):
        play(house)
    house.tick(4 * 3600)
    play(house)
    keep_moments(put_together(house))
    run = look(house.property, DAY)
    pace = run.results.get(rule="pace", scope="table", subject="UTH-01")
    assert (pace.rounds, pace.value, pace.low, pace.high, pace.flagged) == (34, 6_000, 1_500, 7_500, False)


def test_a_profile_is_fair(house: House, night: ShiftReconciliation) -> None:
    found = dealer_profile(Dealer.objects.get(code="D-1042"), last=DAY)
    assert (found.own.events, found.own.trials, found.others.events, found.others.trials) == (1, 1, 1, 4)
    [kind] = found.kinds
    assert (kind.kind, kind.count, kind.corrected, kind.effect) == ("overpaid", 1, 1, 0)
    assert found.overlaps
    assert (found.own.low, found.own.high) == (pytest.approx(0.025), 1.0)


def test_the_jobs_do_it_by_themselves(house: House) -> None:
    play(house)
    end_night(house)
    run_jobs("close_shift", "reconcile_shift", "shift_statistics")
    assert StatisticRun.objects.get().gaming_day == DAY
    assert StatisticResult.objects.filter(rule="win").exists()
    assert Fraction(SessionMoments.objects.get(session__table__code="UTH-01").expected) > 0
