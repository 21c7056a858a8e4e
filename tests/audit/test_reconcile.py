"""Counted against expected: the worked example of design/house.md, the identity, and each gap in its own box."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit.tasks  # noqa: F401 - the handlers of jobs
from audit.models import Finding, SessionReconciliation, ShiftReconciliation
from audit.reconcile import Movements, reconcile
from audit.services import reconcile_shift
from casino import jobs
from casino.errors import Conflict
from casino.models import Job
from casino.money import Minor
from ledger.models import Entry
from ledger.services import reverse_entry
from tables.models import ChipMovement
from tables.selectors import SlipGap, slip_gaps, unused_slips
from tables.services import chips
from tables.slips import CountSlip
from tests.builders import House, chip_credit, drop, end_night, fill, play
from tests.casino.test_jobs import resident


def test_the_worked_example() -> None:
    moved = Movements(fills=100_000, chip_credits=40_000, buy_ins=230_000, book_win=28_500, collected=180_000, paid=151_500)
    draft = reconcile(Minor(500_000), moved, Minor(358_500), Minor(230_000))
    assert (draft.expected_closer, draft.win_by_play, draft.win_by_count) == (358_500, 28_500, 28_500)
    assert (draft.tray_variance, draft.drop_variance, draft.book_variance) == (0, 0, 0)


amounts = st.integers(0, 10**12)


@given(amounts, amounts, amounts, amounts, amounts, amounts, amounts, amounts, st.integers(-(10**9), 10**9))
def test_the_identity_holds_to_the_unit(
    opener: int, closer: int, drop: int, fills: int, credits: int, buys: int, collected: int, paid: int, wrong: int
) -> None:
    moved = Movements(fills=fills, chip_credits=credits, buy_ins=buys, book_win=collected - paid + wrong, collected=collected, paid=paid)
    draft = reconcile(Minor(opener), moved, Minor(closer), Minor(drop))
    assert draft.adds_up
    assert draft.win_by_count - draft.win_by_play == draft.tray_variance + draft.drop_variance - draft.book_variance


def night(house: House) -> None:
    """Play a short night with a buy-in, a fill and a chip credit."""
    uth, people = house.sessions["UTH-01"], house.people
    chips.buy_in(uth, Minor(30_000), at=house.tick(), by=people["FS-1"], patron="P-1")
    chips.buy_in(house.sessions["PAY-01"], Minor(10_000), at=house.tick(), by=people["FS-1"])
    fill(uth, CountSlip({2500: 8}), at=house.tick(), requested_by=people["FS-1"], issued_by=people["CG-1"], received_by=people["PB-1"])
    chip_credit(uth, CountSlip({500: 10}), at=house.tick(), requested_by=people["FS-1"], sent_by=people["PB-1"], received_by=people["CG-1"])
    play(house)
    play(house, done={"1": {"ante": {"paid": 1200}}})
    play(house, "PAY-01")
    play(house, "UTH-02")


def line(house: House, table: str) -> SessionReconciliation:
    return SessionReconciliation.objects.get(session=house.sessions[table], reconciliation__sequence=1)


def test_a_night_is_put_together(house: House) -> None:
    night(house)
    end_night(house)
    kept = reconcile_shift(house.shift)
    assert (kept.sequence, kept.grade, kept.lines.count()) == (1, "counted", 3)
    uth = line(house, "UTH-01")
    assert (uth.rounds, uth.handle, uth.collected, uth.paid) == (2, 17_000, 5_000, 10_200)
    assert (uth.opener, uth.fills, uth.chip_credits, uth.buy_ins, uth.drop) == (510_000, 20_000, 5_000, 30_000, 30_000)
    assert uth.expected_closer == 510_000 + 20_000 - 5_000 - 30_000 + 5_000 - 10_200 == uth.closer
    assert (uth.win_by_play, uth.win_by_count, uth.payout_variance) == (-5_200, -5_200, -200)
    assert (uth.tray_variance, uth.drop_variance, uth.book_variance) == (0, 0, 0)
    # the seed's edges: 2.18497 % of the antes, 1.90405 % of trips
    assert uth.theoretical_win == 106
    pay = line(house, "PAY-01")
    assert (pay.win_by_play, pay.win_by_count, pay.theoretical_win) == (0, 0, None)
    assert Finding.objects.count() == 0


def test_a_wrong_count_is_in_its_own_box(house: House) -> None:
    night(house)
    end_night(house, closers={"UTH-01": -5_000}, drops={"PAY-01": 10_000})
    reconcile_shift(house.shift)
    uth, pay = line(house, "UTH-01"), line(house, "PAY-01")
    assert (uth.tray_variance, uth.drop_variance, uth.win_by_count - uth.win_by_play) == (-5_000, 0, -5_000)
    assert (pay.tray_variance, pay.drop_variance, pay.win_by_count - pay.win_by_play) == (0, 10_000, 10_000)
    found = sorted(Finding.objects.values_list("kind", "session__table__code", "wager", "effect"))
    assert found == [("count_variance", "PAY-01", "drop", 10_000), ("count_variance", "UTH-01", "tray", -5_000)]


def test_a_missing_round_shows_in_the_tray_not_in_play(house: House) -> None:
    """A round that was dealt and never entered: its chips are in the tray, its win is not in the rounds."""
    night(house)
    end_night(house, closers={"UTH-02": 2_500})
    reconcile_shift(house.shift)
    uth = line(house, "UTH-02")
    assert (uth.tray_variance, uth.payout_variance, uth.book_variance) == (2_500, 0, 0)


def test_a_mispaid_wager_is_no_gap_of_the_count(house: House) -> None:
    play(house, done={"1": {"ante": {"paid": 3_000}}})
    end_night(house)
    reconcile_shift(house.shift)
    uth = line(house, "UTH-01")
    assert (uth.tray_variance, uth.payout_variance) == (0, -2_000)


def test_a_wrong_posting_is_in_the_books_box_alone(house: House) -> None:
    """Somebody with the right to post reverses a round's entry: rounds and counts agree, and the books do not."""
    played = play(house)
    play(house, "UTH-02")
    entry = Entry.objects.get(round=played.uuid)
    reverse_entry(entry, occurred_at=house.tick(), reason="misposted", by=house.people["PB-1"], witness=house.people["SM-1"])
    end_night(house, closers={"UTH-01": played.collected - played.paid})
    reconcile_shift(house.shift)
    uth = line(house, "UTH-01")
    assert (uth.win_by_play, uth.book_variance, uth.payout_variance, uth.drop_variance) == (-2_500, -2_500, 0, 0)
    assert uth.tray_variance == -2_500
    assert uth.win_by_count - uth.win_by_play == uth.tray_variance + uth.drop_variance - uth.book_variance == 0
    other = line(house, "UTH-02")
    assert (other.tray_variance, other.drop_variance, other.book_variance) == (0, 0, 0)
    found = sorted(Finding.objects.values_list("kind", "severity", "session__table__code", "wager", "effect"))
    assert found == [("book_variance", "major", "UTH-01", "rounds", -2_500), ("count_variance", "minor", "UTH-01", "tray", -2_500)]


def test_an_opener_that_is_not_the_last_closer_is_a_finding(house: House) -> None:
    from tables.services.floor import close_session
    from tests.builders import open_table

    session = house.sessions["UTH-02"]
    close_session(session, CountSlip({1: 510_000}), at=house.tick(), by=house.people["PB-2"], witness=house.people["SM-1"])
    drop(session, house, CountSlip({}))
    house.sessions["again"] = open_table(house.shift, house.tables["UTH-02"], house.people, opener={1: 509_900})
    house.tables["again"] = house.tables["UTH-02"]
    end_night(house)
    reconcile_shift(house.shift)
    [finding] = Finding.objects.filter(kind="count_variance", wager="opener")
    assert (finding.session, finding.effect, finding.due, finding.done) == (house.sessions["again"], -100, 510_000, 509_900)


def test_reconciling_again_adds_nothing(house: House) -> None:
    night(house)
    end_night(house, closers={"UTH-01": -100})
    first = reconcile_shift(house.shift)
    again = reconcile_shift(house.shift)
    assert (again.pk, ShiftReconciliation.objects.count(), Finding.objects.count()) == (first.pk, 1, 1)


def test_a_running_shift_is_not_reconciled(house: House) -> None:
    play(house)
    with pytest.raises(Conflict) as error:
        reconcile_shift(house.shift)
    assert error.value.code == "shift_open"
    assert ShiftReconciliation.objects.count() == 0


def test_slips_have_numbers_without_gaps(house: House) -> None:
    uth, people = house.sessions["UTH-01"], house.people
    who = {"requested_by": people["FS-1"], "issued_by": people["CG-1"], "received_by": people["PB-1"]}
    for _ in range(2):
        fill(uth, CountSlip({500: 1}), at=house.tick(), **who)
    with pytest.raises(Exception, match="three people"):
        fill(uth, CountSlip({500: 1}), at=house.tick(), **{**who, "received_by": people["FS-1"]})
    fill(uth, CountSlip({500: 1}), at=house.tick(), **who)
    assert list(ChipMovement.objects.filter(kind="fill").order_by("number").values_list("number", flat=True)) == [1, 2, 4]
    assert slip_gaps(house.property) == []
    assert unused_slips(house.property) == [SlipGap("fill", 3, "issued")]


def test_the_same_buy_in_twice_is_one(house: House) -> None:
    uth = house.sessions["UTH-01"]
    for _ in range(2):
        chips.buy_in(uth, Minor(10_000), at=house.clock, by=house.people["FS-1"], uuid=UUID(int=7))
    with pytest.raises(Conflict):
        chips.buy_in(uth, Minor(20_000), at=house.clock, by=house.people["FS-1"], uuid=UUID(int=7))
    assert ChipMovement.objects.filter(kind="buy_in").count() == 1


@pytest.mark.slow
@pytest.mark.long
def test_b120_two_thousand_reconciliations_leave_the_worker_as_small_as_it_was(house: House) -> None:
    """Jobs of a real night, one after another in one process, beside the ten thousand empty ones of tests/casino/test_jobs.py.

    After the first four hundred it does not grow, and no figure is kept twice.
    """
    night(house)
    end_night(house)
    args = {"shift": str(house.shift.uuid)}
    Job.objects.bulk_create(Job(kind="reconcile_shift", key=f"many:{number}", args=args) for number in range(2_000))
    sizes = []
    for done, key in enumerate(Job.objects.filter(key__startswith="many:").order_by("pk").values_list("pk", flat=True), start=1):
        assert jobs.run(key)
        if done % 400 == 0:
            sizes.append(resident())
    assert house.shift.reconciliations.count() == 1
    assert sizes[-1] - sizes[0] < 8 * 2**20, sizes
