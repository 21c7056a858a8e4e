"""Findings beside due and done: stakes beyond the limits, slips that are gone, late facts; and a planted fault of each kind lands in its box."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from audit.limits import Limit, limit_of
from audit.models import Finding, SessionReconciliation
from audit.selectors import reason_of
from audit.services import audit_payouts, reconcile_shift
from casino.errors import Conflict, InvalidSlip, Refused
from casino.money import Minor
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Entry
from ledger.services import post_entry, reverse_entry
from tables.models import SlipCounter, TableLimit
from tables.services import chips
from tables.services.limits import set_table_limit
from tables.slips import CountSlip
from tests.builders import OPENED, House, end_night, fill, play

pytestmark = pytest.mark.django_db


def limit(house: House, bet: str, least: int, most: int, **more: object) -> TableLimit:
    who = {"by": house.people["GM-1"], "approved_by": house.people["AU-1"]}
    return set_table_limit(house.tables["UTH-01"], bet, **{"least": least, "most": most, "from_at": OPENED, **who, **more})


def test_a_stake_beyond_its_limit_is_found(house: House) -> None:
    limit(house, "", 500, 100_000)
    limit(house, "ante", 1_500, 20_000)
    limit(house, "trips", 100, 400)
    play(house)
    found = audit_payouts(house.shift)
    assert [(one.kind, one.seat, one.wager, one.effect, one.facts) for one in sorted(found, key=lambda one: (one.seat, one.wager))] == [
        ("over_limit", 1, "ante", 0, {"stake": 1_000, "limit": 1_500, "which": "least"}),
        ("over_limit", 1, "trips", 0, {"stake": 500, "limit": 400, "which": "most"}),
        ("over_limit", 2, "ante", 0, {"stake": 1_000, "limit": 1_500, "which": "least"}),
    ]
    assert reason_of(found[0]) == "The stake of 10.00 is below the 15.00 that the table allows at least."
    assert audit_payouts(house.shift) == []


def test_limits_hold_from_their_moment_on(house: House) -> None:
    later = OPENED + timedelta(hours=1)
    rows = [Limit("", 1, 5, OPENED), Limit("ante", 2, 6, OPENED), Limit("ante", 3, 7, later)]
    assert limit_of(rows, "ante", OPENED - timedelta(seconds=1)) is None
    assert limit_of(rows, "ante", OPENED) == rows[1]
    assert limit_of(rows, "ante", later) == rows[2]
    assert limit_of(rows, "play", later) == rows[0]
    limit(house, "", 5_000, 9_000, from_at=house.clock + timedelta(days=1))
    play(house)
    assert audit_payouts(house.shift) == []


@pytest.mark.parametrize(
    ("bet", "changes", "error", "code"),
    [
        ("bonus", {}, InvalidSlip, "unknown_bet"),
        ("ante", {"least": 900, "most": 100}, InvalidSlip, "bad_amount"),
        ("ante", {"most": True}, InvalidSlip, "bad_amount"),
        ("ante", {"by": "AU-1"}, Refused, "not_allowed"),
        ("ante", {"approved_by": "GM-1"}, Refused, "not_allowed"),
    ],
)
def test_what_is_no_limit(house: House, bet: str, changes: dict, error: type, code: str) -> None:
    said = {name: house.people[value] if isinstance(value, str) else value for name, value in changes.items()}
    with pytest.raises(error) as raised:
        limit(house, bet, **{"least": 1, "most": 2, **said})
    assert raised.value.code == code
    assert not TableLimit.objects.exists()


def test_a_limit_is_by_two_and_once_a_moment(house: House) -> None:
    limit(house, "ante", 1, 2)
    with pytest.raises(Conflict):
        limit(house, "ante", 1, 3)
    with pytest.raises(IntegrityError), transaction.atomic():
        gm = house.people["GM-1"]
        TableLimit.objects.create(table=house.tables["UTH-01"], bet="", least=1, most=2, from_at=OPENED, proposed_by=gm, approved_by=gm)


def test_a_slip_that_is_gone_is_found_once(house: House) -> None:
    people, uth = house.people, house.sessions["UTH-01"]
    who = {"requested_by": people["FS-1"], "issued_by": people["CG-1"], "received_by": people["PB-1"]}
    fill(uth, CountSlip({500: 1}), at=house.tick(), **who)
    SlipCounter.objects.filter(kind="fill").update(last=2)  # as if slip 2 had been torn out
    [found] = audit_payouts(house.shift)
    assert (found.kind, found.severity, found.facts) == ("slip_gap", "major", {"slip": "fill", "number": 2})
    assert "fill 2" in reason_of(found)
    assert audit_payouts(house.shift) == []


# ---- planted faults, each in the right box ----


def boxes(house: House, table: str) -> dict[str, int]:
    """Return where the gap of a table is: the variances of its newest line that are not zero."""
    line = SessionReconciliation.objects.filter(session=house.sessions[table]).order_by("-reconciliation__sequence").first()
    assert line is not None
    names = ("tray_variance", "drop_variance", "payout_variance", "book_variance")
    return {name: getattr(line, name) for name in names if getattr(line, name)}


def closed(house: House, **counts: dict[str, int]) -> None:
    end_night(house, **counts)
    audit_payouts(house.shift)
    reconcile_shift(house.shift)


def kinds(house: House) -> list[str]:
    return sorted(Finding.objects.filter(shift=house.shift).values_list("kind", flat=True))


def test_nothing_planted_nothing_found(house: House) -> None:
    play(house)
    closed(house)
    assert (boxes(house, "UTH-01"), kinds(house)) == ({}, [])


def test_a_round_that_was_not_recorded_is_in_the_tray(house: House) -> None:
    """Chips moved (the house lost 30.00) and nobody wrote it down: the counted closer is short by it."""
    play(house)
    closed(house, closers={"UTH-01": -3_000})
    assert (boxes(house, "UTH-01"), kinds(house)) == ({"tray_variance": -3_000}, ["count_variance"])


def test_a_mispaid_wager_is_in_the_payouts_and_not_in_the_tray(house: House) -> None:
    play(house, done={"1": {"play": {"paid": 4_500}}})
    closed(house)
    assert (boxes(house, "UTH-01"), kinds(house)) == ({"payout_variance": -500}, ["overpaid"])


def test_a_wrong_count_of_the_box_is_in_the_drop(house: House) -> None:
    chips.buy_in(house.sessions["UTH-01"], Minor(10_000), at=house.tick(), by=house.people["FS-1"])
    closed(house, drops={"UTH-01": -100})
    assert (boxes(house, "UTH-01"), kinds(house)) == ({"drop_variance": -100}, ["count_variance"])


def test_a_wrong_posting_is_in_the_books(house: House) -> None:
    """A round's entry is reversed and its round stays: rounds and entries disagree, and the tray that was counted by the rounds is off too."""
    played = play(house)
    entry = Entry.objects.get(reference=f"round:{played.uuid}")
    reverse_entry(entry, occurred_at=house.tick(), reason="planted", by=house.people["PB-1"])
    end_night(house, closers={"UTH-01": played.collected - played.paid})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    win = played.collected - played.paid
    assert boxes(house, "UTH-01") == {"tray_variance": win, "book_variance": win}
    assert kinds(house) == ["book_variance", "count_variance"]


def test_an_entry_of_a_round_that_is_nowhere_is_in_the_books(house: House) -> None:
    draft = EntryDraft(
        kind="round",
        reference="round:planted",
        property=house.property.uuid,
        currency="USD",
        gaming_day=house.shift.gaming_day,
        occurred_at=house.tick(),
        transfers=[TransferDraft("patrons:chips", "tray:UTH-01", Minor(700))],
        shift=house.shift.uuid,
        session=house.sessions["UTH-01"].uuid,
    )
    post_entry(draft, by=house.people["PB-1"])
    end_night(house, closers={"UTH-01": -700})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    assert boxes(house, "UTH-01") == {"tray_variance": -700, "book_variance": -700}
    assert kinds(house) == ["book_variance", "count_variance"]


def test_each_fault_stays_in_its_own_box(house: House) -> None:
    play(house, done={"1": {"play": {"paid": 4_500}}})
    play(house, "UTH-02")
    chips.buy_in(house.sessions["PAY-01"], Minor(10_000), at=house.tick(), by=house.people["FS-1"])
    play(house, "PAY-01")
    closed(house, closers={"UTH-02": 2_500}, drops={"PAY-01": 2_000})
    assert [boxes(house, table) for table in ("UTH-01", "UTH-02", "PAY-01")] == [
        {"payout_variance": -500},
        {"tray_variance": 2_500},
        {"drop_variance": 2_000},
    ]
