"""Our files in other people's programs: openpyxl reads them, pdftotext finds every id, LibreOffice works the totals out again.

Needs poppler-utils and libreoffice-calc; that one of them is missing is an error. Run by `make test-office`.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from audit.exports import render
from audit.reports import shift as shift_report
from audit.reports.catalogue import catalogue
from audit.reports.report import Report
from audit.reports.scope import read_scope
from audit.services import audit_payouts, reconcile_shift
from casino.money import Minor
from tables.services import chips
from tests.audit.sample_reports import long_report
from tests.builders import DAY, House, end_night, play

pytestmark = [pytest.mark.office, pytest.mark.django_db]
PATRONS = ("=SUM(1+1)", "0030610", "568883383628111872", "1405202108700589", "Zoë Núñez", "陈伟", "+1", "-42.50", "@A1", "1e5", "2026-01-02")
BUY_IN = 310_000
ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
EVERY_SHEET = "csv:Text - txt - csv (StarCalc):44,34,UTF8,1,,0,false,false,false,false,false,-1"


def program(*names: str) -> str:
    """Return the path of the first of `names` that is installed; fails where none is."""
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail(f"{names[0]} is not installed: apt-get install --no-install-recommends poppler-utils libreoffice-calc")
    return found


@pytest.fixture
def night(house: House) -> House:
    """A night with an overpayment, a short tray, a box with too much, and patrons whose numbers other programs like to read as something else."""
    session = house.sessions["UTH-01"]
    for patron in PATRONS:
        chips.cash_out(house.property, Minor(BUY_IN), at=house.tick(), by=house.people["CG-1"], uuid=_uuid(), patron=patron)
    chips.buy_in(session, Minor(12_345), at=house.tick(), by=house.people["FS-1"])
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    play(house, "UTH-02")
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000}, drops={"UTH-01": 100})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


def _uuid() -> Any:
    from uuid import uuid4

    return uuid4()


@pytest.fixture
def reports(night: House) -> Mapping[str, Report]:
    """Return the shift report and two others of that night."""

    def of(key: str) -> Report:
        kind = catalogue()[key]
        days = {"day_from": DAY.isoformat(), "day_to": DAY.isoformat()}
        return kind.report(read_scope(days, night.people["AU-1"], DAY, kind.action))

    return {"shift": shift_report.build(night.shift), "master-game": of("master-game"), "cash": of("cash")}


@dataclass(frozen=True)
class Total:
    """A total of ours: in which section, under which head, in the currency's units."""

    section: str
    head: str
    amount: int
    exponent: int


def totals_of(report: Report) -> list[Total]:
    """Return our own sums of every amount column, worked out here from the rows."""
    found = []
    for section in report.sections:
        rows = list(section.rows)
        for index, column in enumerate(section.columns):
            if column.total and column.kind in ("amount", "integer") and rows:
                values = [value for row in rows if isinstance(value := row.values[index], int)]
                if values:
                    found.append(Total(section.title, column.label, sum(values), report.exponent if column.kind == "amount" else 0))
    return found


# ---- openpyxl ----


def test_openpyxl_reads_cells_and_types_back(reports: Mapping[str, Report]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render(reports["cash"], "xlsx")))
    sheet = next(sheet for sheet in book.worksheets if sheet.title.startswith("Patrons"))
    rows = list(sheet.iter_rows())
    head = next(index for index, row in enumerate(rows) if "Patron" in [cell.value for cell in row])
    place = {str(cell.value): index for index, cell in enumerate(rows[head])}
    body = rows[head + 1 : head + 1 + len(PATRONS)]
    assert sorted(str(row[place["Patron"]].value) for row in body) == sorted(PATRONS)
    assert {row[place["Patron"]].data_type for row in body} == {"s"}
    assert {(row[place["Cash out"]].value, row[place["Cash out"]].data_type) for row in body} == {(BUY_IN / 100, "n")}
    assert {row[place["Gaming day"]].value.date() for row in body} == {DAY}
    last = rows[head + 1 + len(PATRONS)]
    assert (last[place["Cash out"]].data_type, str(last[place["Cash out"]].value)[:10]) == ("f", "=ROUND(SUM")
    assert sheet.freeze_panes is not None
    assert sheet.auto_filter.ref


# ---- pdftotext ----


def text_of(report: Report, folder: Path) -> str:
    path = folder / "report.pdf"
    path.write_bytes(render(report, "pdf"))
    done = subprocess.run([program("pdftotext"), "-layout", str(path), "-"], capture_output=True, check=True, timeout=120)
    return done.stdout.decode()


def test_pdftotext_finds_every_id_and_every_total(reports: Mapping[str, Report], tmp_path: Path) -> None:
    for key, report in reports.items():
        text = text_of(report, tmp_path)
        for section in report.sections:
            for row in section.rows:
                names = [str(value) for value, column in zip(row.values, section.columns, strict=True) if column.kind == "text" and value]
                missing = [name for name in names if " " not in name and len(name) <= 24 and name not in text]
                assert missing == [], f"{key}: {section.key}"
        for total in totals_of(report):
            shown = f"{abs(total.amount) / 10**total.exponent:,.{total.exponent}f}"
            assert shown in text, f"{key}: {total}"
        assert re.search(r"page 1 of \d", text)
        assert report.sha256 in text


def test_pdftotext_finds_every_row_of_a_long_report(tmp_path: Path) -> None:
    text = text_of(long_report(3_200), tmp_path)
    assert set(re.findall(r"F-\d{6}", text)) == {f"F-{number:06d}" for number in range(3_200)}


# ---- LibreOffice ----


def forgotten(content: bytes) -> bytes:
    """Return the workbook with the stored result of every formula set to 0: whoever shows a total has worked it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as parts, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in parts.namelist():
            data = parts.read(name)
            if name.startswith("xl/worksheets/"):
                data = re.sub(rb"</f><v>[^<]*</v>", b"</f><v>0</v>", data)
            copy.writestr(name, data)
    return out.getvalue()


def converted(files: list[Path], folder: Path) -> None:
    """Have LibreOffice work every workbook out again and write each of its sheets to `folder` as CSV."""
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE)
    command = [program("soffice", "libreoffice"), f"-env:UserInstallation=file://{profile}", "--headless", "--norestore"]
    command += ["--convert-to", EVERY_SHEET, "--outdir", str(folder), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr


def sheet_rows(folder: Path, key: str, title: str) -> list[list[str]]:
    [path] = [path for path in folder.glob(f"{key}-*.csv") if path.stem.removeprefix(f"{key}-").startswith(title[:20])]
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_libreoffice_works_the_totals_out_again(reports: Mapping[str, Report], tmp_path: Path) -> None:
    files = [tmp_path / f"{key}.xlsx" for key in reports]
    for path, report in zip(files, reports.values(), strict=True):
        path.write_bytes(forgotten(render(report, "xlsx")))
    converted(files, tmp_path)
    compared = 0
    for key, report in reports.items():
        for total in totals_of(report):
            rows = sheet_rows(tmp_path, key, total.section)
            head = next(row for row in rows if total.head in row)
            summed = [row for row in rows if row and (row[0] in ("Total", "House") or "Total" in row)][-1]
            assert round(float(summed[head.index(total.head)] or 0) * 10**total.exponent) == total.amount, total
            compared += total.amount != 0
    assert compared > 20
    patrons = list(sheet_rows(tmp_path, "cash", "Patrons"))
    place = next(row for row in patrons if "Patron" in row).index("Patron")
    assert set(PATRONS) <= {row[place] for row in patrons if len(row) > place}


def test_libreoffice_reads_our_csv(reports: Mapping[str, Report], tmp_path: Path) -> None:
    path = tmp_path / "cash.csv"
    path.write_bytes(render(reports["cash"], "csv"))
    profile = tmp_path / "profile"
    command = [program("soffice", "libreoffice"), f"-env:UserInstallation=file://{profile}", "--headless", "--norestore"]
    command += ["--infilter=CSV:44,34,UTF8", "--convert-to", "xlsx", "--outdir", str(tmp_path), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    sheet = openpyxl.load_workbook(tmp_path / "cash.xlsx").worksheets[0]
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert [cell for cell in cells if cell.data_type == "f"] == []  # no text of ours runs
    values = {str(cell.value) for cell in cells}
    assert {"Zoë Núñez", "陈伟"} <= values
