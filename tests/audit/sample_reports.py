"""Reports for the tests of the exports: the swing shift of design/mock, and everything that ever broke an export. No Django.

`python -m tests.audit.sample_reports NAME FMT` writes one to standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from audit.reports.report import Column, Report, Row, Section
from casino.money import Notation

MADRID = ZoneInfo("Europe/Madrid")

TABLES = (
    Column("table", "Table", "text"),
    Column("opener", "Opener", "amount", total=True),
    Column("closer", "Closer", "amount", total=True),
    Column("rounds", "Rounds", "integer", total=True),
    Column("drop", "Drop", "amount", total=True),
    Column("win_by_count", "Win by count", "amount", total=True),
    Column("win_by_play", "Win by play", "amount", total=True),
    Column("hold", "Hold", "percent"),
    Column("tray_variance", "Tray var.", "amount", total=True),
    Column("drop_variance", "Drop var.", "amount", total=True),
)
FINDINGS = (
    Column("finding", "Finding", "text"),
    Column("occurred_at", "Occurred", "moment"),
    Column("kind", "Kind", "text"),
    Column("effect", "Effect", "amount", total=True),
    Column("dealer", "Dealer", "text"),
    Column("age", "Age", "duration"),
    Column("due_on", "Answer due", "day"),
    Column("note", "What was seen", "text"),
)


def _table(code: str, *values: object, bad: tuple[str, ...] = ()) -> Row:
    return Row((code, *values), "bad" if bad else "", bad, f"/shifts/7/sessions/{code}/")  # type: ignore[arg-type]


def shift_report() -> Report:
    """Return the shift report of design/mock/shift-light.png: five tables and a pot game, two variances, three findings."""
    rows = (
        _table("UTH-01", 500_000, 512_000, 412, 390_000, 121_250, 121_250, Fraction(12125, 39000), 0, 0),
        _table("UTH-02", 500_000, 463_000, 388, 305_000, -12_000, -12_000, Fraction(-12, 305), 0, 0),
        _table("UTH-03", 500_000, 601_500, 365, 271_000, 88_500, 88_500, Fraction(885, 2710), 0, 0),
        _table("UTH-04", 500_000, 388_000, 290, 240_000, 64_000, 69_000, Fraction(640, 2400), -5_000, 0, bad=("tray_variance",)),
        _table("UTH-05", 500_000, 547_000, 431, 411_500, 130_000, 140_000, Fraction(1300, 4115), 0, -10_000, bad=("drop_variance",)),
        _table("PAY-01", 50_000, 62_000, 96, None, 12_000, 12_000, None, 0, 0),
    )
    house = Row(("House", *(None,) * 6, Fraction(40375, 161750), None, None), "bad", ("tray_variance", "drop_variance"))
    night = datetime(2026, 11, 30, 22, 14, 5, tzinfo=MADRID)
    findings = (
        Row(("F-2291", night, "overpaid", -2_500, "D-1042 Zoë Núñez", timedelta(hours=6), date(2026, 12, 2), "Trips paid 20:1, due 5:1"), "bad"),
        Row(("F-2292", night + timedelta(minutes=9), "underpaid", 2_000, "D-1107 陈伟", None, None, "Corrected at the table")),
        Row(("F-2293", night + timedelta(hours=6), "count_variance", -5_000, None, timedelta(minutes=22), None, ""), "warn", ("age",)),
    )
    explanations = (Column("variance", "Variance", "text"), Column("amount", "Amount", "amount"), Column("words", "Explanation", "text"))
    return Report(
        title="Shift report",
        subtitle="Swing, gaming day 30 November 2026",
        facts=(("Property", "Casino Gran Vía, Madrid"), ("Shift", "Swing, 20:00 to 04:00"), ("Grade", "final"), ("Status", "not signed")),
        sections=(
            Section("tables", "Tables", TABLES, rows, house),
            Section("findings", "Findings", FINDINGS, findings, note="A flag is a reason to look, never proof."),
            Section("explanations", "Explanations", explanations, (), empty="Nothing is explained yet."),
        ),
        currency="EUR",
        notation=Notation(2),
        zone="Europe/Madrid",
        identity="shift-report/2026-11-30/swing",
        made_from="6d1c9d2a",
        code="madrid.example/ledger\n4116\nQ2hlY2twb2ludA==\n",
    )


def one_section(
    columns: tuple[Column, ...], rows: Iterable[Row], *, exponent: int = 2, currency: str = "EUR", zone: str = "Europe/Madrid", **more: object
) -> Report:
    """Return a report of one section "rows"."""
    section = Section("rows", "Rows", columns, rows, **more)  # type: ignore[arg-type]
    return Report("Rows", (section,), currency, Notation(exponent), zone, identity="rows", made_from="test")


LONG = (
    Column("finding", "Finding", "text"),
    Column("occurred_at", "Occurred at the table, as the supervisor claims", "moment"),
    Column("effect", "Money effect, from the house's side", "amount", total=True),
    Column("note", "What was seen, and by whom, in the words of the one who saw it", "text"),
)


def long_rows(count: int) -> Iterator[Row]:
    """Yield `count` rows with ids F-000000 and on; each thirtieth note needs several lines."""
    start = datetime(2026, 11, 30, 19, tzinfo=UTC)
    note = "Paid as if it were the row above; corrected at the table, the patron agreed, camera 14 has it; shown to surveillance. " * 3
    for number in range(count):
        yield Row((f"F-{number:06d}", start + timedelta(seconds=7 * number), number % 9_000 - 4_500, note if number % 30 == 29 else "short"))


def long_report(count: int) -> Report:
    """Return a report of one long section with tall heads."""
    return one_section(LONG, tuple(long_rows(count)), note="A flag is a reason to look, never proof.")


SAMPLES = {"shift": shift_report, "long": lambda: long_report(3_200)}


if __name__ == "__main__":
    from audit.exports import render

    sys.stdout.buffer.write(render(SAMPLES[sys.argv[1]](), sys.argv[2]))  # type: ignore[arg-type]
