"""Where boxes are pulled once a gaming day: what is off in one is explained by its pit boss, and posted with the second signature."""

from __future__ import annotations

from datetime import time

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from audit.models import Explanation, TableDayReconciliation
from audit.reports.shift import build
from audit.sign_blockers import sign_blockers
from audit.signing import explain, sign
from audit.signing_selectors import grade_of, variances_of
from casino.errors import Conflict
from casino.money import Minor
from ledger.models import Account, Entry
from ledger.selectors import balances
from tables.models import TableSession
from tables.services import boxes, chips, floor
from tables.slips import CountSlip
from tests.audit.signing import explain_all, hire, print_of, reconciled
from tests.builders import DAY, House, open_table, play

pytestmark = pytest.mark.django_db


def fresh(session: TableSession) -> TableSession:
    return TableSession.objects.select_related("shift__property", "table__property", "table__pit").get(pk=session.pk)


@pytest.fixture
def day(house: House) -> House:
    """A gaming day of two shifts with one box at UTH-01: 300.00 of the swing shift and 100.00 of the grave shift, counted 1.00 over."""
    house.property.drop_per = "gaming_day"
    house.property.save(update_fields=["drop_per"])
    hire(house, "SM-2", "shift_manager")
    people, first = house.people, fresh(house.sessions["UTH-01"])
    chips.buy_in(first, Minor(30_000), at=house.tick(), by=people["FS-1"])
    play(house)
    closers = {"UTH-01": 510_000 - 30_000 - 2_500, "UTH-02": 510_000, "PAY-01": 510_000}
    for code, closer in closers.items():
        by = people["PB-2" if code == "UTH-02" else "PB-1"]
        floor.close_session(fresh(house.sessions[code]), CountSlip({1: closer}), at=house.tick(), by=by, witness=people["SM-1"])
    floor.end_shift(house.shift, at=house.tick(), by=people["SM-1"])
    reconciled(house)
    house.swing = house.shift  # type: ignore[attr-defined]
    later = floor.open_shift(house.property, DAY, "grave", starts=time(4), ends=time(6), at=house.tick(), by=people["SM-1"])
    house.shift = type(later).objects.select_related("property").get(pk=later.pk)
    again = fresh(open_table(house.shift, house.tables["UTH-01"], people, opener={1: closers["UTH-01"]}, at=house.tick()))
    chips.buy_in(again, Minor(10_000), at=house.tick(), by=people["FS-1"])
    house.sessions = {"UTH-01": again}
    count = CountSlip({1: closers["UTH-01"] - 10_000})
    floor.close_session(again, count, at=house.tick(), by=people["PB-1"], witness=people["SM-1"])
    boxes.pull_box(again, box="B", seal="S", at=house.tick(), by=people["FS-1"], carrier=people["CT-1"])
    boxes.count_drop(again, CountSlip({100: 401}), box="B", seal="S", at=house.tick(), by=people["CT-1"], witness=people["CT-2"])
    floor.end_shift(house.shift, at=house.tick(), by=people["SM-1"])
    return house


def test_the_days_box_wants_an_explanation_and_gets_one(day: House) -> None:
    kept = reconciled(day)
    row = TableDayReconciliation.objects.get(reconciliation=kept)
    assert (row.expected_drop, row.drop, row.drop_variance) == (40_000, 40_100, 100)
    [off] = variances_of(kept)
    assert (off.variance.figure, off.variance.amount, off.variance.level, off.line.session) == ("drop", 100, "explain", day.sessions["UTH-01"])
    assert [blocker.code for blocker in sign_blockers(day.shift)] == ["unexplained"]
    with pytest.raises(Conflict) as error:
        sign(day.shift, fingerprint=print_of(kept), by=day.people["AU-1"], at=day.tick())
    assert error.value.code == "sign_blocked"
    said = explain(day.shift, day.sessions["UTH-01"], "drop", "A note of the next table.", fingerprint=print_of(kept), by=day.people["PB-1"])
    assert (said.variance, said.amount, sign_blockers(day.shift)) == ("drop", 100, [])
    [section] = [part for part in build(day.shift).sections if part.key == "explanations"]
    assert [row.values[:3] for row in section.rows] == [("UTH-01", "drop", 100)]


def test_the_page_and_the_api_ask_for_it(day: House) -> None:
    kept = reconciled(day)
    client = Client()
    client.force_login(day.people["PB-1"])
    said = client.get(f"/api/v1/shifts/{day.shift.uuid}/signing").json()
    assert [(one["variance"], one["amount"], one["explanations"]) for one in said["variances"]] == [("drop", 100, [])]
    page = client.get(f"/admin/tables/shift/{day.shift.pk}/change/").content.decode()
    assert f'name="fingerprint" value="{print_of(kept)}"' in page


def test_another_amount_is_no_explanation_for_the_database_either(day: House) -> None:
    kept = reconciled(day)
    for variance, amount in (("drop", 99), ("tray", 100), ("books", 100)):
        with pytest.raises(IntegrityError, match="what is explained"), transaction.atomic():
            Explanation.objects.create(
                reconciliation=kept, session=day.sessions["UTH-01"], variance=variance, amount=amount, text="so", by=day.people["PB-1"]
            )


def test_with_the_second_signature_the_box_is_empty_and_the_gap_is_posted(day: House) -> None:
    kept = reconciled(day)
    explain_all(day, kept)
    for who in ("SM-2", "AU-1"):
        sign(day.shift, fingerprint=print_of(kept), by=day.people[who], at=day.tick())
    assert grade_of(kept) == "final"
    [entry] = Entry.objects.filter(kind="variance", shift=day.shift.uuid)
    transfers = entry.transfers.select_related("credit_account", "debit_account")
    moved = {(one.credit_account.code, one.debit_account.code, one.amount) for one in transfers}
    assert moved == {("drop:UTH-01", "vault:cash", 40_100), ("variance:drop:UTH-01", "drop:UTH-01", 100)}
    accounts = {account.code: account for account in Account.objects.filter(property=day.property.uuid)}
    held = {code: balances([account])[account.pk] for code, account in accounts.items()}
    assert (held["drop:UTH-01"], held["tray:UTH-01"]) == (0, 467_500)
