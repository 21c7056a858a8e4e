"""What a shift leaves to the next one: how much of each kind waits, and where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.board import waiting
from audit.reports.catalogue import catalogue
from audit.selectors import findings_for
from casino import roles
from casino.models import User
from tables.models import BoxPull, ChipSlip, SessionEvent, Shift
from tables.selectors import OPEN_SLIPS, open_proposals, pending_recounts, sessions_in, slips_in


@dataclass(frozen=True)
class Left:
    """One kind of thing that waits: its words, how many there are, where they are."""

    words: str | Promise
    count: int
    link: str


def left_over(shift: Shift, user: User) -> list[Left]:
    """Return what of `shift` waits in the pits of `user`, only what there is some of. Six queries."""
    return [left for left in _kinds(shift, user) if left.count]


def _kinds(shift: Shift, user: User) -> Iterator[Left]:
    pits = roles.pits_for(user, "read_reports")
    own = Q() if pits is None else Q(session__table__pit__code__in=pits)
    tables = shift.sessions.all() if pits is None else shift.sessions.filter(table__pit__code__in=pits)
    yield Left(_("tables to close"), sessions_in(SessionEvent.State.OPEN, tables).count(), _list("tables_tablesession", shift=shift.pk))
    slips = slips_in(OPEN_SLIPS, ChipSlip.objects.filter(own, session__shift=shift)).count()
    yield Left(_("slips not received"), slips, _list("tables_chipslip"))
    boxes = BoxPull.objects.filter(own, session__shift=shift, counts__isnull=True).count()
    yield Left(_("boxes to count"), boxes, _list("tables_boxpull"))
    yield Left(_("corrections to approve"), open_proposals(session__shift=shift).filter(own).count(), _list("tables_roundproposal", state="proposed"))
    yield Left(_("counts taken once more"), pending_recounts(session__shift=shift).filter(own).count(), _list("tables_countreopening"))
    yield Left(_("findings not closed"), waiting(findings_for(user).filter(shift=shift)).count(), _list("audit_finding", shift=shift.pk))


def _list(name: str, **narrowed: object) -> str:
    return reverse(f"admin:{name}_changelist") + (f"?{urlencode(narrowed)}" if narrowed else "")


def report_link(shift: Shift) -> str:
    """Return the address of the handover list of the shift's gaming day, "" where the house has no such report."""
    if "handover" not in catalogue():
        return ""
    return reverse("report-page", args=["handover"]) + f"?{urlencode({'day_from': shift.gaming_day, 'day_to': shift.gaming_day})}"
