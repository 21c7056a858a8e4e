"""A round that went wrong: voided, corrected, a hand of it dead; who may, what moves, and what stays."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from casino import people
from casino.errors import CasinoError, Conflict, InvalidSlip, Refused
from ledger.models import Entry
from ledger.selectors import round_entry
from tables.models import Round, RoundChange, RoundProposal, RoundProposalEvent
from tables.services.correction_decisions import approve_proposal, reject_proposal, withdraw_proposal
from tables.services.corrections import propose_correction, propose_dead_hand, propose_void
from tests.builders import House, slip
from tests.corrections import correct, deal, held, mended, propose, propose_mended, void

pytestmark = pytest.mark.django_db


def refused(error: type[CasinoError], code: str, what: object, *args: object, **kwargs: object) -> CasinoError:
    """Return the refusal of `what`, of which nothing is done."""
    before = (Round.objects.count(), Entry.objects.count(), RoundProposal.objects.count(), RoundProposalEvent.objects.count())
    with pytest.raises(error) as caught:
        what(*args, **kwargs)  # type: ignore[operator]
    assert caught.value.code == code
    assert (Round.objects.count(), Entry.objects.count(), RoundProposal.objects.count(), RoundProposalEvent.objects.count()) == before
    return caught.value


# ---- voids ----


def test_a_void_returns_every_stake_and_the_record_stays(house: House) -> None:
    tray, patrons = held(house, "tray:UTH-01"), held(house, "patrons:chips")
    played = deal(house)
    change = void(house, played)
    assert (held(house, "tray:UTH-01"), held(house, "patrons:chips")) == (tray, patrons)
    assert (change.round, change.made, change.late, change.posted_in) == (played, None, False, house.shift)
    back = Entry.objects.get(reverses=round_entry(played.uuid))
    assert (back.reference, back.recorded_by.username, back.witness.username) == (f"void:{played.uuid}", "FS-2", "SM-1")
    assert back.memo == "void: misdeal"
    assert Round.objects.get(pk=played.pk).handle == 8_500


def test_a_void_says_whether_the_chips_went_back(house: House) -> None:
    played = deal(house)
    more = {"uuid": uuid4(), "reason": "misdeal", "by": house.people["FS-1"], "at": house.tick()}
    assert refused(InvalidSlip, "missing_field", propose_void, played, chips_returned=None, **more).where == "chips_returned"
    kept = refused(Refused, "chips_kept", propose_void, played, chips_returned=False, **more)
    assert (kept.where, kept.facts["instead"]) == ("chips_returned", "correct")


def test_a_round_that_moved_nothing_is_voided_by_nothing(house: House) -> None:
    facts = {"community": ["2h", "9s", "4d", "Jc", "Qh"], "dealer": ["2c", "7d"]}
    tied = [{"seat": 1, "cards": ["2s", "7c"], "ante": 1000, "blind": 1000, "play": 1000, "street": "river"}]
    played = deal(house, facts={**facts, "seats": tied})
    assert (played.collected, played.paid) == (0, 0)
    void(house, played)
    assert [entry.transfer_count for entry in Entry.objects.filter(round=played.uuid).order_by("id")] == [0, 0]


# ---- corrections ----


def test_a_correction_is_a_reversal_and_a_round_in_its_place(house: House) -> None:
    tray = held(house, "tray:UTH-01")
    played = deal(house, done={"1": {"ante": {"paid": 1500}}}, patrons={"1": "P-20931"})
    made = correct(house, played, done={})
    assert (made.replaces, made.number, made.label, made.recorded_by.username) == (played, 2, played.label, "FS-2")
    assert (played.house_net, made.house_net, made.payout_variance) == (-3_000, -2_500, 0)
    assert held(house, "tray:UTH-01") == tray - 2_500
    assert (made.wagers.filter(seat=1).first().patron, made.paytable) == ("P-20931", played.paytable)
    entry = round_entry(made.uuid)
    assert (entry.witness.username, entry.memo) == ("SM-1", "correction: payment entered wrong")
    assert RoundChange.objects.get(round=played).made == made


def test_chains_of_corrections_end_in_the_last_one(house: House) -> None:
    tray = held(house, "tray:UTH-01")
    first = deal(house)
    second = correct(house, first, done={"1": {"ante": {"paid": 1500}}})
    third = correct(house, second, by="FS-1", approver="PB-1", done={"1": {"ante": {"paid": 2000}}})
    assert (held(house, "tray:UTH-01") - tray, third.house_net) == (third.house_net, -3_500)
    void(house, third, by="FS-1")
    assert held(house, "tray:UTH-01") == tray
    assert refused(Conflict, "not_standing", propose, house, second).facts["round"] == str(third.uuid)
    assert "voided" in refused(Conflict, "not_standing", propose_mended, house, third).message


def test_B041_a_reversal_is_the_exact_negative_where_rounding_was_involved(house: House) -> None:
    """Flush 3:2 on 501 is 751.5, paid 751 with a breakage of a half; the reversal moves 751 back."""
    facts = {
        "community": ["2h", "9h", "4h", "Jc", "Qd"],
        "dealer": ["Kc", "Ks"],
        "seats": [{"seat": 1, "cards": ["Ah", "8h"], "ante": 501, "blind": 501, "play": 1503, "street": "preflop"}],
    }
    tray = held(house, "tray:UTH-01")
    played = deal(house, facts=facts)
    assert played.paid == 501 + 751 + 1503
    assert played.wagers.get(kind="blind").breakage == "1/2"
    entry = round_entry(played.uuid)
    void(house, played)
    moved = [(t.debit_account.code, t.credit_account.code, t.amount) for t in entry.transfers.all()]
    back = [(t.credit_account.code, t.debit_account.code, t.amount) for t in entry.reversed_by.transfers.all()]
    assert moved == back == [("patrons:chips", "tray:UTH-01", 2755)]
    assert held(house, "tray:UTH-01") == tray


@pytest.mark.parametrize("how", ["void", "correct", "dead hand"])
def test_the_pot_is_zero_after_whatever_became_of_a_round(house: House, how: str) -> None:
    tray = held(house, "tray:PAY-01")
    played = deal(house, "PAY-01")
    if how == "void":
        void(house, played)
        assert held(house, "tray:PAY-01") == tray
    elif how == "correct":
        made = correct(house, played, done={"1": {"pot": {"paid": 1200}}})
        assert (made.house_net, held(house, "tray:PAY-01") - tray) == (100, 100)
    else:
        proposal = propose_dead_hand(played, 2, uuid=uuid4(), reason="fouled_hand", by=house.people["FS-2"], at=house.tick())
        made = approve_proposal(proposal, by=house.people["SM-1"], at=house.tick()).made
        assert [(w.seat, w.paid) for w in made.wagers.filter(kind="pot", paid__gt=0)] == [(1, 1300)]
    assert held(house, "pot:PAY-01") == 0


def test_a_rake_goes_back_as_well(house: House) -> None:
    """What was not paid out went to the tray; a void brings it back."""
    tray = held(house, "tray:PAY-01")
    played = deal(house, "PAY-01", done={"2": {"pot": {"paid": 0}}, "1": {"pot": {"paid": 0}}})
    assert held(house, "tray:PAY-01") == tray + 1300
    void(house, played)
    assert (held(house, "tray:PAY-01"), held(house, "pot:PAY-01")) == (tray, 0)


# ---- dead hands ----


def test_a_dead_hand_takes_one_seat_out_and_leaves_the_others(house: House) -> None:
    played = deal(house, done={"2": {"ante": {"collected": 500}}})
    proposal = propose_dead_hand(played, 1, uuid=uuid4(), reason="exposed_card", by=house.people["FS-2"], at=house.tick())
    made = approve_proposal(proposal, by=house.people["SM-1"], at=house.tick()).made
    assert {(w.seat, w.kind): w.collected for w in made.wagers.all()} == {(2, "ante"): 500, (2, "blind"): 1000}
    assert (proposal.kind, proposal.seat, made.handle) == ("dead_hand", 1, 2_000)


def test_the_only_hand_is_not_dead_the_round_is_void(house: House) -> None:
    facts = {"community": ["2h", "9s", "9d", "Jc", "Qh"], "dealer": ["Kc", "7d"]}
    seats = [{"seat": 3, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "play": 4000, "street": "preflop"}]
    played = deal(house, facts={**facts, "seats": seats})
    more = {"uuid": uuid4(), "reason": "fouled_hand", "by": house.people["FS-2"], "at": house.tick()}
    refused(InvalidSlip, "void_instead", propose_dead_hand, played, 3, **more)
    refused(InvalidSlip, "bad_seat", propose_dead_hand, played, 4, **more)


# ---- who ----


@pytest.mark.parametrize("by", ["PB-1", "SM-1", "AU-1", "CG-1", "SV-1", "GM-1", "AD-1"])
def test_in_the_open_shift_a_floor_supervisor_proposes(house: House, by: str) -> None:
    played = deal(house)
    refused(Refused, "not_allowed", propose, house, played, by)


@pytest.mark.parametrize(("by", "code"), [("FS-2", "not_allowed"), ("PB-2", "not_your_pit"), ("AU-1", "not_allowed"), ("CG-1", "not_allowed")])
def test_in_the_open_shift_those_of_the_pit_approve(house: House, by: str, code: str) -> None:
    proposal = propose(house, deal(house), by="FS-1")
    refused(Refused, code, approve_proposal, proposal, by=house.people[by], at=house.tick())
    assert approve_proposal(proposal, by=house.people["PB-1"], at=house.tick()).by.username == "PB-1"


def test_nobody_approves_what_they_proposed(house: House) -> None:
    """Somebody who may both propose and approve still may not do both."""
    auditor, administrator = house.people["AU-1"], house.people["AD-1"]
    both = people.hire("BO-1", "Both", None, by=administrator)
    for role in ("supervisor", "pit_boss"):
        people.grant_role(both, role, by=administrator, pits=["P1"])
    people.review_role(both, "pit_boss", by=auditor)
    house.people["BO-1"] = both
    proposal = propose(house, deal(house), by="BO-1")
    refused(Refused, "own_approval", approve_proposal, proposal, by=both, at=house.tick())
    refused(Refused, "own_approval", reject_proposal, proposal, by=both, at=house.tick(), note="no")


def test_nobody_approves_what_becomes_of_a_round_that_they_entered_or_are_named_on(house: House) -> None:
    played = deal(house, by="PB-1")
    made = correct(house, played, by="FS-1", approver="SM-1", done={})
    proposal = propose(house, made, by="FS-2")
    assert "entered" in refused(Refused, "own_approval", approve_proposal, proposal, by=house.people["PB-1"], at=house.tick()).message
    assert "approved" in refused(Refused, "own_approval", approve_proposal, proposal, by=house.people["SM-1"], at=house.tick()).message


def test_a_proposal_is_rejected_with_a_reason_or_taken_back_by_its_own(house: House) -> None:
    played = deal(house)
    proposal = propose(house, played)
    assert refused(InvalidSlip, "missing_field", reject_proposal, proposal, by=house.people["PB-1"], at=house.tick(), note=" ").where == "note"
    reject_proposal(proposal, by=house.people["PB-1"], at=house.tick(), note="the chips were counted")
    decided = refused(Conflict, "already_decided", approve_proposal, proposal, by=house.people["SM-1"], at=house.tick())
    assert (decided.facts["by"], decided.facts["state"]) == ("PB-1", "rejected")
    again = propose(house, played)
    refused(Refused, "not_yours", withdraw_proposal, again, by=house.people["FS-1"], at=house.tick())
    assert withdraw_proposal(again, by=house.people["FS-2"], at=house.tick()).state == "withdrawn"
    assert propose(house, played).pk


def test_one_proposal_at_a_time_and_the_other_is_named(house: House) -> None:
    played = deal(house)
    first = propose(house, played)
    error = refused(Conflict, "already_proposed", propose_mended, house, played, by="FS-1")
    assert (error.facts["proposal"], error.facts["kind"]) == (str(first.uuid), "void")


def test_the_same_proposal_again_is_the_same_one_and_another_a_conflict(house: House) -> None:
    played, uuid = deal(house), uuid4()
    first = propose(house, played, uuid=uuid)
    assert propose(house, played, uuid=uuid) == first
    refused(Conflict, "reference_reused", propose, house, played, uuid=uuid, reason="exposed_card")
    change = approve_proposal(first, by=house.people["SM-1"], at=house.tick())
    assert approve_proposal(first, by=house.people["SM-1"], at=house.tick()) == change
    assert propose(house, played, uuid=uuid) == first
    assert Entry.objects.filter(kind="reversal").count() == 1


# ---- what a correction may say ----


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"table": "UTH-02"}, "table"),
        ({"round": {"id": "another"}}, "round.id"),
        ({"replaces": None}, "replaces"),
        ({"dealer": "D-0"}, "dealer"),
        ({"round": {"dealer": ["Kc", "2h"]}}, "round.dealer[1]"),
    ],
)
def test_what_is_wrong_in_a_correction_is_said_at_its_field(house: House, changes: dict, where: str) -> None:
    played = deal(house)
    with pytest.raises(CasinoError) as error:
        propose_mended(house, played, **changes)
    assert error.value.where.partition("[")[0] == where.partition("[")[0]
    assert not RoundProposal.objects.exists()


def test_a_round_was_dealt_within_its_session(house: House) -> None:
    played = deal(house)
    for moment in (house.shift.starts_at - timedelta(minutes=1), house.clock + timedelta(hours=2)):
        assert refused(InvalidSlip, "bad_time", propose_mended, house, played, occurred_at=moment.isoformat()).where == "occurred_at"


def test_a_reason_is_one_of_the_kind_and_another_says_what_it_was(house: House) -> None:
    played = deal(house)
    assert refused(InvalidSlip, "bad_type", propose, house, played, reason="wrong_stake").where == "reason"
    assert refused(InvalidSlip, "missing_field", propose, house, played, reason="other").where == "note"


def test_a_round_that_replaces_another_comes_through_a_proposal_only(house: House) -> None:
    played = deal(house)
    refused(Refused, "needs_approval", deal, house, replaces=str(played.uuid))
    raw = mended(played)
    propose_correction(played, raw, reason="misread_cards", by=house.people["FS-2"], at=house.tick())
    refused(Refused, "needs_approval", deal, house, **{key: raw[key] for key in ("uuid", "replaces")})


def test_a_number_that_is_taken_is_refused_when_it_is_approved(house: House) -> None:
    played = deal(house)
    proposal = propose_mended(house, played, number=2)
    deal(house)
    refused(Conflict, "number_taken", approve_proposal, proposal, by=house.people["SM-1"], at=house.tick())
    assert slip(house)
