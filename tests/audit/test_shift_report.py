"""The shift report: its figures, whose pits it shows, and the same bytes through every door."""

from __future__ import annotations

import json
from io import BytesIO

import openpyxl
import pytest
from pypdf import PdfReader
from rest_framework.test import APIClient

from audit.exports import render
from audit.reports.shift import build
from audit.services import audit_payouts, reconcile_shift
from casino.errors import Conflict
from tests.builders import House, end_night, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def night(house: House) -> House:
    """Return a short night with one overpayment, a short tray and a pot, audited and reconciled."""
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


def figures(content: dict, section: str) -> list[dict]:
    return [row["cells"] for part in content["sections"] if part["key"] == section for row in part["rows"]]


def test_the_figures(night: House) -> None:
    content = json.loads(render(build(night.shift), "json"))
    tables = {row["table"]: row for row in figures(content, "tables")}
    uth = tables["UTH-01"]
    assert (uth["rounds"], uth["handle"], uth["win_by_play"], uth["win_by_count"], uth["payout_variance"]) == (1, 8_500, -3_000, -3_000, -500)
    assert (tables["UTH-02"]["tray_variance"], tables["UTH-02"]["win_by_count"], tables["UTH-02"]["findings"]) == (-5_000, -7_500, 1)
    assert (tables["PAY-01"]["handle"], tables["PAY-01"]["pots"], tables["PAY-01"]["hold"]) == (0, 1_300, None)
    [house] = [part["totals"]["cells"] for part in content["sections"] if part["key"] == "tables"]
    assert (house["rounds"], house["handle"], house["pots"], house["tray_variance"], house["findings"]) == (3, 17_000, 1_300, -5_000, 2)
    assert [(row["finding"], row["table"], row["effect"]) for row in figures(content, "findings")] == [
        ("overpaid", "UTH-01", -500),
        ("count variance", "UTH-02", -5_000),
    ]


@pytest.mark.parametrize("fmt", ["csv", "xlsx", "pdf", "json"])
def test_the_same_report_is_the_same_bytes(night: House, fmt: str) -> None:
    assert render(build(night.shift), fmt) == render(build(night.shift), fmt)


def test_xlsx_has_real_numbers_and_totals_that_agree(night: House) -> None:
    book = openpyxl.load_workbook(BytesIO(render(build(night.shift), "xlsx")), data_only=True)
    sheet = next(sheet for sheet in book.worksheets if sheet.title.startswith("Tables"))
    rows = list(sheet.iter_rows(values_only=True))
    head = next(index for index, row in enumerate(rows) if "Win by play" in row)
    place = rows[head].index("Win by play")
    figures = [row[place] for row in rows[head + 1 :] if isinstance(row[place], (int, float))]
    assert figures == [0, -30.0, -25.0, -55.0]


def test_the_api_answers_with_the_report_of_ones_pits(night: House) -> None:
    address = f"/api/v1/shifts/{night.shift.uuid}/report"

    def ask(number: str) -> tuple[int, dict]:
        client = APIClient()
        client.force_authenticate(night.people[number])
        answer = client.get(address)
        return answer.status_code, answer.json()

    status, whole = ask("SM-1")
    assert (status, whole) == (200, json.loads(render(build(night.shift, for_user=night.people["SM-1"]), "json")))
    status, north = ask("PB-2")
    assert (status, [row["table"] for row in figures(north, "tables")]) == (200, ["UTH-02"])
    assert [row["table"] for row in figures(north, "findings")] == ["UTH-02"]
    assert ask("CG-1")[0] == 403
    assert ask("AD-1")[0] == 403
    assert APIClient().get(address).status_code == 401


def test_a_shift_that_is_not_reconciled_says_so(house: House) -> None:
    with pytest.raises(Conflict) as error:
        build(house.shift)
    assert error.value.code == "not_reconciled"
    client = APIClient()
    client.force_authenticate(house.people["SM-1"])
    answer = client.get(f"/api/v1/shifts/{house.shift.uuid}/report")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_reconciled")
    assert client.get("/api/v1/shifts/00000000-0000-0000-0000-000000000001/report").status_code == 404


@pytest.mark.parametrize("fmt", ["csv", "xlsx", "pdf", "json"])
def test_the_handover_list_is_a_section_of_every_format(house: House, fmt: str) -> None:
    """A shift that ended with a box to count and a major finding that nobody answered leaves both to the next one."""
    play(house, done={"1": {"play": {"paid": 54_000}}})
    end_night(house)
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    [waits] = figures(json.loads(render(build(house.shift), "json")), "handover")
    assert (waits["what"], waits["table"], waits["amount"], waits["next"]) == ("finding", "UTH-01", -50_000, "assign or answer it")
    content = render(build(house.shift), fmt)
    if fmt == "xlsx":
        book = openpyxl.load_workbook(BytesIO(content), data_only=True)
        [sheet] = [sheet for sheet in book.worksheets if sheet.title.startswith("Handover")]
        assert "assign or answer it" in {cell for row in sheet.iter_rows(values_only=True) for cell in row}
    elif fmt == "pdf":
        pages = "".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)
        assert "Handover" in pages
    else:
        assert b"assign or answer it" in content


def test_whose_pits_a_handover_names(house: House) -> None:
    play(house, "UTH-02", done={"1": {"play": {"paid": 54_000}}})
    end_night(house)
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    for who, tables in (("PB-1", []), ("PB-2", ["UTH-02"]), ("SM-1", ["UTH-02"])):
        content = json.loads(render(build(house.shift, for_user=house.people[who]), "json"))
        assert [row["table"] for row in figures(content, "handover")] == tables
