"""A shift's page, its files and jobs, its findings, and tonight's board."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pypdf import PdfReader

from audit.models import Finding
from audit.services import audit_payouts, reconcile_shift
from casino.models import Job
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db

FORMATS = ("pdf", "xlsx", "csv", "json")


def address(house: House, what: str = "change", *more: Any) -> str:
    return reverse(f"admin:tables_shift_{what}", args=[house.shift.pk, *more])


def page(client: Client, house: House, who: str = "SM-1") -> Any:
    client.force_login(house.people[who])
    answer = client.get(address(house))
    assert answer.status_code == 200
    return answer


@pytest.fixture
def ended(house: House) -> House:
    """A night with an overpayment at UTH-01, a tray 50.00 short at UTH-02 and a box 1.00 over at PAY-01, audited and reconciled."""
    play(house, done={"1": {"play": {"paid": 4500}}}, mispaid=[{"seat": 1, "wager": "play", "status": "not_recovered"}])
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5000}, drops={"PAY-01": 100})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


def texts(answer: Any) -> dict[str, list[str]]:
    """Return the page's table, by its first cell."""
    shown = answer.context["page"]
    return {row[0].text: [cell.text for cell in row[1:]] for row in [*shown.rows, shown.totals]}


def test_the_page_puts_the_shift_together(ended: House, client: Client) -> None:
    answer = page(client, ended)
    assert [column.label for column in answer.context["page"].columns][:6] == ["Table", "Opener", "Closer", "Rounds", "Handle", "Pots"]
    lines = texts(answer)
    assert lines["UTH-01"][:4] == ["5,100.00", "5,070.00", "1", "85.00"]
    assert lines["UTH-01"][6:8] == ["−30.00", "−30.00"]
    assert lines["UTH-02"][6:8] == ["−75.00", "−25.00"]
    assert lines["House"][6:8] == ["−104.00", "−55.00"]
    assert "counted" in answer.content.decode()


def test_three_proofs_of_one_figure_and_where_the_gap_is(ended: House, client: Client) -> None:
    shown = page(client, ended).context["page"]
    assert [(proof.name, proof.amount) for proof in shown.proofs] == [
        ("Win by count", -10_400),
        ("Win by play", -5_500),
        ("Ledger", -5_500),
        ("Gap", -4_900),
    ]
    assert [(gap.what, gap.amount, gap.words) for gap in shown.gaps] == [("Drop PAY-01", 100, "over"), ("Tray UTH-02", -5_000, "short")]
    assert [(line.words, line.count, line.effect) for line in shown.mispaid] == [("overpaid", 1, -500)]


@pytest.mark.parametrize("who", ["SM-1", "PB-1", "AU-1"])
def test_a_shifts_page_asks_each_thing_once(ended: House, client: Client, who: str) -> None:
    """The count of findings that wait is asked twice: by the bar at the top for its shift, which is this one here, and by the handover."""
    client.force_login(ended.people[who])
    with CaptureQueriesContext(connection) as queries:
        client.get(address(ended))
    asked = Counter(query["sql"] for query in queries)
    assert [sql for sql, times in asked.items() if times > 1 and "audit_finding" not in sql] == []
    assert len(queries) < 50


def test_a_pit_boss_sees_her_pits_alone(ended: House, client: Client) -> None:
    answer = page(client, ended, "PB-2")
    assert list(texts(answer)) == ["UTH-02", "House"]
    assert "UTH-01" not in answer.content.decode()
    report = json.loads(client.get(address(ended, "report", "json")).content)
    assert [row["cells"]["table"] for row in report["sections"][0]["rows"]] == ["UTH-02"]


def test_every_format_says_the_same(ended: House, client: Client) -> None:
    client.force_login(ended.people["SM-1"])
    files = {fmt: client.get(address(ended, "report", fmt)) for fmt in FORMATS}
    for fmt, answer in files.items():
        assert answer.status_code == 200
        assert answer["Content-Disposition"] == f'attachment; filename="shift-report_CASINO_2026-03-14_swing.{fmt}"'
    lines = list(csv.reader(io.StringIO(files["csv"].content.decode("utf-8-sig"))))
    head = lines[0]
    [house_line] = [line for line in lines if line[:2] == ["tables", "total"]]
    assert house_line[head.index("win_by_play")] == "-55.00"
    assert json.loads(files["json"].content)["sections"][0]["totals"]["cells"]["win_by_play"] == -5500
    paper = " ".join(sheet.extract_text() for sheet in PdfReader(io.BytesIO(files["pdf"].content)).pages)
    assert "SM-1" in paper
    assert files["xlsx"].content[:2] == b"PK"


@pytest.mark.parametrize("fmt", ["doc", "PDF", "pdf.exe"])
def test_there_are_four_formats(ended: House, client: Client, fmt: str) -> None:
    client.force_login(ended.people["SM-1"])
    assert client.get(address(ended, "report", fmt)).status_code == 404


def test_a_report_that_is_not_there_yet_is_a_page_that_says_so(house: House, client: Client) -> None:
    client.force_login(house.people["SM-1"])
    answer = client.get(address(house, "report", "pdf"))
    assert answer.status_code == 409
    assert "is not reconciled yet" in answer.content.decode()


@pytest.mark.parametrize("who", ["CG-1", "CT-1", "GM-1", "AD-1"])
def test_who_reads_no_reports_gets_none(ended: House, client: Client, who: str) -> None:
    client.force_login(ended.people[who])
    for what, more, status in (("change", (), 404), ("report", ("pdf",), 403), ("progress", (), 403)):
        assert client.get(address(ended, what, *more)).status_code == status


def test_a_running_shift_tells_nobody_who_counts_what_is_expected(house: House, client: Client) -> None:
    play(house)
    for who in ("PB-1", "SM-1"):
        board = page(client, house, who).context["page"].board
        assert not board.sees_expected
        assert {(tile.expected, tile.win) for tile in board.tiles} == {(None, None)}
        assert "Tray, expected" not in client.get("/admin/").content.decode()
    tiles = {tile.table.code: tile for tile in page(client, house, "SV-1").context["page"].board.tiles}
    assert (tiles["UTH-01"].expected, tiles["UTH-01"].win) == (507_500, -2_500)


# ---- jobs ----


def test_reconciling_again_is_announced_once_and_only_by_who_may(ended: House, client: Client) -> None:
    before = set(Job.objects.values_list("pk", flat=True))
    Job.objects.update(state=Job.State.DONE)
    client.force_login(ended.people["PB-1"])
    assert client.post(address(ended, "reconcile")).status_code == 403
    client.force_login(ended.people["SM-1"])
    assert client.get(address(ended, "reconcile")).status_code == 405
    for _ in range(2):
        assert client.post(address(ended, "reconcile")).status_code == 302
    [job] = Job.objects.exclude(pk__in=before)
    assert (job.kind, job.args, job.asked_by) == ("close_shift", {"shift": str(ended.shift.uuid)}, ended.people["SM-1"])


def test_the_page_asks_how_far_the_jobs_are(ended: House, client: Client) -> None:
    answer = page(client, ended)
    found = client.get(address(ended, "progress")).json()
    assert found["running"]
    assert [(job["what"], job["state"]) for job in found["jobs"]] == [("close shift", "queued")]
    assert found["mark"] == answer.context["page"].mark == "1:3"


# ---- tonight ----


def test_the_board_shows_the_pits_of_tonight(house: House, client: Client) -> None:
    play(house)
    client.force_login(house.people["PB-1"])
    board = client.get("/admin/").context["board"]
    assert [(tile.table.code, tile.state, tile.rounds, tile.handle) for tile in board.tiles] == [
        ("PAY-01", "open", 0, 0),
        ("UTH-01", "open", 1, 8500),
    ]
    part = client.get("/admin/", {"part": "board"}).content.decode()
    assert "UTH-01" in part
    assert "<html" not in part


@pytest.mark.parametrize(("language", "one", "two"), [("en", "1 round ·", "2 rounds ·"), ("de", "1 Runde ·", "2 Runden ·")])
def test_the_board_counts_one_round_as_one(house: House, client: Client, language: str, one: str, two: str) -> None:
    client.force_login(house.people["SM-1"])
    for words in (one, two):
        play(house)
        assert words in client.get("/admin/", headers={"accept-language": language}).content.decode()


def test_the_board_takes_the_same_queries_whatever_was_played(house: House, client: Client) -> None:
    client.force_login(house.people["SV-1"])
    with CaptureQueriesContext(connection) as few:
        client.get("/admin/")
    for table in ("UTH-01", "UTH-02", "PAY-01", "UTH-01"):
        play(house, table)
    with CaptureQueriesContext(connection) as many:
        client.get("/admin/")
    assert len(few) == len(many) <= 20


# ---- findings ----


def finding_page(client: Client, finding: Finding) -> Any:
    return client.get(reverse("admin:audit_finding_change", args=[finding.pk]))


def test_a_finding_shows_its_round_and_its_reason(ended: House, client: Client) -> None:
    client.force_login(ended.people["PB-1"])
    text = finding_page(client, Finding.objects.get(kind="overpaid")).content.decode()
    for words in ("+40.00", "+45.00", "−5.00", "40.00 × 1:1 = 40.00", "not recovered", "ace of spades"):
        assert words in text


def test_a_finding_of_a_count_has_no_round(ended: House, client: Client) -> None:
    client.force_login(ended.people["PB-2"])
    answer = finding_page(client, Finding.objects.get(kind="count_variance", effect=-5000))
    assert answer.status_code == 200
    assert "5,025.00" in answer.content.decode()


def test_findings_of_other_pits_are_not_there(ended: House, client: Client) -> None:
    client.force_login(ended.people["PB-2"])
    listed = client.get("/admin/audit/finding/").context["cl"].result_list
    assert [finding.kind for finding in listed] == ["count_variance"]
    assert finding_page(client, Finding.objects.get(kind="overpaid")).status_code == 404


def test_a_finding_is_not_edited(ended: House, client: Client) -> None:
    client.force_login(ended.people["AU-1"])
    finding = Finding.objects.get(kind="overpaid")
    for what in ("change", "delete"):
        assert client.post(reverse(f"admin:audit_finding_{what}", args=[finding.pk]), {"severity": "note", "post": "yes"}).status_code == 403
    assert client.post("/admin/audit/finding/", {"action": "delete_selected", "_selected_action": [finding.pk]}).status_code == 403
    assert Finding.objects.get(pk=finding.pk).severity == "minor"


@pytest.mark.parametrize(
    "narrowed", [{"severity__exact": "minor"}, {"state": "open"}, {"kind": "overpaid"}, {"table": "UTH-01"}, {"flag__exact": "0"}]
)
def test_findings_are_narrowed(ended: House, client: Client, narrowed: dict[str, str]) -> None:
    client.force_login(ended.people["AU-1"])
    listed = client.get("/admin/audit/finding/", narrowed).context["cl"].result_list
    assert "overpaid" in {finding.kind for finding in listed}


def test_the_rounds_page_names_its_findings(ended: House, client: Client) -> None:
    finding = Finding.objects.get(kind="overpaid")
    client.force_login(ended.people["PB-1"])
    text = client.get(reverse("admin:tables_round_change", args=[finding.round_id])).content.decode()
    assert reverse("admin:audit_finding_change", args=[finding.pk]) in text
