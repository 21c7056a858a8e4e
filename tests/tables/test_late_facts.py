"""After the close others propose and approve; after the seal a fact is late: posted tonight over the variance account, never the tray."""

from __future__ import annotations

from datetime import time, timedelta
from uuid import uuid4

import pytest

from audit.board import board_for
from audit.reports.shift import build
from audit.selectors import movements_of_shift
from audit.services import reconcile_shift
from casino.errors import Conflict, InvalidSlip, Refused
from ledger.models import Entry, Transfer
from ledger.selectors import round_entry
from tables.models import Round, Shift
from tables.services import floor
from tables.services.correction_decisions import approve_proposal, withdraw_proposal
from tables.services.corrections import propose_late_round
from tables.slips import CountSlip
from tests.builders import BANKROLL, House, drop, end_night, open_table, slip
from tests.corrections import correct, deal, held, propose, propose_mended, seal, void
from tests.tables.test_corrections import refused

pytestmark = pytest.mark.django_db


def next_shift(house: House) -> Shift:
    """Return the grave shift, open, with UTH-01 open in it."""
    house.clock = max(house.clock, house.shift.ends_at)
    shift = floor.open_shift(house.property, house.shift.gaming_day, "grave", starts=time(4), ends=time(6), at=house.tick(), by=house.people["SM-1"])
    open_table(shift, house.tables["UTH-01"], house.people, BANKROLL, at=house.tick())
    return Shift.objects.select_related("property").get(pk=shift.pk)


@pytest.fixture
def sealed(house: House) -> House:
    """Return a house whose swing shift is sealed with two rounds in it, and whose grave shift is open."""
    deal(house, done={"1": {"ante": {"paid": 1500}}})
    deal(house, "PAY-01")
    end_night(house)
    seal(house.shift)
    house.grave = next_shift(house)  # type: ignore[attr-defined]
    return house


# ---- after the close ----


def test_after_the_close_a_pit_boss_proposes_and_an_auditor_approves(house: House) -> None:
    played = deal(house)
    end_night(house)
    refused(Refused, "not_allowed", propose, house, played, "FS-1")
    proposal = propose(house, played, "PB-1")
    refused(Refused, "not_allowed", approve_proposal, proposal, by=house.people["SM-1"], at=house.tick())
    change = approve_proposal(proposal, by=house.people["AU-1"], at=house.tick())
    assert (change.late, change.posted_in) == (False, house.shift)
    assert Entry.objects.get(reverses=round_entry(played.uuid)).shift == house.shift.uuid


def test_what_was_proposed_is_decided_before_the_close(house: House) -> None:
    proposal = propose(house, deal(house), "FS-1")
    with pytest.raises(Conflict, match="was proposed, and waits") as error:
        end_night(house)
    assert error.value.code == "blocked"
    withdraw_proposal(proposal, by=house.people["FS-1"], at=house.tick())
    end_night(house)


def test_a_closed_table_is_corrected_by_the_auditor_while_its_shift_goes_on(house: House) -> None:
    played = deal(house)
    by, witness = house.people["PB-1"], house.people["SM-1"]
    floor.close_session(house.sessions["UTH-01"], CountSlip(BANKROLL), at=house.tick(), by=by, witness=witness)
    refused(Refused, "not_allowed", propose, house, played, "FS-1")
    assert correct(house, played, by="PB-1", approver="AU-1", done={"1": {"ante": {"paid": 1500}}}).house_net == -3_000


def test_the_reconciliation_is_put_together_anew(house: House) -> None:
    played = deal(house)
    end_night(house)
    first = reconcile_shift(house.shift)
    void(house, played, "PB-1", "AU-1")
    second = reconcile_shift(house.shift)
    line, was = (kept.lines.get(session__table__code="UTH-01") for kept in (second, first))
    assert (was.rounds, was.win_by_play, was.tray_variance) == (1, -2_500, 0)
    assert (line.rounds, line.handle, line.win_by_play, line.tray_variance, line.book_variance) == (0, 0, 0, -2_500, 0)
    assert line.theoretical_win in (None, 0)


def test_a_round_that_was_never_entered_is_added_after_the_close(house: House) -> None:
    session = house.sessions["UTH-01"]
    raw = slip(house)
    more = {"reason": "not_entered", "by": house.people["PB-1"]}
    refused(Conflict, "session_open", propose_late_round, session, raw, at=house.tick(), **{**more, "by": house.people["FS-1"]})
    end_night(house)
    proposal = propose_late_round(session, raw, at=house.tick(), **more)
    made = approve_proposal(proposal, by=house.people["AU-1"], at=house.tick()).made
    assert (made.late, str(made.uuid), proposal.effect) == (False, raw["uuid"], -2_500)
    assert movements_of_shift(house.shift)[session.pk].book_win == -2_500


# ---- after the seal ----


def tonight(house: House) -> tuple:
    """Return what is known of tonight's tray: expected, win, rounds, handle."""
    board = board_for(house.people["SV-1"], at=house.clock, shift=house.grave)  # type: ignore[attr-defined]
    tile = next(tile for tile in board.tiles if tile.table.code == "UTH-01")
    return tile.expected, tile.win, tile.rounds, tile.handle


def test_a_late_correction_moves_no_chip_tonight(sealed: House) -> None:
    house, grave = sealed, sealed.grave  # type: ignore[attr-defined]
    played = Round.objects.get(session__table__code="UTH-01")
    frozen, before = movements_of_shift(house.shift), tonight(house)
    tray, patrons = held(house, "tray:UTH-01"), held(house, "patrons:chips")
    made = correct(house, played, by="PB-1", approver="AU-1", done={})
    assert (made.late, made.session, made.gaming_day, made.number) == (True, played.session, played.gaming_day, 2)
    late = list(Entry.objects.filter(late=True).order_by("id"))
    assert [(e.kind, e.shift, e.session, e.occurred_at) for e in late] == [
        ("reversal", grave.uuid, played.session.uuid, played.occurred_at),
        ("round", grave.uuid, played.session.uuid, played.occurred_at),
    ]
    moved = {(t.credit_account.code, t.debit_account.code) for t in Transfer.objects.filter(entry__in=late)}
    assert moved == {("patrons:chips", "variance:tray:UTH-01"), ("variance:tray:UTH-01", "patrons:chips")}
    assert (held(house, "tray:UTH-01"), held(house, "patrons:chips") - patrons, held(house, "variance:tray:UTH-01")) == (tray, -500, 500)
    assert tonight(house) == before
    assert movements_of_shift(house.shift) == frozen


def test_late_corrections_are_corrected_late_as_well(sealed: House) -> None:
    house = sealed
    played = Round.objects.get(session__table__code="UTH-01")
    made = correct(house, played, by="PB-1", approver="AU-1", done={})
    house.people["AU-2"] = _second_auditor(house)
    proposal = propose(house, made, "SM-1")
    refused(Refused, "own_approval", approve_proposal, proposal, by=house.people["AU-1"], at=house.tick())
    change = approve_proposal(proposal, by=house.people["AU-2"], at=house.tick())
    assert (change.late, held(house, "variance:tray:UTH-01"), held(house, "tray:UTH-01")) == (True, 3_000, 510_000 - 3_000)


def _second_auditor(house: House):
    from casino import people

    second = people.hire("AU-2", "Second auditor", None, by=house.people["AD-1"])
    people.grant_role(second, "auditor", by=house.people["AD-1"])
    people.review_role(second, "auditor", by=house.people["AU-1"])
    return second


def test_a_late_void_of_a_pot_leaves_the_pot_and_the_tray_alone(sealed: House) -> None:
    house = sealed
    played = Round.objects.get(session__table__code="PAY-01")
    tray = held(house, "tray:PAY-01")
    void(house, played, "SM-1", "AU-1")
    assert (held(house, "tray:PAY-01"), held(house, "pot:PAY-01"), held(house, "variance:tray:PAY-01")) == (tray, 0, 0)


def test_a_late_round_is_of_its_session_and_of_tonights_books(sealed: House) -> None:
    house = sealed
    session = house.sessions["UTH-01"]
    raw = slip(house, occurred_at=(house.shift.starts_at + timedelta(minutes=1)).isoformat())
    proposal = propose_late_round(session, raw, reason="not_entered", by=house.people["PB-1"], at=house.tick())
    before = tonight(house)
    change = approve_proposal(proposal, by=house.people["AU-1"], at=house.tick())
    assert (change.made.late, change.made.session, change.late, change.posted_in) == (True, session, True, house.grave)  # type: ignore[attr-defined]
    assert (tonight(house), held(house, "variance:tray:UTH-01")) == (before, -2_500)
    outside = slip(house, occurred_at=house.clock.isoformat())
    refused(InvalidSlip, "bad_time", propose_late_round, session, outside, reason="not_entered", by=house.people["PB-1"], at=house.tick())


def test_without_an_open_shift_nothing_late_is_posted(house: House) -> None:
    played = deal(house)
    end_night(house)
    seal(house.shift)
    proposal = propose(house, played, "PB-1")
    refused(Conflict, "no_open_shift", approve_proposal, proposal, by=house.people["AU-1"], at=house.tick())
    next_shift(house)
    assert approve_proposal(proposal, by=house.people["AU-1"], at=house.tick()).late


def test_the_reports_show_it_beside_the_frozen_figures(sealed: House) -> None:
    house, grave = sealed, sealed.grave  # type: ignore[attr-defined]
    kept = reconcile_shift(house.shift)
    frozen = build(house.shift).sections[0]
    played = Round.objects.get(session__table__code="UTH-01")
    correct(house, played, by="PB-1", approver="AU-1", done={})
    assert reconcile_shift(house.shift) == kept
    report = build(house.shift)
    sections = {section.key: list(section.rows) for section in report.sections}
    assert report.sections[0] == frozen
    assert (len(sections["changes"]), len(sections["late"]), "taken_in" in sections) == (0, 1, False)
    [line] = sections["late"]
    assert (line.values[0], line.values[1], line.values[3:5], line.values[-3:]) == ("correction", "late", (1, 2), (-3_000, -2_500, 500))
    session = grave.sessions.get()
    by, witness = house.people["PB-1"], house.people["SM-1"]
    floor.close_session(session, CountSlip(BANKROLL), at=house.tick(), by=by, witness=witness)
    drop(session, house, CountSlip({1: 0}))
    floor.end_shift(grave, at=house.tick(), by=house.people["SM-1"])
    reconcile_shift(grave)
    assert "taken_in" in [section.key for section in build(grave).sections]


def test_a_late_correction_again_is_proposed_once(sealed: House) -> None:
    house = sealed
    played = Round.objects.get(session__table__code="UTH-01")
    proposal = propose_mended(house, played, by="PB-1", done={}, uuid=str(uuid4()))
    change = approve_proposal(proposal, by=house.people["AU-1"], at=house.tick())
    assert approve_proposal(proposal, by=house.people["AU-1"], at=house.tick()) == change
    assert Entry.objects.filter(late=True).count() == 2
