"""A finding's life: assigned, answered, reviewed by a second auditor, closed; each by whom it may be, by the service and by the database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from audit.ageing import DUE_AFTER, due_at, in_days, is_overdue
from audit.case_selectors import case_for, cases_for, mine, overdue, owners_for, sums_of
from audit.cases import EvidenceSlip, Outcome, add_evidence, answer, assign, close, review
from audit.models import Evidence, Finding, FindingEvent
from audit.selectors import reason_of
from audit.services import audit_payouts
from casino.errors import CasinoError, Conflict, InvalidSlip, NotFound, Refused, Stale
from casino.models import User
from tests.audit.signing import hire
from tests.builders import UTH_ROUND, House, play

pytestmark = pytest.mark.django_db

MISREAD = Outcome("misread_row", saved=0, lost=500)


@pytest.fixture
def finding(house: House) -> Finding:
    """An overpayment of 5.00 at UTH-01, which nobody has looked at."""
    hire(house, "AU-2", "auditor")
    play(house, done={"1": {"play": {"paid": 4_500}}})
    [found] = audit_payouts(house.shift)
    return found


def events(finding: Finding) -> list[tuple]:
    return [(event.state, str(event.by), event.note) for event in finding.events.order_by("sequence")]


def refused(error_of: type[CasinoError], call: Any, *args: Any, **kwargs: Any) -> CasinoError:
    before = FindingEvent.objects.count(), Evidence.objects.count()
    with pytest.raises(error_of) as error:
        call(*args, **kwargs)
    assert (FindingEvent.objects.count(), Evidence.objects.count()) == before
    return error.value


def reach(house: House, finding: Finding, state: str) -> Finding:
    """Bring the finding to `state`: assigned by AU-1 to PB-1, reviewed by AU-2, closed by AU-1."""
    people = house.people
    steps = {
        "assigned": lambda: assign(finding, people["PB-1"], by=people["AU-1"]),
        "answered": lambda: answer(finding, "Misread a flush.", MISREAD, by=people["PB-1"]),
        "reviewed": lambda: review(finding, by=people["AU-2"]),
        "closed": lambda: close(finding, Outcome(), by=people["AU-1"]),
    }
    for name, step in steps.items():
        step()
        if name == state:
            break
    return finding


def test_a_whole_life(house: House, finding: Finding) -> None:
    people = house.people
    assign(finding, people["PB-1"], by=people["AU-1"], note="Please look at camera 14.")
    answer(finding, "Misread a flush.", MISREAD, by=people["PB-1"])
    review(finding, by=people["AU-2"], note="Seen on video.")
    close(finding, Outcome(saved=100), by=people["AU-1"], note="Dealer was talked to.")
    assert events(finding) == [
        ("open", "None", ""),
        ("assigned", "AU-1", "Please look at camera 14."),
        ("answered", "PB-1", "Misread a flush."),
        ("reviewed", "AU-2", "Seen on video."),
        ("closed", "AU-1", "Dealer was talked to."),
    ]
    case = case_for(people["AU-1"], finding.uuid)
    assert (case.state, case.owner, case.cause, case.sequence, sums_of(finding)) == ("closed", "PB-1", "misread_row", 5, (100, 500))


@pytest.mark.parametrize(
    ("state", "step", "who", "error", "code", "where"),
    [
        ("open", "assign", "PB-1", Refused, "not_allowed", ""),
        ("open", "assign", "SV-1", Refused, "not_allowed", ""),
        ("open", "answer", "PB-1", Conflict, "wrong_state", ""),
        ("open", "review", "AU-2", Conflict, "wrong_state", ""),
        ("open", "close", "AU-1", Conflict, "wrong_state", ""),
        ("assigned", "answer", "FS-1", Refused, "not_yours", ""),
        ("assigned", "answer", "PB-2", Refused, "not_your_pit", ""),
        ("assigned", "answer", "AU-1", Refused, "not_allowed", ""),
        ("assigned", "close", "AU-1", Conflict, "wrong_state", ""),
        ("answered", "review", "AU-1", Refused, "own_finding", ""),
        ("answered", "review", "PB-1", Refused, "not_allowed", ""),
        ("answered", "answer", "PB-1", Conflict, "wrong_state", ""),
        ("answered", "assign", "AU-1", InvalidSlip, "missing_field", "note"),
        ("reviewed", "close", "AU-2", Refused, "own_finding", ""),
        ("reviewed", "assign", "AU-1", Conflict, "wrong_state", ""),
        ("closed", "close", "AU-1", Conflict, "wrong_state", ""),
        ("closed", "assign", "AU-1", Conflict, "wrong_state", ""),
    ],
)
def test_a_step_that_is_not_this_persons_or_not_due(
    house: House, finding: Finding, state: str, step: str, who: str, error: type, code: str, where: str
) -> None:
    if state != "open":
        reach(house, finding, state)
    by = house.people[who]
    call = {
        "assign": lambda: assign(finding, house.people["PB-1"], by=by),
        "answer": lambda: answer(finding, "So it was.", MISREAD, by=by),
        "review": lambda: review(finding, by=by),
        "close": lambda: close(finding, Outcome(), by=by),
    }[step]
    found = refused(error, call)
    assert (found.code, found.where) == (code, where)


@pytest.mark.parametrize(("owner", "code"), [("AU-2", "not_an_owner"), ("PB-2", "not_an_owner"), ("CT-1", "not_an_owner")])
def test_who_owns_no_finding(house: House, finding: Finding, owner: str, code: str) -> None:
    error = refused(InvalidSlip, assign, finding, house.people[owner], by=house.people["AU-1"])
    assert (error.code, error.where) == (code, "owner")


def test_the_owners_that_are_offered_are_those_of_the_pit(house: House, finding: Finding) -> None:
    assert [str(person) for person in owners_for(finding)] == ["FS-1", "FS-2", "PB-1", "SM-1"]


def test_an_answer_that_does_not_do_is_assigned_again(house: House, finding: Finding) -> None:
    people = house.people
    reach(house, finding, "answered")
    assign(finding, people["FS-1"], by=people["AU-2"], note="Which card was misread?")
    answer(finding, "The nine.", MISREAD, by=people["FS-1"])
    assert refused(Refused, review, finding, by=people["AU-2"]).code == "own_finding"
    review(finding, by=people["AU-1"])
    assert refused(Refused, close, finding, Outcome(), by=people["AU-1"]).code == "own_finding"
    close(finding, Outcome(), by=people["AU-2"])
    assert finding.events.order_by("-sequence")[0].state == "closed"


@pytest.mark.parametrize(
    ("text", "outcome", "code", "where"),
    [
        (" ", MISREAD, "missing_field", "text"),
        ("So.", Outcome(), "missing_field", "cause"),
        ("So.", Outcome("bad luck"), "unknown_cause", "cause"),
        ("So.", Outcome("chips", saved=-1), "bad_amount", "saved"),
        ("So.", Outcome("chips", lost=10**15), "bad_amount", "lost"),
        ("So.", Outcome("chips", lost=1.5), "bad_amount", "lost"),  # type: ignore[arg-type]
        ("x" * 1001, MISREAD, "bad_type", "text"),
    ],
)
def test_an_answer_names_the_field_that_is_wrong(house: House, finding: Finding, text: str, outcome: Outcome, code: str, where: str) -> None:
    reach(house, finding, "assigned")
    error = refused(InvalidSlip, answer, finding, text, outcome, by=house.people["PB-1"])
    assert (error.code, error.where) == (code, where)


def test_what_changed_since_one_looked_is_said(house: House, finding: Finding) -> None:
    reach(house, finding, "assigned")
    error = refused(Stale, assign, finding, house.people["FS-1"], by=house.people["AU-2"], seen=1)
    assert (error.code, error.facts) == ("stale", {"by": "AU-1", "state": "assigned", "sequence": 2})


# ---- the database ----


def raw_event(finding: Finding, sequence: int, state: str, by: User | None, owner: User | None = None) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_findingevent (finding_id, sequence, state, by_id, owner_id, note, cause, recorded_at)"
            " VALUES (%s, %s, %s, %s, %s, '', '', now())",
            [finding.pk, sequence, state, by and by.pk, owner and owner.pk],
        )


@pytest.mark.parametrize(
    ("state", "sequence", "new", "who", "owner", "words"),
    [
        ("open", 2, "closed", "AU-1", None, "in this order"),
        ("open", 2, "answered", "PB-1", None, "in this order"),
        ("open", 3, "assigned", "AU-1", "PB-1", "without a gap"),
        ("open", 3, "open", None, None, "without a gap"),
        ("open", 2, "assigned", None, "PB-1", "nobody to themselves"),
        ("open", 2, "assigned", "PB-1", "PB-1", "nobody to themselves"),
        ("open", 2, "assigned", "AU-1", None, "nobody to themselves"),
        ("open", 2, "solved", "AU-1", None, "in this order"),
        ("assigned", 3, "answered", "FS-1", None, "answers it"),
        ("answered", 4, "reviewed", "PB-1", None, "nobody reviews"),
        ("answered", 4, "reviewed", "AU-1", None, "a second auditor"),
        ("reviewed", 5, "closed", "AU-2", None, "another than the reviewer"),
        ("reviewed", 5, "closed", "PB-1", None, "nobody reviews or closes"),
        ("closed", 6, "assigned", "AU-1", "PB-1", "in this order"),
    ],
)
def test_the_database_guards_order_and_people(
    house: House, finding: Finding, state: str, sequence: int, new: str, who: str | None, owner: str | None, words: str
) -> None:
    if state != "open":
        reach(house, finding, state)
    with pytest.raises(IntegrityError, match=words):
        raw_event(finding, sequence, new, house.people[who] if who else None, house.people[owner] if owner else None)


def test_a_word_may_be_added_and_moves_nothing(house: House, finding: Finding) -> None:
    """The audit tells what became of a round; owner, assigner and reviewer stay who they were."""
    for state in ("open", "assigned", "answered", "reviewed", "closed"):
        if state != "open":
            reach_next(house, finding, state)
        raw_event(finding, finding.events.count() + 1, state, None)
        assert finding.events.order_by("-sequence")[0].state == state
    assert finding.events.count() == 10


def reach_next(house: House, finding: Finding, state: str) -> None:
    people = house.people
    {
        "assigned": lambda: assign(finding, people["PB-1"], by=people["AU-1"]),
        "answered": lambda: answer(finding, "Misread a flush.", MISREAD, by=people["PB-1"]),
        "reviewed": lambda: review(finding, by=people["AU-2"]),
        "closed": lambda: close(finding, Outcome(), by=people["AU-1"]),
    }[state]()


def test_a_word_of_the_reviewer_does_not_let_them_close(house: House, finding: Finding) -> None:
    reach(house, finding, "reviewed")
    raw_event(finding, 5, "reviewed", house.people["AU-1"])
    for who in ("AU-1", "AU-2"):
        with pytest.raises(IntegrityError, match="another than the reviewer"):
            raw_event(finding, 6, "closed", house.people[who])


def test_what_somebody_wrote_of_an_irregular_round_stays_as_it_was_written(house: House) -> None:
    done = {"1": {kind: {"collected": 0, "paid": 0} for kind in ("ante", "blind", "play")}}
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 500, "play": 4000, "street": "preflop"}
    play(house, facts={**UTH_ROUND, "seats": [seat]}, irregular={"reason": "seat 3 was dealt 2 cards"}, done=done)
    [finding] = audit_payouts(house.shift)
    assert reason_of(finding) == "Against the rules, and yet it happened: seat 3 was dealt 2 cards"


def test_a_ruling_answers_an_irregular_round(house: House) -> None:
    hire(house, "AU-2", "auditor")
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 500, "play": 4000, "street": "preflop"}
    done = {"1": {kind: {"collected": 0, "paid": 0} for kind in ("ante", "blind", "play")}}
    play(house, facts={**UTH_ROUND, "seats": [seat]}, irregular={"reason": "blind short by half"}, done=done)
    [found] = audit_payouts(house.shift)
    raw_event(found, 2, "answered", house.people["AU-1"])
    assert refused(Refused, review, found, by=house.people["AU-1"]).code == "own_finding"
    review(found, by=house.people["AU-2"])


@pytest.mark.django_db(transaction=True)
def test_two_who_assign_at_once_are_one_after_the_other(house: House, finding: Finding) -> None:
    start, codes = Barrier(2), []

    def put(owner: str) -> None:
        start.wait()
        try:
            codes.append(assign(finding, house.people[owner], by=house.people["AU-1"], seen=1).state)
        except Stale as error:
            codes.append(error.code)
        finally:
            connection.close()

    threads = [Thread(target=put, args=(owner,)) for owner in ("PB-1", "FS-1")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["assigned", "stale"]
    assert finding.events.count() == 2


# ---- evidence ----

SEEN_AT = datetime(2026, 3, 15, 4, 30, tzinfo=UTC)


def test_evidence_is_added_until_it_is_closed(house: House, finding: Finding) -> None:
    video = EvidenceSlip("video", "Pays a nine-high flush 8 to 1.", camera="C-14", from_at=SEEN_AT, until_at=SEEN_AT + timedelta(minutes=1))
    kept = add_evidence(finding, video, by=house.people["SV-1"])
    add_evidence(finding, EvidenceSlip("slip", reference="fill 12"), by=house.people["AU-1"])
    assert [(one.kind, str(one.by)) for one in finding.evidence.all()] == [("video", "SV-1"), ("slip", "AU-1")]
    assert (kept.camera, kept.from_at) == ("C-14", SEEN_AT)
    reach(house, finding, "closed")
    assert refused(Conflict, add_evidence, finding, EvidenceSlip("note", "more"), by=house.people["SV-1"]).code == "wrong_state"


@pytest.mark.parametrize(
    ("slip", "code", "where"),
    [
        (EvidenceSlip("tape", "x"), "bad_type", "kind"),
        (EvidenceSlip("note"), "missing_field", "text"),
        (EvidenceSlip("slip", "x"), "missing_field", "reference"),
        (EvidenceSlip("video", "x", from_at=SEEN_AT), "missing_field", "camera"),
        (EvidenceSlip("video", "x", camera="C-1"), "missing_field", "from_at"),
        (EvidenceSlip("video", camera="C-1", from_at=SEEN_AT, until_at=SEEN_AT - timedelta(seconds=1)), "bad_time", "until_at"),
        (EvidenceSlip("note", "x" * 2001), "bad_type", "text"),
    ],
)
def test_evidence_names_the_field_that_is_wrong(house: House, finding: Finding, slip: EvidenceSlip, code: str, where: str) -> None:
    error = refused(InvalidSlip, add_evidence, finding, slip, by=house.people["SV-1"])
    assert (error.code, error.where) == (code, where)


def test_the_floor_adds_no_evidence(house: House, finding: Finding) -> None:
    assert refused(Refused, add_evidence, finding, EvidenceSlip("note", "x"), by=house.people["PB-1"]).code == "not_allowed"


# ---- ageing and whose turn it is ----


def test_cases_age_by_severity() -> None:
    assert due_at(SEEN_AT, "major") == SEEN_AT + timedelta(days=3)
    assert not is_overdue(SEEN_AT, "minor", at=SEEN_AT + DUE_AFTER["minor"])
    assert is_overdue(SEEN_AT, "minor", at=SEEN_AT + DUE_AFTER["minor"] + timedelta(seconds=1))
    assert [in_days(timedelta(hours=hours)) for hours in (-1, 0, 47, 48, 300)] == ["0 h", "0 h", "47 h", "2 d", "12 d"]


def test_the_overdue_are_those_that_are_not_closed(house: House, finding: Finding) -> None:
    auditor = house.people["AU-1"]
    late = finding.recorded_at + DUE_AFTER[finding.severity] + timedelta(seconds=1)
    assert list(overdue(cases_for(auditor), late)) == [finding]
    assert not overdue(cases_for(auditor), late - timedelta(seconds=2)).exists()
    reach(house, finding, "closed")
    assert not overdue(cases_for(auditor), late).exists()


@pytest.mark.parametrize(
    ("state", "whose"),
    [("open", {"AU-1", "AU-2"}), ("assigned", {"PB-1"}), ("answered", {"AU-2"}), ("reviewed", {"AU-1"}), ("closed", set())],
)
def test_whose_turn_it_is(house: House, finding: Finding, state: str, whose: set[str]) -> None:
    if state != "open":
        reach(house, finding, state)
    found = {who for who in ("AU-1", "AU-2", "PB-1", "FS-1", "PB-2", "SV-1") if mine(cases_for(house.people[who]), house.people[who]).exists()}
    assert found == whose


def test_a_finding_of_another_pit_is_not_there(house: House, finding: Finding) -> None:
    with pytest.raises(NotFound):
        case_for(house.people["PB-2"], finding.uuid)
