"""What the demo prints for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from audit.models import Finding, ReportFile
from audit.reports import shift as shift_report
from audit.reports.report import Column, Row
from casino.money import Notation, format_amount
from tables.models import Shift

SHOWN = ("table", "rounds", "handle", "drop", "win_by_play", "win_by_count", "hold", "tray_variance", "drop_variance", "findings")
LABELS = {"handle": "handle", "tray_variance": "tray var.", "drop_variance": "drop var."}


def tell_shift(console: Console, shift: Shift) -> None:
    """Print the shift's table: a line a table, and the house's."""
    report = shift_report.build(shift)
    section = report.sections[0]
    places = [[column.key for column in section.columns].index(key) for key in SHOWN]
    columns = [section.columns[place] for place in places]
    grid = Grid(title=f"{shift} · {shift.property.name} · {shift.property.currency}", title_justify="left", expand=False)
    for column in columns:
        grid.add_column(LABELS.get(column.key, column.label.lower()), justify="left" if column.left else "right", no_wrap=True)
    for row in section.rows:
        grid.add_row(*_cells(row, columns, places, report.notation))
    grid.add_section()
    assert section.totals is not None
    grid.add_row(*_cells(section.totals, columns, places, report.notation), style="bold")
    console.print(grid)


def _cells(row: Row, columns: Sequence[Column], places: Sequence[int], notation: Notation) -> list[str]:
    return [_cell(row.values[place], column, column.key in row.on, notation) for place, column in zip(places, columns, strict=True)]


def _cell(value: Any, column: Column, off: bool, notation: Notation) -> str:
    if value is None:
        return "—"
    if column.kind == "amount":
        text = format_amount(value, notation)
        return f"[red]{text}[/red]" if off else text
    if column.kind == "percent":
        return f"{float(Fraction(value) * 100):.1f} %".replace("-", "−")
    return f"{value:,}" if isinstance(value, int) else str(value)


def tell_findings(console: Console, shift: Shift, planted: Iterable[Mapping[str, str]]) -> bool:
    """Print what was planted and found, and return whether the audit found all of it and nothing else."""
    expected = {one["key"]: one["words"] for one in planted}
    found = {finding.key: finding for finding in Finding.objects.filter(shift=shift, flag=False)}
    for key, words in expected.items():
        finding = found.get(key)
        mark = "[green]found[/green]" if finding else "[red]not found[/red]"
        effect = format_amount(finding.effect, shift.property.notation) if finding else ""
        console.print(f"  {mark}  {words}" + (f"  [dim]{finding.kind.replace('_', ' ')}, effect {effect}[/dim]" if finding else ""))
    invented = [finding for key, finding in found.items() if key not in expected]
    for finding in invented:
        console.print(f"  [red]invented[/red]  {finding.kind} {finding.key}")
    hits = len(expected.keys() & found.keys())
    flags = Finding.objects.filter(shift=shift, flag=True).count()
    console.print(f"[bold]planted {len(expected)}, found {hits}, invented {len(invented)}[/bold]   (statistical flags, shown apart: {flags})")
    return hits == len(expected) and not invented


def tell_reports(console: Console, shift: Shift) -> None:
    """Print where the reports are."""
    newest: dict[str, ReportFile] = {}
    for kept in ReportFile.objects.filter(shift=shift).order_by("id"):
        newest[kept.format] = kept
    console.print("\nThe shift report:")
    for fmt, kept in newest.items():
        console.print(f"  {fmt.upper():<5} {_near(kept.path)}", soft_wrap=True, highlight=False)


def _near(path: str) -> str:
    """Return the path from here, where it is below here."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def tell_sign_ins(console: Console, sign_ins: Iterable[Mapping[str, str]], port: int) -> None:
    """Print how each role signs in."""
    grid = Grid(title=f"Sign in at http://127.0.0.1:{port}", title_justify="left")
    for label in ("role", "staff number", "password"):
        grid.add_column(label)
    for one in sign_ins:
        grid.add_row(one["role"], one["number"], one["password"])
    console.print(grid)


def tell_pins(console: Console, pins: Mapping[str, str]) -> None:
    """Print what dealers sign with, on a supervisor's screen."""
    if pins:
        console.print(f"Dealers have no sign-in; they sign with a PIN: {', '.join(f'{dealer} {pin}' for dealer, pin in pins.items())}")
