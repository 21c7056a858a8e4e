"""The shift report: per table, per pit, the house, findings, what is handed over. Rows, not pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from django.db.models import QuerySet
from django.utils.translation import gettext, override

from audit.checkpoints import checkpoint_words
from audit.models import Finding, SessionReconciliation, ShiftReconciliation, TableDayReconciliation
from audit.reports.changes import change_sections
from audit.reports.house import handover
from audit.reports.report import Column, Report, Row, Section, Value
from audit.reports.signing import explanations, grades, signatures
from audit.selectors import findings_with_state, latest_reconciliation, reason_of
from audit.signing_selectors import final_signature, grade_of, lines_of
from casino import roles
from casino.errors import Conflict
from casino.models import User
from tables.engine.game import games
from tables.models import Shift

FIGURES = (
    Column("rounds", "Rounds", "integer", total=True),
    Column("handle", "Handle", "amount", total=True),
    Column("pots", "Pots", "amount", total=True),
    Column("opener", "Opener", "amount", total=True),
    Column("fills", "Fills", "amount", total=True),
    Column("chip_credits", "Chip credits", "amount", total=True),
    Column("closer", "Closer", "amount", total=True),
    Column("buy_ins", "Buy-ins", "amount", total=True),
    Column("drop", "Drop", "amount", total=True),
    Column("win_by_count", "Win by count", "amount", total=True),
    Column("win_by_play", "Win by play", "amount", total=True),
    Column("hold", "Hold", "percent"),
    Column("tray_variance", "Tray variance", "amount", total=True),
    Column("drop_variance", "Drop variance", "amount", total=True),
    Column("payout_variance", "Payout variance", "amount", total=True),
    Column("theoretical_win", "Theoretical win", "amount", total=True),
    Column("findings", "Findings", "integer", total=True),
)
MOVEMENTS = (
    Column("markers_issued", "Markers issued", "amount", total=True),
    Column("markers_redeemed", "Markers redeemed", "amount", total=True),
    Column("cash_collected", "Money plays collected", "amount", total=True),
    Column("coupons", "Coupons taken", "amount", total=True),
    Column("promo_paid", "Promotional cost", "amount", total=True),
    Column("rake_dropped", "Rake dropped", "amount", total=True),
)
"""Columns of a shift in which any of these moved, after the buy-ins."""
DAYS = (
    Column("table", "Table", "text"),
    Column("gaming_day", "Gaming day", "day"),
    Column("expected_drop", "Expected drop", "amount", total=True),
    Column("drop", "Drop", "amount", total=True),
    Column("drop_variance", "Drop variance", "amount", total=True),
    Column("tray_variance", "Tray variance", "amount", total=True),
    Column("win_by_play", "Win by play", "amount", total=True),
    Column("win_by_count", "Win by count", "amount", total=True),
    Column("hold", "Hold", "percent"),
)
"""Where boxes are pulled once a gaming day: drop, hold and win by count are the day's."""
FINDINGS = (
    Column("finding", "Finding", "text"),
    Column("severity", "Severity", "text"),
    Column("state", "State", "text"),
    Column("table", "Table", "text"),
    Column("round", "Round", "text"),
    Column("seat", "Seat", "integer"),
    Column("wager", "Wager", "text"),
    Column("dealer", "Dealer", "text"),
    Column("occurred_at", "At", "moment"),
    Column("due", "Due", "amount"),
    Column("done", "Done", "amount"),
    Column("effect", "Effect", "amount", total=True),
    Column("why", "Reason", "text"),
)
VARIANCES = ("tray_variance", "drop_variance", "payout_variance")


@override("en")
def build(shift: Shift, *, for_user: User | None = None) -> Report:
    """Return the report of `shift`'s newest reconciliation, for the pits of `for_user` (None: the whole house). Some twenty queries.

    Once the shift is signed, findings are as they were at the second signature: the same report is the same tomorrow. What was found since,
    and late facts, stand beside the frozen figures. Sealed, it carries its checkpoint.

    Raises Conflict (`not_reconciled`) where the shift was not reconciled yet.
    """
    kept = latest_reconciliation(shift)
    if kept is None:
        raise Conflict("not_reconciled", gettext("The %(shift)s is not reconciled yet.") % {"shift": shift})
    pits = roles.pits_for(for_user, "read_reports") if for_user else None
    lines = lines_in(lines_of(kept), pits)
    signed = final_signature(shift)
    findings = _findings(shift, pits, signed.recorded_at if signed else None)
    return replace(
        _report(shift, kept, pits),
        facts=_facts(shift, kept, pits),
        sections=(
            _tables(lines, findings),
            _pits(lines, findings),
            explanations(kept, pits),
            *_days(kept, pits),
            _section_of_findings("findings", "Findings", [f for f in findings if not f.flag], "No difference was found."),
            _section_of_findings(
                "flags",
                "Statistical flags",
                [f for f in findings if f.flag],
                "Nothing stands out.",
                note="A flag is a reason to look, never proof.",
            ),
            handover.of_shift(shift, pits, findings, signed=signed is not None),
            *change_sections(shift, pits),
            *(_found_since(shift, pits, signed.recorded_at) if signed else ()),
            grades(kept, lines),
        ),
        code=checkpoint_words(shift) or None,
    )


@override("en")
def build_tables(shift: Shift, kept: ShiftReconciliation, lines: Sequence[SessionReconciliation], pits: roles.Pits) -> Report:
    """Return the report's first section alone, which the shift's page shows: `lines` are those of `kept` in `pits`. Two queries."""
    signed = final_signature(shift)
    findings = _findings(shift, pits, signed.recorded_at if signed else None)
    return replace(_report(shift, kept, pits), sections=(_tables(lines, findings),))


def _report(shift: Shift, kept: ShiftReconciliation, pits: roles.Pits) -> Report:
    """Return the report without its facts and sections."""
    house = shift.property
    return Report(
        title="Shift report",
        subtitle=f"{house.name} · {shift}",
        facts=(),
        sections=(),
        currency=house.currency,
        notation=house.notation,
        zone=house.zone,
        identity=f"shift-report/{house.code}/{shift.gaming_day}/{shift.kind}" + (f"/{'+'.join(pits)}" if pits is not None else ""),
        made_from=bytes(kept.fingerprint).hex(),
    )


def lines_in(lines: Sequence[SessionReconciliation], pits: roles.Pits) -> list[SessionReconciliation]:
    """Return those of `lines` that are in `pits`."""
    return [line for line in lines if pits is None or line.session.table.pit.code in pits]


def _findings(shift: Shift, pits: roles.Pits, until: datetime | None) -> list[Finding]:
    """Return the shift's findings as they stood at `until`, None for now. One query."""
    found = Finding.objects.filter(shift=shift) if until is None else Finding.objects.filter(shift=shift, recorded_at__lte=until)
    return _in_order(findings_with_state(found, until), pits)


def _found_since(shift: Shift, pits: roles.Pits, signed_at: datetime) -> tuple[Section, ...]:
    """Return the section of what was found after the shift was signed, none where nothing was. One query."""
    later = _in_order(findings_with_state(Finding.objects.filter(shift=shift, recorded_at__gt=signed_at)), pits)
    if not later:
        return ()
    return (_section_of_findings("found_since", "Found since it was signed", later, "", note="Beside the signed figures, which do not change."),)


def _in_order(findings: QuerySet[Finding], pits: roles.Pits) -> list[Finding]:
    rows = findings.select_related("shift__property", "session__table__pit", "round", "dealer")
    rows = rows if pits is None else rows.filter(session__table__pit__code__in=pits)
    return sorted(rows, key=lambda f: (f.session.table.code if f.session else "", f.round.number if f.round else 0, f.key))


def _facts(shift: Shift, kept: ShiftReconciliation, pits: roles.Pits) -> tuple[tuple[str, str], ...]:
    facts = (
        ("Property", shift.property.name),
        ("Gaming day", shift.gaming_day.isoformat()),
        ("Shift", str(shift.get_kind_display())),
        ("Reconciliation", f"{kept.sequence}"),
        ("Grade", grade_of(kept).capitalize()),
        *signatures(kept),
    )
    return facts if pits is None else (*facts, ("Pits", ", ".join(pits)))


def _figures(lines: Sequence[SessionReconciliation]) -> tuple[Column, ...]:
    """Return the columns of figures: those of every shift, and the movements that there were."""
    moved = tuple(column for column in MOVEMENTS if any(getattr(line, column.key) for line in lines))
    place = next(index for index, column in enumerate(FIGURES) if column.key == "drop")
    return (*FIGURES[:place], *moved, *FIGURES[place:])


def _days(kept: ShiftReconciliation, pits: roles.Pits) -> tuple[Section, ...]:
    """Return the section of tables' gaming days, none where boxes are pulled once a session. One query."""
    rows = kept.days.select_related("table").order_by("table__code")
    days = list(rows if pits is None else rows.filter(table__pit__code__in=pits))
    if not days:
        return ()
    lines = tuple(_day_row(day.table.code, day.gaming_day, [day]) for day in days)
    return (Section("days", "Gaming days", DAYS, lines, totals=_day_row("House", None, days)),)


def _day_row(table: str, day: date | None, days: Sequence[TableDayReconciliation]) -> Row:
    drop, win = _sum(each.drop for each in days), _sum(each.win_by_count for each in days)
    figures = [_sum(getattr(each, column.key) for each in days) for column in DAYS[2:-1]]
    off = tuple(name for name in ("drop_variance", "tray_variance") if _sum(getattr(each, name) for each in days))
    hold = Fraction(win, drop) if win is not None and drop else None
    return Row((table, day, *figures, hold), emphasis="bad" if off else "", on=off)


def _tables(lines: Sequence[SessionReconciliation], findings: Sequence[Finding]) -> Section:
    found = Counter(finding.session_id for finding in findings if not finding.flag)
    figures = _figures(lines)
    columns = (Column("table", "Table", "text"), Column("pit", "Pit", "text"), Column("game", "Game", "text"), *figures)
    rows = []
    for line in lines:
        table = line.session.table
        head = (table.code, table.pit.code, table.game)
        rows.append(_row(head, [line], found[line.session_id], figures))
    return Section("tables", "Tables", columns, tuple(rows), totals=_row(("House", None, None), lines, sum(found.values()), figures))


def _pits(lines: Sequence[SessionReconciliation], findings: Sequence[Finding]) -> Section:
    by: dict[str, list[SessionReconciliation]] = defaultdict(list)
    for line in lines:
        by[line.session.table.pit.code].append(line)
    found = Counter(finding.session.table.pit.code for finding in findings if finding.session and not finding.flag)
    figures = _figures(lines)
    rows = tuple(_row((pit,), members, found[pit], figures) for pit, members in sorted(by.items()))
    totals = _row(("House",), lines, sum(found.values()), figures)
    return Section("pits", "Pits", (Column("pit", "Pit", "text"), *figures), rows, totals=totals)


def _row(head: tuple[str | None, ...], lines: Sequence[SessionReconciliation], findings: int, figures: Sequence[Column]) -> Row:
    """Return the figures of `lines` together; a figure that one of them does not have is left out of the sum."""
    house_games = [line for line in lines if not _is_pot(line)]
    drop = _sum(line.drop for line in house_games)
    win = _sum(line.win_by_count for line in house_games)
    values: dict[str, Value] = {
        "rounds": sum(line.rounds for line in lines),
        "handle": sum(line.handle for line in house_games),
        "pots": sum(line.handle for line in lines if _is_pot(line)),
        "opener": _sum(line.opener for line in lines),
        "fills": sum(line.fills for line in lines),
        "chip_credits": sum(line.chip_credits for line in lines),
        "closer": _sum(line.closer for line in lines),
        "buy_ins": sum(line.buy_ins for line in lines),
        **{column.key: sum(getattr(line, column.key) for line in lines) for column in MOVEMENTS},
        "drop": _sum(line.drop for line in lines),
        "win_by_count": _sum(line.win_by_count for line in lines),
        "win_by_play": sum(line.win_by_play for line in lines),
        "hold": Fraction(win, drop) if win is not None and drop else None,
        "tray_variance": _sum(line.tray_variance for line in lines),
        "drop_variance": _sum(line.drop_variance for line in lines),
        "payout_variance": sum(line.payout_variance for line in lines),
        "theoretical_win": _sum(line.theoretical_win for line in lines),
        "findings": findings,
    }
    off = tuple(name for name in VARIANCES if values[name])
    return Row((*head, *(values[column.key] for column in figures)), emphasis="bad" if off else "", on=off)


def _is_pot(line: SessionReconciliation) -> bool:
    return games()[line.session.table.game].is_pot_game


def _sum(figures: Iterable[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


def _section_of_findings(key: str, title: str, findings: Sequence[Finding], empty: str, note: str = "") -> Section:
    rows = tuple(_finding(finding) for finding in findings)
    return Section(key, title, FINDINGS, rows, empty=empty, note=note)


def _finding(finding: Finding) -> Row:
    played = finding.round
    return Row(
        (
            finding.kind.replace("_", " "),
            finding.severity,
            str(getattr(finding, "state", "") or ""),
            finding.session.table.code if finding.session else None,
            str(played.number) if played else None,
            finding.seat,
            finding.wager or None,
            finding.dealer.code if finding.dealer else None,
            played.occurred_at if played else None,
            finding.due,
            finding.done,
            finding.effect,
            reason_of(finding),
        ),
        emphasis="bad" if finding.severity == "major" else "warn" if finding.severity == "minor" else "",
        on=("finding", "effect"),
    )
