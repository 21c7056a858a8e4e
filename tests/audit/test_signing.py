"""Explaining and signing: two people who entered nothing of it; what blocks; the variances posted, the figures final, the sealing announced."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from audit.models import Explanation, Finding, SessionReconciliation, ShiftReconciliation, Signature
from audit.selectors import is_signed, latest_reconciliation
from audit.services import reconcile_shift
from audit.sign_blockers import sign_blockers
from audit.signing import explain, sign
from audit.signing_selectors import grade_of, grades_of, variances_of
from casino.errors import CasinoError, Conflict, InvalidSlip, Refused, Stale
from casino.models import Job, User
from casino.money import Minor
from ledger.models import Account, Entry
from ledger.selectors import balances
from tables.models import DropCount, TrayCount
from tables.services import chips
from tests.audit.signing import explain_all, hire, print_of, reconciled
from tests.builders import House, end_night, play, recount

pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(house: House) -> House:
    """A night with a tray 50.00 short at UTH-02, a box 1.00 over at PAY-01 and a second shift manager who entered nothing; reconciled."""
    hire(house, "SM-2", "shift_manager")
    chips.buy_in(house.sessions["UTH-01"], Minor(30_000), at=house.tick(), by=house.people["FS-1"])
    play(house)
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000}, drops={"PAY-01": 100})
    reconciled(house)
    return house


def newest(house: House) -> ShiftReconciliation:
    kept = latest_reconciliation(house.shift)
    assert kept is not None
    return kept


def signs(house: House, who: str) -> Signature:
    return sign(house.shift, fingerprint=print_of(newest(house)), by=house.people[who], at=house.tick())


def answered(house: House) -> None:
    """Leave no major finding open: this night's counts are off by less than the notice to the regulator."""
    assert not Finding.objects.filter(shift=house.shift, severity="major").exists()


def held(house: House) -> dict[str, int]:
    accounts = list(Account.objects.filter(property=house.property.uuid))
    by_key = balances(accounts)
    return {account.code: by_key[account.pk] for account in accounts if by_key[account.pk]}


def refused(error_of: type[CasinoError], call: Any, *args: Any, **kwargs: Any) -> CasinoError:
    entries, signatures = Entry.objects.count(), Signature.objects.count()
    with pytest.raises(error_of) as error:
        call(*args, **kwargs)
    assert (Entry.objects.count(), Signature.objects.count()) == (entries, signatures)
    return error.value


# ---- explanations ----


def test_what_is_beyond_tolerance_wants_an_explanation(ended: House) -> None:
    found = [(one.line.session.table.code, one.variance.figure, one.variance.amount, one.variance.level) for one in variances_of(newest(ended))]
    assert found == [("PAY-01", "drop", 100, "explain"), ("UTH-02", "tray", -5_000, "report")]


def test_the_pit_boss_explains_and_it_blocks_no_more(ended: House) -> None:
    assert [blocker.code for blocker in sign_blockers(ended.shift)] == ["unexplained", "unexplained"]
    said = explain(
        ended.shift, ended.sessions["UTH-02"], "tray", "  A rack of greens.  ", fingerprint=print_of(newest(ended)), by=ended.people["PB-2"]
    )
    assert (said.amount, said.text, said.by) == (-5_000, "A rack of greens.", ended.people["PB-2"])
    [left] = sign_blockers(ended.shift)
    assert left.facts == {"table": "PAY-01", "variance": "drop", "amount": 100, "level": "explain"}


@pytest.mark.parametrize(
    ("who", "table", "variance", "text", "error", "code", "where"),
    [
        ("FS-1", "PAY-01", "drop", "so", Refused, "not_allowed", ""),
        ("PB-1", "UTH-02", "tray", "so", Refused, "not_your_pit", ""),
        ("PB-2", "UTH-02", "tray", "  ", InvalidSlip, "missing_field", "text"),
        ("PB-2", "UTH-02", "tray", "x" * 1001, InvalidSlip, "bad_type", "text"),
        ("PB-2", "UTH-02", "till", "so", InvalidSlip, "bad_type", "variance"),
        ("PB-2", "UTH-02", "drop", "so", Conflict, "no_variance", "variance"),
    ],
)
def test_what_is_no_explanation(ended: House, who: str, table: str, variance: str, text: str, error: type, code: str, where: str) -> None:
    kept = newest(ended)
    found = refused(error, explain, ended.shift, ended.sessions[table], variance, text, fingerprint=print_of(kept), by=ended.people[who])
    assert (found.code, found.where) == (code, where)
    assert not Explanation.objects.exists()


def test_an_explanation_is_of_its_variance_by_the_database_too(ended: House) -> None:
    with pytest.raises(IntegrityError, match="what is explained"), transaction.atomic():
        Explanation.objects.create(
            reconciliation=newest(ended), session=ended.sessions["UTH-02"], variance="tray", amount=-4_999, text="so", by=ended.people["PB-2"]
        )


# ---- who signs ----


def test_two_people_sign_and_it_is_done(ended: House) -> None:
    explain_all(ended, newest(ended))
    answered(ended)
    kept = newest(ended)
    first = signs(ended, "SM-2")
    assert (first.role, first.is_final, grade_of(kept), is_signed(ended.shift)) == ("shift_manager", False, "counted", False)
    assert not Entry.objects.filter(kind="variance").exists()
    second = signs(ended, "AU-1")
    assert (second.role, second.is_final, grade_of(kept), is_signed(ended.shift)) == ("auditor", True, "final", True)
    job = Job.objects.get(kind="seal_shift")
    assert (job.key, job.args, job.asked_by) == (f"seal:{ended.shift.uuid}", {"shift": str(ended.shift.uuid)}, ended.people["AU-1"])


def test_afterwards_trays_hold_what_was_counted_and_boxes_nothing(ended: House) -> None:
    explain_all(ended, newest(ended))
    before = held(ended)
    signs(ended, "AU-1")
    signs(ended, "SM-2")
    after = held(ended)
    for code, session in ended.sessions.items():
        closer = TrayCount.objects.get(session=session, kind="closer").total
        assert after[f"tray:{code}"] == closer
        assert f"drop:{code}" not in after
    assert before["drop:UTH-01"] == after["vault:cash"] - 100 == 30_000
    assert (after["variance:tray:UTH-02"], after["variance:drop:PAY-01"]) == (5_000, -100)
    assert sum(after.values()) == 0
    entries = Entry.objects.filter(kind="variance").order_by("reference")
    assert {entry.reference for entry in entries} == {f"variance:{session.uuid}" for session in ended.sessions.values()}
    assert {(entry.recorded_by, entry.witness) for entry in entries} == {(ended.people["SM-2"], ended.people["AU-1"])}


def test_the_reconciliation_is_the_same_after_the_posting(ended: House) -> None:
    explain_all(ended, newest(ended))
    kept = newest(ended)
    signs(ended, "AU-1")
    signs(ended, "SM-2")
    assert reconcile_shift(ended.shift) == kept


def test_a_counted_opener_that_was_off_is_posted_as_well(house: House) -> None:
    """The tray would stay wrong by the gap if only the closer's were posted."""
    hire(house, "SM-2", "shift_manager")
    session = house.sessions["UTH-01"]
    recount(house, "UTH-01", "opener", 509_000)
    end_night(house)
    kept = reconciled(house)
    explain_all(house, kept)
    signs(house, "AU-1")
    signs(house, "SM-2")
    assert held(house)["tray:UTH-01"] == 509_000 == TrayCount.objects.get(session=session, kind="closer").total
    assert held(house)["variance:tray:UTH-01"] == 1_000


@pytest.mark.parametrize(
    ("who", "code", "entered"),
    [("SM-1", "own_entry", "a count of a tray"), ("PB-1", "not_allowed", None), ("CT-1", "not_allowed", None), ("SV-1", "not_allowed", None)],
)
def test_who_does_not_sign(ended: House, who: str, code: str, entered: str | None) -> None:
    explain_all(ended, newest(ended))
    error = refused(Refused, signs, ended, who)
    assert (error.code, error.facts.get("entered")) == (code, entered)


def raw_signature(house: House, who: User, role: str, *, is_final: bool = False, fingerprint: bytes | None = None) -> None:
    kept = newest(house)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_signature (uuid, reconciliation_id, shift_uuid, role, fingerprint, is_final, by_id, recorded_at)"
            " VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, %s, now())",
            [kept.pk, house.shift.uuid, role, fingerprint or bytes(kept.fingerprint), is_final, who.pk],
        )


@pytest.mark.parametrize(
    ("who", "role", "changes", "words"),
    [
        ("SM-1", "shift_manager", {}, "nobody signs what they entered"),
        ("PB-1", "shift_manager", {}, "nobody signs what they entered"),
        ("SV-1", "auditor", {}, "a shift manager and an auditor sign"),
        ("AU-1", "shift_manager", {}, "a shift manager and an auditor sign"),
        ("AU-1", "auditor", {"is_final": True}, "the second signature is the final one"),
        ("AU-1", "auditor", {"fingerprint": b"x" * 32}, "the newest figures are signed"),
    ],
)
def test_the_database_refuses_the_same(ended: House, who: str, role: str, changes: dict, words: str) -> None:
    with pytest.raises(IntegrityError, match=words):
        raw_signature(ended, ended.people[who], role, **changes)
    assert not Signature.objects.exists()


def test_one_person_is_not_both(ended: House) -> None:
    explain_all(ended, newest(ended))
    signs(ended, "AU-1")
    assert refused(Conflict, signs, ended, "AU-1").code == "signed_already"
    hire(ended, "AU-2", "auditor")
    assert refused(Conflict, signs, ended, "AU-2").code == "signed_already"


# ---- what blocks ----


def test_a_running_shift_says_everything_that_blocks(house: House) -> None:
    codes = [blocker.code for blocker in sign_blockers(house.shift)]
    assert codes == ["shift_open", "session_open", "session_open", "session_open", "not_reconciled"]


def test_a_job_on_its_way_blocks(house: House) -> None:
    end_night(house)
    assert [blocker.code for blocker in sign_blockers(house.shift)] == ["job_running", "not_reconciled"]
    kept = reconciled(house)
    assert sign_blockers(house.shift) == []
    assert kept.grade == "counted"


def test_what_is_not_explained_is_not_signed(ended: House) -> None:
    error = refused(Conflict, signs, ended, "AU-1")
    assert (error.code, [blocker["code"] for blocker in error.facts["blockers"]]) == ("sign_blocked", ["unexplained", "unexplained"])


def test_a_major_finding_that_nobody_answered_blocks(house: House) -> None:
    hire(house, "SM-2", "shift_manager")
    play(house, done={"1": {"play": {"paid": 24_000}}})
    end_night(house)
    kept = reconciled(house)
    finding = Finding.objects.get(shift=house.shift, severity="major")
    [blocker] = sign_blockers(house.shift)
    assert (blocker.code, blocker.facts) == ("finding_open", {"finding": str(finding.uuid), "kind": finding.kind, "table": "UTH-01"})
    assert refused(Conflict, signs, house, "SM-2").code == "sign_blocked"
    assert not is_signed(house.shift)
    assert kept == newest(house)


# ---- newer figures make older signatures void ----


def test_newer_figures_make_a_signature_void(ended: House) -> None:
    explain_all(ended, newest(ended))
    old = print_of(newest(ended))
    signs(ended, "SM-2")
    recount(ended, "PAY-01", "drop", 0)
    assert refused(Stale, signs, ended, "AU-1").code == "figures_changed"
    reconcile_shift(ended.shift)
    assert newest(ended).sequence == 2
    assert refused(Stale, sign, ended.shift, fingerprint=old, by=ended.people["AU-1"], at=ended.clock).code == "stale"
    signs(ended, "AU-1")
    assert not is_signed(ended.shift)
    signs(ended, "SM-2")
    assert is_signed(ended.shift)


def test_figures_that_came_back_are_newest_again(ended: House) -> None:
    first = newest(ended)
    recount(ended, "PAY-01", "drop", 0)
    reconcile_shift(ended.shift)
    recount(ended, "PAY-01", "drop", 100)
    again = reconcile_shift(ended.shift)
    assert (again.sequence, bytes(again.fingerprint)) == (3, bytes(first.fingerprint))
    assert newest(ended) == again


def test_an_explanation_stays_good_while_its_amount_does(ended: House) -> None:
    explain_all(ended, newest(ended))
    recount(ended, "PAY-01", "drop", 300)
    reconcile_shift(ended.shift)
    [blocker] = sign_blockers(ended.shift)
    assert (blocker.code, blocker.facts["table"], blocker.facts["amount"]) == ("unexplained", "PAY-01", 300)


# ---- what is signed stays ----


@pytest.fixture
def signed(ended: House) -> House:
    explain_all(ended, newest(ended))
    signs(ended, "SM-2")
    signs(ended, "AU-1")
    return ended


def test_nothing_gets_into_a_signed_shift(signed: House) -> None:
    """Between the second signature and the seal as well."""
    from ledger.drafts import EntryDraft, TransferDraft
    from ledger.services import post_entry

    draft = EntryDraft(
        kind="test",
        reference="test:late",
        property=signed.property.uuid,
        currency="USD",
        gaming_day=signed.shift.gaming_day,
        occurred_at=signed.clock,
        transfers=[TransferDraft("cage:chips", "tray:UTH-01", Minor(5))],
        shift=signed.shift.uuid,
    )
    with pytest.raises(Conflict) as error:
        post_entry(draft, by=signed.people["CG-1"])
    assert error.value.code == "period_closed"
    with pytest.raises(Conflict), transaction.atomic():
        recount(signed, "PAY-01", "drop", 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        raw_signature(signed, signed.people["AU-1"], "auditor", is_final=True)
    assert refused(Conflict, signs, signed, "AU-1").code == "signed"
    kept = newest(signed)
    with pytest.raises(IntegrityError, match="the shift is signed"), transaction.atomic():
        ShiftReconciliation.objects.create(shift=signed.shift, sequence=9, grade="counted", fingerprint=b"y" * 32)
    assert refused(Conflict, explain, signed.shift, signed.sessions["UTH-02"], "tray", "so", fingerprint=print_of(kept), by=signed.people["PB-2"])


@pytest.mark.django_db(transaction=True)
def test_two_signatures_at_once_are_one_posting(ended: House) -> None:
    explain_all(ended, newest(ended))
    start, ended_as = Barrier(2), []

    def put(who: str) -> None:
        start.wait()
        try:
            ended_as.append(signs(ended, who).is_final)
        finally:
            connection.close()

    threads = [Thread(target=put, args=(who,)) for who in ("AU-1", "SM-2")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended_as) == [False, True]
    assert (Entry.objects.filter(kind="variance").count(), Job.objects.filter(kind="seal_shift").count()) == (3, 1)


# ---- age and grade ----


def test_each_figure_says_its_grade_and_since_when(ended: House) -> None:
    kept = newest(ended)
    session = ended.sessions["UTH-01"]
    graded = {one.figure: one for one in grades_of(kept)[session.pk]}
    assert {one.grade for one in graded.values()} == {"counted"}
    drop, closer = DropCount.objects.get(session=session), TrayCount.objects.get(session=session, kind="closer")
    assert (graded["drop"].as_of, graded["closer"].as_of, graded["win_by_count"].as_of) == (drop.recorded_at, closer.recorded_at, drop.recorded_at)


def test_signed_figures_are_final_since_the_second_signature(signed: House) -> None:
    final = Signature.objects.get(is_final=True)
    for graded in grades_of(newest(signed)).values():
        assert {(one.grade, one.as_of) for one in graded} == {("final", final.recorded_at)}


def test_without_a_drop_what_hangs_on_it_is_an_estimate(house: House) -> None:
    from tables.services import floor
    from tables.slips import CountSlip

    for code, session in house.sessions.items():
        boss = house.people["PB-1" if house.tables[code].pit.code == "P1" else "PB-2"]
        floor.close_session(session, CountSlip({100: 5_100}), at=house.tick(), by=boss, witness=house.people["SM-1"])
    floor.end_shift(house.shift, at=house.tick(), by=house.people["SM-1"])
    kept = reconciled(house)
    graded = {one.figure: one.grade for one in grades_of(kept)[house.sessions["UTH-01"].pk]}
    assert graded == {
        "opener": "counted",
        "played": "counted",
        "expected_closer": "counted",
        "closer": "counted",
        "tray_variance": "counted",
        "drop": "estimate",
        "drop_variance": "estimate",
        "win_by_count": "estimate",
    }
    assert {blocker.code for blocker in sign_blockers(house.shift)} == {"no_drop", "estimate"}
    assert SessionReconciliation.objects.filter(reconciliation=kept, drop__isnull=False).count() == 0
