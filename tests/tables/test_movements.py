"""Markers, money plays, promotions, rake, cash-outs: what each moves in the books, and the identity over all of them. Source: spec/night.md."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from audit.models import Finding, SessionReconciliation
from audit.reconcile import Movements, reconcile, reconcile_day
from audit.reports import shift as shift_report
from audit.services import reconcile_shift
from casino.errors import CasinoError, InvalidSlip
from casino.money import Minor
from ledger.models import Account, Entry
from ledger.selectors import balances
from tables.admin.act_forms import AmountField
from tables.models import CashOut, ChipMovement
from tables.posting import WagerMoved, transfers_for_round
from tables.services import chips, floor
from tests.builders import PAYROLL_ROUND, House, end_night, play, uuid
from tests.corrections import rake_to_the_box

pytestmark = pytest.mark.django_db


def moved(entry: Entry) -> list[tuple[str, str, int]]:
    return [(t.credit_account.code, t.debit_account.code, t.amount) for t in entry.transfers.order_by("line")]


def line(house: House, table: str = "UTH-01") -> SessionReconciliation:
    return SessionReconciliation.objects.filter(session=house.sessions[table]).latest("pk")


def held(house: House) -> dict[str, int]:
    accounts = list(Account.objects.filter(property=house.property.uuid))
    sums = balances(accounts)
    return {account.code: sums[account.pk] for account in accounts}


# ---- the identity ----

amounts = st.integers(0, 10**12)
FIELDS = ("fills", "chip_credits", "buy_ins", "markers_issued", "markers_redeemed", "cash_collected", "coupons", "promo_paid", "rake_dropped")
movements = st.fixed_dictionaries({**dict.fromkeys((*FIELDS, "collected", "paid"), amounts), "wrong": st.integers(-(10**9), 10**9)})


def night(figures: dict[str, int]) -> Movements:
    wrong = figures.pop("wrong")
    return Movements(**figures, book_win=figures["collected"] - figures["paid"] + wrong)


@given(movements, amounts, amounts, amounts)
def test_the_identity_holds_to_the_unit_over_all_movements(figures: dict[str, int], opener: int, closer: int, drop: int) -> None:
    m = night(dict(figures))
    draft = reconcile(Minor(opener), m, Minor(closer), Minor(drop))
    assert draft.adds_up
    assert draft.win_by_count - draft.win_by_play == draft.tray_variance + draft.drop_variance - draft.book_variance
    chips_collected = m.book_win + m.paid - m.cash_collected  # what the books brought, in chips
    expected = opener + m.fills - m.chip_credits - m.buy_ins - m.markers_issued + m.markers_redeemed + chips_collected - m.paid - m.rake_dropped
    assert draft.expected_closer == expected
    assert m.expected_drop == m.buy_ins + m.markers_issued + m.cash_collected + m.coupons + m.rake_dropped
    assert draft.win_by_count == drop + closer + m.chip_credits - opener - m.fills - m.markers_redeemed - m.coupons


@given(st.lists(st.tuples(movements, amounts, amounts), min_size=1, max_size=4), amounts)
def test_the_identity_holds_for_a_day_of_several_sessions_and_one_box(sessions: list[Any], drop: int) -> None:
    drafts = [reconcile(Minor(o), night({**dict(f), "wrong": 0}), Minor(c), None, own_drop=False) for f, o, c in sessions]
    day = reconcile_day(drafts, drop)
    assert day.adds_up and day.win_by_count is not None
    assert day.win_by_count - day.win_by_play == day.tray_variance + day.drop_variance
    assert day.win_by_play == sum(draft.win_by_play for draft in drafts)


# ---- at the table ----


def test_a_marker_and_its_redemption(house: House) -> None:
    uth, by = house.sessions["UTH-01"], house.people["FS-1"]
    marker = chips.issue_marker(uth, Minor(50_000), patron="P-1", instrument="M-77", at=house.tick(), by=by, uuid=uuid(1))
    assert moved(Entry.objects.get(reference=f"marker:{uuid(1)}")) == [
        ("patrons:credit", "drop:UTH-01", 50_000),
        ("tray:UTH-01", "patrons:chips", 50_000),
    ]
    chips.redeem_marker(uth, marker, Minor(20_000), at=house.tick(), by=by, uuid=uuid(2))
    assert chips.redeem_marker(uth, marker, Minor(20_000), at=house.tick(), by=by, uuid=uuid(2)).pk
    with pytest.raises(CasinoError) as error:
        chips.redeem_marker(uth, marker, Minor(30_001), at=house.tick(), by=by, uuid=uuid(3))
    assert (error.value.code, error.value.facts["owed"]) == ("redeemed", 30_000)
    assert held(house)["patrons:credit"] == -30_000
    end_night(house)
    reconcile_shift(house.shift)
    kept = line(house)
    assert (kept.markers_issued, kept.markers_redeemed, kept.expected_drop, kept.expected_closer) == (50_000, 20_000, 50_000, 480_000)
    assert (kept.win_by_play, kept.win_by_count, kept.tray_variance, kept.drop_variance) == (0, 0, 0, 0)


def test_the_database_refuses_to_redeem_more_than_a_marker_says(house: House) -> None:
    uth, by = house.sessions["UTH-01"], house.people["FS-1"]
    marker = chips.issue_marker(uth, Minor(50_000), patron="P-1", instrument="M-77", at=house.tick(), by=by, uuid=uuid(1))
    statement = (
        "INSERT INTO tables_chipmovement (uuid, property_id, session_id, kind, amount, patron, declined, instrument, gaming_day, occurred_at,"
        " redeems_id, requested_by_id) VALUES (%s, %s, %s, 'redemption', %s, %s, false, '', %s, now(), %s, %s)"
    )
    for amount, patron in ((50_001, "P-1"), (10, "P-2")):
        with pytest.raises(DatabaseError, match="no more than it says"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, [uuid4(), house.property.pk, uth.pk, amount, patron, house.shift.gaming_day, marker.pk, by.pk])


def test_money_plays_are_lost_into_the_box_and_paid_from_the_tray(house: House) -> None:
    play(house, funds={"2": {"ante": "cash", "blind": "cash"}})  # seat 2 folds: 2,000 in cash; seat 1 wins 5,000 and trips lose nothing
    entry = Entry.objects.get(kind="round")
    assert ("patrons:cash", "drop:UTH-01", 2_000) in moved(entry)
    end_night(house)
    reconcile_shift(house.shift)
    kept = line(house)
    assert (kept.cash_collected, kept.expected_drop, kept.drop, kept.book_variance) == (2_000, 2_000, 2_000, 0)
    assert kept.expected_closer == 510_000 + (kept.collected - 2_000) - kept.paid
    assert kept.win_by_count == kept.win_by_play == kept.collected - kept.paid
    assert Finding.objects.count() == 0


def test_promotional_stakes_are_no_handle_and_cost_what_they_are_paid(house: House) -> None:
    plain = play(house)
    promo = play(house, funds={"1": {"ante": "promo", "play": "promo"}, "2": {"ante": "promo"}})
    assert promo.handle == plain.handle - 1_000 - 4_000 - 1_000
    assert (promo.paid, promo.collected) == (plain.paid, plain.collected - 1_000)
    assert promo.payout_variance == 0
    entry = Entry.objects.get(round=promo.uuid)
    assert ("promo:UTH-01", "drop:UTH-01", 1_000) in moved(entry)
    assert ("tray:UTH-01", "promo:UTH-01", 5_000) in moved(entry)
    assert ("promo:UTH-01", "patrons:chips", 5_000) in moved(entry)
    end_night(house)
    reconcile_shift(house.shift)
    kept = line(house)
    assert (kept.coupons, kept.promo_paid, kept.expected_drop, kept.drop, kept.handle) == (1_000, 5_000, 1_000, 1_000, promo.handle + plain.handle)
    assert (kept.win_by_count, kept.tray_variance, kept.drop_variance, kept.book_variance) == (kept.win_by_play, 0, 0, 0)
    tables = shift_report.build(house.shift).sections[0]
    cost = [column.label for column in tables.columns].index("Promotional cost")
    assert tables.totals is not None and tables.totals.values[cost] == 5_000
    assert Finding.objects.count() == 0


@pytest.mark.parametrize(
    ("changes", "code", "where"),
    [
        ({"funds": {"1": {"ante": "gold"}}}, "bad_type", "funds.1.ante"),
        ({"funds": {"9": {"ante": "cash"}}}, "unknown_field", "funds.9.ante"),
        ({"funds": [1]}, "bad_type", "funds"),
        ({"for_dealer": {"1": ["nothing"]}}, "unknown_field", "for_dealer.1.nothing"),
        ({"for_dealer": {"1": "ante"}}, "bad_type", "for_dealer.1"),
    ],
)
def test_a_wrong_fund_is_refused_at_its_place(house: House, changes: dict[str, Any], code: str, where: str) -> None:
    with pytest.raises(InvalidSlip) as error:
        play(house, **changes)
    assert (error.value.code, error.value.where) == (code, where)
    assert not Entry.objects.filter(kind="round").exists()


def test_a_wager_for_the_dealer_is_a_wager_that_says_so(house: House) -> None:
    played = play(house, for_dealer={"1": ["trips"]})
    assert list(played.wagers.filter(for_dealer=True).values_list("seat", "kind")) == [(1, "trips")]
    assert played.handle == play(house).handle


def test_into_a_pot_goes_nothing_but_chips(house: House) -> None:
    with pytest.raises(InvalidSlip) as error:
        play(house, "PAY-01", funds={"1": {"ante": "cash"}})
    assert (error.value.code, error.value.where) == ("bad_fund", "funds.1.ante")


def test_a_rake_goes_to_the_box_where_the_house_says_so() -> None:
    wagers = [WagerMoved(1, "ante", Minor(1_000), Minor(0)), WagerMoved(2, "pot", Minor(0), Minor(900))]
    to_tray = transfers_for_round("PAY-01", wagers, is_pot_game=True)
    to_box = transfers_for_round("PAY-01", wagers, is_pot_game=True, rake_to_box=Minor(60))
    assert [(t.credit, t.debit, t.amount) for t in to_tray][-1] == ("pot:PAY-01", "tray:PAY-01", 100)
    assert [(t.credit, t.debit, t.amount) for t in to_box][-2:] == [("pot:PAY-01", "drop:PAY-01", 60), ("pot:PAY-01", "tray:PAY-01", 40)]
    nothing_left = [WagerMoved(1, "ante", Minor(1_000), Minor(1_050))]
    assert [t.debit for t in transfers_for_round("PAY-01", nothing_left, is_pot_game=True, rake_to_box=Minor(60))].count("drop:PAY-01") == 0


def test_a_rake_in_the_box_is_in_the_drop_and_in_the_win(house: House) -> None:
    rake_to_the_box(house)
    played = play(house, "PAY-01")
    assert (played.rake, played.collected - played.paid) == (65, 65)
    assert ("pot:PAY-01", "drop:PAY-01", 65) in moved(Entry.objects.get(round=played.uuid))
    end_night(house)
    reconcile_shift(house.shift)
    kept = line(house, "PAY-01")
    assert (kept.rake_dropped, kept.expected_drop, kept.drop, kept.expected_closer, kept.closer) == (65, 65, 65, 510_000, 510_000)
    assert (kept.win_by_play, kept.win_by_count, kept.book_variance) == (65, 65, 0)


# ---- whom to ask, and where cash leaves ----


def test_a_patron_is_asked_for_from_three_thousand_on(house: House) -> None:
    uth, by = house.sessions["UTH-01"], house.people["FS-1"]
    assert house.property.ask_patron_from == 300_000
    with pytest.raises(InvalidSlip) as error:
        chips.buy_in(uth, Minor(300_000), at=house.tick(), by=by)
    assert (error.value.code, error.value.where) == ("patron_asked", "patron")
    chips.buy_in(uth, Minor(299_999), at=house.tick(), by=by)
    chips.buy_in(uth, Minor(300_000), at=house.tick(), by=by, patron="P-1")
    declined = chips.buy_in(uth, Minor(300_000), at=house.tick(), by=by, declined=True)
    assert (declined.patron, declined.declined, ChipMovement.objects.count()) == ("", True, 3)


def test_a_cash_out_is_an_event_at_the_cage(house: House) -> None:
    before = held(house)
    cashed = chips.cash_out(house.property, Minor(12_345), at=house.tick(), by=house.people["CG-1"], uuid=uuid(1))
    chips.cash_out(house.property, Minor(12_345), at=house.tick(), by=house.people["CG-1"], uuid=uuid(1))
    after = held(house)
    changed = {code: after[code] - before[code] for code in after if after[code] != before[code]}
    assert changed == {"patrons:chips": -12_345, "cage:chips": 12_345, "cage:cash": -12_345, "patrons:cash": 12_345}
    assert (CashOut.objects.count(), cashed.gaming_day) == (1, house.shift.gaming_day)
    for amount, who, code in ((300_000, "CG-1", "patron_asked"), (5, "PB-1", "not_allowed"), (0, "CG-1", "bad_amount")):
        with pytest.raises(CasinoError) as error:
            chips.cash_out(house.property, Minor(amount), at=house.tick(), by=house.people[who], uuid=uuid4())
        assert error.value.code == code


@pytest.mark.parametrize(("currency", "exponent", "ask", "largest"), [("JPY", 0, 3_000, 10_000), ("KWD", 3, 3_000_000, 10_000_000)])
def test_houses_without_decimals_and_with_three(house: House, currency: str, exponent: int, ask: int, largest: int) -> None:
    """B043: two decimals are assumed nowhere."""
    other = floor.make_property("OTHER", "Other", zone="Asia/Tokyo", currency=currency, exponent=exponent, by=house.people["GM-1"])
    with pytest.raises(ValidationError):
        AmountField(other).clean("25.75" if exponent == 0 else "1.2345")
    assert AmountField(other).clean("1,234" if exponent == 0 else "1.234") == 1_234
    assert (other.ask_patron_from, other.chip_values[0]) == (ask, largest)


def test_a_pot_of_odd_chips_is_split_by_the_written_rule_and_conserved(house: House) -> None:
    """B026: what goes into a pot comes out of it, to the unit, and is in the reconciliation."""
    played = play(house, "PAY-01", PAYROLL_ROUND)
    assert played.collected == played.paid
    end_night(house)
    reconcile_shift(house.shift)
    assert (line(house, "PAY-01").win_by_play, line(house, "PAY-01").win_by_count) == (0, 0)
