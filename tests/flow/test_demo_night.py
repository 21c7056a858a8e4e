"""The demo's shift, played small: what was planted is found and nothing else, and the identity holds to the unit for every session."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from audit.models import Finding, SessionReconciliation
from audit.services import audit_payouts, reconcile_shift
from casino.append_only import make_partitions
from casino.management.demo import house as demo_house
from casino.management.demo.night import Night, open_tables_now, play_night
from ledger.models import Account
from ledger.selectors import balances
from tables.models import RoundChange

NOW = datetime(2026, 3, 15, 20, 0, tzinfo=UTC)


pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def night(nobody_yet: None) -> Night:
    """Return the demo's night with 24 rounds a table."""
    make_partitions("default", range(-1, 2), of=NOW.date())
    return play_night(demo_house.build(NOW), seed=7, rounds=24, now=NOW, tell=lambda *_: None)


def test_planted_is_the_seeds_and_found_and_nothing_else(night: Night) -> None:
    audit_payouts(night.shift)
    kept = reconcile_shift(night.shift)
    found = set(Finding.objects.filter(shift=night.shift, flag=False).values_list("key", flat=True))
    assert len(night.planted) == 10
    assert found == {planted.key for planted in night.planted}
    lines = SessionReconciliation.objects.filter(reconciliation=kept)
    assert lines.count() == 6
    for line in lines:
        assert line.win_by_count - line.win_by_play == line.tray_variance + line.drop_variance
        assert line.book_variance == 0
        assert line.closer - line.expected_closer == line.tray_variance
        assert line.drop - line.buy_ins == line.drop_variance
    gaps = {line.session.table.code: (line.tray_variance, line.drop_variance) for line in lines if line.tray_variance or line.drop_variance}
    assert gaps == {"UTH-03": (-50_00, 0), "UTH-05": (0, 100_00)}
    assert [(change.kind, change.proposal.session.table.code) for change in RoundChange.objects.order_by("id")] == [
        ("void", "UTH-02"),
        ("correct", "UTH-04"),
    ]
    books_balance(night)
    assert [planted.words for planted in night.planted] == EXPECTED
    assert open_tables_now(night.cast, now=NOW).sessions.count() == 6


def books_balance(night: Night) -> None:
    accounts = list(Account.objects.filter(property=night.shift.property.uuid))
    held = balances(accounts)
    assert sum(held.values()) == 0
    assert held[next(account.pk for account in accounts if account.code == "pot:PAY-01")] == 0


EXPECTED = [
    "trips misread: UTH-01 round 3, seat 6, trips",
    "push paid: UTH-01 round 11, seat 4, blind",
    "beaten blind paid: UTH-02 round 5, seat 3, blind",
    "loser paid: UTH-02 round 19, seat 5, play",
    "beaten trips taken: UTH-03 round 13, seat 1, trips",
    "unqualified ante taken: UTH-04 round 21, seat 4, ante",
    "flush blind overpaid: UTH-05 round 2, seat 2, blind",
    "pot misshared: PAY-01 round 2, pot",
    "tray counted short: UTH-03",
    "box counted wrong: UTH-05",
]
"""What is planted by the seed: the same seed is the same night."""
