"""What lists of the floor are narrowed by; each knows its choices in one query at most."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from casino import roles
from casino.read_only import person
from casino.words import gettext, gettext_noop
from tables.engine.game import games
from tables.models import Table, TableSession
from tables.selectors import shifts_for, standing

SHIFTS_OFFERED = 21


def of_sessions(rows: QuerySet[Any], path: str, **which: Any) -> QuerySet[Any]:
    """Return the `rows` of those sessions. Their keys are looked up first: with them the database knows how few rows it is after. One query."""
    return rows.filter(**{f"{path}__in": list(TableSession.objects.filter(**which).values_list("pk", flat=True))})


class TableFilter(SimpleListFilter):
    """By table, of one's own pits. `path` leads from a row to its session."""

    title = _("table")
    parameter_name = "table"
    path = "session"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return the tables of one's pits."""
        pits = roles.pits_for(person(request), "read_reports")
        tables = Table.objects.all() if pits is None else Table.objects.filter(pit__code__in=pits)
        return [(code, code) for code in tables.order_by("code").values_list("code", flat=True)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of that table."""
        return of_sessions(queryset, self.path, table__code=self.value()) if self.value() else queryset


class ShiftFilter(SimpleListFilter):
    """By shift: the newest ones are offered; any other shift's key works in the address. `path` leads from a row to its session."""

    title = _("shift")
    parameter_name = "shift"
    path = "session"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return the newest shifts."""
        return [(str(shift.pk), f"{shift.gaming_day:%-d %b} {shift.get_kind_display()}") for shift in shifts_for(person(request))[:SHIFTS_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of that shift; of none for what is no key."""
        key = self.value()
        if not key:
            return queryset
        return self.of_shift(queryset, int(key)) if key.isascii() and key.isdigit() and len(key) < 18 else queryset.none()

    def of_shift(self, rows: QuerySet[Any], key: int) -> QuerySet[Any]:
        """Return the rows of the shift of `key`."""
        return of_sessions(rows, self.path, shift=key)


class GameFilter(SimpleListFilter):
    """By game."""

    title = _("game")
    parameter_name = "game"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return every game that can be dealt."""
        return [(code, game.name) for code, game in games().items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows of that game."""
        return queryset.filter(game=self.value()) if self.value() else queryset


STANDING = {
    "off": (gettext_noop("off"), standing() & Q(irregular="") & ~Q(collected=F("collect"), paid=F("pay"))),
    "irregular": (gettext_noop("irregular"), standing() & ~Q(irregular="")),
    "late": (gettext_noop("late"), Q(late=True)),
    "voided": (gettext_noop("voided"), Q(reversal__kind="void")),
    "replaced": (gettext_noop("replaced"), Q(reversal__isnull=False) & ~Q(reversal__kind="void")),
    "replacing": (gettext_noop("corrections"), Q(replaces__isnull=False)),
}


class StandingFilter(SimpleListFilter):
    """By what is wrong with a round."""

    title = _("due against done")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return what may be wrong."""
        return [(key, gettext(label)) for key, (label, _) in STANDING.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rounds of which that is so."""
        _, condition = STANDING.get(self.value() or "", ("", Q()))
        return queryset.filter(condition)
