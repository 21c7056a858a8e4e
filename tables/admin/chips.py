"""Chips and cash that moved at tables, and what was counted. Counts are blind: the count team sees its own, never the pit's."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from casino import roles, shown
from casino.day_range import DayRange
from casino.models import User
from casino.read_only import ReadOnlyAdmin
from tables.admin.figures import figure
from tables.admin.filters import ShiftFilter, TableFilter
from tables.models import ChipMovement, DropCount, TrayCount


class AtTable(ReadOnlyAdmin):
    """Rows of a session: where, when and how much, in its house's notation."""

    list_filter: Any = (ShiftFilter, TableFilter)
    list_select_related: Any = ("session__table__property", "session__shift")
    ordering = ("-id",)
    pits = "session__table__pit__code"

    @admin.display(description=_("table"))
    def table(self, row: Any) -> str:
        """Return the table's code."""
        return row.session.table.code

    @admin.display(description=_("at"))
    def at(self, row: Any) -> str:
        """Return when, by the house's clock."""
        return shown.stamp(row.occurred_at, row.session.table.property)

    @admin.display(description=_("denominations"))
    def pieces(self, row: Any) -> SafeString | str:
        """Return "20 × 100.00" a line, larger values first."""
        house = row.session.table.property
        counted = sorted(((int(value), number) for value, number in (row.denominations or {}).items()), reverse=True)
        lines = ((f"{number:,} × {shown.money(value, house)}",) for value, number in counted if number)
        return format_html_join("", '<span class="figure block">{}</span>', lines) or shown.NOTHING


@admin.register(ChipMovement)
class ChipMovementAdmin(AtTable):
    """Buy-ins, fills and chip credits; the cage sees the slips, not the buy-ins."""

    action = "read_chips"
    list_display = ("what", "table", "at", "sum", "requested_by", "issued_by", "received_by")
    list_filter = (DayRange, ShiftFilter, TableFilter, "kind")
    list_select_related = (*AtTable.list_select_related, "requested_by", "issued_by", "received_by")
    fields = ("what", "session", "at", "sum", "pieces", "patron", "requested_by", "issued_by", "received_by", "recorded", "uuid")

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the movements of one's pits; of the cage only its slips."""
        rows = super().mine(user).select_related(*self.list_select_related)  # Django adds none of its own where there are any
        return rows if roles.may(user.roles, "read_reports") else rows.exclude(kind=ChipMovement.Kind.BUY_IN)

    @admin.display(description=_("slip"))
    def what(self, movement: ChipMovement) -> str:
        """Return "fill 483", "buy-in"."""
        return str(movement)

    @admin.display(description=_("amount"))
    def sum(self, movement: ChipMovement) -> SafeString:
        """Return the amount."""
        return figure(shown.money(movement.amount, movement.session.table.property))

    @admin.display(description=_("recorded"))
    def recorded(self, movement: ChipMovement) -> str:
        """Return when the database took it, by the house's clock."""
        return shown.stamp(movement.recorded_at, movement.session.table.property)


class CountAdmin(AtTable):
    """What two people counted."""

    action = "read_counts"
    list_select_related = (*AtTable.list_select_related, "counted_by", "witness")

    @admin.display(description=_("total"))
    def sum(self, count: Any) -> SafeString:
        """Return the counted total."""
        return figure(shown.money(count.total, count.session.table.property))


@admin.register(TrayCount)
class TrayCountAdmin(CountAdmin):
    """Openers and closers."""

    list_display = ("kind", "table", "at", "sum", "counted_by", "witness", "note")
    fields = ("kind", "session", "sequence", "at", "sum", "pieces", "counted_by", "witness", "note")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return no to the count team: it never sees the pit's figures."""
        user = request.user
        return super().has_view_permission(request, obj) and isinstance(user, User) and roles.may(user.roles, "read_reports")


@admin.register(DropCount)
class DropCountAdmin(CountAdmin):
    """Boxes as they were counted; the count team sees its own."""

    list_display = ("box", "table", "at", "sum", "counted_by", "witness", "note")
    fields = ("box", "seal", "session", "sequence", "at", "sum", "pieces", "counted_by", "witness", "note")

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the boxes of one's pits, or those that one counted."""
        rows = super().mine(user)
        return rows if roles.may(user.roles, "read_reports") else rows.filter(Q(counted_by=user) | Q(witness=user))
