"""A house that splits off cents with a comma: what is typed is read so, what is shown is written so, on every page and on paper."""

from __future__ import annotations

import io
import json
from typing import Any

import openpyxl
import pypdf
import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from audit.exports import render
from audit.reports.shift import build
from audit.services import audit_payouts, reconcile_shift
from tables.models import Property, Round
from tests.builders import House, end_night, make_house, make_people, play
from tests.tables.test_admin_rounds import SHEET, fresh

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def comma(nobody_yet: None) -> House:
    return make_house("LISBON", {"UTH-71": ("uth", "P1")}, staff=make_people(), currency="EUR", zone="Europe/Lisbon", writes="comma")


def preview(client: Client, **typed: str) -> dict[str, Any]:
    page = {"table": "UTH-71", **fresh(client, "UTH-71"), **SHEET, **typed}
    answer = client.post("/admin/tables/round/preview/", page)
    assert answer.status_code == 200
    return json.loads(answer.content)


def test_the_console_reads_and_writes_a_comma(comma: House, client: Client) -> None:
    client.force_login(comma.people["PB-1"])
    good = json.dumps(preview(client, s1_ante="1.000,00", s1_play="3x"), ensure_ascii=False)
    assert "1.000,00" in good and "1,000.00" not in good
    for typed in ("10.5", "1,000.00", "1.00", "1.0000"):
        wrong = json.dumps(preview(client, s1_ante=typed), ensure_ascii=False)
        assert "grouped in threes" in wrong or "is not an amount" in wrong, typed


def test_a_thousand_is_a_thousand(comma: House, client: Client) -> None:
    """`1.000` is never 1: here a point groups, so it is a thousand; `10.5` is neither and is refused."""
    client.force_login(comma.people["FS-1"])
    address = f"/admin/tables/tablesession/{comma.sessions['UTH-71'].pk}/buy-in/do/"
    typed = {"uuid": "00000000-0000-0000-0000-000000000071", "amount": "10.5"}
    refused = client.post(address, typed)
    assert (refused.status_code, list(refused.context["form"].errors)) == (400, ["amount"])
    assert client.post(address, typed | {"amount": "1.000"}).status_code == 303
    session = comma.sessions["UTH-71"]
    assert [(moved.amount, moved.kind) for moved in session.movements.all()][-1][0] == 100_000


def test_reports_and_pages_are_written_so(comma: House, client: Client) -> None:
    play(comma, "UTH-71")
    end_night(comma)
    audit_payouts(comma.shift)
    reconcile_shift(comma.shift)
    report = build(comma.shift)
    paper = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render(report, "pdf"))).pages)
    assert "85,00" in paper and "85.00" not in paper
    shape = json.loads(render(report, "json"))
    assert (shape["currency"], shape["exponent"]) == ("EUR", 2)  # whole minor units for programs, whatever the signs
    assert "85.00" in render(report, "csv").decode("utf-8-sig")  # plain decimals there too
    book = openpyxl.load_workbook(io.BytesIO(render(report, "xlsx")))
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    assert any(cell.value in (85, -85) and cell.number_format.startswith("#,##0.00") for cell in cells)  # the reader's own program writes it
    client.force_login(comma.people["AU-1"])
    played = Round.objects.get()
    for address in ("/admin/?property=LISBON", f"/admin/tables/shift/{comma.shift.pk}/change/", f"/admin/tables/round/{played.pk}/change/"):
        text = client.get(address).content.decode()
        assert "85,00" in text, address
        assert "85.00" not in text, address


def test_the_database_knows_the_ways_to_write(comma: House) -> None:
    other = Property(code="ROME", name="Rome", zone="Europe/Rome", currency="EUR", writes="roman")
    with pytest.raises(IntegrityError, match="tables_property_writes"), transaction.atomic():
        other.save(force_insert=True)
