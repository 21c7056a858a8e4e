"""Late facts of rounds that moved a box: cash lost, coupons, a rake. Tonight's tray and box hold what they held; the variance accounts the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import time, timedelta
from pathlib import Path

import pytest

from audit.books_check import check_books
from audit.bundles import export_bundle, segments_named
from ledger.models import Account, Segment
from ledger.selectors import balances
from tables.models import Round, Shift, TableSession
from tables.selectors import last_closer
from tables.services import floor
from tables.services.correction_decisions import approve_proposal
from tables.services.corrections import propose_late_round
from tests.audit.signing import hire, sign_and_seal
from tests.builders import House, end_night, open_table, play, slip
from tests.corrections import correct, rake_to_the_box, void

pytestmark = pytest.mark.django_db
CASH = {"2": {"ante": "cash", "blind": "cash"}}
"""Seat 2 folds: 20.00 in cash, into the box."""
COUPONS = {"1": {"ante": "promo", "play": "promo"}, "2": {"ante": "promo"}}
"""Seat 2 folds: a coupon of 10.00, into the box; seat 1 wins 50.00 in chips on promotional stakes."""


def held(house: House) -> dict[str, int]:
    """Return what every account of the house holds."""
    accounts = list(Account.objects.filter(property=house.property.uuid))
    sums = balances(accounts)
    return {account.code: sums[account.pk] for account in accounts}


def _next_shift(house: House) -> None:
    house.clock = max(house.clock, house.shift.ends_at)
    shift = floor.open_shift(house.property, house.shift.gaming_day, "grave", starts=time(4), ends=time(6), at=house.tick(), by=house.people["SM-1"])
    house.swing, house.shift = house.shift, Shift.objects.select_related("property").get(pk=shift.pk)  # type: ignore[attr-defined]
    house.evening, house.sessions = house.sessions, {}  # type: ignore[attr-defined]
    for code in ("UTH-01", "PAY-01"):
        opener = {1: last_closer(house.tables[code]).total}
        house.sessions[code] = open_table(house.shift, house.tables[code], house.people, opener, at=house.tick())


@pytest.fixture
def boxed(house: House) -> House:
    """A swing shift signed and sealed with a money play, coupons, and a raked pot whose rake is in the box; the grave shift is open."""
    rake_to_the_box(house)
    played = {"cash": play(house, funds=CASH), "coupons": play(house, funds=COUPONS), "pot": play(house, "PAY-01")}
    assert played["pot"].rake == 65
    end_night(house)
    hire(house, "AU-2", "auditor")
    sign_and_seal(house)
    _next_shift(house)
    house.played = played  # type: ignore[attr-defined]
    return house


def _late_void(house: House, which: str) -> None:
    void(house, house.played[which], "PB-1", "AU-2")  # type: ignore[attr-defined]


def _late_correction(house: House, which: str, **changes: object) -> None:
    correct(house, house.played[which], by="PB-1", approver="AU-2", **changes)  # type: ignore[attr-defined]


def _late_round(house: House, table: str, **more: object) -> None:
    session = TableSession.objects.get(pk=house.evening[table].pk)  # type: ignore[attr-defined]
    within = {"occurred_at": (house.swing.starts_at + timedelta(minutes=4)).isoformat()}  # type: ignore[attr-defined]
    raw = slip(house, table, **{**within, **more})
    proposal = propose_late_round(session, raw, reason="not_entered", by=house.people["PB-1"], at=house.tick())
    approve_proposal(proposal, by=house.people["AU-2"], at=house.tick())


LATE: list[tuple[str, Callable[[House], None], dict[str, int]]] = [
    (
        "a money play is voided",
        lambda house: _late_void(house, "cash"),
        {"variance:drop:UTH-01": -2_000, "patrons:cash": 2_000, "variance:tray:UTH-01": 4_500, "patrons:chips": -4_500},
    ),
    (
        "coupons are voided",
        lambda house: _late_void(house, "coupons"),
        {"variance:drop:UTH-01": -1_000, "promo:UTH-01": 1_000 - 5_000 + 5_000, "variance:tray:UTH-01": 3_500, "patrons:chips": -3_500},
    ),
    (
        "a raked pot is voided",
        lambda house: _late_void(house, "pot"),
        {"variance:drop:PAY-01": -65, "patrons:chips": 65},
    ),
    (
        "what was lost in cash was lost in chips",
        lambda house: _late_correction(house, "cash", funds={}),
        {"variance:drop:UTH-01": -2_000, "patrons:cash": 2_000, "variance:tray:UTH-01": 2_000, "patrons:chips": -2_000},
    ),
    (
        "a coupon was cash",
        lambda house: _late_correction(house, "coupons", funds={**COUPONS, "2": {"ante": "cash"}}),
        {"patrons:cash": -1_000, "promo:UTH-01": 1_000},
    ),
    (
        "less of a pot was paid, and no rake was due",
        lambda house: _late_correction(house, "pot", done={"1": {"pot": {"paid": 1_300}}}),
        {"variance:drop:PAY-01": -65, "patrons:chips": 65},
    ),
    (
        "a money play was never entered",
        lambda house: _late_round(house, "UTH-01", funds=CASH),
        {"variance:drop:UTH-01": 2_000, "patrons:cash": -2_000, "variance:tray:UTH-01": -4_500, "patrons:chips": 4_500},
    ),
    (
        "coupons were never entered",
        lambda house: _late_round(house, "UTH-01", funds=COUPONS),
        {"variance:drop:UTH-01": 1_000, "promo:UTH-01": -1_000, "variance:tray:UTH-01": -3_500, "patrons:chips": 3_500},
    ),
    (
        "a raked pot was never entered",
        lambda house: _late_round(house, "PAY-01"),
        {"variance:drop:PAY-01": 65, "patrons:chips": -65},
    ),
]


@pytest.mark.parametrize(("what", "late", "change"), LATE, ids=[what for what, _, _ in LATE])
def test_tray_and_box_hold_what_they_held(boxed: House, what: str, late: Callable[[House], None], change: dict[str, int]) -> None:
    before = held(boxed)
    assert (before["drop:UTH-01"], before["drop:PAY-01"]) == (0, 0)
    late(boxed)
    after = held(boxed)
    assert {code: after[code] - before[code] for code in after if after[code] != before[code]} == {k: v for k, v in change.items() if v}
    assert sum(after.values()) == 0


def test_the_night_after_is_signed_sealed_and_clean_for_a_stranger(boxed: House, tmp_path: Path) -> None:
    for _, late, _ in (LATE[0], LATE[4], LATE[5], LATE[7], LATE[8]):
        late(boxed)
    play(boxed, funds=CASH)
    before = held(boxed)
    assert (before["drop:UTH-01"], before["drop:PAY-01"]) == (2_000, 0)
    end_night(boxed)
    sign_and_seal(boxed)
    after = held(boxed)
    closers = {f"tray:{code}": last_closer(boxed.tables[code]).total for code in boxed.sessions}
    assert {code: after[code] for code in closers} == closers
    assert (after["drop:UTH-01"], after["drop:PAY-01"], after["vault:cash"] - before["vault:cash"]) == (0, 0, 2_000)
    assert sum(after.values()) == 0
    answer = check_books()
    assert (answer.problems, answer.segments, Segment.objects.count()) == ((), 2, 2)
    assert Round.objects.filter(late=True).count() == 4
    folder = export_bundle(segments_named([], everything=True), tmp_path / "bundle")
    done = subprocess.run([sys.executable, "-I", "-S", str(folder / "verify.py"), str(folder)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("CLEAN")) == (0, True), done.stdout + done.stderr
