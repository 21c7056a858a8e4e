"""Charts of reports: one drawing for the page and for paper, said in words, with the figures beside it; and the figures that it draws."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import pypdf
import pytest
from django.test import Client

from audit.exports import FORMATS, render
from audit.moments import RoundFigures
from audit.reports.catalogue import catalogue
from audit.reports.chart import MOST_BARS, Bar, Chart, svg
from audit.reports.house.hourly_win import hour_of
from audit.reports.report import Report
from audit.reports.scope import read_scope
from audit.services import audit_payouts, reconcile_shift
from audit.statistics import Moments, check_win
from casino.money import Notation
from tables.models import Round
from tests.audit.sample_reports import shift_report
from tests.builders import DAY, House, end_night, play
from tests.corrections import deal, void

DAYS = {"day_from": DAY.isoformat(), "day_to": DAY.isoformat()}
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("1")</script>&\'"'
CHART = Chart(
    "Errors & rates",
    (Bar("D-1", 150, 20, 400, 100), Bar(HOSTILE, 900, 500, 1_400, 100, loud=True), Bar("陈伟", -5)),
    Notation(2),
    "Three of them.",
)


def with_chart(chart: Chart) -> Report:
    report = shift_report()
    return replace(report, sections=(replace(report.sections[0], chart=chart), *report.sections[1:]))


# ---- the drawing ----


def test_a_drawing_is_well_formed_says_itself_and_has_no_style() -> None:
    drawn = svg(CHART, "c-x")
    root = ElementTree.fromstring(drawn)
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "c-x-title c-x-desc")
    assert (title.get("id"), title.text, desc.get("id")) == ("c-x-title", "Errors & rates", "c-x-desc")
    assert desc.text is not None
    assert desc.text.startswith("Three of them. D-1: 1.50; 95 % interval from 0.20 to 4.00; expected 1.00.")
    assert "<script" not in drawn
    assert "style=" not in drawn
    figures = [text.text for text in root.iter(f"{SVG}text")]
    assert {"1.50", "9.00", "−0.05"} <= set(figures)
    assert HOSTILE[:25] + "…" in figures


def test_everything_lies_inside_and_in_proportion() -> None:
    bars = (Bar("a", 0), Bar("b", 100), Bar("c", -100))
    rects = list(ElementTree.fromstring(svg(Chart("t", bars, Notation(0), ""), "k")).iter(f"{SVG}g"))
    shapes = [next(iter(group.iter(f"{SVG}rect"))) for group in rects]
    spans = [(float(shape.get("x", "0")), float(shape.get("width", "0"))) for shape in shapes]
    assert spans == [(483.0, 0.8), (483.0, 307.0), (176.0, 307.0)]


def test_a_chart_of_nothing_or_of_too_much_is_not_drawn() -> None:
    assert not replace(CHART, bars=()).is_drawn
    assert not replace(CHART, bars=(Bar("a", 1),) * (MOST_BARS + 1)).is_drawn
    assert "Errors" not in paper(with_chart(replace(CHART, bars=())))


def paper(report: Report) -> str:
    return "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render(report, "pdf"))).pages)


def test_paper_has_the_drawing_and_the_hash_does_not() -> None:
    drawn = with_chart(CHART)
    assert drawn.sha256 == shift_report().sha256
    assert "Errors & rates" in paper(drawn)
    assert "Errors & rates" not in paper(shift_report())
    assert render(drawn, "pdf") == render(drawn, "pdf")
    for fmt in FORMATS:
        if fmt != "pdf":
            assert render(drawn, fmt) == render(shift_report(), fmt)


# ---- hours of the property's clock ----


@pytest.mark.parametrize(
    ("zone", "moment", "began"),
    [
        ("Asia/Hong_Kong", "2026-11-30T22:46", "2026-11-30T22:00"),
        ("Asia/Kathmandu", "2026-11-30T22:46", "2026-11-30T22:15"),  # 04:31 there
        ("Europe/Madrid", "2026-10-25T00:30", "2026-10-25T00:00"),  # the first 02:30
        ("Europe/Madrid", "2026-10-25T01:30", "2026-10-25T01:00"),  # the second 02:30
        ("America/Sao_Paulo", "2016-10-16T03:20", "2016-10-16T03:00"),  # midnight does not exist: 01:20
        ("Africa/Cairo", "2024-04-25T22:10", "2024-04-25T22:00"),  # nor there
        ("Australia/Lord_Howe", "2026-04-04T14:50", "2026-04-04T14:00"),  # the first 01:50
        ("Australia/Lord_Howe", "2026-04-04T15:10", "2026-04-04T15:00"),  # the second 01:40: its hour began when the clock went back
        ("Australia/Lord_Howe", "2026-04-04T15:40", "2026-04-04T15:30"),  # 02:10
        ("Australia/Lord_Howe", "2026-10-03T15:40", "2026-10-03T15:30"),  # 02:40: the clock went from 02:00 to 02:30
    ],
)
def test_an_hour_begins_on_the_property_s_clock(zone: str, moment: str, began: str) -> None:
    assert hour_of(datetime.fromisoformat(moment).replace(tzinfo=UTC), zone) == datetime.fromisoformat(began).replace(tzinfo=UTC)


# ---- the figures that are drawn ----


def section(house: House, key: str, part: str, who: str = "AU-1") -> Any:
    kind = catalogue()[key]
    built = kind.report(read_scope(DAYS, house.people[who], DAY, kind.action))
    found = next(one for one in built.sections if one.key == part)
    content = json.loads(render(built, "json"))
    rows = next(one["rows"] for one in content["sections"] if one["key"] == part)
    return found, [row["cells"] for row in rows]


@pytest.fixture
def night(house: House) -> House:
    """Five rounds in two hours, one voided, an error, a short tray; audited and reconciled."""
    play(house, done={"1": {"ante": {"paid": 1_500}}})
    play(house, "UTH-02")
    void(house, deal(house))
    house.tick(3_600)
    play(house)
    play(house, "PAY-01")
    end_night(house, closers={"UTH-02": -5_000})
    audit_payouts(house.shift)
    reconcile_shift(house.shift)
    return house


@pytest.mark.django_db
def test_hours_with_their_intervals(night: House) -> None:
    part, rows = section(night, "hourly-win", "hours")
    assert [(row["rounds"], row["win"], row["compared"], row["win_compared"]) for row in rows] == [(2, -5_500, 2, -5_500), (2, -2_500, 1, -2_500)]
    figures = RoundFigures()
    one = Round.objects.filter(session__table__code="UTH-02").get()
    moments = figures.moments(one, list(one.wagers.order_by("line")))
    both = check_win(moments + Moments(1, 0, -3_000, 0, moments.expected, moments.variance))
    assert (rows[0]["low"], rows[0]["high"], rows[0]["expected"]) == (both.low, both.high, round(2 * moments.expected))
    assert moments.expected > 0
    assert part.chart is not None
    assert [(bar.label, bar.value, bar.low, bar.high, bar.loud) for bar in part.chart.bars] == [
        ("20:00 -0700", -5_500, both.low, both.high, False),
        ("21:00 -0700", -2_500, rows[1]["low"], rows[1]["high"], False),
    ]


@pytest.mark.django_db
def test_beyond_so_many_rounds_hours_are_summed_only(night: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.reports.house.hourly_win.MOST_COMPARED", 3)
    part, rows = section(night, "hourly-win", "hours")
    assert (part.chart, [row["low"] for row in rows], [row["win"] for row in rows]) == (None, [None, None], [-5_500, -2_500])
    assert part.note.startswith("More than")


@pytest.mark.django_db
def test_variance_by_table_and_dealers_with_exact_intervals(night: House) -> None:
    part, rows = section(night, "table-win", "day")
    assert {row["table"]: (row["tray_variance"], row["drop_variance"]) for row in rows} == {
        "PAY-01": (0, 0),
        "UTH-01": (0, 0),
        "UTH-02": (-5_000, 0),
    }
    assert [(bar.label, bar.value, bar.loud) for bar in part.chart.bars] == [("UTH-02 tray", -5_000, True)]
    part, rows = section(night, "dealers", "dealers")
    assert [(row["rounds"], row["errors"], row["wrong_rounds"], row["per_1000"], row["low"], row["high"]) for row in rows] == [
        (4, 1, 1, "250.00", "6.31", "805.88")  # Clopper-Pearson of 1 in 4
    ]
    assert [(bar.label, bar.value, bar.low, bar.high, bar.expected) for bar in part.chart.bars] == [("D-1187", 25_000, 631, 80_588, 25_000)]
    assert Fraction(1, 4) * 1000 == 250


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "title"), [("hourly-win", "Win by hour"), ("table-win", "Variance by table"), ("dealers", "Errors per 1,000 rounds")]
)
def test_the_page_and_the_paper_show_the_same_drawing(night: House, key: str, title: str) -> None:
    client = Client()
    client.force_login(night.people["AU-1"])
    page = client.get(f"/admin/reports/{key}/", DAYS)
    content = page.content.decode()
    assert 'class="report-chart"' in content
    assert title in content
    figure = content[content.index('<figure class="report-figure"') : content.index("</figure>")]
    assert "style=" not in figure
    assert "casino/reports" in content
    assert "'unsafe-inline'" not in page["Content-Security-Policy"]
    kind = catalogue()[key]
    assert title in paper(kind.report(read_scope(DAYS, night.people["AU-1"], DAY, kind.action)))
