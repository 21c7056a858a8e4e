"""Statements, journal, trial balance and accounting export: exact figures, whose they are, and the same bytes through every door."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from audit.exports import render
from audit.reports import accounting, journal, statement, trial_balance
from audit.reports.books import Days
from casino.errors import Refused
from ledger.drafts import EntryDraft, TransferDraft
from ledger.models import Account, Entry
from ledger.selectors import balances
from ledger.services import post_entry
from ledger.statements import Key, statement_page
from ledger.totals import keep_totals
from tests.builders import DAY, House, end_night, play

pytestmark = pytest.mark.django_db
TONIGHT = Days(DAY, DAY)
ALL = Days(DAY - timedelta(days=30), DAY + timedelta(days=30))


def account(code: str) -> Account:
    return Account.objects.get(code=code)


def cells(report: object, section: str) -> list[dict]:
    content = json.loads(render(report, "json"))
    return [row["cells"] for part in content["sections"] if part["key"] == section for row in part["rows"]]


def many(house: House, count: int) -> None:
    """Post `count` transfers between cage and tray, 1, 2, 3 … cents, on three days."""
    for number in range(1, count + 1):
        post_entry(
            EntryDraft(
                kind="test",
                reference=f"test:{number:04d}",
                property=house.property.uuid,
                currency="USD",
                gaming_day=DAY + timedelta(days=1 + number % 3),
                occurred_at=house.clock,
                transfers=[TransferDraft("cage:chips", "tray:UTH-01", number), TransferDraft("tray:UTH-01", "cage:chips", 1)][: 1 + number % 2],
                shift=uuid4(),
            ),
            by=house.people["SM-1"],
        )


def test_a_statement_opens_moves_and_closes(house: House) -> None:
    play(house)
    report = statement.build(house.property, account("tray:UTH-01"), TONIGHT)
    assert cells(report, "balances") == [
        {"what": "Opening", "day": "2026-03-14", "amount": 0},
        {"what": "Closing", "day": "2026-03-14", "amount": 507_500},
    ]
    lines = [(row["other"], row["debit"], row["credit"], row["balance"]) for row in cells(report, "lines")]
    assert lines == [
        ("cage:chips", 510_000, None, 510_000),
        ("patrons:chips", 2_500, None, 512_500),
        ("patrons:chips", None, 5_000, 507_500),
    ]


def test_pages_by_key_carry_the_balance_and_lose_no_line(house: House) -> None:
    many(house, 25)
    tray, days = account("tray:UTH-01"), {"first": DAY + timedelta(days=1), "last": DAY + timedelta(days=3)}
    whole = statement_page(tray, **days, limit=1000)
    assert len(whole.lines) == 25 + 13
    lines, after, opening = [], None, whole.opening
    while True:
        page = statement_page(tray, **days, after=after, limit=7)
        assert page.opening == opening
        lines += page.lines
        opening, after = page.closing, page.next
        if after is None:
            break
    assert lines == list(whole.lines)
    assert opening == whole.closing == balances([tray])[tray.pk]
    for entry in Entry.objects.filter(kind="test").exclude(shift=None)[:9]:
        keep_totals(entry.shift)
    assert statement_page(tray, **days, limit=1000) == whole


@pytest.mark.parametrize(
    "text", ["", "x", "2026-03-14", "2026-03-14.1", "2026-03-14.-1.1", "2026-13-14.1.1", "2026-03-14.9.9.9", "2026-03-14.1." + "9" * 40]
)
def test_what_is_no_key_is_none(text: str) -> None:
    assert Key.read(text) is None


def test_the_journal_has_every_transfer_in_the_order_of_the_books(house: House) -> None:
    many(house, 10)
    rows = cells(journal.build(house.property, Days(DAY + timedelta(days=1), DAY + timedelta(days=3))), "lines")
    assert len(rows) == 15
    assert [row["gaming_day"] for row in rows] == sorted(row["gaming_day"] for row in rows)
    assert (rows[0]["debit"], rows[0]["credit"], rows[0]["amount"]) == ("tray:UTH-01", "cage:chips", 3)
    assert cells(journal.build(house.property, ALL, kind="round"), "lines") == []


def test_the_trial_balance_adds_up_to_nothing_before_and_after_books_are_closed(house: House) -> None:
    play(house)
    play(house, "PAY-01")
    report = trial_balance.build(house.property, TONIGHT)
    rows = {row["account"]: row for row in cells(report, "accounts")}
    assert sum(row["debit"] or 0 for row in rows.values()) == sum(row["credit"] or 0 for row in rows.values()) > 0
    assert (rows["tray:UTH-01"]["arrived"], rows["tray:UTH-01"]["left"]) == (512_500, 5_000)
    assert rows["mint:chips"]["credit"] == 100_000_000
    keep_totals(house.shift.uuid)
    assert cells(trial_balance.build(house.property, TONIGHT), "accounts") == list(rows.values())
    later = {
        row["account"]: row for row in cells(trial_balance.build(house.property, Days(DAY + timedelta(days=1), DAY + timedelta(days=1))), "accounts")
    }
    assert (later["tray:UTH-01"]["opening"], later["tray:UTH-01"]["arrived"], later["tray:UTH-01"]["debit"]) == (507_500, 0, 507_500)


def test_accounting_says_revenue_cash_and_what_is_owed(house: House) -> None:
    play(house)  # collected 2,500, paid 5,000
    play(house, "PAY-01")  # a pot of 1,200, its rake to the tray
    rows = cells(accounting.build(house.property, TONIGHT), "lines")
    assert sum(row["debit"] or 0 for row in rows) == sum(row["credit"] or 0 for row in rows) > 0
    booked = {(row["account"], row["table"]): (row["debit"], row["credit"]) for row in rows}
    assert booked["Table games revenue", "UTH-01"] == (2_500, None)
    assert {account for account, _ in booked} == {"Table games revenue", "Chips outstanding"}


@pytest.mark.parametrize("who", ["CG-1", "PB-1", "FS-1", "CT-1", "GM-1", "AD-1"])
def test_reports_of_all_the_books_are_for_those_who_read_them(house: House, who: str) -> None:
    for build in (journal.build, trial_balance.build, accounting.build):
        with pytest.raises(Refused):
            build(house.property, TONIGHT, for_user=house.people[who])


def test_what_is_counted_blind_is_not_shown_while_tables_are_open(house: House) -> None:
    play(house)
    manager = house.people["SM-1"]
    with pytest.raises(Refused) as refused:
        statement.build(house.property, account("tray:UTH-01"), TONIGHT, for_user=manager)
    assert refused.value.code == "counted_blind"
    rows = {row["account"]: row for row in cells(trial_balance.build(house.property, TONIGHT, for_user=manager), "accounts")}
    assert (rows["tray:UTH-01"]["type"], rows["tray:UTH-01"]["debit"], rows["patrons:chips"]["debit"]) == ("Asset · counted blind", None, None)
    end_night(house)
    assert cells(statement.build(house.property, account("tray:UTH-01"), TONIGHT, for_user=manager), "lines")
    assert statement.build(house.property, account("tray:UTH-01"), TONIGHT, for_user=house.people["AU-1"])


def test_the_cage_reads_its_own_accounts_and_no_others(client: Client, house: House) -> None:
    client.force_login(house.people["CG-1"])
    assert client.get(reverse("books:statement", args=[account("cage:chips").pk])).status_code == 200
    assert client.get(reverse("books:statement", args=[account("tray:UTH-01").pk])).status_code == 404
    listed = client.get(reverse("admin:ledger_account_changelist")).content.decode()
    assert "vault:cash" in listed and "tray:UTH-01" not in listed
    play(house)
    entries = client.get(reverse("admin:ledger_entry_changelist")).content.decode()
    assert "round:" not in entries
    for name in ("journal", "trial_balance", "accounting"):
        assert client.get(reverse(f"books:{name}")).status_code == 403


def test_a_pit_boss_reads_the_entries_of_the_rounds_of_their_pits(client: Client, house: House) -> None:
    mine, theirs = play(house, "UTH-01"), play(house, "UTH-02")
    client.force_login(house.people["PB-1"])
    listed = client.get(reverse("admin:ledger_entry_changelist")).content.decode()
    assert "UTH-01 · round 1<" in listed and "UTH-02 · round" not in listed and "issue" not in listed
    own, other = (Entry.objects.get(round=played.uuid) for played in (mine, theirs))
    assert client.get(reverse("admin:ledger_entry_change", args=[own.pk])).status_code == 200
    assert client.get(reverse("admin:ledger_entry_change", args=[other.pk])).status_code == 404
    assert client.get(reverse("admin:ledger_account_changelist")).status_code == 403


@pytest.mark.parametrize("who", ["FS-1", "CT-1", "GM-1", "AD-1"])
def test_others_have_no_books(client: Client, house: House, who: str) -> None:
    client.force_login(house.people[who])
    for address in (reverse("admin:ledger_entry_changelist"), reverse("admin:ledger_account_changelist"), reverse("books:journal")):
        assert client.get(address).status_code == 403
    assert client.get(reverse("books:statement", args=[account("cage:chips").pk])).status_code == 403


def test_pages_and_files_say_the_same(client: Client, house: House) -> None:
    play(house)
    client.force_login(house.people["AU-1"])
    days = f"?from={DAY}&to={DAY}"
    page = client.get(reverse("books:statement", args=[account("tray:UTH-01").pk]) + days).content.decode()
    assert "5,075.00" in page and "Opening balance" in page
    for name, args in (("statement", [account("tray:UTH-01").pk]), ("journal", []), ("trial_balance", []), ("accounting", [])):
        assert client.get(reverse(f"books:{name}", args=args) + days).status_code == 200
        for fmt in ("csv", "xlsx", "json"):
            answer = client.get(reverse(f"books:{name}", args=[*args, fmt]) + days)
            assert (answer.status_code, answer.content) == (200, client.get(reverse(f"books:{name}", args=[*args, fmt]) + days).content)
        assert client.get(reverse(f"books:{name}", args=[*args, "exe"])).status_code == 404


@pytest.mark.parametrize("query", ["?from=yesterday", "?to=2026-02-30", "?from=2026-04-01&to=2026-03-01", "?from=99999-01-01"])
def test_what_is_no_day_is_said_at_its_field(client: Client, house: House, query: str) -> None:
    client.force_login(house.people["AU-1"])
    answer = client.get(reverse("books:journal") + query)
    assert answer.status_code == 400
    assert b'role="alert"' in answer.content


def test_a_long_journal_goes_on_behind_its_key(client: Client, house: House) -> None:
    many(house, 80)
    client.force_login(house.people["AU-1"])
    days = f"?from={DAY + timedelta(days=1)}&to={DAY + timedelta(days=3)}"
    first = client.get(reverse("books:journal") + days).content.decode()
    assert 'rel="next"' in first
    seen = set()
    address = reverse("books:journal") + days
    for _ in range(9):
        page = client.get(address).content.decode()
        seen |= {piece.split('"')[0] for piece in page.split('title="test:')[1:]}
        if 'rel="next"' not in page:
            break
        address = reverse("books:journal") + page.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0].replace("&amp;", "&")
    assert len(seen) == 80


D = "drop:UTH-01"
T = "tray:UTH-01"


@pytest.mark.parametrize(
    ("kind", "credit", "debit", "booked"),
    [
        ("buy_in", "patrons:cash", D, ("Chips outstanding", "Cash in drop boxes")),
        ("buy_in", T, "patrons:chips", None),
        ("fill", "cage:chips", T, None),
        ("round", "patrons:chips", "pot:PAY-01", None),
        ("round", "pot:PAY-01", "tray:PAY-01", ("Table games revenue", "Chips outstanding")),
        ("round", T, "patrons:chips", ("Chips outstanding", "Table games revenue")),
        ("drop", D, "vault:cash", ("Cash in drop boxes", "Cash in vault")),
        ("cash_out", "cage:cash", "patrons:cash", ("Cash in cage", "Chips outstanding")),
        ("variance", T, "variance:tray:UTH-01", ("Chips outstanding", "Cash over and short")),
        ("variance", D, "variance:drop:UTH-01", ("Cash in drop boxes", "Cash over and short")),
        ("round", "patrons:chips", "variance:tray:UTH-01", ("Table games revenue", "Cash over and short")),
        ("round", "patrons:cash", "variance:drop:UTH-01", ("Table games revenue", "Cash over and short")),
        ("round", "patrons:cash", D, ("Table games revenue", "Cash in drop boxes")),
        ("round", D, "patrons:cash", ("Cash in drop boxes", "Table games revenue")),
        ("round", "pot:PAY-01", "drop:PAY-01", ("Table games revenue", "Cash in drop boxes")),
        ("round", "promo:UTH-01", D, ("Promotional expense", "Cash in drop boxes")),
        ("round", "promo:UTH-01", "variance:drop:UTH-01", ("Promotional expense", "Cash over and short")),
        ("round", "pot:PAY-01", "variance:drop:PAY-01", ("Table games revenue", "Cash over and short")),
        ("round", T, "promo:UTH-01", ("Chips outstanding", "Promotional expense")),
    ],
)
def test_the_table_that_maps_places_to_income_and_expense(kind: str, credit: str, debit: str, booked: tuple[str, str] | None) -> None:
    """(credited, debited), row by row of the documented table."""
    assert accounting.book(kind, credit, debit) == ([booked] if booked else [])
