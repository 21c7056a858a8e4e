"""What a shift's signature needs to know: what wants an explanation, who signed, how sure each figure is. In known numbers of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from audit.grades import Graded, grade_figures
from audit.models import Explanation, SessionReconciliation, ShiftReconciliation, Signature
from audit.variances import Variance, beyond_tolerance
from casino.models import User
from tables.house_settings import HouseSettings, settings_of
from tables.models import DropCount, Shift, TrayCount


def final_signature(shift: Shift) -> Signature | None:
    """Return the second signature, None where the shift is not signed. One query."""
    return Signature.objects.filter(shift_uuid=shift.uuid, is_final=True).select_related("by", "reconciliation").first()


def signatures_of(kept: ShiftReconciliation) -> list[Signature]:
    """Return the signatures under these figures, in their order: those under older figures are void. One query."""
    return list(Signature.objects.filter(reconciliation=kept).select_related("by").order_by("id"))


def grade_of(kept: ShiftReconciliation, signatures: Sequence[Signature] | None = None) -> str:
    """Return the grade of the whole: final once it is signed by two. One query, none with its `signatures`."""
    signed = any(signature.is_final for signature in (signatures_of(kept) if signatures is None else signatures))
    return ShiftReconciliation.Grade.FINAL if signed else kept.grade


def what_they_entered(shift: Shift, user: User) -> str | None:
    """Return what `user` entered of the shift ("rounds", "a count of a tray"), None where nothing. One query, the very one of the trigger."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_entered(%s, %s)", [shift.pk, user.pk])
        found: str | None = cursor.fetchone()[0]
    return found


@dataclass(frozen=True)
class Explained:
    """A variance beyond tolerance, the line that it is in, and what was said of it so far, oldest first."""

    variance: Variance
    line: SessionReconciliation
    explanations: Sequence[Explanation]

    @property
    def is_explained(self) -> bool:
        """Return whether somebody explained this amount."""
        return bool(self.explanations)


def lines_of(kept: ShiftReconciliation) -> list[SessionReconciliation]:
    """Return the lines of `kept` with session, table and pit, by table and session. One query."""
    return list(kept.lines.select_related("session__table__pit").order_by("session__table__code", "session__sequence"))


def variances_of(
    kept: ShiftReconciliation, lines: Sequence[SessionReconciliation] | None = None, settings: HouseSettings | None = None
) -> list[Explained]:
    """Return every variance of `kept` that wants an explanation, with those that it has: of older figures too, where the amount is the same.

    Four queries; two with its `lines` (`lines_of`) and the `settings` of its shift.
    """
    lines = lines_of(kept) if lines is None else lines
    said: dict[tuple[int, str, int], list[Explanation]] = defaultdict(list)
    for explanation in Explanation.objects.filter(session__in=[line.session_id for line in lines]).select_related("by").order_by("id"):
        said[explanation.session_id, explanation.variance, explanation.amount].append(explanation)
    by_session = {line.session_id: line for line in lines}
    wanted = beyond_tolerance(lines, settings or settings_of(kept.shift), day_drops(kept))
    return [Explained(one, by_session[one.session], said[one.session, one.figure, one.amount]) for one in wanted]


def day_drops(kept: ShiftReconciliation) -> Mapping[int, int | None]:
    """Return the drop variance of each box that was pulled for a gaming day, by the key of the session that it was pulled from. One query."""
    return dict(kept.days.values_list("session", "drop_variance"))


def grades_of(
    kept: ShiftReconciliation, lines: Sequence[SessionReconciliation] | None = None, signatures: Sequence[Signature] | None = None
) -> Mapping[int, list[Graded]]:
    """Return how sure each figure of each session is, and since when, by the session's key. Four queries; two with its `lines` and `signatures`."""
    final = next((one for one in (signatures_of(kept) if signatures is None else signatures) if one.is_final), None)
    by_session = {line.session_id: line for line in (lines_of(kept) if lines is None else lines)}
    counted: dict[int, dict[str, datetime]] = {session: {} for session in by_session}
    for count in TrayCount.objects.filter(session__in=by_session).order_by("sequence"):
        if _is_known(count, kept, by_session[count.session_id], count.kind):
            counted[count.session_id][count.kind] = count.recorded_at
    for drop in DropCount.objects.filter(session__in=by_session).order_by("sequence"):
        if _is_known(drop, kept, by_session[drop.session_id], "drop"):
            counted[drop.session_id]["drop"] = drop.recorded_at
    signed_at = final.recorded_at if final else None
    return {session: grade_figures(moments, reconciled_at=kept.recorded_at, signed_at=signed_at) for session, moments in counted.items()}


def _is_known(count: TrayCount | DropCount, kept: ShiftReconciliation, line: SessionReconciliation, figure: str) -> bool:
    """Return whether the figures know of `count`: one that came later is in the next reconciliation.

    By the database's clock; and one whose total stands in the line is known whatever the clock says, which may have been put back since.
    """
    return count.recorded_at <= kept.recorded_at or count.total == getattr(line, figure)
