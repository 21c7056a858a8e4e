"""Two sections of the shift report: how sure each figure is and since when, and what the pit bosses said of the variances. Rows, not pages."""

from __future__ import annotations

from collections.abc import Sequence

from audit.models import SessionReconciliation, ShiftReconciliation
from audit.reports.report import Column, Row, Section
from audit.signing_selectors import grades_of, signatures_of, variances_of
from audit.variances import WORDS
from casino import roles

GRADES = (
    Column("table", "Table", "text"),
    Column("figure", "Figure", "text"),
    Column("grade", "Grade", "text"),
    Column("as_of", "As of", "moment"),
)
EXPLANATIONS = (
    Column("table", "Table", "text"),
    Column("variance", "Variance", "text"),
    Column("amount", "Amount", "amount"),
    Column("level", "Level", "text"),
    Column("explanation", "Explanation", "text"),
    Column("by", "By", "text"),
    Column("at", "At", "moment"),
)


def grades(kept: ShiftReconciliation, lines: Sequence[SessionReconciliation]) -> Section:
    """Return the grade and age of every figure of every session. Four queries."""
    graded = grades_of(kept)
    rows = tuple(
        Row((line.session.table.code, one.label, one.grade, one.as_of), emphasis="warn" if one.grade == "estimate" else "", on=("grade",))
        for line in lines
        for one in graded[line.session_id]
    )
    return Section("grades", "Age and grade of the figures", GRADES, rows, empty="No table was open.")


def explanations(kept: ShiftReconciliation, pits: roles.Pits) -> Section:
    """Return every variance beyond tolerance with what was said of it; one that nobody explained says so. Two queries."""
    rows = []
    for one in variances_of(kept):
        table = one.line.session.table
        if pits is not None and table.pit.code not in pits:
            continue
        head = (table.code, one.variance.figure, one.variance.amount, WORDS[one.variance.level])
        rows += [Row((*head, said.text, str(said.by), said.recorded_at)) for said in one.explanations]
        if not one.explanations:
            rows.append(Row((*head, "not explained yet", None, None), emphasis="warn", on=("explanation",)))
    return Section("explanations", "Explanations", EXPLANATIONS, tuple(rows), empty="No variance is beyond tolerance.")


def signatures(kept: ShiftReconciliation) -> tuple[tuple[str, str], ...]:
    """Return the facts of who signed these figures. One query."""
    return tuple((f"Signed, {signature.get_role_display()}", str(signature.by)) for signature in signatures_of(kept))
