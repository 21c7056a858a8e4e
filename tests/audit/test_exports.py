"""Reports as CSV, XLSX, PDF and JSON. The ids are rows of bugs.md, section 4."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import openpyxl
import pypdf
import pytest
from openpyxl.utils.escape import unescape

from audit import export_pdf, export_xlsx_section, report_files
from audit.export_csv import guarded, unguarded
from audit.exports import FORMATS, filename, media_type, render, write
from audit.reports.report import Column, Report, Row, Section
from audit.reports.shown import moment, plain_amount, ratio_text, shown, visible
from casino.canonical import canonical_json
from casino.errors import BrokenBooks, Refused, Unavailable
from casino.money import Notation
from tests.audit.sample_reports import LONG, MADRID, long_report, one_section, shift_report

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = Path(__file__).with_name("expected")

NOTE = Column("note", "Note", "text")
AMOUNT = Column("result", "Result", "amount", total=True)


def notes(*texts: str) -> Report:
    return one_section((NOTE,), tuple(Row((text,)) for text in texts))


def csv_lines(report: Report) -> list[list[str]]:
    return list(csv.reader(io.StringIO(render(report, "csv").decode("utf-8-sig"), newline="")))


def csv_column(report: Report, key: str) -> list[str]:
    """Return the cells of one column of the section "rows", without the totals."""
    lines = csv_lines(report)
    at = lines[0].index(key)
    return [line[at] for line in lines[1:] if line[0] == "rows" and line[1] != "total"]


def book(report: Report) -> openpyxl.Workbook:
    return openpyxl.load_workbook(io.BytesIO(render(report, "xlsx")))


def pdf(report: Report) -> list[str]:
    """Return the text of each page."""
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render(report, "pdf"))).pages]


# ---- whole files


@pytest.mark.parametrize("fmt", ["csv", "json"])
def test_the_shift_report_is_the_expected_file(fmt: str) -> None:
    assert render(shift_report(), fmt) == (EXPECTED / f"shift-report.{fmt}").read_bytes()


@pytest.mark.parametrize("fmt", FORMATS)
def test_the_same_report_is_the_same_bytes_in_another_zone_and_locale(fmt: str) -> None:
    elsewhere = os.environ | {"TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONHASHSEED": "77", "SOURCE_DATE_EPOCH": "86400"}
    command = [sys.executable, "-m", "tests.audit.sample_reports", "shift", fmt]
    there = subprocess.run(command, cwd=ROOT, env=elsewhere, capture_output=True, check=True, umask=0o077)
    assert there.stdout == render(shift_report(), fmt)


def test_a_pdf_bound_from_stretches_is_the_same_bytes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_pdf, "STRETCH_CELLS", 800)
    assert render(long_report(500), "pdf") == render(long_report(500), "pdf")


def test_who_prints_changes_the_paper_and_not_the_hash() -> None:
    report = shift_report()
    printed = replace(report, printed_by="SM-2", printed_at=datetime(2026, 12, 1, 3, 31, 7, tzinfo=UTC), reprint=1)
    assert printed.sha256 == report.sha256
    assert "printed by SM-2" in pdf(printed)[0]
    assert "printed at 2026-12-01 04:31:07 +01:00" in pdf(printed)[0]
    assert "REPRINT 1" in pdf(printed)[0]
    assert "REPRINT" not in pdf(report)[0]


def test_any_other_change_changes_the_hash() -> None:
    report = shift_report()
    hashes = {
        report.sha256,
        replace(report, made_from="7").sha256,
        replace(report, currency="USD").sha256,
        replace(report, zone="Asia/Tokyo").sha256,
        replace(report, facts=report.facts[1:]).sha256,
        replace(report, sections=report.sections[:2]).sha256,
        replace(report, sections=(replace(report.sections[0], rows=tuple(report.sections[0].rows)[1:]), *report.sections[1:])).sha256,
    }
    assert len(hashes) == 7


@pytest.mark.parametrize("fmt", FORMATS)
def test_write_returns_the_counts_and_the_hash(fmt: str) -> None:
    seen = write(shift_report(), fmt, io.BytesIO())
    assert seen.rows == {"tables": 6, "findings": 3, "explanations": 0}
    assert (seen.count, seen.sha256) == (9, shift_report().sha256)


def test_progress_is_told_each_thousand() -> None:
    told: list[int] = []
    write(one_section((NOTE,), (Row(("x",)) for _ in range(2_500))), "csv", io.BytesIO(), progress=told.append)
    assert told == [1000, 2000]


def test_the_file_is_left_open() -> None:
    for fmt in FORMATS:
        out = io.BytesIO()
        write(notes("x"), fmt, out)
        assert not out.closed


# ---- JSON


def test_json_without_printed_and_hash_is_what_the_hash_is_of() -> None:
    content = render(replace(shift_report(), printed_by="SM-2"), "json")
    shape = json.loads(content)
    assert canonical_json(shape) == content
    printed, stated = shape.pop("printed"), shape.pop("sha256")
    assert printed == {"at": None, "by": "SM-2", "reprint": 0}
    assert sha256(canonical_json(shape)).hexdigest() == stated == shift_report().sha256


def test_json_amounts_are_minor_units_and_the_currency_is_stated() -> None:
    shape = json.loads(render(shift_report(), "json"))
    assert (shape["currency"], shape["exponent"], shape["zone"], shape["format"]) == ("EUR", 2, "Europe/Madrid", "pitbook-report/1")
    [tables, findings, explanations] = shape["sections"]
    assert tables["rows"][1]["cells"]["win_by_count"] == -12_000
    assert tables["rows"][1]["cells"]["hold"] == "-12/305"
    assert tables["rows"][3] == tables["rows"][3] | {"emphasis": "bad", "on": ["tray_variance"], "link": "/shifts/7/sessions/UTH-04/"}
    assert tables["totals"]["cells"]["win_by_play"] == 418_750
    assert findings["rows"][0]["cells"]["occurred_at"] == "2026-11-30T22:14:05+01:00"
    assert findings["rows"][0]["cells"]["age"] == 21_600
    assert (explanations["rows"], explanations["totals"], explanations["empty"]) == ([], None, "Nothing is explained yet.")


def test_json_whole_numbers_that_a_double_cannot_hold_are_text() -> None:
    shape = json.loads(render(one_section((AMOUNT,), (Row((2**53 - 1,)), Row((2**53,)), Row((-(2**60),)))), "json"))
    assert [row["cells"]["result"] for row in shape["sections"][0]["rows"]] == [2**53 - 1, str(2**53), str(-(2**60))]


# ---- B090, B091: text that runs

HOSTILE = ["=SUM(1+1)", "+1", "@A1", "-1+1|cmd", "\t=1", "\n=1", " =1", "＝1", "'=1", "'quoted'", '=HYPERLINK("http://x","y")', "-", "=1,2;3"]
HARMLESS = ["", "a=1", "1-2", "UTH-01", "“-”", "#REF!", "{=1}", "<r><t>rich</t></r>", "_x0041_", "a,b", 'say "hi"', "two\nlines", " x "]


@pytest.mark.parametrize("text", HOSTILE)
def test_b090_csv_guards_text_and_gives_it_back(text: str) -> None:
    [cell] = csv_column(notes(text), "note")
    assert cell == "'" + text
    assert unguarded(cell) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_b090_csv_leaves_harmless_text_alone(text: str) -> None:
    assert csv_column(notes(text), "note") == [text]
    assert unguarded(guarded(text)) == text


def test_b090_csv_guards_facts_and_titles_too() -> None:
    report = replace(notes("x"), title="=1+1", facts=(("@who", "+44 20"),))
    trailer = {line[2]: line[3] for line in csv_lines(report) if line[0] == "report"}
    assert trailer["title"] == "'=1+1"
    assert trailer["'@who"] == "'+44 20"


def test_b090_xlsx_text_is_text() -> None:
    texts = [text for text in HOSTILE + HARMLESS if text]
    sheet = book(notes(*texts))["Rows"]
    cells = [sheet.cell(row, 1) for row in range(2, len(texts) + 2)]
    assert [unescape(cell.value) for cell in cells] == texts
    assert {cell.data_type for cell in cells} <= {"s", "inlineStr"}
    with zipfile.ZipFile(io.BytesIO(render(notes(*texts), "xlsx"))) as parts:
        written = b"".join(parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/sheet"))
    assert b"<f>" not in written
    assert b"hyperlink" not in written


def test_b091_negative_figures_stay_numbers() -> None:
    report = one_section((AMOUNT,), (Row((-4_250,)), Row((10_000,)), Row((None,))))
    assert csv_column(report, "result") == ["-42.50", "100.00", ""]
    sheet = book(report)["Rows"]
    assert [(sheet.cell(row, 1).value, sheet.cell(row, 1).data_type) for row in (2, 3, 4)] == [(-42.5, "n"), (100, "n"), (None, "n")]


# ---- B093, B097: digits


def test_b093_b097_ids_keep_every_digit() -> None:
    ids = ("1405202108700589", "568883383628111872", "0030610", "007", "1E5", "2026-12-01")
    assert csv_column(notes(*ids), "note") == list(ids)
    sheet = book(notes(*ids))["Rows"]
    assert [sheet.cell(row, 1).value for row in range(2, 8)] == list(ids)
    assert all(sheet.cell(row, 1).number_format == "@" for row in range(2, 8))
    page = pdf(notes(*ids))[0]
    assert all(each in page for each in ids)


def test_b093_amounts_beyond_fifteen_digits_are_text_and_their_total_is_no_formula() -> None:
    report = one_section((AMOUNT,), (Row((999_999_999_999_999,)), Row((1_000_000_000_000_001,))))
    sheet = book(report)["Rows"]
    assert sheet["A2"].value == 9_999_999_999_999.99
    assert sheet["A3"].value == "10000000000000.01"
    assert sheet["A4"].value == "20000000000000.00"
    assert csv_column(report, "result") == ["9999999999999.99", "10000000000000.01"]


@pytest.mark.parametrize(("exponent", "written", "format_"), [(0, "-4250", "#,##0"), (2, "-42.50", "#,##0.00"), (3, "-4.250", "#,##0.000")])
def test_each_currency_has_its_decimals(exponent: int, written: str, format_: str) -> None:
    report = one_section((AMOUNT,), (Row((-4_250,)),), exponent=exponent)
    assert csv_column(report, "result") == [written]
    cell = book(report)["Rows"]["A2"]
    assert (cell.value, cell.number_format.split(";")[0]) == (float(written), format_)
    assert "\u2212" + written[1:].replace("4250", "4,250") in pdf(report)[0]


def test_fifteen_digit_amounts_come_back_to_the_unit() -> None:
    amounts = [7, 29, 1_005, 33_333_333_333_333, 123_456_789_012_345, 999_999_999_999_999, -814_659_237_465_981]
    sheet = book(one_section((AMOUNT,), tuple(Row((amount,)) for amount in amounts)))["Rows"]
    assert [sheet.cell(row, 1).value for row in range(2, 9)] == [amount / 100 for amount in amounts]


# ---- B094: time

AT = Column("at", "Posted at", "moment")
FIRST = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_b094_both_half_past_twos_of_the_repeated_hour_can_be_told_apart() -> None:
    report = one_section((AT,), (Row((FIRST,)), Row((FIRST + timedelta(hours=1),))))
    assert csv_column(report, "at") == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]
    sheet = book(report)["Rows"]
    assert [cell.value for cell in sheet[1]] == ["Posted at", "Posted at, offset"]
    assert [cell.value for cell in sheet[2]] == [datetime(2026, 10, 25, 2, 30), "+02:00"]  # noqa: DTZ001
    assert [cell.value for cell in sheet[3]] == [datetime(2026, 10, 25, 2, 30), "+01:00"]  # noqa: DTZ001
    page = pdf(report)[0]
    assert "2026-10-25 02:30:00 +02:00" in page
    assert "2026-10-25 02:30:00 +01:00" in page
    assert "times in Europe/Madrid" in page


def test_b094_moments_of_any_zone_and_century_are_shown() -> None:
    report = one_section(
        (AT, Column("day", "Day", "day")),
        (
            Row((datetime(1890, 5, 1, 12, tzinfo=MADRID), date(1890, 5, 1))),
            Row((datetime(2026, 12, 1, 4, 2, 3, 123_456, tzinfo=UTC), date(9999, 12, 31))),
        ),
        zone="Australia/Lord_Howe",
    )
    assert csv_column(report, "at")[1] == "2026-12-01T15:02:03.123456+11:00"
    sheet = book(report)["Rows"]
    assert sheet["A2"].value.startswith("1890-05-01 22:51:")
    assert sheet["C2"].value == "1890-05-01"
    assert sheet["B3"].value == "+11:00"
    assert len(pdf(report)) == 1


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError, match=r"at: .* is no moment"):
        render(one_section((AT,), (Row((datetime(2026, 1, 1),)),)), "csv")  # noqa: DTZ001


# ---- B095, B096: characters


@pytest.mark.parametrize("code", [0x00, 0x0B, 0x16, 0x1B, 0x7F, 0x85, 0x200E, 0x202E, 0x2066, 0xD800, 0xFFFE, 0xFFFF])
def test_b095_no_character_crashes_an_export_and_what_is_unseen_is_replaced(code: int) -> None:
    text = f"spoke{chr(code)}twice"
    report = replace(notes(text), title=text, facts=((text, text),), code=None if code == 0xD800 else text)
    seen = visible(text)
    assert csv_column(report, "note") == [seen]
    assert book(report)["Rows"]["A2"].value == seen
    assert json.loads(render(report, "json"))["sections"][0]["rows"][0]["cells"]["note"] in (text, "spoke\ufffdtwice")
    assert "twice" in pdf(report)[0]
    if code != 0x200E:
        assert seen != text


def test_b095_replacements_can_be_read() -> None:
    assert visible("a\x00b\x0bc\x16d\x7fe") == "a␀b␋c␖d␡e"
    assert visible("tab\tline\nkept\r\n") == "tab\tline\nkept\n"
    assert "‹U+240B›" in pdf(notes("a\x0bb"))[0]


def test_b096_accents_survive_and_the_file_reads_back_in() -> None:
    report = notes("Zoë Núñez", "陈伟")
    content = render(report, "csv")
    assert content.startswith(b"\xef\xbb\xbfsection,line,note")
    lines = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert [line["note"] for line in lines[:2]] == ["Zoë Núñez", "陈伟"]
    assert [line["section"] for line in lines[:2]] == ["rows", "rows"]
    unstripped = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
    assert [line["note"] for line in unstripped][0:2] == ["Zoë Núñez", "陈伟"]
    assert [book(report)["Rows"][f"A{row}"].value for row in (2, 3)] == ["Zoë Núñez", "陈伟"]
    page = pdf(report)[0]
    assert "Zoë Núñez" in page
    assert "陈伟" in page
    assert "‹U+" not in page


def test_b096_what_no_typeface_of_ours_draws_is_printed_as_its_code_point() -> None:
    page = pdf(notes("สม 🎲"))[0]
    assert "‹U+0E2A›‹U+0E21› ‹U+1F3B2›" in page


# ---- CSV


def test_every_csv_line_is_as_long_and_ends_in_cr_lf() -> None:
    report = shift_report()
    content = render(report, "csv").decode("utf-8-sig")
    assert content.endswith("\r\n")
    assert not re.search(r"(?<!\r)\n", re.sub(r'"[^"]*"', "", content))
    assert len({len(line) for line in csv_lines(report)}) == 1


def test_csv_ends_with_the_counts_and_the_hash() -> None:
    trailer = [(line[2], line[3]) for line in csv_lines(shift_report()) if line[0] == "report"]
    assert trailer[-4:] == [
        ("rows of tables", "6"),
        ("rows of findings", "3"),
        ("rows of explanations", "0"),
        ("sha256", shift_report().sha256),
    ]


def test_csv_sections_read_into_records() -> None:
    records: dict[str, list[dict[str, str]]] = {}
    for line in csv_lines(shift_report()):
        if line[0] == "section":
            head = line
        else:
            records.setdefault(line[0], []).append(dict(zip(head, line, strict=True)))
    assert [record["table"] for record in records["tables"]] == ["UTH-01", "UTH-02", "UTH-03", "UTH-04", "UTH-05", "PAY-01", "House"]
    assert records["tables"][1] | {"line": "2", "win_by_count": "-120.00", "hold": "-0.03934426"} == records["tables"][1]
    assert records["tables"][-1]["line"] == "total"
    assert records["findings"][0]["age"] == "21600"


# ---- XLSX


def test_xlsx_sheets_heads_and_filters() -> None:
    workbook = book(shift_report())
    assert workbook.sheetnames == ["Report", "Tables", "Findings", "Explanations"]
    sheet = workbook["Tables"]
    assert [cell.value for cell in sheet[1]] == [column.label for column in shift_report().sections[0].columns]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:J7")
    assert (sheet["H2"].value, sheet["H2"].number_format.split(";")[0]) == (pytest.approx(0.310897, abs=1e-6), "0.0%")
    assert workbook["Explanations"]["A2"].value == "Nothing is explained yet."
    findings = workbook["Findings"]
    assert findings["G2"].value == timedelta(hours=6)
    assert findings["H2"].value == datetime(2026, 12, 2)  # noqa: DTZ001
    front = {row[0].value: row[1].value for row in workbook["Report"].iter_rows(min_row=2)}
    assert front["sha256"] == shift_report().sha256
    assert front["rows of tables"] == "6"
    assert front["Property"] == "Casino Gran Vía, Madrid"


def test_xlsx_totals_are_formulas_that_agree_with_ours() -> None:
    content = render(shift_report(), "xlsx")
    formulas = openpyxl.load_workbook(io.BytesIO(content))["Tables"]
    values = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Tables"]
    assert formulas["A8"].value == "House"
    assert formulas["B8"].value == "=ROUND(SUM(B2:B7),2)"
    assert formulas["D8"].value == "=SUM(D2:D7)"
    assert formulas["H8"].value == pytest.approx(0.249614, abs=1e-6)
    totals = {"B": 25_500, "C": 25_735, "D": 1_982, "E": 16_175, "F": 4_037.5, "G": 4_187.5, "I": -50, "J": -100}
    for letter, total in totals.items():
        assert values[f"{letter}8"].value == total
        assert round(sum(values[f"{letter}{row}"].value or 0 for row in range(2, 8)), 2) == total


def test_xlsx_goes_on_in_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_xlsx_section, "SHEET_ROWS", 12)
    workbook = book(one_section((NOTE, AMOUNT), tuple(Row((f"{number:03d}", 101)) for number in range(25))))
    assert workbook.sheetnames == ["Report", "Rows", "Rows (2)", "Rows (3)"]
    assert [cell.value for name in workbook.sheetnames[1:] for cell in workbook[name]["A"][1:]] == [f"{n:03d}" for n in range(25)] + ["Total"]
    assert workbook["Rows (3)"]["B7"].value == "=ROUND(SUM('Rows'!B2:B11,'Rows (2)'!B2:B11,B2:B6),2)"
    assert all(workbook[name]["A1"].value == "Note" for name in workbook.sheetnames[1:])


def test_xlsx_sheet_names_are_ones_that_excel_takes() -> None:
    titles = ["a/b:c*d?e[f]\\g", "History", "x" * 40, "X" * 40, "report", "'quoted'", "", "🎲" * 20, "line\none\x00"]
    sections = tuple(Section(f"s{number}", title, (NOTE,), ()) for number, title in enumerate(titles))
    names = book(Report("T", sections, "EUR", Notation(2), "UTC", "t", "t")).sheetnames
    assert names[:8] == ["Report", "a-b-c-d-e-f--g", "History (2)", "x" * 31, "X" * 27 + " (2)", "report (2)", "quoted", "Sheet"]
    assert all(len(name.encode("utf-16-le")) <= 62 for name in names)
    assert names[-1] == "line one␀"


def test_xlsx_cell_that_is_too_long_says_so() -> None:
    [cut, whole] = [book(notes("n" * size))["Rows"]["A2"].value for size in (32_768, 32_767)]
    assert cut.endswith("[cut here; whole in the CSV and JSON]")
    assert len(cut) == 32_767
    assert whole == "n" * 32_767


# ---- PDF


def test_b101_heads_on_every_page_and_every_id() -> None:
    pages = pdf(long_report(120))
    assert len(pages) >= 3
    text = "\n".join(pages)
    for number, page in enumerate(pages, start=1):
        assert "Occurred at the table" in page
        assert "What was seen, and by whom" in page
        assert f"page {number} of {len(pages)}" in page
    assert re.findall(r"F-\d{6}", text) == [f"F-{number:06d}" for number in range(120)]
    assert text.count("shown to surveillance.") == 4 * 3
    assert f"SHA-256 {long_report(120).sha256}" in pages[-1]


def test_b101_a_row_taller_than_a_page_is_printed_whole() -> None:
    note = " ".join(f"word{number:05d}" for number in range(3_000))
    text = " ".join(pdf(one_section(LONG[:1] + LONG[3:], (Row(("F-1", note)),))))
    assert re.findall(r"word\d{5}", text) == note.split()


def test_a_long_report_is_bound_from_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_pdf, "STRETCH_CELLS", 400)
    pages = pdf(long_report(250))
    assert len(pages) > 4
    assert all(f"page {number} of {len(pages)}" in page and "Money effect" in page for number, page in enumerate(pages, start=1))
    assert re.findall(r"F-\d{6}", "".join(pages)) == [f"F-{number:06d}" for number in range(250)]
    assert [index for index, page in enumerate(pages) if "Total" in page] == [len(pages) - 1]


def test_b100_five_thousand_rows_stay_in_bounds() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pages = pypdf.PdfReader(io.BytesIO(render(long_report(5_000), "pdf"))).pages
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    assert after.ru_maxrss < 600 * 1024
    assert f"page {len(pages)} of {len(pages)}" in pages[-1].extract_text()


@pytest.mark.slow
def test_b100_twenty_thousand_rows_stay_in_bounds() -> None:
    report = long_report(20_000)
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render(report, "pdf"))).pages]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 600 * 1024
    assert re.findall(r"F-\d{6}", "".join(pages)) == [f"F-{number:06d}" for number in range(20_000)]
    assert all("Money effect" in page for page in pages)


def test_b100_beyond_fifty_thousand_rows_paper_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        render(one_section((NOTE,), (Row(("x",)) for _ in range(50_001))), "pdf")
    assert (refused.value.code, refused.value.facts) == ("too_long_for_paper", {"limit": 50_000})


def test_b100_a_pdf_that_takes_too_long_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.export_typst.TIME_LIMIT", 0.01)
    with pytest.raises(Unavailable) as slow:
        render(shift_report(), "pdf")
    assert slow.value.code == "report_too_slow"


def test_typst_never_reads_data_as_markup() -> None:
    evil = '#panic("no") *b* _i_ `r` <l> @ref $x^2$ // c /* d */ \\ "q" #sys.inputs [x] https://x.example'
    column = Column("note", evil, "text")
    report = one_section((column,), (Row((evil,)),), note=evil)
    page = pdf(replace(report, title=evil, subtitle=evil, facts=((evil, evil),), printed_by=evil, identity=evil))[0]
    assert page.replace("\n", " ").count('#panic("no") *b* _i_ `r` <l> @ref $x^2$ // c /* d */') == 9


def test_wide_tables_are_cut_into_bands_and_no_figure_is_broken() -> None:
    columns = (Column("table", "Table", "text"), *(Column(f"c{n}", f"Figure {n}", "amount", total=True) for n in range(40)))
    rows = tuple(Row((f"UTH-{r:02d}", *(-(10**9) - 1000 * n - r for n in range(40)))) for r in range(3))
    text = "\n".join(pdf(one_section(columns, rows)))
    assert "Rows · 1 of" in text
    for row in rows:
        assert all(shown(value, column, long_report(0)) in text for value, column in zip(row.values, columns, strict=True))
    assert text.count("UTH-02") == text.count("Rows · ")


def test_an_empty_section_says_so() -> None:
    page = pdf(shift_report())[0]
    assert "Nothing is explained yet." in page
    assert "0 rows" in page


def test_signs_and_dashes_on_paper_are_real() -> None:
    page = pdf(shift_report())[0]
    assert "−120.00" in page
    assert "−3.9\u00a0%" in page
    assert "—" in page
    assert "-120.00" not in page


# ---- B104: length


GROWTH = """
import io, resource, sys
from audit.exports import write
from tests.audit.sample_reports import *
fmt, path = sys.argv[1:3]
count = int(sys.argv[3])
HOSTILE = ("=SUM(1+1)", "a\x0b\x16b", "Zoë Núñez", "陈伟", "0030610", "568883383628111872")
rows = lambda count: (Row((f"F-{number:06d}", number, HOSTILE[number % 6])) for number in range(count))
columns = (Column("finding", "Finding", "text"), Column("effect", "Effect", "amount", total=True), Column("note", "Note", "text"))
write(one_section(columns, rows(10)), fmt, io.BytesIO())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(path, "wb") as file:
    seen = write(one_section(columns, rows(count)), fmt, file)
print(seen.count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def many_rows(fmt: str, path: Path, rows: int = 250_001) -> None:
    """Write so many rows of hostile text in a process of their own; asserts that it grew by less than 20 MB."""
    done = subprocess.run([sys.executable, "-c", GROWTH, fmt, str(path), str(rows)], cwd=ROOT, capture_output=True, check=True, text=True)
    count, kilobytes = done.stdout.split()
    assert count == str(rows)
    assert int(kilobytes) < 20 * 1024


@pytest.mark.slow
def test_b104_a_quarter_of_a_million_rows_in_csv_are_complete_in_little_memory(tmp_path: Path) -> None:
    many_rows("csv", tmp_path / "rows.csv")
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8-sig").splitlines()
    assert sum(line.startswith("rows,") for line in lines) == 250_001 + 1
    assert lines[250_001] == "rows,250001,F-250000,2500.00,0030610"
    assert "report,8,rows of rows,250001," in lines


def test_b104_thirty_thousand_and_one_rows_in_xlsx_are_complete() -> None:
    content = render(one_section((NOTE, AMOUNT), (Row((f"F-{n:06d}", n)) for n in range(30_001))), "xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml")
    assert [int(number) for number in re.findall(rb"F-(\d{6})", sheet)] == list(range(30_001))
    assert b"<f>ROUND(SUM(B2:B30002),2)</f><v>4500150.0</v>" in sheet


@pytest.mark.slow
def test_b104_a_quarter_of_a_million_rows_in_xlsx_are_complete_in_little_memory(tmp_path: Path) -> None:
    many_rows("xlsx", tmp_path / "rows.xlsx")
    with zipfile.ZipFile(tmp_path / "rows.xlsx") as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml")
    assert sheet.count(b"<row ") == 250_001 + 2
    assert b"F-250000" in sheet
    assert b"<f>ROUND(SUM(B2:B250002),2)</f><v>312501250" in sheet


@pytest.mark.slow
@pytest.mark.long
def test_b104_a_million_rows_of_hostile_text_in_csv(tmp_path: Path) -> None:
    """B090, B093, B095, B096, B097, B104: complete, each text as it was, in little memory."""
    many_rows("csv", tmp_path / "rows.csv", 1_000_001)
    notes, count = set(), 0
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        for line in csv.reader(file):
            if line[0] == "rows" and line[1].isdigit():
                notes.add(unguarded(line[4]))
                count += 1
    assert count == 1_000_001
    assert notes == {"=SUM(1+1)", "a\u240b\u2416b", "Zoë Núñez", "陈伟", "0030610", "568883383628111872"}


@pytest.mark.slow
@pytest.mark.long
def test_b104_a_million_rows_of_hostile_text_in_xlsx(tmp_path: Path) -> None:
    many_rows("xlsx", tmp_path / "rows.xlsx", 1_000_001)
    with zipfile.ZipFile(tmp_path / "rows.xlsx") as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml")
    assert sheet.count(b"<row ") == 1_000_001 + 2
    assert sheet.count(b"<f>") == 1  # the total, and nothing that was text
    notes = set(re.findall(rb'<c r="C\d+" s="\d+" t="inlineStr"><is><t>([^<]*)</t>', sheet))
    known = {"=SUM(1+1)", "a\u240b\u2416b", "Zoë Núñez", "陈伟", "0030610", "568883383628111872"}
    assert known <= {note.decode() for note in notes} <= known | {"Note"}


# ---- the values


def test_totals_that_are_not_the_sums_are_broken_books() -> None:
    wrong = one_section((NOTE, AMOUNT), (Row(("a", 10_000)), Row(("b", 25_000))), totals=Row(("House", 35_001)))
    for fmt in FORMATS:
        with pytest.raises(BrokenBooks) as broken:
            render(wrong, fmt)
        assert (broken.value.code, broken.value.where, broken.value.facts) == ("totals_disagree", "rows.result", {"stated": 35_001, "sum": 35_000})
    assert csv_lines(replace(wrong, sections=(replace(wrong.sections[0], totals=Row(("House", 35_000))),)))[3][:4] == [
        "rows",
        "total",
        "House",
        "350.00",
    ]


def test_a_summed_section_without_totals_gets_them() -> None:
    lines = csv_lines(one_section((NOTE, AMOUNT), (Row(("a", 100)), Row(("b", None)))))
    assert lines[3][:4] == ["rows", "total", "Total", "1.00"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [("amount", 1.5), ("amount", True), ("amount", "1"), ("integer", 1.0), ("percent", 0.25), ("text", 7), ("day", FIRST), ("duration", 60)],
)
def test_a_value_of_another_kind_is_refused(kind: str, value: object) -> None:
    report = one_section((Column("x", "X", kind),), (Row((value,)),))  # type: ignore[arg-type]
    for fmt in FORMATS:
        with pytest.raises(TypeError, match=f"x: .* is no {kind}"):
            render(report, fmt)


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(TypeError, match="a row of 1 values for 2 columns"):
        render(one_section((NOTE, AMOUNT), (Row(("a",)),)), "csv")


def test_rows_that_can_be_read_once_are_not_read_for_the_hash() -> None:
    report = one_section((NOTE,), iter((Row(("a",)),)))
    with pytest.raises(TypeError, match="can be read only once"):
        _ = report.sha256
    assert write(report, "csv", io.BytesIO()).sha256 == notes("a").sha256


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Column("Win", "Win", "amount"),
        lambda: Column("section", "Section", "text"),
        lambda: Column("hold", "Hold", "percent", total=True),
        lambda: Section("report", "Report", (NOTE,), ()),
        lambda: Section("rows", "Rows", (NOTE, NOTE), ()),
        lambda: Section("rows", "Rows", (), ()),
        lambda: Section("rows", "Rows", (NOTE,), (), Row(("a", 1))),
        lambda: replace(notes("a"), zone="Europe/Atlantis"),
        lambda: replace(notes("a"), sections=notes("a").sections * 2),
        lambda: replace(notes("a"), printed_at=datetime(2026, 1, 1)),  # noqa: DTZ001
        lambda: replace(notes("a"), notation=Notation(9)),
    ],
)
def test_reports_that_cannot_be_are_refused(wrong: object) -> None:
    with pytest.raises(ValueError):
        wrong()  # type: ignore[operator]


def test_figures_in_words() -> None:
    report = notes("a")
    percent = Column("hold", "Hold", "percent", decimals=2)
    assert shown(Fraction(-48987, 2572780), percent, report) == "−1.90\u00a0%"
    assert shown(Fraction(1, 800), percent, report) == "0.13\u00a0%"
    assert shown(-4_250, AMOUNT, report) == "−42.50"
    assert shown(1_234_567, Column("n", "N", "integer"), report) == "1,234,567"
    assert shown(timedelta(hours=-1, seconds=-5), Column("d", "D", "duration"), report) == "−1:00:05"
    assert shown(timedelta(hours=31, microseconds=999_999), Column("d", "D", "duration"), report) == "31:00:00"
    assert shown(None, AMOUNT, report) == "—"
    assert ratio_text(Fraction(-1, 10**9), 2) == "0.00"
    assert plain_amount(-5, 3) == "-0.005"
    assert moment(FIRST, report) == "2026-10-25 02:30:00 +02:00"


def test_names_and_types_of_files() -> None:
    assert filename(shift_report(), "pdf") == "shift-report_2026-11-30_swing.pdf"
    assert filename(replace(shift_report(), identity="../Zoë\r\n陈/x\x00"), "csv") == "Zoe-_x.csv"
    assert filename(replace(shift_report(), identity="陈伟"), "csv") == "report.csv"
    assert len(filename(replace(shift_report(), identity="x" * 500), "xlsx")) < 100
    assert {media_type(fmt) for fmt in FORMATS} == {
        "text/csv; charset=utf-8; header=present",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/pdf",
        "application/json",
    }


def test_the_exports_load_without_django() -> None:
    script = "import sys, audit.exports; sys.exit('django' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_two_who_write_the_same_file_at_once_each_write_it_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second begins and ends while the first is writing: neither takes the other's half-written file away."""
    path, report, real, inner = tmp_path / "report.csv", shift_report(), report_files.write, []

    def meanwhile(*given: object, **more: object) -> object:
        if not inner:
            inner.append(None)
            inner.append(report_files._write(path, report, "csv"))
        return real(*given, **more)

    monkeypatch.setattr(report_files, "write", meanwhile)
    outer = report_files._write(path, report, "csv")
    assert outer == inner[1]
    assert sha256(path.read_bytes()).hexdigest() == outer["file_sha256"]
    assert [found.name for found in tmp_path.iterdir()] == ["report.csv"]
