"""A round, its settlement and its entry commit together or not at all; the same slip twice is one round."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from casino.errors import Conflict, InvalidSlip, NotFound, Refused
from ledger.models import Account, Entry, Transfer
from ledger.selectors import balances
from tables.models import Round, Wager
from tables.round_answer import round_answer
from tables.selectors import SessionNow
from tables.services.floor import close_session
from tables.services.rounds import check_opened, record_round
from tables.slips import CountSlip, read_round_slip
from tests.builders import UTH_ROUND, House, play, slip

pytestmark = pytest.mark.django_db


def record(house: House, raw: dict, by: str = "PB-1") -> Round:
    return record_round(read_round_slip(raw), by=house.people[by], at=house.clock)


def balance(house: House, code: str) -> int:
    account = Account.objects.get(property=house.property.uuid, code=code)
    return balances([account])[account.pk]


def nothing_moved(house: House) -> None:
    assert (Round.objects.count(), Wager.objects.count(), Entry.objects.filter(kind="round").count()) == (0, 0, 0)


def test_a_round_is_kept_with_due_and_done_and_posted(house: House) -> None:
    before = balance(house, "tray:UTH-01")
    played = play(house)
    wagers = {(w.seat, w.kind): (w.stake, w.collect, w.pay, w.collected, w.paid) for w in Wager.objects.filter(round=played)}
    assert wagers == {
        (1, "ante"): (1000, 0, 1000, 0, 1000),
        (1, "blind"): (1000, 0, 0, 0, 0),
        (1, "play"): (4000, 0, 4000, 0, 4000),
        (1, "trips"): (500, 500, 0, 500, 0),
        (2, "ante"): (1000, 1000, 0, 1000, 0),
        (2, "blind"): (1000, 1000, 0, 1000, 0),
    }
    assert (played.handle, played.collected, played.paid, played.payout_variance) == (8500, 2500, 5000, 0)
    moved = [(t.credit_account.code, t.debit_account.code, t.amount) for t in Transfer.objects.filter(entry__round=played.uuid).order_by("line")]
    assert moved == [("patrons:chips", "tray:UTH-01", 2500), ("tray:UTH-01", "patrons:chips", 5000)]
    assert balance(house, "tray:UTH-01") == before - 2500


def test_what_the_dealer_did_is_what_moves(house: House) -> None:
    played = play(house, done={"1": {"ante": {"paid": 2000}}})
    assert (played.paid, played.payout_variance) == (6000, -1000)
    assert Transfer.objects.get(entry__round=played.uuid, line=2).amount == 6000
    [off] = [w for w in round_answer(Round.objects.get(pk=played.pk))["wagers"] if w["payout_variance"]]
    assert off == {
        "seat": 1,
        "wager": "ante",
        "stake": 1000,
        "due": {"collect": 0, "pay": 1000},
        "done": {"collected": 0, "paid": 2000},
        "payout_variance": -1000,
    }


def test_a_pot_goes_through_the_pot_and_leaves_it_empty(house: House) -> None:
    played = play(house, "PAY-01", done={"1": {"pot": {"paid": 1300}}})
    moved = [(t.credit_account.code, t.debit_account.code, t.amount) for t in Transfer.objects.filter(entry__round=played.uuid).order_by("line")]
    assert moved == [("patrons:chips", "pot:PAY-01", 1300), ("pot:PAY-01", "patrons:chips", 1300)]
    other = play(house, "PAY-01", done={"1": {"pot": {"paid": 1000}}, "2": {"pot": {"paid": 400}}})
    assert other.payout_variance == -100
    assert balance(house, "pot:PAY-01") == 0


def test_everything_pushes_moves_nothing(house: House) -> None:
    seat = {"seat": 1, "cards": ["Qc", "5h"], "ante": 1000, "blind": 1000, "play": 4000, "street": "preflop"}
    facts = {"community": ["9c", "Kh", "Kd", "9s", "Ah"], "dealer": ["5d", "Jd"], "seats": [seat]}
    played = play(house, facts=facts)
    entry = Entry.objects.get(round=played.uuid)
    assert (entry.transfer_count, entry.transfers.count()) == (0, 0)


def test_the_same_slip_twice_is_one_round(house: House) -> None:
    raw = slip(house)
    first, second = record(house, raw), record(house, raw)
    assert first.pk == second.pk
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (1, 1)


def test_another_slip_under_the_uuid_is_refused(house: House) -> None:
    raw = slip(house)
    record(house, raw)
    with pytest.raises(Conflict) as error:
        record(house, {**raw, "dealer": "D-1042"})
    assert (error.value.code, error.value.where) == ("reference_reused", "uuid")
    assert Round.objects.count() == 1


def test_a_taken_number_is_refused_and_a_missing_one_is_given(house: House) -> None:
    assert play(house, number=7).number == 7
    assert play(house).number == 8
    with pytest.raises(Conflict) as error:
        play(house, number=7)
    assert (error.value.code, error.value.where) == ("number_taken", "number")
    assert Round.objects.count() == 2


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"uuid": 5}, "bad_type", "uuid"),
        ({"uuid": "no"}, "bad_type", "uuid"),
        ({"table": ""}, "bad_type", "table"),
        ({"occurred_at": "2026-03-14T21:00:00"}, "bad_type", "occurred_at"),
        ({"occurred_at": "yesterday"}, "bad_type", "occurred_at"),
        ({"number": 0}, "bad_type", "number"),
        ({"number": True}, "bad_type", "number"),
        ({"number": 2**40}, "bad_type", "number"),
        ({"tip": 1}, "unknown_field", "tip"),
        ({"done": {"1": {"ante": {"paid": None}}}}, "bad_amount", "done.1.ante.paid"),
        ({"done": {"1": {"ante": {"paid": 1000.0}}}}, "bad_amount", "done.1.ante.paid"),
        ({"done": {"1": {"ante": {"paid": -1}}}}, "bad_amount", "done.1.ante.paid"),
        ({"done": {"1": {"ante": {"paid": True}}}}, "bad_amount", "done.1.ante.paid"),
        ({"done": {"1": {"ante": {"paid": 10**15}}}}, "bad_amount", "done.1.ante.paid"),
        ({"done": {"1": {"ante": {"collected": 1001}}}}, "bad_amount", "done.1.ante.collected"),
        ({"done": {"1": {"ante": {"tip": 1}}}}, "unknown_field", "done.1.ante.tip"),
        ({"done": {"1": {"insurance": {"paid": 1}}}}, "unknown_field", "done.1.insurance"),
        ({"done": {"9": {"ante": {"paid": 1}}}}, "unknown_field", "done.9.ante"),
        ({"done": {"x": {}}}, "bad_seat", "done.x"),
        ({"patrons": {"5": "P-1"}}, "bad_seat", "patrons.5"),
        ({"mispaid": [{"seat": 1, "wager": "ante", "status": "forgiven"}]}, "bad_type", "mispaid[0].status"),
        ({"mispaid": [{"seat": 1, "wager": "ante", "status": "corrected"}]}, "missing_field", "mispaid[0].first"),
        ({"irregular": {"reason": ""}}, "bad_type", "irregular.reason"),
        ({"irregular": {}}, "bad_type", "irregular"),
        ({"round": []}, "bad_type", "round"),
    ],
)
def test_a_bad_slip_names_its_field(house: House, change: dict, code: str, where: str) -> None:
    with pytest.raises(InvalidSlip) as error:
        record(house, {**slip(house), **change})
    assert (error.value.code, error.value.where) == (code, where)
    nothing_moved(house)


def test_a_bad_card_is_placed_under_the_round(house: House) -> None:
    facts = {**UTH_ROUND, "dealer": ["Kc", "1O"]}
    with pytest.raises(InvalidSlip) as error:
        play(house, facts=facts)
    assert (error.value.code, error.value.where) == ("bad_card", "round.dealer[1]")
    nothing_moved(house)


def test_a_slip_does_not_choose_its_paytable(house: House) -> None:
    with pytest.raises(InvalidSlip) as error:
        play(house, facts={**UTH_ROUND, "paytable": "uth-seed@1"})
    assert (error.value.code, error.value.where) == ("unknown_field", "round.paytable")


def test_an_irregular_round_keeps_what_was_done_and_no_due(house: House) -> None:
    seat = {"seat": 1, "cards": ["As", "Ad"], "ante": 1000, "blind": 1000, "play": 2000, "street": "preflop"}
    facts = {**UTH_ROUND, "seats": [seat]}
    with pytest.raises(InvalidSlip) as error:
        play(house, facts=facts)
    assert error.value.code == "bad_play_multiple"
    irregular = {"reason": "Two times before the flop, and the dealer took it."}
    with pytest.raises(InvalidSlip) as error:
        play(house, facts=facts, irregular=irregular)
    assert (error.value.code, error.value.where) == ("missing_field", "done.1.ante.collected")
    done = {"1": {kind: {"collected": 0, "paid": paid} for kind, paid in (("ante", 1000), ("blind", 0), ("play", 2000))}}
    played = play(house, facts=facts, irregular=irregular, done=done)
    assert (played.collect, played.pay, played.paid, played.payout_variance) == (None, None, 3000, None)
    assert Entry.objects.filter(round=played.uuid).count() == 1


def test_a_corrected_mistake_keeps_the_first_payment(house: House) -> None:
    said = {"seat": 1, "wager": "ante", "status": "corrected", "first": {"collected": 0, "paid": 1500}, "note": "seen at once"}
    played = play(house, mispaid=[said])
    ante = Wager.objects.get(round=played, seat=1, kind="ante")
    assert (ante.paid, ante.first_paid, ante.mispaid, ante.note) == (1000, 1500, "corrected", "seen at once")
    assert played.payout_variance == 0


def test_who_may_not_enter_is_refused(house: House) -> None:
    raw = slip(house)
    expected = {"SV-1": "not_allowed", "AU-1": "not_allowed", "CG-1": "not_allowed", "AD-1": "not_allowed", "PB-2": "not_your_pit"}
    for person, code in expected.items():
        with pytest.raises(Refused) as error:
            record(house, raw, by=person)
        assert error.value.code == code
    nothing_moved(house)


def test_a_leaver_is_refused_at_once(house: House) -> None:
    house.people["PB-1"].is_active = False
    with pytest.raises(Refused) as error:
        play(house)
    assert error.value.code == "left"


def test_unknown_tables_and_dealers(house: House) -> None:
    with pytest.raises(NotFound) as error:
        record(house, slip(house, table="UTH-01", dealer="D-9"))
    assert (error.value.code, error.value.where) == ("no_dealer", "dealer")
    raw = {**slip(house), "table": "UTH-99"}
    with pytest.raises(NotFound) as error:
        record(house, raw)
    assert (error.value.code, error.value.where) == ("no_table", "table")
    nothing_moved(house)


def test_a_round_of_the_second_in_which_the_table_was_opened(house: House) -> None:
    """The console says whole seconds."""
    second, table = house.clock.replace(microsecond=0), house.tables["UTH-01"]
    now = SessionNow("open", second + timedelta(milliseconds=900), 1, None)
    check_opened(read_round_slip(slip(house, occurred_at=second.isoformat())), table, now)
    with pytest.raises(InvalidSlip) as error:
        check_opened(read_round_slip(slip(house, occurred_at=(second - timedelta(seconds=1)).isoformat())), table, now)
    assert (error.value.code, error.value.where) == ("bad_time", "occurred_at")


def test_a_round_before_the_opening_or_in_the_future_is_refused(house: House) -> None:
    for moment in (house.clock - timedelta(hours=5), house.clock + timedelta(hours=1)):
        with pytest.raises(InvalidSlip) as error:
            record(house, slip(house, occurred_at=moment.isoformat()))
        assert (error.value.code, error.value.where) == ("bad_time", "occurred_at")
    nothing_moved(house)


def test_a_closed_table_takes_no_round_but_answers_for_an_old_slip(house: House) -> None:
    raw = slip(house)
    played = record(house, raw)
    session = house.sessions["UTH-01"]
    close_session(session, CountSlip({1: 1}), at=house.tick(), by=house.people["PB-1"], witness=house.people["SM-1"])
    with pytest.raises(Conflict) as error:
        play(house)
    assert error.value.code == "session_closed"
    assert record(house, raw).pk == played.pk


def test_nothing_is_kept_when_the_books_refuse(house: House) -> None:
    Account.objects.filter(code="tray:UTH-01").update(closed_at=house.clock)
    with pytest.raises(Conflict) as error:
        play(house)
    assert error.value.code == "account_closed"
    nothing_moved(house)


@pytest.mark.django_db(transaction=True)
def test_the_same_slip_from_16_doors_at_once_is_one_round(house: House) -> None:
    raw = slip(house)
    gate = Barrier(16)

    def hand_in(_: int) -> int:
        gate.wait()
        try:
            return record(house, raw).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        kept = set(pool.map(hand_in, range(16)))
    assert len(kept) == 1
    assert (Round.objects.count(), Entry.objects.filter(kind="round").count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_rounds_of_one_table_at_once_get_numbers_without_gaps(house: House) -> None:
    raws = [slip(house, uuid=str(uuid4())) for _ in range(24)]

    def hand_in(raw: dict) -> int:
        try:
            return record(house, raw).number
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        numbers = sorted(pool.map(hand_in, raws))
    assert numbers == list(range(1, 25))


@pytest.mark.django_db(transaction=True)
def test_a_round_is_in_before_the_table_is_closed_or_refused(house: House) -> None:
    """Posters against a close: none slips in behind it."""
    session = house.sessions["UTH-01"]
    raws = [slip(house) for _ in range(30)]
    gate = Barrier(5)

    def hand_in(mine: list[dict]) -> int:
        gate.wait()
        kept = 0
        try:
            for raw in mine:
                with contextlib.suppress(Conflict):
                    record(house, raw)
                    kept += 1
            return kept
        finally:
            connection.close()

    def close(_: object) -> int:
        gate.wait()
        try:
            close_session(session, CountSlip({1: 1}), at=house.clock, by=house.people["PB-1"], witness=house.people["SM-1"])
            return 0
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as pool:
        posting = [pool.submit(hand_in, raws[place::4]) for place in range(4)]
        pool.submit(close, None).result()
        kept = sum(one.result() for one in posting)
    closed = session.events.get(state="closed").recorded_at
    assert Round.objects.count() == kept
    assert not Round.objects.filter(recorded_at__gt=closed).exists()
