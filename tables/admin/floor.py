"""Where and when: properties, pits, tables, dealers, sessions. Looked at here; opened and closed by services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from casino import shown
from casino.errors import Conflict
from casino.models import User
from casino.read_only import ReadOnlyAdmin, SeenInline
from tables.admin.figures import chip
from tables.admin.filters import ShiftFilter, TableFilter
from tables.engine.game import games
from tables.models import Dealer, DealerTurn, Pit, Property, SessionEvent, Table, TableSession
from tables.selectors import sessions_with_state, version_in_force


@admin.register(Property)
class PropertyAdmin(ReadOnlyAdmin):
    """The casino, with its clock, currency and tolerances."""

    list_display = ("name", "code", "zone", "currency", "rollover")
    fields = ("name", "code", "zone", "currency", "exponent", "rollover", "explain_over", "report_over", "notify_over")


@admin.register(Pit)
class PitAdmin(ReadOnlyAdmin):
    """The pits of one's roles."""

    list_display = ("name", "code", "property")
    fields = ("name", "code", "property")
    list_select_related = ("property",)
    pits = "code"


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    """The tables of one's pits."""

    list_display = ("code", "pit", "game_name")
    fields = ("code", "pit", "game_name", "paytable_now", "property", "uuid")
    list_select_related = ("pit",)
    pits = "pit__code"

    @admin.display(description="paytable in force")
    def paytable_now(self, table: Table) -> SafeString | str:
        """Return the version in force now, with its code to be compared with the sheet at the table."""
        try:
            version = version_in_force(table, timezone.now())
        except Conflict:
            return shown.NOTHING
        return format_html(
            '<a href="{}">{}</a> <b>{}</b>', reverse("admin:tables_paytableversion_change", args=[version.pk]), version, version.short_code
        )

    @admin.display(description="game")
    def game_name(self, table: Table) -> str:
        """Return the game as on the sign."""
        return games()[table.game].name


@admin.register(Dealer)
class DealerAdmin(ReadOnlyAdmin):
    """Dealers, by staff number."""

    list_display = ("code", "name", "property")
    fields = ("code", "name", "property")
    list_select_related = ("property",)
    search_fields = ("code", "name")


class EventsInline(SeenInline):
    """The session's states, as they were reached."""

    model = SessionEvent
    fields = readonly_fields = ("state", "at", "by", "note")
    verbose_name_plural = "opened and closed"

    @admin.display(description="at")
    def at(self, event: SessionEvent) -> str:
        """Return when, by the house's clock."""
        return shown.stamp(event.occurred_at, event.session.table.property)


class TurnsInline(SeenInline):
    """Who dealt from when."""

    model = DealerTurn
    fields = readonly_fields = ("dealer", "since", "by")
    verbose_name_plural = "dealers' turns"

    @admin.display(description="from")
    def since(self, turn: DealerTurn) -> str:
        """Return from when, by the house's clock."""
        return shown.stamp(turn.from_at, turn.session.table.property)


@admin.register(TableSession)
class SessionAdmin(ReadOnlyAdmin):
    """Tables as they were open within shifts."""

    list_display = ("table", "shift", "sequence", "state_word")
    fields = ("table", "shift", "sequence", "state_word", "uuid")
    list_filter = (type("Shifts", (ShiftFilter,), {"path": "pk"}), type("Tables", (TableFilter,), {"path": "pk"}))
    ordering = ("-id",)
    pits = "table__pit__code"
    inlines = (EventsInline, TurnsInline)

    def mine(self, user: User) -> QuerySet[Any]:
        """Return the sessions of one's pits, with their state."""
        return sessions_with_state(super().mine(user).select_related("table__property", "shift"))

    @admin.display(description="state")
    def state_word(self, session: Any) -> SafeString:
        """Return open or closed."""
        return chip(session.state, "good" if session.state == SessionEvent.State.OPEN else "")
