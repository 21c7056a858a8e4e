"""What is archived is not changed, at any door; and pages, files and bundles say what they leave out."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, time, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from audit.bundles import export_bundle, segments_named
from audit.reports import accounting, journal, statement
from audit.reports.books import Days
from audit.reports.report import Report
from audit.services import audit_payouts
from casino.errors import Conflict
from casino.models import Job
from ledger.models import Account, Entry
from ledger.statements import Key, statement_lines, statement_page
from tables.models import Round, RoundChange, RoundProposal, RoundRuling
from tables.services import floor
from tables.services.correction_decisions import approve_proposal, reject_proposal
from tables.services.paytables import paytable_of
from tables.services.replay import ask_month, ask_replay, replay_now
from tables.services.rulings import rule_irregular
from tests.audit.two_months import APRIL, archive, close_april, restore, two_months
from tests.builders import House, end_night, play, slip
from tests.corrections import propose, propose_mended
from tests.ledger.test_sealing import seal

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
PASSWORD = "correct horse battery staple"


@pytest.fixture
def months(house: House) -> House:
    return two_months(house)


# ---- what is archived is not changed, at any door ----


@pytest.fixture
def away(months: House, tmp_path: Path) -> House:
    """March is archived; the pot of March waits for a decision since before."""
    close_april(months)
    months.asked = propose(months, months.kept, "PB-1")  # type: ignore[attr-defined]
    archive(tmp_path)
    approver = months.people["AU-2"]
    approver.set_password(PASSWORD)
    approver.save(update_fields=["password"])
    return months


def counted() -> tuple[int, ...]:
    return Entry.objects.count(), Round.objects.count(), RoundProposal.objects.count(), RoundChange.objects.count()


def test_the_api_refuses_to_change_a_round_of_an_archived_month(away: House) -> None:
    played, before = away.late, counted()  # type: ignore[attr-defined]
    late = slip(away, occurred_at=(away.march.starts_at + timedelta(minutes=1)).isoformat())  # type: ignore[attr-defined]
    bodies = {
        f"rounds/{played.uuid}/void": {"uuid": str(uuid4()), "reason": "misdeal", "chips_returned": True},
        f"rounds/{played.uuid}/dead-hand": {"uuid": str(uuid4()), "reason": "misdeal", "seat": 1},
        f"rounds/{played.uuid}/correct": {"reason": "wrong_payment", "slip": {**late, "uuid": str(uuid4()), "replaces": str(played.uuid)}},
        "rounds/late": {"session": str(away.evening["UTH-01"].uuid), "reason": "not_entered", "slip": late},  # type: ignore[attr-defined]
    }
    bodies[f"rounds/{played.uuid}/correct"]["slip"]["round"]["id"] = played.label
    for where, body in bodies.items():
        client = APIClient()
        client.force_authenticate(away.people["PB-1"])
        answer = client.post(f"/api/v1/{where}", body, format="json")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "archived"), (where, answer.content)
    client = APIClient()
    client.force_authenticate(away.people["AU-2"])
    decided = client.post(f"/api/v1/proposals/{away.asked.uuid}/approve", {"password": PASSWORD}, format="json")  # type: ignore[attr-defined]
    assert (decided.status_code, decided.json()["error"]["code"]) == (409, "archived")
    assert "2026-03 are archived" in decided.json()["error"]["message"]
    assert counted() == before


def test_the_pages_refuse_to_change_a_round_of_an_archived_month(away: House) -> None:
    played, before, client = away.late, counted(), Client()  # type: ignore[attr-defined]
    client.force_login(away.people["PB-1"])
    round_page = client.get(f"/admin/tables/round/{played.pk}/change/")
    assert round_page.status_code == 200
    assert "March 2026 are archived" in round_page.content.decode() and f"/{played.pk}/void/" not in round_page.content.decode()
    for way in ("void", "dead-hand", "correct"):
        for answer in (client.get(f"/admin/tables/round/{played.pk}/{way}/"), client.post(f"/admin/tables/round/{played.pk}/{way}/")):
            assert (answer.status_code, "2026-03 are archived" in answer.content.decode()) == (409, True), way
    session = away.evening["UTH-01"].pk  # type: ignore[attr-defined]
    assert client.get(f"/admin/tables/round/late/?session={session}").status_code == 409
    asked = away.asked  # type: ignore[attr-defined]
    client.force_login(away.people["AU-2"])
    assert client.get(f"/admin/tables/roundproposal/{asked.pk}/change/").status_code == 200
    typed = {"approve": "1", "password": PASSWORD, "note": ""}
    decided = client.post(f"/admin/tables/roundproposal/{asked.pk}/decide/", typed)
    assert (decided.status_code, "2026-03 are archived" in decided.content.decode()) in ((409, True), (400, True)), decided.content
    assert counted() == before


def test_a_proposal_of_an_archived_month_is_still_rejected(away: House) -> None:
    asked = away.asked  # type: ignore[attr-defined]
    assert reject_proposal(asked, by=away.people["AU-2"], at=away.tick(), note="too late").state == "rejected"


def test_nothing_is_settled_or_audited_again_without_the_wagers_of_an_archived_month(away: House) -> None:
    played = away.kept  # type: ignore[attr-defined]
    shift, by = played.session.shift, away.people["AU-2"]
    asks = (
        lambda: ask_replay(shift, by=by),
        lambda: replay_now(shift, by=by),
        lambda: ask_month(away.property, shift.gaming_day.replace(day=1), paytable_of(played.paytable), by=by),
        lambda: audit_payouts(shift),
    )
    for ask in asks:
        with pytest.raises(Conflict) as error:
            ask()
        assert error.value.code == "archived"
    assert not Job.objects.filter(kind__startswith="replay").exists()


def test_a_late_round_stays_where_only_the_month_in_which_it_was_posted_is_archived(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path, "2026-04")
    late = months.late  # type: ignore[attr-defined]
    months.clock += date(2026, 11, 1) - APRIL
    floor.open_shift(months.property, date(2026, 11, 1), "swing", starts=time(20), ends=time(4), at=months.tick(), by=months.people["SM-1"])
    proposal = propose_mended(months, late, "PB-1", done={"1": {"ante": {"paid": 1500}}})
    before = counted()
    with pytest.raises(Conflict) as error:
        approve_proposal(proposal, by=months.people["AU-1"], at=months.tick())
    assert (error.value.code, error.value.facts["month"], counted()) == ("archived", "2026-04", before)


def test_an_irregular_round_of_an_archived_month_is_not_ruled_on(months: House, tmp_path: Path) -> None:
    spots = {"1": ("ante", "blind", "play", "trips"), "2": ("ante", "blind")}
    done = {seat: {kind: {"collected": 0, "paid": 0} for kind in kinds} for seat, kinds in spots.items()}
    odd = play(months, irregular={"reason": "a card was turned early"}, done=done)
    end_night(months)
    seal(months.shift)
    archive(tmp_path, "2026-04")
    with pytest.raises(Conflict) as error:
        rule_irregular(odd, reason="it stands", due=None, by=months.people["AU-2"], at=months.tick())
    assert (error.value.code, RoundRuling.objects.count()) == ("archived", 0)


# ---- what pages and files say of it ----

SPAN = Days(date(2026, 3, 1), date(2026, 4, 30))


def account(code: str) -> Account:
    return Account.objects.get(code=code)


def cells(report: Report, section: str) -> list[dict[str, object]]:
    found = next(part for part in report.sections if part.key == section)
    return [dict(zip((column.key for column in found.columns), row.values, strict=True)) for row in found.rows]


def test_a_statement_goes_on_from_the_kept_totals_of_an_archived_month(months: House, tmp_path: Path) -> None:
    close_april(months)
    tray = account("tray:UTH-01")
    before = cells(statement.build(months.property, tray, SPAN), "lines")
    march = [row for row in before if row["gaming_day"] < APRIL]
    archive(tmp_path)
    report = statement.build(months.property, tray, SPAN)
    line, *rest = cells(report, "lines")
    assert rest == [row for row in before if row["gaming_day"] >= APRIL] != []
    assert (line["kind"], line["gaming_day"], line["occurred_at"]) == ("archived", date(2026, 3, 31), None)
    assert (line["debit"], line["credit"]) == (sum(row["debit"] or 0 for row in march), sum(row["credit"] or 0 for row in march))
    assert line["balance"] == march[-1]["balance"]
    assert [row["amount"] for row in cells(report, "balances")] == [0, rest[-1]["balance"]]
    assert [value.partition(":")[0] for label, value in report.facts if label == "Archived"] == ["2026-03"]
    clipped = statement_page(tray, first=date(2026, 3, 14), last=date(2026, 3, 20))
    assert [(one.kind, one.key.gaming_day, one.balance) for one in clipped.lines] == [("archived", date(2026, 3, 20), clipped.closing)]
    after, seen = None, []
    while True:
        page = statement_page(tray, first=SPAN.first, last=SPAN.last, after=after, limit=1)
        seen += page.lines
        if page.next is None:
            break
        after = Key.read(str(page.next))
    assert (len(seen), seen) == (1 + len(rest), list(statement_lines(tray, first=SPAN.first, last=SPAN.last)))


def test_an_account_of_which_nothing_is_archived_has_no_such_line(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path)
    assert statement_page(account("cage:cash"), first=SPAN.first, last=SPAN.last).lines == []


def test_the_journal_names_what_is_left_out_and_accounting_refuses_it(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path)
    report = journal.build(months.property, SPAN)
    assert {row["gaming_day"] for row in cells(report, "lines")} == {APRIL}
    assert [value.partition(":")[0] for label, value in report.facts if label == "Archived"] == ["2026-03"]
    for days in (SPAN, Days(date(2026, 3, 31), APRIL)):
        with pytest.raises(Conflict) as error:
            accounting.build(months.property, days)
        assert (error.value.code, error.value.facts["months"]) == ("archived", ["2026-03"])
    assert cells(accounting.build(months.property, Days(APRIL, APRIL)), "lines")


def test_the_pages_of_the_books_say_what_is_true(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path)
    client, query = Client(), "?from=2026-03-01&to=2026-04-30"
    client.force_login(months.people["AU-1"])
    pages = {name: client.get(reverse(f"books:{name}", args=args) + query) for name, args in PAGES}
    assert {name: page.status_code for name, page in pages.items()} == {"statement": 200, "journal": 200, "trial_balance": 200, "accounting": 409}
    text = {name: page.content.decode() for name, page in pages.items()}
    assert "2026-03: its lines are archived" in text["statement"] and "Balances are right" in text["statement"]
    assert "They are left out here" in text["journal"] and "Balances are right" not in text["journal"]
    assert "2026-03 are archived" in text["accounting"]
    for name, _ in PAGES[:2]:
        args = [*dict(PAGES)[name], "csv"]
        assert client.get(reverse(f"books:{name}", args=args) + query).status_code == 200


PAGES: list[tuple[str, list[int]]] = [("statement", [1]), ("journal", []), ("trial_balance", []), ("accounting", [])]


def test_a_bundle_with_names_wants_the_texts_of_an_archived_month(months: House, tmp_path: Path) -> None:
    close_april(months)
    archive(tmp_path)
    segments = segments_named([], everything=True)
    with pytest.raises(Conflict) as error:
        export_bundle(segments, tmp_path / "named", with_names=True)
    assert (error.value.code, error.value.facts["months"], (tmp_path / "named").exists()) == ("archived", ["2026-03"], False)
    export_bundle(segments, tmp_path / "plain")
    export_bundle([segment for segment in segments if segment.number == 2], tmp_path / "april", with_names=True)
    restore(tmp_path)
    export_bundle(segments, tmp_path / "named", with_names=True)
    for folder in ("plain", "april", "named"):
        done = subprocess.run([sys.executable, "-I", "-S", "verify.py", "."], cwd=tmp_path / folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
