"""What the inbox of findings is narrowed by; every choice is in the address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit.case_selectors import mine, overdue
from audit.causes import CAUSES
from audit.models import FindingEvent
from casino import roles
from casino.read_only import person
from tables.models import Dealer, Pit


class WaitingFilter(SimpleListFilter):
    """By whom it waits for, and whether it is late."""

    title = _("waiting")
    parameter_name = "waiting"

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: ModelAdmin) -> None:
        self.user = person(request)
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return what can be asked."""
        return [("mine", gettext("for me")), ("overdue", gettext("overdue")), ("open", gettext("not closed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings that wait so."""
        if self.value() == "mine":
            return mine(queryset, self.user)
        if self.value() == "overdue":
            return overdue(queryset, timezone.now())
        return queryset.exclude(state=FindingEvent.State.CLOSED) if self.value() == "open" else queryset


class PitFilter(SimpleListFilter):
    """By pit, of one's own."""

    title = _("pit")
    parameter_name = "pit"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return one's pits."""
        pits = roles.pits_for(person(request), "see_findings")
        found = Pit.objects.all() if pits is None else Pit.objects.filter(code__in=pits)
        return [(pit.code, pit.name) for pit in found.order_by("code")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings of that pit."""
        return queryset.filter(session__table__pit__code=self.value()) if self.value() else queryset


class DealerFilter(SimpleListFilter):
    """By dealer."""

    title = _("dealer")
    parameter_name = "dealer"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return every dealer of whom something was found."""
        codes = Dealer.objects.filter(findings__isnull=False).order_by("code").values_list("code", flat=True).distinct()
        return [(code, code) for code in codes]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings of that dealer."""
        return queryset.filter(dealer__code=self.value()) if self.value() else queryset


class CauseFilter(SimpleListFilter):
    """By what it came from."""

    title = _("cause")
    parameter_name = "cause"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> Iterable[tuple[str, str]]:
        """Return every cause."""
        return [(code, gettext(cause)) for code, cause in CAUSES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the findings that came from it."""
        return queryset.filter(cause=self.value()) if self.value() else queryset
