"""Opening, rotation, closing, recounts, boxes: each order refused with its reason where it is illegal. Source: spec/night.md, "Life of a table"."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from audit.models import Finding, SessionReconciliation, ShiftReconciliation, TableDayReconciliation
from audit.reports import shift as shift_report
from audit.services import reconcile_shift
from casino import people as staff_verbs
from casino.errors import CasinoError, Conflict, InvalidSlip, Refused
from casino.models import RoleEvent
from tables import blockers as blocking
from tables.blockers import blockers
from tables.final_check import final_check
from tables.models import BoxPull, DealerTurn, DropCount, SessionEvent, TableSession, TrayCount
from tables.services import boxes, chips, counts, dealer_pins, floor
from tables.services.boxes import DropSlip
from tables.services.placements import put_in_force
from tables.slips import CountSlip
from tests.builders import BANKROLL, House, drop, end_night, felt_code, fill, open_table, play

pytestmark = pytest.mark.django_db


def close(house: House, code: str = "UTH-01", count: CountSlip | None = None, **more: Any) -> SessionEvent:
    who = {"by": house.people["PB-1" if house.tables[code].pit.code == "P1" else "PB-2"], "witness": house.people["SM-1"], **more}
    return floor.close_session(house.sessions[code], count or CountSlip(BANKROLL), at=house.tick(), **who)


def reopen_table(house: House, opener: CountSlip, **more: Any) -> TableSession:
    table, at = house.tables["UTH-01"], house.tick()
    who = {"felt_code": felt_code(table, at), "at": at, "by": house.people["FS-1"], **more}
    return floor.open_session(house.shift, table, opener, **who)


# ---- opening ----


def test_a_wrong_code_on_the_felt_is_refused_with_both_codes(house: House) -> None:
    close(house)
    right = felt_code(house.tables["UTH-01"], house.clock)
    with pytest.raises(InvalidSlip) as error:
        reopen_table(house, CountSlip(BANKROLL), felt_code="0000")
    assert (error.value.code, error.value.where, dict(error.value.facts)) == ("wrong_code", "felt_code", {"typed": "0000", "in_force": right})
    assert "0000" in error.value.message and right in error.value.message
    assert TableSession.objects.filter(table=house.tables["UTH-01"]).count() == 1
    session = reopen_table(house, CountSlip(BANKROLL), felt_code=right.lower())
    assert str(session.felt) == "uth-seed@1"


def test_an_opener_is_made_from_the_last_closer_which_opens_once(house: House) -> None:
    close(house)
    closer = TrayCount.objects.get(session=house.sessions["UTH-01"], kind="closer")
    session = reopen_table(house, CountSlip(BANKROLL))
    opener = session.tray_counts.get()
    assert (opener.made_from_id, opener.witness) == (closer.pk, None)
    other = TableSession.objects.create(shift=house.shift, table=house.tables["UTH-01"], sequence=9)
    insert = (
        "INSERT INTO tables_traycount (session_id, kind, sequence, total, denominations, occurred_at, counted_by_id, made_from_id, note)"
        " VALUES (%s, 'opener', 1, 1, '{}', now(), %s, %s, 'why')"
    )
    for made_from, words in ((closer.pk, "made_from_id"), (None, "last closer")):
        with pytest.raises(DatabaseError, match=words), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(insert, [other.pk, house.people["FS-1"].pk, made_from])


@pytest.mark.parametrize(
    ("opener", "effect", "severity"),
    [({1: 509_000}, -1_000, "minor"), ({1: 510_000}, 0, "note"), ({1: 600_000}, 90_000, "major")],
    ids=["short", "other pieces", "over"],
)
def test_a_difference_from_the_last_closer_forces_a_note_and_is_found(house: House, opener: dict[int, int], effect: int, severity: str) -> None:
    close(house)
    drop(house.sessions["UTH-01"], house, CountSlip({}))
    with pytest.raises(InvalidSlip) as error:
        reopen_table(house, CountSlip(opener))
    assert (error.value.code, error.value.where) == ("note_required", "note")
    house.sessions["UTH-01"] = reopen_table(house, CountSlip(opener, note="a lammer was in the rack"))
    end_night(house)
    reconcile_shift(house.shift)
    [finding] = Finding.objects.filter(wager="opener")
    assert (finding.kind, finding.effect, finding.severity, finding.facts) == (
        "count_variance",
        effect,
        severity,
        {"note": "a lammer was in the rack"},
    )


def test_a_table_that_nobody_stocked_has_no_predecessor(house: House) -> None:
    people = house.people
    table = floor.make_table(house.tables["UTH-01"].pit, "UTH-09", "uth", by=people["GM-1"])
    version = house.tables["UTH-01"].paytables.get().version
    put_in_force(table, version, from_at=house.shift.starts_at, by=people["GM-1"], approved_by=people["AU-1"])
    who = {"felt_code": felt_code(table, house.clock), "at": house.tick(), "by": people["FS-1"]}
    with pytest.raises(InvalidSlip) as error:
        floor.open_session(house.shift, table, CountSlip({}), **who)
    assert error.value.code == "note_required"
    house.tables["UTH-09"], house.sessions["UTH-09"] = table, floor.open_session(house.shift, table, CountSlip({}, note="new table"), **who)
    end_night(house)
    reconcile_shift(house.shift)
    [finding] = Finding.objects.all()
    assert (finding.kind, finding.wager, finding.session.table.code, finding.due) == ("count_variance", "opener", "UTH-09", None)


def test_a_table_opens_once_at_a_time(house: House) -> None:
    with pytest.raises(Conflict) as error:
        reopen_table(house, CountSlip(BANKROLL))
    assert error.value.code == "session_open"


# ---- dealers ----


def test_a_turn_goes_forward_and_is_signed_with_the_dealers_own_pin(house: House) -> None:
    uth, by, dealer, other = house.sessions["UTH-01"], house.people["FS-1"], house.dealers["D-1187"], house.dealers["D-1042"]
    dealer_pins.set_pin(dealer, "8351", at=house.clock, by=house.people["SM-1"])
    signature = dealer_pins.sign_with_pin(dealer, "8351", at=house.clock, by=by)
    since = house.tick()
    turn = floor.begin_turn(uth, dealer, from_at=since, by=by, signature=signature)
    assert turn.signed
    assert floor.begin_turn(uth, dealer, from_at=since, by=by, signature=signature).pk == turn.pk
    with pytest.raises(Refused) as error:
        floor.begin_turn(uth, other, from_at=house.tick(), by=by, signature=signature)
    assert error.value.code == "wrong_signature"
    for moment in (since, house.shift.starts_at - timedelta(hours=1)):
        with pytest.raises(InvalidSlip) as late:
            floor.begin_turn(uth, other, from_at=moment, by=by)
        assert late.value.code == "bad_time"
    assert DealerTurn.objects.count() == 1


@pytest.mark.parametrize("pin", ["", "12", "1234", "9876", "0000", "123456789", "12a4", "１２３９"])
def test_a_pin_is_not_guessed_at_once(house: House, pin: str) -> None:
    with pytest.raises(InvalidSlip) as error:
        dealer_pins.set_pin(house.dealers["D-1187"], pin, at=house.clock, by=house.people["SM-1"])
    assert error.value.code == "bad_pin"


def test_five_wrong_pins_lock_it_for_a_quarter_of_an_hour(house: House) -> None:
    dealer, by = house.dealers["D-1187"], house.people["FS-1"]
    kept = dealer_pins.set_pin(dealer, "8351", at=house.clock, by=house.people["SM-1"])
    assert "8351" not in kept.hash
    codes = []
    for pin in ("1111", "2222", "3333", "4444", "5555", "8351"):
        with pytest.raises(Refused) as error:
            dealer_pins.sign_with_pin(dealer, pin, at=house.tick(1), by=by)
        codes.append(error.value.code)
    assert codes == ["wrong_pin"] * 4 + ["too_many_attempts"] * 2
    house.tick(15 * 60)
    assert dealer_pins.sign_with_pin(dealer, "8351", at=house.clock, by=by).dealer == dealer
    with pytest.raises(Refused) as none:
        dealer_pins.sign_with_pin(house.dealers["D-1042"], "8351", at=house.clock, by=by)
    assert none.value.code == "no_pin"


# ---- closing ----


def test_a_closer_is_signed_by_two_or_by_the_dealer(house: House) -> None:
    uth, boss = house.sessions["UTH-01"], house.people["PB-1"]
    for witness in (None, boss):
        with pytest.raises(Refused) as error:
            close(house, witness=witness)
        assert error.value.code == "needs_witness"
    assert not uth.tray_counts.filter(kind="closer").exists()
    signature = dealer_pins.Signature(house.dealers["D-1187"], house.clock)
    close(house, witness=None, dealer=signature)
    closer = uth.tray_counts.get(kind="closer")
    assert (closer.counted_by, closer.witness, closer.dealer.code) == (boss, None, "D-1187")


def test_what_blocks_is_what_the_close_says(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    uth = house.sessions["UTH-01"]
    assert blockers(uth) == []
    left = blocking.Blocker("draft", "A draft of a round is left.", "rounds")
    with monkeypatch.context() as patched:
        patched.setattr(blocking, "SOURCES", [*blocking.SOURCES, lambda session: [left]])
        with pytest.raises(Conflict) as error:
            close(house)
        assert (error.value.code, error.value.facts["blockers"]) == ("blocked", [one.as_json() for one in blockers(uth)])
        assert not uth.tray_counts.filter(kind="closer").exists()
    close(house)
    assert [one.code for one in blockers(uth)] == ["session_closed"]
    with pytest.raises(Conflict) as again:
        close(house)
    assert again.value.code == "session_closed"


def test_an_irregular_round_is_to_be_known_and_blocks_nothing(house: House) -> None:
    done = {"1": {kind: {"collected": 0, "paid": 0} for kind in ("ante", "blind", "play", "trips")}}
    done["2"] = {kind: {"collected": 1000, "paid": 0} for kind in ("ante", "blind")}
    play(house, irregular={"reason": "2x before the flop"}, done=done)
    [found] = blockers(house.sessions["UTH-01"])
    assert (found.code, found.blocks) == ("irregular", False)
    close(house)


def test_the_final_check_shows_pieces_and_nothing_expected(house: House) -> None:
    who = {"requested_by": house.people["FS-1"], "issued_by": house.people["CG-1"], "received_by": house.people["PB-1"]}
    fill(house.sessions["UTH-01"], CountSlip({2500: 8}), at=house.tick(), **who)
    check = final_check(house.sessions["UTH-01"], CountSlip({2500: 80, 100: 7}))
    assert [(line.value, line.opener, line.fills, line.credits, line.closer) for line in check.lines] == [
        (10_000, 20, 0, 0, 0),
        (2_500, 80, 8, 0, 80),
        (500, 200, 0, 0, 0),
        (100, 100, 0, 0, 7),
    ]
    assert (check.opener, check.fills, check.credits, check.closer) == (510_000, 20_000, 0, 200_700)


# ---- a count once more ----


def test_a_count_is_taken_once_more_by_a_manager_and_an_auditor_together(house: House) -> None:
    close(house, count=CountSlip({1: 500_000}))
    uth, people = house.sessions["UTH-01"], house.people
    reopening = counts.propose_recount(uth, "closer", reason="rack left out", at=house.tick(), by=people["SM-1"], uuid=uuid4())
    with pytest.raises(Conflict) as early:
        counts.recount_tray(reopening, CountSlip(BANKROLL), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    assert early.value.code == "not_approved"
    for who in ("SM-1", "PB-1"):
        with pytest.raises(Refused):
            counts.approve_recount(reopening, at=house.tick(), by=people[who])
    counts.approve_recount(reopening, at=house.tick(), by=people["AU-1"])
    counts.recount_tray(reopening, CountSlip(BANKROLL), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    assert list(uth.tray_counts.filter(kind="closer").order_by("sequence").values_list("total", flat=True)) == [500_000, 510_000]
    with pytest.raises(Conflict) as twice:
        counts.recount_tray(reopening, CountSlip(BANKROLL), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    assert twice.value.code == "not_approved"
    drop(uth, house, CountSlip({}))
    end_night(house)
    reconcile_shift(house.shift)
    assert SessionReconciliation.objects.get(session=uth).closer == 510_000
    [finding] = Finding.objects.all()
    assert (finding.kind, finding.severity, finding.due, finding.done) == ("recounted", "note", 500_000, 510_000)


def test_the_database_refuses_a_recount_that_nobody_approved_and_ones_own_approval(house: House) -> None:
    close(house)
    uth, manager = house.sessions["UTH-01"], house.people["SM-1"]
    reopening = counts.propose_recount(uth, "closer", reason="again", at=house.tick(), by=manager, uuid=uuid4())
    count = (
        "INSERT INTO tables_traycount (session_id, kind, sequence, total, denominations, occurred_at, counted_by_id, witness_id, reopening_id, note)"
        " VALUES (%s, 'closer', 2, 1, '{}', now(), %s, %s, %s, '')"
    )
    event = (
        "INSERT INTO tables_countreopeningevent (reopening_id, sequence, state, occurred_at, by_id, note) VALUES (%s, 2, 'approved', now(), %s, '')"
    )
    people = house.people
    for statement, params, words in (
        (count, [uth.pk, people["PB-1"].pk, manager.pk, reopening.pk], "where an auditor approved it"),
        (count, [uth.pk, people["PB-1"].pk, manager.pk, None], "again_if_reopened|where an auditor"),
        (event, [reopening.pk, manager.pk], "nobody approves what they proposed"),
    ):
        with pytest.raises(DatabaseError, match=words), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, params)


def test_a_reopened_count_is_open_until_it_is_counted(house: House) -> None:
    uth, people = house.sessions["UTH-01"], house.people
    reopening = counts.propose_recount(uth, "opener", reason="wrong rack", at=house.tick(), by=people["SM-1"], uuid=uuid4())
    assert [one.code for one in blockers(uth)] == ["open_proposal"]
    with pytest.raises(Conflict) as error:
        counts.propose_recount(uth, "opener", reason="wrong rack", at=house.tick(), by=people["SM-1"], uuid=uuid4())
    assert error.value.code == "proposed"
    counts.approve_recount(reopening, at=house.tick(), by=people["AU-1"])
    assert [one.code for one in blockers(uth)] == ["missing_count"]
    counts.recount_tray(reopening, CountSlip({1: 510_100}), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    assert blockers(uth) == []


# ---- boxes ----


def test_boxes_in_order(house: House) -> None:
    uth, people = house.sessions["UTH-01"], house.people
    pull = {"box": "B-7", "seal": "S-1", "by": people["FS-1"], "carrier": people["CT-1"]}
    count = {"box": "B-7", "seal": "S-1", "by": people["CT-1"], "witness": people["CT-2"]}
    found = DropSlip(CountSlip({2000: 3}), instruments=500, tickets=20, coupons=100)
    steps: list[tuple[str, Any]] = [
        ("session_open", lambda: boxes.pull_box(uth, **pull, at=house.tick())),
        ("session_open", lambda: boxes.count_drop(uth, found, **count, at=house.tick())),
        ("", lambda: close(house)),
        ("not_pulled", lambda: boxes.count_drop(uth, found, **count, at=house.tick())),
        ("needs_witness", lambda: boxes.pull_box(uth, **{**pull, "carrier": people["FS-1"]}, at=house.tick())),
        ("not_allowed", lambda: boxes.pull_box(uth, **{**pull, "carrier": people["CG-1"]}, at=house.tick())),
        ("not_your_pit", lambda: boxes.pull_box(uth, **{**pull, "by": people["PB-2"]}, at=house.tick())),
        ("missing_field", lambda: boxes.pull_box(uth, **{**pull, "seal": " "}, at=house.tick())),
        ("", lambda: boxes.pull_box(uth, **pull, at=house.tick())),
        ("", lambda: boxes.pull_box(uth, **pull, at=house.tick())),
        ("pulled", lambda: boxes.pull_box(uth, **{**pull, "seal": "S-2"}, at=house.tick())),
        ("not_allowed", lambda: boxes.count_drop(uth, found, **{**count, "witness": people["FS-1"]}, at=house.tick())),
        ("needs_witness", lambda: boxes.count_drop(uth, found, **{**count, "witness": people["CT-1"]}, at=house.tick())),
        ("seal_differs", lambda: boxes.count_drop(uth, found, **{**count, "seal": "S-9"}, at=house.tick())),
        ("box_differs", lambda: boxes.count_drop(uth, found, **{**count, "box": "B-9"}, at=house.tick())),
        ("", lambda: boxes.count_drop(uth, found, **count, at=house.tick())),
        ("counted", lambda: boxes.count_drop(uth, found, **count, at=house.tick())),
    ]
    for code, step in steps:
        before = (BoxPull.objects.count(), DropCount.objects.count())
        if code:
            with pytest.raises(CasinoError) as error:
                step()
            assert error.value.code == code
            assert (BoxPull.objects.count(), DropCount.objects.count()) == before
        else:
            step()
    assert (BoxPull.objects.count(), DropCount.objects.get().total) == (1, 6_620)


def test_another_seal_is_recorded_with_a_note_and_found(house: House) -> None:
    close(house)
    uth, people = house.sessions["UTH-01"], house.people
    boxes.pull_box(uth, box="B", seal="S-1", at=house.tick(), by=people["PB-1"], carrier=people["CT-1"])
    torn = CountSlip({}, note="seal torn in the lift")
    boxes.count_drop(uth, torn, box="B", seal="S-2", at=house.tick(), by=people["CT-1"], witness=people["CT-2"])
    end_night(house)
    reconcile_shift(house.shift)
    [finding] = Finding.objects.all()
    assert (finding.kind, finding.severity, finding.facts) == ("seal_mismatch", "major", {"note": "seal torn in the lift"})
    reconcile_shift(house.shift)
    assert Finding.objects.count() == 1


def test_who_entered_rounds_in_the_shift_counts_none_of_its_boxes(house: House) -> None:
    """Roles clash; where somebody changed over in the middle of the shift, service and database refuse the count."""
    play(house)  # by PB-1
    close(house)
    people = house.people
    boss, administrator = people["PB-1"], people["AD-1"]
    boxes.pull_box(house.sessions["UTH-01"], box="B", seal="S", at=house.tick(), by=people["FS-1"], carrier=people["CT-1"])
    with pytest.raises(DatabaseError, match="nobody holds these roles together"), transaction.atomic():
        RoleEvent.objects.create(user=boss, sequence=9, role="count_team", action="grant", by=administrator)
    staff_verbs.withdraw_role(boss, "pit_boss", by=administrator)
    staff_verbs.grant_role(boss, "count_team", by=administrator)
    boss.forget_roles()
    with pytest.raises(Refused) as error:
        boxes.count_drop(house.sessions["UTH-01"], CountSlip({}), box="B", seal="S", at=house.tick(), by=boss, witness=people["CT-2"])
    assert error.value.code == "entered_rounds"
    insert = (
        "INSERT INTO tables_dropcount (session_id, pull_id, sequence, box, seal, total, denominations, instruments, tickets, coupons, occurred_at,"
        " counted_by_id, witness_id, note) VALUES (%s, %s, 1, 'B', 'S', 0, '{}', 0, 0, 0, now(), %s, %s, '')"
    )
    pull = BoxPull.objects.get()
    with pytest.raises(DatabaseError, match="in which they entered rounds"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(insert, [house.sessions["UTH-01"].pk, pull.pk, people["CT-2"].pk, boss.pk])


def test_a_box_a_day_is_reconciled_with_its_table_and_day(house: House) -> None:
    house.property.drop_per = "gaming_day"
    house.property.save(update_fields=["drop_per"])
    uth, people = TableSession.objects.get(pk=house.sessions["UTH-01"].pk), house.people
    chips.buy_in(uth, 30_000, at=house.tick(), by=people["FS-1"])
    play(house)
    floor.close_session(uth, CountSlip({1: 477_500}), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    again = reopen_again(house)
    chips.buy_in(again, 10_000, at=house.tick(), by=people["FS-1"])
    floor.close_session(again, CountSlip({1: 467_400}), at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    boxes.pull_box(again, box="B", seal="S", at=house.tick(), by=people["FS-1"], carrier=people["CT-1"])
    with pytest.raises(Conflict) as error:
        boxes.pull_box(uth, box="B", seal="S", at=house.tick(), by=people["FS-1"], carrier=people["CT-1"])
    assert error.value.code == "pulled"
    boxes.count_drop(again, CountSlip({100: 401}), box="B", seal="S", at=house.tick(), by=people["CT-1"], witness=people["CT-2"])
    for code in ("UTH-02", "PAY-01"):
        close(house, code)
    floor.end_shift(house.shift, at=house.tick(), by=people["SM-1"])
    kept = reconcile_shift(type(house.shift).objects.get(pk=house.shift.pk))
    day = TableDayReconciliation.objects.get()
    assert (day.expected_drop, day.drop, day.drop_variance, day.tray_variance) == (40_000, 40_100, 100, -100)
    assert (day.win_by_play, day.win_by_count, kept.grade) == (-2_500, -2_500, "counted")
    assert list(SessionReconciliation.objects.filter(session__table=house.tables["UTH-01"]).values_list("drop", "win_by_count")) == [(None, None)] * 2
    assert ShiftReconciliation.objects.count() == 1
    [days] = [section for section in shift_report.build(house.shift).sections if section.key == "days"]
    assert days.rows[0].values[:5] == ("UTH-01", house.shift.gaming_day, 40_000, 40_100, 100)
    assert sorted(Finding.objects.values_list("kind", "wager", "effect")) == [("count_variance", "drop", 100), ("count_variance", "tray", -100)]


def reopen_again(house: House) -> TableSession:
    session = open_table(house.shift, house.tables["UTH-01"], house.people, opener={1: 477_500}, at=house.tick())
    return TableSession.objects.select_related("shift__property", "table__property", "table__pit").get(pk=session.pk)
